// What the parts of asynchronous copies take beside the bytes, in cycles of one multiprocessor: issuing them, groups of them, waiting for none, rings
// of tiles of which one part is left out, and bulk copies from shared to global memory.

#include "../../../cuda/bulk_copy.cuh"
#include "probe.cuh"

static const unsigned LANES = 32;
static const unsigned TRIES = 64;
static const unsigned SHARED_BYTES = 128 << 10;
static const unsigned STAGES = 8;
static const unsigned PITCH_BYTES = 16384;

extern __shared__ __align__(1024) unsigned char ring[];

__device__ __forceinline__ void copy_piece(unsigned target, size_t source) {
    asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" : : "r"(target), "l"(source) : "memory");
}

__device__ __forceinline__ void close_group() {
    asm volatile("cp.async.commit_group;" ::: "memory");
}

template <unsigned LEFT>
__device__ __forceinline__ void wait_for_groups() {
    asm volatile("cp.async.wait_group %0;" ::"n"(LEFT) : "memory");
}

enum Does { GROUPS, GROUPS_AND_BARRIER, FENCES, STORES_AND_FENCES, BULK_GROUPS };

template <Does DOES>
__global__ void each_alone(long long *cycles) {
    const unsigned own = shared_address(ring) + 16 * threadIdx.x;
    const long long all = cycles_of_256([&] {
        if (DOES == GROUPS || DOES == GROUPS_AND_BARRIER) {
            close_group();
            wait_for_groups<0>();
        }
        if (DOES == GROUPS_AND_BARRIER) __syncthreads();
        if (DOES == STORES_AND_FENCES) asm volatile("st.shared.u32 [%0], %0;" : : "r"(own) : "memory");
        if (DOES == FENCES || DOES == STORES_AND_FENCES) show_to_copies();
        if (DOES == BULK_GROUPS) {
            asm volatile("cp.async.bulk.commit_group;" ::: "memory");
            wait_until_read();
        }
    });
    if (threadIdx.x == 0) *cycles = all;
}

// So many copies of 16 bytes by every thread, of the same pieces, which are in L2; waits for them at the end alone.
template <unsigned COPIES>
__global__ void copies_of_lanes(const unsigned char *source, long long *cycles) {
    const unsigned own = shared_address(ring) + 16 * threadIdx.x;
    const size_t from = __cvta_generic_to_global(source) + 16 * threadIdx.x;
    long long begun = 0, begin = 0, end = 0;
    for (unsigned attempt = 0; attempt < 4; ++attempt) {
        __syncthreads();
        begin = clock64();
#pragma unroll
        for (unsigned copy = 0; copy < COPIES; ++copy) copy_piece(own, from + copy * 16384);
        close_group();
        begun = clock64();
        wait_for_groups<0>();
        __syncthreads();
        end = clock64();
    }
    if (threadIdx.x == 0) cycles[0] = begun - begin, cycles[1] = end - begin;
}

enum Part { ALL, WITHOUT_SUMS, WITHOUT_COPIES };

__device__ __forceinline__ unsigned sum_of_tile(unsigned place, unsigned bytes, unsigned thread, unsigned threads) {
    unsigned sum = 0;
#pragma unroll 4
    for (unsigned at = thread * 16; at < bytes; at += threads * 16) {
        unsigned a, b, c, d;
        asm volatile("ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];"
                     : "=r"(a), "=r"(b), "=r"(c), "=r"(d) : "r"(place + bytes - 16 - at) : "memory");
        sum += a + b + c + d;
    }
    return sum;
}

// A ring of tiles by cp.async.
template <Part PART>
__global__ void ring_of_lanes(const unsigned char *source, unsigned bytes, unsigned tiles, unsigned *sums, long long *cycles) {
    const size_t first = __cvta_generic_to_global(source);
    unsigned sum = 0, stage = 0, begun = 0;
    auto begin_tile = [&] {
        if (PART != WITHOUT_COPIES) {
#pragma unroll 4
            for (unsigned from = threadIdx.x * 16; from < bytes; from += blockDim.x * 16) {
                copy_piece(shared_address(ring) + begun % STAGES * bytes + from, first + begun % 64 * bytes + from);
            }
        }
        ++begun;
        close_group();
    };
#pragma unroll 1
    for (unsigned tile = 0; tile < STAGES; ++tile) begin_tile();
    const long long begin = clock64();
#pragma unroll 1
    for (unsigned tile = 0; tile < tiles; ++tile) {
        wait_for_groups<STAGES - 1>();
        __syncthreads();
        if (PART != WITHOUT_SUMS) sum = 5 * sum + sum_of_tile(shared_address(ring) + stage * bytes, bytes, threadIdx.x, blockDim.x);
        __syncthreads();
        begin_tile();
        if (++stage == STAGES) stage = 0;
    }
    if (threadIdx.x == 0) *cycles = clock64() - begin;
    sums[threadIdx.x] = sum;
    wait_for_groups<0>();
}

