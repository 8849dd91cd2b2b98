// Cycles of a turn of a warp: fences of the block behind stores and loads, what it takes to load a kernel's parameters in a loop, and fences of the
// device behind loads and stores, each turn at another of 64 places of memory, 4 KiB apart, since halves of L2 are not as far away.

#include "probe.cuh"

static const unsigned TURNS = 512;

enum Order { NONE, FENCE, FENCE_STORE, RELEASE_STORE, LOAD, LOAD_FENCE, ACQUIRE_LOAD };
static const char *const NAMES[] = {"none", "fence", "fence_and_store", "release_store", "load", "load_and_fence", "acquire_load"};

// The extents of the loops are in registers, or compilers load them from the parameters each turn, since there is a loop within the loop.
template <Order ORDER, int STORES, bool IN_REGISTERS>
__global__ void turns(unsigned *flags, unsigned *lines, unsigned *out, unsigned long long *cycles, unsigned count, unsigned work) {
    if (IN_REGISTERS) {
        const unsigned none = *(volatile unsigned *)out;
        count += none;
        work += none;
    }
    unsigned *const own = lines + threadIdx.x / 32 * 32 * STORES + threadIdx.x % 32;
    const size_t flag = __cvta_generic_to_global(flags + threadIdx.x);
    unsigned value = threadIdx.x, sum = 0;
    const unsigned long long begun = clock64();
#pragma unroll 1
    for (unsigned number = 1; number <= count; ++number) {
        unsigned was = 0;
#pragma unroll
        for (int i = 0; i < STORES; ++i) asm volatile("st.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(own + i * 32)), "r"(number) : "memory");
        if (ORDER == LOAD || ORDER == LOAD_FENCE) asm volatile("ld.relaxed.cta.global.u32 %0, [%1];" : "=r"(was) : "l"(flag) : "memory");
        if (ORDER == FENCE || ORDER == FENCE_STORE || ORDER == LOAD_FENCE) asm volatile("fence.acq_rel.cta;" ::: "memory");
        if (ORDER == FENCE_STORE) asm volatile("st.relaxed.cta.global.u32 [%0], %1;" ::"l"(flag), "r"(number) : "memory");
        if (ORDER == RELEASE_STORE) asm volatile("st.release.cta.global.u32 [%0], %1;" ::"l"(flag), "r"(number) : "memory");
        if (ORDER == ACQUIRE_LOAD) asm volatile("ld.acquire.cta.global.u32 %0, [%1];" : "=r"(was) : "l"(flag) : "memory");
#pragma unroll 1
        for (unsigned done = 0; done < work; done += 8) {
#pragma unroll
            for (int i = 0; i < 8; ++i) value = value * 1664525u + 1013904223u;
        }
        sum += was;
    }
    if (threadIdx.x == 0) *cycles = clock64() - begun;
    out[threadIdx.x] = value + sum;
}

template <Order ORDER, int STORES, bool IN_REGISTERS>
void rows(unsigned *words, unsigned long long *cycles) {
    for (int warps : {1, 4}) {
        for (int repeat = 0; repeat < 2; ++repeat) {
            CHECK(cudaMemset(words, 0, 1 << 20));
            turns<ORDER, STORES, IN_REGISTERS><<<1, warps * 32>>>(words, words + 65536, words + 131072, cycles, TURNS, 0);
        }
        CHECK(cudaDeviceSynchronize());
        ROW("rounds", double(*cycles) / TURNS, "cycles", "order=%s stores=%d parameters=%s warps=%d", NAMES[ORDER], STORES,
            IN_REGISTERS ? "registers" : "loaded", warps);
    }
}

template <Order ORDER, int STORES>
void both(unsigned *words, unsigned long long *cycles) {
    rows<ORDER, STORES, true>(words, cycles);
    rows<ORDER, STORES, false>(words, cycles);
}

template <Order ORDER>
void behind_stores(unsigned *words, unsigned long long *cycles) {
    both<ORDER, 0>(words, cycles);
    both<ORDER, 1>(words, cycles);
    both<ORDER, 2>(words, cycles);
    both<ORDER, 4>(words, cycles);
    both<ORDER, 8>(words, cycles);
    both<ORDER, 16>(words, cycles);
}

enum DeviceOrder { UNORDERED, SEQUENTIAL, ACQUIRE_RELEASE };
static const char *const DEVICE_NAMES[] = {"none", "fence.sc", "fence.acq_rel"};

template <DeviceOrder ORDER, int STORES, int LOADS>
__global__ void device_turns(unsigned *words, unsigned *out, unsigned long long *cycles) {
    unsigned sum = 0;
    unsigned long long begun = 0;
#pragma unroll 1
    for (int number = -64; number < int(TURNS); ++number) {
        if (number == 0) begun = clock64();
        unsigned *const place = words + (number & 63) * 1024 + threadIdx.x;
        unsigned loaded[LOADS + 1];
#pragma unroll
        for (int i = 0; i < STORES; ++i) asm volatile("st.global.u32 [%0], %1;" ::"l"(__cvta_generic_to_global(place + i * 32)), "r"(number) : "memory");
#pragma unroll
        for (int i = 0; i < LOADS; ++i) asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(loaded[i]) : "l"(__cvta_generic_to_global(place + i * 32)) : "memory");
        if (ORDER == SEQUENTIAL) asm volatile("fence.sc.gpu;" ::: "memory");
        if (ORDER == ACQUIRE_RELEASE) asm volatile("fence.acq_rel.gpu;" ::: "memory");
#pragma unroll
        for (int i = 0; i < LOADS; ++i) sum += loaded[i];
    }
    if (threadIdx.x == 0) *cycles = clock64() - begun;
    out[threadIdx.x] = sum;
}

