// Clusters of blocks: how many a GPU holds at once and in which groups its multiprocessors are, how fast they start, and what follows one another in a
// place.

#include <map>
#include <set>

#include "probe.cuh"

__global__ void empty() {}

// Every block keeps its place for `cycles`.
__global__ void hold(long long cycles) {
    extern __shared__ unsigned place[];
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    if (cycles < 0) place[threadIdx.x] = 1;
}

struct Begin {
    unsigned long long ns;
    unsigned multiprocessor;
};

// The same, and where and when each block begins.
__global__ void begins(long long cycles, Begin *all) {
    extern __shared__ unsigned place[];
    unsigned long long ns;
    unsigned multiprocessor;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
    if (threadIdx.x == 0) all[blockIdx.x] = {ns, multiprocessor};
    const long long begin = clock64();
    while (clock64() - begin < cycles) {
    }
    if (cycles < 0) place[threadIdx.x] = 1;
}

// The barrier of a cluster, once.
__global__ void one_barrier() {
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" : : : "memory");
}

struct Shape {
    cudaLaunchConfig_t config = {};
    cudaLaunchAttribute attribute = {};

    Shape(cudaStream_t stream, int cluster, int blocks, int threads, int shared) {
        config.gridDim = dim3(blocks), config.blockDim = dim3(threads);
        config.dynamicSmemBytes = shared, config.stream = stream;
        attribute.id = cudaLaunchAttributeClusterDimension;
        attribute.val.clusterDim.x = cluster, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
        config.attrs = &attribute;
        // A cluster of 0 blocks stands for a launch without clusters.
        config.numAttrs = cluster > 0 ? 1 : 0;
    }
};

