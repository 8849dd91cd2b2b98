// Transposing a square matrix of words: by scattered writes, and through tiles in shared memory whose columns are in one
// bank, padded or swizzled.
//
// A block takes a tile of TILE x TILE elements with TILE x TILE / ROWS threads; each thread takes ROWS elements of one
// column, TILE / ROWS rows apart, and reads all of them before it writes the first. Tiles at the right and lower edge may
// be smaller. Indices of elements fit 32 bits up to a width of 65535. src/family/transpose/ computes the same on the host.

enum class Storage { plain, padded, swizzled };

// Where element (row, column) of a tile is in shared memory.
template <int TILE, Storage STORAGE>
__device__ __forceinline__ int place(int row, int column) {
    if (STORAGE == Storage::padded) return row * (TILE + 1) + column;
    if (STORAGE == Storage::swizzled) return row * TILE + (column ^ row);
    return row * TILE + column;
}

// The elements of a thread: from (row, column) downwards, `STEP` rows apart.
template <int STEP, int ROWS>
__device__ __forceinline__ void read_rows(const unsigned *matrix, unsigned width, unsigned row, unsigned column,
                                          unsigned (&values)[ROWS]) {
    const unsigned index = row * width + column;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        values[i] = row + i * STEP < width && column < width ? matrix[index + i * STEP * width] : 0;
    }
}

template <int STEP, int ROWS>
__device__ __forceinline__ void write_rows(unsigned *matrix, unsigned width, unsigned row, unsigned column,
                                           const unsigned (&values)[ROWS]) {
    const unsigned index = row * width + column;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        if (row + i * STEP < width && column < width) matrix[index + i * STEP * width] = values[i];
    }
}

template <int TILE, int ROWS>
__device__ __forceinline__ void copy(const unsigned *input, unsigned *output, unsigned width) {
    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;
    unsigned values[ROWS];
    read_rows<TILE / ROWS>(input, width, row, column, values);
    write_rows<TILE / ROWS>(output, width, row, column, values);
}

template <int TILE, int ROWS>
__device__ __forceinline__ void naive(const unsigned *input, unsigned *output, unsigned width) {
    const unsigned row = blockIdx.y * TILE + threadIdx.y;
    const unsigned column = blockIdx.x * TILE + threadIdx.x;
    unsigned values[ROWS];
    read_rows<TILE / ROWS>(input, width, row, column, values);
    output += column * width + row;
#pragma unroll
    for (int i = 0; i < ROWS; ++i) {
        if (row + i * (TILE / ROWS) < width && column < width) output[i * (TILE / ROWS)] = values[i];
    }
}

// Shared memory: TILE x TILE words, TILE x (TILE + 1) where padded.
template <int TILE, int ROWS, Storage STORAGE>
__device__ __forceinline__ void through_shared(const unsigned *input, unsigned *output, unsigned width) {
    extern __shared__ unsigned tile[];
    const int step = TILE / ROWS;
    unsigned values[ROWS];
    read_rows<step>(input, width, blockIdx.y * TILE + threadIdx.y, blockIdx.x * TILE + threadIdx.x, values);
#pragma unroll
    for (int i = 0; i < ROWS; ++i) tile[place<TILE, STORAGE>(threadIdx.y + i * step, threadIdx.x)] = values[i];
    __syncthreads();
#pragma unroll
    for (int i = 0; i < ROWS; ++i) values[i] = tile[place<TILE, STORAGE>(threadIdx.x, threadIdx.y + i * step)];
    write_rows<step>(output, width, blockIdx.x * TILE + threadIdx.y, blockIdx.y * TILE + threadIdx.x, values);
}

// Four neighbours in a row, zero outside the matrix. In one access of 16 bytes where rows are whole numbers of them, which they are if `ALIGNED`.
template <bool ALIGNED>
__device__ __forceinline__ uint4 read_quad(const unsigned *matrix, unsigned width, unsigned row, unsigned column) {
    uint4 quad = make_uint4(0, 0, 0, 0);
    if (row >= width) return quad;
    const unsigned *element = matrix + row * width + column;
    if (ALIGNED || width % 4 == 0) {
        if (column < width) quad = *reinterpret_cast<const uint4 *>(element);
        return quad;
    }
    if (column + 0 < width) quad.x = element[0];
    if (column + 1 < width) quad.y = element[1];
    if (column + 2 < width) quad.z = element[2];
    if (column + 3 < width) quad.w = element[3];
    return quad;
}

template <bool ALIGNED>
__device__ __forceinline__ void write_quad(unsigned *matrix, unsigned width, unsigned row, unsigned column, uint4 quad) {
    if (row >= width) return;
    unsigned *element = matrix + row * width + column;
    if (ALIGNED || width % 4 == 0) {
        if (column < width) *reinterpret_cast<uint4 *>(element) = quad;
        return;
    }
    if (column + 0 < width) element[0] = quad.x;
    if (column + 1 < width) element[1] = quad.y;
    if (column + 2 < width) element[2] = quad.z;
    if (column + 3 < width) element[3] = quad.w;
}

