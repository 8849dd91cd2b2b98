"""The program: where it is, and calls of it."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Optional

_NAME = "apbench"
#: Exit statuses that are errors of their own; ``apbench --help`` explains all.
_POINTS_FAILED = 4
_GATE_CROSSED = 5
#: How many points an error lists.
_SHOWN = 10


class ProgramNotFound(FileNotFoundError):
    """The program is not where the package or the PATH has it, or what is there cannot be started."""


class ProgramError(Exception):
    """The program refused or failed.

    ``status`` is its exit status, or the number of the signal that ended it, negated. ``words`` is what it said on standard
    error, ``output`` what it printed, ``command`` how it was called.
    """

    def __init__(self, command: Sequence[str], status: int, words: str, output: str = "") -> None:
        self.command = list(command)
        self.status = status
        self.words = words.strip()
        self.output = output
        super().__init__(f"exit status {status} of {' '.join(self.command)}\n{self.words}".strip())


class PointsFailed(ProgramError):
    """A point failed or gave a wrong result.

    ``run`` is the run, ``points`` the rows of those of its points that are not ``ok``, each with its ``status`` and ``reason``.
    """

    run: Optional[Path] = None
    points: Sequence[Mapping[str, object]] = ()

    def __str__(self) -> str:
        # What the program printed of the points, where the run could not be read.
        told = [line for line in self.output.splitlines() if line.startswith("  point ")]
        if self.points:
            told = ["  point {point} {status}: {reason}".format_map(point) for point in self.points]
        more = [f"  and {len(told) - _SHOWN} more"] if len(told) > _SHOWN else []
        where = [] if self.run is None else [f"the run is {self.run}"]
        return "\n".join([super().__str__(), *told[:_SHOWN], *more, *where])


class GateCrossed(ProgramError):
    """A point meets the condition of ``fail_on``; ``words`` lists those points, ``output`` is the comparison."""


class Said(NamedTuple):
    """What a call said."""

    output: str
    words: str


def program() -> Path:
    """The program: that of the environment variable ``APBENCH_PROGRAM``, else that of this package, else that of the PATH.

    Raises ``ProgramNotFound`` where there is none.
    """
    named = os.environ.get("APBENCH_PROGRAM")
    if named:
        if os.access(named, os.X_OK) and Path(named).is_file():
            return Path(named)
        raise ProgramNotFound(f"APBENCH_PROGRAM is {named}, which is not a program")
    for folder in _script_folders():
        path = folder / _NAME
        if path.is_file():
            return path
    found = shutil.which(_NAME)
    if found is None:
        raise ProgramNotFound(f"the program {_NAME} is neither in {sysconfig.get_path('scripts')} nor on the PATH")
    return Path(found)


def _script_folders() -> Iterator[Path]:
    """Where installers put a package's programs: of the environment, of the user, and of ``pip install --target``."""
    yield Path(sysconfig.get_path("scripts"))
    yield Path(sysconfig.get_path("scripts", f"{os.name}_user"))
    yield Path(__file__).resolve().parent.parent / "bin"


def not_started(path: str, error: OSError) -> ProgramNotFound:
    """The error of a program that the system does not start, such as one for other machines."""
    return ProgramNotFound(f"{path} cannot be started: {os.strerror(error.errno) if error.errno else error}")


def call(arguments: Sequence[str], show: bool) -> Said:
    """Runs the program to its end. With ``show``, what it says on standard error is shown while it works.

    Raises ``ProgramError`` where its exit status is not 0, and ``ProgramNotFound`` where it cannot be started.
    """
    command = [str(program()), *arguments]
    words: list[str] = []
    with tempfile.TemporaryFile() as output:
        try:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE)
        except OSError as error:
            raise not_started(command[0], error) from None
        assert process.stderr is not None
        try:
            for line in process.stderr:
                words.append(line.decode("utf-8", "replace"))
                if show:
                    sys.stderr.write(words[-1])
            status = process.wait()
        except BaseException:
            # Such as Ctrl-C. The program ends by itself and leaves a run that can be continued.
            process.terminate()
            process.wait()
            raise
        finally:
            process.stderr.close()
        output.seek(0)
        said = Said(output.read().decode("utf-8", "replace"), "".join(words))
    if status != 0:
        kind = {_POINTS_FAILED: PointsFailed, _GATE_CROSSED: GateCrossed}.get(status, ProgramError)
        raise kind(command, status, said.words, said.output)
    return said
