"""Commands of the program as functions."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Optional, Union

from ._program import PointsFailed, ProgramError, call
from ._table import Table, parse

PathText = Union[str, "os.PathLike[str]"]
#: Values of a parameter: one, several, or a range as TOML, such as "{ from = 1, to = 8, step = 1 }".
Values = Union[int, str, Sequence[Union[int, str]]]


def sweep(
    scenario: PathText,
    *,
    device: str = "auto",
    out: Optional[PathText] = None,
    set: Optional[Mapping[str, Values]] = None,
    resume: bool = False,
    part: Optional[str] = None,
    sampling: Optional[str] = None,
    flush: Optional[str] = None,
    precision_pct: Optional[float] = None,
    budget_s: Optional[float] = None,
    rounds: Optional[int] = None,
    seed: Optional[int] = None,
    point_timeout: Optional[str] = None,
    max_points: Optional[int] = None,
    show: bool = False,
) -> Path:
    """Measures every point of a scenario and returns the run's directory.

    ``scenario`` is a file, or the name of a scenario that comes with the program. ``device`` is ``auto`` (the first CUDA
    device, else the simulated H200), ``cuda:N``, ``sim:NAME`` or ``sim:FILE.toml``. ``out`` is the run's directory; without
    it, the run gets a new one under ``results``. ``set`` replaces values of parameters: ``{"branches": [1, 2, 4]}``. The
    other options are those of ``apbench sweep``. With ``show``, the program's progress goes to standard error.

    Raises ``PointsFailed``, whose ``run`` is complete but for the failed points, and ``ProgramError`` for all else.
    """
    if device == "all":
        raise ValueError('device="all" makes several runs; sweep each device by itself: "cuda:0", "cuda:1", ...')
    arguments = ["sweep", os.fspath(scenario), "--device", device]
    for name, values in (set or {}).items():
        arguments += ["--set", f"{name}={_written(values)}"]
    options: dict[str, object] = {
        "--out": None if out is None else os.fspath(out),
        "--part": part,
        "--sampling": sampling,
        "--flush": flush,
        "--precision": precision_pct,
        "--budget": budget_s,
        "--rounds": rounds,
        "--seed": seed,
        "--point-timeout": point_timeout,
        "--max-points": max_points,
    }
    for option, value in options.items():
        if value is not None:
            arguments += [option, str(value)]
    if resume:
        arguments.append("--resume")
    try:
        said = call(arguments, show)
    except PointsFailed as failed:
        failed.run = _run(failed.output)
        raise
    run = _run(said.output)
    if run is None:
        raise ProgramError(arguments, 0, "the program did not print the run's directory", said.output)
    return run


def compare(
    base: PathText,
    *runs: PathText,
    ignore: Sequence[str] = (),
    fail_on: Optional[str] = None,
    out: Optional[PathText] = None,
) -> Table:
    """Compares runs with ``base`` point by point: a row for each point and run, with ``ratio`` and ``verdict``.

    ``ignore`` names parameters in which matched points may differ. ``fail_on`` is a gate, such as ``"slower:5%,missing"``.
    ``out`` is a directory for the comparison as CSV, Markdown, JSON and charts.

    Raises ``GateCrossed`` where a point meets the condition of ``fail_on``, and ``ProgramError`` for all else.
    """
    if not runs:
        raise ValueError("compare needs a base and at least one run to compare with it")
    arguments = ["compare", os.fspath(base), *(os.fspath(run) for run in runs), "--csv"]
    for name in ignore:
        arguments += ["--ignore", name]
    if fail_on is not None:
        arguments += ["--fail-on", fail_on]
    if out is not None:
        arguments += ["--out", os.fspath(out)]
    return parse(call(arguments, show=False).output, "what apbench compare --csv printed")


def _written(values: Values) -> str:
    """Values as ``--set`` takes them."""
    if isinstance(values, (str, int)):
        return str(values)
    return ",".join(str(value) for value in values)


def _run(output: str) -> Optional[Path]:
    """The directory in the last line ``run:   DIR`` of what a sweep printed."""
    lines = [line for line in output.splitlines() if line.startswith("run:")]
    return Path(lines[-1].partition(":")[2].strip()) if lines else None
