// Latency and throughput of instructions: every thread carries out chains of one instruction, each of which needs the result
// of the one before.
//
// In turn, one chain after another, every instruction waits for the one before it. Interleaved, an instruction of each chain
// comes in turn, so that those of different chains are under way together. Either way a thread carries out the same
// instructions on the same values and writes where each chain ends.
//
// The loop has UNROLLED instructions written out, whatever the number of chains, so that its own bookkeeping is the same
// small part everywhere. The instructions are inline PTX, because the compiler folds chains of what it knows. The machine's
// compiler makes one of two additions where nobody needs the first sum, so an addition has both values before it as operands.
// src/family/instruction_rate/reference.rs computes the same on the host.

#include "clock.cuh"

#define LANES 32
#define UNROLLED 64
// Rows of 32 words of shared memory that a chain of loads goes through.
#define ROWS 8

// A word of the lane and the chain, odd.
__device__ __forceinline__ unsigned word_of(unsigned chain) {
    return (threadIdx.x % LANES + LANES * chain) * 2654435761u | 1;
}

__device__ __forceinline__ unsigned address_of(const unsigned *word) {
    return static_cast<unsigned>(__cvta_generic_to_shared(word));
}

// What classes of instructions have in common that need no shared memory.
struct InRegisters {
    __device__ __forceinline__ static void prepare(unsigned *, unsigned) {}
};

// The sum of the two values before: a Fibonacci sequence.
struct IntegerAdd : InRegisters {
    unsigned value, before;
    __device__ __forceinline__ IntegerAdd(unsigned *, unsigned chain) : value(word_of(chain)), before(word_of(chain + 1)) {}
    __device__ __forceinline__ void step() {
        unsigned sum;
        asm volatile("add.u32 %0, %1, %2;" : "=r"(sum) : "r"(value), "r"(before));
        before = value;
        value = sum;
    }
    __device__ __forceinline__ unsigned end() const { return value; }
};

struct IntegerMultiplyAdd : InRegisters {
    unsigned value, factor;
    __device__ __forceinline__ IntegerMultiplyAdd(unsigned *, unsigned chain)
        : value(word_of(chain)), factor(word_of(chain + 1)) {}
    __device__ __forceinline__ void step() {
        asm volatile("mad.lo.u32 %0, %0, %1, %1;" : "+r"(value) : "r"(factor));
    }
    __device__ __forceinline__ unsigned end() const { return value; }
};

// Floats begin between 1/2 and 1, and each is the square of the one before, less 1 7/8: never beyond 2, and never at rest.
struct FloatMultiplyAdd : InRegisters {
    float value;
    __device__ __forceinline__ FloatMultiplyAdd(unsigned *, unsigned chain)
        : value(__uint_as_float(0x3f000000u | word_of(chain) >> 9)) {}
    __device__ __forceinline__ void step() { asm volatile("fma.rn.f32 %0, %0, %0, 0fBFF00000;" : "+f"(value)); }
    __device__ __forceinline__ unsigned end() const { return __float_as_uint(value); }
};

struct DoubleMultiplyAdd : InRegisters {
    double value;
    __device__ __forceinline__ DoubleMultiplyAdd(unsigned *, unsigned chain)
        : value(__hiloint2double(0x3fe00000u | word_of(chain) >> 12, word_of(chain))) {}
    __device__ __forceinline__ void step() {
        asm volatile("fma.rn.f64 %0, %0, %0, 0dBFFE000000000000;" : "+d"(value));
    }
    __device__ __forceinline__ unsigned end() const { return __double2hiint(value) ^ __double2loint(value); }
};

struct Half2MultiplyAdd : InRegisters {
    unsigned value;
    unsigned term;
    __device__ __forceinline__ Half2MultiplyAdd(unsigned *, unsigned chain)
        : value(0x38003800u | (word_of(chain) & 0x03ff03ffu)), term(0xbf80bf80u) {}
    __device__ __forceinline__ void step() {
        asm volatile("fma.rn.f16x2 %0, %0, %0, %1;" : "+r"(value) : "r"(term));
    }
    __device__ __forceinline__ unsigned end() const { return value; }
};