template <int STORES, int LOADS>
void device_rows(unsigned *words, unsigned long long *cycles) {
    auto row = [&](auto kernel, DeviceOrder order) {
        for (int repeat = 0; repeat < 2; ++repeat) kernel<<<1, 32>>>(words, words + 131072, cycles);
        CHECK(cudaDeviceSynchronize());
        ROW("device_fences", double(*cycles) / TURNS, "cycles", "order=%s stores=%d loads=%d", DEVICE_NAMES[order], STORES, LOADS);
    };
    row(device_turns<UNORDERED, STORES, LOADS>, UNORDERED);
    row(device_turns<SEQUENTIAL, STORES, LOADS>, SEQUENTIAL);
    row(device_turns<ACQUIRE_RELEASE, STORES, LOADS>, ACQUIRE_RELEASE);
}

int main() {
    unsigned *words;
    unsigned long long *cycles;
    CHECK(cudaMalloc(&words, 1 << 20));
    CHECK(cudaMemset(words, 0, 1 << 20));
    CHECK(cudaMallocManaged(&cycles, 8));
    behind_stores<NONE>(words, cycles);
    behind_stores<FENCE>(words, cycles);
    behind_stores<FENCE_STORE>(words, cycles);
    behind_stores<RELEASE_STORE>(words, cycles);
    both<LOAD, 0>(words, cycles);
    both<LOAD_FENCE, 0>(words, cycles);
    both<ACQUIRE_LOAD, 0>(words, cycles);
    device_rows<0, 0>(words, cycles);
    device_rows<1, 0>(words, cycles);
    device_rows<2, 0>(words, cycles);
    device_rows<4, 0>(words, cycles);
    device_rows<8, 0>(words, cycles);
    device_rows<16, 0>(words, cycles);
    device_rows<0, 1>(words, cycles);
    device_rows<0, 2>(words, cycles);
    device_rows<0, 4>(words, cycles);
    device_rows<0, 8>(words, cycles);
    device_rows<0, 16>(words, cycles);
}
