// The sum of what the threads of a block have, wrapping around, for kernels whose own work is something else.

#pragma once

// Adds up the sums of the block's threads in shared memory that is free then, a word for each.
__device__ __forceinline__ void leave_sum(unsigned *sums, unsigned sum, void *free) {
    unsigned *const own = static_cast<unsigned *>(free);
    __syncthreads();
    own[threadIdx.x] = sum;
    for (unsigned count = blockDim.x; count > 1;) {
        const unsigned half = (count + 1) / 2;
        __syncthreads();
        if (threadIdx.x < count - half) own[threadIdx.x] += own[threadIdx.x + half];
        count = half;
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = own[0];
}
