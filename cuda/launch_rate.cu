// Launches one after another, each of which reads what the one before it wrote.
//
// A thread computes one word, from the word that its neighbour in the ring of all words wrote: so a launch needs all threads of the
// launch before it, and one that begins too soon leaves other words. The number of the launch is part of the word, so that
// launches cannot change places.
//
// The dependent step is for programmatic dependent launch: it lets the next launch begin at once, and waits until the one before
// it has ended before it touches anything. The instructions are inline PTX, because they need compute capability 9.0 and the
// kernels beside them do not; the build puts this kernel into a module of its own.

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

extern "C" __global__ void launch_rate_dependent_step(const unsigned *source, unsigned *target, unsigned number) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    asm volatile("griddepcontrol.wait;" ::: "memory");
    store_step(source, target, number);
}
