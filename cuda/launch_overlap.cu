// Launches one after another, each of which has something to do that needs nothing of the launch before it.
//
// A thread computes one word. Its preamble is multiply-adds of its own number. Then it reads the word that its neighbour in
// the ring of all words wrote in the launch before, and does further multiply-adds: so a launch needs all threads of the
// launch before it, and one that reads too soon leaves other words. The number of the launch is part of the word, so that
// launches cannot change places.
//
// Dependent launches wait between preamble and read. The instructions are inline PTX, because they need compute capability
// 9.0 and the kernels beside them do not; the build puts them into a module of their own. So it does with the body of a
// conditional node, which only newer drivers have.

#include <cooperative_groups.h>

#include "multiply_add.cuh"

#define FACTOR 3

__device__ __forceinline__ unsigned own_word() {
    return blockIdx.x * blockDim.x + threadIdx.x;
}

__device__ __forceinline__ void store_word(const unsigned *source, unsigned *target, unsigned own, unsigned words,
                                           unsigned prepared, unsigned number, unsigned operations) {
    const unsigned next = own + 1 == words ? 0 : own + 1;
    target[own] = multiply_adds_in_turn(FACTOR * source[next] + number + prepared, operations);
}

extern "C" __global__ void launch_overlap_step(const unsigned *source, unsigned *target, unsigned number,
                                               unsigned preamble, unsigned operations) {
    const unsigned own = own_word();
    const unsigned prepared = multiply_adds_in_turn(own, preamble);
    store_word(source, target, own, gridDim.x * blockDim.x, prepared, number, operations);
}

// What is prepared goes through the wait, so that no compiler puts the preamble behind it.
__device__ __forceinline__ void wait_for_launch_before(unsigned &prepared) {
    asm volatile("griddepcontrol.wait;" : "+r"(prepared)::"memory");
}

// The next launch may begin when the blocks of this one have ended.
extern "C" __global__ void launch_overlap_dependent_step(const unsigned *source, unsigned *target, unsigned number,
                                                         unsigned preamble, unsigned operations) {
    const unsigned own = own_word();
    unsigned prepared = multiply_adds_in_turn(own, preamble);
    wait_for_launch_before(prepared);
    store_word(source, target, own, gridDim.x * blockDim.x, prepared, number, operations);
}

// The next launch may begin when the blocks of this one have begun.
extern "C" __global__ void launch_overlap_dependent_early_step(const unsigned *source, unsigned *target,
                                                               unsigned number, unsigned preamble,
                                                               unsigned operations) {
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
    const unsigned own = own_word();
    unsigned prepared = multiply_adds_in_turn(own, preamble);
    wait_for_launch_before(prepared);
    store_word(source, target, own, gridDim.x * blockDim.x, prepared, number, operations);
}

// What the launch of this number reads and writes, where launches write to `first` and to `second` in turn.
__device__ __forceinline__ const unsigned *source_of(unsigned number, const unsigned *input, const unsigned *first,
                                                     const unsigned *second) {
    return number == 0 ? input : number % 2 == 0 ? second : first;
}

__device__ __forceinline__ unsigned *target_of(unsigned number, unsigned *first, unsigned *second) {
    return number % 2 == 0 ? first : second;
}

// The body of a loop on the GPU. Its arguments are those of every turn, so each thread keeps the number of the turn in a
// word of its own, which it leaves as it was for the next time. One thread says whether there is another turn.
extern "C" __global__ void launch_overlap_conditional_step(const unsigned *input, unsigned *first, unsigned *second,
                                                           unsigned *numbers, unsigned launches, unsigned preamble,
                                                           unsigned operations, cudaGraphConditionalHandle again) {
    const unsigned own = own_word();
    const unsigned number = numbers[own];
    const unsigned prepared = multiply_adds_in_turn(own, preamble);
    store_word(source_of(number, input, first, second), target_of(number, first, second), own, gridDim.x * blockDim.x,
               prepared, number, operations);
    const bool is_last = number + 1 == launches;
    numbers[own] = is_last ? 0 : number + 1;
    if (own == 0) cudaGraphSetConditional(again, is_last ? 0 : 1);
}

// All of them in one launch whose blocks are all resident, with a barrier of the grid in place of each boundary.
extern "C" __global__ void launch_overlap_cooperative(const unsigned *input, unsigned *first, unsigned *second,
                                                      unsigned words, unsigned launches, unsigned preamble,
                                                      unsigned operations) {
    const unsigned stride = gridDim.x * blockDim.x;
#pragma unroll 1
    for (unsigned number = 0; number < launches; ++number) {
        if (number > 0) cooperative_groups::this_grid().sync();
        const unsigned *source = source_of(number, input, first, second);
        unsigned *target = target_of(number, first, second);
#pragma unroll 1
        for (unsigned own = own_word(); own < words; own += stride) {
            const unsigned prepared = multiply_adds_in_turn(own, preamble);
            store_word(source, target, own, words, prepared, number, operations);
        }
    }
}
