// Latency and rate of what works on floats besides multiply-adds: additions, comparisons, extrema, approximate functions, conversions; and what a turn of a
// short loop takes.

#include <utility>

#include "probe.cuh"

enum Operation { FUSED, ADD, MULTIPLY, COMPARE, EXTREMUM, SELECT, RECIPROCAL, ROOT, RECIPROCAL_ROOT, POWER, LOGARITHM, SINE, RECIPROCAL_FLUSHED, POWER_FLUSHED, DIVIDE, DIVIDE_FULL, TO_INTEGER, FROM_INTEGER, TO_HALF, TO_DOUBLE, WHOLE, LONGS, OF_DOUBLE, HALF_INTEGER, TWO_HALVES };
struct Named { const char *name; int instructions; };
// A comparison is eight of them and a selection.
static const Named NAMES[] = {{"fma.f32", 1}, {"add.f32", 1}, {"mul.f32", 1}, {"setp.f32", 8}, {"min.f32+max.f32", 2}, {"setp.f32+selp.f32", 2}, {"rcp.approx.f32", 1}, {"sqrt.approx.f32", 1}, {"rsqrt.approx.f32", 1}, {"ex2.approx.f32", 1}, {"lg2.approx.f32", 1}, {"sin.approx.f32", 1}, {"rcp.approx.ftz.f32+add.f32", 1}, {"ex2.approx.ftz.f32", 1}, {"div.approx.f32", 1}, {"div.full.f32", 1}, {"cvt.rzi.s32.f32", 1}, {"cvt.rn.f32.s32", 1}, {"cvt.rn.f16.f32+cvt.f32.f16", 2}, {"cvt.f64.f32+cvt.rn.f32.f64", 2}, {"cvt.rni.f32.f32", 1}, {"cvt.rzi.s64.f32+cvt.rn.f32.s64", 2}, {"cvt.rn.f64.s32+cvt.rzi.s32.f64", 2}, {"cvt.rn.f16.s32+cvt.rzi.s32.f16", 2}, {"cvt.rn.f16x2.f32", 1}};

