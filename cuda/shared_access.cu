// Bank conflicts: what it costs that lanes of a warp want words of the same bank of shared memory.
//
// Blocks are 16 by 16 threads, hence a warp is two rows of a block and a half-warp is one.
//
// - Copies: a tile goes from one shared array to another, over and over (Cornelis 2010, listing 4.2). Exchanging
//   threadIdx.x and .y in a read or a write gives it the most conflicts. The loop stays rolled: a load, a store, a count,
//   a comparison and a branch, as in the source, whose figures depend on what there is beside the two accesses.
// - Reads: lane l of every warp sums columns of row l of a tile, over and over. The loop is the same code in every
//   variant: addresses are in registers before it begins, and only where rows lie in shared memory differs.
//
// src/family/shared_access/reference.rs computes the same on the host.

#define TILE 16
#define LANES 32
// Columns that a repetition of the reads sums, each through an address in a register of its own: as many as a block has warps.
#define COLUMNS 8

template <bool READ_CONFLICTED, bool WRITE_CONFLICTED>
__device__ __forceinline__ void copy_repeatedly(const unsigned *input, unsigned *output, unsigned width,
                                                unsigned repetitions) {
    __shared__ unsigned source[TILE * TILE];
    __shared__ unsigned target[TILE * TILE];
    const unsigned row = TILE * blockIdx.y + threadIdx.y;
    const unsigned column = TILE * blockIdx.x + threadIdx.x;
    const unsigned straight = threadIdx.y * TILE + threadIdx.x;
    const unsigned exchanged = threadIdx.x * TILE + threadIdx.y;
    const bool inside = row < width && column < width;
    const size_t element = static_cast<size_t>(row) * width + column;

    source[straight] = inside ? input[element] : 0;
    __syncthreads();

    // Volatile, so that every repetition loads and stores again.
    const volatile unsigned *from = source + (READ_CONFLICTED ? exchanged : straight);
    volatile unsigned *to = target + (WRITE_CONFLICTED ? exchanged : straight);
#pragma unroll 1
    for (unsigned repetition = repetitions; repetition != 0; --repetition) {
        *to = *from;
    }
    __syncthreads();

    if (inside) output[element] = target[straight];
}

#define COPY(name, READ_CONFLICTED, WRITE_CONFLICTED)                                                           \
    extern "C" __global__ void shared_access_##name(const unsigned *input, unsigned *output, unsigned width,    \
                                                    unsigned repetitions) {                                    \
        copy_repeatedly<READ_CONFLICTED, WRITE_CONFLICTED>(input, output, width, repetitions);                  \
    }
COPY(read_unconflicted_write_unconflicted, false, false)
COPY(read_conflicted_write_unconflicted, true, false)
COPY(read_unconflicted_write_conflicted, false, true)
COPY(read_conflicted_write_conflicted, true, true)

// A load that the compiler neither moves out of the loop nor merges with another, and the sum of its words.
template <unsigned WORDS> __device__ __forceinline__ unsigned load_and_sum(unsigned address);

template <> __device__ __forceinline__ unsigned load_and_sum<1>(unsigned address) {
    unsigned x;
    asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(x) : "r"(address));
    return x;
}

template <> __device__ __forceinline__ unsigned load_and_sum<2>(unsigned address) {
    unsigned x, y;
    asm volatile("ld.volatile.shared.v2.u32 {%0, %1}, [%2];" : "=r"(x), "=r"(y) : "r"(address));
    return x + y;
}

template <> __device__ __forceinline__ unsigned load_and_sum<4>(unsigned address) {
    unsigned x, y, z, w;
    asm volatile("ld.volatile.shared.v4.u32 {%0, %1, %2, %3}, [%4];" : "=r"(x), "=r"(y), "=r"(z), "=r"(w) : "r"(address));
    return x + y + z + w;
}

// Shared memory: the tile's 32 rows, each `pitch` words long.
//
// A row has `stride` words of WORDS * 4 bytes and its place is `pitch` words behind the row before it. Word c of row l
// lies at c ^ ((l >> swizzle_shift) & swizzle_mask) of that place. Lane l reads row `l & row_mask`.
template <unsigned WORDS>
__device__ __forceinline__ void read_repeatedly(const unsigned *input, unsigned *output, unsigned width,
                                                unsigned repetitions, unsigned stride, unsigned pitch,
                                                unsigned swizzle_shift, unsigned swizzle_mask, unsigned row_mask) {
    extern __shared__ __align__(16) unsigned tile[];
    const unsigned thread = threadIdx.y * TILE + threadIdx.x;
    const unsigned lane = thread % LANES;
    const auto place = [=](unsigned own_row, unsigned column) {
        return own_row * pitch + (column ^ ((own_row >> swizzle_shift) & swizzle_mask));
    };

    // A block's 8 warps fill the 8 columns that are read, so that this takes as long for every stride.
    const unsigned filled = thread / LANES;
    if (filled < stride) {
#pragma unroll
        for (unsigned word = 0; word < WORDS; ++word) {
            tile[place(lane, filled) * WORDS + word] = input[(lane * stride + filled) * WORDS + word];
        }
    }
    __syncthreads();

    const unsigned row = TILE * blockIdx.y + threadIdx.y;
    const unsigned own_column = TILE * blockIdx.x + threadIdx.x;
    const size_t element = static_cast<size_t>(row) * width + own_column;
    unsigned address[COLUMNS];
    unsigned column = 0;
#pragma unroll
    for (unsigned i = 0; i < COLUMNS; ++i) {
        const unsigned *word = tile + place(lane & row_mask, column) * WORDS;
        address[i] = static_cast<unsigned>(__cvta_generic_to_shared(word));
        // The compiler would otherwise compute addresses from each other inside the loop.
        asm volatile("" : "+r"(address[i]));
        column = column + 1 == stride ? 0 : column + 1;
    }
    unsigned sum = static_cast<unsigned>(element);
#pragma unroll 1
    for (unsigned repetition = repetitions; repetition != 0; --repetition) {
#pragma unroll
        for (unsigned i = 0; i < COLUMNS; ++i) {
            sum += load_and_sum<WORDS>(address[i]);
        }
    }
    if (row < width && own_column < width) output[element] = sum;
}

#define READ(bytes)                                                                                             \
    extern "C" __global__ void shared_access_read_##bytes(                                                      \
        const unsigned *input, unsigned *output, unsigned width, unsigned repetitions, unsigned stride,         \
        unsigned pitch, unsigned swizzle_shift, unsigned swizzle_mask, unsigned row_mask) {                     \
        read_repeatedly<bytes / 4>(input, output, width, repetitions, stride, pitch, swizzle_shift,             \
                                   swizzle_mask, row_mask);                                                    \
    }
READ(4)
READ(8)
READ(16)
