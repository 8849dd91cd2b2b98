#include <cuda_runtime.h>
__global__ void dot(const float* a, const float* b, float* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        float p = a[i] * b[i];
        atomicAdd(sum, p);
    }
}
int main()
{
    int n = 1 << 20;
    float *a, *b, *sum;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMalloc(&sum, sizeof(float));
    cudaMemset(sum, 0, sizeof(float));
    dot<<<(n + 255) / 256, 256>>>(a, b, sum, n);
    cudaDeviceSynchronize();
}
