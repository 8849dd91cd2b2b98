#include <cuda_runtime.h>
__global__ void add2d(const float* a, const float* b, float* c, int w, int h)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) c[y * w + x] = a[y * w + x] + b[y * w + x];
}
int main()
{
    int w = 2048, h = 2048;
    float *a, *b, *c;
    cudaMalloc(&a, w * h * sizeof(float));
    cudaMalloc(&b, w * h * sizeof(float));
    cudaMalloc(&c, w * h * sizeof(float));
    dim3 block(4, 64), grid(w / 4, h / 64);
    add2d<<<grid, block>>>(a, b, c, w, h);
    cudaDeviceSynchronize();
}
