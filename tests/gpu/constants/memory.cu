// Latencies of memory, and its rates against the bytes that are in flight.

#include "probe.cuh"

// One thread follows a chain; cycles of a step.
__global__ void chase(const unsigned *next, unsigned steps, unsigned long long *cycles, unsigned *sink, int all_levels) {
    unsigned place = 0;
    const long long begin = clock64();
    for (unsigned step = 0; step < steps; ++step) place = all_levels ? __ldca(next + place) : __ldcg(next + place);
    const long long end = clock64();
    *cycles = end - begin;
    *sink = place;
}

void chain(Bench &bench, unsigned *buffer, size_t bytes, size_t stride, unsigned steps, int all_levels, bool warm) {
    const size_t count = bytes / stride;
    std::vector<unsigned> host(bytes / 4, 0);
    std::vector<unsigned> order(count);
    for (size_t i = 0; i < count; ++i) order[i] = unsigned(i);
    uint64_t state = 88172645463325252ull;
    for (size_t i = count - 1; i > 0; --i) {
        state ^= state << 13, state ^= state >> 7, state ^= state << 17;
        std::swap(order[i], order[state % (i + 1)]);
    }
    // It begins at word 0.
    for (size_t i = 0; i < count; ++i) if (order[i] == 0) { std::swap(order[i], order[0]); break; }
    for (size_t i = 0; i < count; ++i) host[order[i] * (stride / 4)] = unsigned(order[(i + 1) % count] * (stride / 4));
    CHECK(cudaMemcpy(buffer, host.data(), bytes, cudaMemcpyHostToDevice));
    unsigned long long *cycles, total;
    CHECK(cudaMalloc(&cycles, 8));
    auto run = [&](unsigned length) { chase<<<1, 1, 0, bench.stream>>>(buffer, length, cycles, bench.sink, all_levels); };
    std::vector<unsigned long long> all;
    for (int sample = 0; sample < 5; ++sample) {
        bench.sweep();
        if (warm) run(unsigned(std::min<size_t>(count, 200000)) + 1);
        run(steps);
        CHECK(cudaStreamSynchronize(bench.stream));
        CHECK(cudaMemcpy(&total, cycles, 8, cudaMemcpyDeviceToHost));
        all.push_back(total);
    }
    std::sort(all.begin(), all.end());
    ROW("latency", double(all[2]) / steps, "cycles", "bytes=%zu stride=%zu steps=%u caches=%s loads=%s", bytes, stride, steps, warm ? "warm" : "clean", all_levels ? "ca" : "cg");
    CHECK(cudaFree(cycles));
}

template <typename Word> __device__ Word filled(unsigned value);
template <> __device__ unsigned filled(unsigned value) { return value; }
template <> __device__ uint2 filled(unsigned value) { return make_uint2(value, value); }
template <> __device__ uint4 filled(unsigned value) { return make_uint4(value, value, value, value); }
__device__ unsigned folded(unsigned word) { return word; }
__device__ unsigned folded(uint2 word) { return word.x ^ word.y; }
__device__ unsigned folded(uint4 word) { return word.x ^ word.y ^ word.z ^ word.w; }

// Every thread goes through the buffer with the grid's stride and `LOADS` words in flight. `spread` words lie between neighbouring lanes'.
template <typename Word, int LOADS>
__global__ void read_all(const Word *source, size_t count, unsigned spread, unsigned passes, unsigned *sink) {
    unsigned sum = 0;
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    for (unsigned pass = 0; pass < passes; ++pass)
    for (size_t first = blockIdx.x * size_t(blockDim.x) + threadIdx.x; first < count; first += threads * LOADS) {
        Word words[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; ++i) {
            const size_t index = first + i * threads;
            words[i] = index < count ? __ldcg(source + index * spread) : filled<Word>(0);
        }
#pragma unroll
        for (int i = 0; i < LOADS; ++i) sum += folded(words[i]);
    }
    if (sum == 0x12345) *sink = sum;
}

template <typename Word>
__global__ void write_all(Word *target, size_t count, unsigned spread, unsigned passes) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    for (unsigned pass = 0; pass < passes; ++pass)
    for (size_t index = blockIdx.x * size_t(blockDim.x) + threadIdx.x; index < count; index += threads) target[index * spread] = filled<Word>(7 + pass);
}

