#include <cuda_runtime.h>
__global__ void permute(const float* in, float* out, int n, int c, int h, int w)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n * c * h * w) return;
    int x = i % w;
    int y = (i / w) % h;
    int ch = (i / (w * h)) % c;
    int b = i / (w * h * c);
    out[((b * h + y) * w + x) * c + ch] = in[i];      // NCHW to NHWC
}
int main()
{
    int n = 8, c = 3, h = 224, w = 224;
    float *in, *out;
    cudaMalloc(&in, n * c * h * w * sizeof(float));
    cudaMalloc(&out, n * c * h * w * sizeof(float));
    permute<<<(n * c * h * w + 255) / 256, 256>>>(in, out, n, c, h, w);
    cudaDeviceSynchronize();
}
