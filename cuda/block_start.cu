// Blocks that do next to nothing: the first thread of each stores a word, the others end at once.
//
// Each word holds its own number. Dynamic shared memory, which nobody uses, limits how many blocks are resident.

extern "C" __global__ void block_start_blocks(unsigned *output) {
    if (threadIdx.x == 0) output[blockIdx.x] = blockIdx.x;
}

// The same words by fewer blocks.
extern "C" __global__ void block_start_persistent(unsigned *output, unsigned words) {
    if (threadIdx.x > 0) return;
#pragma unroll 1
    for (unsigned word = blockIdx.x; word < words; word += gridDim.x) output[word] = word;
}
