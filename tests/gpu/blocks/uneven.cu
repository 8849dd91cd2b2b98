// A few blocks that do far more than the others: a long row of a sparse matrix, long blocks now and then, one block that its number picks out.

extern "C" __global__ void long_row(const int* start, const int* length, const float* x, float* y, int n) {
    int r = blockIdx.x * blockDim.x + threadIdx.x;
    if (r >= n) return;
    float s = 0;
    int b = start[r], l = length[r];
    for (int j = 0; j < l; j++) s += x[(b + j) & 1048575];
    y[r] = s;
}

extern "C" __global__ void long_blocks(const int* length, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int s = i;
#pragma unroll 1
    for (int j = 0; j < length[i]; j++) s = s * 1664525 + 1013904223;
    out[i] = s;
}

extern "C" __global__ void one_block(const int* in, int* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int s = in[i];
    int turns = blockIdx.x == gridDim.x * 2 / 5 + 7 ? 200000 : 4;
#pragma unroll 1
    for (int j = 0; j < turns; j++) s = s * 1664525 + 1013904223;
    out[i] = s;
}
