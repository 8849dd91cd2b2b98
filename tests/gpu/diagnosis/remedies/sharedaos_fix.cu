#include <cuda_runtime.h>
struct Body { float x, y, z, m, vx, vy, vz, pad; };
struct Padded { Body b; float more; };
__global__ void sums(const Body* in, float* out, int turns)
{
    __shared__ Padded s[128];
    int t = threadIdx.x;
    s[t].b = in[blockIdx.x * 128 + t];
    __syncthreads();
    float sum = 0;
    for (int k = 0; k < turns; k++) {
        int o = (t + k) & 127;
        sum += s[o].b.x * s[o].b.m;
    }
    out[blockIdx.x * 128 + t] = sum;
}
int main()
{
    int n = 1 << 18;
    Body* in; float* out;
    cudaMalloc(&in, n * sizeof(Body));
    cudaMalloc(&out, n * sizeof(float));
    sums<<<n / 128, 128>>>(in, out, 128);
    cudaDeviceSynchronize();
}
