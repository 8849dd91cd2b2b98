// Bulk copies between global and shared memory, and the barriers in shared memory that tell when they have arrived (PTX ISA,
// "cp.async.bulk" and "mbarrier"; compute capability 9.0).

#pragma once

// A barrier in shared memory: a phase is over when so many have arrived as it was made for, and all bytes that they told of. The
// parity of its phases begins with 0.
typedef unsigned long long PhaseBarrier;

__device__ __forceinline__ static unsigned shared_address(const void *place) {
    return static_cast<unsigned>(__cvta_generic_to_shared(place));
}

__device__ __forceinline__ static void make_barrier(PhaseBarrier *barrier, unsigned arrivals) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" : : "r"(shared_address(barrier)), "r"(arrivals) : "memory");
}

// After barriers are made, before others than their maker use them, and before a barrier of the block.
__device__ __forceinline__ static void show_barriers() {
    asm volatile("fence.mbarrier_init.release.cluster;" : : : "memory");
}

__device__ __forceinline__ static void arrive(PhaseBarrier *barrier) {
    asm volatile("mbarrier.arrive.shared.b64 _, [%0];" : : "r"(shared_address(barrier)) : "memory");
}

// An arrival that tells how many bytes come besides.
__device__ __forceinline__ static void arrive_before(PhaseBarrier *barrier, unsigned bytes) {
    asm volatile("mbarrier.arrive.expect_tx.shared.b64 _, [%0], %1;"
                 : : "r"(shared_address(barrier)), "r"(bytes) : "memory");
}

// Waits until the phase of this parity is over.
__device__ __forceinline__ static void wait_for(PhaseBarrier *barrier, unsigned parity) {
    unsigned is_over;
    do {
        asm volatile("{\n\t.reg .pred over;\n\t"
                     "mbarrier.try_wait.parity.shared.b64 over, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, over;\n\t}"
                     : "=r"(is_over) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    } while (is_over == 0);
}

// Both places are multiples of 16 bytes, and so are the bytes.
__device__ __forceinline__ static void copy_to_shared(void *target, const void *source, unsigned bytes,
                                                      PhaseBarrier *arrived) {
    asm volatile("cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"
                 : : "r"(shared_address(target)), "l"(source), "r"(bytes), "r"(shared_address(arrived)) : "memory");
}

// The tile at this column and row of the matrix that the descriptor is of, to a multiple of 128 bytes.
__device__ __forceinline__ static void copy_tile_to_shared(void *target, const void *descriptor, unsigned column,
                                                           unsigned row, PhaseBarrier *arrived) {
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [%0], [%1, {%2, %3}], [%4];"
                 : : "r"(shared_address(target)), "l"(descriptor), "r"(column), "r"(row), "r"(shared_address(arrived))
                 : "memory");
}

// A group of its own of what the thread copies; what threads wrote to shared memory is seen by it after `show_to_copies`.
__device__ __forceinline__ static void copy_to_global(void *target, const void *source, unsigned bytes) {
    asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], %2;\n\t"
                 "cp.async.bulk.commit_group;"
                 : : "l"(target), "r"(shared_address(source)), "r"(bytes) : "memory");
}

// Of shared memory alone: a fence of all memory takes many times as long.
__device__ __forceinline__ static void show_to_copies() {
    asm volatile("fence.proxy.async.shared::cta;" : : : "memory");
}

// Until the thread's copies to global memory have read their source.
__device__ __forceinline__ static void wait_until_read() {
    asm volatile("cp.async.bulk.wait_group.read 0;" : : : "memory");
}

// Until they are done.
__device__ __forceinline__ static void wait_until_written() {
    asm volatile("cp.async.bulk.wait_group 0;" : : : "memory");
}
