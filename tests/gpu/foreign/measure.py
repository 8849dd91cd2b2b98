"""Times the launches of launches.csv on the GPU at hand: see README.md.

    measure.py CUBINS TIMES.csv [--only EXPRESSION]
    measure.py CUBINS --once [--only EXPRESSION]      each launch once, for a profiler
"""

import argparse
import csv
import statistics
import sys

import cupy
import numpy

from table import Buffer, checksum, launches

SAMPLES = 15
# How long the stream is held, so that a launch is queued before the event in front of it is reached.
HOLD_NS = 200_000


class Timer:
    def __init__(self, cubins):
        helpers = cupy.RawModule(path=f"{cubins}/helpers.cubin")
        self.hold, self.read_all, self.empty = (helpers.get_function(name) for name in ("hold", "read_all", "empty"))
        l2 = cupy.cuda.runtime.getDeviceProperties(0)["l2CacheSize"]
        self.swept = cupy.zeros(3 * l2 // 16 * 4, numpy.uint32)
        self.sink = cupy.zeros(1, numpy.uint32)
        self.events = cupy.cuda.Event(), cupy.cuda.Event()

    def flush(self):
        """Reads three times what L2 holds."""
        self.read_all((1056,), (256,), (self.swept, self.sink, numpy.int64(self.swept.size // 4)))

    def sample(self, run, before):
        """Microseconds between two events around one launch, behind a hold."""
        before()
        self.hold((1,), (1,), (numpy.int64(HOLD_NS),))
        self.events[0].record()
        run()
        self.events[1].record()
        self.events[1].synchronize()
        return 1000 * cupy.cuda.get_elapsed_time(*self.events)

    def cold_and_warm(self, run, reset):
        def cold():
            reset()
            self.flush()

        def warm():
            reset()
            run()

        for _ in range(2):
            self.sample(run, cold)
        return [self.sample(run, cold) for _ in range(SAMPLES)], [self.sample(run, warm) for _ in range(SAMPLES)]


def prepared(launch, cubins):
    """What runs the launch, what resets what it writes, the buffers that it writes, and the kernel."""
    kernel = cupy.RawModule(path=f"{cubins}/{launch.file}.cubin").get_function(launch.entry)
    arguments, fresh, written = [], [], []
    for argument in launch.arguments:
        if not isinstance(argument, Buffer):
            arguments.append(argument[1])
            continue
        array = cupy.asarray(argument.data())
        arguments.append(array)
        if argument.written:
            written.append(array)
        if argument.use == "inout":
            fresh.append((array, array.copy()))

    def run():
        kernel(launch.grid, launch.block, tuple(arguments), shared_mem=launch.shared)

    def reset():
        for array, first in fresh:
            cupy.cuda.runtime.memcpyAsync(array.data.ptr, first.data.ptr, array.nbytes, 3, cupy.cuda.get_current_stream().ptr)

    return run, reset, written, kernel


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("cubins")
    parser.add_argument("times", nargs="?")
    parser.add_argument("--only")
    parser.add_argument("--once", action="store_true")
    options = parser.parse_args()
    if options.once:
        for launch in launches(options.only):
            run, _, _, _ = prepared(launch, options.cubins)
            run()
            cupy.cuda.get_current_stream().synchronize()
            cupy.get_default_memory_pool().free_all_blocks()
        return
    if options.times is None:
        parser.error("the table to write is missing")
    timer = Timer(options.cubins)
    for _ in range(5000):
        timer.flush()
    cupy.cuda.get_current_stream().synchronize()
    with open(options.times, "w", newline="") as file:
        table = csv.writer(file)
        table.writerow("name,entry,cold_us,cold_low_us,cold_high_us,warm_us,warm_low_us,warm_high_us,registers,sum,sum_of_sizes".split(","))

        def row(name, entry, samples, rest):
            cells = []
            for times in samples:
                low, _, high = statistics.quantiles(times, n=4)
                cells += [f"{time:.2f}" for time in (statistics.median(times), low, high)]
            table.writerow([name, entry, *cells, *rest])
            file.flush()

        empty = timer.cold_and_warm(lambda: timer.empty((1,), (32,), ()), lambda: None)
        row("empty", "empty", empty, ["", "", ""])
        for launch in launches(options.only):
            try:
                run, reset, written, kernel = prepared(launch, options.cubins)
                reset()
                run()
                sums = checksum([cupy.asnumpy(array) for array in written])
                times = timer.cold_and_warm(run, reset)
            except Exception as error:  # One launch that fails must not cost the others.
                print(f"{launch.name}: {error}", file=sys.stderr)
                continue
            row(launch.name, launch.entry, times, [getattr(kernel, "num_regs", ""), repr(sums[0]), repr(sums[1])])
            print(f"{launch.name:32} cold {statistics.median(times[0]):9.2f} us   warm {statistics.median(times[1]):9.2f} us", flush=True)
            del run, reset, written
            cupy.get_default_memory_pool().free_all_blocks()


if __name__ == "__main__":
    main()
