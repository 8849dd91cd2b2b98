// Latency and rate of instructions: chains of one warp, and independent chains of many.

#include "probe.cuh"

enum Operation { ADD, LOGIC, MULTIPLY_ADD, WIDE_MULTIPLY, FLOAT, DOUBLE, SQUARE_ROOT, CONVERT, SHUFFLE, VOTE, POPULATION, SHARED_LOAD, SHARED_STORE, BRANCH };
static const char *const NAMES[] = {"add.u32", "xor.b32", "mad.lo.u32", "mad.wide.u32", "fma.f32", "fma.f64", "rsqrt.approx.f32", "cvt.rn.f32.s32", "shfl.sync", "vote.sync", "popc.b32", "ld.shared", "st.shared", "bra"};

template <int OPERATION>
__device__ __forceinline__ void step(unsigned &value, double &real, unsigned address, unsigned other) {
    if (OPERATION == ADD) asm volatile("add.u32 %0, %0, %1;" : "+r"(value) : "r"(other));
    if (OPERATION == LOGIC) asm volatile("xor.b32 %0, %0, %1;" : "+r"(value) : "r"(other));
    if (OPERATION == MULTIPLY_ADD) asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(value) : "r"(other));
    if (OPERATION == WIDE_MULTIPLY) {
        unsigned long long wide;
        asm volatile("mul.wide.u32 %0, %1, %2;" : "=l"(wide) : "r"(value), "r"(other));
        value = unsigned(wide >> 32);
    }
    if (OPERATION == FLOAT) {
        float number = __uint_as_float(value);
        asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(number) : "f"(__uint_as_float(other)));
        value = __float_as_uint(number);
    }
    if (OPERATION == DOUBLE) asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(real) : "d"(double(1.5)));
    if (OPERATION == SQUARE_ROOT) {
        float number = __uint_as_float(value);
        asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(number));
        value = __float_as_uint(number);
    }
    if (OPERATION == CONVERT) {
        float number;
        asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(number) : "r"(value));
        value = __float_as_uint(number);
    }
    if (OPERATION == SHUFFLE) asm volatile("shfl.sync.bfly.b32 %0, %0, 1, 31, -1;" : "+r"(value));
    if (OPERATION == VOTE) asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; vote.sync.ballot.b32 %0, p, -1; }" : "+r"(value));
    if (OPERATION == POPULATION) asm volatile("popc.b32 %0, %0;" : "+r"(value));
    if (OPERATION == SHARED_LOAD) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(value));
    if (OPERATION == SHARED_STORE) asm volatile("st.volatile.shared.u32 [%0], %1;" : : "r"(address), "r"(value));
}

template <int OPERATION, int CHAINS>
__global__ void chains(unsigned *result, unsigned long long *cycles, unsigned other) {
    __shared__ unsigned words[32 * 32];
    const unsigned address = unsigned(__cvta_generic_to_shared(words + threadIdx.x));
    words[threadIdx.x] = address;
    __syncthreads();
    unsigned values[CHAINS];
    double reals[CHAINS];
    for (int i = 0; i < CHAINS; ++i) values[i] = OPERATION == SHARED_LOAD ? address : threadIdx.x + i, reals[i] = threadIdx.x;
    const long long taken = cycles_of_256([&] {
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain) step<OPERATION>(values[chain], reals[chain], address, other);
    });
    unsigned sum = 0;
    for (int i = 0; i < CHAINS; ++i) sum ^= values[i] ^ unsigned(reals[i]);
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = taken;
}

template <int OPERATION>
void of(Bench &bench, unsigned *result, unsigned long long *cycles) {
    unsigned long long host;
    auto run = [&](auto kernel, int warps, int count) {
        kernel<<<bench.multiprocessors, warps * 32, 0, bench.stream>>>(result, cycles, 3);
        CHECK(cudaStreamSynchronize(bench.stream));
        CHECK(cudaGetLastError());
        CHECK(cudaMemcpy(&host, cycles, 8, cudaMemcpyDeviceToHost));
        return double(host) / 256 / count;
    };
    ROW("latency", run(chains<OPERATION, 1>, 1, 1), "cycles", "instruction=%s", NAMES[OPERATION]);
    ROW("interval", run(chains<OPERATION, 4>, 32, 4 * 8), "cycles", "instruction=%s of=scheduler", NAMES[OPERATION]);
}

int main() {
    Bench bench;
    unsigned *result;
    unsigned long long *cycles;
    CHECK(cudaMalloc(&result, 1 << 20));
    CHECK(cudaMalloc(&cycles, 8));
    of<ADD>(bench, result, cycles);
    of<LOGIC>(bench, result, cycles);
    of<MULTIPLY_ADD>(bench, result, cycles);
    of<WIDE_MULTIPLY>(bench, result, cycles);
    of<FLOAT>(bench, result, cycles);
    of<DOUBLE>(bench, result, cycles);
    of<SQUARE_ROOT>(bench, result, cycles);
    of<CONVERT>(bench, result, cycles);
    of<SHUFFLE>(bench, result, cycles);
    of<VOTE>(bench, result, cycles);
    of<POPULATION>(bench, result, cycles);
    of<SHARED_LOAD>(bench, result, cycles);
    of<SHARED_STORE>(bench, result, cycles);
}
