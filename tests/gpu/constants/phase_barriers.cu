// What barriers in shared memory take (mbarrier), in cycles of one multiprocessor: each instruction alone by how many warps and lanes do it, and
// how long it takes from an arrival until those go on who wait for it.

#include "../../../cuda/bulk_copy.cuh"
#include "probe.cuh"

static const unsigned LANES = 32;
// More than arrive in any probe, so that no phase ends.
static const unsigned NEVER = (1u << 20) - 1;
static const unsigned TURNS = 512;

__device__ __forceinline__ bool lane_takes_part(unsigned lanes) {
    return threadIdx.x % LANES < lanes;
}

// Asks once whether the phase of this parity is over.
__device__ __forceinline__ bool is_over(PhaseBarrier *barrier, unsigned parity) {
    unsigned over;
    asm volatile("{\n\t.reg .pred over;\n\t"
                 "mbarrier.test_wait.parity.shared.b64 over, [%1], %2;\n\t"
                 "selp.u32 %0, 1, 0, over;\n\t}"
                 : "=r"(over) : "r"(shared_address(barrier)), "r"(parity) : "memory");
    return over != 0;
}

enum Does { TRIES, TESTS, ARRIVES, ARRIVES_AT_OWN, ARRIVES_BEFORE, ASYNC_ARRIVES };

template <Does DOES>
__global__ void each_alone(unsigned lanes, long long *cycles) {
    __shared__ PhaseBarrier barriers[32];
    if (threadIdx.x < 32) {
        make_barrier(barriers + threadIdx.x, NEVER);
        show_barriers();
    }
    __syncthreads();
    PhaseBarrier *const own = DOES == ARRIVES_AT_OWN ? barriers + threadIdx.x / LANES : barriers;
    const bool takes_part = lane_takes_part(lanes);
    const long long all = cycles_of_256([&] {
        if (!takes_part) return;
        // The phase before a barrier's first one counts as complete.
        if (DOES == TRIES) wait_for(own, 1);
        if (DOES == TESTS) {
            while (!is_over(own, 1)) {
            }
        }
        if (DOES == ARRIVES || DOES == ARRIVES_AT_OWN) arrive(own);
        if (DOES == ARRIVES_BEFORE) arrive_before(own, 1);
        if (DOES == ASYNC_ARRIVES) asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" : : "r"(shared_address(own)) : "memory");
    });
    if (threadIdx.x == 0) *cycles = all;
}

// A warp arrives and waits for the warps of the others, which wait for it and arrive with all of their lanes, or one.
__global__ void hand_over(unsigned lanes, long long *cycles) {
    __shared__ PhaseBarrier full, empty;
    const unsigned others = blockDim.x / LANES - 1;
    if (threadIdx.x == 0) {
        make_barrier(&full, 1);
        make_barrier(&empty, others * lanes);
        show_barriers();
    }
    __syncthreads();
    const long long begin = clock64();
    if (threadIdx.x < LANES) {
        if (threadIdx.x == 0) {
#pragma unroll 1
            for (unsigned turn = 0; turn < TURNS; ++turn) {
                arrive(&full);
                wait_for(&empty, turn & 1);
            }
        }
    } else {
#pragma unroll 1
        for (unsigned turn = 0; turn < TURNS; ++turn) {
            wait_for(&full, turn & 1);
            if (lane_takes_part(lanes)) arrive(&empty);
            __syncwarp();
        }
    }
    if (threadIdx.x == 0) *cycles = clock64() - begin;
}

