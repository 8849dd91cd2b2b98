#include <cuda_runtime.h>
__global__ void scale_rows(float* m, const int* active, int n_active, int width, int rows)
{
    int row = blockIdx.y;
    int k = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= n_active || k >= width) return;
    m[active[row] * width + k] *= 2.0f;
}
int main()
{
    int rows = 16384, n_active = 1024, width = 512;
    float* m; int* active;
    cudaMalloc(&m, rows * width * sizeof(float));
    cudaMalloc(&active, n_active * sizeof(int));
    scale_rows<<<dim3(width / 128, n_active), 128>>>(m, active, n_active, width, rows);
    cudaDeviceSynchronize();
}
