// Each block needs a table of 256 values: its first warp makes it for all, or every thread makes one of them.
__constant__ float factors[8];

__device__ float value(int place, int turns)
{
    float sum = place;
    for (int turn = 0; turn < turns; turn++) {
        sum = sum * 0.99f + 0.5f;
    }
    return sum;
}

__global__ void one_warp(float* out, int turns)
{
    __shared__ float table[256];
    if (threadIdx.x < 32) {
        for (int place = threadIdx.x; place < 256; place += 32) {
            table[place] = value(place, turns);
        }
    }
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = table[255 - threadIdx.x] * factors[threadIdx.x % 8];
}

__global__ void all_warps(float* out, int turns)
{
    __shared__ float table[256];
    table[threadIdx.x] = value(threadIdx.x, turns);
    __syncthreads();
    out[blockIdx.x * 256 + threadIdx.x] = table[255 - threadIdx.x] * factors[threadIdx.x % 8];
}
