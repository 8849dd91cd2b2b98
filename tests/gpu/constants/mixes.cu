// Rates of instructions that alternate, of votes that match, and of wide loads of shared memory whose lanes share words.

#include "probe.cuh"

enum Mix { XOR_SHIFT, ADD_XOR, SHIFT_LEFT_XOR, MOVE_XOR, MULTIPLY_XOR, MULTIPLY_ADD_XOR, MULTIPLY_SHIFT_XOR, FLOAT_XOR, FLOAT_MULTIPLY, FLOAT_ADD_XOR, FLOAT_MULTIPLY_XOR, MINIMUM_XOR, SELECT_XOR, WIDE_XOR, WIDE_ADD_XOR, HIGH_XOR };
struct Named { const char *name; int instructions; };
static const Named MIXES[] = {{"shr.u32+xor.b32", 2}, {"add.u32+xor.b32", 2}, {"shl.b32+xor.b32", 2}, {"mov.u32+xor.b32", 2}, {"mad.lo.u32+xor.b32", 2}, {"mad.lo.u32+add.u32+xor.b32", 3}, {"mad.lo.u32+shr.u32+xor.b32", 3}, {"fma.f32+xor.b32", 2}, {"fma.f32+mad.lo.u32", 2}, {"fma.f32+add.u32+xor.b32", 3}, {"fma.f32+mad.lo.u32+xor.b32", 3}, {"min.u32+xor.b32", 2}, {"setp.lt.u32+selp.b32+xor.b32", 3}, {"mul.wide.u32+xor.b32", 2}, {"add.u64+xor.b32", 2}, {"mul.hi.u32+xor.b32", 2}};

// What alternates works on a word each, so that ptxas can make one instruction of no two of them.
template <int MIX>
__device__ __forceinline__ void step(unsigned &one, unsigned &two, unsigned &three, unsigned other) {
    const bool adds = MIX == ADD_XOR || MIX == MULTIPLY_ADD_XOR || MIX == FLOAT_ADD_XOR;
    const bool multiplies = MIX == MULTIPLY_XOR || MIX == MULTIPLY_ADD_XOR || MIX == MULTIPLY_SHIFT_XOR || MIX == FLOAT_MULTIPLY || MIX == FLOAT_MULTIPLY_XOR;
    const bool floats = MIX == FLOAT_XOR || MIX == FLOAT_MULTIPLY || MIX == FLOAT_ADD_XOR || MIX == FLOAT_MULTIPLY_XOR;
    if (floats) {
        float number = __uint_as_float(two);
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(number) : "f"(__uint_as_float(other)));
        two = __float_as_uint(number);
    }
    if (multiplies) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(one) : "r"(other));
    if (adds) asm volatile("add.u32 %0, %0, %1;" : "+r"(three) : "r"(one));
    if (MIX == SHIFT_LEFT_XOR) asm volatile("shl.b32 %0, %1, 3;" : "=r"(three) : "r"(one));
    if (MIX == MOVE_XOR) asm volatile("mov.u32 %0, %1;" : "=r"(three) : "r"(one));
    if (MIX == XOR_SHIFT || MIX == MULTIPLY_SHIFT_XOR) asm volatile("shr.u32 %0, %1, 3;" : "=r"(three) : "r"(one));
    if (MIX == MINIMUM_XOR) asm volatile("min.u32 %0, %0, %1;" : "+r"(three) : "r"(one));
    if (MIX == SELECT_XOR) asm volatile("{ .reg .pred p; setp.lt.u32 p, %0, %1; selp.b32 %0, %1, %2, p; }" : "+r"(three) : "r"(one), "r"(other));
    if (MIX == WIDE_XOR) asm volatile("{ .reg .b64 w; mul.wide.u32 w, %1, %2; cvt.u32.u64 %0, w; }" : "=r"(three) : "r"(one), "r"(other));
    if (MIX == HIGH_XOR) asm volatile("mul.hi.u32 %0, %0, %1;" : "+r"(three) : "r"(one));
    if (MIX == WIDE_ADD_XOR) {
        unsigned long long wide = (unsigned long long)(three) << 32 | two;
        asm volatile("add.u64 %0, %0, %1;" : "+l"(wide) : "l"((unsigned long long)(other) << 32 | one));
        three = unsigned(wide >> 32), two = unsigned(wide);
    }
    if (MIX != FLOAT_MULTIPLY) asm volatile("xor.b32 %0, %0, %1;" : "+r"(one) : "r"(MIX == FLOAT_XOR ? two : three));
}

template <int MIX>
__global__ void mixes(unsigned *result, unsigned long long *cycles, unsigned other) {
    unsigned one[4], two[4], three[4];
    for (int i = 0; i < 4; ++i) one[i] = threadIdx.x + i, two[i] = one[i] * other, three[i] = two[i] + other;
    const long long taken = cycles_of_256([&] {
#pragma unroll
        for (int chain = 0; chain < 4; ++chain) step<MIX>(one[chain], two[chain], three[chain], other);
    });
    unsigned sum = 0;
    for (int i = 0; i < 4; ++i) sum ^= one[i] ^ two[i] ^ three[i];
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = taken;
}

