#include <cuda_runtime.h>
__device__ unsigned int done = 0;
__global__ void total(const float* in, float* part, float* result, int n)
{
    __shared__ float s[256];
    __shared__ bool last;
    float sum = 0;
    for (int i = blockIdx.x * 256 + threadIdx.x; i < n; i += gridDim.x * 256) sum += in[i];
    s[threadIdx.x] = sum;
    for (int d = 128; d > 0; d >>= 1) {
        __syncthreads();
        if (threadIdx.x < d) s[threadIdx.x] += s[threadIdx.x + d];
    }
    if (threadIdx.x == 0) {
        part[blockIdx.x] = s[0];
        __threadfence();
        last = atomicInc(&done, gridDim.x - 1) == gridDim.x - 1;
    }
    __syncthreads();
    if (last && threadIdx.x < 32) {
        float all = 0;
        for (int i = threadIdx.x; i < gridDim.x; i += 32) all += ((volatile float*)part)[i];
        for (int o = 16; o > 0; o /= 2) all += __shfl_down_sync(0xffffffffu, all, o);
        if (threadIdx.x == 0) *result = all;
    }
}
int main()
{
    int n = 1 << 22;
    float *in, *part, *result;
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&part, 1024 * sizeof(float));
    cudaMalloc(&result, sizeof(float));
    total<<<1024, 256>>>(in, part, result, n);
    cudaDeviceSynchronize();
}
