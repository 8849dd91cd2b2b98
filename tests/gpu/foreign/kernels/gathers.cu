// Sums, counts, rows, sparse matrices, sorts and searches.

extern "C" __global__ void reduce_shared(const float *in, float *out, int n)
{
    extern __shared__ float partial[];
    int t = threadIdx.x;
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + t; i < n; i += blockDim.x * gridDim.x)
        sum += in[i];
    partial[t] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (t < s)
            partial[t] += partial[t + s];
        __syncthreads();
    }
    if (t == 0)
        out[blockIdx.x] = partial[0];
}

extern "C" __global__ void dot_product(const float *a, const float *b, float *result, int n)
{
    __shared__ float warps[32];
    float sum = 0.0f;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        sum += a[i] * b[i];
    for (int offset = 16; offset > 0; offset /= 2)
        sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (threadIdx.x % 32 == 0)
        warps[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x < 32) {
        sum = threadIdx.x < blockDim.x / 32 ? warps[threadIdx.x] : 0.0f;
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (threadIdx.x == 0)
            atomicAdd(result, sum);
    }
}

// Inclusive sums within each block of 512, by doubling.
extern "C" __global__ void block_scan(const int *in, int *out, int *totals, int n)
{
    __shared__ int buffer[2][512];
    int t = threadIdx.x, i = blockIdx.x * 512 + t;
    int from = 0;
    buffer[0][t] = i < n ? in[i] : 0;
    __syncthreads();
    for (int offset = 1; offset < 512; offset *= 2) {
        int to = 1 - from;
        if (t >= offset)
            buffer[to][t] = buffer[from][t] + buffer[from][t - offset];
        else
            buffer[to][t] = buffer[from][t];
        from = to;
        __syncthreads();
    }
    if (i < n)
        out[i] = buffer[from][t];
    if (t == 511)
        totals[blockIdx.x] = buffer[from][t];
}

extern "C" __global__ void histogram_shared(const unsigned char *data, unsigned *bins, int n)
{
    __shared__ unsigned local[256];
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        local[i] = 0;
    __syncthreads();
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        atomicAdd(&local[data[i]], 1u);
    __syncthreads();
    for (int i = threadIdx.x; i < 256; i += blockDim.x)
        atomicAdd(&bins[i], local[i]);
}

extern "C" __global__ void histogram_global(const unsigned *keys, unsigned *bins, int n, unsigned mask)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        atomicAdd(&bins[keys[i] & mask], 1u);
}

// How often a byte appears in each 64 bytes of a text.
extern "C" __global__ void count_bytes(const unsigned char *text, int n, unsigned char wanted, unsigned *counts)
{
    int from = (blockIdx.x * blockDim.x + threadIdx.x) * 64;
    unsigned found = 0;
    for (int i = from; i < from + 64 && i < n; i++)
        if (text[i] == wanted)
            found++;
    counts[blockIdx.x * blockDim.x + threadIdx.x] = found;
}

// A block for each row.
extern "C" __global__ void softmax_rows(const float *in, float *out, int columns)
{
    __shared__ float shared[256];
    const float *row = in + (size_t)blockIdx.x * columns;
    float *result = out + (size_t)blockIdx.x * columns;
    int t = threadIdx.x;
    float most = -3.402823466e38f;
    for (int j = t; j < columns; j += blockDim.x)
        most = fmaxf(most, row[j]);
    shared[t] = most;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            shared[t] = fmaxf(shared[t], shared[t + s]);
        __syncthreads();
    }
    most = shared[0];
    __syncthreads();
    float sum = 0.0f;
    for (int j = t; j < columns; j += blockDim.x)
        sum += expf(row[j] - most);
    shared[t] = sum;
    __syncthreads();
    for (int s = blockDim.x / 2; s > 0; s /= 2) {
        if (t < s)
            shared[t] += shared[t + s];
        __syncthreads();
    }
    sum = shared[0];
    for (int j = t; j < columns; j += blockDim.x)
        result[j] = expf(row[j] - most) / sum;
}

