#include <cuda_runtime.h>
__global__ void spmv_csr(int rows, const int* row_ptr, const int* cols, const double* vals,
                         const double* x, double* y)
{
    int r = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    int lane = threadIdx.x % 32;
    if (r >= rows) return;
    double sum = 0.0;
    int begin = row_ptr[r];
    int end = row_ptr[r + 1];
    for (int k = begin + lane; k < end; k += 32) {
        sum += vals[k] * x[cols[k]];
    }
    for (int o = 16; o > 0; o /= 2) sum += __shfl_down_sync(0xffffffffu, sum, o);
    if (lane == 0) y[r] = sum;
}
