"""Times exported kernels and CUB side by side, in one process, on one stream.

    compare.py EXPORTS CUB.SO OUT.csv

EXPORTS has a folder for each `apbench export --no-data` (run.sh makes them); CUB.SO is cub.cu compiled. For each size the input
is filled once, for both. First the results are compared: scans word by word, sums with the sum in double precision. Then samples are
taken in turns, forth and back (ABBA), each after a sweep of the L2 cache and behind a gate, so that no launch latency is in a
time. A ratio is CUB's time over the kernels': above 1 where the kernels are faster. Exit status 1: a target is missed, or a
result is wrong.
"""

import csv
import ctypes
import json
import sys
from ctypes import byref, c_char_p, c_double, c_float, c_int, c_size_t, c_uint32, c_uint64, c_ulonglong, c_void_p
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "nvbench"))
from measure import Cuda, Workload, median_interval  # noqa: E402

ROUNDS = 60
WARM_UP_ROUNDS = 15
SEED = 1
# What a ratio must reach, at every size that was measured: the best variant counts.
TARGETS = {"reduction": 1.0, "prefix_sum": 0.95}
CUB_NAMES = {"reduction": "DeviceReduce::Sum", "prefix_sum": "DeviceScan::ExclusiveSum"}
COLUMNS = [
    "family", "variant", "against", "elements", "apbench_us", "apbench_us_low", "apbench_us_high",
    "cub_us", "cub_us_low", "cub_us_high", "ratio", "ratio_low", "ratio_high", "apbench_gb_per_s", "cub_gb_per_s", "rounds", "device",
]  # fmt: skip


class Library:
    """The functions of cub.cu; what they return is an error unless it is 0."""

    def __init__(self, path):
        self.library = ctypes.CDLL(str(path))
        pointer = ctypes.POINTER
        signatures = {
            "begin": [pointer(c_void_p), c_char_p, c_int],
            "allocate": [pointer(c_void_p), c_size_t],
            "release": [c_void_p],
            "fill_words": [c_void_p, c_size_t, c_uint32],
            "fill_floats": [c_void_p, c_size_t, c_uint32],
            "differing": [c_void_p, c_void_p, c_size_t, pointer(c_ulonglong)],
            "sum_in_double": [c_void_p, c_int, pointer(c_double)],
            "read_float": [c_void_p, pointer(c_float)],
            "cub_sum": [c_void_p, pointer(c_size_t), c_void_p, c_void_p, c_int],
            "cub_exclusive_sum": [c_void_p, pointer(c_size_t), c_void_p, c_void_p, c_int],
            "before_sample": [],
            "after_sample": [pointer(c_double)],
        }
        for name, types in signatures.items():
            function = getattr(self.library, name)
            function.argtypes, function.restype = types, c_int
        self.library.error_text.argtypes, self.library.error_text.restype = [c_int], c_char_p

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            raise RuntimeError(f"{name}: {self.library.error_text(status).decode()} ({status})")

    def allocate(self, size):
        memory = c_void_p()
        self.call("allocate", byref(memory), size)
        return memory.value

    def sample_us(self, launch):
        """The time of what `launch` queues."""
        self.call("before_sample")
        launch()
        time_us = c_double()
        self.call("after_sample", byref(time_us))
        return time_us.value


class Shared(Workload):
    """A point whose input is a memory that others read, too."""

    def __init__(self, cuda, folder, modules, source):
        self.source = source
        super().__init__(cuda, folder, modules)

    def _fill(self, buffer):
        # A small input comes with its contents, which are others than those that CUB reads.
        if buffer["role"] == "input" and self.source not in [address.value for address in self.addresses]:
            self.addresses.append(c_uint64(self.source))
        elif buffer.get("left_out"):
            raise RuntimeError(f"{self.folder}: no contents for the buffer {buffer['name']}")
        else:
            super()._fill(buffer)

    def output(self):
        """The memory of the output: the first buffer that must hold something."""
        places = [place for place, buffer in enumerate(self.description["buffers"]) if buffer["role"] == "output"]
        return self.addresses[places[0]].value

    def free(self):
        self.addresses = [address for address in self.addresses if address.value != self.source]
        super().free()


class Cub:
    """CUB's sum or scan, its temporary memory allocated before."""

    def __init__(self, library, family, source, elements):
        self.library, self.source, self.elements = library, source, elements
        self.function = {"reduction": "cub_sum", "prefix_sum": "cub_exclusive_sum"}[family]
        self.result = library.allocate(4 if family == "reduction" else 4 * elements)
        self.bytes = c_size_t(0)
        library.call(self.function, None, byref(self.bytes), source, self.result, elements)
        self.temporary = library.allocate(max(self.bytes.value, 1))

    def launch(self):
        self.library.call(self.function, self.temporary, byref(self.bytes), self.source, self.result, self.elements)

    def free(self):
        for memory in [self.result, self.temporary]:
            self.library.call("release", memory)


def check(library, cuda, stream, family, elements, source, cub, workload):
    """Whether the kernels' result is CUB's: of scans exactly, of sums up to rounding; the difference in words."""
    workload.launch_all(stream)
    cub.launch()
    cuda.call("cuStreamSynchronize", stream)
    if family == "prefix_sum":
        found = c_ulonglong()
        library.call("differing", workload.output(), cub.result, elements, byref(found))
        return found.value == 0, f"{found.value} of {elements} words differ"
    exact, own, theirs = c_double(), c_float(), c_float()
    library.call("sum_in_double", source, elements, byref(exact))
    library.call("read_float", workload.output(), byref(own))
    library.call("read_float", cub.result, byref(theirs))
    # All elements are positive: so many additions of a thread, and a tree's, each rounded by half a unit in the last place.
    bound = (elements / (1 << 15) + 64) * 2**-24
    errors = [abs(value.value / exact.value - 1) for value in [own, theirs]]
    words = f"relative errors {errors[0]:.1e} and CUB's {errors[1]:.1e}, at most {bound:.1e}"
    return all(error <= bound for error in errors), words


