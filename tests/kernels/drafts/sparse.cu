// A sparse matrix times a vector: which elements are touched is data.
using Index = unsigned int;

template <typename Scalar, bool CHECKED = true>
__global__ void multiply_rows(const Index* row_starts, const Index* columns, const Scalar* values, const Scalar* vector,
                              Scalar* result, int rows)
{
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= rows) return;
    Scalar sum = 0;
    for (Index entry = row_starts[row]; entry < row_starts[row + 1]; entry++) sum += values[entry] * vector[columns[entry]];
    result[row] = sum;
}
