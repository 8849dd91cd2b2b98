#include <cuda_runtime.h>
#include <utility>
#define BX 32
#define BY 8
__global__ void jacobi(const double* a, double* b, int n)
{
    int x = blockIdx.x * BX + threadIdx.x;
    int y = blockIdx.y * BY + threadIdx.y;
    if (x > 0 && y > 0 && x < n - 1 && y < n - 1)
        b[y * n + x] = 0.25 * (a[y * n + x - 1] + a[y * n + x + 1] + a[(y - 1) * n + x] + a[(y + 1) * n + x]);
}
int main()
{
    int n = 1024;
    double *a, *b;
    cudaMalloc(&a, n * n * sizeof(double));
    cudaMalloc(&b, n * n * sizeof(double));
    dim3 block(BX, BY), grid((n + BX - 1) / BX, (n + BY - 1) / BY);
    for (int it = 0; it < 500; it++) {
        jacobi<<<grid, block>>>(a, b, n);
        std::swap(a, b);
    }
    cudaDeviceSynchronize();
}
