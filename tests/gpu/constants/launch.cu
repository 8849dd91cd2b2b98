// What a launch costs before its first instruction and behind its last, how fast blocks start, and what instruction fetch costs.

#include "probe.cuh"

__global__ void empty() {}

__global__ void one_argument(unsigned *sink) {
    if (threadIdx.x == 2000) *sink = 1;
}

__global__ void one_load(const unsigned *source, unsigned *sink) {
    const unsigned value = source[blockIdx.x * blockDim.x + threadIdx.x];
    if (value == 0x12345) *sink = 1;
}

__global__ void load_store(const unsigned *source, unsigned *target) {
    const unsigned index = blockIdx.x * blockDim.x + threadIdx.x;
    target[index] = source[index] + 1;
}

// Every block keeps its place for `cycles`.
__global__ void hold(long long cycles) {
    extern __shared__ unsigned place[];
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    if (cycles < 0) place[threadIdx.x] = 1;
}

// When each block begins, has its first value and ends, by the GPU's timer in nanoseconds; and how many cycles its first load took.
struct Span {
    unsigned long long begin, loaded;
    unsigned load_cycles, multiprocessor;
};

__device__ __forceinline__ unsigned long long timer_ns() {
    unsigned long long now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    return now;
}

__global__ void first_load(const unsigned *source, Span *spans) {
    const unsigned long long started = timer_ns();
    const unsigned begin = clock();
    unsigned value, end;
    asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(value) : "l"(source + blockIdx.x * blockDim.x + threadIdx.x));
    // The clock is read only when the value is there.
    asm volatile("{ .reg .pred p; setp.eq.u32 p, %1, 77; @p mov.u32 %0, %%clock; @!p mov.u32 %0, %%clock; }" : "=r"(end) : "r"(value) : "memory");
    const unsigned long long loaded = timer_ns() + (value == 77);
    unsigned multiprocessor;
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    if (threadIdx.x == 0) spans[blockIdx.x] = {started, loaded, end - begin, multiprocessor};
}

void timeline(Bench &bench, const unsigned *source, int blocks, bool warm) {
    Span *spans;
    CHECK(cudaMalloc(&spans, blocks * sizeof(Span)));
    std::vector<double> mean, most, last_start, last_loaded, window;
    for (int sample = 0; sample < 9; ++sample) {
        bench.sweep();
        bench.sweep();
        if (warm) first_load<<<blocks, 256, 0, bench.stream>>>(source, spans);
        CHECK(cudaEventRecord(bench.begin, bench.stream));
        first_load<<<blocks, 256, 0, bench.stream>>>(source, spans);
        CHECK(cudaEventRecord(bench.end, bench.stream));
        CHECK(cudaStreamSynchronize(bench.stream));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, bench.begin, bench.end));
        std::vector<Span> host(blocks);
        CHECK(cudaMemcpy(host.data(), spans, blocks * sizeof(Span), cudaMemcpyDeviceToHost));
        unsigned long long first = ~0ull, start = 0, loaded = 0;
        double sum = 0, top = 0;
        for (const Span &own : host) {
            first = std::min(first, own.begin), start = std::max(start, own.begin), loaded = std::max(loaded, own.loaded);
            sum += own.load_cycles, top = std::max(top, double(own.load_cycles));
        }
        mean.push_back(sum / blocks), most.push_back(top), last_start.push_back(start - first), last_loaded.push_back(loaded - first), window.push_back(ms * 1e6);
    }
    auto middle = [](std::vector<double> &all) { std::sort(all.begin(), all.end()); return all[all.size() / 2]; };
    const char *caches = warm ? "warm" : "clean";
    ROW("first_load", middle(mean), "cycles", "blocks=%d caches=%s of=mean", blocks, caches);
    ROW("first_load", middle(most), "cycles", "blocks=%d caches=%s of=most", blocks, caches);
    ROW("timeline", middle(last_start), "ns", "blocks=%d caches=%s until=last_block_begins", blocks, caches);
    ROW("timeline", middle(last_loaded), "ns", "blocks=%d caches=%s until=last_value_is_there", blocks, caches);
    ROW("timeline", middle(window), "ns", "blocks=%d caches=%s until=window_ends", blocks, caches);
    CHECK(cudaFree(spans));
}

// N multiply-adds in a row, `passes` times. Cycles of the first pass and of the last, of one warp.
template <int N>
__global__ void straight_line(unsigned *result, long long *cycles, int passes, unsigned factor) {
    unsigned values[4] = {threadIdx.x, threadIdx.x + 1, threadIdx.x + 2, threadIdx.x + 3};
    long long first = 0, last = 0;
#pragma unroll 1
    for (int pass = 0; pass < passes; ++pass) {
        const long long begin = clock64();
#pragma unroll
        for (int i = 0; i < N; ++i) asm volatile("mad.lo.u32 %0, %0, %1, %2;" : "+r"(values[i % 4]) : "r"(factor), "r"(i));
        const long long end = clock64();
        if (pass == 0) first = end - begin;
        last = end - begin;
    }
    result[blockIdx.x * blockDim.x + threadIdx.x] = values[0] ^ values[1] ^ values[2] ^ values[3];
    if (blockIdx.x == 0 && threadIdx.x == 0) cycles[0] = first, cycles[1] = last;
}

