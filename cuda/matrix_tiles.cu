// Tiles of a matrix are brought into shared memory and summed there: the rows of a tile lie apart in global memory.
//
// Each block has a panel of the matrix, `tile_rows` high and `slice` tiles wide. It brings in `tiles` of them, from the first to the last and
// over again, into a ring of STAGES tiles. The variants are those of asynchronous_copies.cu, but for the rows:
//
// - loads: every thread loads 16 bytes at a time into registers, past L1 as the copies are, and stores them. Its ring is one tile.
// - async_copies: every thread has 16 bytes at a time copied past the registers (cp.async).
// - row_copies: threads of all warps have a row each copied in bulk (cp.async.bulk).
// - tile_copies: one thread has the tile copied, by the descriptor of the matrix (cp.async.bulk.tensor.2d).
//
// A tile may lie swizzled: its pieces of 16 bytes change places within 128 bytes, by the number of the 128 bytes. All can do that but
// row_copies. A thread reads pieces along the rows or down the columns, and weighs each by its place in the tile, so that a piece in the wrong
// place is noticed. src/family/matrix_tiles/reference.rs has the same sums on the host.

#include "block_total.cuh"
#include "bulk_copy.cuh"

#define LANES 32
#define PIECE_BYTES 16
#define FACTOR 5
// Loads of a thread under way at once where they go to registers.
#define LOADS 8
#define STAGES_MAX 4

extern __shared__ __align__(1024) unsigned char ring[];

struct alignas(64) TensorMap {
    unsigned char opaque[128];
};

// A tile: its rows and their pieces are powers of two.
struct Shape {
    unsigned row_shift, rows_shift, swizzle_mask;
    unsigned slice;

    __device__ __forceinline__ Shape(unsigned row_bytes, unsigned tile_rows, unsigned swizzle_mask, unsigned slice)
        : row_shift(31 - __clz(row_bytes)), rows_shift(31 - __clz(tile_rows)), swizzle_mask(swizzle_mask), slice(slice) {}

    __device__ __forceinline__ unsigned row_bytes() const { return 1u << row_shift; }
    __device__ __forceinline__ unsigned rows() const { return 1u << rows_shift; }
    __device__ __forceinline__ unsigned bytes() const { return 1u << (row_shift + rows_shift); }
    __device__ __forceinline__ size_t pitch() const { return static_cast<size_t>(slice) << row_shift; }

    // Where the piece is that begins at this byte of the tile.
    __device__ __forceinline__ unsigned place(unsigned byte) const {
        return byte ^ ((byte >> 7 & swizzle_mask) * PIECE_BYTES);
    }
    __device__ __forceinline__ size_t in_matrix(unsigned byte) const {
        return (byte >> row_shift) * pitch() + (byte & (row_bytes() - 1));
    }
};

// Which tile of the block's panel is next, and where in the ring it goes.
struct Next {
    unsigned stages, slice, tile, stage;

    __device__ __forceinline__ Next(unsigned stages, unsigned slice) : stages(stages), slice(slice), tile(0), stage(0) {}

    __device__ __forceinline__ void advance() {
        if (++tile == slice) tile = 0;
        if (++stage == stages) stage = 0;
    }
};

__device__ __forceinline__ const unsigned char *panel(const unsigned char *matrix, const Shape &shape) {
    return matrix + blockIdx.x * shape.pitch() * shape.rows();
}

// Adds up the pieces of a tile that are a thread's.
__device__ __forceinline__ unsigned sum_of_tile(const unsigned char *tile, const Shape &shape, unsigned by_columns) {
    const unsigned own = shared_address(tile);
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned piece = threadIdx.x; piece < shape.bytes() / PIECE_BYTES; piece += blockDim.x) {
        const unsigned row = by_columns ? piece & (shape.rows() - 1) : piece * PIECE_BYTES >> shape.row_shift;
        const unsigned column = by_columns ? piece >> shape.rows_shift : piece & (shape.row_bytes() / PIECE_BYTES - 1);
        const unsigned byte = (row << shape.row_shift) + column * PIECE_BYTES;
        unsigned a, b, c, d;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(own + shape.place(byte)) : "memory");
        sum += (a + b + c + d) * (byte / PIECE_BYTES * 2 + 1);
    }
    return sum;
}

