#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
// One explicit step of the heat equation; x and y of the thread are exchanged.
__global__ void heat_step(const float* __restrict__ u, float* __restrict__ v, int nx, int ny, float k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;   // column
    int j = blockIdx.y * blockDim.y + threadIdx.y;   // row
    if (i < 1 || j < 1 || i >= nx - 1 || j >= ny - 1) return;
    float c = u[j * nx + i];
    float lap = u[j * nx + i - 1]
              + u[j * nx + i + 1]
              + u[(j - 1) * nx + i]
              + u[(j + 1) * nx + i]
              - 4.0f * c;
    v[j * nx + i] = c + k * lap;
}
int main()
{
    int nx = 2048, ny = 2048;
    size_t bytes = (size_t)nx * ny * sizeof(float);
    float *u, *v;
    cudaMalloc(&u, bytes);
    cudaMalloc(&v, bytes);
    cudaMemset(u, 0, bytes);
    dim3 block(32, 8);
    dim3 grid((nx + 31) / 32, (ny + 7) / 8);
    heat_step<<<grid, block>>>(u, v, nx, ny, 0.1f);
    cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(cudaGetLastError()));
}
