// sorted: neighbouring threads have rows of the same length
__global__ void trmv(const float* L, const float* x, float* y, int n)
{
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= n) return;
    int i = (t % (n / 64)) * 64 + t / (n / 64);
    float sum = 0.f;
    for (int j = 0; j <= i % 64; j++) sum += L[j * n + i] * x[j];
    y[i] = sum;
}
