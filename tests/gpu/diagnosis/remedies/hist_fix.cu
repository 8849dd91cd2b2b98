__global__ void hist256(const unsigned char* pixels, int* hist, int n)
{
    __shared__ int own[16];
    if (threadIdx.x < 16) own[threadIdx.x] = 0;
    __syncthreads();
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        int bin = pixels[i] >> 4;
        atomicAdd(&own[bin], 1);
    }
    __syncthreads();
    if (threadIdx.x < 16) atomicAdd(&hist[threadIdx.x], own[threadIdx.x]);
}
