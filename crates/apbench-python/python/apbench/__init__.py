"""Sweeps of GPU kernels, and their results as tables.

    import apbench

    run = apbench.sweep("branching", set={"branches": [1, 2, 4, 8]})
    frame = apbench.read(run).to_pandas()

The functions call the program ``apbench``, which the same package installs. They need nothing beside Python;
``Table.to_pandas`` and ``Table.to_polars`` need the library that they are named after.
"""

from ._commands import compare, sweep
from ._program import GateCrossed, PointsFailed, ProgramError, ProgramNotFound, program
from ._table import Table, Value, read

__all__ = [
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
