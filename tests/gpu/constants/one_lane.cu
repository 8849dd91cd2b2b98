// What a turn of a loop takes in which one lane of each warp does something that the others do not: under a predicate, behind a branch that the
// compiler keeps, and with an address of shared memory that is made anew, for which a special register is read.

#include "probe.cuh"

static const unsigned TURNS = 512;

enum Form {
    NOTHING,
    STORE,              // one lane stores at an address that is at hand
    ALL_COUNT,          // all lanes execute twelve instructions
    ONE_COUNTS,         // one lane does, behind a branch
    ONE_COUNTS_STORES,  // and stores at an address that is at hand
    ALL_AT_VARIABLE,    // all lanes store at an address made of the variable's
    ONE_AT_VARIABLE,    // one lane does: as sums by block are computed
    ONE_COUNTS_AT_VARIABLE, // the same, twelve instructions before
    ONE_LOADS,          // one lane loads at an address that is at hand, and all need it
    ONE_LOADS_VARIABLE, // the same, of an address made of the variable's
    WITHOUT_EXCHANGE,   // those before begin a turn with a shuffle, which is a part of it; these do not
    LANE_NUMBER,        // a special register is read
    RANK_IN_CLUSTER,
    BLOCK_NUMBER,
};
static const char *const NAMES[] = {"nothing", "store", "all_count", "one_counts", "one_counts_stores", "all_at_variable", "one_at_variable", "one_counts_at_variable", "one_loads",
                                    "one_loads_variable", "without_exchange", "lane_number", "rank_in_cluster", "block_number"};

__device__ __forceinline__ void count(unsigned &value, unsigned factor) {
#pragma unroll
    for (int step = 0; step < 12; ++step) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(value) : "r"(factor));
}

// Where the sums of warps begin in shared memory: the same address in all of these kernels, which have them and nothing else there.
__global__ void begin_of_sums(unsigned *out) {
    __shared__ unsigned sums[2][32];
    sums[0][threadIdx.x] = 0;
    *out = unsigned(__cvta_generic_to_shared(&sums[0][0]));
}

// What a turn does is behind a branch that no warp takes and that the compiler keeps: else special registers would be read before the loop.
template <Form FORM, bool HAS_BARRIER>
__global__ void turns(unsigned *out, unsigned long long *cycles, unsigned begin, unsigned factor, unsigned last) {
    __shared__ unsigned sums[2][32];
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned address = begin + warp * 4;
    unsigned value = lane, other = lane;
    const unsigned long long begun = clock64();
#pragma unroll 1
    for (unsigned number = 0; number < TURNS; ++number) {
        if (number < last) {
            if (FORM < WITHOUT_EXCHANGE) value += __shfl_xor_sync(~0u, value, 1);
            unsigned found = 0;
            if (FORM == STORE && lane == 0) asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(value));
            if (FORM == ALL_COUNT || ((FORM == ONE_COUNTS || FORM == ONE_COUNTS_STORES) && lane == 0)) {
                other = value;
                count(other, factor);
                if (FORM == ONE_COUNTS_STORES) asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(other));
            }
            if (FORM == ALL_AT_VARIABLE || ((FORM == ONE_AT_VARIABLE || FORM == ONE_COUNTS_AT_VARIABLE) && lane == 0)) {
                unsigned stored = value;
                if (FORM == ONE_COUNTS_AT_VARIABLE) count(stored, factor);
                *(volatile unsigned *)&sums[number % 2][threadIdx.x / 32] = stored;
            }
            if (FORM == ONE_LOADS && lane == 0) asm volatile("ld.shared.u32 %0, [%1];" : "=r"(found) : "r"(address));
            if (FORM == ONE_LOADS_VARIABLE && lane == 0) found = *(volatile unsigned *)&sums[number % 2][threadIdx.x / 32];
            if (FORM == LANE_NUMBER) asm volatile("mov.u32 %0, %%laneid;" : "=r"(found));
            if (FORM == RANK_IN_CLUSTER) asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(found));
            if (FORM == BLOCK_NUMBER) asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(found));
            value += found;
        }
        if (HAS_BARRIER) __syncthreads();
    }
    if (threadIdx.x == 0) *cycles = clock64() - begun;
    out[threadIdx.x] = value + other;
}