template <typename Word, int LOADS>
__global__ void copy_all(const Word *source, Word *target, size_t count, unsigned passes) {
    const size_t threads = size_t(gridDim.x) * blockDim.x;
    for (unsigned pass = 0; pass < passes; ++pass)
    for (size_t first = blockIdx.x * size_t(blockDim.x) + threadIdx.x; first < count; first += threads * LOADS) {
        Word words[LOADS];
#pragma unroll
        for (int i = 0; i < LOADS; ++i) if (first + i * threads < count) words[i] = __ldcg(source + first + i * threads);
#pragma unroll
        for (int i = 0; i < LOADS; ++i) if (first + i * threads < count) target[first + i * threads] = words[i];
    }
}

template <typename Word, int LOADS>
void reads(Bench &bench, const unsigned *buffer, size_t bytes, unsigned spread, const char *where, bool warm) {
    const size_t count = bytes / sizeof(Word) / spread;
    for (int warps : {2, 4, 8, 16, 32, 64}) {
        const int threads = std::min(warps * 32, 256), blocks = bench.multiprocessors * (warps * 32 / threads);
        auto work = [&](unsigned passes) { read_all<Word, LOADS><<<blocks, threads, 0, bench.stream>>>(reinterpret_cast<const Word *>(buffer), count, spread, passes, bench.sink); };
        const double time = warm ? (bench.warm_us([&] { work(9); }, 3) - bench.warm_us([&] { work(1); }, 3)) / 8 : bench.cold_us([&] { work(1); }, 7);
        ROW("read", count * sizeof(Word) / time / 1e3, "GB/s", "from=%s bytes=%zu word=%zu loads=%d spread=%u warps=%d", where, bytes, sizeof(Word), LOADS, spread, warps);
    }
}

template <typename Word>
void writes(Bench &bench, unsigned *buffer, size_t bytes, unsigned spread, const char *where, bool warm) {
    const size_t count = bytes / sizeof(Word) / spread;
    for (int warps : {4, 16, 64}) {
        const int threads = std::min(warps * 32, 256), blocks = bench.multiprocessors * (warps * 32 / threads);
        auto work = [&](unsigned passes) { write_all<Word><<<blocks, threads, 0, bench.stream>>>(reinterpret_cast<Word *>(buffer), count, spread, passes); };
        const double time = warm ? (bench.warm_us([&] { work(9); }, 3) - bench.warm_us([&] { work(1); }, 3)) / 8 : bench.cold_us([&] { work(1); }, 7);
        ROW("write", count * sizeof(Word) / time / 1e3, "GB/s", "to=%s bytes=%zu word=%zu spread=%u warps=%d", where, bytes, sizeof(Word), spread, warps);
    }
}

template <typename Word, int LOADS>
void copies(Bench &bench, unsigned *source, unsigned *target, size_t bytes, const char *where, bool warm) {
    const size_t count = bytes / sizeof(Word);
    for (int warps : {8, 16, 32, 64}) {
        const int threads = std::min(warps * 32, 256), blocks = bench.multiprocessors * (warps * 32 / threads);
        auto work = [&](unsigned passes) { copy_all<Word, LOADS><<<blocks, threads, 0, bench.stream>>>(reinterpret_cast<Word *>(source), reinterpret_cast<Word *>(target), count, passes); };
        const double time = warm ? (bench.warm_us([&] { work(9); }, 3) - bench.warm_us([&] { work(1); }, 3)) / 8 : bench.cold_us([&] { work(1); }, 7);
        ROW("copy", 2 * count * sizeof(Word) / time / 1e3, "GB/s", "in=%s bytes=%zu word=%zu loads=%d warps=%d", where, bytes, sizeof(Word), LOADS, warps);
    }
}

// Each thread writes the first `WORDS` words of a sector of its own, one store behind the other, then of one far away. Do stores to a
// sector on their way to L2 become one?
template <int WORDS>
__global__ void write_records(unsigned *target, unsigned rounds, size_t round_words, unsigned record_words) {
    const size_t thread = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    for (unsigned round = 0; round < rounds; ++round) {
        unsigned *record = target + round * round_words + thread * record_words;
#pragma unroll
        for (int word = 0; word < WORDS; ++word) asm volatile("st.global.u32 [%0], %1;" : : "l"(record + word), "r"(round) : "memory");
    }
}

