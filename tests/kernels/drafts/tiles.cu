// A product of matrices by tiles, whose guards are on sums.
#define TILE 16
extern "C" __global__ void multiply(const float* a, const float* b, float* c, int m, int n, int k)
{
    __shared__ float as[TILE][TILE];
    __shared__ float bs[TILE][TILE];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row = blockIdx.y * TILE + ty;
    int column = blockIdx.x * TILE + tx;
    float sum = 0.0f;
    for (int t = 0; t < k; t += TILE) {
        as[ty][tx] = (row < m && t + tx < k) ? a[row * k + t + tx] : 0.0f;
        bs[ty][tx] = (t + ty < k && column < n) ? b[(t + ty) * n + column] : 0.0f;
        __syncthreads();
        for (int i = 0; i < TILE; i++) sum += as[ty][i] * bs[i][tx];
        __syncthreads();
    }
    if (row < m && column < n) c[row * n + column] = sum;
}
