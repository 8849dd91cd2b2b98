// Fences beside independent work: what a fence waits for, and what goes on meanwhile.
//
// Each round a thread stores to lines of its warp's own, or loads from such lines and needs what it loaded only at the end of the round.
// Then it orders, and does `work` multiply-adds that nothing else depends on.
//
// - None, AcquireRelease, Sequential: no fence, `fence.acq_rel` or `fence.sc`.
// - FenceAndStore, ReleaseStore: the thread sets a flag to the number of the round, by `fence.acq_rel` and `st.relaxed`, or by `st.release`.
// - LoadAndFence, AcquireLoad: the thread reads its flag, by `ld.relaxed` and `fence.acq_rel`, or by `ld.acquire`.
//
// A store takes 150 cycles longer to arrive in one half of L2 than in the other, and where a line is, is a matter of its address. So each round
// has other lines and another flag than the one before: those of 64 places, one after another.
//
// The instructions are inline PTX, so that each is what its name says and stays in its place. Accesses are written out: their number is part of a
// kernel's name. src/family/fences/workload.rs computes what the words come to.

#include "clock.cuh"
#include "multiply_add.cuh"

#define LANES 32
#define ACCESSES_MAX 16
#define PLACES 64
// Multiply-adds of a turn of their loop.
#define UNROLLED 8

enum Place { GLOBAL, SHARED };

// Compilers load parameters anew in each round, since there is a loop within the loop. What comes from an exchange stays in its register.
__device__ __forceinline__ unsigned in_register(unsigned parameter) {
    return __shfl_sync(~0u, parameter + threadIdx.x % LANES, 0);
}
__device__ __forceinline__ unsigned long long in_register(const unsigned *parameter) {
    const unsigned long long address = __cvta_generic_to_global(parameter);
    const unsigned long long upper = in_register(static_cast<unsigned>(address >> 32));
    return upper << 32 | in_register(static_cast<unsigned>(address));
}

// The address of the word so many words behind.
__device__ __forceinline__ unsigned long long behind(unsigned long long at, unsigned words) {
    unsigned long long address;
    asm("mad.wide.u32 %0, %1, 4, %2;" : "=l"(address) : "r"(words), "l"(at));
    return address;
}

template <Place place> __device__ __forceinline__ void store(unsigned long long at, unsigned value) {
    if constexpr (place == GLOBAL) {
        asm volatile("st.global.u32 [%0], %1;" ::"l"(at), "r"(value) : "memory");
    } else {
        asm volatile("st.shared.u32 [%0], %1;" ::"r"(static_cast<unsigned>(at)), "r"(value) : "memory");
    }
}

// Past L1, which a fence empties.
__device__ __forceinline__ unsigned load(unsigned long long at) {
    unsigned value;
    asm volatile("ld.relaxed.gpu.global.u32 %0, [%1];" : "=r"(value) : "l"(at) : "memory");
    return value;
}

// What orders in a round, and what it reads of the flag, if anything.
#define ORDER(Name, ...)                                                                                               \
    struct Name {                                                                                                      \
        static __device__ __forceinline__ unsigned order(unsigned long long flag, unsigned number) {                   \
            unsigned was = 0;                                                                                          \
            __VA_ARGS__;                                                                                               \
            return was;                                                                                                \
        }                                                                                                              \
    };
