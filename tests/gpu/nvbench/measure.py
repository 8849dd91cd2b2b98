"""Measures exported points with NVBench, at its defaults.

    measure.py EXPORT OUT

EXPORT is a folder that `apbench export` wrote. Every point's kernels are loaded from the same PTX, its buffers filled
and its output checked once; then NVBench measures the launches. OUT/nvbench.csv has a row for each point.
"""

import csv
import ctypes
import json
import math
import sys
import time
from ctypes import byref, c_char_p, c_int, c_size_t, c_uint, c_uint64, c_void_p
from pathlib import Path

COLUMNS = [
    "point", "status", "nvbench_us", "mean_us", "low_us", "high_us", "samples", "noise_pct", "clock_mhz",
    "hot_us", "hot_samples", "cold_wall_s", "hot_wall_s", "exec_wall_s", "reason",
]  # fmt: skip
MAX_DYNAMIC_SHARED_SIZE_BYTES = 8  # of CUfunction_attribute
SHARED_BYTES_WITHOUT_ASKING = 48 << 10


class Cuda:
    """The few calls of the driver's interface that launching takes."""

    def __init__(self):
        self.library = ctypes.CDLL("libcuda.so.1")
        pointer = ctypes.POINTER
        signatures = {
            "cuInit": [c_uint],
            "cuDeviceGet": [pointer(c_int), c_int],
            "cuDevicePrimaryCtxRetain": [pointer(c_void_p), c_int],
            "cuCtxSetCurrent": [c_void_p],
            "cuCtxSynchronize": [],
            "cuStreamSynchronize": [c_void_p],
            "cuModuleLoadData": [pointer(c_void_p), c_char_p],
            "cuModuleGetFunction": [pointer(c_void_p), c_void_p, c_char_p],
            "cuFuncSetAttribute": [c_void_p, c_int, c_int],
            "cuMemAlloc_v2": [pointer(c_uint64), c_size_t],
            "cuMemFree_v2": [c_uint64],
            "cuMemcpyHtoD_v2": [c_uint64, c_char_p, c_size_t],
            "cuMemcpyDtoH_v2": [c_void_p, c_uint64, c_size_t],
            "cuMemsetD32_v2": [c_uint64, c_uint, c_size_t],
            "cuLaunchKernel": [c_void_p, *[c_uint] * 7, c_void_p, c_void_p, c_void_p],
            "cuLaunchCooperativeKernel": [c_void_p, *[c_uint] * 7, c_void_p, c_void_p],
            "cuGetErrorString": [c_int, pointer(c_char_p)],
        }
        for name, types in signatures.items():
            function = getattr(self.library, name)
            function.argtypes, function.restype = types, c_int
        self.call("cuInit", 0)

    def call(self, name, *arguments):
        status = getattr(self.library, name)(*arguments)
        if status:
            text = c_char_p()
            self.library.cuGetErrorString(status, byref(text))
            raise RuntimeError(f"{name}: {(text.value or b'unknown error').decode()} ({status})")

    def use(self, ordinal):
        """Makes the device's primary context, which NVBench uses too, the current one."""
        device, context = c_int(), c_void_p()
        self.call("cuDeviceGet", byref(device), ordinal)
        self.call("cuDevicePrimaryCtxRetain", byref(context), device)
        self.call("cuCtxSetCurrent", context)


