// Additions that are loops of compare-and-swap, by type and by where they go: to the block's own shared memory, and to that of the first block of a
// cluster. And what a sum over a block takes beside them: shuffles, a store of one lane, the address of shared memory, a barrier.

#include "probe.cuh"

enum Type { U32, U64, F32, F64, F16X2 };

template <Type TYPE, bool CLUSTER>
__device__ __forceinline__ void add(unsigned at) {
    if constexpr (CLUSTER) {
        if (TYPE == U32) asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], 1;" ::"r"(at) : "memory");
        if (TYPE == U64) asm volatile("red.relaxed.cluster.shared::cluster.add.u64 [%0], 1;" ::"r"(at) : "memory");
        if (TYPE == F32) asm volatile("red.relaxed.cluster.shared::cluster.add.f32 [%0], 0f3f800000;" ::"r"(at) : "memory");
        if (TYPE == F64) asm volatile("red.relaxed.cluster.shared::cluster.add.f64 [%0], 0d3ff0000000000000;" ::"r"(at) : "memory");
    } else {
        if (TYPE == U32) asm volatile("red.shared.add.u32 [%0], 1;" ::"r"(at) : "memory");
        if (TYPE == U64) asm volatile("red.shared.add.u64 [%0], 1;" ::"r"(at) : "memory");
        if (TYPE == F32) asm volatile("red.shared.add.f32 [%0], 0f3f800000;" ::"r"(at) : "memory");
        if (TYPE == F64) asm volatile("red.shared.add.f64 [%0], 0d3ff0000000000000;" ::"r"(at) : "memory");
        if (TYPE == F16X2) asm volatile("red.shared.add.noftz.f16x2 [%0], %1;" ::"r"(at), "r"(0x3c003c00) : "memory");
    }
}

__device__ __forceinline__ void wait_for_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;\n\tbarrier.cluster.wait.aligned;" ::: "memory");
}

// Blocks from the rank `first` on add by so many lanes of one warp, all at one word of the first block.
template <Type TYPE>
__global__ void add_in_cluster(unsigned count, unsigned first, unsigned lanes, unsigned long long *cycles) {
    __shared__ unsigned long long word;
    if (threadIdx.x == 0) word = 0;
    unsigned rank, at;
    asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    asm("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(at) : "r"(unsigned(__cvta_generic_to_shared(&word))));
    wait_for_cluster();
    const long long begin = clock64();
    if (rank >= first && threadIdx.x < lanes) {
#pragma unroll 1
        for (unsigned i = 0; i < count; ++i) add<TYPE, true>(at);
    }
    wait_for_cluster();
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = clock64() - begin;
}

// Every warp adds by so many lanes at one word, each time behind so many shuffles.
template <Type TYPE>
__global__ void add_in_block(unsigned count, unsigned lanes, unsigned shuffles, unsigned *result, unsigned long long *cycles) {
    __shared__ unsigned long long word;
    if (threadIdx.x == 0) word = 0;
    const unsigned at = unsigned(__cvta_generic_to_shared(&word));
    unsigned sum = threadIdx.x;
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) {
#pragma unroll 1
        for (unsigned j = 0; j < shuffles; ++j) sum += __shfl_xor_sync(0xffffffff, sum, 16);
        if (threadIdx.x % 32 < lanes) add<TYPE, false>(at);
        __syncwarp();
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = clock64() - begin;
    if (sum == 0x12345678) *result = sum;
}

enum Part { SHUFFLES, STORE_IF, STORE_BY_BRANCH, STORE_AT_NAME, STORE_AT_NAME_AND_BARRIER, STORE_BEHIND_REGISTER, REGISTER };

// A chain of five shuffles, and behind them what each part adds; of REGISTER that alone.
template <Part PART>
__global__ void sum_up(unsigned count, unsigned *result, unsigned long long *cycles) {
    __shared__ unsigned sums[2][32];
    if (threadIdx.x < 32) sums[0][threadIdx.x] = sums[1][threadIdx.x] = 0;
    unsigned sum = threadIdx.x;
    const bool is_first = threadIdx.x % 32 == 0;
    const unsigned at = unsigned(__cvta_generic_to_shared(&sums[0][threadIdx.x / 32]));
    __syncthreads();
    const long long begin = clock64();
#pragma unroll 1
    for (unsigned i = 0; i < count; ++i) {
#pragma unroll
        for (int offset = PART == REGISTER ? 0 : 16; offset > 0; offset /= 2) sum += __shfl_xor_sync(0xffffffff, sum, offset);
        if (PART == STORE_IF) {
            asm volatile("{ .reg .pred p; setp.ne.u32 p, %0, 0; @p st.shared.u32 [%1], %2; }" ::"r"(unsigned(is_first)), "r"(at), "r"(sum) : "memory");
        }
        if (PART == STORE_BY_BRANCH) {
            // A barrier of the one lane keeps ptxas from making predicates of the branch.
            if (is_first) {
                asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(sum) : "memory");
                asm volatile("bar.warp.sync 1;" ::: "memory");
            }
            __syncwarp();
        }
        if (PART == STORE_AT_NAME || PART == STORE_AT_NAME_AND_BARRIER) {
            if (is_first) sums[i % 2][threadIdx.x / 32] = sum;
        }
        if (PART == STORE_AT_NAME_AND_BARRIER) __syncthreads();
        // A special register that ptxas reads each time: as in kernels that read the block's rank for each address of shared memory.
        if (PART == STORE_BEHIND_REGISTER && is_first) {
            unsigned multiprocessor;
            asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
            asm volatile("st.shared.u32 [%0], %1;" ::"r"(at + (multiprocessor >> 24)), "r"(sum) : "memory");
        }
        if (PART == REGISTER) {
            unsigned multiprocessor;
            asm volatile("mov.u32 %0, %%smid;" : "=r"(multiprocessor));
            sum += multiprocessor >> (sum & 1);
        }
    }
    __syncthreads();
    if (blockIdx.x == 0 && threadIdx.x == 0) *cycles = clock64() - begin;
    if (sum == 0x12345678) *result = sum + sums[0][1];
}

