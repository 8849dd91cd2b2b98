// Additions in shared memory that are loops of compare-and-swap, by type: at words of their own, of which so many lie in a bank, and at words that
// lanes or warps share.

#include "probe.cuh"

enum Type { U32, U64, F32, F64, F16X2 };

template <Type TYPE>
__device__ __forceinline__ void add(unsigned at) {
    if (TYPE == U32) asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
    if (TYPE == U64) asm volatile("red.shared.add.u64 [%0], 1;" ::"r"(at) : "memory");
    if (TYPE == F32) asm volatile("red.shared.add.f32 [%0], 0f3f800000;" ::"r"(at) : "memory");
    if (TYPE == F64) asm volatile("red.shared.add.f64 [%0], 0d3ff0000000000000;" ::"r"(at) : "memory");
    if (TYPE == F16X2) asm volatile("red.shared.add.noftz.f16x2 [%0], %1;" ::"r"(at), "r"(0x00010001) : "memory");
}

// Lane l of warp w adds, `each` times a step, to the word l * lanes_apart + w * warps_apart, and to those right behind it.
template <Type TYPE, int EACH>
__global__ void loops(unsigned lanes, unsigned lanes_apart, unsigned warps_apart, unsigned shuffles, unsigned *result, unsigned long long *cycles) {
    extern __shared__ unsigned words[];
    for (unsigned i = threadIdx.x; i < 12288; i += blockDim.x) words[i] = 0;
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    const unsigned at = unsigned(__cvta_generic_to_shared(words + lane * lanes_apart + warp * warps_apart));
    unsigned sum = lane;
    const long long taken = cycles_of_256([&] {
#pragma unroll 1
        for (unsigned i = 0; i < shuffles; ++i) sum += __shfl_xor_sync(0xffffffff, sum, 16);
        if (lane < lanes) {
#pragma unroll
            for (int i = 0; i < EACH; ++i) add<TYPE>(at + i * 4);
        }
        __syncwarp();
    });
    if (sum == 0x12345678) *result = sum;
    if (threadIdx.x == 0) *cycles = taken;
}

template <Type TYPE, int EACH = 1>
void rows(const char *type, int words_of_type, unsigned *result, unsigned long long *cycles) {
    auto row = [&](int warps, unsigned lanes, unsigned lanes_apart, unsigned warps_apart, unsigned shuffles) {
        CHECK(cudaFuncSetAttribute(loops<TYPE, EACH>, cudaFuncAttributeMaxDynamicSharedMemorySize, 49152));
        loops<TYPE, EACH><<<1, warps * 32, 49152>>>(lanes, lanes_apart, warps_apart, shuffles, result, cycles);
        CHECK(cudaDeviceSynchronize());
        ROW("loops", double(*cycles) / 256, "cycles", "type=%s each=%d warps=%d lanes=%u lanes_apart=%u warps_apart=%u shuffles=%u", type, EACH, warps, lanes,
            lanes_apart, warps_apart, shuffles);
    };
    for (int warps : {1, 2, 4, 8, 16, 32}) {
        // Words of their own, 1, 2, 4 and 8 of whose lanes meet in a bank.
        for (unsigned ways : {1u, 2u, 4u, 8u}) {
            if (warps <= 8 || ways == 1) row(warps, 32, words_of_type * ways, words_of_type * 32 * (warps <= 8 ? ways : 1), 0);
        }
        row(warps, 32, 0, 0, 0);
        row(warps, 32, 0, words_of_type * 32, 0);
        for (unsigned shuffles : {0u, 2u, 5u, 10u, 20u}) row(warps, 1, 0, 0, shuffles);
    }
}

int main() {
    unsigned *result;
    unsigned long long *cycles;
    CHECK(cudaMalloc(&result, 1 << 16));
    CHECK(cudaMallocManaged(&cycles, 8));
    rows<U32>("u32", 1, result, cycles);
    rows<F32>("f32", 1, result, cycles);
    rows<F16X2>("f16x2", 1, result, cycles);
    rows<U64>("u64", 2, result, cycles);
    rows<F64>("f64", 2, result, cycles);
    rows<F32, 2>("f32", 2, result, cycles);
    rows<F32, 4>("f32", 4, result, cycles);
}
