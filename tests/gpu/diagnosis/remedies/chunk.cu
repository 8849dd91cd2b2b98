#include <cuda_runtime.h>
#include <math.h>
// y = a x + y, each thread a run of elements of its own, as on a CPU
__global__ void saxpy_chunks(int n, float a, const float* x, float* y)
{
    int threads = gridDim.x * blockDim.x;
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    int per = (n + threads - 1) / threads;
    int first = t * per;
    int last = min(first + per, n);
    for (int i = first; i < last; i++)
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
