// Blocks that hand a value to each other, in kernels as people write them: a flag that the block before sets, a lock, a ticket.

extern "C" __global__ void reset(int* words, int count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) words[i] = 0;
}

extern "C" __global__ void flag(volatile int* flags, int* out, int n) {
    int b = blockIdx.x;
    if (threadIdx.x == 0) {
        int v = 1;
        if (b > 0) { int w; do { w = flags[b - 1]; } while (w == 0); v = w + 1; }
        __threadfence();
        flags[b] = v;
        out[b] = v;
    }
}

extern "C" __global__ void lock(int* mutex, int* out, int n) {
    while (atomicCAS(mutex, 0, 1) != 0) { }
    __threadfence();
    volatile int* o = out;
    o[0] = o[0] + 1;
    __threadfence();
    atomicExch(mutex, 0);
}

extern "C" __global__ void ticket(int* tickets, int* out, int n) {
    if (threadIdx.x == 0) {
        int own = atomicAdd(&tickets[0], 1);
        while (atomicAdd(&tickets[1], 0) != own) { }
        __threadfence();
        volatile int* o = out;
        o[0] = o[0] + 1;
        __threadfence();
        atomicAdd(&tickets[1], 1);
    }
}
