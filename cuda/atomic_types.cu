// Additions to words that threads share, by type: whole numbers, floats, halves, and vectors of floats and halves.
//
// Thread t adds to word t / sharers: 1 if t is a multiple of `every`, else 0. Every second addition takes back what the one before it
// added, and one more is left at the end. So a word never holds more than what the threads that share it add once, and sums of halves are
// exact in any order.
//
// - Alone each thread adds by itself. Unless USED, the instruction is `red`, which gives nothing back. With USED it is `atom`, and the
//   address of the next addition depends on what was there, so that each waits for the one before.
// - By warp the lanes add up first, by shuffles, and one of them adds the sum.
// - By block the sums of warps are added up in shared memory, and one thread of the block adds the sum.
// - By cluster the blocks of a cluster combine their sums in the shared memory of the first one, and that one adds for all: by cluster_atomics each
//   block adds its sum to a word there, halves by compare-and-swap; by cluster_slots each stores its sum in a slot of its own, and a warp of the
//   first block sums these up.
//
// The instructions are inline PTX, so that each is what its name says. Values are bits, which the host makes; all elements of a vector are
// alike. Vectors are added in global memory only; in shared memory their words are added one by one. src/family/atomic_types/workload.rs computes what the words come to.

#define FULL_WARP 0xffffffffu
#define LANES 32
#define WARPS_MAX 32
#define CLUSTER_BLOCKS_MAX 16
// Additions of a turn of the loop in which threads add alone: an even number, so that a turn leaves nothing behind.
#define UNROLLED 8

// Distributed is the shared memory of the cluster's first block.
enum Memory { GLOBAL, SHARED, DISTRIBUTED };
enum Scope { BLOCK, CLUSTER, DEVICE, SYSTEM };

template <int N> struct alignas(4 * N) Vector {
    unsigned word[N];
};

__device__ __forceinline__ unsigned long long global_address(const void *at) { return __cvta_generic_to_global(at); }
__device__ __forceinline__ unsigned shared_address(const void *at) {
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}
// Where the cluster's first block has what this block has there.
__device__ __forceinline__ unsigned address_in_first_block(const void *at) {
    unsigned there;
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(there) : "r"(shared_address(at)));
    return there;
}

// What was there, in the shared memory of a block of the cluster.
__device__ __forceinline__ unsigned compare_and_swap(unsigned at, unsigned expected, unsigned desired) {
    unsigned was;
    asm volatile("atom.relaxed.cluster.shared::cluster.cas.b32 %0, [%1], %2, %3;"
                 : "=r"(was) : "r"(at), "r"(expected), "r"(desired) : "memory");
    return was;
}

// An addition of one register, of two and of four: `place` is the scope and the memory, `A` the class of the register of the address.
#define ONE(place, type, C, A, address)                                                                                \
    if constexpr (USED) {                                                                                              \
        asm volatile("atom" place ".add" type " %0, [%1], %2;" : "=" C(was) : A(address), C(term) : "memory");         \
    } else {                                                                                                           \
        asm volatile("red" place ".add" type " [%0], %1;" ::A(address), C(term) : "memory");                           \
    }
#define TWO(place, type, address)                                                                                      \
    if constexpr (USED) {                                                                                              \
        asm volatile("atom" place ".add" type " {%0, %1}, [%2], {%3, %4};"                                             \
                     : "=r"(was.word[0]), "=r"(was.word[1])                                                            \
                     : "l"(address), "r"(term.word[0]), "r"(term.word[1])                                              \
                     : "memory");                                                                                      \
    } else {                                                                                                           \
        asm volatile("red" place ".add" type " [%0], {%1, %2};" ::"l"(address), "r"(term.word[0]), "r"(term.word[1])   \
                     : "memory");                                                                                      \
    }
#define FOUR(place, type, address)                                                                                     \
    if constexpr (USED) {                                                                                              \
        asm volatile("atom" place ".add" type " {%0, %1, %2, %3}, [%4], {%5, %6, %7, %8};"                             \
                     : "=r"(was.word[0]), "=r"(was.word[1]), "=r"(was.word[2]), "=r"(was.word[3])                      \
                     : "l"(address), "r"(term.word[0]), "r"(term.word[1]), "r"(term.word[2]), "r"(term.word[3])        \
                     : "memory");                                                                                      \
    } else {                                                                                                           \
        asm volatile("red" place ".add" type " [%0], {%1, %2, %3, %4};" ::"l"(address), "r"(term.word[0]),             \
                     "r"(term.word[1]), "r"(term.word[2]), "r"(term.word[3])                                           \
                     : "memory");                                                                                      \
    }

