// Blocks of a cluster wait for each other: by the barrier of the cluster, or by one of atomics in global memory among as many blocks.
//
// The threads of a group of blocks hold a ring of words, one each. A round with an exchange combines every word with its two neighbours. Within
// a block these are in shared memory. At its ends they are another block's: a block stores its end words where the blocks beside it read them,
// and all wait for each other before they do. Two places take turns, so that a round needs one barrier and no more.
//
// - Cluster: the end words go into the shared memory of the block beside, and the barrier is the cluster's.
// - Grid: they go through global memory, and the barrier is a counter and a generation number there, as in global_sync.cu.
//
// Without an exchange in every round, only the last round has one. What the others do is wait.
//
// The instructions of clusters are inline PTX, because they need compute capability 9.0 and the kernels beside them do not; the build puts these
// kernels into a module of their own. src/family/cluster_sync/reference.rs computes the same on the host.

// Words between those of the barriers of two groups, so that they are in different lines.
#define BARRIER_WORDS 64
#define GENERATION_WORD 32
// Words at the ends of a block: one that its left neighbour stores, and one that its right neighbour does.
#define ENDS 2

// The factors differ, so that exchanging left and right is noticed.
__device__ __forceinline__ unsigned combine(unsigned left, unsigned value, unsigned right) {
    return value + 3 * left + 5 * right;
}

// A block's words of a round, between those of its neighbours. Shared memory: two of them.
struct Tile {
    unsigned *words;
    __device__ __forceinline__ void store(unsigned value) const { words[threadIdx.x + 1] = value; }
    __device__ __forceinline__ unsigned *left_end() const { return words; }
    __device__ __forceinline__ unsigned *right_end() const { return words + blockDim.x + 1; }
    __device__ __forceinline__ unsigned combined() const {
        return combine(words[threadIdx.x], words[threadIdx.x + 1], words[threadIdx.x + 2]);
    }
};

struct Cluster {
    unsigned rank;
    unsigned blocks;
    __device__ __forceinline__ Cluster(unsigned *, unsigned *, unsigned group_blocks) : blocks(group_blocks) {
        asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    }
    __device__ __forceinline__ static void store_at(unsigned *place, unsigned rank, unsigned value) {
        const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(place));
        unsigned mapped;
        asm volatile("mapa.shared::cluster.u32 %0, %1, %2;" : "=r"(mapped) : "r"(own), "r"(rank));
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(mapped), "r"(value) : "memory");
    }
    // Blocks of a cluster lie at the same places of shared memory.
    __device__ __forceinline__ void tell_left(Tile tile, unsigned, unsigned value) const {
        store_at(tile.right_end(), rank == 0 ? blocks - 1 : rank - 1, value);
    }
    __device__ __forceinline__ void tell_right(Tile tile, unsigned, unsigned value) const {
        store_at(tile.left_end(), rank + 1 == blocks ? 0 : rank + 1, value);
    }
    __device__ __forceinline__ void wait() const {
        asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
    }
    __device__ __forceinline__ void take_ends(Tile, unsigned) const {}
};

struct Grid {
    volatile unsigned *ends;
    unsigned *arrived;
    unsigned rank;
    unsigned blocks;
    __device__ __forceinline__ Grid(unsigned *all_ends, unsigned *barriers, unsigned group_blocks) : blocks(group_blocks) {
        const unsigned group = blockIdx.x / group_blocks;
        rank = blockIdx.x % group_blocks;
        ends = all_ends + 2 * ENDS * group * group_blocks;
        arrived = barriers + BARRIER_WORDS * group;
    }
    __device__ __forceinline__ volatile unsigned *end_of(unsigned number, unsigned turn) const {
        return ends + ENDS * (turn * blocks + number);
    }
    __device__ __forceinline__ void tell_left(Tile, unsigned turn, unsigned value) const {
        end_of(rank == 0 ? blocks - 1 : rank - 1, turn)[1] = value;
    }
    __device__ __forceinline__ void tell_right(Tile, unsigned turn, unsigned value) const {
        end_of(rank + 1 == blocks ? 0 : rank + 1, turn)[0] = value;
    }
    // The counter wraps around by itself and the generation is only compared, so that nothing has to be reset between launches.
    __device__ __forceinline__ void wait() const {
        __syncthreads();
        if (threadIdx.x == 0) {
            volatile unsigned *const generation = arrived + GENERATION_WORD;
            const unsigned before = *generation;
            __threadfence();
            if (atomicInc(arrived, blocks - 1) == blocks - 1) {
                atomicAdd(arrived + GENERATION_WORD, 1);
            } else {
                while (*generation == before) {
                }
            }
            __threadfence();
        }
        __syncthreads();
    }
    __device__ __forceinline__ void take_ends(Tile tile, unsigned turn) const {
        if (threadIdx.x < ENDS) *(threadIdx.x == 0 ? tile.left_end() : tile.right_end()) = end_of(rank, turn)[threadIdx.x];
        __syncthreads();
    }
};

template <typename Group>
__device__ __forceinline__ unsigned exchange(const Group &group, unsigned *tiles, unsigned turn, unsigned value) {
    const Tile tile = {tiles + turn * (blockDim.x + ENDS)};
    tile.store(value);
    if (threadIdx.x == 0) group.tell_left(tile, turn, value);
    if (threadIdx.x + 1 == blockDim.x) group.tell_right(tile, turn, value);
    // The barrier of a cluster is for whole warps.
    __syncwarp();
    group.wait();
    group.take_ends(tile, turn);
    return tile.combined();
}

template <typename Group, bool EXCHANGES>
__device__ __forceinline__ void all_rounds(const unsigned *input, unsigned *output, unsigned *ends, unsigned *barriers,
                                           unsigned group_blocks, unsigned rounds) {
    extern __shared__ unsigned tiles[];
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const Group group(ends, barriers, group_blocks);
    unsigned value = input[thread];
    // Stores to the shared memory of a block that has not begun would be lost.
    group.wait();
#pragma unroll 1
    for (unsigned round = 1; round < rounds; ++round) {
        if (EXCHANGES) {
            value = exchange(group, tiles, round & 1, value);
        } else {
            group.wait();
        }
    }
    output[thread] = exchange(group, tiles, rounds & 1, value);
}

#define KERNEL(name, Group, EXCHANGES)                                                                                  \
    extern "C" __global__ void cluster_sync_##name(const unsigned *input, unsigned *output, unsigned *ends,             \
                                                   unsigned *barriers, unsigned group_blocks, unsigned rounds) {        \
        all_rounds<Group, EXCHANGES>(input, output, ends, barriers, group_blocks, rounds);                              \
    }
KERNEL(cluster, Cluster, false)
KERNEL(cluster_neighbours, Cluster, true)
KERNEL(grid, Grid, false)
KERNEL(grid_neighbours, Grid, true)
