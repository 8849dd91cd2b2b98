// Histograms: how many of an array's 32-bit words are in each of a number of bins of equal width. A word's bin is the word shifted
// right by `shift`; bins are a power of two.
//
// Counts are added by `red` in inline PTX, so that no compiler combines the lanes of an atomicAdd by itself. In shared memory, an
// increment by one is an instruction of its own on today's GPUs (ATOMS.POPC.INC), which counts lanes with the same
// bin at once. src/family/histogram/ computes the same on the host.

#define WARP 32
#define ALL_LANES 0xFFFFFFFFu
// Words of a vector, and vectors that a thread loads before it counts.
#define VECTOR 4
#define LOADS 4

__device__ __forceinline__ void add_global(unsigned *bin, unsigned count) {
    asm volatile("red.global.add.u32 [%0], %1;" : : "l"(__cvta_generic_to_global(bin)), "r"(count) : "memory");
}

__device__ __forceinline__ void count_shared(unsigned *bin) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(bin));
    asm volatile("red.shared.add.u32 [%0], 1;" : : "r"(address) : "memory");
}

__device__ __forceinline__ void add_shared(unsigned *bin, unsigned count) {
    const unsigned address = static_cast<unsigned>(__cvta_generic_to_shared(bin));
    asm volatile("red.shared.add.u32 [%0], %1;" : : "r"(address), "r"(count) : "memory");
}

extern "C" __global__ void histogram_clear(unsigned *histogram, unsigned bins) {
    const unsigned bin = blockIdx.x * blockDim.x + threadIdx.x;
    if (bin < bins) histogram[bin] = 0;
}

// The words of the grid's threads, one by one, neighbours to neighbouring lanes. Whole warps come, so that lanes can work
// together: those without a word are told so.
template <typename Count>
__device__ __forceinline__ void for_each_word(const unsigned *words, unsigned long long elements, Count count) {
    const unsigned long long threads = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
    const unsigned long long whole = (elements + WARP - 1) / WARP * WARP;
#pragma unroll 1
    for (unsigned long long place = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x; place < whole;
         place += threads) {
        const bool is_there = place < elements;
        count(is_there ? words[place] : 0, is_there);
    }
}

// The same in vectors of four, so many at once that memory always has something to bring. Words beyond the last whole
// vector come one by one.
template <typename Count>
__device__ __forceinline__ void for_each_vector(const unsigned *words, unsigned long long elements, Count count) {
    const unsigned long long vectors = elements / VECTOR;
    const unsigned long long tile = static_cast<unsigned long long>(blockDim.x) * LOADS;
    const uint4 *const source = reinterpret_cast<const uint4 *>(words);
#pragma unroll 1
    for (unsigned long long first = blockIdx.x * tile; first < vectors; first += gridDim.x * tile) {
        uint4 loaded[LOADS];
        if (first + tile <= vectors) {
#pragma unroll
            for (unsigned i = 0; i < LOADS; ++i) loaded[i] = __ldcs(source + first + i * blockDim.x + threadIdx.x);
#pragma unroll
            for (unsigned i = 0; i < LOADS; ++i) {
                count(loaded[i].x);
                count(loaded[i].y);
                count(loaded[i].z);
                count(loaded[i].w);
            }
        } else {
#pragma unroll 1
            for (unsigned long long place = first + threadIdx.x; place < vectors; place += blockDim.x) {
                const uint4 vector = source[place];
                count(vector.x);
                count(vector.y);
                count(vector.z);
                count(vector.w);
            }
        }
    }
    if (blockIdx.x == 0 && threadIdx.x < elements % VECTOR) count(words[vectors * VECTOR + threadIdx.x]);
}

extern "C" __global__ void histogram_global_atomics(const unsigned *words, unsigned *histogram, unsigned bins,
                                                    unsigned shift, unsigned long long elements) {
    for_each_word(words, elements, [=](unsigned word, bool is_there) {
        if (is_there) add_global(histogram + (word >> shift), 1);
    });
}

extern __shared__ unsigned own[];

__device__ __forceinline__ void clear_own(unsigned count) {
    for (unsigned place = threadIdx.x; place < count; place += blockDim.x) own[place] = 0;
    __syncthreads();
}

// Bin b of copy c is at c * copy_pitch + b * bin_pitch.
__device__ __forceinline__ void add_own_to(unsigned *histogram, unsigned bins, unsigned copies, unsigned copy_pitch,
                                           unsigned bin_pitch) {
    __syncthreads();
    for (unsigned bin = threadIdx.x; bin < bins; bin += blockDim.x) {
        unsigned sum = 0;
        for (unsigned copy = 0; copy < copies; ++copy) sum += own[copy * copy_pitch + bin * bin_pitch];
        if (sum > 0) add_global(histogram + bin, sum);
    }
}

