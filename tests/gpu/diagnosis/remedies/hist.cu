#include <cuda_runtime.h>
#include <vector>
__global__ void hist256(const unsigned char* pixels, int* hist, int n)
{
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        int bin = pixels[i] >> 4;
        atomicAdd(&hist[bin], 1);
    }
}
int main()
{
    const int n = 1920 * 1080;
    unsigned char* pixels; int* hist;
    cudaMalloc(&pixels, n);
    cudaMalloc(&hist, 16 * sizeof(int));
    cudaMemset(hist, 0, 16 * sizeof(int));
    hist256<<<264, 256>>>(pixels, hist, n);
    cudaDeviceSynchronize();
}
