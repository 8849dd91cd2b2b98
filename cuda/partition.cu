// Partitioning: which elements a thread processes, how many threads a block has, how many warps a multiprocessor holds.
//
// Every kernel reads each element, takes it through `operations` dependent multiply-adds and writes it; so all compute
// the same, and differ in how elements are mapped to threads and blocks, or in what limits the blocks of a multiprocessor.
// src/family/partition/reference.rs computes the same on the host, with the same constants.

#include "multiply_add.cuh"

#define MULTIPLY_ADDS_UNROLLED 16

// Instances for the float and the integer arithmetic.
#define FOR_EACH_ARITHMETIC(X) X(integer, unsigned) X(float, float)

// As the one of integers, of floats. The factor, a little below one, keeps values in range however many steps are taken,
// and different from each other.
__device__ __forceinline__ void multiply_add(float &value) {
    asm volatile("fma.rn.f32 %0, %0, %1, %2;" : "+f"(value) : "f"(1.0f - 1.0f / 1024), "f"(3.0f / 1024));
}

template <typename Element>
__device__ __forceinline__ Element multiply_adds(Element value, unsigned operations) {
#pragma unroll 1
    for (; operations >= MULTIPLY_ADDS_UNROLLED; operations -= MULTIPLY_ADDS_UNROLLED) {
#pragma unroll
        for (int i = 0; i < MULTIPLY_ADDS_UNROLLED; ++i) multiply_add(value);
    }
#pragma unroll 1
    for (; operations > 0; --operations) multiply_add(value);
    return value;
}

// One element of a row for each thread.
template <typename Element>
__device__ __forceinline__ void one_element_1d(const Element *input, Element *output, unsigned elements,
                                               unsigned operations) {
    const size_t element = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x;
    if (element < elements) output[element] = multiply_adds(input[element], operations);
}

// One element of a matrix for each thread; the last row may be shorter than the others.
template <typename Element>
__device__ __forceinline__ void one_element_2d(const Element *input, Element *output, unsigned elements,
                                               unsigned operations, unsigned columns) {
    const unsigned column = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned row = blockIdx.y * blockDim.y + threadIdx.y;
    const size_t element = static_cast<size_t>(row) * columns + column;
    if (column < columns && element < elements) output[element] = multiply_adds(input[element], operations);
}

// A tile of blockDim.x * elements_per_thread elements for each block. Threads begin `between_threads` elements apart and
// go on in steps of `between_turns`: 1 and blockDim.x (striped), or elements_per_thread and 1 (blocked).
template <typename Element>
__device__ __forceinline__ void several_elements(const Element *input, Element *output, unsigned elements,
                                                 unsigned operations, unsigned elements_per_thread,
                                                 unsigned between_threads, unsigned between_turns) {
    const unsigned tile_elements = blockDim.x * elements_per_thread;
    size_t element = static_cast<size_t>(blockIdx.x) * tile_elements + threadIdx.x * between_threads;
#pragma unroll 1
    for (unsigned turn = 0; turn < elements_per_thread && element < elements; ++turn, element += between_turns) {
        output[element] = multiply_adds(input[element], operations);
    }
}

// As many elements for each thread as the grid leaves, a grid's threads apart.
template <typename Element>
__device__ __forceinline__ void grid_stride(const Element *input, Element *output, unsigned elements,
                                            unsigned operations) {
    const size_t stride = static_cast<size_t>(gridDim.x) * blockDim.x;
#pragma unroll 1
    for (size_t element = static_cast<size_t>(blockIdx.x) * blockDim.x + threadIdx.x; element < elements;
         element += stride) {
        output[element] = multiply_adds(input[element], operations);
    }
}

// Needs 4 * QUARTERS registers at once: as input and output may overlap for all that the compiler knows, it has to read
// everything before it writes anything.
template <int QUARTERS>
__device__ __forceinline__ void move_through_registers(const void *input, void *output) {
    uint4 words[QUARTERS];
#pragma unroll
    for (int i = 0; i < QUARTERS; ++i) {
        asm volatile("ld.global.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(words[i].x), "=r"(words[i].y), "=r"(words[i].z), "=r"(words[i].w)
                     : "l"(static_cast<const uint4 *>(input) + i)
                     : "memory");
    }
#pragma unroll
    for (int i = 0; i < QUARTERS; ++i) {
        asm volatile("st.global.v4.u32 [%4], {%0, %1, %2, %3};" ::"r"(words[i].x), "r"(words[i].y), "r"(words[i].z),
                     "r"(words[i].w), "l"(static_cast<uint4 *>(output) + i)
                     : "memory");
    }
}

// A thread is given as many registers as its hungriest path needs, taken or not. This one is taken where `hungry` is not
// 0, which no launch asks for: so the loop is the same code whatever the number of registers.
template <int QUARTERS, typename Element>
__device__ __forceinline__ void grid_stride_with_registers(const Element *input, Element *output, unsigned elements,
                                                           unsigned operations, unsigned hungry) {
    if (hungry != 0) {
        move_through_registers<QUARTERS>(input, output);
        return;
    }
    grid_stride(input, output, elements, operations);
}

#define KERNELS(name, Element)                                                                                          \
    extern "C" __global__ void partition_one_element_1d_##name(const Element *input, Element *output,                   \
                                                               unsigned elements, unsigned operations) {                \
        one_element_1d(input, output, elements, operations);                                                            \
    }                                                                                                                   \
    extern "C" __global__ void partition_one_element_2d_##name(const Element *input, Element *output,                   \
                                                               unsigned elements, unsigned operations,                  \
                                                               unsigned columns) {                                      \
        one_element_2d(input, output, elements, operations, columns);                                                   \
    }                                                                                                                   \
    extern "C" __global__ void partition_several_elements_##name(                                                       \
        const Element *input, Element *output, unsigned elements, unsigned operations, unsigned elements_per_thread,    \
        unsigned between_threads, unsigned between_turns) {                                                             \
        several_elements(input, output, elements, operations, elements_per_thread, between_threads, between_turns);     \
    }                                                                                                                   \
    extern "C" __global__ void partition_grid_stride_##name(const Element *input, Element *output, unsigned elements,   \
                                                            unsigned operations) {                                      \
        grid_stride(input, output, elements, operations);                                                               \
    }                                                                                                                   \
    WITH_REGISTERS(name, Element, 32, 6)                                                                                \
    WITH_REGISTERS(name, Element, 40, 8)                                                                                \
    WITH_REGISTERS(name, Element, 64, 14)                                                                               \
    WITH_REGISTERS(name, Element, 80, 18)                                                                               \
    WITH_REGISTERS(name, Element, 96, 22)                                                                               \
    WITH_REGISTERS(name, Element, 128, 30)                                                                              \
    WITH_REGISTERS(name, Element, 168, 40)                                                                              \
    WITH_REGISTERS(name, Element, 255, 61)

#define WITH_REGISTERS(name, Element, registers, quarters)                                                              \
    extern "C" __global__ void __maxnreg__(registers) partition_registers_##registers##_##name(                         \
        const Element *input, Element *output, unsigned elements, unsigned operations, unsigned hungry) {               \
        grid_stride_with_registers<quarters>(input, output, elements, operations, hungry);                              \
    }

FOR_EACH_ARITHMETIC(KERNELS)
