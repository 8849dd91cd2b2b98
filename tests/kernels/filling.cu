// All threads of a launch together read `count` words and compute TURNS times with each: by few blocks, by blocks that
// take much shared memory, or by as many as a GPU holds; a word at a time, or four.
#ifndef TURNS
#define TURNS 1
#endif

__global__ void summed(const float *input, float *sums, int count) {
    extern __shared__ float unused[];
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int index = thread; index < count; index += gridDim.x * blockDim.x) {
        float value = input[index];
#pragma unroll 1
        for (int turn = 0; turn < TURNS; ++turn) {
            sum = sum * 0.5f + value;
        }
    }
    if (count < 0) {
        sum = unused[threadIdx.x];
    }
    sums[thread] = sum;
}

__global__ void summed_wide(const float4 *input, float *sums, int count) {
    extern __shared__ float unused[];
    int thread = blockIdx.x * blockDim.x + threadIdx.x;
    float sum = 0.0f;
    for (int index = thread; index < count / 4; index += gridDim.x * blockDim.x) {
        float4 value = input[index];
#pragma unroll 1
        for (int turn = 0; turn < TURNS; ++turn) {
            sum = ((((sum * 0.5f + value.x) * 0.5f + value.y) * 0.5f) + value.z) * 0.5f + value.w;
        }
    }
    if (count < 0) {
        sum = unused[threadIdx.x];
    }
    sums[thread] = sum;
}
