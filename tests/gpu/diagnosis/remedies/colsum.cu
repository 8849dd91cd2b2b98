#include <cuda_runtime.h>
__global__ void column_sums(const float* a, float* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols) return;
    float sum = 0.f;
    for (int r = 0; r < rows; r++)
        sum += a[r * cols + c];
    sums[c] = sum;
}
int main()
{
    int rows = 512, cols = 65536;
    float *a, *sums;
    cudaMalloc(&a, rows * cols * sizeof(float));
    cudaMalloc(&sums, cols * sizeof(float));
    column_sums<<<(cols + 127) / 128, 128>>>(a, sums, rows, cols);
    cudaDeviceSynchronize();
}
