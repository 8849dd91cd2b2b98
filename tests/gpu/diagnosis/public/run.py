#!/usr/bin/env python3
"""Holds the first line of `apbench diagnose` against the line that Nsight Compute names, for kernels with a known pattern.

    run.py diagnose PROGRAM WORK OURS.csv       what apbench says of each scenario in WORK, without a GPU
    run.py profile WORK FOLDER [--dry]          what Nsight Compute counts by line: FOLDER/ncu.csv and its report
    run.py read FOLDER                          writes FOLDER/ncu.csv anew from the report
    run.py compare WORK OURS.csv FOLDER/ncu.csv the table, and in how many kernels both name the same line

WORK holds scenarios with [kernel], each with one variant and one launch, their sources, and known.toml. README.md says which line is meant.
`profile` needs a GPU whose counters may be read, nvcc, ncu, c++filt, and Python 3.11 with NumPy and CuPy; `--dry` stops before the GPU."""

import collections
import concurrent.futures
import csv
import glob
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time
import tomllib

DTYPES = {"f32": "float32", "f64": "float64", "f16": "float16"} | {f"{kind[0]}{bits}": f"{kind}{bits}" for kind in ("int", "uint") for bits in (8, 16, 32, 64)}
SCALARS = {"int": "int32", "unsigned int": "uint32", "long": "int64", "unsigned long": "uint64", "long long": "int64", "unsigned long long": "uint64",
           "float": "float32", "double": "float64", "short": "int16", "unsigned short": "uint16", "char": "int8", "unsigned char": "uint8", "bool": "bool_"}
# The metric of a line is the first difference or sum of these that the report has.
METRICS = {
    "uncoalesced": [("memory_l2_theoretical_sectors_global", "memory_l2_theoretical_sectors_global_ideal"), ("derived__memory_l2_theoretical_sectors_global_excessive",)],
    "bank_conflicts": [("memory_l1_wavefronts_shared", "memory_l1_wavefronts_shared_ideal"), ("derived__memory_l1_wavefronts_shared_excessive",)],
    "divergence": [("smsp__branch_targets_threads_divergent",)],
}
STALLS = "smsp__pcsamp_warps_issue_stalled_"


def scenarios(work):
    """The scenarios that known.toml lists, by name."""
    known = tomllib.loads((work / "known.toml").read_text())
    return {name: tomllib.loads((work / f"{name}.toml").read_text()) for name in known}, known


def evaluated(expression, names):
    """A number of a scenario: a number, or an expression of parameters; with an array as `i`, an array."""
    if not isinstance(expression, str):
        return expression
    import numpy
    functions = {name: getattr(numpy, name) for name in ("ceil", "floor", "round", "sqrt", "log2", "exp", "sin", "cos")}
    functions |= {"abs": numpy.abs, "min": numpy.minimum, "max": numpy.maximum}
    return eval(expression.replace("^", "**"), {"__builtins__": {}}, functions | names)


def extents(given, names):
    given = given if isinstance(given, list) else [given]
    return tuple(int(evaluated(extent, names)) for extent in (given + [1, 1])[:3])


