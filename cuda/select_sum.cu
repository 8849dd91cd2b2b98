// SELECT SUM(quantity * extendedprice) WHERE suppkey < threshold: a query that reads much and computes little.
//
// A thread looks at one row, or at two that are a block's width apart, and only reads the other columns of rows that
// it selects. A block sums what its threads found by a tree in shared memory, 64 bits for each thread; the host adds
// the blocks' sums. Rows beyond the last count as not selected. blockDim.x is a power of two, 64 or more.
// src/family/select_sum/reference.rs computes the same on the host.

#define LANES 32

typedef long long Number;

struct Columns {
    const unsigned *suppkey;
    const Number *quantity;
    const Number *extendedprice;
    unsigned rows;
    unsigned threshold;

    __device__ __forceinline__ Number product(unsigned row) const {
        if (row >= rows || suppkey[row] >= threshold) return 0;
        return quantity[row] * extendedprice[row];
    }
};

extern "C" __global__ void select_sum_select_only(const unsigned *suppkey, const Number *quantity, const Number *extendedprice,
                                                  Number *products, unsigned rows, unsigned threshold) {
    const unsigned row = blockIdx.x * blockDim.x + threadIdx.x;
    if (row < rows) products[row] = Columns{suppkey, quantity, extendedprice, rows, threshold}.product(row);
}

// Sums lie ever farther apart, and leading threads add them: what lanes of a warp want collides in banks.
struct Strided {
    __device__ __forceinline__ static Number sum(Number *places) {
#pragma unroll 1
        for (unsigned distance = 1; distance < blockDim.x; distance *= 2) {
            const unsigned place = 2 * distance * threadIdx.x;
            if (place < blockDim.x) places[place] += places[place + distance];
            __syncthreads();
        }
        return places[0];
    }
};

// The sums are always the first places: neighbouring lanes want neighbouring words.
struct Sequential {
    __device__ __forceinline__ static Number sum(Number *places) {
#pragma unroll 1
        for (unsigned distance = blockDim.x / 2; distance > 0; distance /= 2) {
            if (threadIdx.x < distance) places[threadIdx.x] += places[threadIdx.x + distance];
            __syncthreads();
        }
        return places[0];
    }
};

// The same, but what is left to one warp needs no loop and no barrier of the block. All its lanes add, also those
// whose sums nobody wants. Reading and writing are kept apart by __syncwarp: lanes of a warp need not be in lockstep.
struct Unrolled {
    __device__ __forceinline__ static Number sum(Number *places) {
#pragma unroll 1
        for (unsigned distance = blockDim.x / 2; distance > LANES; distance /= 2) {
            if (threadIdx.x < distance) places[threadIdx.x] += places[threadIdx.x + distance];
            __syncthreads();
        }
        Number own = 0;
        if (threadIdx.x < LANES) {
            own = places[threadIdx.x];
#pragma unroll
            for (unsigned distance = LANES; distance > 0; distance /= 2) {
                own += places[threadIdx.x + distance];
                __syncwarp();
                places[threadIdx.x] = own;
                __syncwarp();
            }
        }
        return own;
    }
};

// Thread 0's sum counts.
template <typename Tree>
__device__ __forceinline__ void sum_block(Number own, Number *sum) {
    extern __shared__ Number places[];
    places[threadIdx.x] = own;
    __syncthreads();
    const Number all = Tree::sum(places);
    if (threadIdx.x == 0) *sum = all;
}

// Blocks are numbered on from `first_block`, so that a launch can be for a part of the rows.
template <typename Tree>
__device__ __forceinline__ void sum_one_row_per_thread(const Columns &columns, Number *sums, unsigned first_block) {
    const unsigned block = first_block + blockIdx.x;
    sum_block<Tree>(columns.product(block * blockDim.x + threadIdx.x), sums + block);
}

__device__ __forceinline__ void sum_two_rows_per_thread(const Columns &columns, Number *sums, unsigned first_block) {
    const unsigned block = first_block + blockIdx.x;
    const unsigned row = 2 * block * blockDim.x + threadIdx.x;
    sum_block<Unrolled>(columns.product(row) + columns.product(row + blockDim.x), sums + block);
}

#define COLUMNS const unsigned *suppkey, const Number *quantity, const Number *extendedprice, Number *sums, unsigned rows, \
                unsigned threshold, unsigned first_block

extern "C" __global__ void select_sum_block_sum_strided(COLUMNS) {
    sum_one_row_per_thread<Strided>({suppkey, quantity, extendedprice, rows, threshold}, sums, first_block);
}

extern "C" __global__ void select_sum_block_sum_sequential(COLUMNS) {
    sum_one_row_per_thread<Sequential>({suppkey, quantity, extendedprice, rows, threshold}, sums, first_block);
}

extern "C" __global__ void select_sum_block_sum_unrolled(COLUMNS) {
    sum_one_row_per_thread<Unrolled>({suppkey, quantity, extendedprice, rows, threshold}, sums, first_block);
}

extern "C" __global__ void select_sum_two_rows_per_thread(COLUMNS) {
    sum_two_rows_per_thread({suppkey, quantity, extendedprice, rows, threshold}, sums, first_block);
}

// No more registers than two blocks of 1024 threads leave each other, which is 32 where a multiprocessor has 65536 of
// them: then it is full of threads. The first GPUs had 8192 for 768 threads, and there it took a limit of 10.
extern "C" __global__ void __launch_bounds__(1024, 2) select_sum_limited_registers(COLUMNS) {
    sum_two_rows_per_thread({suppkey, quantity, extendedprice, rows, threshold}, sums, first_block);
}

// The same over a chunk of the rows, whose columns lie one behind the other, so that one copy brings the chunk: from
// `first_word` on its keys, then its quantities, then its prices. Numbers have 8 bytes and begin at multiples of 8:
// behind an odd number of keys there is a word that nobody wants.
extern "C" __global__ void __launch_bounds__(1024, 2) select_sum_chunk(const unsigned *chunks, Number *sums, unsigned first_word,
                                                                       unsigned rows, unsigned threshold, unsigned first_block) {
    const unsigned *suppkey = chunks + first_word;
    const Number *quantity = reinterpret_cast<const Number *>(suppkey + rows + rows % 2);
    sum_two_rows_per_thread({suppkey, quantity, quantity + rows, rows, threshold}, sums + first_block, 0);
}

// Sums of sums, two for each thread. They go to a place of their own: blocks that have not begun still want theirs.
extern "C" __global__ void select_sum_reduce(const Number *sums, Number *fewer_sums, unsigned count) {
    const unsigned first = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned second = first + blockDim.x;
    const Number own = (first < count ? sums[first] : 0) + (second < count ? sums[second] : 0);
    sum_block<Unrolled>(own, fewer_sums + blockIdx.x);
}
