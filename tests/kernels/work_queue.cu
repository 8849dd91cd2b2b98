// Blocks take runs of elements from a counter until none is left; each run is as long as `run` says.
__global__ void work_queue(const float *values, float *results, int *taken, int count, int run) {
    __shared__ int first;
    for (;;) {
        if (threadIdx.x == 0) first = atomicAdd(taken, run);
        __syncthreads();
        int begin = first, end = min(begin + run, count);
        __syncthreads();
        if (begin >= count) return;
        for (int i = begin + threadIdx.x; i < end; i += blockDim.x) {
            float value = values[i];
            for (int step = 0; step < 16; step++) value = value * value + 0.25f;
            results[i] = value;
        }
    }
}

// The counter begins anew: each launch of a measurement takes all elements.
__global__ void refill(int *taken) { *taken = 0; }