// A warp for each row.
extern "C" __global__ void layernorm_rows(const float *in, const float *gain, const float *bias, float *out, int rows, int columns)
{
    int row = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    int lane = threadIdx.x % 32;
    if (row >= rows)
        return;
    const float *x = in + (size_t)row * columns;
    float sum = 0.0f, squares = 0.0f;
    for (int j = lane; j < columns; j += 32) {
        float v = x[j];
        sum += v;
        squares += v * v;
    }
    for (int offset = 16; offset > 0; offset >>= 1) {
        sum += __shfl_xor_sync(0xffffffff, sum, offset);
        squares += __shfl_xor_sync(0xffffffff, squares, offset);
    }
    float mean = sum / columns;
    float scale = rsqrtf(squares / columns - mean * mean + 1e-5f);
    for (int j = lane; j < columns; j += 32)
        out[(size_t)row * columns + j] = (x[j] - mean) * scale * gain[j] + bias[j];
}

// A thread for each row of a sparse matrix.
extern "C" __global__ void spmv_scalar(const int *row_starts, const int *columns, const float *values, const float *x, float *y, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int j = row_starts[row]; j < row_starts[row + 1]; j++)
            sum += values[j] * x[columns[j]];
        y[row] = sum;
    }
}

// A warp for each row.
extern "C" __global__ void spmv_vector(const int *row_starts, const int *columns, const float *values, const float *x, float *y, int rows)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (row < rows) {
        float sum = 0.0f;
        for (int j = row_starts[row] + lane; j < row_starts[row + 1]; j += 32)
            sum += values[j] * x[columns[j]];
        for (int offset = 16; offset > 0; offset /= 2)
            sum += __shfl_down_sync(0xffffffff, sum, offset);
        if (lane == 0)
            y[row] = sum;
    }
}

extern "C" __global__ void gather(const int *index, const float *table, float *out, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        out[i] = table[index[i]];
}

// One compare-and-exchange step of a bitonic sort.
extern "C" __global__ void bitonic_step(unsigned *data, unsigned j, unsigned k)
{
    unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned other = i ^ j;
    if (other > i) {
        unsigned a = data[i], b = data[other];
        if (((i & k) == 0 && a > b) || ((i & k) != 0 && a < b)) {
            data[i] = b;
            data[other] = a;
        }
    }
}

// A whole bitonic sort of 512 keys in a block.
extern "C" __global__ void bitonic_block(const unsigned *in, unsigned *out)
{
    __shared__ unsigned keys[512];
    unsigned t = threadIdx.x;
    keys[t] = in[blockIdx.x * 512 + t];
    __syncthreads();
    for (unsigned k = 2; k <= 512; k *= 2) {
        for (unsigned j = k / 2; j > 0; j /= 2) {
            unsigned other = t ^ j;
            if (other > t) {
                bool up = (t & k) == 0;
                unsigned a = keys[t], b = keys[other];
                if ((a > b) == up) {
                    keys[t] = b;
                    keys[other] = a;
                }
            }
            __syncthreads();
        }
    }
    out[blockIdx.x * 512 + t] = keys[t];
}

// Where keys would be in a sorted table.
extern "C" __global__ void binary_search(const unsigned *table, const unsigned *keys, int *found, int entries, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned key = keys[i];
    int low = 0, high = entries;
    while (low < high) {
        int middle = (low + high) / 2;
        if (table[middle] < key)
            low = middle + 1;
        else
            high = middle;
    }
    found[i] = low;
}

// Rounds of a hash of integers.
extern "C" __global__ void hash_rounds(const unsigned *in, unsigned *out, int n, int rounds)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n)
        return;
    unsigned h = in[i];
    for (int r = 0; r < rounds; r++) {
        h ^= h >> 16;
        h *= 0x85ebca6bu;
        h ^= h >> 13;
        h *= 0xc2b2ae35u;
        h ^= h >> 16;
        h += r;
    }
    out[i] = h;
}