class Workload:
    """A point in the GPU's memory."""

    def __init__(self, cuda, folder, modules):
        self.cuda, self.folder, self.addresses = cuda, folder, []
        self.description = json.loads((folder / "launch.json").read_text())
        module = self._module(modules)
        for buffer in self.description["buffers"]:
            self._fill(buffer)
        self.cuda.call("cuCtxSynchronize")
        self.launches = [self._launch(module, launch) for launch in self.description["launches"]]

    def _module(self, modules):
        path = (self.folder / self.description["module"]).resolve()
        if path not in modules:
            module = c_void_p()
            self.cuda.call("cuModuleLoadData", byref(module), path.read_bytes() + b"\0")
            modules[path] = module
        return modules[path]

    def _fill(self, buffer):
        address = c_uint64()
        self.cuda.call("cuMemAlloc_v2", byref(address), buffer["bytes"])
        self.addresses.append(address)
        if "file" in buffer:
            contents = (self.folder / buffer["file"]).read_bytes()
            self.cuda.call("cuMemcpyHtoD_v2", address, contents, len(contents))
        else:
            self.cuda.call("cuMemsetD32_v2", address, buffer["fill_word"], buffer["bytes"] // 4)

    def _launch(self, module, launch):
        """What launching takes but the stream, with everything that it points to."""
        function = c_void_p()
        self.cuda.call("cuModuleGetFunction", byref(function), module, launch["entry"].encode())
        shared = launch["shared_bytes"]
        if shared > SHARED_BYTES_WITHOUT_ASKING:
            self.cuda.call("cuFuncSetAttribute", function, MAX_DYNAMIC_SHARED_SIZE_BYTES, shared)
        kinds = {"buffer": lambda index: c_uint64(self.addresses[index].value), "word": c_uint, "long": c_uint64}
        values = [kinds[kind](value) for argument in launch["arguments"] for kind, value in argument.items()]
        pointers = (c_void_p * len(values))(*[ctypes.addressof(value) for value in values])
        shape = (*launch["grid"], *launch["block"], shared)
        return function, shape, launch["cooperative"], pointers, values

    def launch_all(self, stream):
        for function, shape, cooperative, pointers, _ in self.launches:
            if cooperative:
                self.cuda.call("cuLaunchCooperativeKernel", function, *shape, stream, pointers)
            else:
                self.cuda.call("cuLaunchKernel", function, *shape, stream, pointers, None)

    def check(self, stream):
        """Launches once and compares the outputs with those that the host computed."""
        self.launch_all(stream)
        self.cuda.call("cuStreamSynchronize", stream)
        for buffer, address in zip(self.description["buffers"], self.addresses):
            if "expected_file" not in buffer:
                continue
            expected = (self.folder / buffer["expected_file"]).read_bytes()
            found = ctypes.create_string_buffer(len(expected))
            self.cuda.call("cuMemcpyDtoH_v2", found, address, len(expected))
            if found.raw != expected:
                raise RuntimeError(f"the output {buffer['name']} is wrong")

    def free(self):
        for address in self.addresses:
            self.cuda.call("cuMemFree_v2", address)
        self.addresses = []


def median_interval(samples):
    """The median and its 95 % interval from order statistics."""
    ordered = sorted(samples)
    count = len(ordered)
    half = 0.98 * math.sqrt(count)
    low = max(0, math.floor(count / 2 - half) - 1)
    high = min(count - 1, math.ceil(count / 2 + half))
    middle = count // 2
    median = ordered[middle] if count % 2 else (ordered[middle - 1] + ordered[middle]) / 2
    return median, ordered[low], ordered[high]


def row_of(state, point, exec_wall_s):
    """A row of the table from a state of NVBench's result file."""

    def value(tag, scale=1.0):
        summary = state.summaries.get(tag)
        return "" if summary is None or summary.value is None else float(summary.value) * scale

    gpu = "nv/cold/time/gpu/"
    row = {
        "point": point,
        "status": "skipped" if state.is_skipped else "ok",
        "reason": state.skip_reason or "",
        "nvbench_us": value(gpu + "median", 1e6) or value(gpu + "mean", 1e6),
        "mean_us": value(gpu + "mean", 1e6),
        "samples": value("nv/cold/sample_size"),
        "noise_pct": value(gpu + "stdev/relative", 100.0),
        "clock_mhz": value("nv/cold/sm_clock_rate/mean", 1e-6),
        "hot_us": value("nv/batch/time/gpu/mean", 1e6),
        "hot_samples": value("nv/batch/sample_size"),
        "cold_wall_s": value("nv/cold/walltime"),
        "hot_wall_s": value("nv/batch/walltime"),
        "exec_wall_s": exec_wall_s,
    }
    if state.samples:
        median, low, high = (seconds * 1e6 for seconds in median_interval(state.samples))
        row |= {"nvbench_us": median, "low_us": low, "high_us": high}
    elif row["nvbench_us"] and row["noise_pct"] != "" and row["samples"]:
        # Without the samples: those of a normal distribution, whose median scatters 1.253 times as much as its mean.
        half = row["nvbench_us"] * row["noise_pct"] / 100 * 1.96 * 1.2533 / math.sqrt(row["samples"])
        row |= {"low_us": row["nvbench_us"] - half, "high_us": row["nvbench_us"] + half}
    return row


def main(export, out):
    out.mkdir(parents=True, exist_ok=True)
    try:
        import cuda.bench as bench
        from cuda.bench.results import BenchmarkResult

        bench.State  # loads the native part  # noqa: B018
    except ImportError as error:
        sys.exit(f"error: NVBench's package cannot be loaded: {error}")
    cuda = Cuda()
    folders = json.loads((export / "export.json").read_text())["points"]
    modules, exec_wall_s, failures = {}, {}, {}

    def points(state):
        point = state.get_int64("point")
        workload = None
        try:
            cuda.use(state.get_device() or 0)
            workload = Workload(cuda, export / folders[str(point)], modules)
            workload.check(state.get_stream().addressof())
            began = time.perf_counter()
            state.exec(lambda launch: workload.launch_all(launch.get_stream().addressof()))
            exec_wall_s[point] = time.perf_counter() - began
        except Exception as error:  # one point that fails must not take the others with it
            failures[point] = f"{type(error).__name__}: {error}"
            print(f"error: point {point}: {failures[point]}", file=sys.stderr, flush=True)
            state.skip(failures[point])
        finally:
            if workload is not None:
                workload.free()

    bench.register(points).add_int64_axis("point", sorted(map(int, folders)))
    results = out / "nvbench.json"
    bench.run_all_benchmarks([sys.argv[0], "--devices", "0", "--jsonbin", str(results)])

    rows = []
    for benchmark in BenchmarkResult.from_json(results).values():
        for state in benchmark:
            point = next(int(axis["value"]) for axis in state.axis_values if axis["name"] == "point")
            rows.append(row_of(state, point, exec_wall_s.get(point, "")))
            if point in failures:
                rows[-1] |= {"status": "failed", "reason": failures[point]}
    with open(out / "nvbench.csv", "w", newline="") as file:
        writer = csv.DictWriter(file, COLUMNS, restval="")
        writer.writeheader()
        writer.writerows(sorted(rows, key=lambda row: row["point"]))
    sys.exit(1 if failures else 0)


if __name__ == "__main__":
    if len(sys.argv) != 3:
        sys.exit(__doc__)
    main(Path(sys.argv[1]).resolve(), Path(sys.argv[2]).resolve())