// From the first arrival, which comes this late, until the others go on, and how often they asked: the most and the least of them.
template <bool TRY>
__global__ void waking(unsigned late_cycles, unsigned *woken, unsigned *asked) {
    __shared__ PhaseBarrier full;
    __shared__ unsigned arrived, slowest, quickest, most;
    if (threadIdx.x == 0) {
        make_barrier(&full, 1);
        show_barriers();
        slowest = most = 0;
        quickest = ~0u;
    }
    __syncthreads();
    unsigned sum_slowest = 0, sum_quickest = 0, sum_asked = 0;
    for (unsigned turn = 0; turn < 20; ++turn) {
        unsigned end = 0, own_asked = 0;
        __syncthreads();
        if (threadIdx.x < LANES) {
            if (threadIdx.x == 0) {
                const unsigned begin = clock();
                while (static_cast<unsigned>(clock()) - begin < late_cycles) {
                }
                arrived = clock();
                arrive(&full);
            }
        } else {
            unsigned over;
            do {
                if (TRY) {
                    asm volatile("{\n\t.reg .pred over;\n\t"
                                 "mbarrier.try_wait.parity.shared.b64 over, [%1], %2;\n\t"
                                 "selp.u32 %0, 1, 0, over;\n\t}"
                                 : "=r"(over) : "r"(shared_address(&full)), "r"(turn & 1) : "memory");
                } else {
                    over = is_over(&full, turn & 1);
                }
                ++own_asked;
            } while (over == 0);
            end = clock();
        }
        __syncthreads();
        if (threadIdx.x >= LANES && threadIdx.x % LANES == 0) {
            atomicMax(&slowest, end - arrived);
            atomicMin(&quickest, end - arrived);
            atomicMax(&most, own_asked);
        }
        __syncthreads();
        if (threadIdx.x == 0) {
            if (turn >= 4) sum_slowest += slowest, sum_quickest += quickest, sum_asked += most;
            slowest = most = 0;
            quickest = ~0u;
        }
    }
    if (threadIdx.x == 0) woken[0] = sum_quickest, woken[1] = sum_slowest, *asked = sum_asked;
}

int main() {
    Bench bench;
    long long *cycles;
    unsigned *counts;
    CHECK(cudaMalloc(&cycles, sizeof *cycles));
    CHECK(cudaMalloc(&counts, 3 * sizeof *counts));
    auto told = [&] {
        long long value;
        CHECK(cudaMemcpy(&value, cycles, sizeof value, cudaMemcpyDeviceToHost));
        return double(value);
    };
    struct Each {
        const char *name;
        void (*kernel)(unsigned, long long *);
    };
    const Each all[] = {{"try_wait_passed", each_alone<TRIES>},
                        {"test_wait_passed", each_alone<TESTS>},
                        {"arrive", each_alone<ARRIVES>},
                        {"arrive_at_own", each_alone<ARRIVES_AT_OWN>},
                        {"arrive_expect_tx", each_alone<ARRIVES_BEFORE>},
                        {"cp_async_arrive", each_alone<ASYNC_ARRIVES>}};
    for (const Each &each : all) {
        for (unsigned warps : {1u, 4u, 8u, 16u, 32u}) {
            for (unsigned lanes : {1u, 32u}) {
                each.kernel<<<1, warps * LANES>>>(lanes, cycles);
                ROW(each.name, told() / 256, "cycles", "warps=%u lanes=%u", warps, lanes);
            }
        }
    }
    for (unsigned others : {1u, 2u, 4u, 7u, 8u, 16u, 31u}) {
        for (unsigned lanes : {1u, 32u}) {
            hand_over<<<1, (1 + others) * LANES>>>(lanes, cycles);
            ROW("hand_over_and_back", told() / TURNS, "cycles", "waiting_warps=%u lanes=%u", others, lanes);
        }
    }
    for (unsigned others : {1u, 7u, 31u}) {
        for (unsigned late : {0u, 100u, 300u, 1000u, 3000u, 10000u, 30000u, 100000u, 1000000u}) {
            for (bool tries : {true, false}) {
                if (!tries && late > 10000) continue;
                const auto kernel = tries ? waking<true> : waking<false>;
                kernel<<<1, (1 + others) * LANES>>>(late, counts, counts + 2);
                unsigned host[3];
                CHECK(cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost));
                const char *asks = tries ? "try_wait" : "test_wait";
                ROW("waking", host[0] / 16.0, "cycles", "asks=%s waiting_warps=%u late_cycles=%u of=quickest", asks, others, late);
                ROW("waking", host[1] / 16.0, "cycles", "asks=%s waiting_warps=%u late_cycles=%u of=slowest", asks, others, late);
                ROW("waking", host[2] / 16.0, "questions", "asks=%s waiting_warps=%u late_cycles=%u of=most", asks, others, late);
            }
        }
    }
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    return 0;
}
