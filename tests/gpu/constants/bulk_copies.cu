// What bulk copies from L2 to shared memory take, in cycles of one multiprocessor: a copy alone by its size, rows that lie apart by how
// many warps and lanes begin their copies, tiles of a matrix, and what waits beside them.

#include <cuda.h>

#include "../../../cuda/bulk_copy.cuh"
#include "probe.cuh"

static const unsigned PITCH_BYTES = 16384;
static const unsigned TRIES = 64;
static const unsigned SHARED_BYTES = 128 << 10;

extern __shared__ __align__(1024) unsigned char ring[];

struct alignas(64) TensorMap {
    unsigned char opaque[128];
};

// The cycles of the fastest of the tries that `begin` and waiting for its bytes take.
template <typename Begin>
__device__ __forceinline__ void fastest(unsigned bytes, unsigned *cycles, const Begin &begin) {
    __shared__ PhaseBarrier arrived;
    if (threadIdx.x == 0) {
        make_barrier(&arrived, 1);
        show_barriers();
    }
    unsigned best = ~0u;
    for (unsigned attempt = 0; attempt < TRIES; ++attempt) {
        __syncthreads();
        const unsigned start = clock();
        if (threadIdx.x == 0) arrive_before(&arrived, bytes);
        begin(&arrived);
        wait_for(&arrived, attempt & 1);
        best = min(best, static_cast<unsigned>(clock()) - start);
    }
    if (threadIdx.x == 0) *cycles = best;
}

__global__ void one_copy(const unsigned char *source, unsigned bytes, unsigned *cycles) {
    fastest(bytes, cycles, [&](PhaseBarrier *arrived) {
        if (threadIdx.x == 0) copy_to_shared(ring, source, bytes, arrived);
    });
}

__global__ void rows_apart(const unsigned char *source, unsigned bytes, unsigned rows, unsigned lanes, unsigned *cycles) {
    const unsigned warps = blockDim.x / 32, warp = threadIdx.x / 32, lane = threadIdx.x % 32;
    fastest(bytes * rows, cycles, [&](PhaseBarrier *arrived) {
        if (lane >= lanes) return;
        for (unsigned row = lane * warps + warp; row < rows; row += lanes * warps) {
            copy_to_shared(ring + row * bytes, source + size_t(row) * PITCH_BYTES, bytes, arrived);
        }
    });
}

__global__ void one_tile(const __grid_constant__ TensorMap matrix, unsigned bytes, unsigned *cycles) {
    fastest(bytes, cycles, [&](PhaseBarrier *arrived) {
        if (threadIdx.x == 0) copy_tile_to_shared(ring, &matrix, 0, 0, arrived);
    });
}

__global__ void chain_of_loads(const unsigned *source, unsigned loads, unsigned *cycles) {
    unsigned index = 0;
    for (unsigned attempt = 0; attempt < 2; ++attempt) {
        const unsigned start = clock();
        for (unsigned load = 0; load < loads; ++load) {
            asm volatile("ld.global.cg.u32 %0, [%1];" : "=r"(index) : "l"(source + index) : "memory");
        }
        *cycles = (static_cast<unsigned>(clock()) - start) / loads + index;
    }
}

__global__ void arrive_and_wait(unsigned turns, unsigned *cycles) {
    __shared__ PhaseBarrier barrier;
    make_barrier(&barrier, 1);
    show_barriers();
    const unsigned start = clock();
    for (unsigned turn = 0; turn < turns; ++turn) {
        arrive(&barrier);
        wait_for(&barrier, turn & 1);
    }
    *cycles = (static_cast<unsigned>(clock()) - start) / turns;
}

__global__ void wide_loads(const uint4 *source, unsigned pieces, unsigned *cycles, unsigned *sink) {
    unsigned best = ~0u, sum = 0;
    for (unsigned attempt = 0; attempt < 4; ++attempt) {
        __syncthreads();
        const unsigned start = clock();
#pragma unroll 8
        for (unsigned piece = threadIdx.x; piece < pieces; piece += blockDim.x) {
            const uint4 own = __ldcg(source + piece);
            sum += own.x + own.y + own.z + own.w;
        }
        __syncthreads();
        best = min(best, static_cast<unsigned>(clock()) - start);
    }
    if (threadIdx.x == 0) *cycles = best;
    if (sum == 0x12345) *sink = 1;
}

