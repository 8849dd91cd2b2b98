#define MASK_WIDTH 5
#define O_TILE_WIDTH 12
#define BLOCK_WIDTH (O_TILE_WIDTH + MASK_WIDTH - 1)
__constant__ float M[MASK_WIDTH * MASK_WIDTH];
__global__ void convolution(const float* in, float* out, int height, int width) {
    __shared__ float tile[BLOCK_WIDTH][BLOCK_WIDTH];
    int tx = threadIdx.x, ty = threadIdx.y;
    int row_o = blockIdx.y * O_TILE_WIDTH + ty;
    int col_o = blockIdx.x * O_TILE_WIDTH + tx;
    int row_i = row_o - MASK_WIDTH / 2, col_i = col_o - MASK_WIDTH / 2;
    if (row_i >= 0 && row_i < height && col_i >= 0 && col_i < width) tile[ty][tx] = in[row_i * width + col_i];
    else tile[ty][tx] = 0.0f;
    __syncthreads();
    if (ty < O_TILE_WIDTH && tx < O_TILE_WIDTH && row_o < height && col_o < width) {
        float s = 0;
        for (int i = 0; i < MASK_WIDTH; i++) for (int j = 0; j < MASK_WIDTH; j++) s += M[i * MASK_WIDTH + j] * tile[ty + i][tx + j];
        out[row_o * width + col_o] = s;
    }
}
