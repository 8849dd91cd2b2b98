template <int PAD>
__device__ void product_by_tiles(const float* a, const float* b, float* c, int n) {
    __shared__ float rows[32][32];
    __shared__ float columns[32][32 + PAD];
    int row = blockIdx.y * 32 + threadIdx.y;
    int column = blockIdx.x * 32 + threadIdx.x;
    float sum = 0;
    for (int tile = 0; tile < n; tile += 32) {
        rows[threadIdx.y][threadIdx.x] = a[row * n + tile + threadIdx.x];
        columns[threadIdx.x][threadIdx.y] = b[(tile + threadIdx.y) * n + column];
        __syncthreads();
        for (int k = 0; k < 32; k++) {
            sum += rows[threadIdx.y][k] * columns[threadIdx.x][k];
        }
        __syncthreads();
    }
    c[row * n + column] = sum;
}

__global__ void product_tiled(const float* a, const float* b, float* c, int n) {
    product_by_tiles<0>(a, b, c, n);
}

__global__ void product_padded(const float* a, const float* b, float* c, int n) {
    product_by_tiles<1>(a, b, c, n);
}