int main() {
    Bench bench;
    for (const void *kernel : {(const void *)empty, (const void *)hold, (const void *)begins, (const void *)one_barrier}) {
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
    }
    CHECK(cudaFuncSetAttribute(hold, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    CHECK(cudaFuncSetAttribute(begins, cudaFuncAttributeMaxDynamicSharedMemorySize, 200 << 10));
    auto shared_of = [](int resident) { return std::min((216 << 10) / resident - 1024, 200 << 10); };

    for (int resident : {1, 2, 4, 8}) {
        for (int cluster = 1; cluster <= 16; ++cluster) {
            Shape shape(bench.stream, cluster, cluster * 1024, 256, shared_of(resident));
            int clusters = 0;
            const cudaError_t status = cudaOccupancyMaxActiveClusters(&clusters, hold, &shape.config);
            if (status != cudaSuccess) cudaGetLastError();
            ROW("clusters_at_once", status == cudaSuccess ? clusters : -1, "clusters", "cluster_blocks=%d blocks_per_multiprocessor=%d", cluster, resident);
        }
    }

    // Multiprocessors that ever had blocks of one cluster are of one group.
    Begin *all;
    CHECK(cudaMalloc(&all, 16896 * sizeof(Begin)));
    std::vector<unsigned> of(1024);
    for (unsigned i = 0; i < of.size(); ++i) of[i] = i;
    auto root = [&](unsigned own) {
        while (of[own] != own) own = of[own];
        return own;
    };
    std::set<unsigned> seen, in_clusters;
    for (int cluster : {1, 2, 4, 8, 16}) {
        for (int sample = 0; sample < 8; ++sample) {
            const int blocks = cluster * (1024 / cluster);
            Shape shape(bench.stream, cluster, blocks, 64, shared_of(1));
            CHECK(cudaLaunchKernelEx(&shape.config, begins, 2000ll, all));
            CHECK(cudaStreamSynchronize(bench.stream));
            std::vector<Begin> host(blocks);
            CHECK(cudaMemcpy(host.data(), all, blocks * sizeof(Begin), cudaMemcpyDeviceToHost));
            for (int block = 0; block < blocks; ++block) {
                const unsigned own = host[block].multiprocessor;
                seen.insert(own);
                if (cluster > 1) in_clusters.insert(own), of[root(own)] = root(host[block / cluster * cluster].multiprocessor);
            }
            if (sample == 7) {
                std::set<unsigned> used;
                for (const Begin &own : host) used.insert(own.multiprocessor);
                ROW("multiprocessors_used", used.size(), "multiprocessors", "cluster_blocks=%d", cluster);
            }
        }
    }
    ROW("multiprocessors_seen", seen.size(), "multiprocessors", "by=all");
    std::map<unsigned, int> groups;
    for (unsigned own : in_clusters) ++groups[root(own)];
    int number = 0;
    for (const auto &group : groups) ROW("group", group.second, "multiprocessors", "number=%d", number++);

    for (int threads : {32, 256}) {
        for (int cluster : {0, 1, 2, 4, 8, 16}) {
            for (int blocks : {16, 128, 1056, 2112, 4224, 8448, 16896}) {
                Shape shape(bench.stream, cluster, blocks, threads, 0);
                const auto cold = [&](void (*kernel)()) { return bench.cold_us([&] { CHECK(cudaLaunchKernelEx(&shape.config, kernel)); }); };
                ROW("empty", cold(empty), "us", "cluster_blocks=%d threads=%d blocks=%d caches=clean", cluster, threads, blocks);
                if (cluster > 0) ROW("one_barrier", cold(one_barrier), "us", "cluster_blocks=%d threads=%d blocks=%d caches=clean", cluster, threads, blocks);
            }
        }
    }

    // From the first block's begin until the last one's, where all are resident at once.
    for (int cluster : {0, 1, 2, 4, 8, 16}) {
        for (int blocks : {16, 96, 528, 896}) {
            std::vector<double> last;
            Shape shape(bench.stream, cluster, blocks, 256, 0);
            for (int sample = 0; sample < 15; ++sample) {
                CHECK(cudaLaunchKernelEx(&shape.config, begins, 20000ll, all));
                CHECK(cudaStreamSynchronize(bench.stream));
                std::vector<Begin> host(blocks);
                CHECK(cudaMemcpy(host.data(), all, blocks * sizeof(Begin), cudaMemcpyDeviceToHost));
                unsigned long long first = ~0ull, latest = 0;
                for (const Begin &own : host) first = std::min(first, own.ns), latest = std::max(latest, own.ns);
                last.push_back(double(latest - first));
            }
            std::sort(last.begin(), last.end());
            ROW("last_block_begins", last[last.size() / 2], "ns", "cluster_blocks=%d threads=256 blocks=%d", cluster, blocks);
        }
    }

    // Clusters that follow each other in their places: time of a round less what they hold them.
    for (int threads : {32, 256}) {
        for (int resident : {1, 2, 8}) {
            for (int cluster : {0, 1, 2, 4, 8, 16}) {
                for (int held : {500, 2000, 8000}) {
                    int at_once = bench.multiprocessors * resident;
                    if (cluster > 0) {
                        Shape shape(bench.stream, cluster, cluster * 1024, threads, shared_of(resident));
                        int clusters = 0;
                        CHECK(cudaOccupancyMaxActiveClusters(&clusters, hold, &shape.config));
                        at_once = clusters * cluster;
                    }
                    if (at_once == 0) continue;
                    auto rounds = [&](int count) {
                        Shape shape(bench.stream, cluster, at_once * count, threads, shared_of(resident));
                        return bench.cold_us([&] { CHECK(cudaLaunchKernelEx(&shape.config, hold, (long long)held)); });
                    };
                    const double cycles = (rounds(17) - rounds(1)) / 16 * bench.clock_mhz;
                    ROW("turnover", cycles - held, "cycles", "cluster_blocks=%d threads=%d resident=%d held=%d", cluster, threads, resident, held);
                }
            }
        }
    }
    CHECK(cudaGetLastError());
    return 0;
}
