// Structures of one to eight words: an array of them, an array for each of their fields, and the array of structures
// staged through shared memory.
//
// Every thread takes one structure: of its first `used` fields it writes the running sum, counted from 1, to the same
// fields of the structure at the same place of the output. The other fields are left alone. Fields are read and written
// a word at a time, all reads before the first write, as a compiler does it for members of a structure whose alignment is
// that of a word. Indices of words fit 32 bits up to 2^32 words. src/family/data_layout/reference.rs computes the same on the host.

#define FOR_EACH_COUNT(X) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8)

template <int USED>
__device__ __forceinline__ void running_sum(unsigned (&values)[USED]) {
    unsigned sum = 1;
#pragma unroll
    for (int field = 0; field < USED; ++field) {
        sum += values[field];
        values[field] = sum;
    }
}

// Field `field` of structure `element` is word `element * element_pitch + field * field_pitch`. With an array of structures
// the field pitch is known to be 1, so that fields are at constant distances, as members are.
template <int USED>
__device__ __forceinline__ void in_place(const unsigned *input, unsigned *output, unsigned elements,
                                         unsigned element_pitch, unsigned field_pitch) {
    const unsigned element = blockIdx.x * blockDim.x + threadIdx.x;
    if (element >= elements) return;
    input += element * element_pitch;
    output += element * element_pitch;
    unsigned values[USED];
#pragma unroll
    for (int field = 0; field < USED; ++field) values[field] = input[field * field_pitch];
    running_sum(values);
#pragma unroll
    for (int field = 0; field < USED; ++field) output[field * field_pitch] = values[field];
}

// Shared memory: the block's structures, with a word left free after every `1 << pad_shift` of them.
template <int FIELDS>
__device__ __forceinline__ void staged(const unsigned *input, unsigned *output, unsigned elements, unsigned used,
                                       unsigned pad_shift) {
    extern __shared__ unsigned words[];
    const unsigned first_element = blockIdx.x * blockDim.x;
    const unsigned block_words = min(blockDim.x, elements - first_element) * FIELDS;
    input += first_element * FIELDS;
    output += first_element * FIELDS;

#pragma unroll
    for (int turn = 0; turn < FIELDS; ++turn) {
        const unsigned word = turn * blockDim.x + threadIdx.x;
        if (word < block_words) words[word + (word / FIELDS >> pad_shift)] = input[word];
    }
    __syncthreads();

    unsigned *own = words + threadIdx.x * FIELDS + (threadIdx.x >> pad_shift);
    unsigned sum = 1;
    if (threadIdx.x * FIELDS < block_words) {
#pragma unroll
        for (int field = 0; field < FIELDS; ++field) {
            if (field < used) {
                sum += own[field];
                own[field] = sum;
            }
        }
    }
    __syncthreads();

#pragma unroll
    for (int turn = 0; turn < FIELDS; ++turn) {
        const unsigned word = turn * blockDim.x + threadIdx.x;
        if (word < block_words && word % FIELDS < used) output[word] = words[word + (word / FIELDS >> pad_shift)];
    }
}

#define ARRAY_OF_STRUCTURES(USED)                                                                                       \
    extern "C" __global__ void data_layout_array_of_structures_##USED(const unsigned *input, unsigned *output,          \
                                                                      unsigned elements, unsigned fields) {             \
        in_place<USED>(input, output, elements, fields, 1);                                                             \
    }
FOR_EACH_COUNT(ARRAY_OF_STRUCTURES)

// `pitch`: words from one field's array to the next field's.
#define STRUCTURE_OF_ARRAYS(USED)                                                                                       \
    extern "C" __global__ void data_layout_structure_of_arrays_##USED(const unsigned *input, unsigned *output,          \
                                                                      unsigned elements, unsigned pitch) {              \
        in_place<USED>(input, output, elements, 1, pitch);                                                              \
    }
FOR_EACH_COUNT(STRUCTURE_OF_ARRAYS)

#define STAGED(FIELDS)                                                                                                  \
    extern "C" __global__ void data_layout_staged_##FIELDS(const unsigned *input, unsigned *output, unsigned elements,  \
                                                           unsigned used, unsigned pad_shift) {                         \
        staged<FIELDS>(input, output, elements, used, pad_shift);                                                       \
    }
FOR_EACH_COUNT(STAGED)
