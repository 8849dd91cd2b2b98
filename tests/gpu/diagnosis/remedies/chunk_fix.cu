__global__ void saxpy_chunks(int n, float a, const float* x, float* y)
{
    int threads = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads)
        y[i] = a * x[i] + y[i];
}
int main()
{
    int n = 1 << 22;
    float *x, *y;
    cudaMalloc(&x, n * sizeof(float));
    cudaMalloc(&y, n * sizeof(float));
    saxpy_chunks<<<528, 256>>>(n, 2.0f, x, y);
    cudaDeviceSynchronize();
}