class Kernel:
    """A scenario's launch, as far as it can be known without a GPU."""

    def __init__(self, name, scenario):
        own = scenario["kernel"]
        (variant,) = own["variants"].values()
        variant = {"entry": variant} if isinstance(variant, str) else variant
        self.name, self.source, self.entry = name, own["source"], variant["entry"]
        self.names = {key: value["default"] if isinstance(value, dict) else value for key, value in scenario.get("parameters", {}).items()}
        launch = own["launch"]
        self.grid, self.block = extents(launch["grid"], self.names), extents(launch["block"], self.names)
        self.shared_bytes = int(evaluated(launch.get("shared_bytes", 0), self.names))
        self.arguments, self.buffers = own["arguments"], scenario.get("buffers", {})
        self.defines = [f"-D{key}={value}" for key, value in {**own.get("defines", {}), **variant.get("defines", {})}.items()]
        self.base = self.entry.split("<")[0]

    def compiled(self, work, folder):
        """The path of a cubin, the mangled name and the types of the parameters."""
        unit, cubin = folder / f"{self.name}.unit.cu", folder / f"{self.name}.cubin"
        # An instance of a template is compiled where its address is taken.
        keep = f"void *keep = (void *){self.entry};\n" if "<" in self.entry else ""
        unit.write_text(f'#include "{(work / self.source).resolve()}"\n{keep}')
        nvcc = os.environ.get("NVCC", "nvcc")
        subprocess.run([nvcc, "--cubin", f"-arch={os.environ.get('ARCH', 'sm_90')}", "-lineinfo", *self.defines, "-o", cubin, unit], check=True)
        symbols = sorted(set(re.findall(rb"\.text\.([A-Za-z0-9_$]+)", cubin.read_bytes())))
        for symbol in symbols:
            full = subprocess.run([shutil.which("c++filt") or "cu++filt", symbol], capture_output=True, text=True, check=True).stdout.strip()
            function, parameters = full.rsplit("(", 1)[0], full.rsplit("(", 1)[-1].rstrip(")")
            function = function.removeprefix("void ").replace(" ", "")
            wanted = self.entry.replace(" ", "")
            if function == wanted or re.sub(r"\((?:int|unsignedint)\)", "", function) == wanted or ("<" in wanted and function.split("<")[0] == self.base):
                return cubin, symbol.decode(), [kind.strip() for kind in parameters.split(",")]
        raise ValueError(f"{self.source}: no {self.entry} among {symbols}")

    def buffer(self, name):
        """The elements that a buffer of the scenario holds before the launch."""
        import numpy
        own = self.buffers[name]
        kind, fill = numpy.dtype(DTYPES[own["type"]]), own.get("fill", "zeros")
        length = int(evaluated(own["length"], self.names))
        if fill in ("zeros", "poison"):
            return numpy.zeros(length, kind)
        if fill == "uniform":
            random = numpy.random.default_rng(1)
            if kind.kind == "f":
                return random.random(length, numpy.float32).astype(kind)
            return random.integers(0, 2 ** (8 * kind.itemsize), length, numpy.uint64).astype(kind)
        values = evaluated("i" if fill == "iota" else fill, self.names | {"i": numpy.arange(length, dtype=numpy.float64)})
        return numpy.broadcast_to(values, length).astype(kind)

    def scalar(self, argument, kind):
        import numpy
        return getattr(numpy, SCALARS[kind])(evaluated(argument, self.names))


def diagnose(program, work, out):
    """Asks apbench for each scenario; a failure is a row, too."""
    rows = []
    for name in scenarios(work)[0]:
        begin = time.monotonic()
        done = subprocess.run([program, "diagnose", work / f"{name}.toml", "--device", "sim:h200", "--json"], capture_output=True, text=True)
        row = {"kernel": name, "seconds": f"{time.monotonic() - begin:.1f}", "rank": 1}
        try:
            (variant,) = json.loads(done.stdout)["variants"]
        except (ValueError, KeyError):
            rows.append(row | {"pattern": "failed", "text": " ".join(done.stderr.split())[:300]})
            continue
        findings = variant.get("findings") or []
        for rank, found in enumerate(findings, 1):
            rows.append(row | {"rank": rank, "pattern": found["pattern"], "file": found["file"], "line": found["line"], "text": found["source"].strip(),
                               "price_part": found["price_part"], "time_us": variant["time_us"], "counted": found["counted"]})
        if not findings:
            rows.append(row | {"pattern": "none", "text": variant.get("error") or variant.get("unpriced") or ""})
        print(f"{name}: {row['seconds']} s, {len(findings)} findings", flush=True)
    fields = ["kernel", "rank", "pattern", "file", "line", "text", "price_part", "time_us", "counted", "seconds"]
    with open(out, "w", newline="") as file:
        writer = csv.DictWriter(file, fields)
        writer.writeheader()
        writer.writerows(rows)


def launch(work, folder, names):
    """Launches each kernel once. Buffers are made on the host, so that these are the only kernels."""
    import cupy
    for name, scenario in scenarios(work)[0].items():
        if names and name not in names:
            continue
        kernel = Kernel(name, scenario)
        about = json.loads((folder / "build" / f"{name}.json").read_text())
        function = cupy.RawModule(path=about["cubin"]).get_function(about["symbol"])
        buffers = {key: cupy.asarray(kernel.buffer(key)) for key in kernel.buffers}
        arguments = [buffers[argument] if argument in buffers else kernel.scalar(argument, kind)
                     for argument, kind in zip(kernel.arguments, about["parameters"], strict=True)]
        function(kernel.grid, kernel.block, tuple(arguments), shared_mem=kernel.shared_bytes)
        cupy.cuda.Device().synchronize()
        print(f"launched {name} {kernel.base}", flush=True)
        del buffers, arguments
        cupy.get_default_memory_pool().free_all_blocks()


