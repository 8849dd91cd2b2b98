// What the programs here share: the kernels of the transposition that writes whole sectors, the family's copy and the driver's, inputs, verification,
// and times with nothing of the matrices in L2.

#pragma once

#include <functional>
#include <string>

#include "../constants/probe.cuh"
#include "transpose.cu"

using Kernel = void (*)(const unsigned *, unsigned *, unsigned);

struct Program {
    std::string name;
    std::function<void()> run;
    bool transposes;
    std::vector<double> times_us;
};

__global__ void fill(unsigned *words, size_t count) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < count; i += step) words[i] = unsigned(i * 2654435761u) ^ unsigned(i >> 16);
}

__global__ void count_wrong(const unsigned *input, const unsigned *output, size_t width, unsigned long long *wrong) {
    const size_t step = size_t(gridDim.x) * blockDim.x;
    for (size_t i = size_t(blockIdx.x) * blockDim.x + threadIdx.x; i < width * width; i += step) {
        if (output[i] != input[i % width * width + i / width]) atomicAdd(wrong, 1ull);
    }
}

// Keeps the GPU busy until everything behind it is submitted.
__global__ void hold(long long cycles) {
    const long long begun = clock64();
    while (clock64() - begun < cycles) {}
}

struct TransposeBench : Bench {
    unsigned long long *wrong;

    TransposeBench() {
        CHECK(cudaMalloc(&wrong, sizeof(*wrong)));
    }

    // Lines with the policy `evict_last`, which reading other memory does not push out, are ordinary ones from now on.
    void let_go_of_lines() {
        CHECK(cudaCtxResetPersistingL2Cache());
    }

    double cold_sample_us(const Program &program) {
        let_go_of_lines();
        sweep();
        return sample_us(program);
    }

    double sample_us(const Program &program) {
        hold<<<1, 1, 0, stream>>>(30000);
        CHECK(cudaEventRecord(begin, stream));
        program.run();
        CHECK(cudaEventRecord(end, stream));
        CHECK(cudaStreamSynchronize(stream));
        float ms;
        CHECK(cudaEventElapsedTime(&ms, begin, end));
        return 1e3 * ms;
    }

    void verify(const Program &program, const unsigned *input, unsigned *output, unsigned width) {
        CHECK(cudaMemsetAsync(output, 0xFF, size_t(width) * width * sizeof(*output), stream));
        CHECK(cudaMemsetAsync(wrong, 0, sizeof(*wrong), stream));
        program.run();
        CHECK(cudaGetLastError());
        count_wrong<<<1024, 256, 0, stream>>>(input, output, width, wrong);
        unsigned long long found;
        CHECK(cudaMemcpyAsync(&found, wrong, sizeof(found), cudaMemcpyDeviceToHost, stream));
        CHECK(cudaStreamSynchronize(stream));
        if (found > 0) {
            fprintf(stderr, "%s, width %u: %llu words are wrong\n", program.name.c_str(), width, found);
            exit(1);
        }
    }
};

// A matrix and room for its transposition.
struct Matrices {
    unsigned *input, *output;

    Matrices(const Bench &bench, unsigned width) {
        const size_t words = size_t(width) * width;
        CHECK(cudaMalloc(&input, words * sizeof(*input)));
        CHECK(cudaMalloc(&output, words * sizeof(*output)));
        fill<<<1024, 256, 0, bench.stream>>>(input, words);
    }

    ~Matrices() {
        CHECK(cudaFree(input));
        CHECK(cudaFree(output));
    }
};

std::vector<Program> programs_of(const TransposeBench &bench, const unsigned *input, unsigned *output, unsigned width) {
    const auto tiles = [](unsigned elements, unsigned tile) { return (elements + tile - 1) / tile; };
    const cudaStream_t stream = bench.stream;
    const auto launched = [=](const char *name, Kernel kernel, dim3 grid, dim3 block, int shared_bytes) {
        return Program{name, [=] { kernel<<<grid, block, shared_bytes, stream>>>(input, output, width); }, name != std::string("copy"), {}};
    };
    std::vector<Program> programs;
    const size_t bytes = size_t(width) * width * sizeof(*input);
    programs.push_back({"cudaMemcpyAsync", [=] { CHECK(cudaMemcpyAsync(output, input, bytes, cudaMemcpyDeviceToDevice, stream)); }, false, {}});
    programs.push_back(launched("copy", transpose_copy_32_4, dim3(tiles(width, 32), tiles(width, 32)), dim3(32, 8), 0));
    if (width % 8 == 0) {
        programs.push_back(launched("quads", transpose_whole_sectors_quads, dim3(tiles(width, 64), tiles(width, 64)), dim3(16, 16), 64 * 64 * 4));
    }
    const unsigned rows = tiles(width + (width % 8 == 0 ? 0 : 7), 64);
    programs.push_back(launched("small", transpose_whole_sectors_small, dim3(tiles(width, 32), rows), 256, 71 * 33 * 4));
    programs.push_back(launched("words", transpose_whole_sectors, dim3(rows, tiles(width, 64)), 512, 71 * 65 * 4));
    programs.push_back(launched("kept_lines", transpose_whole_sectors_kept_lines, dim3(rows, tiles(width, 64)), 512, 71 * 65 * 4));
    programs.push_back(launched("kept", transpose_whole_sectors_kept, dim3(rows, tiles(width, 64)), 512, 71 * 65 * 4));
    return programs;
}

// Calls `measure(bench, rounds, width)` for each width of the command line: ROUNDS WIDTH...
template <typename Measure>
int for_each_width(int count, char **arguments, const char *header, Measure measure) {
    if (count < 3) {
        fprintf(stderr, "usage: %s ROUNDS WIDTH...\n", arguments[0]);
        return 2;
    }
    TransposeBench bench;
    printf("%s\n", header);
    for (int place = 2; place < count; ++place) {
        measure(bench, atoi(arguments[1]), unsigned(atoi(arguments[place])));
        fflush(stdout);
    }
    return 0;
}