// The reciprocal square root, which goes towards 1.
struct SpecialFunction : InRegisters {
    float value;
    __device__ __forceinline__ SpecialFunction(unsigned *, unsigned chain)
        : value(__uint_as_float(0x3f000000u | word_of(chain) >> 9)) {}
    __device__ __forceinline__ void step() { asm volatile("rsqrt.approx.ftz.f32 %0, %0;" : "+f"(value)); }
    __device__ __forceinline__ unsigned end() const { return __float_as_uint(value); }
};

// The bits of a float are the next whole number.
struct Conversion : InRegisters {
    unsigned value;
    __device__ __forceinline__ Conversion(unsigned *, unsigned chain) : value(word_of(chain)) {}
    __device__ __forceinline__ void step() {
        float number;
        asm volatile("cvt.rn.f32.s32 %0, %1;" : "=f"(number) : "r"(value));
        value = __float_as_uint(number);
    }
    __device__ __forceinline__ unsigned end() const { return value; }
};

// Every lane takes the value of the next one, the last lane that of the first.
struct Shuffle : InRegisters {
    unsigned value, next;
    __device__ __forceinline__ Shuffle(unsigned *, unsigned chain)
        : value(word_of(chain)), next((threadIdx.x + 1) % LANES) {}
    __device__ __forceinline__ void step() {
        asm volatile("shfl.sync.idx.b32 %0, %0, %1, 31, 0xffffffff;" : "+r"(value) : "r"(next));
    }
    __device__ __forceinline__ unsigned end() const { return value; }
};

// Which lanes' words are more than what the vote before came to. The comparison is a second instruction.
struct Vote : InRegisters {
    unsigned value, own;
    __device__ __forceinline__ Vote(unsigned *, unsigned chain) : value(word_of(chain)), own(word_of(chain + 1)) {}
    __device__ __forceinline__ void step() {
        asm volatile("{\n\t.reg .pred more;\n\tsetp.gt.u32 more, %1, %0;\n\t"
                     "vote.sync.ballot.b32 %0, more, 0xffffffff;\n\t}"
                     : "+r"(value)
                     : "r"(own));
    }
    __device__ __forceinline__ unsigned end() const { return value; }
};

struct PopulationCount : InRegisters {
    unsigned value;
    __device__ __forceinline__ PopulationCount(unsigned *, unsigned chain) : value(word_of(chain)) {}
    __device__ __forceinline__ void step() { asm volatile("popc.b32 %0, %0;" : "+r"(value)); }
    __device__ __forceinline__ unsigned end() const { return value; }
};

// Each word holds the address of the one in the next row, so that a lane stays in its bank.
struct SharedLoad {
    unsigned address, first;
    __device__ __forceinline__ static void prepare(unsigned *words, unsigned) {
        for (unsigned i = threadIdx.x; i < ROWS * LANES; i += blockDim.x) {
            words[i] = address_of(words + (i + LANES) % (ROWS * LANES));
        }
    }
    __device__ __forceinline__ SharedLoad(unsigned *words, unsigned chain)
        : address(address_of(words + threadIdx.x % LANES + chain % ROWS * LANES)), first(address_of(words)) {}
    __device__ __forceinline__ void step() { asm volatile("ld.shared.u32 %0, [%0];" : "+r"(address) : : "memory"); }
    __device__ __forceinline__ unsigned end() const { return (address - first) / sizeof(unsigned); }
};

// Each adds to the thread's own word what the one before found there: a Fibonacci sequence again.
struct SharedAtomic {
    unsigned value, address;
    __device__ __forceinline__ static void prepare(unsigned *words, unsigned chains) {
        for (unsigned chain = 0; chain < chains; ++chain) words[chain * blockDim.x + threadIdx.x] = word_of(chain + 1);
    }
    __device__ __forceinline__ SharedAtomic(unsigned *words, unsigned chain)
        : value(word_of(chain)), address(address_of(words + chain * blockDim.x + threadIdx.x)) {}
    __device__ __forceinline__ void step() {
        asm volatile("atom.shared.add.u32 %0, [%1], %0;" : "+r"(value) : "r"(address) : "memory");
    }
    __device__ __forceinline__ unsigned end() const { return value; }
};

