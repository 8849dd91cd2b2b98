// Stores of single words to L2, down the columns of a matrix that fits there: does it matter how far apart the rows are?

#include "probe.cuh"

// Each block writes a tile of TILE * TILE words, warp by warp down its columns, then the tile behind those of the other blocks. A row of the
// matrix has `pitch` words.
template <unsigned TILE>
__global__ void write_tiles(unsigned *target, unsigned pitch, unsigned tiles_across, unsigned tiles) {
    const unsigned x = threadIdx.x % TILE, y = threadIdx.x / TILE;
    for (unsigned tile = blockIdx.x; tile < tiles; tile += gridDim.x) {
        const size_t first = size_t(tile / tiles_across) * TILE * pitch + tile % tiles_across * TILE;
        for (unsigned column = y; column < TILE; column += blockDim.x / TILE) target[first + size_t(x) * pitch + column] = tile;
    }
}

template <unsigned TILE>
void tiles(Bench &bench, unsigned *target) {
    const unsigned words = 1 << 22;
    for (unsigned pitch : {64u, 128u, 256u, 1024u, 2048u, 4096u, 8192u, 2080u, 4128u}) {
        for (int threads : {64, 128, 256}) {
            for (int warps : {16, 64}) {
                const unsigned across = pitch / TILE, down = words / pitch / TILE, all = across * down;
                const int blocks = bench.multiprocessors * warps * 32 / threads;
                auto work = [&](unsigned own) { write_tiles<TILE><<<blocks, threads, 0, bench.stream>>>(target, pitch, across, own); };
                const double time = bench.warm_us([&] { work(all); }, 20) - bench.warm_us([&] { work(all / 2); }, 20);
                const double lines = double(all - all / 2) * TILE * TILE / 32 * TILE;
                ROW("tiles", time * 1e6 / lines, "ps/line", "tile=%u pitch_words=%u threads=%d warps=%d", TILE, pitch, threads, warps);
            }
        }
    }
}

int main() {
    Bench bench;
    unsigned *target;
    CHECK(cudaMalloc(&target, size_t(64) << 20));
    CHECK(cudaMemset(target, 1, size_t(64) << 20));
    tiles<16>(bench, target);
    tiles<32>(bench, target);
}
