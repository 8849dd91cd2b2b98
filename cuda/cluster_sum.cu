// The sum of an array by many blocks: one atomic in global memory for each block, or for each cluster of blocks.
//
// A block sums its words up in its shared memory. Then
// - each block adds its sum to the total in global memory;
// - or each block of a cluster adds its sum to a word in the shared memory of the cluster's first block, and that one adds it to the total. The
//   barrier of the cluster says that the word is there, which blocks arrive at before they read anything, and then that all sums are in it.
//
// Words are read by coalesced loads: a thread's next word is as many words away as the grid has threads. The kernel of clusters is inline PTX where
// it needs compute capability 9.0; the build puts it into a module of its own. src/family/cluster_sum/workload.rs computes the same on the host.

#define LANES 32

__device__ __forceinline__ void arrive_in_cluster() {
    asm volatile("barrier.cluster.arrive.aligned;" ::: "memory");
}

__device__ __forceinline__ void wait_for_cluster() {
    asm volatile("barrier.cluster.wait.aligned;" ::: "memory");
}

// The sum of the block's words, for its first thread. `sum` is a word of shared memory that is 0 for all threads.
__device__ __forceinline__ unsigned sum_of_block(const unsigned *words, unsigned words_per_thread, unsigned *sum) {
    const unsigned threads = gridDim.x * blockDim.x;
    unsigned own = 0;
    const unsigned *next = words + blockIdx.x * blockDim.x + threadIdx.x;
#pragma unroll 4
    for (; words_per_thread > 0; --words_per_thread, next += threads) own += *next;
#pragma unroll
    for (unsigned distance = LANES / 2; distance > 0; distance /= 2) own += __shfl_down_sync(0xffffffff, own, distance);
    if (threadIdx.x % LANES == 0) atomicAdd(sum, own);
    __syncthreads();
    return *sum;
}

extern "C" __global__ void cluster_sum_blocks(const unsigned *words, unsigned *total, unsigned words_per_thread) {
    __shared__ unsigned sum;
    if (threadIdx.x == 0) sum = 0;
    __syncthreads();
    const unsigned of_block = sum_of_block(words, words_per_thread, &sum);
    if (threadIdx.x == 0) atomicAdd(total, of_block);
}

extern "C" __global__ void cluster_sum_clusters(const unsigned *words, unsigned *total, unsigned words_per_thread) {
    __shared__ unsigned sum;
    __shared__ unsigned of_cluster;
    if (threadIdx.x == 0) {
        sum = 0;
        of_cluster = 0;
    }
    __syncthreads();
    arrive_in_cluster();
    const unsigned of_block = sum_of_block(words, words_per_thread, &sum);
    unsigned rank;
    asm volatile("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
    wait_for_cluster();
    if (threadIdx.x == 0) {
        const unsigned own = static_cast<unsigned>(__cvta_generic_to_shared(&of_cluster));
        unsigned first;
        asm volatile("mapa.shared::cluster.u32 %0, %1, 0;" : "=r"(first) : "r"(own));
        asm volatile("red.relaxed.cluster.shared::cluster.add.u32 [%0], %1;" ::"r"(first), "r"(of_block) : "memory");
    }
    // The barrier of a cluster is for whole warps.
    __syncwarp();
    arrive_in_cluster();
    // Nobody reaches into the shared memory of the others any more.
    if (rank > 0) return;
    wait_for_cluster();
    if (threadIdx.x == 0) atomicAdd(total, *static_cast<volatile unsigned *>(&of_cluster));
}