def profile(work, folder, dry):
    """Compiles all kernels, launches them under ncu in one process, and those that are missing in one of their own."""
    build = folder / "build"
    build.mkdir(parents=True, exist_ok=True)
    kernels = {name: Kernel(name, scenario) for name, scenario in scenarios(work)[0].items()}
    with concurrent.futures.ThreadPoolExecutor() as pool:
        compiled = {name: pool.submit(kernel.compiled, work, build) for name, kernel in kernels.items()}
    for name, kernel in list(kernels.items()):
        if error := compiled[name].exception():
            print(f"{name}: {error}", file=sys.stderr)
            del kernels[name]
            continue
        cubin, symbol, parameters = compiled[name].result()
        assert len(parameters) == len(kernel.arguments), (name, parameters, kernel.arguments)
        (build / f"{name}.json").write_text(json.dumps({"cubin": str(cubin.resolve()), "symbol": symbol, "parameters": parameters}))
        if dry:
            sizes = {key: (kernel.buffer(key).size, str(kernel.buffer(key)[:4])) for key in kernel.buffers}
            scalars = [kernel.scalar(argument, kind) for argument, kind in zip(kernel.arguments, parameters) if argument not in kernel.buffers]
            print(name, symbol, kernel.grid, kernel.block, kernel.shared_bytes, sizes, scalars)
    names = list(kernels)
    launched = ncu(work, folder, "all", names, dry)
    for name in names:
        if name not in launched and not dry:
            ncu(work, folder, name, [name], dry)
    if not dry:
        read(folder)


def ncu(work, folder, report, names, dry):
    """One run of ncu. Says which kernels were launched."""
    command = ["ncu", "--force-overwrite", "--export", str(folder / report), "--clock-control", "none", "--import-source", "yes", "--section", "SourceCounters",
               "--section", "WarpStateStats", "--metrics", "gpu__time_duration.sum", sys.executable, __file__, "launch", str(work), str(folder), *names]
    print(" ".join(command), flush=True)
    if dry:
        return []
    done = subprocess.run(command, capture_output=True, text=True)
    (folder / f"{report}.log").write_text(done.stdout + done.stderr)
    print(done.stdout[-1500:], done.stderr[-1500:], sep="\n", flush=True)
    launched = re.findall(r"^launched (\S+)", done.stdout, re.M)
    (folder / f"{report}.order").write_text("\n".join(launched))
    for view in ("cuda", "sass"):
        shown = subprocess.run(["ncu", "--import", str(folder / f"{report}.ncu-rep"), "--page", "source", "--print-source", view, "--csv"], capture_output=True, text=True)
        (folder / f"{report}.{view}.csv").write_text(shown.stdout + shown.stderr)
    return launched


def report_module():
    """NVIDIA's module that reads reports; it comes with ncu."""
    places = [os.environ.get("NCU_PYTHON", "")]
    if found := shutil.which("ncu"):
        above = pathlib.Path(os.path.realpath(found)).parents
        places += [str(folder / "extras" / "python") for folder in above[:4]]
    places += glob.glob("/opt/nvidia/nsight-compute/*/extras/python") + glob.glob("/usr/local/cuda*/nsight-compute*/extras/python")
    sys.path[:0] = [place for place in places if place and os.path.isdir(place)]
    import ncu_report
    return ncu_report


def by_line(action):
    """Each metric that has a value for each instruction, summed by source line: {(file, line): {metric: value}}."""
    lines = collections.defaultdict(lambda: collections.defaultdict(float))
    for metric_name in action.metric_names():
        metric = action.metric_by_name(metric_name)
        if metric is None or metric.num_instances() < 1 or not metric.has_correlation_ids():
            continue
        if not re.match(r"(derived__)?memory_|smsp__branch|smsp__pcsamp|inst_executed|thread_inst|branch", metric_name):
            continue
        ids = metric.correlation_ids()
        for index in range(metric.num_instances()):
            place = action.source_info(ids.as_uint64(index))
            key = (os.path.basename(place.file_name()), place.line()) if place else ("", 0)
            lines[key][metric_name] += metric.as_double(index)
    return lines


