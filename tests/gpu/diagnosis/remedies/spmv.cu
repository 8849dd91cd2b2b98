#include <vector>
#include <cuda_runtime.h>
__global__ void spmv_csr(int rows, const int* row_ptr, const int* cols, const double* vals,
                         const double* x, double* y)
{
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= rows) return;
    double sum = 0.0;
    int begin = row_ptr[r];
    int end = row_ptr[r + 1];
    for (int k = begin; k < end; k++) {
        sum += vals[k] * x[cols[k]];
    }
    y[r] = sum;
}
int main()
{
    const int rows = 65536, per_row = 32, nnz = rows * per_row;
    std::vector<int> row_ptr(rows + 1), cols(nnz);
    std::vector<double> vals(nnz), x(rows), y(rows);
    for (int i = 0; i <= rows; i++) row_ptr[i] = i * per_row;
    for (int i = 0; i < nnz; i++) { cols[i] = (i * 7919) % rows; vals[i] = 1.0; }
    int *d_row_ptr, *d_cols; double *d_vals, *d_x, *d_y;
    cudaMalloc(&d_row_ptr, row_ptr.size() * sizeof(int));
    cudaMalloc(&d_cols, nnz * sizeof(int));
    cudaMalloc(&d_vals, nnz * sizeof(double));
    cudaMalloc(&d_x, rows * sizeof(double));
    cudaMalloc(&d_y, rows * sizeof(double));
    spmv_csr<<<(rows + 255) / 256, 256>>>(rows, d_row_ptr, d_cols, d_vals, d_x, d_y);
    cudaDeviceSynchronize();
}
