// Whether L2 is cold behind a sweep: before each sample a kernel runs whose loads have the policy `evict_last`, then L2 is swept in one of several ways.
// The times of what comes next are those of a cold L2, `nothing kept before`, or less.
//
//     nvcc -O3 -std=c++17 -arch=native -I cuda -o flushes tests/gpu/transpose/flushes.cu && ./flushes ROUNDS WIDTH... >flushes.csv

#include "bench.cuh"

enum class Flush { nothing_kept_before, sweep, four_sweeps, reset_and_sweep };
const char *const NAMES[] = {"nothing kept before", "sweep", "four sweeps", "reset and sweep"};

void evict(TransposeBench &bench, Flush flush) {
    if (flush == Flush::reset_and_sweep) bench.let_go_of_lines();
    for (int i = 0; i < (flush == Flush::four_sweeps ? 4 : 1); ++i) bench.sweep();
}

void measure(TransposeBench &bench, int rounds, unsigned width) {
    const Matrices matrices(bench, width);
    for (const Flush flush : {Flush::nothing_kept_before, Flush::sweep, Flush::four_sweeps, Flush::reset_and_sweep}) {
        const bool is_first = flush == Flush::nothing_kept_before;
        std::vector<Program> programs = programs_of(bench, matrices.input, matrices.output, width);
        const Program keeping = programs.back();
        for (int round = 0; round < rounds; ++round) {
            for (Program &program : programs) {
                if (is_first && program.name.substr(0, 4) == "kept") continue;
                if (!is_first) keeping.run();
                evict(bench, flush);
                program.times_us.push_back(bench.sample_us(program));
            }
        }
        for (Program &program : programs) {
            if (program.times_us.empty()) continue;
            std::sort(program.times_us.begin(), program.times_us.end());
            printf("%u,%s,%s,%.2f\n", width, NAMES[int(flush)], program.name.c_str(), program.times_us[rounds / 2]);
        }
    }
    // The next width begins with nothing kept.
    bench.let_go_of_lines();
}

int main(int count, char **arguments) {
    return for_each_width(count, arguments, "width,l2,kernel,time_us", measure);
}
