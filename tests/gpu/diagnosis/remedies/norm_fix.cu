__global__ void layer_norm(const float* in, float* out, int rows, int width, float eps)
{
    int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32, lane = threadIdx.x % 32;
    if (row >= rows) return;
    float mean = 0.f, var = 0.f;
    for (int k = lane; k < width; k += 32) mean += in[row * width + k];
    for (int o = 16; o > 0; o /= 2) mean += __shfl_xor_sync(0xffffffffu, mean, o);
    mean /= width;
    for (int k = lane; k < width; k += 32) { float d = in[row * width + k] - mean; var += d * d; }
    for (int o = 16; o > 0; o /= 2) var += __shfl_xor_sync(0xffffffffu, var, o);
    float scale = rsqrtf(var / width + eps);
    for (int k = lane; k < width; k += 32) out[row * width + k] = (in[row * width + k] - mean) * scale;
}
