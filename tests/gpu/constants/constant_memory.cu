// Loads of constant memory whose lanes come to different places: how long until a load's value is there, and how long its unit is in use.

#include "probe.cuh"

static const unsigned TABLE_BYTES = 1 << 16;

// Each word holds the place in bytes of the word that is loaded next.
__constant__ unsigned table[TABLE_BYTES / 4];

__device__ __forceinline__ unsigned word_at(unsigned place) {
    return *reinterpret_cast<const unsigned *>(reinterpret_cast<const char *>(table) + place);
}

__device__ __forceinline__ void hide(unsigned &value) { asm volatile("" : "+r"(value)); }

// The lanes of each warp come to `places` places, which are `stride` bytes apart, and load over and over from the place that the load before gave.
template <int CHAINS>
__global__ void load_chains(unsigned *result, unsigned long long *cycles, unsigned places, unsigned stride) {
    const unsigned lane = threadIdx.x % 32;
    unsigned at[CHAINS];
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) {
        at[chain] = lane % places * stride;
        hide(at[chain]);
    }
    const long long taken = cycles_of_256([&] {
#pragma unroll
        for (int chain = 0; chain < CHAINS; ++chain) at[chain] = word_at(at[chain]);
    });
    unsigned sum = 0;
    for (int chain = 0; chain < CHAINS; ++chain) sum += at[chain];
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = taken;
}

// The same with pairs of words, each of which ptxas loads by itself.
__global__ void load_pairs(unsigned *result, unsigned long long *cycles, unsigned places, unsigned stride) {
    unsigned at = threadIdx.x % 32 % places * stride;
    hide(at);
    unsigned sum = 0;
    const long long taken = cycles_of_256([&] {
        const uint2 pair = *reinterpret_cast<const uint2 *>(reinterpret_cast<const char *>(table) + at);
        at = pair.x;
        sum += pair.y;
    });
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = taken;
}

// The same with single bytes.
__global__ void load_bytes(unsigned *result, unsigned long long *cycles, unsigned places, unsigned stride) {
    unsigned at = threadIdx.x % 32 % places * stride;
    hide(at);
    const long long taken = cycles_of_256([&] { at = reinterpret_cast<const unsigned char *>(table)[at]; });
    result[blockIdx.x * blockDim.x + threadIdx.x] = at;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = taken;
}

// A sum of products of which one factor is in constant memory, at a place that the compiler knows to be the same for all lanes: each step has
// `length` of them.
__global__ void load_counted(float *result, unsigned long long *cycles, float factor, int length) {
    float sum = factor;
    const long long taken = cycles_of_256([&] {
#pragma unroll 1
        for (int i = 0; i < length; ++i) sum = sum * factor + reinterpret_cast<const float *>(table)[i];
    });
    result[blockIdx.x * blockDim.x + threadIdx.x] = sum;
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = taken;
}

// A load of constant memory beside other work that does not wait for it: with `OTHER` 1 a load from shared memory in 32 passes,
// with 2 sixteen multiply-additions, with 0 nothing.
template <int OTHER>
__global__ void load_beside(unsigned *result, unsigned long long *cycles, unsigned places, unsigned stride, unsigned loads) {
    __shared__ unsigned words[32 * 32];
    for (unsigned i = threadIdx.x; i < 32 * 32; i += blockDim.x) words[i] = unsigned(__cvta_generic_to_shared(words + i));
    __syncthreads();
    const unsigned lane = threadIdx.x % 32;
    unsigned at = lane % places * stride, shared_at = unsigned(__cvta_generic_to_shared(words + lane * 32));
    float factor = float(lane) + 1.5f, sum = 0;
    hide(at);
    const long long taken = cycles_of_256([&] {
        if (loads) at = word_at(at);
        if (OTHER == 1) asm volatile("ld.volatile.shared.u32 %0, [%0];" : "+r"(shared_at));
        if (OTHER == 2) {
#pragma unroll
            for (int i = 0; i < 16; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(sum) : "f"(factor));
        }
    });
    result[blockIdx.x * blockDim.x + threadIdx.x] = at + shared_at + unsigned(sum);
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = taken;
}

// Words of the first `bytes` bytes lead `step` bytes on, round about; 0 leads to themselves.
static void fill(unsigned bytes, unsigned step) {
    static unsigned host[TABLE_BYTES / 4];
    for (unsigned i = 0; i < TABLE_BYTES / 4; ++i) host[i] = (i * 4 + step) % bytes;
    CHECK(cudaMemcpyToSymbol(table, host, TABLE_BYTES));
}