// A type whose words are one register. Where `RED` is false, an addition to the first block's shared memory is a loop of compare-and-swap: what compilers
// make of `red` on halves there loses additions (nvcc 13.0).
#define SINGLE(Name, Bits, C, type, RED, sum)                                                                          \
    struct Name {                                                                                                      \
        using Word = Bits;                                                                                             \
        static __device__ __forceinline__ Word of(unsigned long long bits) { return static_cast<Word>(bits); }         \
        static __device__ __forceinline__ unsigned sign(Word was) {                                                    \
            return static_cast<unsigned>(was >> (8 * sizeof(Word) - 1));                                               \
        }                                                                                                              \
        static __device__ __forceinline__ Word plus(Word one, Word other) { return sum; }                              \
        template <Memory memory, Scope scope, bool USED>                                                               \
        static __device__ __forceinline__ Word add(Word *at, Word term) {                                              \
            Word was = 0;                                                                                              \
            if constexpr (memory == SHARED) {                                                                          \
                ONE(".shared", type, C, "r", shared_address(at))                                                       \
            } else if constexpr (memory == DISTRIBUTED && !RED) {                                                      \
                const unsigned at_first = address_in_first_block(at);                                                  \
                for (Word expected = 0;; expected = was) {                                                             \
                    was = compare_and_swap(at_first, expected, plus(expected, term));                                  \
                    if (was == expected) break;                                                                        \
                }                                                                                                      \
            } else if constexpr (memory == DISTRIBUTED) {                                                              \
                ONE(".relaxed.cluster.shared::cluster", type, C, "r", address_in_first_block(at))                      \
            } else if constexpr (scope == BLOCK) {                                                                     \
                ONE(".cta.global", type, C, "l", global_address(at))                                                   \
            } else if constexpr (scope == CLUSTER) {                                                                   \
                ONE(".cluster.global", type, C, "l", global_address(at))                                               \
            } else if constexpr (scope == DEVICE) {                                                                    \
                ONE(".global", type, C, "l", global_address(at))                                                       \
            } else {                                                                                                   \
                ONE(".sys.global", type, C, "l", global_address(at))                                                   \
            }                                                                                                          \
            return was;                                                                                                \
        }                                                                                                              \
    };

__device__ __forceinline__ unsigned sum_of_floats(unsigned one, unsigned other) {
    return __float_as_uint(__uint_as_float(one) + __uint_as_float(other));
}
__device__ __forceinline__ unsigned long long sum_of_doubles(unsigned long long one, unsigned long long other) {
    return __double_as_longlong(__longlong_as_double(one) + __longlong_as_double(other));
}
__device__ __forceinline__ unsigned sum_of_f16x2(unsigned one, unsigned other) {
    unsigned sum;
    asm("add.f16x2 %0, %1, %2;" : "=r"(sum) : "r"(one), "r"(other));
    return sum;
}
__device__ __forceinline__ unsigned sum_of_bf16x2(unsigned one, unsigned other) {
    unsigned sum;
    asm("add.bf16x2 %0, %1, %2;" : "=r"(sum) : "r"(one), "r"(other));
    return sum;
}

SINGLE(U32, unsigned, "r", ".u32", true, one + other)
SINGLE(U64, unsigned long long, "l", ".u64", true, one + other)
SINGLE(F32, unsigned, "r", ".f32", true, sum_of_floats(one, other))
SINGLE(F64, unsigned long long, "l", ".f64", true, sum_of_doubles(one, other))
SINGLE(F16x2, unsigned, "r", ".noftz.f16x2", false, sum_of_f16x2(one, other))
SINGLE(Bf16x2, unsigned, "r", ".noftz.bf16x2", false, sum_of_bf16x2(one, other))