#define FENCE(words) asm volatile("fence." words ";" ::: "memory")
#define STORE_FLAG(words) asm volatile("st." words ".global.u32 [%0], %1;" ::"l"(flag), "r"(number) : "memory")
#define LOAD_FLAG(words) asm volatile("ld." words ".global.u32 %0, [%1];" : "=r"(was) : "l"(flag) : "memory")
#define OF_SCOPE(Scope, scope)                                                                                         \
    ORDER(AcquireRelease##Scope, FENCE("acq_rel." scope))                                                              \
    ORDER(Sequential##Scope, FENCE("sc." scope))                                                                       \
    ORDER(FenceAndStore##Scope, FENCE("acq_rel." scope); STORE_FLAG("relaxed." scope))                                 \
    ORDER(ReleaseStore##Scope, STORE_FLAG("release." scope))                                                           \
    ORDER(LoadAndFence##Scope, LOAD_FLAG("relaxed." scope); FENCE("acq_rel." scope))                                   \
    ORDER(AcquireLoad##Scope, LOAD_FLAG("acquire." scope))

ORDER(None)
OF_SCOPE(Block, "cta")
OF_SCOPE(Cluster, "cluster")
OF_SCOPE(Device, "gpu")
OF_SCOPE(System, "sys")

template <typename Order, Place place, int STORES, int LOADS>
__device__ __forceinline__ void order_often(unsigned *flags, unsigned *lines, const unsigned *input, unsigned *sums,
                                            unsigned *cycles, unsigned waits, unsigned work, unsigned apart) {
    extern __shared__ unsigned memory[];
    const unsigned thread = blockIdx.x * blockDim.x + threadIdx.x;
    const unsigned lane = threadIdx.x % LANES;
    const unsigned rounds = in_register(waits), multiply_adds = in_register(work), words_apart = in_register(apart);
    // A warp's lines are side by side.
    unsigned *const in_shared = memory + threadIdx.x / LANES * LANES * STORES + lane;
    const unsigned long long own =
        place == GLOBAL ? behind(in_register(lines), thread / LANES * LANES * STORES + lane) : __cvta_generic_to_shared(in_shared);
    const unsigned long long source = behind(in_register(input), thread / LANES * LANES * LOADS + lane);
    const unsigned long long flag = behind(in_register(flags), thread);
    unsigned value = thread, sum = 0;
    const unsigned begin = clock_now();
#pragma unroll 1
    for (unsigned number = 1; number <= rounds; ++number) {
        unsigned loaded[ACCESSES_MAX];
        // Words before the round's place.
        const unsigned before = number % PLACES * words_apart;
        const unsigned long long stored_to = place == GLOBAL ? behind(own, before) : own;
#pragma unroll
        for (int i = 0; i < STORES; ++i) store<place>(stored_to + i * (LANES * 4), number);
        const unsigned long long loaded_from = behind(source, before);
#pragma unroll
        for (int i = 0; i < LOADS; ++i) loaded[i] = load(loaded_from + i * (LANES * 4));
        const unsigned was = Order::order(behind(flag, before), number);
#pragma unroll 1
        for (unsigned done = 0; done < multiply_adds; done += UNROLLED) {
#pragma unroll
            for (int i = 0; i < UNROLLED; ++i) multiply_add(value);
        }
#pragma unroll
        for (int i = 0; i < LOADS; ++i) sum += loaded[i];
        sum += was;
    }
    store_cycles(cycles, begin);
    sums[thread] = value + sum;
    if constexpr (place == SHARED) {
        for (int i = 0; i < STORES; ++i) lines[thread / LANES * LANES * STORES + i * LANES + lane] = in_shared[i * LANES];
    }
}

#define KERNEL(name, Order, place, STORES, LOADS)                                                                      \
    extern "C" __global__ void fences_##name(unsigned *flags, unsigned *lines, const unsigned *input, unsigned *sums,  \
                                             unsigned *cycles, unsigned waits, unsigned work, unsigned apart) {        \
        order_often<Order, place, STORES, LOADS>(flags, lines, input, sums, cycles, waits, work, apart);               \
    }
#define BEHIND_STORES(name, Order)                                                                                     \
    KERNEL(name##_alone, Order, GLOBAL, 0, 0)                                                                          \
    KERNEL(name##_behind_1_global_stores, Order, GLOBAL, 1, 0)                                                         \
    KERNEL(name##_behind_2_global_stores, Order, GLOBAL, 2, 0)                                                         \
    KERNEL(name##_behind_4_global_stores, Order, GLOBAL, 4, 0)                                                         \
    KERNEL(name##_behind_8_global_stores, Order, GLOBAL, 8, 0)                                                         \
    KERNEL(name##_behind_16_global_stores, Order, GLOBAL, 16, 0)
#define BEHIND_ALL(name, Order)                                                                                        \
    BEHIND_STORES(name, Order)                                                                                         \
    KERNEL(name##_behind_1_shared_stores, Order, SHARED, 1, 0)                                                         \
    KERNEL(name##_behind_2_shared_stores, Order, SHARED, 2, 0)                                                         \
    KERNEL(name##_behind_4_shared_stores, Order, SHARED, 4, 0)                                                         \
    KERNEL(name##_behind_8_shared_stores, Order, SHARED, 8, 0)                                                         \
    KERNEL(name##_behind_16_shared_stores, Order, SHARED, 16, 0)                                                       \
    KERNEL(name##_behind_1_loads, Order, GLOBAL, 0, 1)                                                                 \
    KERNEL(name##_behind_2_loads, Order, GLOBAL, 0, 2)                                                                 \
    KERNEL(name##_behind_4_loads, Order, GLOBAL, 0, 4)                                                                 \
    KERNEL(name##_behind_8_loads, Order, GLOBAL, 0, 8)                                                                 \
    KERNEL(name##_behind_16_loads, Order, GLOBAL, 0, 16)
#define KERNELS(scope, Scope)                                                                                          \
    BEHIND_ALL(sequential_fence_##scope, Sequential##Scope)                                                            \
    BEHIND_ALL(acquire_release_fence_##scope, AcquireRelease##Scope)                                                   \
    BEHIND_STORES(fence_and_store_##scope, FenceAndStore##Scope)                                                       \
    BEHIND_STORES(release_store_##scope, ReleaseStore##Scope)                                                          \
    KERNEL(load_and_fence_##scope##_alone, LoadAndFence##Scope, GLOBAL, 0, 0)                                          \
    KERNEL(acquire_load_##scope##_alone, AcquireLoad##Scope, GLOBAL, 0, 0)

BEHIND_ALL(none, None)
KERNELS(block, Block)
KERNELS(device, Device)
KERNELS(system, System)
KERNELS(cluster, Cluster)
