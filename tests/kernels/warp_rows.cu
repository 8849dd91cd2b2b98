// A warp for each row of a sparse matrix; the number of entries is given.
__global__ void multiply_by_warps(int num_rows, int nnz, const int* row_ptr, const int* col_idx, const float* values, const float* x, float* y) {
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    int row = thread / warpSize;
    int lane = threadIdx.x & 31;
    if (row >= num_rows) return;
    int start = row_ptr[row];
    int end = row_ptr[row + 1];
    float sum = 0.0f;
    for (int j = start + lane; j < end; j += 32) sum += values[j] * x[col_idx[j]];
    for (int offset = 16; offset > 0; offset >>= 1) sum += __shfl_down_sync(0xffffffff, sum, offset);
    if (lane == 0) y[row] = sum;
}
