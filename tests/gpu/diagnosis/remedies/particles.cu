#include <cuda_runtime.h>
struct Particle { float x, y, z, vx, vy, vz, mass, charge; };
__global__ void push(Particle* p, int n, float dt)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    p[i].x += dt * p[i].vx;
    p[i].y += dt * p[i].vy;
    p[i].z += dt * p[i].vz;
}
int main()
{
    int n = 1 << 20;
    Particle* p;
    cudaMalloc(&p, n * sizeof(Particle));
    cudaMemset(p, 0, n * sizeof(Particle));
    push<<<(n + 127) / 128, 128>>>(p, n, 0.01f);
    cudaDeviceSynchronize();
}
