#include <cuda_runtime.h>
#define K 8
__global__ void smallest(const float* d, float* out, int rows, int m)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float best[K];
    for (int k = 0; k < K; k++) best[k] = 1e30f;
    for (int j = 0; j < m; j++) {
        float v = d[j * rows + r];
        int k = K - 1;
        if (v >= best[k]) continue;
        while (k > 0 && best[k - 1] > v) { best[k] = best[k - 1]; k--; }
        best[k] = v;
    }
    for (int k = 0; k < K; k++) out[k * rows + r] = best[k];
}
int main()
{
    int rows = 65536, m = 64;
    float *d, *out;
    cudaMalloc(&d, rows * m * sizeof(float));
    cudaMalloc(&out, rows * K * sizeof(float));
    smallest<<<rows / 128, 128>>>(d, out, rows, m);
    cudaDeviceSynchronize();
}
