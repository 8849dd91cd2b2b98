// A kernel whose arguments are a structure, a half, and numbers of 8 and 16 bits.

#include <cuda_fp16.h>

struct Config {
    int count;
    const float* input;
    char sign;
};

__global__ void scale(Config config, __half factor, bool doubled, short offset, float* output) {
    int index = blockIdx.x * blockDim.x + threadIdx.x;
    if (index >= config.count) return;
    float value = config.input[index] * __half2float(factor) * config.sign + offset;
    output[index] = doubled ? 2 * value : value;
}
