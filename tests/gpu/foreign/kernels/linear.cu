// Vectors and matrices.

extern "C" __global__ void vector_add(const float *a, const float *b, float *c, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        c[i] = a[i] + b[i];
}

extern "C" __global__ void saxpy(int n, float a, const float *x, float *y)
{
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
        y[i] = a * x[i] + y[i];
}

// STREAM's triad, in double precision.
extern "C" __global__ void triad(double *a, const double *b, const double *c, double scalar, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        a[i] = b[i] + scalar * c[i];
}

extern "C" __global__ void gemm_naive(const float *a, const float *b, float *c, int m, int n, int k, float alpha, float beta)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < m && column < n) {
        float sum = 0.0f;
        for (int l = 0; l < k; l++)
            sum += a[row * k + l] * b[l * n + column];
        c[row * n + column] = alpha * sum + beta * c[row * n + column];
    }
}

template <int TILE>
__device__ void gemm_tiled(const float *a, const float *b, float *c, int n)
{
    __shared__ float tile_a[TILE][TILE];
    __shared__ float tile_b[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int t = 0; t < n / TILE; t++) {
        tile_a[ty][tx] = a[row * n + t * TILE + tx];
        tile_b[ty][tx] = b[(t * TILE + ty) * n + column];
        __syncthreads();
        for (int k = 0; k < TILE; k++)
            sum += tile_a[ty][k] * tile_b[k][tx];
        __syncthreads();
    }
    c[row * n + column] = sum;
}

extern "C" __global__ void gemm_tiled_16(const float *a, const float *b, float *c, int n)
{
    gemm_tiled<16>(a, b, c, n);
}

extern "C" __global__ void gemm_tiled_32(const float *a, const float *b, float *c, int n)
{
    gemm_tiled<32>(a, b, c, n);
}

// y = A x, a thread for each row.
extern "C" __global__ void matvec_rows(const float *a, const float *x, float *y, int rows, int columns)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) {
        float sum = 0.0f;
        for (int j = 0; j < columns; j++)
            sum += a[row * columns + j] * x[j];
        y[row] = sum;
    }
}

// y = A^T x, a thread for each column.
extern "C" __global__ void matvec_columns(const float *a, const float *x, float *y, int rows, int columns)
{
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    if (column < columns) {
        float sum = 0.0f;
        for (int i = 0; i < rows; i++)
            sum += a[i * columns + column] * x[i];
        y[column] = sum;
    }
}

// LU factors of many small matrices, a block for each: what a blocked LU does on its diagonal.
#define SIDE 16
extern "C" __global__ void lu_diagonal(const float *in, float *out)
{
    __shared__ float m[SIDE][SIDE];
    int t = threadIdx.x;
    const float *from = in + blockIdx.x * SIDE * SIDE;
    float *to = out + blockIdx.x * SIDE * SIDE;
    for (int i = 0; i < SIDE; i++)
        m[i][t] = from[i * SIDE + t] + (i == t ? 16.0f : 0.0f);
    __syncthreads();
    for (int i = 0; i < SIDE - 1; i++) {
        if (t > i) {
            for (int j = 0; j < i; j++)
                m[t][i] -= m[t][j] * m[j][i];
            m[t][i] /= m[i][i];
        }
        __syncthreads();
        if (t > i) {
            for (int j = 0; j < i + 1; j++)
                m[i + 1][t] -= m[i + 1][j] * m[j][t];
        }
        __syncthreads();
    }
    for (int i = 0; i < SIDE; i++)
        to[i * SIDE + t] = m[i][t];
}

extern "C" __global__ void transpose_naive(const float *in, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height)
        out[x * height + y] = in[y * width + x];
}

#define TILE 32
#define ROWS 8
extern "C" __global__ void transpose_tiled(const float *in, float *out, int width, int height)
{
    __shared__ float tile[TILE][TILE + 1];
    int x = blockIdx.x * TILE + threadIdx.x;
    int y = blockIdx.y * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        tile[threadIdx.y + j][threadIdx.x] = in[(y + j) * width + x];
    __syncthreads();
    x = blockIdx.y * TILE + threadIdx.x;
    y = blockIdx.x * TILE + threadIdx.y;
    for (int j = 0; j < TILE; j += ROWS)
        out[(y + j) * height + x] = tile[threadIdx.x][threadIdx.y + j];
}