// The same of the warps of a block: warp w writes word w of 32 sectors that all of them share.
__global__ void write_columns(unsigned *target, unsigned rounds, size_t round_words, unsigned record_words) {
    const unsigned lane = threadIdx.x % 32, warp = threadIdx.x / 32;
    for (unsigned round = 0; round < rounds; ++round) {
        target[round * round_words + (size_t(blockIdx.x) * 32 + lane) * record_words + warp] = round;
    }
}

template <int WORDS>
void records(Bench &bench, unsigned *target) {
    for (unsigned record_words : {8u, 32u}) {
        for (int warps : {1, 2, 4, 8, 16, 32, 64}) {
            const int threads = std::min(warps * 32, 256), blocks = bench.multiprocessors * (warps * 32 / threads);
            const size_t round_words = size_t(blocks) * threads * record_words;
            const unsigned rounds = unsigned(std::min<size_t>(64, (size_t(16) << 20) / 4 / round_words));
            if (rounds < 2) continue;
            auto work = [&](unsigned passes) { for (unsigned pass = 0; pass < passes; ++pass) write_records<WORDS><<<blocks, threads, 0, bench.stream>>>(target, rounds, round_words, record_words); };
            auto half = [&](unsigned passes) { for (unsigned pass = 0; pass < passes; ++pass) write_records<WORDS><<<blocks, threads, 0, bench.stream>>>(target, rounds / 2, round_words, record_words); };
            const double time = bench.warm_us([&] { work(1); }, 10) - bench.warm_us([&] { half(1); }, 10);
            ROW("records", time * 1e3 / (rounds - rounds / 2) / blocks / threads * 1e3, "ps/sector", "words=%d record_words=%u warps=%d rounds=%u", WORDS, record_words, warps, rounds);
        }
    }
}

void columns(Bench &bench, unsigned *target) {
    for (unsigned record_words : {8u, 32u, 1024u}) {
        for (int resident : {1, 2, 4, 8}) {
            const int threads = 256, blocks = bench.multiprocessors * resident;
            const size_t round_words = size_t(blocks) * 32 * record_words;
            const unsigned rounds = unsigned(std::min<size_t>(64, (size_t(64) << 20) / 4 / round_words));
            if (rounds < 2) continue;
            auto work = [&](unsigned own) { write_columns<<<blocks, threads, 0, bench.stream>>>(target, own, round_words, record_words); };
            const double time = bench.warm_us([&] { work(rounds); }, 10) - bench.warm_us([&] { work(rounds / 2); }, 10);
            ROW("columns", time * 1e3 / (rounds - rounds / 2) / blocks / threads * 1e3, "ps/store", "record_words=%u resident=%d rounds=%u", record_words, resident, rounds);
        }
    }
}

// A word of each thread, read once with clean caches: how long until a short burst has arrived?
template <typename Word>
__global__ void read_once(const Word *source, unsigned *sink) {
    const Word word = source[blockIdx.x * size_t(blockDim.x) + threadIdx.x];
    if (folded(word) == 0x12345) *sink = 1;
}

template <typename Word>
__global__ void copy_once(const Word *source, Word *target) {
    const size_t index = blockIdx.x * size_t(blockDim.x) + threadIdx.x;
    target[index] = source[index];
}

template <typename Word>
void bursts(Bench &bench, const unsigned *source, unsigned *target) {
    for (size_t kib = 128; kib <= 65536; kib *= 2) {
        const int blocks = int(kib * 1024 / sizeof(Word) / 256);
        auto from = reinterpret_cast<const Word *>(source);
        ROW("burst", bench.cold_us([&] { read_once<Word><<<blocks, 256, 0, bench.stream>>>(from, bench.sink); }, 11), "us", "kib=%zu word=%zu blocks=%d caches=clean", kib, sizeof(Word), blocks);
        ROW("burst_copy", bench.cold_us([&] { copy_once<Word><<<blocks, 256, 0, bench.stream>>>(from, reinterpret_cast<Word *>(target)); }, 11), "us", "kib=%zu word=%zu blocks=%d caches=clean", kib, sizeof(Word), blocks);
        auto driver = [&] { CHECK(cudaMemcpyAsync(target, source, kib << 10, cudaMemcpyDeviceToDevice, bench.stream)); };
        if (sizeof(Word) == 4) ROW("driver_copy", bench.cold_us(driver, 11), "us", "kib=%zu caches=clean", kib);
    }
}