extern "C" __global__ void matrix_tiles_loads(const unsigned char *matrix, unsigned *sums, unsigned slice, unsigned tiles,
                                              unsigned row_bytes, unsigned tile_rows, unsigned swizzle_mask,
                                              unsigned by_columns) {
    const Shape shape(row_bytes, tile_rows, swizzle_mask, slice);
    const unsigned char *const own = panel(matrix, shape);
    Next next(1, slice);
    const unsigned step = blockDim.x * PIECE_BYTES;
    unsigned sum = 0;
#pragma unroll 1
    for (unsigned tile = 0; tile < tiles; ++tile) {
        const size_t source = __cvta_generic_to_global(own) + next.tile * row_bytes;
#pragma unroll 1
        for (unsigned from = threadIdx.x * PIECE_BYTES; from < shape.bytes(); from += LOADS * step) {
            unsigned words[LOADS][4];
#pragma unroll
            for (unsigned i = 0; i < LOADS; ++i) {
                if (from + i * step < shape.bytes()) {
                    asm volatile("ld.global.cg.v4.u32 {%0, %1, %2, %3}, [%4];"
                                 : "=r"(words[i][0]), "=r"(words[i][1]), "=r"(words[i][2]), "=r"(words[i][3])
                                 : "l"(source + shape.in_matrix(from + i * step)));
                }
            }
#pragma unroll
            for (unsigned i = 0; i < LOADS; ++i) {
                if (from + i * step < shape.bytes()) {
                    asm volatile("st.shared.v4.u32 [%0], {%1, %2, %3, %4};"
                                 : : "r"(shared_address(ring) + shape.place(from + i * step)), "r"(words[i][0]),
                                     "r"(words[i][1]), "r"(words[i][2]), "r"(words[i][3]) : "memory");
                }
            }
        }
        __syncthreads();
        sum = sum * FACTOR + sum_of_tile(ring, shape, by_columns);
        __syncthreads();
        next.advance();
    }
    leave_sum(sums, sum, ring);
}

// Begins to copy a tile, if there is one more, as a group of its own.
__device__ __forceinline__ void copy_asynchronously(Next &next, const unsigned char *panel, const Shape &shape,
                                                    bool is_there) {
    if (is_there) {
        const size_t source = __cvta_generic_to_global(panel) + (next.tile << shape.row_shift);
        const unsigned target = shared_address(ring) + next.stage * shape.bytes();
#pragma unroll 4
        for (unsigned from = threadIdx.x * PIECE_BYTES; from < shape.bytes(); from += blockDim.x * PIECE_BYTES) {
            asm volatile("cp.async.cg.shared.global [%0], [%1], 16;"
                         : : "r"(target + shape.place(from)), "l"(source + shape.in_matrix(from)) : "memory");
        }
        next.advance();
    }
    asm volatile("cp.async.commit_group;" ::: "memory");
}

// The groups that may be under way still are a number in the instruction, so there is a kernel for each depth of the ring.
template <unsigned STAGES>
__device__ __forceinline__ void sum_async_copies(const unsigned char *matrix, unsigned *sums, unsigned tiles,
                                                 const Shape &shape, unsigned by_columns) {
    const unsigned char *const own = panel(matrix, shape);
    Next next(STAGES, shape.slice);
#pragma unroll 1
    for (unsigned tile = 0; tile < STAGES; ++tile) copy_asynchronously(next, own, shape, tile < tiles);
    unsigned sum = 0, stage = 0;
#pragma unroll 1
    for (unsigned tile = 0; tile < tiles; ++tile) {
        asm volatile("cp.async.wait_group %0;" ::"n"(STAGES - 1) : "memory");
        __syncthreads();
        sum = sum * FACTOR + sum_of_tile(ring + stage * shape.bytes(), shape, by_columns);
        __syncthreads();
        copy_asynchronously(next, own, shape, tile + STAGES < tiles);
        if (++stage == STAGES) stage = 0;
    }
    leave_sum(sums, sum, ring);
}

