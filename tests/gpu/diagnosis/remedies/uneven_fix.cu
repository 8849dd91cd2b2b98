__global__ void block_means(const float* in, float* out, int per)
{
    extern __shared__ float s[];
    __shared__ float mean;
    int t = threadIdx.x;
    float v = in[blockIdx.x * blockDim.x + t];
    float w = v;
    for (int o = 16; o > 0; o /= 2) w += __shfl_down_sync(0xffffffffu, w, o);
    if (t % 32 == 0) s[t / 32] = w;
    __syncthreads();
    if (t < 32) {
        float x = t < (int)(blockDim.x / 32) ? s[t] : 0.f;
        for (int o = 16; o > 0; o /= 2) x += __shfl_down_sync(0xffffffffu, x, o);
        if (t == 0) mean = x / per;
    }
    __syncthreads();
    out[blockIdx.x * blockDim.x + t] = v - mean;
}