// A type whose words are N of another one's.
#define VECTOR(Name, Element, N, REGISTERS, type)                                                                      \
    struct Name {                                                                                                      \
        using Word = Vector<N>;                                                                                        \
        static __device__ __forceinline__ Word of(unsigned long long bits) {                                           \
            Word own;                                                                                                  \
            for (int i = 0; i < N; ++i) {                                                                              \
                own.word[i] = Element::of(bits);                                                                       \
                /* The compiler would otherwise see that elements are alike, and sum up one of them. */                \
                asm volatile("" : "+r"(own.word[i]));                                                                  \
            }                                                                                                          \
            return own;                                                                                                \
        }                                                                                                              \
        static __device__ __forceinline__ unsigned sign(Word was) { return Element::sign(was.word[0]); }               \
        static __device__ __forceinline__ Word plus(Word one, Word other) {                                            \
            for (int i = 0; i < N; ++i) one.word[i] = Element::plus(one.word[i], other.word[i]);                       \
            return one;                                                                                                \
        }                                                                                                              \
        template <Memory memory, Scope scope, bool USED>                                                               \
        static __device__ __forceinline__ Word add(Word *at, Word term) {                                              \
            Word was = {};                                                                                             \
            if constexpr (memory != GLOBAL) {                                                                          \
                for (int i = 0; i < N; ++i) {                                                                          \
                    was.word[i] = Element::add<memory, scope, USED>(at->word + i, term.word[i]);                       \
                }                                                                                                      \
            } else if constexpr (scope == BLOCK) {                                                                     \
                REGISTERS(".cta.global", type, global_address(at))                                                     \
            } else if constexpr (scope == CLUSTER) {                                                                   \
                REGISTERS(".cluster.global", type, global_address(at))                                                 \
            } else if constexpr (scope == DEVICE) {                                                                    \
                REGISTERS(".global", type, global_address(at))                                                         \
            } else {                                                                                                   \
                REGISTERS(".sys.global", type, global_address(at))                                                     \
            }                                                                                                          \
            return was;                                                                                                \
        }                                                                                                              \
    };

VECTOR(F32x2, F32, 2, TWO, ".v2.f32")
VECTOR(F32x4, F32, 4, FOUR, ".v4.f32")
VECTOR(F16x8, F16x2, 4, FOUR, ".noftz.v4.f16x2")

// What lanes of a warp have, summed: by one lane of the other half, of the other quarter and so on. Every lane has the sum.
template <typename Type> __device__ __forceinline__ typename Type::Word sum_of_warp(typename Type::Word own) {
    using Word = typename Type::Word;
    constexpr int WORDS = sizeof(Word) / sizeof(unsigned);
#pragma unroll
    for (int offset = LANES / 2; offset > 0; offset /= 2) {
        union Registers {
            Word word;
            unsigned piece[WORDS];
            __device__ Registers() {}
        } other;
        other.word = own;
#pragma unroll
        for (int i = 0; i < WORDS; ++i) other.piece[i] = __shfl_xor_sync(FULL_WARP, other.piece[i], offset);
        own = Type::plus(own, other.word);
    }
    return own;
}

// Each thread adds by itself.
template <typename Type, Memory memory, Scope scope, bool USED> struct Alone {
    using Word = typename Type::Word;
    static __device__ __forceinline__ void add_once(Word *&at, Word term) {
        const Word was = Type::template add<memory, scope, USED>(at, term);
        // No sum has a sign.
        if (USED) at += Type::sign(was);
    }
    static __device__ __forceinline__ void add_often(Word *at, Word term, Word back, unsigned additions) {
#pragma unroll 1
        for (unsigned number = 0; number < additions; number += UNROLLED) {
#pragma unroll
            for (unsigned i = 0; i < UNROLLED; ++i) add_once(at, i % 2 == 0 ? term : back);
        }
        add_once(at, term);
    }
};

// The same for threads that sum up before one of them adds. Sums are many instructions, beside which the loop's own do not count.
template <typename Type, typename Sum> struct Together {
    using Word = typename Type::Word;
    static __device__ __forceinline__ void add_often(Word *at, Word term, Word back, unsigned additions) {
        Sum::begin();
#pragma unroll 1
        for (unsigned number = 0; number <= additions; ++number) {
            Sum::add_once(at, term, number);
            const Word next = back;
            back = term;
            term = next;
        }
    }
};

template <typename Type, Memory memory, Scope scope, bool USED> struct SumOfWarp {
    using Word = typename Type::Word;
    static __device__ __forceinline__ void begin() {}
    static __device__ __forceinline__ void add_once(Word *at, Word term, unsigned) {
        const Word sum = sum_of_warp<Type>(term);
        if (threadIdx.x % LANES == 0) Type::template add<memory, scope, USED>(at, sum);
    }
};
template <typename Type, Memory memory, Scope scope, bool USED>
using ByWarp = Together<Type, SumOfWarp<Type, memory, scope, USED>>;

// The sum of all threads' terms, which thread 0 gives away. Two sets of sums take turns, so that a barrier for each addition is enough.
template <typename Type, typename Give>
__device__ __forceinline__ void sum_block(typename Type::Word term, unsigned number, Give give) {
    using Word = typename Type::Word;
    __shared__ Word sums[2][WARPS_MAX];
    const unsigned lane = threadIdx.x % LANES;
    const Word of_warp = sum_of_warp<Type>(term);
    if (lane == 0) sums[number % 2][threadIdx.x / LANES] = of_warp;
    __syncthreads();
    if (threadIdx.x < LANES) {
        const Word own = lane < blockDim.x / LANES ? sums[number % 2][lane] : Type::of(0);
        const Word of_block = sum_of_warp<Type>(own);
        if (lane == 0) give(of_block);
    }
}

