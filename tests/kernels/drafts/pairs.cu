// Guards on sums and products of the index.
#define BLOCK 256
__global__ void add_pairs(const float* input, float* output, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (2 * i + 1 < n) output[i] = input[2 * i] + input[2 * i + 1];
}
__global__ void add_halves(const float* input, float* output, int n) {
    int i = blockIdx.x * (BLOCK * 2) + threadIdx.x;
    if (i + BLOCK < n) output[blockIdx.x * BLOCK + threadIdx.x] = input[i] + input[i + BLOCK];
}
