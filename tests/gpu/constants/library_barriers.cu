// A barrier in shared memory by the toolkit's library (`cuda::barrier`) beside the same instructions written out: a chain of bulk copies of 16 bytes, and
// arriving and waiting by one thread. What the library makes of a wait tells why others publish more cycles for such loops.

#include <cuda/barrier>

#include "probe.cuh"

#pragma nv_diag_suppress static_var_with_dynamic_init

using Barrier = cuda::barrier<cuda::thread_scope_block>;

enum class By { library, library_fenced, instructions };

__device__ __forceinline__ unsigned in_shared(const void *place) {
    return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

__device__ __forceinline__ bool passed(unsigned barrier, unsigned parity) {
    unsigned found;
    asm volatile("{\n\t.reg .pred passed;\n\tmbarrier.try_wait.parity.shared::cta.b64 passed, [%1], %2;\n\tselp.u32 %0, 1, 0, passed;\n\t}" : "=r"(found) : "r"(barrier), "r"(parity) : "memory");
    return found;
}

// One thread follows a chain of addresses: each bulk copy brings the next one.
template <By BY>
__global__ void chain(unsigned long long *first, unsigned count, unsigned long long *cycles, unsigned *sink) {
    __shared__ alignas(16) unsigned long long place[2];
    __shared__ Barrier barrier;
    volatile unsigned long long *const next = place;
    init(&barrier, 1);
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    next[0] = reinterpret_cast<unsigned long long>(first);
    const unsigned own = in_shared(cuda::device::barrier_native_handle(barrier)), target = in_shared(place);
    const long long begin = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) {
        auto *const from = reinterpret_cast<unsigned long long *>(next[0]);
        if constexpr (BY == By::instructions) {
            asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];" : : "r"(target), "l"(from), "r"(own) : "memory");
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" : : "r"(own) : "memory");
            while (!passed(own, i & 1)) {}
        } else {
            if constexpr (BY == By::library_fenced) asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
            cuda::device::memcpy_async_tx(place, from, cuda::aligned_size_t<16>(16), barrier);
            auto token = cuda::device::barrier_arrive_tx(barrier, 1, 16);
            barrier.wait(std::move(token));
        }
    }
    const long long end = clock64();
    if (next[0] == 0) *sink = 1;
    *cycles = end - begin;
}

// One thread arrives and waits, alone at its barrier: the phase has passed when it asks.
template <By BY>
__global__ void arrive_and_wait(unsigned count, unsigned long long *cycles) {
    __shared__ Barrier barrier;
    init(&barrier, 1);
    const unsigned own = in_shared(cuda::device::barrier_native_handle(barrier));
    const long long begin = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) {
        if constexpr (BY == By::instructions) {
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(own) : "memory");
            while (!passed(own, i & 1)) {}
        } else {
            barrier.wait(barrier.arrive());
        }
    }
    *cycles = clock64() - begin;
}

int main() {
    Bench bench;
    unsigned long long *cycles, *places, host;
    CHECK(cudaMalloc(&cycles, sizeof(*cycles)));
    // 128 bytes a step through 4 MiB, which are in L2 or, once the caches are swept, in memory alone.
    const size_t bytes = size_t(4) << 20;
    const unsigned count = bytes >> 7;
    CHECK(cudaMalloc(&places, bytes));
    std::vector<unsigned long long> next(bytes / 8, 0);
    for (size_t i = 0; i < next.size(); i += 16) next[i] = reinterpret_cast<unsigned long long>(places + (i + 16) % next.size());
    CHECK(cudaMemcpy(places, next.data(), bytes, cudaMemcpyHostToDevice));
    const auto read = [&] {
        CHECK(cudaStreamSynchronize(bench.stream));
        CHECK(cudaMemcpy(&host, cycles, sizeof(host), cudaMemcpyDeviceToHost));
        return double(host);
    };
    const auto chained = [&](auto *kernel, const char *by) {
        for (const bool swept : {false, true}) {
            kernel<<<1, 1, 0, bench.stream>>>(places, count, cycles, bench.sink);
            if (swept) bench.sweep();
            kernel<<<1, 1, 0, bench.stream>>>(places, count, cycles, bench.sink);
            ROW("chain", read() / count, "cycles", "by=%s in=%s", by, swept ? "memory" : "l2");
        }
    };
    chained(chain<By::instructions>, "instructions"), chained(chain<By::library>, "library");
    chained(chain<By::library_fenced>, "library_fenced");
    const auto waited = [&](auto *kernel, const char *by) {
        for (int time = 0; time < 2; ++time) kernel<<<1, 1, 0, bench.stream>>>(100000u, cycles);
        ROW("arrive_and_wait", read() / 100000, "cycles", "by=%s", by);
    };
    waited(arrive_and_wait<By::instructions>, "instructions"), waited(arrive_and_wait<By::library>, "library");
}
