#ifndef NUM_BINS
#define NUM_BINS 256
#endif
#ifndef BLOCK_SIZE
#define BLOCK_SIZE 256
#endif
__global__ void histogram_global(const unsigned char* data, unsigned int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int stride = blockDim.x * gridDim.x;
    for (; i < n; i += stride) atomicAdd(&bins[data[i]], 1);
}
__global__ void histogram_shared(const unsigned char* data, unsigned int* bins, int n) {
    __shared__ unsigned int local[NUM_BINS];
    for (int b = threadIdx.x; b < NUM_BINS; b += BLOCK_SIZE) local[b] = 0;
    __syncthreads();
    for (int i = blockIdx.x * BLOCK_SIZE + threadIdx.x; i < n; i += BLOCK_SIZE * gridDim.x) atomicAdd(&local[data[i]], 1);
    __syncthreads();
    for (int b = threadIdx.x; b < NUM_BINS; b += BLOCK_SIZE) atomicAdd(&bins[b], local[b]);
}
