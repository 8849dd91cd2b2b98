__global__ void histogram_global(const unsigned int* values, unsigned int* bins, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&bins[values[i] % 64], 1);
}

__global__ void histogram_shared(const unsigned int* values, unsigned int* bins, int n) {
    __shared__ unsigned int own[64];
    if (threadIdx.x < 64) own[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) atomicAdd(&own[values[i] % 64], 1);
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}

__global__ void histogram_several(const unsigned int* values, unsigned int* bins, int n) {
    __shared__ unsigned int own[64];
    if (threadIdx.x < 64) own[threadIdx.x] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        atomicAdd(&own[values[i] % 64], 1);
    }
    __syncthreads();
    if (threadIdx.x < 64) atomicAdd(&bins[threadIdx.x], own[threadIdx.x]);
}
