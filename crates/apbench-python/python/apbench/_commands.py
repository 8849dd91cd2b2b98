"""Commands of the program as functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Callable, Optional, Union

from . import _arguments
from ._arguments import PathText, Values
from ._program import PointsFailed, ProgramError, call
from ._table import Table, parse, read


def sweep(
    scenario: PathText,
    *,
    device: str = "auto",
    out: Optional[PathText] = None,
    set: Optional[Mapping[str, Values]] = None,
    resume: bool = False,
    part: Optional[str] = None,
    variants: Union[str, Sequence[str]] = (),
    sizes: Optional[str] = None,
    sampling: Optional[str] = None,
    flush: Optional[str] = None,
    precision_pct: Optional[float] = None,
    budget_s: Optional[float] = None,
    rounds: Optional[int] = None,
    seed: Optional[int] = None,
    point_timeout: Optional[Union[str, int]] = None,
    max_points: Optional[int] = None,
    show: bool = False,
) -> Path:
    """Measures every point of a scenario and returns the run's directory.

    ``scenario`` is a file, or the name of a scenario that comes with the program. ``device`` is ``auto`` (the first CUDA
    device, else the simulated H200), ``cuda:N``, ``sim:NAME`` or ``sim:FILE.toml``. ``out`` is the run's directory; without
    it, the run gets a new one under ``results``. ``set`` replaces values of parameters: one value, a list, or a range, as in
    ``{"width": 96, "operation": ["compute"], "branches": {"from": 1, "to": 32, "times": 2}}``. ``variants`` are those to
    measure: a name or a list of names; all without it. The other options are those of ``apbench sweep``: ``precision_pct`` is its ``--precision`` and ``budget_s`` its ``--budget``. With ``show``, the
    program's progress goes to standard error.

    Raises ``PointsFailed``, whose ``run`` is complete but for the failed points, and ``ProgramError`` for all else that the
    program says; ``TypeError`` and ``ValueError`` for arguments that it does not take.
    """
    named = _arguments.path("scenario", scenario, "one scenario, a file or a name")
    if not isinstance(device, str):
        raise TypeError(f"device takes one device, such as cuda:0, not {type(device).__name__} {device!r}")
    _arguments.text("device", device)
    if device == "all":
        raise ValueError('device="all" makes several runs; sweep each device by itself: "cuda:0", "cuda:1", ...')
    arguments = ["sweep", f"--device={device}"]
    arguments += [f"--set={written}" for written in _arguments.parameters("set", set)]
    arguments += [f"--variant={name}" for name in _arguments.names("variants", variants)]
    options: tuple[tuple[str, str, object, Callable[[str, object], str]], ...] = (
        ("--out", "out", out, _arguments.path),
        ("--part", "part", part, _arguments.text),
        ("--sizes", "sizes", sizes, _arguments.text),
        ("--sampling", "sampling", sampling, _arguments.text),
        ("--flush", "flush", flush, _arguments.text),
        ("--precision", "precision_pct", precision_pct, _arguments.number),
        ("--budget", "budget_s", budget_s, _arguments.number),
        ("--rounds", "rounds", rounds, _arguments.count),
        ("--seed", "seed", seed, _arguments.count),
        ("--point-timeout", "point_timeout", point_timeout, _arguments.duration),
        ("--max-points", "max_points", max_points, _arguments.count),
    )
    for option, name, value, written_as in options:
        if value is not None:
            arguments.append(f"{option}={written_as(name, value)}")
    if resume:
        arguments.append("--resume")
    arguments += ["--", named]
    try:
        said = call(arguments, show)
    except PointsFailed as failed:
        failed.run = _run(failed.output, out)
        failed.points = _not_ok(failed.run)
        raise
    run = _run(said.output, out)
    if run is None:
        raise ProgramError(arguments, 0, "the program did not print the run's directory", said.output)
    return run


def compare(
    base: PathText,
    *runs: PathText,
    ignore: Union[str, Sequence[str]] = (),
    fail_on: Optional[str] = None,
    out: Optional[PathText] = None,
) -> Table:
    """Compares runs with ``base`` point by point: a row for each point and run, with ``ratio`` and ``verdict``.

    ``ignore`` names a parameter, or several, in which matched points may differ. ``fail_on`` is a gate, such as
    ``"slower:5%,missing"``. ``out`` is a directory for the comparison as CSV, Markdown, JSON and charts.

    Raises ``GateCrossed`` where a point meets the condition of ``fail_on``, and ``ProgramError`` for all else.
    """
    if not runs:
        raise ValueError("compare needs a base and at least one run to compare with it")
    arguments = ["compare", "--csv"]
    arguments += [f"--ignore={name}" for name in _arguments.names("ignore", ignore)]
    if fail_on is not None:
        arguments.append(f"--fail-on={_arguments.text('fail_on', fail_on)}")
    if out is not None:
        arguments.append(f"--out={_arguments.path('out', out)}")
    arguments += ["--", _arguments.path("base", base), *(_arguments.path("runs", run) for run in runs)]
    return parse(call(arguments, show=False).output, "what apbench compare --csv printed")


def _run(output: str, out: Optional[PathText]) -> Optional[Path]:
    """The run's directory: ``out``, else that of the last line ``run:   DIR`` of what a sweep printed."""
    if out is not None:
        return Path(out)
    lines = [line for line in output.splitlines() if line.startswith("run:")]
    return Path(lines[-1].partition(":")[2].strip()) if lines else None


def _not_ok(run: Optional[Path]) -> list[dict[str, object]]:
    """The points of a run that did not end well, or none where the run cannot be read."""
    try:
        rows = read(run).rows() if run else []
    except (OSError, ValueError):
        return []
    return [dict(row) for row in rows if row.get("status") != "ok"]
