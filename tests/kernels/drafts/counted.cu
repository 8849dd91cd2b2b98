// How many elements there are stands in memory.
__global__ void scale(float* data, const int* count) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= *count) return;
    data[i] *= 2.0f;
}
// How long a loop of each thread is says nothing of how many threads there are.
__global__ void repeat(float* data, const int* steps, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        for (int step = 0; step < steps[0]; step++) data[i] *= 2.0f;
    }
}
__global__ void scale_first(float* data, const int* count) {
    const int all = count[0];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < all) data[i] *= 2.0f;
}
