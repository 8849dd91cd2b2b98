// Sectors of device memory that are alone: what reading one takes, what writing all of it, and what writing a word, whose sector L2 has to
// read before it can write it back. Neighbouring threads take sectors that follow each other, or that are below each other in rows.

#include "probe.cuh"

static const unsigned ROW_WORDS = 8192;

// Sector `index` in words: `stride` words after the one before, or in the next row until all `rows` have one.
__device__ __forceinline__ size_t place(size_t index, unsigned stride, unsigned rows) {
    return rows == 0 ? index * stride : index % rows * ROW_WORDS + index / rows * stride;
}

template <int WORDS>
__global__ void write_lone(unsigned *target, size_t count, unsigned stride, unsigned rows) {
    const size_t index = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (index >= count) return;
    unsigned *own = target + place(index, stride, rows);
    if (WORDS == 1) {
        *own = unsigned(index);
    } else {
        const uint4 value = make_uint4(unsigned(index), 1, 2, 3);
        reinterpret_cast<uint4 *>(own)[0] = value;
        reinterpret_cast<uint4 *>(own)[1] = value;
    }
}

__global__ void read_lone(const unsigned *source, size_t count, unsigned stride, unsigned rows, unsigned *sink) {
    const size_t index = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    if (index < count && source[place(index, stride, rows)] == 0x12345) *sink = 1;
}

void lone(Bench &bench, unsigned *target, size_t count, unsigned stride, unsigned rows) {
    const unsigned blocks = unsigned((count + 255) / 256);
    auto row = [&](const char *what, double time) {
        ROW("lone", time * 1e6 / count, "ps/sector", "does=%s order=%s stride_bytes=%u sectors=%zu", what, rows == 0 ? "across" : "down", stride * 4, count);
    };
    row("read", bench.cold_us([&] { read_lone<<<blocks, 256, 0, bench.stream>>>(target, count, stride, rows, bench.sink); }, 5));
    row("write_word", bench.cold_us([&] { write_lone<1><<<blocks, 256, 0, bench.stream>>>(target, count, stride, rows); }, 5));
    row("write_sector", bench.cold_us([&] { write_lone<8><<<blocks, 256, 0, bench.stream>>>(target, count, stride, rows); }, 5));
}

int main() {
    Bench bench;
    unsigned *target;
    const size_t bytes = size_t(8) << 30;
    CHECK(cudaMalloc(&target, bytes));
    CHECK(cudaMemset(target, 1, bytes));
    for (unsigned stride : {8u, 16u, 32u, 64u, 256u, 1024u}) lone(bench, target, std::min(size_t(1) << 23, bytes / 4 / stride), stride, 0);
    for (unsigned stride : {16u, 32u, 64u, 256u, 1024u}) {
        for (unsigned rows : {8192u, 32768u}) lone(bench, target, size_t(rows) * (ROW_WORDS / stride), stride, rows);
    }
}