// The chains from number FIRST on, CHAINS of them, written out so that each is in registers.
template <typename Chain, int CHAINS>
struct Chains {
    Chain first;
    Chains<Chain, CHAINS - 1> rest;
    __device__ __forceinline__ Chains(unsigned *words, unsigned number) : first(words, number), rest(words, number + 1) {}
    __device__ __forceinline__ void step() {
        first.step();
        rest.step();
    }
    __device__ __forceinline__ void write(unsigned *output, unsigned apart) const {
        *output = first.end();
        rest.write(output + apart, apart);
    }
};

template <typename Chain>
struct Chains<Chain, 0> {
    __device__ __forceinline__ Chains(unsigned *, unsigned) {}
    __device__ __forceinline__ void step() {}
    __device__ __forceinline__ void write(unsigned *, unsigned) const {}
};

// Carries out CHAINS chains, of which the first is number `number` of the thread's, from their beginnings to their ends.
template <typename Chain, int CHAINS>
__device__ __forceinline__ void carry_out(unsigned *words, unsigned *output, unsigned number, unsigned instructions) {
    const unsigned threads = gridDim.x * blockDim.x;
    Chains<Chain, CHAINS> chains(words, number);
#pragma unroll 1
    for (; instructions >= UNROLLED / CHAINS; instructions -= UNROLLED / CHAINS) {
#pragma unroll
        for (int i = 0; i < UNROLLED / CHAINS; ++i) chains.step();
    }
#pragma unroll 1
    for (; instructions > 0; --instructions) chains.step();
    chains.write(output + number * threads + blockIdx.x * blockDim.x + threadIdx.x, threads);
}

template <typename Chain>
__device__ __forceinline__ void in_turn(unsigned *output, unsigned *cycles, unsigned chains,
                                        unsigned instructions) {
    extern __shared__ unsigned words[];
    Chain::prepare(words, chains);
    __syncthreads();
    const unsigned begin = clock_now();
#pragma unroll 1
    for (unsigned chain = 0; chain < chains; ++chain) carry_out<Chain, 1>(words, output, chain, instructions);
    store_cycles(cycles, begin);
}

template <typename Chain, int CHAINS>
__device__ __forceinline__ void interleaved(unsigned *output, unsigned *cycles, unsigned instructions) {
    extern __shared__ unsigned words[];
    Chain::prepare(words, CHAINS);
    __syncthreads();
    const unsigned begin = clock_now();
    carry_out<Chain, CHAINS>(words, output, 0, instructions);
    store_cycles(cycles, begin);
}

#define INTERLEAVED(name, Chain, chains)                                                                               \
    extern "C" __global__ void instruction_rate_interleaved_##name##_##chains(unsigned *output, unsigned *cycles,        \
                                                                              unsigned instructions) {                 \
        interleaved<Chain, chains>(output, cycles, instructions);                                                      \
    }

#define KERNELS(name, Chain)                                                                                           \
    extern "C" __global__ void instruction_rate_in_turn_##name(unsigned *output, unsigned *cycles, unsigned chains,      \
                                                               unsigned instructions) {                                \
        in_turn<Chain>(output, cycles, chains, instructions);                                                          \
    }                                                                                                                  \
    INTERLEAVED(name, Chain, 2)                                                                                        \
    INTERLEAVED(name, Chain, 4)                                                                                        \
    INTERLEAVED(name, Chain, 8)

KERNELS(integer_add, IntegerAdd)
KERNELS(integer_multiply_add, IntegerMultiplyAdd)
KERNELS(float_multiply_add, FloatMultiplyAdd)
KERNELS(double_multiply_add, DoubleMultiplyAdd)
KERNELS(half2_multiply_add, Half2MultiplyAdd)
KERNELS(special_function, SpecialFunction)
KERNELS(conversion, Conversion)
KERNELS(shuffle, Shuffle)
KERNELS(vote, Vote)
KERNELS(population_count, PopulationCount)
KERNELS(shared_load, SharedLoad)
KERNELS(shared_atomic, SharedAtomic)
