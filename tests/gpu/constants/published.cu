// Loops of the shape that others published figures of, where ours have another: shared memory of the next block of a cluster, the
// barrier of a cluster, and a chain of bulk copies. What they come to here tells what a difference is due to, the GPU or the loop.
//
// Shapes: HPMLL/NVIDIA-Hopper-Benchmark, NewFeatures/DSM/Throughput (arXiv 2402.13499) and NewFeatures/TMA/Latency (arXiv 2501.12084).

#include <cooperative_groups.h>

#include "probe.cuh"

namespace cg = cooperative_groups;

template <int WORDS>
struct Element;
template <>
struct Element<1> {
    unsigned x;
    __device__ unsigned rest() const { return 0; }
};
template <>
struct alignas(8) Element<2> {
    unsigned x, y;
    __device__ unsigned rest() const { return y; }
};
template <>
struct alignas(16) Element<4> {
    unsigned x, y, z, w;
    __device__ unsigned rest() const { return y ^ z ^ w; }
};

// Every lane follows so many chains at once through the shared memory of another block; neighbouring lanes read neighbouring elements.
// The next block of the cluster where `ring`, otherwise the other one of its pair.
template <int WORDS, int CHAINS>
__global__ void remote_chains(unsigned loads, unsigned elements, bool ring, unsigned *sink) {
    extern __shared__ __align__(16) unsigned char bytes[];
    auto *own = reinterpret_cast<Element<WORDS> *>(bytes);
    auto cluster = cg::this_cluster();
    for (unsigned i = threadIdx.x; i < elements; i += blockDim.x) own[i].x = (i + blockDim.x) % elements;
    cluster.sync();
    const unsigned rank = cluster.block_rank();
    const Element<WORDS> *other = cluster.map_shared_rank(own, ring ? (rank + 1) % cluster.num_blocks() : rank ^ 1);
    unsigned index[CHAINS], sum = 0;
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) index[chain] = (threadIdx.x + chain * blockDim.x) % elements;
#pragma unroll 1
    for (unsigned i = 0; i < loads; i += 8) {
#pragma unroll
        for (int step = 0; step < 8 / CHAINS; ++step) {
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain) {
                const Element<WORDS> element = other[index[chain]];
                index[chain] = element.x;
                sum ^= element.rest();
            }
        }
    }
    cluster.sync();
#pragma unroll
    for (int chain = 0; chain < CHAINS; ++chain) sum += index[chain];
    if (sum == 0x12345) *sink = sum;
}

// The barrier of a cluster: once, with its instructions not yet fetched, and each of many.
template <bool ALIGNED>
__device__ __forceinline__ void cluster_barrier() {
    if constexpr (ALIGNED) {
        asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" : : : "memory");
    } else {
        asm volatile("barrier.cluster.arrive;\n\tbarrier.cluster.wait;" : : : "memory");
    }
}

template <bool ALIGNED>
__global__ void cluster_barriers(unsigned count, unsigned long long *first, unsigned long long *each) {
    long long begin = clock64();
    cluster_barrier<ALIGNED>();
    long long end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) *first = end - begin;
    cluster_barrier<ALIGNED>();
    begin = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) cluster_barrier<ALIGNED>();
    end = clock64();
    if (blockIdx.x == 0 && threadIdx.x == 0) *each = (end - begin) / count;
}

// One thread follows a chain of addresses in global memory by loads past L1.
__global__ void chain_of_loads(unsigned long long *first, unsigned count, unsigned long long *cycles, unsigned *sink) {
    unsigned long long *place = first;
    const long long begin = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) place = reinterpret_cast<unsigned long long *>(__ldcg(place));
    const long long end = clock64();
    if (place == nullptr) *sink = 1;
    *cycles = end - begin;
}

// The same by bulk copies of 16 bytes: each waits for its bytes at a barrier in shared memory and reads the next address there. The
// bytes are expected and the thread arrives in one instruction, or in two as the published loop has it.
template <bool IN_ONE>
__global__ void chain_of_bulk_copies(unsigned long long *first, unsigned count, unsigned long long *cycles, unsigned *sink) {
    __shared__ alignas(16) volatile unsigned long long place[2];
    __shared__ alignas(8) unsigned long long barrier;
    const unsigned barrier_address = static_cast<unsigned>(__cvta_generic_to_shared(&barrier));
    const unsigned place_address = static_cast<unsigned>(__cvta_generic_to_shared(const_cast<unsigned long long *>(place)));
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" : : "r"(barrier_address) : "memory");
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
    place[0] = reinterpret_cast<unsigned long long>(first);
    const long long begin = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) {
        const unsigned long long from = place[0];
        if constexpr (IN_ONE) {
            asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 16;" : : "r"(barrier_address) : "memory");
        }
        asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], 16, [%2];"
                     :
                     : "r"(place_address), "l"(from), "r"(barrier_address)
                     : "memory");
        if constexpr (!IN_ONE) {
            asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], 16;" : : "r"(barrier_address) : "memory");
            asm volatile("mbarrier.arrive.shared::cta.b64 _, [%0];" : : "r"(barrier_address) : "memory");
        }
        unsigned passed = 0;
        while (!passed) {
            asm volatile(
                "{\n\t.reg .pred passed;\n\tmbarrier.try_wait.parity.shared::cta.b64 passed, [%1], %2;\n\tselp.u32 %0, 1, 0, passed;\n\t}"
                : "=r"(passed)
                : "r"(barrier_address), "r"(i & 1)
                : "memory");
        }
    }
    const long long end = clock64();
    if (place[0] == 0) *sink = 1;
    *cycles = end - begin;
}

