// Access to global memory: copies whose lanes read and write in different orders.
//
// The matrix copies have blocks of TILE x TILE threads, one tile of a width x width matrix each. A coalesced side goes
// along the tile's rows. An uncoalesced side has threadIdx.x and threadIdx.y exchanged and goes along its columns, so
// that neighbouring lanes are a row apart. Exchanged on one side alone, the copy transposes every tile.
//
// The other copies are one-dimensional, a thread to a word of 4, 8 or 16 bytes.
// src/family/global_access/pattern.rs has the same orders on the host.

#define TILE 16

// Where a side of the copy finds the thread's element. In the tiles that the matrix's edge cuts, an element whose
// counterpart across the diagonal is outside stays where it is: every thread inside has its own element either way.
template <bool EXCHANGED>
__device__ __forceinline__ unsigned element_of_thread(unsigned width) {
    const unsigned row = TILE * blockIdx.y + threadIdx.y;
    const unsigned column = TILE * blockIdx.x + threadIdx.x;
    if (EXCHANGED) {
        const unsigned exchanged_row = TILE * blockIdx.y + threadIdx.x;
        const unsigned exchanged_column = TILE * blockIdx.x + threadIdx.y;
        if (exchanged_row < width && exchanged_column < width) return exchanged_row * width + exchanged_column;
    }
    return row * width + column;
}

template <bool READ_EXCHANGED, bool WRITE_EXCHANGED>
__device__ __forceinline__ void copy_tile(const unsigned *input, unsigned *output, unsigned width) {
    const unsigned row = TILE * blockIdx.y + threadIdx.y;
    const unsigned column = TILE * blockIdx.x + threadIdx.x;
    if (row >= width || column >= width) return;
    output[element_of_thread<WRITE_EXCHANGED>(width)] = input[element_of_thread<READ_EXCHANGED>(width)];
}

#define MATRIX_COPY(name, read_exchanged, write_exchanged)                                                   \
    extern "C" __global__ void global_access_##name(const unsigned *input, unsigned *output, unsigned width) { \
        copy_tile<read_exchanged, write_exchanged>(input, output, width);                                    \
    }
MATRIX_COPY(read_coalesced_write_coalesced, false, false)
MATRIX_COPY(read_uncoalesced_write_coalesced, true, false)
MATRIX_COPY(read_coalesced_write_uncoalesced, false, true)
MATRIX_COPY(read_uncoalesced_write_uncoalesced, true, true)

__device__ __forceinline__ unsigned thread_of_grid() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

// Thread i copies word i.
template <typename Word>
__device__ __forceinline__ void straight(const Word *input, Word *output, unsigned words) {
    const unsigned i = thread_of_grid();
    if (i < words) output[i] = input[i];
}

// Even and odd threads take each other's word. The last of an odd number of words has no neighbour.
template <typename Word>
__device__ __forceinline__ void crossed(const Word *input, Word *output, unsigned words) {
    const unsigned i = thread_of_grid();
    if (i >= words) return;
    const unsigned neighbour = i ^ 1;
    const unsigned own = neighbour < words ? neighbour : i;
    output[own] = input[own];
}

// Reads `offset` words further on than it writes.
template <typename Word>
__device__ __forceinline__ void offset(const Word *input, Word *output, unsigned words, unsigned offset) {
    const unsigned i = thread_of_grid();
    if (i < words) output[i] = input[i + offset];
}

// Reads every stride-th word, first those from word 0 on, then those from word 1 on, and so on: blockIdx.y is the word
// it begins with. Writes word after word. The first `full` of these rows have one word more than the others.
template <typename Word>
__device__ __forceinline__ void strided(const Word *input, Word *output, unsigned stride, unsigned row_words,
                                        unsigned full) {
    const unsigned i = thread_of_grid();
    const unsigned row = blockIdx.y;
    const unsigned length = row < full ? row_words : row_words - 1;
    if (i >= length) return;
    output[row * (row_words - 1) + min(row, full) + i] = input[i * stride + row];
}

// A bijection of the numbers below a power of two: multiplications by odd numbers modulo that power, each followed by
// folding the upper half of the bits onto the lower.
__device__ __forceinline__ unsigned mixed(unsigned value, unsigned mask, unsigned shift) {
    value = value * 0x9e3779b1u + 0x7f4a7c15u & mask;
    value ^= value >> shift;
    value = value * 0x85ebca6bu & mask;
    value ^= value >> shift;
    value = value * 0xc2b2ae35u & mask;
    return value ^ value >> shift;
}

// Reads the words in an order that looks random. Numbers beyond the last word are mixed again until they are not, which
// makes the bijection one of the words.
template <typename Word>
__device__ __forceinline__ void permuted(const Word *input, Word *output, unsigned words, unsigned mask, unsigned shift) {
    const unsigned i = thread_of_grid();
    if (i >= words) return;
    unsigned read = i;
    do {
        read = mixed(read, mask, shift);
    } while (read >= words);
    output[i] = input[read];
}

#define LINEAR_COPIES(bytes, Word)                                                                                    \
    extern "C" __global__ void global_access_straight_##bytes(const Word *input, Word *output, unsigned words) {      \
        straight(input, output, words);                                                                               \
    }                                                                                                                 \
    extern "C" __global__ void global_access_crossed_##bytes(const Word *input, Word *output, unsigned words) {       \
        crossed(input, output, words);                                                                                \
    }                                                                                                                 \
    extern "C" __global__ void global_access_offset_##bytes(const Word *input, Word *output, unsigned words,          \
                                                            unsigned shifted) {                                       \
        offset(input, output, words, shifted);                                                                        \
    }                                                                                                                 \
    extern "C" __global__ void global_access_strided_##bytes(const Word *input, Word *output, unsigned stride,        \
                                                             unsigned row_words, unsigned full) {                     \
        strided(input, output, stride, row_words, full);                                                              \
    }                                                                                                                 \
    extern "C" __global__ void global_access_permuted_##bytes(const Word *input, Word *output, unsigned words,        \
                                                              unsigned mask, unsigned shift) {                        \
        permuted(input, output, words, mask, shift);                                                                  \
    }
LINEAR_COPIES(4, unsigned)
LINEAR_COPIES(8, uint2)
LINEAR_COPIES(16, uint4)