template <typename Type, Memory memory, Scope scope, bool USED> struct SumOfBlock {
    using Word = typename Type::Word;
    static __device__ __forceinline__ void begin() {}
    static __device__ __forceinline__ void add_once(Word *at, Word term, unsigned number) {
        sum_block<Type>(term, number, [&](Word of_block) { Type::template add<memory, scope, USED>(at, of_block); });
    }
};
template <typename Type, Memory memory, Scope scope, bool USED>
using ByBlock = Together<Type, SumOfBlock<Type, memory, scope, USED>>;

// All threads of the cluster wait for each other, whole warps at a time.
__device__ __forceinline__ void wait_for_cluster() {
    __syncwarp();
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

__device__ __forceinline__ unsigned rank_in_cluster() {
    unsigned rank;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    return rank;
}

// Two words take turns: the first block clears one behind a barrier of the cluster, and nobody adds to it before the next one.
template <typename Type, Memory memory, Scope scope, bool USED> struct SumOfClusterByAtomics {
    using Word = typename Type::Word;
    static __device__ __forceinline__ Word *words_of_cluster() {
        __shared__ Word of_cluster[2];
        return of_cluster;
    }
    static __device__ __forceinline__ void begin() {
        if (threadIdx.x < 2) words_of_cluster()[threadIdx.x] = Type::of(0);
        wait_for_cluster();
    }
    static __device__ __forceinline__ void add_once(Word *at, Word term, unsigned number) {
        Word *const own = words_of_cluster() + number % 2;
        sum_block<Type>(term, number, [&](Word of_block) { Type::template add<DISTRIBUTED, scope, false>(own, of_block); });
        wait_for_cluster();
        if (rank_in_cluster() == 0 && threadIdx.x == 0) {
            const Word of_cluster = *own;
            *own = Type::of(0);
            Type::template add<memory, scope, USED>(at, of_cluster);
        }
    }
};
template <typename Type, Memory memory, Scope scope, bool USED>
using ByClusterAtomics = Together<Type, SumOfClusterByAtomics<Type, memory, scope, USED>>;

template <typename Word> __device__ __forceinline__ void store_in_first_block(Word *at, Word value) {
    constexpr int WORDS = sizeof(Word) / sizeof(unsigned);
    union Registers {
        Word word;
        unsigned piece[WORDS];
        __device__ Registers() {}
    } own;
    own.word = value;
    const unsigned there = address_in_first_block(at);
    if constexpr (WORDS == 1) {
        asm volatile("st.shared::cluster.u32 [%0], %1;" ::"r"(there), "r"(own.piece[0]) : "memory");
    } else if constexpr (WORDS == 2) {
        asm volatile("st.shared::cluster.v2.u32 [%0], {%1, %2};" ::"r"(there), "r"(own.piece[0]), "r"(own.piece[1]) : "memory");
    } else {
        asm volatile("st.shared::cluster.v4.u32 [%0], {%1, %2, %3, %4};" ::"r"(there), "r"(own.piece[0]), "r"(own.piece[1]),
                     "r"(own.piece[2]), "r"(own.piece[3])
                     : "memory");
    }
}

// Two sets of slots take turns, so that a barrier of the cluster for each addition is enough.
template <typename Type, Memory memory, Scope scope, bool USED> struct SumOfClusterBySlots {
    using Word = typename Type::Word;
    // Nobody may store in the first block's memory before that has begun.
    static __device__ __forceinline__ void begin() { wait_for_cluster(); }
    static __device__ __forceinline__ void add_once(Word *at, Word term, unsigned number) {
        __shared__ Word slots[2][CLUSTER_BLOCKS_MAX];
        Word *const own = slots[number % 2];
        const unsigned rank = rank_in_cluster();
        sum_block<Type>(term, number, [&](Word of_block) { store_in_first_block(own + rank, of_block); });
        wait_for_cluster();
        if (rank > 0 || threadIdx.x >= LANES) return;
        unsigned blocks;
        asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
        const Word of_cluster = sum_of_warp<Type>(threadIdx.x < blocks ? own[threadIdx.x] : Type::of(0));
        if (threadIdx.x == 0) Type::template add<memory, scope, USED>(at, of_cluster);
    }
};
template <typename Type, Memory memory, Scope scope, bool USED>
using ByClusterSlots = Together<Type, SumOfClusterBySlots<Type, memory, scope, USED>>;

// In global memory blocks share words. In shared memory each block has words of its own, and leaves them behind those of the block before.
template <typename Type, typename Way, Memory memory>
__device__ __forceinline__ void add_all(typename Type::Word *words, unsigned sharers, unsigned every, unsigned additions,
                                        unsigned long long one, unsigned long long minus_one) {
    using Word = typename Type::Word;
    const unsigned thread = memory == GLOBAL ? blockIdx.x * blockDim.x + threadIdx.x : threadIdx.x;
    const bool adds = thread % every == 0;
    const Word term = Type::of(adds ? one : 0), back = Type::of(adds ? minus_one : 0);
    if constexpr (memory == GLOBAL) {
        Way::add_often(words + thread / sharers, term, back, additions);
    } else {
        extern __shared__ uint4 dynamic[];
        Word *const own = reinterpret_cast<Word *>(dynamic);
        const unsigned count = blockDim.x / sharers;
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) own[i] = Type::of(0);
        __syncthreads();
        Way::add_often(own + thread / sharers, term, back, additions);
        __syncthreads();
        for (unsigned i = threadIdx.x; i < count; i += blockDim.x) words[blockIdx.x * count + i] = own[i];
    }
}

