// Which kernel of the transposition that writes whole sectors is fastest at which width: all of them, the family's copy and the driver's, in one process.
//
//     nvcc -O3 -std=c++17 -arch=native -I cuda -o kernels tests/gpu/transpose/kernels.cu && ./kernels ROUNDS WIDTH... >kernels.csv
//
// Rounds go through the kernels forth and back. Each transposition is verified first.

#include "bench.cuh"

int main(int count, char **arguments) {
    if (count < 3) {
        fprintf(stderr, "usage: %s ROUNDS WIDTH...\n", arguments[0]);
        return 2;
    }
    Bench bench;
    const int rounds = atoi(arguments[1]);
    printf("width,kernel,time_us,of_copy,of_driver\n");
    for (int place = 2; place < count; ++place) {
        const unsigned width = atoi(arguments[place]);
        unsigned *input, *output;
        const size_t words = size_t(width) * width;
        CHECK(cudaMalloc(&input, words * sizeof(*input)));
        CHECK(cudaMalloc(&output, words * sizeof(*output)));
        fill<<<1024, 256, 0, bench.stream>>>(input, words);
        std::vector<Program> programs = programs_of(bench, input, output, width);
        for (const Program &program : programs) {
            if (program.transposes) bench.verify(program, input, output, width);
        }
        for (int round = 0; round < rounds; ++round) {
            for (auto own = programs.begin(); own != programs.end(); ++own) own->times_us.push_back(bench.cold_sample_us(*own));
            for (auto own = programs.rbegin(); own != programs.rend(); ++own) own->times_us.push_back(bench.cold_sample_us(*own));
        }
        for (Program &program : programs) std::sort(program.times_us.begin(), program.times_us.end());
        const auto median_us = [=](const Program &program) { return program.times_us[rounds]; };
        for (const Program &program : programs) {
            const double own_us = median_us(program);
            printf("%u,%s,%.2f,%.4f,%.4f\n", width, program.name.c_str(), own_us, median_us(programs[1]) / own_us, median_us(programs[0]) / own_us);
        }
        fflush(stdout);
        CHECK(cudaFree(input));
        CHECK(cudaFree(output));
    }
}