// Tiles of 64 x 64 elements, 16 x 16 threads. A thread takes 4 x 4 elements, turns them over in registers, and moves four of
// them at a time everywhere. Quads are swizzled: the one in column q of row r is in column q ^ (r / 4), so that neither
// neighbouring rows nor neighbouring columns of quads share banks.
template <bool DOWN, bool ALIGNED>
__device__ __forceinline__ void through_quads(const unsigned *input, unsigned *output, unsigned width) {
    extern __shared__ uint4 quads[];
    const unsigned TILE = 64, QUADS = TILE / 4;
    const unsigned x = threadIdx.x, y = threadIdx.y;
    const unsigned first_row = (DOWN ? blockIdx.x : blockIdx.y) * TILE, first_column = (DOWN ? blockIdx.y : blockIdx.x) * TILE;
    uint4 rows[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) rows[i] = read_quad<ALIGNED>(input, width, first_row + 4 * y + i, first_column + 4 * x);
    uint4 *column = quads + 4 * x * QUADS + (y ^ x);
    column[0 * QUADS] = make_uint4(rows[0].x, rows[1].x, rows[2].x, rows[3].x);
    column[1 * QUADS] = make_uint4(rows[0].y, rows[1].y, rows[2].y, rows[3].y);
    column[2 * QUADS] = make_uint4(rows[0].z, rows[1].z, rows[2].z, rows[3].z);
    column[3 * QUADS] = make_uint4(rows[0].w, rows[1].w, rows[2].w, rows[3].w);
    __syncthreads();
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        write_quad<ALIGNED>(output, width, first_column + 4 * y + i, first_row + 4 * x, quads[(4 * y + i) * QUADS + (x ^ y)]);
    }
}

extern "C" __global__ void transpose_shared_vectorised(const unsigned *input, unsigned *output, unsigned width) {
    through_quads<false, false>(input, output, width);
}

// Whatever the width, warps write whole sectors of 32 bytes, but for the ends of a row of the output: L2 takes longer for a sector that two
// warps write in part, the more so at different times. So the part of output row c that a block writes begins where
// a sector does, up to 7 elements before its tile, and the block reads 7 more rows of the input.
//
// Tiles of 64 rows. Where `DOWN`, blocks that begin together are below each other and write neighbouring parts of the same rows.
#define SECTOR 8

// What the loads of a tile tell L2: to keep their lines until the tiles beside this one have read them, and to bring in the 128 or 256 bytes around a
// word. A row of a tile may begin in the middle of them, and device memory is read faster in whole ones. From compute capability 8.0 on.
enum class Kept { not_at_all, lines, pairs_of_lines };

template <Kept KEPT>
__device__ __forceinline__ unsigned load_kept(const unsigned *place, unsigned long long policy) {
    unsigned value;
    const auto address = __cvta_generic_to_global(place);
    if constexpr (KEPT == Kept::lines) {
        asm volatile("ld.global.L2::cache_hint.L2::128B.u32 %0, [%1], %2;" : "=r"(value) : "l"(address), "l"(policy));
    } else {
        asm volatile("ld.global.L2::cache_hint.L2::256B.u32 %0, [%1], %2;" : "=r"(value) : "l"(address), "l"(policy));
    }
    return value;
}

template <int COLUMNS, int THREADS, Kept KEPT, bool EDGE>
__device__ __forceinline__ void tile_of_sectors(const unsigned *input, unsigned *output, unsigned width, int first_row,
                                                int first_column) {
    constexpr int ROWS = 64, LANES = 32, WARPS = THREADS / LANES;
    constexpr int PITCH = COLUMNS + 1, PARTS = COLUMNS / LANES, ACCESSES = ROWS * PARTS / WARPS;
    constexpr int ROW_PARTS = ROWS / LANES;
    extern __shared__ unsigned tile[];
    unsigned *const own = tile + (SECTOR - 1) * PITCH;
    const int warp = threadIdx.x / LANES, lane = threadIdx.x % LANES, size = width;
    const int above = width % SECTOR == 0 ? 0 : SECTOR - 1;
    const auto inside = [=](int row, int column) {
        return !EDGE || (first_row + row >= 0 && first_row + row < size && first_column + column < size);
    };
    const unsigned *const corner = input + first_row * width + first_column + lane;
    unsigned long long policy = 0;
    if constexpr (KEPT != Kept::not_at_all) asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy));
    unsigned values[ACCESSES];
