__global__ void transpose_naive(const float* input, float* output, int width) {
    int column = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (column < width && row < width) output[column * width + row] = input[row * width + column];
}

template <int PAD>
__device__ void transpose_by_tiles(const float* input, float* output, int width) {
    __shared__ float tile[32][32 + PAD];
    int column = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    if (column < width && row < width) tile[threadIdx.y][threadIdx.x] = input[row * width + column];
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    if (column < width && row < width) output[row * width + column] = tile[threadIdx.x][threadIdx.y];
}

__global__ void transpose_tiled(const float* input, float* output, int width) {
    transpose_by_tiles<0>(input, output, width);
}

__global__ void transpose_padded(const float* input, float* output, int width) {
    transpose_by_tiles<1>(input, output, width);
}
