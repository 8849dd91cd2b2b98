// Several guards of one index: the widest says how many threads there are, unless the kernel is left at another.
__global__ void split(const float* input, float* output, float* pairs, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) output[i] = input[i];
    if (i < 2 * m) pairs[i] = 1.0f;
}
__global__ void split_left(const float* input, float* output, float* pairs, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    output[i] = input[i];
    if (i < 2 * m) pairs[i] = 1.0f;
}
