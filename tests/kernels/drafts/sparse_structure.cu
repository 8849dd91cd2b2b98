// A sparse matrix whose arrays are members of a structure by value.
struct Csr {
    int rows;
    const int* row_ptr;
    const int* columns;
    const float* values;
};

__device__ float entry(Csr matrix, const float* vector, int place) {
    return matrix.values[place] * vector[matrix.columns[place]];
}

__global__ void multiply(Csr matrix, const float* vector, float* result) {
    int row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row >= matrix.rows) return;
    float sum = 0;
    for (int place = matrix.row_ptr[row]; place < matrix.row_ptr[row + 1]; place++) sum += entry(matrix, vector, place);
    result[row] = sum;
}
