// What a block reads of its neighbour in the cluster: from the neighbour's shared memory, or from L2; and from its own, for comparison.
//
// Each block has a set of words, and behind them its number. A chain begins at word 0, and each word says which is the next one: all are one cycle.
// One thread of a block follows it. Where accesses are wide, every thread loads 16 bytes after 16 bytes, the threads side by side, and sums them up.
// The sets differ in the number behind them, by which the outcome tells whose set was read.
//
// The loads are inline PTX, because they differ in nothing but the memory that they go to. Those of clusters need compute capability 9.0; the
// build puts these kernels into a module of their own. src/family/cluster_exchange/reference.rs computes the same on the host.

#define SET_WORDS 2048
// With what is behind them, and whole pieces of 16 bytes.
#define PITCH_WORDS (SET_WORDS + 4)
#define CHAIN_UNROLLED 16
#define WIDE_UNROLLED 8

// All threads of the cluster wait for each other, whole warps at a time.
__device__ __forceinline__ void wait_for_cluster() {
    __syncwarp();
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

struct OwnShared {
    static constexpr bool READS_TILE = true;
    unsigned first;
    __device__ __forceinline__ OwnShared(const unsigned *, unsigned *tile, unsigned, unsigned) {
        first = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    }
    __device__ __forceinline__ static void begin() { __syncthreads(); }
    __device__ __forceinline__ static void end() {}
    __device__ __forceinline__ unsigned word(unsigned index) const {
        unsigned value;
        asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(value) : "r"(first + 4 * index));
        return value;
    }
    __device__ __forceinline__ uint4 piece(unsigned index) const {
        uint4 value;
        asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                     : "r"(first + 16 * index));
        return value;
    }
};

struct Distributed {
    static constexpr bool READS_TILE = true;
    unsigned first;
    __device__ __forceinline__ Distributed(const unsigned *, unsigned *tile, unsigned, unsigned cluster_blocks) {
        unsigned rank;
        asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(tile));
        const unsigned neighbour = rank + 1 == cluster_blocks ? 0 : rank + 1;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(first) : "r"(own), "r"(neighbour));
    }
    __device__ __forceinline__ static void begin() { wait_for_cluster(); }
    // A block must not end while another one reads its shared memory.
    __device__ __forceinline__ static void end() { wait_for_cluster(); }
    __device__ __forceinline__ unsigned word(unsigned index) const {
        unsigned value;
        asm volatile("ld.volatile.shared::cluster.u32 %0, [%1];" : "=r"(value) : "r"(first + 4 * index));
        return value;
    }
    __device__ __forceinline__ uint4 piece(unsigned index) const {
        uint4 value;
        asm volatile("ld.volatile.shared::cluster.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                     : "r"(first + 16 * index));
        return value;
    }
};

struct L2 {
    static constexpr bool READS_TILE = false;
    const unsigned *first;
    __device__ __forceinline__ L2(const unsigned *sets, unsigned *, unsigned neighbour, unsigned) {
        first = sets + static_cast<size_t>(neighbour) * PITCH_WORDS;
    }
    __device__ __forceinline__ static void begin() { __syncthreads(); }
    __device__ __forceinline__ static void end() {}
    __device__ __forceinline__ unsigned word(unsigned index) const {
        unsigned value;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(__cvta_generic_to_global(first + index)));
        return value;
    }
    __device__ __forceinline__ uint4 piece(unsigned index) const {
        uint4 value;
        asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(value.x), "=r"(value.y), "=r"(value.z), "=r"(value.w)
                     : "l"(__cvta_generic_to_global(first + 4 * index)));
        return value;
    }
};

// Where the chain of the set comes to after so many loads.
template <typename Memory>
__device__ __forceinline__ unsigned follow(const Memory &memory, unsigned loads) {
    if (threadIdx.x > 0) return 0;
    unsigned place = 0;
#pragma unroll 1
    for (; loads >= CHAIN_UNROLLED; loads -= CHAIN_UNROLLED) {
#pragma unroll
        for (int i = 0; i < CHAIN_UNROLLED; ++i) place = memory.word(place);
    }
#pragma unroll 1
    for (; loads > 0; --loads) place = memory.word(place);
    return place;
}

// The sum of the words of so many pieces of 16 bytes, the threads side by side. `loads` is a multiple of what is unrolled.
template <typename Memory>
__device__ __forceinline__ unsigned sum_up(const Memory &memory, unsigned loads) {
    uint4 sum = {0, 0, 0, 0};
    unsigned index = threadIdx.x;
#pragma unroll 1
    for (; loads > 0; loads -= WIDE_UNROLLED) {
#pragma unroll
        for (int i = 0; i < WIDE_UNROLLED; ++i) {
            const uint4 piece = memory.piece(index % (SET_WORDS / 4));
            sum.x += piece.x;
            sum.y += piece.y;
            sum.z += piece.z;
            sum.w += piece.w;
            index += blockDim.x;
        }
    }
    return sum.x + 3 * sum.y + 5 * sum.z + 7 * sum.w;
}

template <typename Memory, bool WIDE>
__device__ __forceinline__ void read_neighbour(const unsigned *sets, unsigned *outcomes, unsigned cluster_blocks, unsigned loads) {
    __shared__ __align__(16) unsigned tile[PITCH_WORDS];
    const unsigned rank = blockIdx.x % cluster_blocks;
    const unsigned neighbour = blockIdx.x - rank + (rank + 1 == cluster_blocks ? 0 : rank + 1);
    // What is not read from shared memory is in L2 then. The stores are volatile because ptxas leaves the loads out where nobody reads the tile.
    const unsigned *const source = sets + static_cast<size_t>(Memory::READS_TILE ? blockIdx.x : neighbour) * PITCH_WORDS;
    const unsigned first = static_cast<unsigned>(__cvta_generic_to_shared(tile));
    for (unsigned i = threadIdx.x; i < PITCH_WORDS; i += blockDim.x) {
        unsigned word;
        asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(word) : "l"(__cvta_generic_to_global(source + i)));
        asm volatile("st.volatile.shared.u32 [%0], %1;" : : "r"(first + 4 * i), "r"(word) : "memory");
    }
    const Memory memory(sets, tile, neighbour, cluster_blocks);
    Memory::begin();
    const unsigned outcome = WIDE ? sum_up(memory, loads) : follow(memory, loads);
    if (WIDE || threadIdx.x == 0) {
        outcomes[(WIDE ? blockDim.x : 1) * blockIdx.x + threadIdx.x] = outcome + (memory.word(SET_WORDS) << 16);
    }
    Memory::end();
}

#define KERNEL(name, Memory)                                                                                           \
    extern "C" __global__ void cluster_exchange_##name##_chain(const unsigned *sets, unsigned *outcomes,               \
                                                               unsigned cluster_blocks, unsigned loads) {              \
        read_neighbour<Memory, false>(sets, outcomes, cluster_blocks, loads);                                          \
    }                                                                                                                  \
    extern "C" __global__ void cluster_exchange_##name##_wide(const unsigned *sets, unsigned *outcomes,                \
                                                              unsigned cluster_blocks, unsigned loads) {               \
        read_neighbour<Memory, true>(sets, outcomes, cluster_blocks, loads);                                           \
    }
KERNEL(own_shared, OwnShared)
KERNEL(distributed, Distributed)
KERNEL(l2, L2)