// The same by bulk copies of one thread, with a barrier of the block or by a warp that does nothing else.
template <Part PART, bool SPECIALISED>
__global__ void ring_of_bulk_copies(const unsigned char *source, unsigned bytes, unsigned tiles, unsigned *sums, long long *cycles) {
    __shared__ PhaseBarrier full[STAGES], empty[STAGES];
    const unsigned summing = SPECIALISED ? blockDim.x - LANES : blockDim.x;
    if (threadIdx.x == 0) {
        for (unsigned i = 0; i < STAGES; ++i) {
            make_barrier(full + i, 1);
            make_barrier(empty + i, summing);
        }
        show_barriers();
    }
    __syncthreads();
    unsigned sum = 0, stage = 0, parity = 0, begun = 0;
    auto begin_tile = [&] {
        PhaseBarrier *const own = full + begun % STAGES;
        if (PART == WITHOUT_COPIES) {
            arrive(own);
        } else {
            arrive_before(own, bytes);
            copy_to_shared(ring + begun % STAGES * bytes, source + size_t(begun % 64) * bytes, bytes, own);
        }
        ++begun;
    };
    const long long begin = clock64();
    if (SPECIALISED && threadIdx.x < LANES) {
        if (threadIdx.x == 0) {
#pragma unroll 1
            for (unsigned tile = 0; tile < tiles; ++tile) {
                wait_for(empty + begun % STAGES, begun / STAGES % 2 ^ 1);
                begin_tile();
            }
        }
    } else {
        if (!SPECIALISED && threadIdx.x == 0) {
#pragma unroll 1
            for (unsigned tile = 0; tile < STAGES; ++tile) begin_tile();
        }
        const unsigned thread = SPECIALISED ? threadIdx.x - LANES : threadIdx.x;
#pragma unroll 1
        for (unsigned tile = 0; tile < tiles; ++tile) {
            wait_for(full + stage, parity);
            if (PART != WITHOUT_SUMS) sum = 5 * sum + sum_of_tile(shared_address(ring) + stage * bytes, bytes, thread, summing);
            if (SPECIALISED) {
                arrive(empty + stage);
            } else {
                __syncthreads();
                if (threadIdx.x == 0 && tile + STAGES < tiles) begin_tile();
            }
            if (++stage == STAGES) {
                stage = 0;
                parity ^= 1;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) *cycles = clock64() - begin;
    sums[threadIdx.x] = sum;
}

// A copy to global memory: until its source was read, and until it is done; the fastest of the tries.
__global__ void one_copy_out(unsigned char *target, unsigned bytes, long long *cycles) {
    long long issued = 1ll << 40, read = issued, written = issued;
    for (unsigned attempt = 0; attempt < TRIES; ++attempt) {
        const long long begin = clock64();
        copy_to_global(target, ring, bytes);
        issued = min(issued, clock64() - begin);
        wait_until_read();
        read = min(read, clock64() - begin);
        wait_until_written();
        written = min(written, clock64() - begin);
    }
    cycles[0] = issued, cycles[1] = read, cycles[2] = written;
}

// Rows that lie apart, by so many warps and lanes: until all sources were read.
__global__ void rows_out(unsigned char *target, unsigned bytes, unsigned rows, unsigned lanes, long long *cycles) {
    const unsigned warps = blockDim.x / LANES, warp = threadIdx.x / LANES, lane = threadIdx.x % LANES;
    long long best = 1ll << 40;
    for (unsigned attempt = 0; attempt < TRIES; ++attempt) {
        __syncthreads();
        const long long begin = clock64();
        if (lane < lanes) {
            for (unsigned row = lane * warps + warp; row < rows; row += lanes * warps) {
                copy_to_global(target + size_t(row) * PITCH_BYTES, ring + row * bytes, bytes);
            }
            wait_until_read();
        }
        __syncthreads();
        best = min(best, clock64() - begin);
        wait_until_written();
    }
    if (threadIdx.x == 0) *cycles = best;
}

int main() {
    Bench bench;
    unsigned char *memory;
    unsigned *sums;
    long long *cycles;
    CHECK(cudaMalloc(&memory, 64 << 20));
    CHECK(cudaMemset(memory, 0, 64 << 20));
    CHECK(cudaMalloc(&sums, 4096));
    CHECK(cudaMalloc(&cycles, 4 * sizeof *cycles));
    long long host[4];
    auto tell = [&] { CHECK(cudaMemcpy(host, cycles, sizeof host, cudaMemcpyDeviceToHost)); };
    auto large = [](const void *kernel) { CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES)); };

    struct Each {
        const char *name;
        void (*kernel)(long long *);
    };
    const Each all[] = {{"commit_and_wait_group", each_alone<GROUPS>},
                        {"commit_wait_group_barrier", each_alone<GROUPS_AND_BARRIER>},
                        {"fence_proxy_async", each_alone<FENCES>},
                        {"store_and_fence_proxy_async", each_alone<STORES_AND_FENCES>},
                        {"bulk_commit_and_wait_read", each_alone<BULK_GROUPS>}};
    for (const Each &each : all) {
        large((const void *)each.kernel);
        for (unsigned warps : {1u, 8u, 32u}) {
            each.kernel<<<1, warps * LANES, SHARED_BYTES>>>(cycles);
            tell();
            ROW(each.name, host[0] / 256.0, "cycles", "warps=%u", warps);
        }
    }
    struct Copies {
        unsigned copies;
        void (*kernel)(const unsigned char *, long long *);
    };
    for (const Copies &own : {Copies{1, copies_of_lanes<1>}, Copies{4, copies_of_lanes<4>}, Copies{16, copies_of_lanes<16>}}) {
        large((const void *)own.kernel);
        for (unsigned warps : {1u, 2u, 8u, 32u}) {
            own.kernel<<<1, warps * LANES, SHARED_BYTES>>>(memory, cycles);
            tell();
            ROW("cp_async", host[0], "cycles", "warps=%u copies=%u until=all_begun", warps, own.copies);
            ROW("cp_async", host[1], "cycles", "warps=%u copies=%u until=all_done", warps, own.copies);
        }
    }
    struct Ring {
        const char *way, *part;
        void (*kernel)(const unsigned char *, unsigned, unsigned, unsigned *, long long *);
    };
    const Ring rings[] = {{"async_copies", "all", ring_of_lanes<ALL>},
                          {"async_copies", "without_sums", ring_of_lanes<WITHOUT_SUMS>},
                          {"async_copies", "without_copies", ring_of_lanes<WITHOUT_COPIES>},
                          {"bulk_copies", "all", ring_of_bulk_copies<ALL, false>},
                          {"bulk_copies", "without_sums", ring_of_bulk_copies<WITHOUT_SUMS, false>},
                          {"bulk_copies", "without_copies", ring_of_bulk_copies<WITHOUT_COPIES, false>},
                          {"bulk_specialised", "all", ring_of_bulk_copies<ALL, true>},
                          {"bulk_specialised", "without_sums", ring_of_bulk_copies<WITHOUT_SUMS, true>},
                          {"bulk_specialised", "without_copies", ring_of_bulk_copies<WITHOUT_COPIES, true>}};
    for (const Ring &own : rings) {
        large((const void *)own.kernel);
        for (unsigned bytes : {1024u, 4096u, 16384u}) {
            for (unsigned warps : {2u, 8u}) {
                double of_tiles[2];
                for (unsigned twice : {0u, 1u}) {
                    for (unsigned again : {0u, 1u}) {
                        own.kernel<<<1, warps * LANES, SHARED_BYTES>>>(memory, bytes, (256u + 8 * again) << twice, sums, cycles);
                    }
                    own.kernel<<<1, warps * LANES, SHARED_BYTES>>>(memory, bytes, 256u << twice, sums, cycles);
                    tell();
                    of_tiles[twice] = double(host[0]);
                }
                ROW("further_tile", (of_tiles[1] - of_tiles[0]) / 256, "cycles", "way=%s part=%s bytes=%u warps=%u", own.way, own.part, bytes, warps);
            }
        }
    }
    large((const void *)one_copy_out);
    large((const void *)rows_out);
    for (unsigned bytes = 16; bytes <= SHARED_BYTES; bytes *= 4) {
        one_copy_out<<<1, 1, SHARED_BYTES>>>(memory, bytes, cycles);
        tell();
        ROW("copy_to_global", host[0], "cycles", "bytes=%u until=issued", bytes);
        ROW("copy_to_global", host[1], "cycles", "bytes=%u until=read", bytes);
        ROW("copy_to_global", host[2], "cycles", "bytes=%u until=written", bytes);
    }
    for (unsigned warps : {1u, 2u, 8u}) {
        for (unsigned lanes : {1u, 4u, 32u}) {
            for (unsigned bytes : {32u, 1024u}) {
                double of_rows[2];
                for (unsigned twice : {0u, 1u}) {
                    rows_out<<<1, warps * LANES, SHARED_BYTES>>>(memory, bytes, 64u << twice, lanes, cycles);
                    tell();
                    of_rows[twice] = double(host[0]);
                }
                ROW("further_row", (of_rows[1] - of_rows[0]) / 64, "cycles", "to=global bytes=%u warps=%u lanes=%u", bytes, warps, lanes);
            }
        }
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return 0;
}
