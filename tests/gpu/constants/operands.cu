// How often a warp, a scheduler and a multiprocessor can issue accesses that nobody waits for, by what their lanes hand over: an address of 4 or
// 8 bytes, and what is stored.

#include "probe.cuh"

static const unsigned LINES = 16;

enum Does { STORE_SHARED, STORE_GLOBAL, LOAD_SHARED, LOAD_GLOBAL, ADD_SHARED, ADD_GLOBAL };

template <Does DOES, int WORDS>
__device__ __forceinline__ void access(unsigned long long global, unsigned shared, unsigned value, unsigned &sum) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    if constexpr (DOES == STORE_SHARED) {
        if (WORDS == 1) asm volatile("st.shared.u32 [%0], %1;" ::"r"(shared), "r"(value) : "memory");
        if (WORDS == 2) asm volatile("st.shared.v2.u32 [%0], {%1, %1};" ::"r"(shared), "r"(value) : "memory");
        if (WORDS == 4) asm volatile("st.shared.v4.u32 [%0], {%1, %1, %1, %1};" ::"r"(shared), "r"(value) : "memory");
    } else if constexpr (DOES == STORE_GLOBAL) {
        if (WORDS == 1) asm volatile("st.global.u32 [%0], %1;" ::"l"(global), "r"(value) : "memory");
        if (WORDS == 2) asm volatile("st.global.v2.u32 [%0], {%1, %1};" ::"l"(global), "r"(value) : "memory");
        if (WORDS == 4) asm volatile("st.global.v4.u32 [%0], {%1, %1, %1, %1};" ::"l"(global), "r"(value) : "memory");
    } else if constexpr (DOES == ADD_SHARED) {
        asm volatile("red.shared.add.u32 [%0], %1;" ::"r"(shared), "r"(value) : "memory");
    } else if constexpr (DOES == ADD_GLOBAL) {
        asm volatile("red.global.add.u32 [%0], %1;" ::"l"(global), "r"(value) : "memory");
    } else if constexpr (DOES == LOAD_SHARED) {
        if (WORDS == 1) asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(a) : "r"(shared));
        if (WORDS == 2) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "r"(shared));
        if (WORDS == 4) asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(shared));
    } else {
        if (WORDS == 1) asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(a) : "l"(global) : "memory");
        if (WORDS == 2) asm volatile("ld.global.ca.v2.u32 {%0, %1}, [%2];" : "=r"(a), "=r"(b) : "l"(global) : "memory");
        if (WORDS == 4) asm volatile("ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "l"(global) : "memory");
    }
    sum = a;
}

// Warps of which every `every`-th goes on, through sixteen accesses a turn, to sixteen places of its own, and every second turn to those behind
// them, so that no load can be left out; the others wait at the barrier.
template <Does DOES, int WORDS>
__global__ void often(unsigned turns, unsigned every, unsigned lanes, unsigned *words, unsigned *result, unsigned long long *cycles) {
    extern __shared__ unsigned memory[];
    const unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    unsigned *const own = words + (2 * warp * LINES * 32 + lane) * WORDS;
    const unsigned long long global = __cvta_generic_to_global(own);
    const unsigned shared = unsigned(__cvta_generic_to_shared(memory + (warp % 2 * LINES * 32 + lane) * WORDS));
    unsigned sum = 0;
    long long taken = 0;
    if (warp % every == 0 && lane < lanes) {
        const long long begin = clock64();
#pragma unroll 1
        for (unsigned turn = 0; turn < turns; ++turn) {
            unsigned loaded[LINES];
#pragma unroll
            for (unsigned i = 0; i < LINES; ++i) {
                const unsigned behind = i * 128 * WORDS;
                access<DOES, WORDS>(global + turn % 2 * LINES * 128 * WORDS + behind, shared + behind, turn, loaded[i]);
            }
#pragma unroll
            for (unsigned i = 0; i < LINES; ++i) sum += loaded[i];
        }
        taken = clock64() - begin;
    }
    __syncthreads();
    result[threadIdx.x] = sum;
    if (threadIdx.x == 0) *cycles = taken;
}

template <Does DOES, int WORDS>
void rows(const char *name, unsigned *words, unsigned *result, unsigned long long *cycles) {
    const unsigned bytes = 2 * LINES * 128 * WORDS;
    auto taken = [&](int warps, int every, unsigned lanes, unsigned turns) {
        often<DOES, WORDS><<<1, warps * 32, bytes>>>(turns, every, lanes, words, result, cycles);
        CHECK(cudaDeviceSynchronize());
        return double(*cycles);
    };
    const struct { int warps, every; } settings[] = {{1, 1}, {2, 1}, {4, 1}, {8, 1}, {16, 1}, {5, 4}, {13, 4}};
    for (auto own : settings) {
        for (unsigned lanes : {32u, 1u}) {
            taken(own.warps, own.every, lanes, 256);
            const double per_turn = (taken(own.warps, own.every, lanes, 768) - taken(own.warps, own.every, lanes, 256)) / 512;
            ROW(name, per_turn / LINES, "cycles/access of a warp", "words=%d warps=%d every=%d lanes=%u", WORDS, own.warps, own.every, lanes);
        }
    }
}

int main() {
    unsigned *words, *result;
    unsigned long long *cycles;
    CHECK(cudaMalloc(&words, 1 << 22));
    CHECK(cudaMemset(words, 0, 1 << 22));
    CHECK(cudaMalloc(&result, 1 << 16));
    CHECK(cudaMallocManaged(&cycles, 8));
    rows<STORE_SHARED, 1>("store_shared", words, result, cycles);
    rows<STORE_SHARED, 2>("store_shared", words, result, cycles);
    rows<STORE_SHARED, 4>("store_shared", words, result, cycles);
    rows<STORE_GLOBAL, 1>("store_global", words, result, cycles);
    rows<STORE_GLOBAL, 2>("store_global", words, result, cycles);
    rows<STORE_GLOBAL, 4>("store_global", words, result, cycles);
    rows<LOAD_SHARED, 1>("load_shared", words, result, cycles);
    rows<LOAD_SHARED, 2>("load_shared", words, result, cycles);
    rows<LOAD_SHARED, 4>("load_shared", words, result, cycles);
    rows<LOAD_GLOBAL, 1>("load_global", words, result, cycles);
    rows<LOAD_GLOBAL, 2>("load_global", words, result, cycles);
    rows<LOAD_GLOBAL, 4>("load_global", words, result, cycles);
    rows<ADD_SHARED, 1>("add_shared", words, result, cycles);
    rows<ADD_GLOBAL, 1>("add_global", words, result, cycles);
}
