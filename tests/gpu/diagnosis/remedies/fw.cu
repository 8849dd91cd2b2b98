#include <cuda_runtime.h>
__global__ void fw_step(int* dist, int n, int k)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int j = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n) return;
    int through = dist[i * n + k] + dist[k * n + j];
    if (through < dist[i * n + j])
        dist[i * n + j] = through;
}
int main()
{
    int n = 1024;
    int* dist;
    cudaMalloc(&dist, n * n * sizeof(int));
    dim3 block(16, 16), grid((n + 15) / 16, (n + 15) / 16);
    for (int k = 0; k < n; k++)
        fw_step<<<grid, block>>>(dist, n, k);
    cudaDeviceSynchronize();
}
