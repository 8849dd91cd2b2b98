// What do rows cost that begin in the middle of a sector, of what is fetched at once, or of a line? Tiles of 32 x 32 words are read, written, or
// copied, blocks beside each other in the order of the grid, and the transposition's kernels do what they do. A row for each launch.

#include "../probe.cuh"
#include "transpose.cu"

enum class Moves { reads, writes, copies };

template <Moves MOVES>
__global__ void __launch_bounds__(256) tiles(const unsigned *input, unsigned *output, unsigned width) {
    const unsigned row = blockIdx.y * 32 + threadIdx.y, column = blockIdx.x * 32 + threadIdx.x;
    if (column >= width) return;
    unsigned sum = 0;
#pragma unroll
    for (unsigned i = 0; i < 32; i += 8) {
        if (row + i >= width) continue;
        const size_t index = size_t(row + i) * width + column;
        unsigned value = row;
        if (MOVES != Moves::writes) value = input[index];
        if (MOVES != Moves::reads) output[index] = value;
        sum ^= value;
    }
    if (MOVES == Moves::reads && sum == 0x12345) output[0] = sum;
}

// The same by blocks in another order: the one that moves the tile beside this one comes `apart` blocks later. Where `SWAPPED`, a block reads the tile
// across the diagonal of the one that it writes, as transpositions do, but writes it as it is.
template <Moves MOVES, bool SWAPPED>
__global__ void __launch_bounds__(256) tiles_apart(const unsigned *input, unsigned *output, unsigned width, unsigned apart) {
    const unsigned across = (width + 31) / 32, strip = blockIdx.x / (apart * across), in_strip = blockIdx.x % (apart * across);
    const unsigned tile_row = strip * apart + in_strip % apart, tile_column = in_strip / apart;
    const unsigned row = tile_row * 32 + threadIdx.y, column = tile_column * 32 + threadIdx.x;
    const unsigned from_row = (SWAPPED ? tile_column : tile_row) * 32 + threadIdx.y, from_column = (SWAPPED ? tile_row : tile_column) * 32 + threadIdx.x;
    unsigned values[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        values[i] = row;
        if (MOVES == Moves::copies && from_row + 8 * i < width && from_column < width) values[i] = input[size_t(from_row + 8 * i) * width + from_column];
    }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        if (row + 8 * i < width && column < width) output[size_t(row + 8 * i) * width + column] = values[i];
    }
}

using Kernel = void (*)(const unsigned *, unsigned *, unsigned);

int main() {
    std::printf("probe,settings,sectors\n");
    unsigned *input, *output;
    const size_t bytes = size_t(12352) * 12352 * 4;
    CHECK(cudaMalloc(&input, bytes));
    CHECK(cudaMalloc(&output, bytes));
    CHECK(cudaMemset(input, 1, bytes));
    const auto counted = [&](const char *name, Kernel kernel, unsigned width, dim3 grid, dim3 block, int shared_bytes) {
        kernel<<<grid, block, shared_bytes>>>(input, output, width);
        CHECK(cudaGetLastError());
        CHECK(cudaDeviceSynchronize());
        std::printf("%s,width=%u,%zu\n", name, width, (size_t(width) * width + 7) / 8);
    };
    for (unsigned width : {4096u, 4097u, 6007u, 8160u, 8176u, 8184u, 8188u, 8190u, 8191u, 8192u, 12289u}) {
        const unsigned by_32 = (width + 31) / 32, by_64 = (width + 63) / 64, rows = (width + (width % 8 == 0 ? 0 : 7) + 63) / 64;
        const dim3 grid(by_32, by_32), block(32, 8);
        counted("reads", tiles<Moves::reads>, width, grid, block, 0);
        counted("writes", tiles<Moves::writes>, width, grid, block, 0);
        counted("copies", tiles<Moves::copies>, width, grid, block, 0);
        counted("copy", transpose_copy_32_4, width, grid, block, 0);
        counted("shared_padded", transpose_shared_padded_32_4, width, grid, block, 32 * 33 * 4);
        counted("whole_sectors_small", transpose_whole_sectors_small, width, dim3(by_32, rows), 256, 71 * 33 * 4);
        counted("whole_sectors", transpose_whole_sectors, width, dim3(rows, by_64), 512, 71 * 65 * 4);
        for (unsigned apart : {1u, 4u, 16u, 64u, 256u}) {
            const auto in_order = [&](const char *name, auto kernel) {
                kernel<<<(by_32 + apart - 1) / apart * apart * by_32, block>>>(input, output, width, apart);
                CHECK(cudaGetLastError());
                CHECK(cudaDeviceSynchronize());
                std::printf("%s,width=%u apart=%u,%zu\n", name, width, apart, (size_t(width) * width + 7) / 8);
            };
            in_order("writes", tiles_apart<Moves::writes, false>);
            in_order("copies", tiles_apart<Moves::copies, false>);
            in_order("swapped", tiles_apart<Moves::copies, true>);
        }
        counted("whole_sectors_kept_lines", transpose_whole_sectors_kept_lines, width, dim3(rows, by_64), 512, 71 * 65 * 4);
    }
}
