constexpr int kBlockSize = 256;
__global__ void reduce(const float* input, float* output, int n) {
    __shared__ float cache[kBlockSize];
    int tid = threadIdx.x;
    int i = blockIdx.x * (kBlockSize * 2) + tid;
    float v = 0;
    if (i < n) v = input[i];
    if (i + kBlockSize < n) v += input[i + kBlockSize];
    cache[tid] = v;
    __syncthreads();
    for (int s = kBlockSize / 2; s > 0; s >>= 1) {
        if (tid < s) cache[tid] += cache[tid + s];
        __syncthreads();
    }
    if (tid == 0) output[blockIdx.x] = cache[0];
}
__global__ void reduce_plain(const float* input, float* output, int n) {
    __shared__ float cache[kBlockSize];
    int tid = threadIdx.x;
    int i = blockIdx.x * blockDim.x + tid;
    cache[tid] = i < n ? input[i] : 0.0f;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (tid % (2 * s) == 0) cache[tid] += cache[tid + s];
        __syncthreads();
    }
    if (tid == 0) output[blockIdx.x] = cache[0];
}