int main() {
    Bench bench;
    unsigned *result;
    unsigned long long *cycles;
    CHECK(cudaMalloc(&result, 256));
    CHECK(cudaMalloc(&cycles, 8));
    const auto read_cycles = [&] {
        CHECK(cudaStreamSynchronize(bench.stream));
        CHECK(cudaGetLastError());
        unsigned long long own;
        CHECK(cudaMemcpy(&own, cycles, 8, cudaMemcpyDeviceToHost));
        return double(own);
    };
    const unsigned count = 256;
    // Of one more of what a kernel does so often.
    const auto each = [&](auto launch) {
        launch(count), read_cycles();
        launch(count);
        const double once = read_cycles();
        launch(2 * count);
        return (read_cycles() - once) / count;
    };

    const auto in_cluster = [&](const char *type, auto kernel) {
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1));
        for (unsigned blocks : {1u, 2u, 4u, 8u, 16u}) {
            for (unsigned first : {0u, 1u}) {
                for (unsigned lanes : {1u, 4u, 32u}) {
                    if (first >= blocks) continue;
                    cudaLaunchConfig_t config = {};
                    cudaLaunchAttribute attribute = {};
                    config.gridDim = dim3(blocks), config.blockDim = dim3(32), config.stream = bench.stream;
                    attribute.id = cudaLaunchAttributeClusterDimension;
                    attribute.val.clusterDim.x = blocks, attribute.val.clusterDim.y = attribute.val.clusterDim.z = 1;
                    config.attrs = &attribute, config.numAttrs = 1;
                    const double value = each([&](unsigned times) { CHECK(cudaLaunchKernelEx(&config, kernel, times, first, lanes, cycles)); });
                    ROW("add_in_cluster", value, "cycles", "type=%s cluster_blocks=%u adding=%u lanes=%u", type, blocks, blocks - first, lanes);
                }
            }
        }
    };
    in_cluster("u32", add_in_cluster<U32>), in_cluster("u64", add_in_cluster<U64>);
    in_cluster("f32", add_in_cluster<F32>), in_cluster("f64", add_in_cluster<F64>);

    const auto in_block = [&](const char *type, auto kernel) {
        for (unsigned warps : {1u, 2u, 4u, 8u, 16u, 32u}) {
            for (unsigned lanes : {1u, 32u}) {
                for (unsigned shuffles : {0u, 5u, 10u}) {
                    const double value = each([&](unsigned times) { kernel<<<1, warps * 32, 0, bench.stream>>>(times, lanes, shuffles, result, cycles); });
                    ROW("add_in_block", value, "cycles", "type=%s warps=%u lanes=%u shuffles=%u", type, warps, lanes, shuffles);
                }
            }
        }
    };
    in_block("u32", add_in_block<U32>), in_block("u64", add_in_block<U64>), in_block("f32", add_in_block<F32>);
    in_block("f64", add_in_block<F64>), in_block("f16x2", add_in_block<F16X2>);

    const auto parts = [&](const char *part, auto kernel) {
        for (unsigned warps : {1u, 8u}) {
            const double value = each([&](unsigned times) { kernel<<<1, warps * 32, 0, bench.stream>>>(times, result, cycles); });
            ROW("sum_up", value, "cycles", "part=%s warps=%u", part, warps);
        }
    };
    parts("shuffles", sum_up<SHUFFLES>), parts("store_if", sum_up<STORE_IF>), parts("store_by_branch", sum_up<STORE_BY_BRANCH>);
    parts("store_at_name", sum_up<STORE_AT_NAME>), parts("store_at_name_and_barrier", sum_up<STORE_AT_NAME_AND_BARRIER>);
    parts("store_behind_register", sum_up<STORE_BEHIND_REGISTER>), parts("register", sum_up<REGISTER>);
    return 0;
}