template <int OPERATION>
__device__ __forceinline__ void step(float &value, float one, float two) {
    if (OPERATION == FUSED) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(value) : "f"(one));
    if (OPERATION == ADD) asm volatile("add.f32 %0, %0, %1;" : "+f"(value) : "f"(one));
    if (OPERATION == MULTIPLY) asm volatile("mul.f32 %0, %0, %1;" : "+f"(value) : "f"(one));
    if (OPERATION == COMPARE) {
        asm volatile("{ .reg .pred p; setp.lt.f32 p, %0, %1; setp.gt.and.f32 p, %0, %2, p; setp.ne.or.f32 p, %0, %1, p; setp.ge.and.f32 p, %0, %2, p;\n\t"
                     "setp.gt.or.f32 p, %0, %1, p; setp.le.and.f32 p, %0, %2, p; setp.eq.or.f32 p, %0, %1, p; setp.lt.and.f32 p, %0, %2, p;\n\t"
                     "selp.f32 %0, %1, %2, p; }"
                     : "+f"(value) : "f"(one), "f"(two));
    }
    if (OPERATION == EXTREMUM) asm volatile("min.f32 %0, %0, %1; max.f32 %0, %0, %2;" : "+f"(value) : "f"(one), "f"(two));
    if (OPERATION == SELECT) asm volatile("{ .reg .pred p; setp.lt.f32 p, %0, %1; selp.f32 %0, %1, %2, p; }" : "+f"(value) : "f"(one), "f"(two));
    if (OPERATION == RECIPROCAL) asm volatile("rcp.approx.f32 %0, %0;" : "+f"(value));
    if (OPERATION == ROOT) asm volatile("sqrt.approx.f32 %0, %0;" : "+f"(value));
    if (OPERATION == RECIPROCAL_ROOT) asm volatile("rsqrt.approx.f32 %0, %0;" : "+f"(value));
    if (OPERATION == POWER) asm volatile("ex2.approx.f32 %0, %0;" : "+f"(value));
    if (OPERATION == LOGARITHM) asm volatile("lg2.approx.f32 %0, %0;" : "+f"(value));
    if (OPERATION == SINE) asm volatile("sin.approx.f32 %0, %0;" : "+f"(value));
    if (OPERATION == RECIPROCAL_FLUSHED) asm volatile("rcp.approx.ftz.f32 %0, %0; add.f32 %0, %0, %1;" : "+f"(value) : "f"(one));
    if (OPERATION == POWER_FLUSHED) asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(value));
    if (OPERATION == DIVIDE) asm volatile("div.approx.f32 %0, %1, %0;" : "+f"(value) : "f"(one));
    if (OPERATION == DIVIDE_FULL) asm volatile("div.full.f32 %0, %1, %0;" : "+f"(value) : "f"(one));
    if (OPERATION == TO_INTEGER) asm volatile("{ .reg .s32 n; cvt.rzi.s32.f32 n, %0; mov.b32 %0, n; }" : "+f"(value));
    if (OPERATION == FROM_INTEGER) asm volatile("{ .reg .s32 n; mov.b32 n, %0; cvt.rn.f32.s32 %0, n; }" : "+f"(value));
    if (OPERATION == TO_HALF) asm volatile("{ .reg .f16 h; cvt.rn.f16.f32 h, %0; cvt.f32.f16 %0, h; }" : "+f"(value));
    if (OPERATION == TO_DOUBLE) asm volatile("{ .reg .f64 d; cvt.f64.f32 d, %0; cvt.rn.f32.f64 %0, d; }" : "+f"(value));
    if (OPERATION == WHOLE) asm volatile("cvt.rni.f32.f32 %0, %0;" : "+f"(value));
    if (OPERATION == LONGS) asm volatile("{ .reg .s64 n; cvt.rzi.s64.f32 n, %0; cvt.rn.f32.s64 %0, n; }" : "+f"(value));
    if (OPERATION == OF_DOUBLE) asm volatile("{ .reg .s32 n; .reg .f64 d; mov.b32 n, %0; cvt.rn.f64.s32 d, n; cvt.rzi.s32.f64 n, d; mov.b32 %0, n; }" : "+f"(value));
    if (OPERATION == HALF_INTEGER) asm volatile("{ .reg .s32 n; .reg .f16 h; mov.b32 n, %0; cvt.rn.f16.s32 h, n; cvt.rzi.s32.f16 n, h; mov.b32 %0, n; }" : "+f"(value));
    if (OPERATION == TWO_HALVES) asm volatile("{ .reg .b32 n; cvt.rn.f16x2.f32 n, %0, %1; mov.b32 %0, n; }" : "+f"(value) : "f"(one));
}

// Steps of each chain, of which so many are a turn of a loop: few, so that warps at different places do not fetch too many instructions.
template <int OPERATION, int CHAINS, int STEPS>
__global__ void chains(float *result, int rounds, float one, float two) {
    float values[CHAINS];
    for (int i = 0; i < CHAINS; ++i) values[i] = 1.5f + threadIdx.x + i;
#pragma unroll 1
    for (int round = 0; round < rounds; ++round) {
#pragma unroll
        for (int i = 0; i < STEPS; ++i) {
#pragma unroll
            for (int chain = 0; chain < CHAINS; ++chain) step<OPERATION>(values[chain], one, two);
        }
    }
    float sum = 0;
    for (int i = 0; i < CHAINS; ++i) sum += values[i];
    if (sum == 0.12345f) *result = sum;
}