#define ASYNC_COPIES(stages)                                                                                            \
    extern "C" __global__ void matrix_tiles_async_copies_##stages##_stages(                                             \
        const unsigned char *matrix, unsigned *sums, unsigned slice, unsigned tiles, unsigned row_bytes,                \
        unsigned tile_rows, unsigned swizzle_mask, unsigned by_columns) {                                               \
        sum_async_copies<stages>(matrix, sums, tiles, Shape(row_bytes, tile_rows, swizzle_mask, slice), by_columns);    \
    }
ASYNC_COPIES(1)
ASYNC_COPIES(2)
ASYNC_COPIES(3)
ASYNC_COPIES(4)

// Sums the tiles that `copy` brings in: all threads call it, with the tile that is next and the barrier of its place.
template <typename Copy>
__device__ __forceinline__ void sum_bulk_copies(unsigned *sums, unsigned tiles, unsigned stages, const Shape &shape,
                                                unsigned by_columns, const Copy &copy) {
    __shared__ PhaseBarrier arrived[STAGES_MAX];
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < stages; ++i) make_barrier(arrived + i, 1);
        show_barriers();
    }
    __syncthreads();
    Next next(stages, shape.slice);
#pragma unroll 1
    for (unsigned tile = 0; tile < stages && tile < tiles; ++tile) {
        copy(next, arrived + next.stage);
        next.advance();
    }
    unsigned sum = 0, stage = 0, parity = 0;
#pragma unroll 1
    for (unsigned tile = 0; tile < tiles; ++tile) {
        wait_for(arrived + stage, parity);
        sum = sum * FACTOR + sum_of_tile(ring + stage * shape.bytes(), shape, by_columns);
        __syncthreads();
        if (tile + stages < tiles) {
            copy(next, arrived + next.stage);
            next.advance();
        }
        if (++stage == stages) {
            stage = 0;
            parity ^= 1;
        }
    }
    leave_sum(sums, sum, ring);
}

extern "C" __global__ void matrix_tiles_row_copies(const unsigned char *matrix, unsigned *sums, unsigned slice,
                                                   unsigned tiles, unsigned row_bytes, unsigned tile_rows,
                                                   unsigned stages, unsigned by_columns) {
    const Shape shape(row_bytes, tile_rows, 0, slice);
    const unsigned char *const own = panel(matrix, shape);
    const auto copy_rows = [&](const Next &next, PhaseBarrier *arrived) {
        // A warp is slow to begin copies, so all of them share the rows out.
        const unsigned warps = blockDim.x / LANES, first = threadIdx.x % LANES * warps + threadIdx.x / LANES;
        if (threadIdx.x == 0) arrive_before(arrived, shape.bytes());
        const unsigned char *const source = own + (next.tile << shape.row_shift);
        unsigned char *const target = ring + next.stage * shape.bytes();
#pragma unroll 1
        for (unsigned row = first; row < tile_rows; row += blockDim.x) {
            copy_to_shared(target + (row << shape.row_shift), source + row * shape.pitch(), row_bytes, arrived);
        }
    };
    sum_bulk_copies(sums, tiles, stages, shape, by_columns, copy_rows);
}

extern "C" __global__ void matrix_tiles_tile_copies(const __grid_constant__ TensorMap matrix, unsigned *sums,
                                                    unsigned slice, unsigned tiles, unsigned row_bytes,
                                                    unsigned tile_rows, unsigned swizzle_mask, unsigned stages,
                                                    unsigned by_columns) {
    const Shape shape(row_bytes, tile_rows, swizzle_mask, slice);
    const auto copy_tile = [&](const Next &next, PhaseBarrier *arrived) {
        if (threadIdx.x == 0) {
            arrive_before(arrived, shape.bytes());
            copy_tile_to_shared(ring + next.stage * shape.bytes(), &matrix, next.tile * (row_bytes / 4),
                                blockIdx.x * tile_rows, arrived);
        }
    };
    sum_bulk_copies(sums, tiles, stages, shape, by_columns, copy_tile);
}
