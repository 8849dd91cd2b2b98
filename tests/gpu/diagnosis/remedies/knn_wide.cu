#define K 8
__device__ void put(float* best, float v)
{
    int k = K - 1;
    if (v >= best[k]) return;
    while (k > 0 && best[k - 1] > v) { best[k] = best[k - 1]; k--; }
    best[k] = v;
}
__global__ void smallest(const float* d, float* out, int rows, int m)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) * 4;
    if (r >= rows) return;
    float b[4][K];
    for (int q = 0; q < 4; q++) for (int k = 0; k < K; k++) b[q][k] = 1e30f;
    for (int j = 0; j < m; j++) {
        float4 v = *(const float4*)&d[j * rows + r];
        put(b[0], v.x); put(b[1], v.y); put(b[2], v.z); put(b[3], v.w);
    }
    for (int k = 0; k < K; k++) *(float4*)&out[k * rows + r] = make_float4(b[0][k], b[1][k], b[2][k], b[3][k]);
}
