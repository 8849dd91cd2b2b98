"""CSV files of a run as tables."""

from __future__ import annotations

import csv
import io
import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

if TYPE_CHECKING:
    import pandas
    import polars

#: What a cell holds; ``None`` where the file has no value.
Value = Union[int, float, str, None]

#: Units by the end of a column's name. The first that fits counts.
_UNITS = (
    ("_us", "µs"),
    ("gb_per_s", "10^9 bytes/s"),
    ("gop_per_s", "10^9 operations/s"),
    ("_mhz", "MHz"),
    ("_pct", "%"),
    ("_bytes", "bytes"),
    ("_s", "s"),
    ("_w", "W"),
    ("_c", "°C"),
)


class Table:
    """Columns of equal length, by name.

    ``columns`` maps each name to the list of its values, ``units`` to the unit that the name says, or ``None`` for counts,
    ratios and texts. ``metadata`` is what ``run.json`` says of the run; it is empty for comparisons.
    """

    def __init__(self, columns: Mapping[str, list[Value]], metadata: Optional[Mapping[str, Any]] = None) -> None:
        self.columns: dict[str, list[Value]] = dict(columns)
        self.units: dict[str, Optional[str]] = {name: _unit(name) for name in self.columns}
        self.metadata: dict[str, Any] = dict(metadata or {})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __getitem__(self, name: str) -> list[Value]:
        try:
            return self.columns[name]
        except KeyError:
            raise KeyError(f"there is no column {name}; the columns are: {', '.join(self.columns)}") from None

    def __repr__(self) -> str:
        return f"<apbench.Table of {len(self)} rows: {', '.join(self.columns)}>"

    def rows(self) -> Iterator[dict[str, Value]]:
        """The rows, each as a dictionary."""
        for values in zip(*self.columns.values()):
            yield dict(zip(self.columns, values))

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame, which must be installed. ``frame.attrs`` has ``units`` and ``metadata``."""
        import pandas

        frame = pandas.DataFrame(self.columns)
        frame.attrs["units"] = self.units
        frame.attrs["metadata"] = self.metadata
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars data frame, which must be installed."""
        import polars

        return polars.DataFrame(self.columns, strict=False)


def read(run: Union[str, os.PathLike[str]], file: str = "points") -> Table:
    """Reads a file of a run: ``points``, ``fits``, ``rounds``, ``samples`` or another CSV file of its directory.

    Raises ``FileNotFoundError`` where ``run`` is no run directory or does not have the file, ``ValueError`` where the file is
    damaged.
    """
    directory = Path(run)
    about = directory / "run.json"
    if not about.is_file():
        raise FileNotFoundError(f"{directory}: is not a run directory: it has no run.json")
    path = directory / f"{file}.csv"
    if not path.is_file():
        there = ", ".join(sorted(own.stem for own in directory.glob("*.csv"))) or "none"
        raise FileNotFoundError(f"{path}: is not there; this run has: {there}")
    try:
        metadata = json.loads(about.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ValueError(f"{about}: is not JSON: {error}") from error
    return parse(path.read_text(encoding="utf-8"), str(path), metadata)


def parse(text: str, name: str, metadata: Optional[Mapping[str, Any]] = None) -> Table:
    """A CSV text as a table; errors call it ``name``."""
    reader = csv.reader(io.StringIO(text), strict=True)
    header = next(reader, None)
    if not header:
        raise ValueError(f"{name}: has no line of column names")
    cells: list[list[str]] = [[] for _ in header]
    for row in reader:
        if len(row) != len(header):
            raise ValueError(f"{name}:{reader.line_num}: has {len(row)} cells, but there are {len(header)} columns")
        for column, cell in zip(cells, row):
            column.append(cell)
    return Table({key: _values(column) for key, column in zip(header, cells)}, metadata)


def _values(cells: list[str]) -> list[Value]:
    """Integers if all cells are, else numbers if all are, else texts; empty cells are ``None``."""
    for kind in (int, float):
        try:
            return [kind(cell) if cell else None for cell in cells]
        except ValueError:
            continue
    return [cell or None for cell in cells]


def _unit(name: str) -> Optional[str]:
    if name == "bytes":
        return "bytes"
    for end in ("_low", "_high"):
        name = name[: -len(end)] if name.endswith(end) else name
    return next((unit for end, unit in _UNITS if name.endswith(end)), None)