// Each byte holds its own place, modulo 256.
static void fill_bytes() {
    static unsigned char host[TABLE_BYTES];
    for (unsigned i = 0; i < TABLE_BYTES; ++i) host[i] = static_cast<unsigned char>(i);
    CHECK(cudaMemcpyToSymbol(table, host, TABLE_BYTES));
}

int main() {
    Bench bench;
    unsigned *result;
    unsigned long long *cycles;
    CHECK(cudaMalloc(&result, 1 << 22));
    CHECK(cudaMallocManaged(&cycles, 8));
    auto per_step = [&](auto launch) {
        launch();
        CHECK(cudaDeviceSynchronize());
        launch();
        CHECK(cudaDeviceSynchronize());
        return double(*cycles) / 256;
    };
    fill(TABLE_BYTES, 0);
    // Places side by side, in lines of their own, and spread over all of constant memory.
    for (unsigned stride : {4u, 8u, 64u, 256u, 2048u}) {
        for (unsigned places : {1u, 2u, 3u, 4u, 8u, 16u, 24u, 32u}) {
            ROW("load_latency", per_step([&] { load_chains<1><<<1, 32>>>(result, cycles, places, stride); }), "cycles", "places=%u stride=%u", places, stride);
            for (int warps : {1, 2, 4, 8, 16, 32}) {
                ROW("load_interval", per_step([&] { load_chains<4><<<1, warps * 32>>>(result, cycles, places, stride); }) / 4 / warps, "cycles/load",
                    "places=%u stride=%u warps=%d blocks=1", places, stride, warps);
            }
            ROW("load_interval", per_step([&] { load_chains<4><<<bench.multiprocessors, 1024>>>(result, cycles, places, stride); }) / 4 / 32, "cycles/load",
                "places=%u stride=%u warps=32 blocks=%d", places, stride, bench.multiprocessors);
        }
    }
    for (unsigned stride : {8u, 64u}) {
        for (unsigned places : {1u, 2u, 4u, 8u, 16u, 32u}) {
            for (int warps : {1, 32}) {
                ROW("pair", per_step([&] { load_pairs<<<1, warps * 32>>>(result, cycles, places, stride); }), "cycles/step", "places=%u stride=%u warps=%d", places, stride, warps);
            }
        }
    }
    for (unsigned places : {1u, 2u, 8u, 32u}) {
        for (int warps : {1, 4, 8, 16, 32}) {
            ROW("beside_nothing", per_step([&] { load_beside<0><<<1, warps * 32>>>(result, cycles, places, 4, 1); }), "cycles/step", "places=%u warps=%d loads=1", places, warps);
            for (unsigned loads : {0u, 1u}) {
                ROW("beside_shared", per_step([&] { load_beside<1><<<1, warps * 32>>>(result, cycles, places, 4, loads); }), "cycles/step", "places=%u warps=%d loads=%u", places, warps, loads);
                ROW("beside_products", per_step([&] { load_beside<2><<<1, warps * 32>>>(result, cycles, places, 4, loads); }), "cycles/step", "places=%u warps=%d loads=%u", places, warps, loads);
            }
        }
    }
    for (int length : {16, 64}) {
        for (int warps : {1, 4, 8, 16, 32}) {
            ROW("counted", per_step([&] { load_counted<<<1, warps * 32>>>(reinterpret_cast<float *>(result), cycles, 0.5f, length); }), "cycles/step", "length=%d warps=%d",
                length, warps);
        }
    }
    fill_bytes();
    for (unsigned stride : {1u, 2u, 4u, 8u}) {
        for (unsigned places : {1u, 2u, 4u, 8u, 16u, 32u}) {
            for (int warps : {1, 32}) {
                ROW("byte", per_step([&] { load_bytes<<<1, warps * 32>>>(result, cycles, places, stride); }), "cycles/step", "places=%u stride=%u warps=%d", places, stride, warps);
            }
        }
    }
    // Tables of several sizes, all of whose lines are come to in turn.
    for (unsigned bytes = 1024; bytes <= TABLE_BYTES; bytes *= 2) {
        for (unsigned places : {1u, 2u, 4u, 8u, 16u, 32u}) {
            // Each load leads to the next 64 bytes that none of the lanes has been to.
            fill(bytes, 64);
            for (int warps : {1, 8, 32}) {
                ROW("walk", per_step([&] { load_chains<1><<<1, warps * 32>>>(result, cycles, places, bytes / 32); }) , "cycles/step",
                    "bytes=%u places=%u warps=%d blocks=1", bytes, places, warps);
            }
            ROW("walk", per_step([&] { load_chains<1><<<bench.multiprocessors, 1024>>>(result, cycles, places, bytes / 32); }), "cycles/step",
                "bytes=%u places=%u warps=32 blocks=%d", bytes, places, bench.multiprocessors);
        }
    }
}
