// Memory in pieces: stores to device memory that come in short pieces far apart, threads that each go through a run of their own, and
// how many lines stores wait in for others to the same sectors.

#include "probe.cuh"

// A copy of a matrix of pieces: a block copies PIECE words of each of `1024 / PIECE` neighbouring rows, or of one row. Blocks go through
// the matrix as a transposition does, so that neighbours in a row are moved apart in time. `width` and `down` are powers of two.
template <bool READS_PIECES, bool WRITES_PIECES, unsigned PIECE>
__global__ void copy_pieces(const unsigned *source, unsigned *target, unsigned width, unsigned down_shift) {
    const unsigned x = blockIdx.x >> down_shift, y = blockIdx.x & ((1u << down_shift) - 1);
    const unsigned straight = blockIdx.x * 1024;
    unsigned words[4];
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const unsigned word = i * 256 + threadIdx.x;
        const unsigned in_piece = (y * (1024 / PIECE) + word / PIECE) * width + x * PIECE + word % PIECE;
        words[i] = source[READS_PIECES ? in_piece : straight + word];
    }
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const unsigned word = i * 256 + threadIdx.x;
        const unsigned in_piece = (y * (1024 / PIECE) + word / PIECE) * width + x * PIECE + word % PIECE;
        target[WRITES_PIECES ? in_piece : straight + word] = words[i];
    }
}

template <bool READS_PIECES, bool WRITES_PIECES, unsigned PIECE>
void pieces_of(Bench &bench, const unsigned *source, unsigned *target, unsigned width) {
    const unsigned words = 1 << 26, down = words / width / (1024 / PIECE);
    unsigned shift = 0;
    while (1u << shift < down) ++shift;
    const double time = bench.cold_us([&] { copy_pieces<READS_PIECES, WRITES_PIECES, PIECE><<<words / 1024, 256, 0, bench.stream>>>(source, target, width, shift); }, 7);
    // As many bytes are written until the next piece of a row is.
    ROW("pieces", 8.0 * words / time / 1e3, "GB/s", "piece_bytes=%u kib_later=%u reads=%s writes=%s", PIECE * 4, down * 4, READS_PIECES ? "pieces" : "rows", WRITES_PIECES ? "pieces" : "rows");
}

template <bool READS_PIECES, bool WRITES_PIECES>
void pieces(Bench &bench, const unsigned *source, unsigned *target) {
    pieces_of<READS_PIECES, WRITES_PIECES, 8>(bench, source, target, 8192);
    pieces_of<READS_PIECES, WRITES_PIECES, 16>(bench, source, target, 8192);
    pieces_of<READS_PIECES, WRITES_PIECES, 64>(bench, source, target, 8192);
    pieces_of<READS_PIECES, WRITES_PIECES, 128>(bench, source, target, 8192);
    pieces_of<READS_PIECES, WRITES_PIECES, 256>(bench, source, target, 8192);
    pieces_of<READS_PIECES, WRITES_PIECES, 512>(bench, source, target, 8192);
    pieces_of<READS_PIECES, WRITES_PIECES, 1024>(bench, source, target, 8192);
    for (unsigned width = 4096; width <= 1 << 20; width *= 2) pieces_of<READS_PIECES, WRITES_PIECES, 32>(bench, source, target, width);
}

// Every thread reads `run_words` words one behind the other, its neighbour those behind them; as many threads as `warps` a multiprocessor.
__global__ void read_runs(const unsigned *source, unsigned run_words, unsigned passes, unsigned *sink) {
    unsigned sum = 0;
    const unsigned *own = source + (blockIdx.x * size_t(blockDim.x) + threadIdx.x) * run_words;
#pragma unroll 1
    for (unsigned pass = 0; pass < passes; ++pass) {
#pragma unroll 1
        for (unsigned word = 0; word < run_words; ++word) {
            unsigned value;
            asm volatile("ld.global.ca.u32 %0, [%1];" : "=r"(value) : "l"(own + word));
            sum += value;
        }
    }
    if (sum == 0x12345) *sink = sum;
}

void runs(Bench &bench, const unsigned *source) {
    for (unsigned run_words : {8u, 16u, 32u, 64u}) {
        for (int warps : {8, 16, 24, 32, 40, 48, 56, 64}) {
            const int threads = 256, blocks = bench.multiprocessors * (warps / 8);
            auto work = [&](unsigned passes) { read_runs<<<blocks, threads, 0, bench.stream>>>(source, run_words, passes, bench.sink); };
            const double time = (bench.warm_us([&] { work(5); }, 3) - bench.warm_us([&] { work(1); }, 3)) / 4;
            ROW("runs", time * 1e3 / run_words / warps, "ns/load", "run_words=%u warps=%d", run_words, warps);
        }
    }
}

// As `write_records`, with fewer lanes: `lanes` lanes of each of 4 warps write the first WORDS words of a record of their own.
template <int WORDS>
__global__ void write_some(unsigned *target, unsigned rounds, size_t round_words, unsigned record_words, unsigned lanes) {
    const unsigned lane = threadIdx.x % 32, warp = blockIdx.x * (blockDim.x / 32) + threadIdx.x / 32;
    if (lane >= lanes) return;
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned *record = target + round * round_words + (size_t(warp) * 32 + lane) * record_words;
#pragma unroll
        for (int word = 0; word < WORDS; ++word) asm volatile("st.global.u32 [%0], %1;" : : "l"(record + word), "r"(round) : "memory");
    }
}

template <int WORDS>
void lines(Bench &bench, unsigned *target) {
    for (unsigned record_words : {8u, 32u}) {
        for (int warps : {1, 2, 3, 4, 8}) {
            for (unsigned lanes : {4u, 8u, 12u, 16u, 20u, 24u, 28u, 32u}) {
                const int blocks = bench.multiprocessors;
                const size_t round_words = size_t(blocks) * warps * 32 * record_words;
                const unsigned rounds = unsigned(std::min<size_t>(64, (size_t(16) << 20) / 4 / round_words));
                if (rounds < 2) continue;
                auto work = [&](unsigned own) { write_some<WORDS><<<blocks, warps * 32, 0, bench.stream>>>(target, own, round_words, record_words, lanes); };
                const double time = bench.warm_us([&] { work(rounds); }, 10) - bench.warm_us([&] { work(rounds / 2); }, 10);
                ROW("lines", time * 1e3 / (rounds - rounds / 2) / blocks / warps / lanes * 1e3, "ps/sector", "words=%d record_words=%u warps=%d lanes=%u", WORDS, record_words, warps, lanes);
            }
        }
    }
}

int main() {
    Bench bench;
    unsigned *source, *target;
    const size_t bytes = size_t(256) << 20;
    CHECK(cudaMalloc(&source, bytes));
    CHECK(cudaMalloc(&target, bytes));
    CHECK(cudaMemset(source, 1, bytes));
    CHECK(cudaMemset(target, 1, bytes));
    pieces<false, false>(bench, source, target);
    pieces<false, true>(bench, source, target);
    pieces<true, false>(bench, source, target);
    pieces<true, true>(bench, source, target);
    runs(bench, source);
    lines<1>(bench, target);
    lines<4>(bench, target);
}
