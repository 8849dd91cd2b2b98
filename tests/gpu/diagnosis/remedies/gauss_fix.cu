#include <cuda_runtime.h>
// one step of Gaussian elimination without pivoting
__global__ void eliminate(float* a, int n, int k)
{
    int i = k + 1 + blockIdx.y * blockDim.y + threadIdx.y;
    int j = k + 1 + blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n || j >= n) return;
    float f = a[i * n + k] / a[k * n + k];
    a[i * n + j] -= f * a[k * n + j];
}
int main()
{
    const int n = 1000;
    float* a;
    cudaMalloc(&a, n * n * sizeof(float));
    for (int k = 0; k < n - 1; k++) {
        dim3 block(16, 16), grid((n - k + 14) / 16, (n - k + 14) / 16);
        eliminate<<<grid, block>>>(a, n, k);
    }
    cudaDeviceSynchronize();
}