#define KERNEL(name, Type, Way, memory, scope, used)                                                                   \
    extern "C" __global__ void atomic_types_##name(Type::Word *words, unsigned sharers, unsigned every,                \
                                                   unsigned additions, unsigned long long one,                         \
                                                   unsigned long long minus_one) {                                     \
        add_all<Type, Way<Type, memory, scope, used>, memory>(words, sharers, every, additions, one, minus_one);                     \
    }
#define KERNELS(name, Type)                                                                                            \
    KERNEL(name##_global, Type, Alone, GLOBAL, DEVICE, false)                                                          \
    KERNEL(name##_global_used, Type, Alone, GLOBAL, DEVICE, true)                                                      \
    KERNEL(name##_global_in_block, Type, Alone, GLOBAL, BLOCK, false)                                                  \
    KERNEL(name##_global_in_block_used, Type, Alone, GLOBAL, BLOCK, true)                                              \
    KERNEL(name##_global_in_system, Type, Alone, GLOBAL, SYSTEM, false)                                                \
    KERNEL(name##_global_in_system_used, Type, Alone, GLOBAL, SYSTEM, true)                                            \
    KERNEL(name##_global_by_warp, Type, ByWarp, GLOBAL, DEVICE, false)                                                 \
    KERNEL(name##_global_by_block, Type, ByBlock, GLOBAL, DEVICE, false)                                               \
    KERNEL(name##_global_by_cluster_atomics, Type, ByClusterAtomics, GLOBAL, DEVICE, false)                            \
    KERNEL(name##_global_by_cluster_slots, Type, ByClusterSlots, GLOBAL, DEVICE, false)                                \
    KERNEL(name##_shared, Type, Alone, SHARED, DEVICE, false)                                                          \
    KERNEL(name##_shared_used, Type, Alone, SHARED, DEVICE, true)                                                      \
    KERNEL(name##_shared_by_warp, Type, ByWarp, SHARED, DEVICE, false)                                                 \
    KERNEL(name##_shared_by_block, Type, ByBlock, SHARED, DEVICE, false)

KERNELS(u32, U32)
KERNELS(u64, U64)
KERNELS(f32, F32)
KERNELS(f64, F64)
KERNELS(f16x2, F16x2)
KERNELS(bf16x2, Bf16x2)
KERNELS(f32x2, F32x2)
KERNELS(f32x4, F32x4)
KERNELS(f16x8, F16x8)

#define KERNELS_IN_CLUSTER(name, Type)                                                                                 \
    KERNEL(name##_global_in_cluster, Type, Alone, GLOBAL, CLUSTER, false)                                              \
    KERNEL(name##_global_in_cluster_used, Type, Alone, GLOBAL, CLUSTER, true)

KERNELS_IN_CLUSTER(u32, U32)
KERNELS_IN_CLUSTER(u64, U64)
KERNELS_IN_CLUSTER(f32, F32)
KERNELS_IN_CLUSTER(f64, F64)
KERNELS_IN_CLUSTER(f16x2, F16x2)
KERNELS_IN_CLUSTER(bf16x2, Bf16x2)
KERNELS_IN_CLUSTER(f32x2, F32x2)
KERNELS_IN_CLUSTER(f32x4, F32x4)
KERNELS_IN_CLUSTER(f16x8, F16x8)
