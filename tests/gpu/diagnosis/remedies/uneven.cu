#include <cuda_runtime.h>
__global__ void block_means(const float* in, float* out, int per)
{
    extern __shared__ float s[];
    __shared__ float mean;
    int t = threadIdx.x;
    s[t] = in[blockIdx.x * blockDim.x + t];
    __syncthreads();
    if (t == 0) {
        float sum = 0;
        for (int i = 0; i < per; i++) sum += s[i];
        mean = sum / per;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = s[t] - mean;
}
int main()
{
    int n = 1 << 20;
    float *in, *out;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&out, n * sizeof(float));
    block_means<<<n / 256, 256, 256 * sizeof(float)>>>(in, out, 256);
    cudaDeviceSynchronize();
}