typedef decltype(&cuTensorMapEncodeTiled) Encode;

int main() {
    Bench bench;
    unsigned char *source;
    unsigned *cycles;
    CHECK(cudaMalloc(&source, 64 << 20));
    CHECK(cudaMemset(source, 0, 64 << 20));
    CHECK(cudaMalloc(&cycles, sizeof(unsigned)));
    for (const void *kernel : {(const void *)one_copy, (const void *)rows_apart, (const void *)one_tile}) {
        CHECK(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, SHARED_BYTES));
    }
    auto told = [&] {
        unsigned value;
        CHECK(cudaMemcpy(&value, cycles, sizeof value, cudaMemcpyDeviceToHost));
        return double(value);
    };
    chain_of_loads<<<1, 1>>>(reinterpret_cast<unsigned *>(source), 256, cycles);
    ROW("load", told(), "cycles", "from=l2 bytes=4");
    arrive_and_wait<<<1, 1>>>(256, cycles);
    ROW("barrier_in_shared_memory", told(), "cycles", "does=arrive_and_wait threads=1");
    for (unsigned bytes = 16; bytes <= SHARED_BYTES; bytes *= 2) {
        one_copy<<<1, 1, SHARED_BYTES>>>(source, bytes, cycles);
        ROW("bulk_copy", told(), "cycles", "bytes=%u", bytes);
    }
    for (unsigned warps : {1u, 2u, 4u, 8u}) {
        for (unsigned lanes : {1u, 4u, 32u}) {
            for (unsigned bytes : {32u, 1024u}) {
                double of_rows[2];
                for (unsigned twice : {0u, 1u}) {
                    rows_apart<<<1, 32 * warps, SHARED_BYTES>>>(source, bytes, 64u << twice, lanes, cycles);
                    of_rows[twice] = told();
                }
                ROW("further_row", (of_rows[1] - of_rows[0]) / 64, "cycles", "by=bulk_copies bytes=%u warps=%u lanes=%u", bytes, warps, lanes);
            }
        }
    }
    Encode encode = nullptr;
    cudaDriverEntryPointQueryResult found;
    CHECK(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", reinterpret_cast<void **>(&encode), 12000, cudaEnableDefault, &found));
    for (unsigned bytes = 32; bytes <= 1024; bytes *= 2) {
        for (unsigned rows : {16u, 64u, 128u}) {
            TensorMap matrix;
            cuuint64_t extents[] = {PITCH_BYTES / 4, 4096}, pitch[] = {PITCH_BYTES};
            cuuint32_t tile[] = {bytes / 4, rows}, steps[] = {1, 1};
            if (encode(reinterpret_cast<CUtensorMap *>(&matrix), CU_TENSOR_MAP_DATA_TYPE_UINT32, 2, source, extents, pitch, tile, steps,
                       CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_NONE, CU_TENSOR_MAP_L2_PROMOTION_NONE,
                       CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) != CUDA_SUCCESS) {
                fprintf(stderr, "the driver takes no tile of %u rows of %u bytes\n", rows, bytes);
                return 1;
            }
            one_tile<<<1, 1, SHARED_BYTES>>>(matrix, bytes * rows, cycles);
            ROW("tile", told(), "cycles", "row_bytes=%u rows=%u", bytes, rows);
        }
    }
    for (unsigned kib : {128u, 1024u}) {
        wide_loads<<<1, 1024>>>(reinterpret_cast<uint4 *>(source), kib * 64, cycles, bench.sink);
        ROW("loads_past_l1", kib * 1024 / told(), "bytes/cycle", "multiprocessors=1 bytes=16 kib=%u", kib);
    }
    CHECK(cudaGetLastError());
    return 0;
}