template <int N>
void code_size(Bench &bench, unsigned *target) {
    long long *cycles, host[2];
    CHECK(cudaMalloc(&cycles, 16));
    const double once = bench.cold_us([&] { straight_line<N><<<bench.multiprocessors, 128, 0, bench.stream>>>(target, cycles, 1, 3); });
    const double twice = bench.cold_us([&] { straight_line<N><<<bench.multiprocessors, 128, 0, bench.stream>>>(target, cycles, 2, 3); });
    const double warm = bench.warm_us([&] { straight_line<N><<<bench.multiprocessors, 128, 0, bench.stream>>>(target, cycles, 1, 3); }, 20);
    bench.cold_us([&] { straight_line<N><<<bench.multiprocessors, 128, 0, bench.stream>>>(target, cycles, 4, 3); });
    CHECK(cudaMemcpy(host, cycles, 16, cudaMemcpyDeviceToHost));
    ROW("code", once, "us", "instructions=%d passes=1 caches=clean", N);
    ROW("code", twice, "us", "instructions=%d passes=2 caches=clean", N);
    ROW("code", warm, "us", "instructions=%d passes=1 caches=warm", N);
    ROW("code", host[0], "cycles", "instructions=%d pass=first", N);
    ROW("code", host[1], "cycles", "instructions=%d pass=last", N);
    CHECK(cudaFree(cycles));
}

int main() {
    Bench bench;
    unsigned *source, *target;
    const size_t words = size_t(1) << 28;
    CHECK(cudaMalloc(&source, words * 4));
    CHECK(cudaMalloc(&target, words * 4));
    CHECK(cudaMemset(source, 0, words * 4));
    CHECK(cudaMemset(target, 0, words * 4));

    ROW("events", bench.cold_us([&] {}), "us", "between=nothing");
    for (int threads : {32, 64, 128, 256, 512, 1024}) {
        for (int blocks : {1, 132, 264, 528, 1056, 2112, 4224, 8448, 16896, 67584, 270336}) {
            if (double(threads) * blocks > 5e7) continue;
            ROW("empty", bench.cold_us([&] { empty<<<blocks, threads, 0, bench.stream>>>(); }), "us", "threads=%d blocks=%d caches=clean", threads, blocks);
            ROW("empty", bench.warm_us([&] { empty<<<blocks, threads, 0, bench.stream>>>(); }, 20), "us", "threads=%d blocks=%d caches=warm", threads, blocks);
        }
    }
    for (int blocks : {1, 132, 1056}) {
        ROW("one_argument", bench.cold_us([&] { one_argument<<<blocks, 256, 0, bench.stream>>>(bench.sink); }), "us", "blocks=%d caches=clean", blocks);
        ROW("one_load", bench.cold_us([&] { one_load<<<blocks, 256, 0, bench.stream>>>(source, bench.sink); }), "us", "blocks=%d caches=clean", blocks);
        ROW("one_load", bench.warm_us([&] { one_load<<<blocks, 256, 0, bench.stream>>>(source, bench.sink); }, 20), "us", "blocks=%d caches=warm", blocks);
        ROW("load_store", bench.cold_us([&] { load_store<<<blocks, 256, 0, bench.stream>>>(source, target); }), "us", "blocks=%d caches=clean", blocks);
        ROW("load_store", bench.warm_us([&] { load_store<<<blocks, 256, 0, bench.stream>>>(source, target); }, 20), "us", "blocks=%d caches=warm", blocks);
    }
    for (int blocks : {1, 16, 132, 528, 1056, 4224}) {
        timeline(bench, source, blocks, false);
        timeline(bench, source, blocks, true);
    }

    // Blocks that follow each other in one place: time of a round less what they hold it.
    CHECK(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    for (int threads : {32, 256, 1024}) {
        for (int resident : {1, 2, 4, 8, 16}) {
            if (threads * resident > 2048) continue;
            const int shared = std::min((216 << 10) / resident - 1024, 200 << 10);
            for (int held : {500, 2000, 8000}) {
                auto rounds = [&](int count) {
                    return bench.cold_us([&] { hold<<<bench.multiprocessors * resident * count, threads, shared, bench.stream>>>(held); });
                };
                const double cycles = (rounds(17) - rounds(1)) / 16 * bench.clock_mhz;
                ROW("turnover", cycles - held, "cycles", "threads=%d resident=%d held=%d", threads, resident, held);
            }
        }
    }

    code_size<64>(bench, target);
    code_size<256>(bench, target);
    code_size<1024>(bench, target);
    code_size<2048>(bench, target);
    code_size<4096>(bench, target);
    code_size<8192>(bench, target);
    code_size<16384>(bench, target);

    // Many launches: in a stream and in a graph.
    for (int blocks : {1, 64, 1056}) {
        for (int count : {1, 2, 5, 20, 100}) {
            auto all = [&] { for (int i = 0; i < count; ++i) load_store<<<blocks, 256, 0, bench.stream>>>(i % 2 ? source : target, i % 2 ? target : source); };
            ROW("launches", bench.cold_us(all), "us", "blocks=%d count=%d in=stream", blocks, count);
            cudaGraph_t graph;
            cudaGraphExec_t ready;
            CHECK(cudaStreamBeginCapture(bench.stream, cudaStreamCaptureModeGlobal));
            all();
            CHECK(cudaStreamEndCapture(bench.stream, &graph));
            CHECK(cudaGraphInstantiate(&ready, graph, 0));
            ROW("launches", bench.cold_us([&] { CHECK(cudaGraphLaunch(ready, bench.stream)); }), "us", "blocks=%d count=%d in=graph", blocks, count);
            CHECK(cudaGraphExecDestroy(ready));
            CHECK(cudaGraphDestroy(graph));
        }
    }
}
