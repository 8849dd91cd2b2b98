"""Sweeps of GPU kernels, and their results as tables.

    import apbench

    run = apbench.sweep("branching", set={"branches": [1, 2, 4, 8]})
    table = apbench.read(run)

The functions call the program ``apbench``, which the same package installs. They need nothing beside Python;
``Table.to_pandas`` and ``Table.to_polars`` need the library that they are named after. ``python -m apbench`` is the program.
"""

from importlib import metadata as _metadata

from ._commands import compare, sweep
from ._program import GateCrossed, PointsFailed, ProgramError, ProgramNotFound, program
from ._table import DamagedFile, Table, Value, read

try:
    #: The version of the package, which is that of its program.
    __version__ = _metadata.version("apbench")
except _metadata.PackageNotFoundError:
    # The module of a checkout, which is not installed.
    __version__ = "unknown"

__all__ = [
    "DamagedFile",
    "GateCrossed",
    "PointsFailed",
    "ProgramError",
    "ProgramNotFound",
    "Table",
    "Value",
    "compare",
    "program",
    "read",
    "sweep",
]
