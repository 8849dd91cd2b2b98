// The operation of kernels whose subject is what happens between operations: a multiply-add in registers.
// src/family/multiply_add.rs computes the same on the host, with the same constants.

#pragma once

// Opaque to the compiler's front end, which would otherwise fold a chain of them with constant operands into one.
__device__ __forceinline__ void multiply_add(unsigned &value) {
    asm volatile("mad.lo.u32 %0, %0, 1664525, 1013904223;" : "+r"(value));
}

#define MULTIPLY_ADDS_PER_TURN 10

// So many of them, each from what the one before it came to.
__device__ __forceinline__ unsigned multiply_adds_in_turn(unsigned value, unsigned count) {
#pragma unroll 1
    for (; count >= MULTIPLY_ADDS_PER_TURN; count -= MULTIPLY_ADDS_PER_TURN) {
#pragma unroll
        for (int i = 0; i < MULTIPLY_ADDS_PER_TURN; ++i) multiply_add(value);
    }
#pragma unroll 1
    for (; count > 0; --count) multiply_add(value);
    return value;
}
