// Fragments of matrices for tensor cores: what it costs to load them from a tile in shared memory, by the instruction and by where
// the tile's rows lie.
//
// A fragment is a matrix of 16 by 16 halves, four matrices of 8 by 8. Lane l holds four registers of two halves each: register r has
// row l / 4 + 8 * (r % 2) and columns 2 * (l % 4) + 8 * (r / 2) and the next. The tile has 16 rows, hence a fragment for every 32
// bytes of a row. Each warp loads one fragment after another, from the first to the last and over again, and sums each register.
//
// - Plain: a load of 32 bits for each register.
// - ldmatrix: one instruction for all four. A lane names a row of 16 bytes, and the hardware hands out its halves.
//
// The loop is the same for every layout: addresses are in registers before it begins. Its loads do not depend on each other.
// src/family/matrix_fragments/reference.rs computes the same on the host.

#define LANES 32
#define ROWS 16
#define REGISTERS 4
// Words of a fragment's row, and of the pieces of a row that stay together in every layout.
#define FRAGMENT_WORDS 8
#define PIECE_WORDS 4
// Loads of a turn of the loop, each through addresses of its own: as many as the longest rows have fragments.
#define UNROLLED 8

// A word for each register of a fragment, through an address for each.
struct Plain {
    unsigned address[REGISTERS];
    template <typename Place> __device__ __forceinline__ void prepare(unsigned first_word, unsigned lane, Place place) {
#pragma unroll
        for (unsigned i = 0; i < REGISTERS; ++i) {
            const unsigned row = lane / 4 + 8 * (i % 2);
            address[i] = place(row, first_word + lane % 4 + PIECE_WORDS * (i / 2));
            // The compiler would otherwise compute addresses from each other inside the loop.
            asm volatile("" : "+r"(address[i]));
        }
    }
    __device__ __forceinline__ void load(unsigned *fragment) const {
#pragma unroll
        for (unsigned i = 0; i < REGISTERS; ++i) {
            asm volatile("ld.volatile.shared.u32 %0, [%1];" : "=r"(fragment[i]) : "r"(address[i]));
        }
    }
};

// All registers at once. Lanes 8m to 8m + 7 name the rows of matrix m.
struct Matrix {
    unsigned address;
    template <typename Place> __device__ __forceinline__ void prepare(unsigned first_word, unsigned lane, Place place) {
        address = place(lane % ROWS, first_word + PIECE_WORDS * (lane / ROWS));
        asm volatile("" : "+r"(address));
    }
    __device__ __forceinline__ void load(unsigned *fragment) const {
        asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                     : "=r"(fragment[0]), "=r"(fragment[1]), "=r"(fragment[2]), "=r"(fragment[3])
                     : "r"(address)
                     : "memory");
    }
};

// Rows have `row_words` words and begin `pitch_words` apart. Piece p of row r lies at p ^ ((r >> swizzle_shift) & swizzle_mask) of it.
template <typename Load>
__device__ __forceinline__ void load_repeatedly(const unsigned *input, unsigned *sums, unsigned turns, unsigned row_words,
                                                unsigned pitch_words, unsigned swizzle_shift, unsigned swizzle_mask) {
    extern __shared__ __align__(16) unsigned tile[];
    const auto place = [=](unsigned row, unsigned word) {
        const unsigned piece = (word / PIECE_WORDS) ^ ((row >> swizzle_shift) & swizzle_mask);
        return row * pitch_words + piece * PIECE_WORDS + word % PIECE_WORDS;
    };
    for (unsigned i = threadIdx.x; i < ROWS * row_words; i += blockDim.x) {
        tile[place(i / row_words, i % row_words)] = input[i];
    }
    __syncthreads();

    const auto address_of = [=](unsigned row, unsigned word) {
        return static_cast<unsigned>(__cvta_generic_to_shared(tile + place(row, word)));
    };
    Load loads[UNROLLED];
#pragma unroll
    for (unsigned i = 0; i < UNROLLED; ++i) {
        // Row lengths are powers of two.
        loads[i].prepare((i * FRAGMENT_WORDS) & (row_words - 1), threadIdx.x % LANES, address_of);
    }
    unsigned sum[REGISTERS] = {};
#pragma unroll 1
    for (; turns != 0; --turns) {
#pragma unroll
        for (unsigned i = 0; i < UNROLLED; ++i) {
            unsigned fragment[REGISTERS];
            loads[i].load(fragment);
#pragma unroll
            for (unsigned j = 0; j < REGISTERS; ++j) sum[j] += fragment[j];
        }
    }
    const unsigned threads = gridDim.x * blockDim.x;
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll
    for (unsigned i = 0; i < REGISTERS; ++i) sums[i * threads + thread] = sum[i];
}

#define KERNEL(name, Load)                                                                                              \
    extern "C" __global__ void matrix_fragments_##name(const unsigned *input, unsigned *sums, unsigned turns,           \
                                                       unsigned row_words, unsigned pitch_words,                       \
                                                       unsigned swizzle_shift, unsigned swizzle_mask) {                \
        load_repeatedly<Load>(input, sums, turns, row_words, pitch_words, swizzle_shift, swizzle_mask);                 \
    }
KERNEL(plain, Plain)
KERNEL(ldmatrix, Matrix)
