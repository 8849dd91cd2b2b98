"""What each family's kernels are held against, what they must reach, and how their results are checked."""

from ctypes import byref, c_double, c_float
from dataclasses import dataclass
from typing import Callable

SEED = 1
WORD_BYTES = 4
# Words of a histogram are below 2^16.
HISTOGRAM_MASK = 0xFFFF
ANY_WORD = 0xFFFFFFFF
COPY = "cudaMemcpyAsync"
# Relative error of a sum of positive floats. Millions of threads round their own sums up as often as down, so that what is left comes from the
# few additions of the last trees, half a unit in the last place each, 2^-24. A lost tile of 8192 floats is eight times as much even of 2^30.
SUM_ERROR = 2**-20


@dataclass
class Target:
    """At least so many times as fast as what it is held against, from a size on: the best variant counts."""

    against: str
    ratio: float
    least_size: int = 0


@dataclass
class Contest:
    """A family."""

    # What it is held against: the name that is told, and the function of cub.cu.
    opponents: dict
    targets: list
    size: str
    fill: Callable
    result_bytes: Callable
    # Whether a result is right, and in words how far it is off.
    check: Callable
    # A variant that is held against, too, instead of being one of the contestants.
    limit: str = ""
    # What sets groups apart beside the size.
    apart: tuple = ()

    def elements(self, description):
        """Words of the input."""
        size = description["parameters"][self.size]
        return size * size if self.size == "width" else size


def same_words(library, description, source, result, opponents):
    """Scans and histograms: exactly what CUB has."""
    words = description["parameters"].get("bins", description["parameters"]["elements"])
    cub = next(own for own in opponents.values() if own.function != "copy")
    differing = library.count("differing", result, cub.result, words)
    return differing == 0, f"{differing} of {words} words differ"


def transposed(library, description, source, result, opponents):
    """Transpositions: each element in the row that was its column."""
    width = description["parameters"]["width"]
    name = "differing" if description["variant"] == "copy" else "differing_from_transposed"
    differing = library.count(name, result, source, width * width if name == "differing" else width)
    return differing == 0, f"{differing} of {width * width} words differ"


def nearly_same_sum(library, description, source, result, opponents):
    """Sums: up to rounding the one in double precision."""
    exact, own, theirs = c_double(), c_float(), c_float()
    library.call("sum_in_double", source, description["parameters"]["elements"], byref(exact))
    library.call("read_float", result, byref(own))
    library.call("read_float", next(iter(opponents.values())).result, byref(theirs))
    errors = [abs(value.value / exact.value - 1) for value in [own, theirs]]
    words = f"relative errors {errors[0]:.1e} and CUB's {errors[1]:.1e}, at most {SUM_ERROR:.1e}"
    return all(error <= SUM_ERROR for error in errors), words


def words_of_histogram(library, source, elements, parameters):
    """Uniform words, words of four values, or all the same."""
    mask = {"uniform": HISTOGRAM_MASK, "four_values": 0xC000, "one_value": 0}[parameters["input"]]
    library.call("fill_words", source, elements, SEED, mask)


def any_words(library, source, elements, parameters):
    library.call("fill_words", source, elements, SEED, ANY_WORD)


CONTESTS = {
    "reduction": Contest(
        opponents={"DeviceReduce::Sum": "cub_sum"},
        targets=[Target("DeviceReduce::Sum", 1.0)],
        size="elements",
        fill=lambda library, source, elements, _: library.call("fill_floats", source, elements, SEED),
        result_bytes=lambda _: WORD_BYTES,
        check=nearly_same_sum,
    ),
    "prefix_sum": Contest(
        opponents={"DeviceScan::ExclusiveSum": "cub_exclusive_sum", COPY: "copy"},
        targets=[Target("DeviceScan::ExclusiveSum", 1.2, 1 << 24), Target(COPY, 0.9, 1 << 28)],
        size="elements",
        fill=any_words,
        result_bytes=lambda elements: WORD_BYTES * elements,
        check=same_words,
    ),
    "histogram": Contest(
        opponents={"DeviceHistogram::HistogramEven": "cub_histogram"},
        targets=[Target("DeviceHistogram::HistogramEven", 1.0)],
        size="elements",
        fill=words_of_histogram,
        result_bytes=lambda _: WORD_BYTES * 256,
        check=same_words,
        apart=("input",),
    ),
    "transpose": Contest(
        opponents={COPY: "copy"},
        targets=[Target("copy", 0.98, 2048), Target(COPY, 0.98, 2048)],
        size="width",
        fill=any_words,
        result_bytes=lambda elements: WORD_BYTES * elements,
        check=transposed,
        limit="copy",
    ),
}


def verdicts(rows):
    """What came of each target, in words, and whether it is missed: by the median, whatever the interval has in it."""
    groups = dict.fromkeys((row["family"], row["input"], row["size"]) for row in rows)
    for family, kind, size in groups:
        contest = CONTESTS[family]
        for target in contest.targets:
            own = [
                row
                for row in rows
                if (row["family"], row["input"], row["size"], row["against"]) == (family, kind, size, target.against)
                and row["variant"] != contest.limit
            ]
            if size < target.least_size or not own:
                continue
            best = max(own, key=lambda row: row["ratio"])
            name = f"{family}, {kind}" if kind else family
            what = f"{name}, {contest.size} {size}: at least {target.ratio:g} of the speed of {target.against}"
            words = f"{best['variant']} has {best['ratio']:.4f} ({best['ratio_low']:.4f} to {best['ratio_high']:.4f})"
            is_missed = best["ratio"] < target.ratio
            is_near = best["ratio_low"] < target.ratio <= best["ratio_high"]
            verdict = "MISSED" if is_missed else "reached"
            yield f"{what}: {verdict}, {words}{', with the target in the interval' if is_near else ''}", is_missed
