// What it takes to hand a place from warps that use it to a warp that fills it and back, in cycles of one multiprocessor a turn, by how long
// the users work and by which lanes of the filling warp wait: one lane whose others wait behind the loop, one whose others are gone, or all.

#include "../../../cuda/bulk_copy.cuh"
#include "probe.cuh"

static const unsigned TURNS = 512;
static const unsigned NEVER = (1u << 20) - 1;
static const unsigned PLACES = 8;
static const unsigned LANES = 32;

enum Filler { NOBODY, LANE, LANE_ALONE, WARP };
static const char *const NAMES[] = {"nobody", "lane", "lane_alone", "warp"};

// Waits as `wait_for`, and tells how often it asked.
template <bool COUNTS>
__device__ __forceinline__ unsigned waited(PhaseBarrier *barrier, unsigned parity) {
    if (!COUNTS) {
        wait_for(barrier, parity);
        return 0;
    }
    unsigned is_over, asked = 0;
    do {
        asm volatile("{\n\t.reg .pred over;\n\t"
                     "mbarrier.try_wait.parity.shared.b64 over, [%1], %2;\n\t"
                     "selp.u32 %0, 1, 0, over;\n\t}"
                     : "=r"(is_over) : "r"(shared_address(barrier)), "r"(parity) : "memory");
        ++asked;
    } while (is_over == 0);
    return asked;
}

// `WORK` multiply-adds, each of which needs the one before.
template <unsigned WORK>
__device__ __forceinline__ unsigned worked(unsigned value) {
#pragma unroll
    for (int step = 0; step < int(WORK); ++step) asm volatile("mad.lo.u32 %0, %0, 5, 1;" : "+r"(value));
    return value;
}

template <Filler FILLER, unsigned WORK, bool COUNTS>
__global__ void handed(unsigned *out, unsigned *cycles, unsigned stages, unsigned turns, unsigned working_warps) {
    __shared__ PhaseBarrier full[PLACES], empty[PLACES];
    if (threadIdx.x < PLACES) {
        make_barrier(full + threadIdx.x, FILLER == NOBODY ? NEVER : 1);
        make_barrier(empty + threadIdx.x, FILLER == NOBODY ? NEVER : blockDim.x - LANES);
        show_barriers();
    }
    __syncthreads();
    const unsigned begun = clock();
    unsigned sum = 0, stage = 0, parity = 0, asked = 0;
    if (threadIdx.x < LANES) {
        if (FILLER == LANE_ALONE && threadIdx.x != 0) return;
        if (FILLER == WARP || ((FILLER == LANE || FILLER == LANE_ALONE) && threadIdx.x == 0)) {
#pragma unroll 1
            for (unsigned turn = 0; turn < turns; ++turn) {
                asked += waited<COUNTS>(empty + stage, parity ^ 1);
                if (FILLER != WARP || threadIdx.x == 0) arrive(full + stage);
                if (++stage == stages) {
                    stage = 0;
                    parity ^= 1;
                }
            }
        }
    } else {
#pragma unroll 1
        for (unsigned turn = 0; turn < turns; ++turn) {
            asked += waited<COUNTS>(full + stage, FILLER == NOBODY ? 1 : parity);
            if (threadIdx.x / LANES <= working_warps) sum = worked<WORK>(sum);
            arrive(empty + stage);
            if (++stage == stages) {
                stage = 0;
                parity ^= 1;
            }
        }
    }
    __syncthreads();
    if (threadIdx.x == 0) {
        cycles[0] = clock() - begun;
        cycles[1] = asked;
    }
    if (threadIdx.x == LANES) cycles[2] = asked;
    out[threadIdx.x] = sum;
}

template <Filler FILLER, unsigned WORK>
static void row(unsigned *out, unsigned *cycles) {
    for (unsigned stages : {1u, 2u, 4u}) {
        for (unsigned warps : {1u, 7u}) {
            for (unsigned working : {1u, 7u}) {
                if (working > warps) continue;
                double value[3];
                for (int time = 0; time < 2; ++time) {
                    handed<FILLER, WORK, true><<<1, (warps + 1) * LANES>>>(out, cycles, stages, TURNS, working);
                    CHECK(cudaDeviceSynchronize());
                    value[1] = double(cycles[1]) / TURNS, value[2] = double(cycles[2]) / TURNS;
                    handed<FILLER, WORK, false><<<1, (warps + 1) * LANES>>>(out, cycles, stages, TURNS, working);
                    CHECK(cudaDeviceSynchronize());
                    value[0] = double(cycles[0]) / TURNS;
                }
                const char *const settings = "filler=%s multiply_adds=%u stages=%u warps=%u working_warps=%u%s";
                ROW("handed", value[0], "cycles", settings, NAMES[FILLER], WORK, stages, warps, working, "");
                if (FILLER != NOBODY) ROW("asked", value[1], "questions", settings, NAMES[FILLER], WORK, stages, warps, working, " by=filler");
                ROW("asked", value[2], "questions", settings, NAMES[FILLER], WORK, stages, warps, working, " by=user");
            }
        }
    }
}

template <Filler FILLER>
static void rows(unsigned *out, unsigned *cycles) {
    row<FILLER, 0>(out, cycles);
    row<FILLER, 8>(out, cycles);
    row<FILLER, 16>(out, cycles);
    row<FILLER, 32>(out, cycles);
    row<FILLER, 48>(out, cycles);
    row<FILLER, 64>(out, cycles);
    row<FILLER, 96>(out, cycles);
    row<FILLER, 128>(out, cycles);
}

int main() {
    unsigned *out, *cycles;
    CHECK(cudaMalloc(&out, 1 << 16));
    CHECK(cudaMallocManaged(&cycles, 3 * sizeof *cycles));
    rows<NOBODY>(out, cycles);
    rows<LANE>(out, cycles);
    rows<LANE_ALONE>(out, cycles);
    rows<WARP>(out, cycles);
}
