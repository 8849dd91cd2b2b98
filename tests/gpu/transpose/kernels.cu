// Which kernel of the transposition that writes whole sectors is fastest at which width: all of them, the family's copy and the driver's, in one process.
//
//     nvcc -O3 -std=c++17 -arch=native -I cuda -o kernels tests/gpu/transpose/kernels.cu && ./kernels ROUNDS WIDTH... >kernels.csv
//
// Rounds go through the kernels forth and back. Each transposition is verified first.

#include "bench.cuh"

void measure(TransposeBench &bench, int rounds, unsigned width) {
    const Matrices matrices(bench, width);
    std::vector<Program> programs = programs_of(bench, matrices.input, matrices.output, width);
    for (const Program &program : programs) {
        if (program.transposes) bench.verify(program, matrices.input, matrices.output, width);
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
}

int main(int count, char **arguments) {
    return for_each_width(count, arguments, "width,kernel,time_us,of_copy,of_driver", measure);
}
