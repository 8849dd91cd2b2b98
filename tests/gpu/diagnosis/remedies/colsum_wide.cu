__global__ void column_sums(const float4* a, float4* sums, int rows, int cols)
{
    int c = blockIdx.x * blockDim.x + threadIdx.x;
    if (c >= cols / 4) return;
    float4 sum = {0.f, 0.f, 0.f, 0.f};
    for (int r = 0; r < rows; r++) {
        float4 v = a[r * (cols / 4) + c];
        sum.x += v.x; sum.y += v.y; sum.z += v.z; sum.w += v.w;
    }
    sums[c] = sum;
}