// Shared memory: `bins` words.
extern "C" __global__ void histogram_shared_atomics(const unsigned *words, unsigned *histogram, unsigned bins,
                                                    unsigned shift, unsigned long long elements) {
    clear_own(bins);
    for_each_word(words, elements, [=](unsigned word, bool is_there) {
        if (is_there) count_shared(own + (word >> shift));
    });
    add_own_to(histogram, bins, 1, 0, 1);
}

extern "C" __global__ void __launch_bounds__(1024, 2) histogram_vectorised(const unsigned *words, unsigned *histogram, unsigned bins,
                                                unsigned shift, unsigned long long elements) {
    clear_own(bins);
    for_each_vector(words, elements, [=](unsigned word) { count_shared(own + (word >> shift)); });
    add_own_to(histogram, bins, 1, 0, 1);
}

// A copy of the bins for each warp. Shared memory: `bins` words for each, and one more that keeps copies from the same banks.
extern "C" __global__ void __launch_bounds__(1024, 2) histogram_warp_copies(const unsigned *words, unsigned *histogram, unsigned bins,
                                                 unsigned shift, unsigned long long elements) {
    const unsigned copies = blockDim.x / WARP, pitch = bins + 1;
    clear_own(copies * pitch);
    unsigned *const mine = own + threadIdx.x / WARP * pitch;
    for_each_vector(words, elements, [=](unsigned word) { count_shared(mine + (word >> shift)); });
    add_own_to(histogram, bins, copies, pitch, 1);
}

// So many copies that only every eighth lane shares one. Shared memory: `bins` times so many words.
#define LANE_COPIES 8

extern "C" __global__ void __launch_bounds__(1024, 2) histogram_lane_copies(const unsigned *words, unsigned *histogram, unsigned bins,
                                                 unsigned shift, unsigned long long elements) {
    clear_own(LANE_COPIES * bins);
    unsigned *const mine = own + threadIdx.x % LANE_COPIES;
    for_each_vector(words, elements, [=](unsigned word) { count_shared(mine + (word >> shift) * LANE_COPIES); });
    add_own_to(histogram, bins, LANE_COPIES, 1, LANE_COPIES);
}

// Lanes with the same bin elect one, which adds for all of them. Shared memory: `bins` words.
extern "C" __global__ void histogram_warp_aggregated(const unsigned *words, unsigned *histogram, unsigned bins,
                                                     unsigned shift, unsigned long long elements) {
    clear_own(bins);
    for_each_word(words, elements, [=](unsigned word, bool is_there) {
        const unsigned bin = is_there ? word >> shift : bins;
        const unsigned same = __match_any_sync(ALL_LANES, bin);
        const bool is_first = static_cast<unsigned>(__ffs(static_cast<int>(same))) == threadIdx.x % WARP + 1;
        if (is_there && is_first) add_shared(own + bin, __popc(same));
    });
    add_own_to(histogram, bins, 1, 0, 1);
}

// A block sorts a word for each of its threads by a bitonic network, and adds each run of equal bins at once: what a run's
// last place is beyond the last place of the run before. Shared memory: `bins` words, and one for each thread. blockDim.x is a power of two.
extern "C" __global__ void histogram_sorted(const unsigned *words, unsigned *histogram, unsigned bins, unsigned shift,
                                            unsigned long long elements) {
    clear_own(bins);
    unsigned *const keys = own + bins;
    const unsigned thread = threadIdx.x;
#pragma unroll 1
    for (unsigned long long first = static_cast<unsigned long long>(blockIdx.x) * blockDim.x; first < elements;
         first += static_cast<unsigned long long>(gridDim.x) * blockDim.x) {
        // Places without a word come last.
        keys[thread] = first + thread < elements ? words[first + thread] >> shift : bins;
#pragma unroll 1
        for (unsigned length = 2; length <= blockDim.x; length *= 2) {
#pragma unroll 1
            for (unsigned distance = length / 2; distance > 0; distance /= 2) {
                __syncthreads();
                const unsigned other = thread ^ distance;
                if (other > thread) {
                    const unsigned low = keys[thread], high = keys[other];
                    const bool is_rising = (thread & length) == 0;
                    if ((low > high) == is_rising) {
                        keys[thread] = high;
                        keys[other] = low;
                    }
                }
            }
        }
        __syncthreads();
        const unsigned bin = keys[thread];
        if (bin < bins) {
            const bool begins = thread == 0 || keys[thread - 1] != bin;
            const bool ends = thread == blockDim.x - 1 || keys[thread + 1] != bin;
            if (begins) add_shared(own + bin, 0 - thread);
            if (ends) add_shared(own + bin, thread + 1);
        }
        __syncthreads();
    }
    add_own_to(histogram, bins, 1, 0, 1);
}
