#include <cstdio>
#include <cuda_runtime.h>
#define N 512
__global__ void sgemm(const float* A, const float* B, float* C, int n)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    int col = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < n && col < n) {
        float acc = 0.f;
        for (int k = 0; k < n; ++k)
            acc += A[row * n + k] * B[k * n + col];
        C[row * n + col] = acc;
    }
}
int main()
{
    float *A, *B, *C;
    cudaMalloc((void**)&A, N * N * sizeof(float));
    cudaMalloc((void**)&B, N * N * sizeof(float));
    cudaMalloc((void**)&C, N * N * sizeof(float));
    dim3 threads(16, 16);
    dim3 blocks(N / 16, N / 16);
    sgemm<<<blocks, threads>>>(A, B, C, N);
    cudaDeviceSynchronize();
    return 0;
}