// A turn counts, compares and branches back. By `FLOATS` it multiplies and adds besides, in chains of their own; by `COMPARES` it ends, too, where a float
// that it changes becomes large, which none does; by `APART` half of the lanes leave after the first turn.
template <int FLOATS, bool COMPARES, bool APART>
__global__ void turns(float *result, int turns, float factor, float) {
    float values[FLOATS], watched = 1;
    for (int i = 0; i < FLOATS; ++i) values[i] = threadIdx.x + i;
    const int own = APART && threadIdx.x % 2 == 1 ? 1 : turns;
#pragma unroll 1
    for (int turn = 0; turn < own && (!COMPARES || watched < 4); ++turn) {
#pragma unroll
        for (int i = 0; i < FLOATS; ++i) asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(values[i]) : "f"(factor));
        if (COMPARES) asm volatile("mul.f32 %0, %0, %1;" : "+f"(watched) : "f"(factor));
        asm volatile("" : "+r"(turn));
    }
    float sum = watched;
    for (int i = 0; i < FLOATS; ++i) sum += values[i];
    if (sum == 0.12345f) *result = sum;
}

// The loop of a set of Mandelbrot's of which no lane leaves: seven floats, a count, two comparisons and a branch.
__global__ void escapes(float *result, int turns, float factor, float) {
    float x = 0, y = 0;
    const float cx = 0.01f * factor * (threadIdx.x % 8), cy = -cx;
    int turn = 0;
#pragma unroll 1
    while (turn < turns && x * x + y * y < 4.0f) {
        const float next = x * x - y * y + cx;
        y = 2.0f * x * y + cy;
        x = next;
        ++turn;
    }
    if (x + y + turn == 0.12345f) *result = x + y;
}

static const int ROUNDS = 4096;

// Cycles of a turn of a kernel's loop, where each multiprocessor has one block of so many warps: from launches of which one has twice as many turns.
template <typename Kernel>
double turn_cycles(Bench &bench, Kernel kernel, int warps, float one, float two) {
    auto run_us = [&](int rounds) {
        return bench.warm_us([&] { kernel<<<bench.multiprocessors, warps * 32, 0, bench.stream>>>(reinterpret_cast<float *>(bench.sink), rounds, one, two); }, 3);
    };
    return (run_us(2 * ROUNDS) - run_us(ROUNDS)) * bench.clock_mhz / ROUNDS;
}

template <int OPERATION>
void of(Bench &bench) {
    const Named named = NAMES[OPERATION];
    const double latency = turn_cycles(bench, chains<OPERATION, 1, 16>, 1, 1.25f, 0.75f) / 16;
    ROW("latency", latency / named.instructions, "cycles", "instruction=%s", named.name);
    const double interval = turn_cycles(bench, chains<OPERATION, 4, 8>, 32, 1.25f, 0.75f) / (4 * 8 * 8);
    ROW("interval", interval / named.instructions, "cycles", "instruction=%s of=scheduler", named.name);
}

template <typename Kernel>
void loop(Bench &bench, Kernel kernel, const char *name, int floats) {
    for (int warps : {4, 8, 16, 32}) {
        // Of one scheduler, which has a quarter of the warps.
        ROW("turn", turn_cycles(bench, kernel, warps, 0.5f, 0), "cycles", "loop=%s floats=%d warps=%d", name, floats, warps / 4);
    }
}

template <int FLOATS>
void loops(Bench &bench) {
    loop(bench, turns<FLOATS, false, false>, "counts", FLOATS);
    loop(bench, turns<FLOATS, true, false>, "compares", FLOATS);
    loop(bench, turns<FLOATS, false, true>, "apart", FLOATS);
}

template <int... OPERATIONS>
void all(Bench &bench, std::integer_sequence<int, OPERATIONS...>) { (of<OPERATIONS>(bench), ...); }

int main() {
    Bench bench;
    all(bench, std::make_integer_sequence<int, sizeof NAMES / sizeof *NAMES>());
    loops<2>(bench);
    loops<4>(bench);
    loops<8>(bench);
    loops<16>(bench);
    loop(bench, escapes, "escapes", 7);
}