def read(folder):
    """Writes what the reports count by line."""
    module = report_module()
    with open(folder / "ncu.csv", "w", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["kernel", "function", "file", "line", "metric", "value"])
        for path in sorted(folder.glob("*.ncu-rep")):
            order = path.with_suffix(".order").read_text().split()
            context = module.load_report(str(path))
            actions = [context.range_by_idx(one).action_by_idx(index) for one in range(context.num_ranges())
                       for index in range(context.range_by_idx(one).num_actions())]
            if len(actions) != len(order):
                print(f"{path.name}: {len(actions)} kernels profiled, {len(order)} launched", file=sys.stderr)
            for name, action in zip(order, actions):
                if time_ns := action.metric_by_name("gpu__time_duration.sum"):
                    writer.writerow([name, action.name(), "", 0, "gpu__time_duration.sum", time_ns.as_double()])
                for (source, line), metrics in sorted(by_line(action).items()):
                    for metric, value in sorted(metrics.items()):
                        if value:
                            writer.writerow([name, action.name(), source, line, metric, f"{value:.17g}"])


def weights(pattern, lines):
    """The value by which the lines of a kernel are ranked, and the metric's name."""
    for choice in METRICS.get(pattern, []):
        ranked = {place: metrics.get(choice[0], 0.0) - sum(metrics.get(other, 0.0) for other in choice[1:]) for place, metrics in lines.items()}
        if any(value > 0 for value in ranked.values()):
            return ranked, " - ".join(choice)
    if pattern != "stalls":
        return {}, ""
    own = lambda metric: metric.startswith(STALLS) and not metric.endswith("_not_issued")
    return {place: sum(value for metric, value in metrics.items() if own(metric)) for place, metrics in lines.items()}, "warp stall samples"


def compare(work, ours, theirs):
    """The table, and how many agree."""
    known = scenarios(work)[1]
    first, counted = {}, collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in csv.DictReader(open(ours)):
        first.setdefault(row["kernel"], row)
    for row in csv.DictReader(open(theirs)):
        counted[row["kernel"]][row["file"], int(row["line"])][row["metric"]] = float(row["value"])
    agree = profiled = expected = 0
    print("| kernel | pattern | line of `apbench diagnose` | its cost | line of Nsight Compute | by | same | simulated, profiled |\n| --- | --- | --- | --- | --- | --- | --- | --- |")
    for name, about in known.items():
        own = first.get(name, {})
        source = (work / tomllib.loads((work / f"{name}.toml").read_text())["kernel"]["source"]).read_text().split("\n")
        ranked, metric = weights(about["metric"], {place: own for place, own in counted[name].items() if place[1]})
        best = max(ranked, key=ranked.get, default=None)
        same = best is not None and own.get("line") == str(best[1]) and own.get("file") == best[0]
        known_line = about["line"] in own.get("text", "").replace("  ", " ") or (own.get("line") or "").isdigit() and about["line"] in source[int(own["line"]) - 1]
        profiled, agree, expected = profiled + (best is not None), agree + same, expected + known_line
        named = f"{best[1]}: `{source[best[1] - 1].strip()[:60]}`" if best and best[1] <= len(source) else str(best)
        share = f"{ranked[best] / sum(value for value in ranked.values() if value > 0):.0%} of {metric}" if best else "not profiled"
        part = f"{float(own['price_part']):.0%}" if own.get("price_part") else ""
        profiled_ns = counted[name].get(("", 0), {}).get("gpu__time_duration.sum")
        times = f"{float(own['time_us']):.1f} µs, " if own.get("time_us") else "?, "
        times += f"{profiled_ns / 1000:.1f} µs" if profiled_ns else "?"
        print(f"| {name} | {own.get('pattern')} (known: {about['metric']}) | {own.get('line')}: `{own.get('text', '')[:60]}` | {part} | {named} | {share} | "
              f"{'yes' if same else 'no' if best else '?'} | {times} |")
    print(f"\n{agree} of {profiled} profiled kernels: the same line first. {expected} of {len(known)}: the known line first.")


def main():
    match sys.argv[1:]:
        case ["diagnose", program, work, out]:
            diagnose(program, pathlib.Path(work), out)
        case ["profile", work, folder]:
            profile(pathlib.Path(work), pathlib.Path(folder), dry=False)
        case ["profile", work, folder, "--dry"]:
            profile(pathlib.Path(work), pathlib.Path(folder), dry=True)
        case ["launch", work, folder, *names]:
            launch(pathlib.Path(work), pathlib.Path(folder), names)
        case ["read", folder]:
            read(pathlib.Path(folder))
        case ["compare", work, ours, theirs]:
            compare(pathlib.Path(work), ours, theirs)
        case _:
            sys.exit(__doc__)


main()