// Each of `distinct` values is had by as many lanes.
__global__ void matches(unsigned *result, unsigned long long *cycles, unsigned distinct) {
    unsigned value = threadIdx.x % 32 % distinct, sum = 0;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int i = 0; i < 256; ++i) {
        const unsigned same = __match_any_sync(~0u, value);
        sum += same;
        // What matches never changes, but is known only now.
        value += same == 0;
    }
    __syncthreads();
    const long long end = clock64();
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = end - begin;
}

// Lane l loads word `place(l)` of WORDS * 4 bytes, over and over.
template <int WORDS>
__global__ void wide_loads(unsigned *result, unsigned long long *cycles, unsigned kind) {
    __shared__ __align__(16) unsigned words[32 * 4 * 2];
    for (unsigned i = threadIdx.x; i < 256; i += blockDim.x) words[i] = i;
    const unsigned lane = threadIdx.x % 32;
    const unsigned places[] = {lane, 0, lane / 2, lane / 4, lane / 8, lane / 16, lane & ~2u, lane & ~4u, lane & ~8u, lane % 16, lane % 8, lane % 4, lane % 2, lane ^ (lane >> 4), lane / 2 * 2 + (lane < 16 ? lane % 2 : 0), (lane < 8 ? lane : lane / 2)};
    const unsigned address = unsigned(__cvta_generic_to_shared(words + places[kind] * WORDS));
    unsigned sum = 0;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (int round = 0; round < 32; ++round) {
#pragma unroll
        for (int i = 0; i < 8; ++i) {
            unsigned x, y = 0, z = 0, w = 0;
            if (WORDS == 2) asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(address));
            else asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(address));
            sum += x ^ w;
        }
    }
    __syncthreads();
    const long long end = clock64();
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = end - begin;
}
static const char *const PLACES[] = {"lane", "0", "lane/2", "lane/4", "lane/8", "lane/16", "lane_without_bit_1", "lane_without_bit_2", "lane_without_bit_3", "lane%16", "lane%8", "lane%4", "lane%2", "lane_xor_half", "pairs_in_the_second_half", "pairs_from_lane_8"};

struct Probe {
    Bench &bench;
    unsigned *result;
    unsigned long long *cycles;

    template <typename Kernel>
    double run(Kernel kernel, int warps, unsigned argument) {
        unsigned long long host;
        for (int turn = 0; turn < 2; ++turn) kernel<<<bench.multiprocessors, warps * 32, 0, bench.stream>>>(result, cycles, argument);
        CHECK(cudaStreamSynchronize(bench.stream));
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&host, cycles, 8, cudaMemcpyDeviceToHost));
        return double(host);
    }

    template <int MIX>
    void mix() {
        ROW("mix", run(mixes<MIX>, 32, 3) / 256 / 4 / 8, "cycles", "instructions=%s of=scheduler", MIXES[MIX].name);
    }
};

int main() {
    Bench bench;
    unsigned *result;
    unsigned long long *cycles;
    CHECK(cudaMalloc(&result, 1 << 20));
    CHECK(cudaMalloc(&cycles, 8));
    Probe probe{bench, result, cycles};
    probe.mix<XOR_SHIFT>();
    probe.mix<ADD_XOR>();
    probe.mix<SHIFT_LEFT_XOR>();
    probe.mix<MOVE_XOR>();
    probe.mix<MULTIPLY_XOR>();
    probe.mix<MULTIPLY_ADD_XOR>();
    probe.mix<MULTIPLY_SHIFT_XOR>();
    probe.mix<FLOAT_XOR>();
    probe.mix<FLOAT_MULTIPLY>();
    probe.mix<FLOAT_ADD_XOR>();
    probe.mix<FLOAT_MULTIPLY_XOR>();
    probe.mix<MINIMUM_XOR>();
    probe.mix<SELECT_XOR>();
    probe.mix<WIDE_XOR>();
    probe.mix<WIDE_ADD_XOR>();
    probe.mix<HIGH_XOR>();
    for (unsigned distinct : {1u, 2u, 4u, 8u, 16u, 32u})
        for (int warps : {1, 4, 32}) ROW("match.any", probe.run(matches, warps, distinct) / 256 / warps, "cycles/warp", "distinct=%u warps=%d", distinct, warps);
    for (unsigned kind = 0; kind < 16; ++kind) {
        ROW("wide_load", probe.run(wide_loads<2>, 32, kind) / 256 / 32, "cycles/load", "bytes=8 word=%s warps=32", PLACES[kind]);
        ROW("wide_load", probe.run(wide_loads<4>, 32, kind) / 256 / 32, "cycles/load", "bytes=16 word=%s warps=32", PLACES[kind]);
    }
}
