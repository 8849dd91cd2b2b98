#include <cuda_runtime.h>
#define THREADS 256
__global__ void reduce0(const int* g_in, int* g_out, unsigned int n)
{
    __shared__ int s[THREADS];
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[tid] = i < n ? g_in[i] : 0;
    __syncthreads();
    for (unsigned int d = 1; d < blockDim.x; d *= 2) {
        if (tid % (2 * d) == 0) {
            s[tid] += s[tid + d];
        }
        __syncthreads();
    }
    if (tid == 0) g_out[blockIdx.x] = s[0];
}
int main()
{
    unsigned int n = 1 << 22;
    int *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMalloc(&out, n / THREADS * sizeof(int));
    reduce0<<<n / THREADS, THREADS>>>(in, out, n);
    cudaDeviceSynchronize();
}
