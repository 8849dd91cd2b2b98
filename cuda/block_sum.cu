// Sums of blocks of elements by a tree in shared memory: which threads do the additions?
//
// In step k the partial sums lie 2^k apart, and half of them are added to their neighbours. `scattered_threads` lets the
// thread do it whose own place the sum has, so the active threads are as far apart as the sums; `leading_threads` lets the
// first threads do it (Cornelis 2010, section 3.3.2, figures 3.3 and 3.4). Both add the same pairs in the same places.
//
// The tree is run `repetitions` times over, so that it counts for more than reading the elements. Each time the block's
// elements are restored from registers, and each time the sum is used. Elements beyond the last are zeros.
// blockDim.x is a power of two.

// Sums are modulo a prime. Where the addition was a plain one, ptxas made no branch around it but predicated it: every warp
// issued it in every step, with threads that add or without, and there was no pattern to measure.
#define MODULUS 2147483647u

__device__ __forceinline__ void add_neighbour(volatile unsigned *place, unsigned distance) {
    *place = (*place + *(place + distance)) % MODULUS;
}

template <typename Addition>
__device__ __forceinline__ void sum_blocks(const unsigned *operands, unsigned *output, unsigned long long elements,
                                           unsigned repetitions, volatile unsigned *sums, Addition addition) {
    const unsigned thread = threadIdx.x;
    const unsigned long long element = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + thread;
    const unsigned value = element < elements ? operands[element] : 0;
    unsigned total = 0;
#pragma unroll 1
    for (unsigned repetition = 0; repetition < repetitions; ++repetition) {
        sums[thread] = value;
        __syncthreads();
#pragma unroll 1
        for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
            addition(thread, distance);
            __syncthreads();
        }
        // Thread 0 has the sum. The others read, too, so that the warps stay together.
        total += sums[thread];
    }
    if (thread == 0) output[blockIdx.x] = total;
}

extern "C" __global__ void block_sum_scattered_threads(const unsigned *operands, unsigned *output,
                                                       unsigned long long elements, unsigned repetitions) {
    extern __shared__ unsigned sums[];
    volatile unsigned *places = sums;
    sum_blocks(operands, output, elements, repetitions, places, [=](unsigned thread, unsigned distance) {
        const unsigned place = thread;
        if ((place & (2 * distance - 1)) == 0) add_neighbour(places + place, distance);
    });
}

extern "C" __global__ void block_sum_leading_threads(const unsigned *operands, unsigned *output,
                                                     unsigned long long elements, unsigned repetitions) {
    extern __shared__ unsigned sums[];
    volatile unsigned *places = sums;
    sum_blocks(operands, output, elements, repetitions, places, [=](unsigned thread, unsigned distance) {
        const unsigned place = thread * (2 * distance);
        if (place < blockDim.x) add_neighbour(places + place, distance);
    });
}
