#!/usr/bin/env python3
"""Whether NVIDIA's CUPTI has what the program asks of it: every function, and each metric by chip. Needs no GPU.

    pip download --no-deps nvidia-cuda-cupti && unzip nvidia_cuda_cupti-*.whl -d WHEEL
    tests/shim-cupti/wheel.py WHEEL

Prints the library with its version, then the chips with the metrics that they lack. Ends with status 1 where a function is missing, or where a
chip lacks metrics other than those of L2 and device memory. Chips that CUPTI does not count on are left out.
"""

import ctypes
import pathlib
import re
import sys
from ctypes import POINTER, Structure, byref, c_char_p, c_int, c_size_t, c_uint, c_void_p, sizeof

SOURCES = pathlib.Path(__file__).parents[2] / "src/device/cuda/hardware_counters"


def parameters(*fields):
    """A structure of parameters with these fields behind its size and its private pointer."""
    return type("Parameters", (Structure,), {"_fields_": [("size", c_size_t), ("private", c_void_p), *fields]})


Chips = parameters(("count", c_size_t), ("names", POINTER(c_char_p)))
Host = parameters(("kind", c_int), ("chip", c_char_p), ("available", c_void_p), ("object", c_void_p))
Metrics = parameters(("object", c_void_p), ("names", POINTER(c_char_p)), ("count", c_size_t))


def has(cupti, chip, metric):
    """Whether a chip has a metric; None where CUPTI does not count on the chip. A host object that has refused one is of no use any more."""
    host = Host(size=sizeof(Host), chip=chip)
    if cupti.cuptiProfilerHostInitialize(byref(host)) != 0:
        return None
    names = (c_char_p * 1)(metric.encode())
    added = Metrics(size=sizeof(Metrics), object=host.object, names=names, count=1)
    return cupti.cuptiProfilerHostConfigAddMetrics(byref(added)) == 0


def main():
    library = next(pathlib.Path(sys.argv[1]).rglob("libcupti.so*"))
    # CUPTI opens it by its name alone.
    host_library = ctypes.CDLL(str(library.parent / "libnvperf_host.so"))
    cupti = ctypes.CDLL(str(library))
    version = c_uint()
    cupti.cuptiGetVersion(byref(version))
    print(f"{library}: version {version.value}")

    functions = sorted(set(re.findall(r'"(cupti\w+)"|b"(cupti\w+)\\0"', (SOURCES / "library.rs").read_text())))
    functions = [name for pair in functions for name in pair if name]
    missing = [name for name in functions if not hasattr(cupti, name)]
    print(f"{len(functions)} functions, missing: {', '.join(missing) or 'none'}")
    if missing:
        return 1

    metrics = sorted(set(re.findall(r'"(\w+__[\w.]+)"', (SOURCES / "metric.rs").read_text())))
    chips = Chips(size=sizeof(Chips))
    cupti.cuptiProfilerHostGetSupportedChips(byref(chips))
    status = 0 if functions and metrics and chips.count else 1
    for chip in (chips.names[place] for place in range(chips.count)):
        found = {metric: has(cupti, chip, metric) for metric in metrics}
        if None in found.values():
            continue
        lacks = [metric for metric, is_there in found.items() if not is_there]
        print(f"{chip.decode():6} {len(metrics) - len(lacks)} of {len(metrics)} metrics", *(f"no {metric}" for metric in lacks), sep="  ")
        if any(not metric.startswith(("dram__", "lts__")) for metric in lacks):
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
