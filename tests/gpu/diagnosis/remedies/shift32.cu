#include <cuda_runtime.h>
// copies a window of an image that begins at (x0, y0)
__global__ void crop(const float* image, float* out, int pitch, int w, int h, int x0, int y0)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h)
        out[y * w + x] = image[(y + y0) * pitch + x + x0];
}
int main()
{
    int pitch = 4096, w = 3200, h = 3200;
    float *image, *out;
    cudaMalloc(&image, pitch * 4096 * sizeof(float));
    cudaMalloc(&out, w * h * sizeof(float));
    dim3 block(32, 8), grid(w / 32, h / 8);
    crop<<<grid, block>>>(image, out, pitch, w, h, 37, 11);
    cudaDeviceSynchronize();
}
