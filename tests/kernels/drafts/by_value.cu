struct Options { float scale; int mode; };
__global__ void apply(float* data, int n, Options options) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) data[i] *= options.scale;
}
