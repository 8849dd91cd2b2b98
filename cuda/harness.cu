// What measuring needs around the kernels that it measures: a gate, stamps of the clocks, a sweep through the L2 cache,
// and kernels whose times are known quantities.

// Holds back everything that is queued behind it until the host writes a word other than zero to `open`, or until
// `limit_ns` are over, which it tells in `timed_out`. Both words are the host's memory.
extern "C" __global__ void gate(const unsigned *open, unsigned *timed_out, unsigned long long limit_ns) {
    unsigned long long started, now;
    unsigned is_open;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(started));
    do {
        is_open = *static_cast<const volatile unsigned *>(open);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (is_open == 0 && now - started < limit_ns);
    if (is_open == 0) *timed_out = 1;
}

// `stamps` holds {clock cycles, nanoseconds} for each of `slots` multiprocessors, by their number. One that
// no block lands on keeps what it had.
extern "C" __global__ void clock_stamp(unsigned long long *stamps, unsigned slots) {
    unsigned multiprocessor;
    unsigned long long nanoseconds;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    if (multiprocessor >= slots) return;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(nanoseconds));
    stamps[2 * multiprocessor] = clock64();
    stamps[2 * multiprocessor + 1] = nanoseconds;
}

// The smallest step that the nanosecond timer was seen to move by, over `changes` of it.
extern "C" __global__ void timer_step(unsigned long long *smallest_ns, unsigned changes) {
    unsigned long long before, now, smallest = ~0ull;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(before));
    for (unsigned change = 0; change < changes; ++change) {
        do asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
        while (now == before);
        if (now - before < smallest) smallest = now - before;
        before = now;
    }
    *smallest_ns = smallest;
}

// Reads `count` vectors, so that the L2 cache holds them and nothing else. The sum goes nowhere unless it is a value that
// it never has, since the vectors are zeros.
extern "C" __global__ void sweep_read(const uint4 *vectors, unsigned long long count, unsigned *sink) {
    unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
    unsigned sum = 0;
    for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride) {
        uint4 vector = __ldcg(vectors + i);
        sum |= vector.x | vector.y | vector.z | vector.w;
    }
    if (sum == 0xFFFFDEADu) *sink = sum;
}

extern "C" __global__ void nothing() {}

extern "C" __global__ void copy(const uint4 *from, uint4 *to, unsigned long long count) {
    unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) to[i] = from[i];
}
