// Copies by the driver from one buffer of device memory to another, of sizes that are and are not multiples of powers of two.

#include "probe.cuh"

int main() {
    Bench bench;
    const size_t bytes = size_t(1) << 28;
    char *source, *target;
    CHECK(cudaMalloc(&source, bytes));
    CHECK(cudaMalloc(&target, bytes));
    CHECK(cudaMemset(source, 0, bytes));
    CHECK(cudaMemset(target, 0, bytes));
    for (size_t base : {size_t(64) << 10, size_t(1) << 20, size_t(16) << 20, size_t(128) << 20}) {
        for (size_t more : {0, 4, 16, 64, 256, 512, 1024, 2048, 4096, 8192, 12288, 16384, 20480, 65536}) {
            const double time = bench.cold_us([&] { CHECK(cudaMemcpyAsync(target, source, base + more, cudaMemcpyDeviceToDevice, bench.stream)); }, 15);
            ROW("driver_copy", time, "us", "kib=%zu more_bytes=%zu caches=clean", base >> 10, more);
        }
    }
    // From which size on copies are split.
    for (size_t kib = 96; kib <= 1024; kib += 32) {
        const double time = bench.cold_us([&] { CHECK(cudaMemcpyAsync(target, source, (kib << 10) + 1024, cudaMemcpyDeviceToDevice, bench.stream)); }, 15);
        ROW("driver_copy", time, "us", "kib=%zu more_bytes=1024 caches=clean", kib);
    }
    // Where the rest is a kernel of its own: how long copies in a row take.
    for (size_t more : {0, 1024}) {
        const double time = bench.warm_us([&] { CHECK(cudaMemcpyAsync(target, source, (size_t(1) << 20) + more, cudaMemcpyDeviceToDevice, bench.stream)); }, 20);
        ROW("driver_copies_in_a_row", time, "us", "kib=1024 more_bytes=%zu", more);
    }
}