// The same without the branch around a turn, and with a barrier of the block in each. Where APART, threads behind it exchange values that need not come
// there in whole warps, for all that the compiler knows: lanes that part before the barrier then have no place of their own to meet, and it
// makes them wait for each other at the barrier (WARPSYNC).
template <Form FORM, bool APART>
__global__ void turns_to_barrier(unsigned *out, unsigned long long *cycles, unsigned begin, unsigned factor, unsigned last) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned address = begin + warp * 4;
    unsigned value = lane, other = lane;
    const unsigned long long begun = clock64();
#pragma unroll 1
    for (unsigned number = 0; number < TURNS; ++number) {
        value += __shfl_xor_sync(~0u, value, 1);
        if (FORM == ALL_COUNT || ((FORM == ONE_COUNTS || FORM == ONE_COUNTS_STORES) && lane == 0)) {
            other = value;
            count(other, factor);
            if (FORM == ONE_COUNTS_STORES) asm volatile("st.shared.u32 [%0], %1;" ::"r"(address), "r"(other));
        }
        __syncthreads();
        if (APART && threadIdx.x < last) value += __shfl_xor_sync(~0u, value, 2);
    }
    if (threadIdx.x == 0) *cycles = clock64() - begun;
    out[threadIdx.x] = value + other;
}

template <Form FORM>
void rows_to_barrier(unsigned *out, unsigned long long *cycles, unsigned begin) {
    for (int warps : {1, 4, 8, 16}) {
        auto row = [&](auto kernel, int apart, unsigned last) {
            kernel<<<1, warps * 32, 1024>>>(out, cycles, begin, 5, last);
            kernel<<<1, warps * 32, 1024>>>(out, cycles, begin, 5, last);
            CHECK(cudaDeviceSynchronize());
            ROW("one_lane_to_barrier", double(*cycles) / TURNS, "cycles", "form=%s apart=%d exchanges=%d warps=%d", NAMES[FORM], apart, last != 0, warps);
        };
        row(turns_to_barrier<FORM, false>, 0, 0);
        row(turns_to_barrier<FORM, true>, 1, 0);
        row(turns_to_barrier<FORM, true>, 1, 32);
    }
}

template <Form FORM>
void rows(unsigned *out, unsigned long long *cycles, unsigned begin) {
    for (int warps : {1, 4, 8, 16}) {
        auto row = [&](auto kernel, int barrier) {
            kernel<<<1, warps * 32, 1024>>>(out, cycles, begin, 5, ~0u);
            kernel<<<1, warps * 32, 1024>>>(out, cycles, begin, 5, ~0u);
            CHECK(cudaDeviceSynchronize());
            ROW("one_lane", double(*cycles) / TURNS, "cycles", "form=%s barrier=%d warps=%d", NAMES[FORM], barrier, warps);
        };
        row(turns<FORM, false>, 0);
        row(turns<FORM, true>, 1);
    }
}

int main() {
    unsigned *out;
    unsigned long long *cycles;
    CHECK(cudaMalloc(&out, 1 << 16));
    unsigned *begin;
    CHECK(cudaMallocManaged(&cycles, 8));
    CHECK(cudaMallocManaged(&begin, 4));
    begin_of_sums<<<1, 32>>>(begin);
    CHECK(cudaDeviceSynchronize());
    rows<NOTHING>(out, cycles, *begin);
    rows<STORE>(out, cycles, *begin);
    rows<ALL_COUNT>(out, cycles, *begin);
    rows<ONE_COUNTS>(out, cycles, *begin);
    rows<ONE_COUNTS_STORES>(out, cycles, *begin);
    rows<ALL_AT_VARIABLE>(out, cycles, *begin);
    rows<ONE_AT_VARIABLE>(out, cycles, *begin);
    rows<ONE_COUNTS_AT_VARIABLE>(out, cycles, *begin);
    rows<ONE_LOADS>(out, cycles, *begin);
    rows<ONE_LOADS_VARIABLE>(out, cycles, *begin);
    rows<WITHOUT_EXCHANGE>(out, cycles, *begin);
    rows<LANE_NUMBER>(out, cycles, *begin);
    rows<RANK_IN_CLUSTER>(out, cycles, *begin);
    rows<BLOCK_NUMBER>(out, cycles, *begin);
    rows_to_barrier<NOTHING>(out, cycles, *begin);
    rows_to_barrier<ALL_COUNT>(out, cycles, *begin);
    rows_to_barrier<ONE_COUNTS>(out, cycles, *begin);
    rows_to_barrier<ONE_COUNTS_STORES>(out, cycles, *begin);
}