#pragma unroll
    for (int i = 0; i < ACCESSES; ++i) {
        const int access = warp + i * WARPS, row = access / PARTS, column = access % PARTS * LANES;
        if (!inside(row, column + lane)) continue;
        const unsigned *const place = corner + row * width + column;
        if constexpr (KEPT == Kept::not_at_all) values[i] = *place;
        else values[i] = load_kept<KEPT>(place, policy);
    }
    for (int access = warp - above * PARTS; access < 0; access += WARPS) {
        const int row = (access + above * PARTS) / PARTS - above, column = (access + above * PARTS) % PARTS * LANES;
        if (inside(row, column + lane)) own[row * PITCH + column + lane] = corner[row * size + column];
    }
#pragma unroll
    for (int i = 0; i < ACCESSES; ++i) {
        const int access = warp + i * WARPS;
        own[access / PARTS * PITCH + access % PARTS * LANES + lane] = values[i];
    }
    __syncthreads();
    unsigned *const target = output + first_column * width + first_row + lane;
#pragma unroll
    for (int i = 0; i < ACCESSES; ++i) {
        const int access = warp + i * WARPS;
        const int column = access / ROW_PARTS, row = access % ROW_PARTS * LANES;
        const int before = (first_column + column) * width % SECTOR;
        if (inside(row + lane - before, column)) {
            target[column * size + row - before] = own[(row + lane - before) * PITCH + column];
        }
    }
}

template <int COLUMNS, int THREADS, bool DOWN, Kept KEPT = Kept::not_at_all>
__device__ __forceinline__ void whole_sectors(const unsigned *input, unsigned *output, unsigned width) {
    constexpr int ROWS = 64;
    const int size = width, above = width % SECTOR == 0 ? 0 : SECTOR - 1;
    const int first_row = (DOWN ? blockIdx.x : blockIdx.y) * ROWS;
    const int first_column = (DOWN ? blockIdx.y : blockIdx.x) * COLUMNS;
    if (first_row >= above && first_row + ROWS <= size && first_column + COLUMNS <= size) {
        tile_of_sectors<COLUMNS, THREADS, KEPT, false>(input, output, width, first_row, first_column);
    } else {
        // All of a thread's reads at once here, too: the blocks at the right edge are the last ones, and nothing hides their latency.
        tile_of_sectors<COLUMNS, THREADS, KEPT, true>(input, output, width, first_row, first_column);
    }
}

extern "C" __global__ void __launch_bounds__(512, 4) transpose_whole_sectors(const unsigned *input, unsigned *output,
                                                                             unsigned width) {
    whole_sectors<64, 512, true>(input, output, width);
}

// For matrices larger than L2.
extern "C" __global__ void __launch_bounds__(512, 4)
    transpose_whole_sectors_kept_lines(const unsigned *input, unsigned *output, unsigned width) {
    whole_sectors<64, 512, true, Kept::lines>(input, output, width);
}

// For those many times as large as L2 whose rows are whole sectors, but begin in the middle of 256 bytes.
extern "C" __global__ void __launch_bounds__(512, 4)
    transpose_whole_sectors_kept(const unsigned *input, unsigned *output, unsigned width) {
    whole_sectors<64, 512, true, Kept::pairs_of_lines>(input, output, width);
}

// For rows that are whole sectors, so that accesses of 16 bytes write nothing else: fewer of them, and less to wait for at either end of a launch.
extern "C" __global__ void __launch_bounds__(256, 6) transpose_whole_sectors_quads(const unsigned *input, unsigned *output,
                                                                                   unsigned width) {
    through_quads<true, true>(input, output, width);
}

// For matrices of which half of the L2 cache holds both: smaller blocks, which end more evenly.
extern "C" __global__ void __launch_bounds__(256, 8) transpose_whole_sectors_small(const unsigned *input,
                                                                                   unsigned *output, unsigned width) {
    whole_sectors<32, 256, false>(input, output, width);
}

#define KERNEL(NAME, TILE, ROWS, BODY)                                                                                  \
    extern "C" __global__ void transpose_##NAME##_##TILE##_##ROWS(const unsigned *input, unsigned *output,              \
                                                                  unsigned width) {                                     \
        BODY(input, output, width);                                                                                     \
    }
#define KERNELS(TILE, ROWS)                                                                                             \
    KERNEL(copy, TILE, ROWS, (copy<TILE, ROWS>))                                                                        \
    KERNEL(naive, TILE, ROWS, (naive<TILE, ROWS>))                                                                      \
    KERNEL(shared, TILE, ROWS, (through_shared<TILE, ROWS, Storage::plain>))                                            \
    KERNEL(shared_padded, TILE, ROWS, (through_shared<TILE, ROWS, Storage::padded>))                                    \
    KERNEL(shared_swizzled, TILE, ROWS, (through_shared<TILE, ROWS, Storage::swizzled>))
KERNELS(16, 1) KERNELS(16, 2) KERNELS(16, 4) KERNELS(16, 8)
KERNELS(32, 1) KERNELS(32, 2) KERNELS(32, 4) KERNELS(32, 8)