def turns(programs, rounds):
    """The programs in the order of their samples: each round forth and back."""
    names = list(programs)
    for _ in range(rounds):
        yield names + names[::-1]


def measure(library, programs):
    """The times of each program's samples, and of each round the mean of its two."""
    samples = {name: [] for name in programs}
    for names in turns(programs, WARM_UP_ROUNDS):
        for name in names:
            library.sample_us(programs[name])
    for names in turns(programs, ROUNDS):
        for name in names:
            samples[name].append(library.sample_us(programs[name]))
    means = {name: [(one + other) / 2 for one, other in zip(own[::2], own[1::2])] for name, own in samples.items()}
    return samples, means


def row_of(description, samples, means, variant, device):
    """A row of the table."""
    elements, moved = description["parameters"]["elements"], description["bytes"]
    own, theirs = median_interval(samples[variant]), median_interval(samples["CUB"])
    ratio = median_interval([cub / mine for cub, mine in zip(means["CUB"], means[variant])])
    family = description["family"]
    return {
        "family": family,
        "variant": variant,
        "against": CUB_NAMES[family],
        "elements": elements,
        **dict(zip(["apbench_us", "apbench_us_low", "apbench_us_high"], own)),
        **dict(zip(["cub_us", "cub_us_low", "cub_us_high"], theirs)),
        **dict(zip(["ratio", "ratio_low", "ratio_high"], ratio)),
        "apbench_gb_per_s": moved / own[0] / 1e3,
        "cub_gb_per_s": moved / theirs[0] / 1e3,
        "rounds": len(means[variant]),
        "device": device,
    }


def verdicts(rows):
    """What came of each target, in words, and whether it is missed."""
    for family, target in TARGETS.items():
        for elements in sorted({row["elements"] for row in rows if row["family"] == family}):
            own = [row for row in rows if row["family"] == family and row["elements"] == elements]
            what = f"{family}, {elements} elements: at least {target:g} of CUB's speed"
            best = max(own, key=lambda row: row["ratio"])
            words = f"{best['variant']} has {best['ratio']:.4f} ({best['ratio_low']:.4f} to {best['ratio_high']:.4f})"
            if best["ratio"] >= target:
                yield f"{what}: reached, {words}", False
            elif best["ratio_high"] >= target:
                yield f"{what}: reached as far as can be told, {words}: the interval has the target in it", False
            else:
                yield f"{what}: MISSED, {words}", True


def groups(exports):
    """The folders of exported points by family and size, the sizes rising."""
    found = {}
    for launch in sorted(exports.glob("*/point-*/launch.json")):
        description = json.loads(launch.read_text())
        found.setdefault((description["family"], description["parameters"]["elements"]), []).append(launch.parent)
    return dict(sorted(found.items(), key=lambda own: (own[0][0] != "reduction", own[0][1])))


def main(exports, library_path, out):
    cuda = Cuda()
    cuda.use(0)
    library, stream, name = Library(library_path), c_void_p(), ctypes.create_string_buffer(256)
    library.call("begin", byref(stream), name, len(name))
    device, modules, rows, wrong = name.value.decode(), {}, [], []
    print(f"{device}: {ROUNDS} rounds, forth and back; ratio: CUB's time over the kernels'")
    print(f"{'':22}{'elements':>11}{'apbench':>12}{'CUB':>12}{'ratio':>8}  95 % interval      GB/s, and CUB's")
    for (family, elements), folders in groups(exports).items():
        source = library.allocate(4 * elements)
        library.call("fill_floats" if family == "reduction" else "fill_words", source, elements, SEED)
        cub = Cub(library, family, source, elements)
        workloads = {}
        for folder in folders:
            workload = Shared(cuda, folder, modules, source)
            variant = workload.description["variant"]
            is_right, words = check(library, cuda, stream.value, family, elements, source, cub, workload)
            if not is_right:
                wrong.append(f"{family} {variant}, {elements} elements: WRONG, {words}")
                workload.free()
                continue
            workloads[variant] = workload
        programs = {variant: lambda own=own: own.launch_all(stream.value) for variant, own in workloads.items()}
        samples, means = measure(library, programs | {"CUB": cub.launch})
        for variant, workload in workloads.items():
            rows.append(row_of(workload.description, samples, means, variant, device))
            row = rows[-1]
            print(
                f"{variant:22}{elements:>11}{row['apbench_us']:>9.2f} us{row['cub_us']:>9.2f} us{row['ratio']:>8.4f}"
                f"  {row['ratio_low']:.4f} to {row['ratio_high']:.4f}  {row['apbench_gb_per_s']:.0f}, {row['cub_gb_per_s']:.0f}",
                flush=True,
            )
            workload.free()
        cub.free()
        library.call("release", source)
    with open(out, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()} for row in rows)
    told = list(verdicts(rows))
    for words, _ in told:
        print(words)
    for words in wrong:
        print(words)
    return 1 if wrong or any(is_missed for _, is_missed in told) else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])))
