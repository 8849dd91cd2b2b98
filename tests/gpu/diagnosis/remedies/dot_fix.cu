__global__ void dot(const float* a, const float* b, float* sum, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float p = i < n ? a[i] * b[i] : 0.f;
    for (int o = 16; o > 0; o /= 2) p += __shfl_down_sync(0xffffffffu, p, o);
    if (threadIdx.x % 32 == 0) atomicAdd(sum, p);
}
