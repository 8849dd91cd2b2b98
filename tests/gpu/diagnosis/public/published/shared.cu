// Bank conflicts, written after the guides and papers that known.toml names.

// Ruetsch, Micikevicius, "Optimizing Matrix Transpose in CUDA", 2009: through a tile that is not padded.
__global__ void transpose_tile(float *output, const float *input, int width, int height) {
    __shared__ float tile[32][32];
    int column = blockIdx.x * 32 + threadIdx.x;
    int row = blockIdx.y * 32 + threadIdx.y;
    for (int step = 0; step < 32; step += 8) {
        tile[threadIdx.y + step][threadIdx.x] = input[(row + step) * width + column];
    }
    __syncthreads();
    column = blockIdx.y * 32 + threadIdx.x;
    row = blockIdx.x * 32 + threadIdx.y;
    for (int step = 0; step < 32; step += 8) {
        output[(row + step) * height + column] = tile[threadIdx.x][threadIdx.y + step];
    }
}

// CUDA C++ Best Practices Guide, "Shared Memory in Matrix Multiplication (C=AAT)": the second tile is stored transposed.
__global__ void times_transposed(const float *a, float *c, int rows) {
    __shared__ float tile[32][32], transposed[32][32];
    int row = blockIdx.y * 32 + threadIdx.y;
    int column = blockIdx.x * 32 + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = a[row * 32 + threadIdx.x];
    transposed[threadIdx.x][threadIdx.y] = a[(blockIdx.x * 32 + threadIdx.y) * 32 + threadIdx.x];
    __syncthreads();
    float sum = 0.0f;
    for (int i = 0; i < 32; i++) {
        sum += tile[threadIdx.y][i] * transposed[i][threadIdx.x];
    }
    c[row * rows + column] = sum;
}

// Harris, "Optimizing Parallel Reduction in CUDA", 2007, the second kernel: strided index, no divergence.
__global__ void sum_strided(const float *input, float *output) {
    __shared__ float partial[256];
    int thread = threadIdx.x;
    partial[thread] = input[blockIdx.x * 256 + thread];
    __syncthreads();
    for (int stride = 1; stride < 256; stride *= 2) {
        int index = 2 * stride * thread;
        if (index < 256) {
            partial[index] += partial[index + stride];
        }
        __syncthreads();
    }
    if (thread == 0) output[blockIdx.x] = partial[0];
}

// Harris, Sengupta, Owens, "Parallel Prefix Sum (Scan) with CUDA", GPU Gems 3, 2007: the work-efficient scan without padding.
__global__ void scan(float *data) {
    __shared__ float own[512];
    int thread = threadIdx.x, offset = 1;
    float *block = data + blockIdx.x * 512;
    own[2 * thread] = block[2 * thread];
    own[2 * thread + 1] = block[2 * thread + 1];
    for (int active = 256; active > 0; active >>= 1) {
        __syncthreads();
        if (thread < active) {
            int left = offset * (2 * thread + 1) - 1;
            own[left + offset] += own[left];
        }
        offset *= 2;
    }
    if (thread == 0) own[511] = 0.0f;
    for (int active = 1; active < 512; active *= 2) {
        offset >>= 1;
        __syncthreads();
        if (thread < active) {
            int left = offset * (2 * thread + 1) - 1;
            float kept = own[left];
            own[left] = own[left + offset];
            own[left + offset] += kept;
        }
    }
    __syncthreads();
    block[2 * thread] = own[2 * thread];
    block[2 * thread + 1] = own[2 * thread + 1];
}
