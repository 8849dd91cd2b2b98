namespace heat {
__global__ void __launch_bounds__(256) step(const double* __restrict__ old, double* __restrict__ now, int width, int height, double weight) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x;
    const int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    now[y * width + x] = old[y * width + x] + weight * (old[(y - 1) * width + x] + old[(y + 1) * width + x]
        + old[y * width + x - 1] + old[y * width + x + 1] - 4.0 * old[y * width + x]);
}
}
