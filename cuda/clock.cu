// The multiprocessors' clock: two stamps around a sample tell how many cycles went by in how many nanoseconds.

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
