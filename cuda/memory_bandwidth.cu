// Bandwidth of the caches and of memory: warps read a set over and over, with a given number of bytes in flight.
//
// The blocks share the set out: each has `slice` chunks of its own, which stay in its multiprocessor's L1 cache if they fit. A batch of a warp
// is a chunk: every thread has LOADS loads of WORDS words under way at once, neighbouring lanes reading neighbouring words, and adds them up
// before its next batch. The warps of a block take its `batches` in turn, and the chunks round and round.
//
// A block that reads shared memory copies its chunks there before.
//
// The loads are inline PTX, because they differ in nothing but their widths and where they read.
// src/family/memory_bandwidth/reference.rs has the same sums on the host.

#define LANES 32

// Loads of 1, 2 and 4 words with this instruction, from places of this type.
#define LOADS_OF(instruction, Place, constraint)                                                                       \
    template <int OFFSET>                                                                                              \
    __device__ __forceinline__ static void load(Place place, unsigned (&words)[1]) {                                   \
        asm volatile(instruction ".u32 %0, [%1+%2];" : "=r"(words[0]) : constraint(place), "n"(OFFSET));               \
    }                                                                                                                  \
    template <int OFFSET>                                                                                              \
    __device__ __forceinline__ static void load(Place place, unsigned (&words)[2]) {                                   \
        asm volatile(instruction ".v2.u32 {%0, %1}, [%2+%3];"                                                          \
                     : "=r"(words[0]), "=r"(words[1])                                                                  \
                     : constraint(place), "n"(OFFSET));                                                                \
    }                                                                                                                  \
    template <int OFFSET>                                                                                              \
    __device__ __forceinline__ static void load(Place place, unsigned (&words)[4]) {                                   \
        asm volatile(instruction ".v4.u32 {%0, %1, %2, %3}, [%4+%5];"                                                  \
                     : "=r"(words[0]), "=r"(words[1]), "=r"(words[2]), "=r"(words[3])                                  \
                     : constraint(place), "n"(OFFSET));                                                                \
    }

// Global memory, where a block's chunks are from `set` on.
struct Global {
    typedef size_t Place;
    __device__ __forceinline__ static Place chunks(const unsigned char *set, unsigned) {
        return __cvta_generic_to_global(set);
    }
};

struct ThroughL1 : Global {
    LOADS_OF("ld.global", size_t, "l")
};

struct PastL1 : Global {
    LOADS_OF("ld.global.cg", size_t, "l")
};

struct Shared {
    typedef unsigned Place;
    // Copies the chunks.
    __device__ __forceinline__ static Place chunks(const unsigned char *set, unsigned bytes) {
        extern __shared__ uint4 own[];
        const uint4 *words = reinterpret_cast<const uint4 *>(set);
        for (unsigned i = threadIdx.x; i < bytes / sizeof(uint4); i += blockDim.x) own[i] = words[i];
        __syncthreads();
        return static_cast<unsigned>(__cvta_generic_to_shared(own));
    }
    LOADS_OF("ld.shared", unsigned, "r")
};

// Loads number `NUMBER` and further ones of a batch, then adds them up: all are under way before the first sum.
template <typename Level, int WORDS, int LOADS, int NUMBER = 0>
struct Batch {
    __device__ __forceinline__ static unsigned sum(typename Level::Place place) {
        unsigned words[WORDS];
        Level::template load<4 * WORDS * LANES * NUMBER>(place, words);
        unsigned sum = Batch<Level, WORDS, LOADS, NUMBER + 1>::sum(place);
#pragma unroll
        for (int i = 0; i < WORDS; ++i) sum += words[i];
        return sum;
    }
};

template <typename Level, int WORDS, int LOADS>
struct Batch<Level, WORDS, LOADS, LOADS> {
    __device__ __forceinline__ static unsigned sum(typename Level::Place) { return 0; }
};

template <typename Level, int WORDS, int LOADS>
__device__ __forceinline__ void read_often(const unsigned char *set, unsigned *sums, unsigned slice, unsigned batches) {
    constexpr unsigned CHUNK = 4 * WORDS * LANES * LOADS;
    const unsigned warp = threadIdx.x / LANES;
    const unsigned warps = blockDim.x / LANES;
    typedef typename Level::Place Place;
    const Place own = Level::chunks(set + static_cast<size_t>(blockIdx.x) * slice * CHUNK, slice * CHUNK) +
                      4 * WORDS * (threadIdx.x % LANES);
    const unsigned step = warps % slice;
    unsigned chunk = warp % slice;
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned batch = warp; batch < batches; batch += warps) {
        sum += Batch<Level, WORDS, LOADS>::sum(own + static_cast<Place>(chunk) * CHUNK);
        chunk += step;
        if (chunk >= slice) chunk -= slice;
    }
    sums[blockIdx.x * blockDim.x + threadIdx.x] = sum;
}

#define KERNEL(name, Level, bytes, loads)                                                                              \
    extern "C" __global__ void memory_bandwidth_##name##_##bytes##_bytes_##loads##_loads(                              \
        const unsigned char *set, unsigned *sums, unsigned slice, unsigned batches) {                                  \
        read_often<Level, bytes / 4, loads>(set, sums, slice, batches);                                                \
    }
#define KERNELS_OF_WIDTH(name, Level, bytes) \
    KERNEL(name, Level, bytes, 1)            \
    KERNEL(name, Level, bytes, 2)            \
    KERNEL(name, Level, bytes, 4)            \
    KERNEL(name, Level, bytes, 8)
#define KERNELS(name, Level)         \
    KERNELS_OF_WIDTH(name, Level, 4) \
    KERNELS_OF_WIDTH(name, Level, 8) \
    KERNELS_OF_WIDTH(name, Level, 16)

KERNELS(global, ThroughL1)
KERNELS(global_past_l1, PastL1)
KERNELS(shared, Shared)
