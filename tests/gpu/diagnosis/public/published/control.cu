// Divergence and contention, written after the papers that known.toml names.

// Harris, "Optimizing Parallel Reduction in CUDA", 2007, the first kernel: interleaved addressing.
__global__ void sum_interleaved(const float *input, float *output) {
    __shared__ float partial[256];
    int thread = threadIdx.x;
    partial[thread] = input[blockIdx.x * 256 + thread];
    __syncthreads();
    for (int stride = 1; stride < 256; stride *= 2) {
        if (thread % (2 * stride) == 0) {
            partial[thread] += partial[thread + stride];
        }
        __syncthreads();
    }
    if (thread == 0) output[blockIdx.x] = partial[0];
}

// The escape time algorithm, Peitgen, Richter, "The Beauty of Fractals", 1986: a thread for each point.
__global__ void escape_time(int *iterations, int width, int height, int most) {
    int column = blockIdx.x * blockDim.x + threadIdx.x;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    float re = 3.0f * column / width - 2.25f, im = 2.5f * row / height - 1.25f;
    float x = 0.0f, y = 0.0f;
    int count = 0;
    while (x * x + y * y < 4.0f && count < most) {
        float next = x * x - y * y + re;
        y = 2.0f * x * y + im;
        x = next;
        count++;
    }
    iterations[row * width + column] = count;
}

// Harish, Narayanan, "Accelerating Large Graph Algorithms on the GPU Using CUDA", 2007: a level of a breadth-first search.
__global__ void search_level(const int *starts, const int *edges, int *frontier, int *next, const int *visited, int *cost) {
    int node = blockIdx.x * blockDim.x + threadIdx.x;
    if (frontier[node]) {
        frontier[node] = 0;
        for (int at = starts[node]; at < starts[node + 1]; at++) {
            int other = edges[at];
            if (!visited[other]) {
                cost[other] = cost[node] + 1;
                next[other] = 1;
            }
        }
    }
}

// Podlozhnyuk, "Histogram calculation in CUDA", 2007, before bins are private: all threads add to the same bins.
__global__ void histogram(const int *data, int *bins, int elements) {
    int all = gridDim.x * blockDim.x;
    for (int index = blockIdx.x * blockDim.x + threadIdx.x; index < elements; index += all) {
        int value = data[index];
        atomicAdd(&bins[value % 4], 1);
    }
}
