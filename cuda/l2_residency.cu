// A hot set that is read again and again, between passes over a stream: what L2 keeps of the hot set while the stream goes through it.
//
// The blocks share both out. A chunk is what a warp reads at a time: LOADS loads of 16 bytes of each thread, which are under way at once. In a pass the warps of
// a block take its chunks of the hot set in turn, then those of the stream, and wait for each other after either, so that no load of one hides behind
// the other. The loads pass L1 by, which could hold a block's part of the hot set.
//
// The loads are inline PTX, because they differ in nothing but what they ask of L2.
// src/family/l2_residency/reference.rs has the same sums on the host.

#define LANES 32
#define LOADS 4
#define CHUNK (LANES * LOADS)

#define LOAD(instruction, policy)                                                                                      \
    __device__ __forceinline__ uint4 load(const uint4 *place) const {                                                  \
        uint4 words;                                                                                                   \
        asm volatile(instruction                                                                                       \
                     : "=r"(words.x), "=r"(words.y), "=r"(words.z), "=r"(words.w)                                      \
                     : "l"(__cvta_generic_to_global(place)) policy);                                                   \
        return words;                                                                                                  \
    }

struct AsUsual {
    LOAD("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];", )
};

struct Streaming {
    LOAD("ld.global.cs.v4.u32 {%0, %1, %2, %3}, [%4];", )
};

#define OPERAND_OF_POLICY , "l"(policy)

// Lines that go before others, and lines that go after them.
#define HINT(Name, priority)                                                                                           \
    struct Name {                                                                                                      \
        unsigned long long policy;                                                                                     \
        __device__ __forceinline__ Name() {                                                                            \
            asm("createpolicy.fractional.L2::" priority ".b64 %0;" : "=l"(policy));                               \
        }                                                                                                              \
        LOAD("ld.global.cg.L2::cache_hint.v4.u32 {%0, %1, %2, %3}, [%4], %5;", OPERAND_OF_POLICY)                      \
    };
HINT(EvictFirst, "evict_first")
HINT(EvictLast, "evict_last")

// Adds up a warp's chunks of a block's part.
template <typename Loads>
__device__ __forceinline__ unsigned sum_of(const Loads &loads, const uint4 *part, unsigned chunks) {
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned chunk = threadIdx.x / LANES; chunk < chunks; chunk += blockDim.x / LANES) {
        const uint4 *own = part + static_cast<size_t>(chunk) * CHUNK + threadIdx.x % LANES;
        uint4 words[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; ++i) words[i] = loads.load(own + i * LANES);
#pragma unroll
        for (int i = 0; i < LOADS; ++i) sum += words[i].x + words[i].y + words[i].z + words[i].w;
    }
    return sum;
}

template <typename Hot, typename Stream>
__device__ __forceinline__ void read_passes(const uint4 *hot, const uint4 *stream, unsigned *sums, unsigned hot_chunks,
                                            unsigned stream_chunks, unsigned passes) {
    const Hot hot_loads{};
    const Stream stream_loads{};
    const uint4 *hot_part = hot + static_cast<size_t>(blockIdx.x) * hot_chunks * CHUNK;
    const uint4 *stream_part = stream + static_cast<size_t>(blockIdx.x) * stream_chunks * CHUNK;
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned pass = 0; pass < passes; ++pass) {
        sum += sum_of(hot_loads, hot_part, hot_chunks);
        __syncthreads();
        sum += sum_of(stream_loads, stream_part, stream_chunks);
        __syncthreads();
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#define KERNEL(name, Hot, Stream)                                                                                      \
    extern "C" __global__ void l2_residency_##name(const uint4 *hot, const uint4 *stream, unsigned *sums,              \
                                                   unsigned hot_chunks, unsigned stream_chunks, unsigned passes) {     \
        read_passes<Hot, Stream>(hot, stream, sums, hot_chunks, stream_chunks, passes);                                \
    }

KERNEL(plain, AsUsual, AsUsual)
KERNEL(evict_hints, EvictLast, EvictFirst)
KERNEL(streaming_loads, AsUsual, Streaming)
KERNEL(evict_first_stream, AsUsual, EvictFirst)
