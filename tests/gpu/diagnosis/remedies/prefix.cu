#include <cuda_runtime.h>
#define B 512
// Blelloch scan of each block
__global__ void scan(const float* in, float* out)
{
    __shared__ float t[2 * B];
    int i = threadIdx.x, base = blockIdx.x * 2 * B, off = 1;
    t[2 * i] = in[base + 2 * i];
    t[2 * i + 1] = in[base + 2 * i + 1];
    for (int d = B; d > 0; d >>= 1) {
        __syncthreads();
        if (i < d) {
            int a = off * (2 * i + 1) - 1, b = off * (2 * i + 2) - 1;
            t[b] += t[a];
        }
        off *= 2;
    }
    if (i == 0) t[2 * B - 1] = 0;
    for (int d = 1; d < 2 * B; d *= 2) {
        off >>= 1;
        __syncthreads();
        if (i < d) {
            int a = off * (2 * i + 1) - 1, b = off * (2 * i + 2) - 1;
            float x = t[a];
            t[a] = t[b];
            t[b] += x;
        }
    }
    __syncthreads();
    out[base + 2 * i] = t[2 * i];
    out[base + 2 * i + 1] = t[2 * i + 1];
}
int main()
{
    int n = 1 << 22;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    scan<<<n / (2 * B), B>>>(in, out);
    cudaDeviceSynchronize();
}
