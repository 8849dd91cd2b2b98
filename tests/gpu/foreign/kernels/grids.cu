// Stencils, images and other grids.

extern "C" __global__ void convolution_3x3(const float *in, const float *filter, float *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    float sum = 0.0f;
    for (int dy = -1; dy <= 1; dy++) {
        for (int dx = -1; dx <= 1; dx++) {
            int sx = min(max(x + dx, 0), width - 1);
            int sy = min(max(y + dy, 0), height - 1);
            sum += in[sy * width + sx] * filter[(dy + 1) * 3 + dx + 1];
        }
    }
    out[y * width + x] = sum;
}

// Edges of a grey image.
extern "C" __global__ void sobel(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1)
        return;
    const unsigned char *p = in + y * width + x;
    int gx = p[-width + 1] + 2 * p[1] + p[width + 1] - p[-width - 1] - 2 * p[-1] - p[width - 1];
    int gy = p[width - 1] + 2 * p[width] + p[width + 1] - p[-width - 1] - 2 * p[-width] - p[-width + 1];
    float length = sqrtf((float)(gx * gx + gy * gy));
    out[y * width + x] = length > 255.0f ? 255 : (unsigned char)length;
}

extern "C" __global__ void jacobi_2d(const float *in, float *out, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
        out[i * n + j] = 0.2f * (in[i * n + j] + in[i * n + j - 1] + in[i * n + j + 1] + in[(i + 1) * n + j] + in[(i - 1) * n + j]);
}

extern "C" __global__ void jacobi_2d_double(const double *in, double *out, int n)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
        out[i * n + j] = 0.2 * (in[i * n + j] + in[i * n + j - 1] + in[i * n + j + 1] + in[(i + 1) * n + j] + in[(i - 1) * n + j]);
}

// A thread for each column of the grid, which goes up in z.
extern "C" __global__ void stencil_7(const float *in, float *out, int nx, int ny, int nz, float c0, float c1)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= nx - 1 || y >= ny - 1)
        return;
    int plane = nx * ny;
    int i = y * nx + x + plane;
    float below = in[i - plane], here = in[i];
    for (int z = 1; z < nz - 1; z++) {
        float above = in[i + plane];
        out[i] = c0 * here + c1 * (in[i - 1] + in[i + 1] + in[i - nx] + in[i + nx] + below + above);
        below = here;
        here = above;
        i += plane;
    }
}

// Two steps of heat in a chip in one launch: a block computes a smaller tile than it reads.
#define BLOCK 16
#define STEPS 2
extern "C" __global__ void hotspot(const float *power, const float *temperature, float *result, int width, int height,
                                   float step, float rx, float ry, float rz)
{
    __shared__ float now[BLOCK][BLOCK];
    __shared__ float watts[BLOCK][BLOCK];
    __shared__ float next[BLOCK][BLOCK];
    int tx = threadIdx.x, ty = threadIdx.y;
    int small = BLOCK - 2 * STEPS;
    int x = (int)blockIdx.x * small - STEPS + tx;
    int y = (int)blockIdx.y * small - STEPS + ty;
    bool inside = x >= 0 && x < width && y >= 0 && y < height;
    if (inside) {
        now[ty][tx] = temperature[y * width + x];
        watts[ty][tx] = power[y * width + x];
    } else {
        now[ty][tx] = 80.0f;
        watts[ty][tx] = 0.0f;
    }
    __syncthreads();
    bool computed = false;
    for (int i = 0; i < STEPS; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= BLOCK - 2 - i && ty >= i + 1 && ty <= BLOCK - 2 - i && inside) {
            computed = true;
            int n = y > 0 ? ty - 1 : ty, s = y < height - 1 ? ty + 1 : ty;
            int w = x > 0 ? tx - 1 : tx, e = x < width - 1 ? tx + 1 : tx;
            next[ty][tx] = now[ty][tx] + step * (watts[ty][tx]
                + (now[s][tx] + now[n][tx] - 2.0f * now[ty][tx]) * ry
                + (now[ty][e] + now[ty][w] - 2.0f * now[ty][tx]) * rx
                + (80.0f - now[ty][tx]) * rz);
        }
        __syncthreads();
        if (i == STEPS - 1)
            break;
        if (computed)
            now[ty][tx] = next[ty][tx];
        __syncthreads();
    }
    if (computed)
        result[y * width + x] = next[ty][tx];
}

// One step of Floyd and Warshall's all shortest paths.
extern "C" __global__ void floyd_step(int *distance, int n, int k)
{
    int j = blockIdx.x * blockDim.x + threadIdx.x;
    int i = blockIdx.y * blockDim.y + threadIdx.y;
    if (i >= n || j >= n)
        return;
    int through = distance[i * n + k] + distance[k * n + j];
    if (through < distance[i * n + j])
        distance[i * n + j] = through;
}

// A row of the cheapest paths through a grid, several rows a launch, in shared memory.
extern "C" __global__ void pathfinder(const int *wall, const int *source, int *result, int columns, int rows)
{
    __shared__ int previous[256];
    __shared__ int current[256];
    int tx = threadIdx.x;
    int x = (int)blockIdx.x * (256 - 2 * rows) - rows + tx;
    bool inside = x >= 0 && x < columns;
    if (inside)
        previous[tx] = source[x];
    __syncthreads();
    int w = max(tx - 1, 0), e = min(tx + 1, 255);
    if (x <= 0) w = tx;
    if (x >= columns - 1) e = tx;
    bool computed = false;
    for (int i = 0; i < rows; i++) {
        computed = false;
        if (tx >= i + 1 && tx <= 254 - i && inside) {
            computed = true;
            int best = min(previous[w], min(previous[tx], previous[e]));
            current[tx] = best + wall[i * columns + x];
        }
        __syncthreads();
        if (i == rows - 1)
            break;
        if (computed)
            previous[tx] = current[tx];
        __syncthreads();
    }
    if (computed)
        result[x] = current[tx];
}

extern "C" __global__ void mandelbrot(int *out, int width, int height, float left, float top, float step, int most)
{
    int px = blockIdx.x * blockDim.x + threadIdx.x;
    int py = blockIdx.y * blockDim.y + threadIdx.y;
    if (px >= width || py >= height)
        return;
    float cx = left + px * step, cy = top + py * step;
    float x = 0.0f, y = 0.0f;
    int i = 0;
    while (i < most && x * x + y * y < 4.0f) {
        float t = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = t;
        i++;
    }
    out[py * width + px] = i;
}

// Cells of Conway's game of life, one byte each, on a torus.
extern "C" __global__ void life(const unsigned char *in, unsigned char *out, int width, int height)
{
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height)
        return;
    int count = 0;
    for (int dy = -1; dy <= 1; dy++)
        for (int dx = -1; dx <= 1; dx++)
            if (dx != 0 || dy != 0)
                count += in[(y + dy + height) % height * width + (x + dx + width) % width];
    out[y * width + x] = count == 3 || (count == 2 && in[y * width + x]);
}
