// Launches one after another, each of which reads what the one before it wrote.
//
// A thread computes one word, from the word that its neighbour in the ring of all words wrote: so a launch needs all threads of the
// launch before it, and one that begins too soon leaves other words. The number of the launch is part of the word, so that
// launches cannot change places.

#define FACTOR 3

__device__ __forceinline__ void store_step(const unsigned *source, unsigned *target, unsigned number) {
    const unsigned words = gridDim.x * blockDim.x;
    const unsigned own = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned next = own + 1 == words ? 0 : own + 1;
    target[own] = FACTOR * source[next] + number;
}

extern "C" __global__ void launch_rate_step(const unsigned *source, unsigned *target, unsigned number) {
    store_step(source, target, number);
}
