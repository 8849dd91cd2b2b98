"""Times exported kernels beside CUB and copies, in one process, on one stream.

    compare.py EXPORTS CUB.SO OUT.csv

EXPORTS has a folder for each `apbench export --no-data` (run.sh makes them); CUB.SO is cub.cu compiled. For each size the input
is filled once, for all. First the results are compared (contests.py). Then samples are taken in turns, forth and back (ABBA), each
after a sweep of the L2 cache that leaves no line of before and behind a gate, so that no launch latency is in a time. A ratio is the other's time over the kernels': above
1 where the kernels are faster. Exit status 1: a target is missed, or a result is wrong.
"""

import csv
import ctypes
import json
import sys
from ctypes import byref, c_uint64, c_void_p
from datetime import date
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "nvbench"))
from contests import CONTESTS, WORD_BYTES, verdicts  # noqa: E402
from measure import Cuda, Workload, median_interval  # noqa: E402
from opponents import Library, Opponent  # noqa: E402

ROUNDS = 60
WARM_UP_ROUNDS = 15
COLUMNS = [
    "family", "variant", "against", "input", "size", "apbench_us", "apbench_us_low", "apbench_us_high",
    "against_us", "against_us_low", "against_us_high", "ratio", "ratio_low", "ratio_high", "apbench_gb_per_s",
    "against_gb_per_s", "rounds", "device",
]  # fmt: skip


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


def row_of(description, contest, samples, means, variant, against, device):
    """A row of the table."""
    moved = description["bytes"]
    own, theirs = median_interval(samples[variant]), median_interval(samples[against])
    ratio = median_interval([other / mine for other, mine in zip(means[against], means[variant])])
    return {
        "family": description["family"],
        "variant": variant,
        "against": against,
        "input": description["parameters"].get("input", ""),
        "size": description["parameters"][contest.size],
        **dict(zip(["apbench_us", "apbench_us_low", "apbench_us_high"], own)),
        **dict(zip(["against_us", "against_us_low", "against_us_high"], theirs)),
        **dict(zip(["ratio", "ratio_low", "ratio_high"], ratio)),
        "apbench_gb_per_s": moved / own[0] / 1e3,
        "against_gb_per_s": moved / theirs[0] / 1e3,
        "rounds": len(means[variant]),
        "device": device,
    }


def groups(exports):
    """The folders of exported points by family, input and size, the sizes rising."""
    found = {}
    for launch in sorted(exports.glob("*/point-*/launch.json")):
        description = json.loads(launch.read_text())
        contest = CONTESTS.get(description["family"])
        if contest is None:
            sys.exit(f"{launch}: nothing to compare the family {description['family']} with; compared are {', '.join(CONTESTS)}")
        parameters = description["parameters"]
        apart = tuple(parameters[name] for name in contest.apart)
        found.setdefault((description["family"], apart, parameters[contest.size]), []).append(launch.parent)
    if not found:
        sys.exit(f"{exports}: no */point-*/launch.json there, so nothing to compare; give the folder that has the folders of `apbench export`")
    order = list(CONTESTS)
    return dict(sorted(found.items(), key=lambda own: (order.index(own[0][0]), own[0][1:])))


def main(exports, library_path, out):
    cuda = Cuda()
    cuda.use(0)
    library, stream, name = Library(library_path), c_void_p(), ctypes.create_string_buffer(256)
    library.call("begin", byref(stream), name, len(name))
    device, modules, rows, wrong = name.value.decode(), {}, [], []
    print(f"{library.made_with()}, on {date.today()}")
    print(f"{device}: {ROUNDS} rounds, forth and back; ratio: the other's time over the kernels'")
    print(f"{'':24}{'size':>11}{'apbench':>12}{'other':>12}{'ratio':>8}  95 % interval      GB/s, and the other's")
    for (family, _, size), folders in groups(exports).items():
        contest = CONTESTS[family]
        first = json.loads((folders[0] / "launch.json").read_text())
        elements = contest.elements(first)
        source = library.allocate(WORD_BYTES * elements)
        contest.fill(library, source, elements, first["parameters"])
        opponents = {
            name: Opponent(library, function, source, elements, contest.result_bytes(elements))
            for name, function in contest.opponents.items()
        }
        for opponent in opponents.values():
            opponent.launch()
        workloads = {}
        for folder in folders:
            workload = Shared(cuda, folder, modules, source)
            variant = workload.description["variant"]
            workload.launch_all(stream.value)
            cuda.call("cuStreamSynchronize", stream.value)
            is_right, words = contest.check(library, workload.description, source, workload.output(), opponents)
            if not is_right:
                wrong.append(f"{family} {variant}, {contest.size} {size}: WRONG, {words}")
                workload.free()
                continue
            workloads[variant] = workload
        programs = {variant: lambda own=own: own.launch_all(stream.value) for variant, own in workloads.items()}
        samples, means = measure(library, programs | {name: own.launch for name, own in opponents.items()})
        for variant, workload in workloads.items():
            others = list(opponents) + [contest.limit] * (contest.limit in workloads and variant != contest.limit)
            for against in others:
                rows.append(row_of(workload.description, contest, samples, means, variant, against, device))
                row = rows[-1]
                print(
                    f"{variant:24}{size:>11}{row['apbench_us']:>9.2f} us{row['against_us']:>9.2f} us{row['ratio']:>8.4f}"
                    f"  {row['ratio_low']:.4f} to {row['ratio_high']:.4f}  {row['apbench_gb_per_s']:.0f}, "
                    f"{row['against_gb_per_s']:.0f} {against} {row['input']}".rstrip(),
                    flush=True,
                )
        for workload in workloads.values():
            workload.free()
        for opponent in opponents.values():
            opponent.free()
        library.call("release", source)
    with open(out, "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS)
        writer.writeheader()
        writer.writerows({key: f"{value:.6g}" if isinstance(value, float) else value for key, value in row.items()} for row in rows)
    told = list(verdicts(rows))
    if not told and not wrong:
        print("no target is for these families and sizes")
    for words, _ in told:
        print(words)
    for words in wrong:
        print(words)
    return 1 if wrong or any(is_missed for _, is_missed in told) else 0


if __name__ == "__main__":
    if len(sys.argv) != 4:
        sys.exit(__doc__)
    sys.exit(main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve(), Path(sys.argv[3])))
