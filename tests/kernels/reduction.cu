// Sums of blocks of 256 elements by a tree in shared memory, as it is written first, and with remedies.

__global__ void reduce_interleaved(const float* input, float* sums, int n) {
    __shared__ float shared[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    shared[t] = i < n ? input[i] : 0.0f;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if (t % (2 * s) == 0) shared[t] += shared[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = shared[0];
}

__global__ void reduce_masked(const float* input, float* sums, int n) {
    __shared__ float shared[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    shared[t] = i < n ? input[i] : 0.0f;
    __syncthreads();
    for (int s = 1; s < blockDim.x; s *= 2) {
        if ((t & (2 * s - 1)) == 0) shared[t] += shared[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = shared[0];
}

__global__ void reduce_sequential(const float* input, float* sums, int n) {
    __shared__ float shared[256];
    int t = threadIdx.x;
    int i = blockIdx.x * blockDim.x + t;
    shared[t] = i < n ? input[i] : 0.0f;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s) shared[t] += shared[t + s];
        __syncthreads();
    }
    if (t == 0) sums[blockIdx.x] = shared[0];
}
