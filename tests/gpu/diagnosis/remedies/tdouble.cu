#include <cuda_runtime.h>
constexpr int TILE = 32, ROWS = 8;
__global__ void transpose(double* out, const double* in, int w, int h)
{
    __shared__ double tile[TILE][TILE];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * w + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * h + x] = tile[threadIdx.x][threadIdx.y + j];
}
int main()
{
    int w = 2048, h = 1024;
    double *in, *out;
    cudaMalloc(&in, w * h * sizeof(double));
    cudaMalloc(&out, w * h * sizeof(double));
    transpose<<<dim3(w / TILE, h / TILE), dim3(TILE, ROWS)>>>(out, in, w, h);
    cudaDeviceSynchronize();
}