int main() {
    Bench bench;
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};
    attribute.id = cudaLaunchAttributeClusterDimension;
    attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
    config.attrs = &attribute, config.numAttrs = 1, config.stream = bench.stream;

    auto chains = [&](auto *kernel, int words, int chains_at_once) {
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, 120 << 10));
        for (int cluster : {2, 4, 8, 16}) {
            for (int resident : {1, 2}) {
                for (int threads : {128, 256, 512, 1024}) {
                    for (bool ring : {true, false}) {
                        if (cluster == 2 && !ring) continue;
                        if (threads < 1024 && (words < 4 || resident > 1 || !ring)) continue;
                        const unsigned loads = 4096, elements = (16 << 10) / (4 * words);
                        attribute.val.clusterDim.x = cluster;
                        config.blockDim = dim3(threads), config.gridDim = dim3(bench.multiprocessors * 2 * 4);
                        config.dynamicSmemBytes = resident == 1 ? 120 << 10 : 16 << 10;
                        const double us = bench.warm_us([&] { CHECK(cudaLaunchKernelEx(&config, kernel, loads, elements, ring, bench.sink)); }, 1, 3);
                        const double bytes = double(loads) * 4 * words * threads * config.gridDim.x;
                        ROW("remote_chains", bytes / us / 1e6, "TB/s", "cluster=%d words=%d chains=%d threads=%d blocks_per_multiprocessor=%d of=%s", cluster, words,
                            chains_at_once, threads, resident, ring ? "next" : "pair");
                    }
                }
            }
        }
    };
    // The same by few clusters, so that all blocks run at once: bytes a cycle of each multiprocessor.
    auto at_once = [&](auto *kernel, int words) {
        for (int cluster : {2, 4, 8, 16}) {
            for (int blocks : {16, 32, 64, 96, 112}) {
                const unsigned threads = 1024, loads = 4096, elements = (16 << 10) / (4 * words);
                attribute.val.clusterDim.x = cluster;
                config.blockDim = dim3(threads), config.gridDim = dim3(blocks), config.dynamicSmemBytes = 120 << 10;
                auto us_of = [&](unsigned count) {
                    return bench.warm_us([&] { CHECK(cudaLaunchKernelEx(&config, kernel, count, elements, true, bench.sink)); }, 1, 5);
                };
                const double us = us_of(loads) - us_of(loads / 2);
                ROW("remote_chains_at_once", loads / 2 * 4.0 * words * threads / us / bench.clock_mhz, "bytes/cycle", "cluster=%d words=%d blocks=%d", cluster, words, blocks);
            }
        }
    };
    chains(remote_chains<1, 1>, 1, 1), chains(remote_chains<1, 4>, 1, 4), chains(remote_chains<2, 1>, 2, 1);
    chains(remote_chains<4, 1>, 4, 1), chains(remote_chains<4, 2>, 4, 2), chains(remote_chains<4, 4>, 4, 4), chains(remote_chains<4, 8>, 4, 8);

    at_once(remote_chains<1, 1>, 1), at_once(remote_chains<4, 1>, 4);

    unsigned long long *cycles, host[2];
    CHECK(cudaMalloc(&cycles, 16));
    config.dynamicSmemBytes = 0;
    auto barriers = [&](auto *kernel, const char *form) {
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        for (int cluster : {2, 4, 8, 16}) {
            for (int threads : {1, 32, 128, 256, 1024}) {
                for (int blocks : {cluster, 128}) {
                    attribute.val.clusterDim.x = cluster;
                    config.blockDim = dim3(threads), config.gridDim = dim3(blocks);
                    for (int time = 0; time < 2; ++time) CHECK(cudaLaunchKernelEx(&config, kernel, 1000u, cycles, cycles + 1));
                    CHECK(cudaStreamSynchronize(bench.stream));
                    CHECK(cudaMemcpy(host, cycles, 16, cudaMemcpyDeviceToHost));
                    ROW("cluster_barrier_first", host[0], "cycles", "form=%s cluster=%d threads=%d blocks=%d", form, cluster, threads, blocks);
                    ROW("cluster_barrier_each", host[1], "cycles", "form=%s cluster=%d threads=%d blocks=%d", form, cluster, threads, blocks);
                }
            }
        }
    };
    barriers(cluster_barriers<true>, "aligned"), barriers(cluster_barriers<false>, "any");

    // A chain of 128 bytes a step through 4 MiB, which are in L2 or, once the caches are swept, in memory alone.
    const size_t bytes = size_t(4) << 20;
    const unsigned count = bytes >> 7;
    unsigned long long *places;
    CHECK(cudaMalloc(&places, bytes));
    std::vector<unsigned long long> next(bytes / 8, 0);
    for (size_t i = 0; i < next.size(); i += 16) next[i] = reinterpret_cast<unsigned long long>(places + (i + 16) % next.size());
    CHECK(cudaMemcpy(places, next.data(), bytes, cudaMemcpyHostToDevice));
    auto measured = [&](auto *kernel, const char *by) {
        for (const bool swept : {false, true}) {
            kernel<<<1, 1, 0, bench.stream>>>(places, count, cycles, bench.sink);
            if (swept) bench.sweep();
            kernel<<<1, 1, 0, bench.stream>>>(places, count, cycles, bench.sink);
            CHECK(cudaStreamSynchronize(bench.stream));
            CHECK(cudaMemcpy(host, cycles, 8, cudaMemcpyDeviceToHost));
            ROW("chain", double(host[0]) / count, "cycles", "by=%s in=%s", by, swept ? "memory" : "l2");
        }
    };
    measured(chain_of_loads, "loads");
    measured(chain_of_bulk_copies<true>, "bulk_copies");
    measured(chain_of_bulk_copies<false>, "bulk_copies_published");
}
