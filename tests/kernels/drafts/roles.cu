// Parameters that say other things to each variant, and guards of several of them.
extern "C" __global__ void first(const float* input, float* output, int n, int m, int x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < min(n, min(m, x))) output[i] = input[i];
}
extern "C" __global__ void second(const float* input, float* output, int n, int m, int x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= x) return;
    output[i] = input[i] * n + m;
}
extern "C" __global__ void third(const float* input, float* output, int n, int m, int x)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    output[i] = input[i] * x;
}
