#define K 8
__global__ void smallest(const float* d, float* out, int rows, int m)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    float best[K];
#pragma unroll
    for (int k = 0; k < K; k++) best[k] = 1e30f;
#pragma unroll 1
    for (int j = 0; j < m; j++) {
        float v = d[j * rows + r];
#pragma unroll
        for (int k = 0; k < K; k++) { float lo = fminf(best[k], v); v = fmaxf(best[k], v); best[k] = lo; }
    }
#pragma unroll
    for (int k = 0; k < K; k++) out[k * rows + r] = best[k];
}
