#include <cuda_runtime.h>
// y = L x for a lower triangular matrix held by columns
__global__ void trmv(const float* L, const float* x, float* y, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    float sum = 0.f;
    for (int j = 0; j <= i % 64; j++)
        sum += L[j * n + i] * x[j];
    y[i] = sum;
}
int main()
{
    int n = 1 << 17;
    float *L, *x, *y;
    cudaMalloc(&L, 64ull * n * sizeof(float));
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    trmv<<<(n + 255) / 256, 256>>>(L, x, y, n);
    cudaDeviceSynchronize();
}
