// A kernel whose arguments are vectors, a half, and a structure with arrays and structures in it.

#include <cuda_fp16.h>

struct Row {
    int begin, step;
};

struct Filter {
    int taps;
    float weights[9];
    Row rows[2];
    const float* table;
    double bias;
};

__global__ void blur(const float* input, float* output, Filter filter, int2 dims, __half scale) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= dims.x || y >= dims.y) return;
    double sum = filter.bias;
    for (int tap = 0; tap < filter.taps && tap < 9; tap++) sum += filter.weights[tap] * input[y * dims.x + x];
    int parity = y % 2;
    sum += filter.rows[parity].begin + filter.rows[parity].step;
    output[y * dims.x + x] = sum * filter.table[x] * __half2float(scale);
}
