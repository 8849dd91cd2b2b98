// Bytes are substituted by a table of 256 entries, again and again: it is in constant memory, in shared memory, or in global memory that is only read.
__constant__ unsigned entries[256];

__global__ void in_constant(unsigned* out, const unsigned* keys, int places, int turns)
{
    int index = blockIdx.x * 256 + threadIdx.x;
    unsigned at = keys[index] % places;
    unsigned sum = 0;
    for (int turn = 0; turn < turns; turn++) {
        at = entries[at];
        sum = sum * 31 + at;
    }
    out[index] = sum;
}

__global__ void in_shared(unsigned* out, const unsigned* keys, const unsigned* table, int places, int turns)
{
    __shared__ unsigned own[256];
    own[threadIdx.x] = table[threadIdx.x];
    __syncthreads();
    int index = blockIdx.x * 256 + threadIdx.x;
    unsigned at = keys[index] % places;
    unsigned sum = 0;
    for (int turn = 0; turn < turns; turn++) {
        at = own[at];
        sum = sum * 31 + at;
    }
    out[index] = sum;
}

__global__ void in_global(unsigned* __restrict__ out, const unsigned* __restrict__ keys, const unsigned* __restrict__ table, int places, int turns)
{
    int index = blockIdx.x * 256 + threadIdx.x;
    unsigned at = keys[index] % places;
    unsigned sum = 0;
    for (int turn = 0; turn < turns; turn++) {
        at = table[at];
        sum = sum * 31 + at;
    }
    out[index] = sum;
}
