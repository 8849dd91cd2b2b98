// The softmax of each row of a matrix, by one thread for each row or by one warp.
__global__ void softmax_thread(const float *in, float *out, int rows, int columns) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    float largest = -1e30f, sum = 0;
    for (int i = 0; i < columns; ++i) largest = fmaxf(largest, in[(size_t)row * columns + i]);
    for (int i = 0; i < columns; ++i) sum += __expf(in[(size_t)row * columns + i] - largest);
    for (int i = 0; i < columns; ++i) out[(size_t)row * columns + i] = __expf(in[(size_t)row * columns + i] - largest) / sum;
}
__global__ void softmax_warp(const float *in, float *out, int rows, int columns) {
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float largest = -1e30f, sum = 0;
    for (int i = lane; i < columns; i += 32) largest = fmaxf(largest, in[(size_t)row * columns + i]);
    for (int d = 16; d; d /= 2) largest = fmaxf(largest, __shfl_xor_sync(~0u, largest, d));
    for (int i = lane; i < columns; i += 32) sum += __expf(in[(size_t)row * columns + i] - largest);
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(~0u, sum, d);
    for (int i = lane; i < columns; i += 32) out[(size_t)row * columns + i] = __expf(in[(size_t)row * columns + i] - largest) / sum;
}
