// Sums and counts of values by class; labels 0..9, each thread looks at all classes.
constexpr int CLASSES = 10;
__global__ void naive(const float* x, const int* label, float* sum, unsigned* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int l = label[i];
    for (int c = 0; c < CLASSES; ++c) {
        if (l == c) {
            atomicAdd(&sum[c], x[i]);
        }
    }
}
__global__ void ballots(const float* x, const int* label, float* sum, unsigned* count, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    int l = i < n ? label[i] : -1;
    float v = i < n ? x[i] : 0.0f;
    int lane = threadIdx.x & 31;
    for (int c = 0; c < CLASSES; ++c) {
        unsigned m = __ballot_sync(0xffffffffu, l == c);
        if (m == 0) continue;
        float s = l == c ? v : 0.0f;
        for (int o = 16; o > 0; o >>= 1) s += __shfl_down_sync(0xffffffffu, s, o);
        if (lane == 0) {
            atomicAdd(&sum[c], s);
        }
    }
}
__global__ void shared_sums(const float* x, const int* label, float* sum, unsigned* count, int n) {
    __shared__ float s[CLASSES];
    __shared__ unsigned k[CLASSES];
    if (threadIdx.x < CLASSES) { s[threadIdx.x] = 0.0f; k[threadIdx.x] = 0u; }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) { atomicAdd(&s[label[i]], x[i]); atomicAdd(&k[label[i]], 1u); }
    __syncthreads();
    if (threadIdx.x < CLASSES) { atomicAdd(&sum[threadIdx.x], s[threadIdx.x]); atomicAdd(&count[threadIdx.x], k[threadIdx.x]); }
}