int main() {
    Bench bench;
    const size_t bytes = size_t(2) << 30;
    unsigned *source, *target;
    CHECK(cudaMalloc(&source, bytes));
    CHECK(cudaMalloc(&target, bytes));
    CHECK(cudaMemset(source, 0, bytes));
    CHECK(cudaMemset(target, 0, bytes));

    const size_t kib = 1 << 10, mib = 1 << 20;
    chain(bench, source, 16 * kib, 128, 4000, 1, true);
    chain(bench, source, 128 * kib, 128, 4000, 1, true);
    for (size_t size : {1 * mib, 4 * mib, 16 * mib, 24 * mib, 40 * mib}) chain(bench, source, size, 128, 20000, 0, true);
    for (size_t size : {2 * mib, 16 * mib, 256 * mib, 1024 * mib}) chain(bench, source, size, 256, 5000, 0, false);
    for (unsigned steps : {1u, 2u, 4u, 8u, 16u}) chain(bench, source, 1024 * mib, size_t(2) * mib, steps, 0, false);
    for (unsigned steps : {1u, 2u, 4u, 8u, 16u}) chain(bench, source, 2 * mib, 4096, steps, 0, false);
    CHECK(cudaMemset(source, 0, bytes));

    const size_t cached = 16 * mib, large = 1024 * mib;
    reads<unsigned, 1>(bench, source, cached, 1, "l2", true);
    reads<unsigned, 4>(bench, source, cached, 1, "l2", true);
    reads<uint4, 1>(bench, source, cached, 1, "l2", true);
    reads<uint4, 4>(bench, source, cached, 1, "l2", true);
    reads<unsigned, 4>(bench, source, cached, 8, "l2", true);
    reads<unsigned, 4>(bench, source, cached, 16, "l2", true);
    reads<unsigned, 4>(bench, source, cached, 32, "l2", true);
    reads<unsigned, 4>(bench, source, cached, 33, "l2", true);
    reads<unsigned, 1>(bench, source, large, 1, "dram", false);
    reads<unsigned, 2>(bench, source, large, 1, "dram", false);
    reads<unsigned, 4>(bench, source, large, 1, "dram", false);
    reads<uint2, 1>(bench, source, large, 1, "dram", false);
    reads<uint4, 1>(bench, source, large, 1, "dram", false);
    reads<uint4, 2>(bench, source, large, 1, "dram", false);
    reads<uint4, 4>(bench, source, large, 1, "dram", false);
    reads<unsigned, 4>(bench, source, large, 8, "dram", false);
    reads<unsigned, 4>(bench, source, large, 16, "dram", false);
    reads<unsigned, 4>(bench, source, large, 32, "dram", false);
    writes<unsigned>(bench, target, cached, 1, "l2", true);
    writes<uint4>(bench, target, cached, 1, "l2", true);
    writes<unsigned>(bench, target, cached, 2, "l2", true);
    writes<unsigned>(bench, target, cached, 4, "l2", true);
    writes<unsigned>(bench, target, cached, 8, "l2", true);
    writes<unsigned>(bench, target, cached, 16, "l2", true);
    writes<unsigned>(bench, target, cached, 32, "l2", true);
    writes<unsigned>(bench, target, large, 1, "dram", false);
    writes<uint4>(bench, target, large, 1, "dram", false);
    writes<unsigned>(bench, target, large, 2, "dram", false);
    writes<unsigned>(bench, target, large, 8, "dram", false);
    writes<unsigned>(bench, target, large, 16, "dram", false);
    writes<unsigned>(bench, target, large, 32, "dram", false);
    copies<unsigned, 1>(bench, source, target, cached / 2, "l2", true);
    copies<uint4, 1>(bench, source, target, cached / 2, "l2", true);
    copies<unsigned, 1>(bench, source, target, large, "dram", false);
    copies<unsigned, 4>(bench, source, target, large, "dram", false);
    copies<uint4, 1>(bench, source, target, large, "dram", false);
    copies<uint4, 4>(bench, source, target, large, "dram", false);

    records<1>(bench, target);
    records<2>(bench, target);
    records<4>(bench, target);
    records<8>(bench, target);
    columns(bench, target);
    bursts<unsigned>(bench, source, target);
    bursts<uint2>(bench, source, target);
    bursts<uint4>(bench, source, target);
}
