// Additions to few words of global or shared memory, over and over: threads whose numbers in the block differ by a multiple of `addresses` add to
// one word.
//
// Where what was there is used, the address of the next addition depends on it, so that each waits for the one before. What is added is an argument,
// because the compiler counts lanes that add a constant one. UNROLLED additions are written out one behind the other, so that little of the time is
// the loop's own. There is no second loop for what is left of them: some additions to shared memory are loops, and the assembler of CUDA 13.0 takes a
// loop of one such addition and the one around it together, with one counter for all lanes, which it then counts for each part of a warp that comes
// apart. src/family/atomic_rate/workload.rs computes what the words come to.

#include <cuda_fp16.h>

#define UNROLLED 16

__device__ __forceinline__ bool never(unsigned was) { return was == 0xffffffffu; }
__device__ __forceinline__ bool never(unsigned long long was) { return was == 0xffffffffffffffffull; }
__device__ __forceinline__ bool never(float was) { return was < 0; }
__device__ __forceinline__ bool never(double was) { return was < 0; }
__device__ __forceinline__ bool never(__half2 was) { return __low2float(was) < 0; }

template <typename Word> __device__ __forceinline__ Word word_of(unsigned term) { return static_cast<Word>(term); }
template <> __device__ __forceinline__ __half2 word_of<__half2>(unsigned term) {
    return __floats2half2_rn(static_cast<float>(term), static_cast<float>(term));
}

template <typename Word, bool USED> __device__ __forceinline__ void add(Word *&word, Word term) {
    const Word was = atomicAdd(word, term);
    if (USED) word += never(was);
}

template <typename Word, bool USED>
__device__ __forceinline__ void add_often(Word *word, Word term, unsigned additions) {
#pragma unroll 1
    for (unsigned number = 0; number < additions; number += UNROLLED) {
#pragma unroll
        for (int i = 0; i < UNROLLED; ++i) add<Word, USED>(word, term);
    }
}

// All blocks add to the same words.
template <typename Word, bool USED>
__device__ __forceinline__ void in_global(Word *words, unsigned addresses, unsigned additions, unsigned term) {
    add_often<Word, USED>(words + threadIdx.x % addresses, word_of<Word>(term), additions);
}

// Each block has words of its own, and leaves them behind those of the block before.
template <typename Word, bool USED>
__device__ __forceinline__ void in_shared(Word *words, unsigned addresses, unsigned additions, unsigned term) {
    extern __shared__ unsigned long long memory[];
    Word *const own = reinterpret_cast<Word *>(memory);
    for (unsigned i = threadIdx.x; i < addresses; i += blockDim.x) own[i] = word_of<Word>(0);
    __syncthreads();
    add_often<Word, USED>(own + threadIdx.x % addresses, word_of<Word>(term), additions);
    __syncthreads();
    for (unsigned i = threadIdx.x; i < addresses; i += blockDim.x) words[blockIdx.x * addresses + i] = own[i];
}

#define KERNEL(memory, name, Word, suffix, used)                                                                       \
    extern "C" __global__ void atomic_rate_##memory##_##name##suffix(Word *words, unsigned addresses,                  \
                                                                     unsigned additions, unsigned term) {              \
        in_##memory<Word, used>(words, addresses, additions, term);                                                    \
    }
#define KERNELS(name, Word)                                                                                            \
    KERNEL(global, name, Word, , false)                                                                                \
    KERNEL(global, name, Word, _used, true)                                                                            \
    KERNEL(shared, name, Word, , false)                                                                                \
    KERNEL(shared, name, Word, _used, true)

KERNELS(u32, unsigned)
KERNELS(u64, unsigned long long)
KERNELS(f32, float)
KERNELS(f64, double)
KERNELS(f16x2, __half2)
