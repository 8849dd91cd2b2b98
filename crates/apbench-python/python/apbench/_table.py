"""CSV files of a run as tables."""

from __future__ import annotations

import csv
import io
import json
import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any, Optional, Union

from . import _columns
from ._columns import Kind

if TYPE_CHECKING:
    import pandas
    import polars

#: What a cell holds; ``None`` where the file has no value.
Value = Union[int, float, bool, str, None]

#: CSV files that the program writes, whose columns have the kinds of ``_columns``.
_OWN_FILES = ("points", "fits", "rounds", "samples", "estimate")
#: How many names of columns a printed table shows.
_SHOWN = 6

#: How a cell of each kind is written, and what is said of one that is not.
_WRITTEN: dict[Kind, tuple[re.Pattern[str], str]] = {
    # No count that the program writes has more digits. Python would refuse some thousands, and data frames more than 64 bits.
    int: (re.compile(r"-?[0-9]{1,18}"), "a whole number"),
    float: (re.compile(r"-?[0-9]+(\.[0-9]+)?([eE][-+]?[0-9]+)?"), "a number"),
    bool: (re.compile(r"true|false"), "true or false"),
    str: (re.compile(r".*", re.DOTALL), "a text"),
}


class DamagedFile(ValueError):
    """A file is not what the program writes. ``file`` is its path, ``line`` the line, where one is to blame."""

    def __init__(self, file: str, line: Optional[int], reason: str) -> None:
        self.file = file
        self.line = line
        super().__init__(f"{file if line is None else f'{file}:{line}'}: {reason}")


class Table:
    """Columns of equal length, by name.

    ``columns`` maps each name to the list of its values, ``kinds`` to what they are beside ``None`` (``int``, ``float``,
    ``bool`` or ``str``), ``units`` to the unit that the name says, or ``None`` for counts, ratios and texts. ``metadata`` is
    what ``run.json`` says of the run; it is empty for comparisons.
    """

    def __init__(
        self,
        columns: Mapping[str, list[Value]],
        metadata: Optional[Mapping[str, Any]] = None,
        kinds: Optional[Mapping[str, Kind]] = None,
    ) -> None:
        self.columns: dict[str, list[Value]] = dict(columns)
        self.kinds: dict[str, Kind] = {
            name: (kinds or {}).get(name) or _kind_of_values(values) for name, values in self.columns.items()
        }
        self.units: dict[str, Optional[str]] = {name: _columns.unit(name) for name in self.columns}
        self.metadata: dict[str, Any] = dict(metadata or {})

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), []))

    def __getitem__(self, name: str) -> list[Value]:
        try:
            return self.columns[name]
        except KeyError:
            raise KeyError(f"there is no column {name}; the columns are: {', '.join(self.columns)}") from None

    def __repr__(self) -> str:
        names = list(self.columns)
        shown = ", ".join(names[:_SHOWN]) + (", ..." if len(names) > _SHOWN else "")
        return f"<apbench.Table: {_number_of(len(self), 'row')}, {_number_of(len(names), 'column')}: {shown}>"

    def rows(self) -> list[dict[str, Value]]:
        """The rows, each as a dictionary."""
        return [dict(zip(self.columns, values)) for values in zip(*self.columns.values())]

    def to_pandas(self) -> pandas.DataFrame:
        """The table as a pandas data frame, which must be installed. ``frame.attrs`` has ``units`` and ``metadata``.

        Counts have the type ``Int64``, numbers ``float64``, texts ``string`` and true or false ``boolean``, whatever the
        cells; a value that is not there is missing.
        """
        import pandas

        types: dict[Kind, Any] = {int: "Int64", float: "float64", bool: "boolean", str: "string"}
        series = {
            name: pandas.Series(values, dtype=types[self.kinds[name]]) for name, values in self.columns.items()
        }
        frame = pandas.DataFrame(series)
        frame.attrs["units"] = self.units
        frame.attrs["metadata"] = self.metadata
        return frame

    def to_polars(self) -> polars.DataFrame:
        """The table as a polars data frame, which must be installed.

        Counts have the type ``Int64``, numbers ``Float64``, texts ``String`` and true or false ``Boolean``, whatever the cells.
        """
        import polars

        types = {int: polars.Int64, float: polars.Float64, bool: polars.Boolean, str: polars.String}
        return polars.DataFrame(self.columns, schema={name: types[kind] for name, kind in self.kinds.items()})


def read(run: Union[str, os.PathLike[str]], file: str = "points") -> Table:
    """Reads a file of a run: ``points``, ``fits``, ``rounds``, ``samples`` or another CSV file of its directory.

    Raises ``FileNotFoundError`` where ``run`` is no run directory or does not have the file, ``DamagedFile`` where a file is
    not what the program writes.
    """
    directory = Path(run)
    about = directory / "run.json"
    if not about.is_file():
        raise FileNotFoundError(f"{directory}: is not a run directory: it has no run.json")
    path = directory / f"{file}.csv"
    if not path.is_file():
        there = ", ".join(sorted(own.stem for own in directory.glob("*.csv"))) or "none"
        raise FileNotFoundError(f"{path}: is not there; this run has: {there}")
    metadata = _metadata(_text(about.read_bytes(), str(about)), str(about))
    return parse(_text(path.read_bytes(), str(path)), str(path), metadata, own=file in _OWN_FILES)


def parse(text: str, file: str, metadata: Optional[Mapping[str, Any]] = None, own: bool = True) -> Table:
    """A CSV text as a table; errors call it ``file``. The names of its ``own`` columns say what they hold."""
    header, lines, rows = _cells(text, file)
    columns: dict[str, list[Value]] = {}
    kinds: dict[str, Kind] = {}
    for place, name in enumerate(header):
        if name in columns:
            raise DamagedFile(file, 1, f"has two columns {name}")
        cells = [row[place] for row in rows]
        kind = (_columns.kind(name) if own else None) or _kind_of_cells(cells)
        written, words = _WRITTEN[kind]
        for line, cell in zip(lines, cells):
            if cell and not written.fullmatch(cell):
                raise DamagedFile(file, line, f"has {cell!r} as {name}, which is not {words}")
        kinds[name] = kind
        columns[name] = [_value(cell, kind) for cell in cells]
    return Table(columns, metadata, kinds)


def _text(content: bytes, file: str) -> str:
    try:
        return content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        raise DamagedFile(file, line, f"is not UTF-8: {error.reason}") from error


def _metadata(text: str, file: str) -> dict[str, Any]:
    try:
        metadata = json.loads(text)
    except json.JSONDecodeError as error:
        raise DamagedFile(file, error.lineno, f"is not JSON: {error.msg}") from error
    except (ValueError, RecursionError) as error:
        raise DamagedFile(file, None, f"is not JSON: {error}") from error
    if not isinstance(metadata, dict):
        raise DamagedFile(file, None, "is not a JSON object")
    return metadata


def _cells(text: str, file: str) -> tuple[list[str], list[int], list[list[str]]]:
    """The names of the columns, then of each row the line in which it begins, and its cells."""
    reader = csv.reader(io.StringIO(text, newline=""), strict=True)
    lines: list[int] = []
    rows: list[list[str]] = []
    while True:
        line = reader.line_num + 1
        try:
            row = next(reader, None)
        except csv.Error as error:
            raise DamagedFile(file, line, f"is not CSV: {error}") from error
        if row is None:
            break
        if rows and len(row) != len(rows[0]):
            raise DamagedFile(file, line, f"has {len(row)} cells, but there are {len(rows[0])} columns")
        lines.append(line)
        rows.append(row)
    if not rows or not rows[0]:
        raise DamagedFile(file, None, "has no line of column names")
    return rows[0], lines[1:], rows[1:]


def _kind_of_cells(cells: list[str]) -> Kind:
    """Of a column whose name does not tell: whole numbers if all cells are, else numbers if all are, else texts."""
    there = [cell for cell in cells if cell]
    for kind in (int, float):
        if there and all(_WRITTEN[kind][0].fullmatch(cell) for cell in there):
            return kind
    return str


def _kind_of_values(values: list[Value]) -> Kind:
    """The same of values."""
    there = {type(value) for value in values if value is not None}
    for kinds in ({bool}, {int}, {int, float}):
        if there and there <= kinds:
            return float if float in there else kinds.pop()
    return str


def _value(cell: str, kind: Kind) -> Value:
    if not cell:
        return None
    return cell == "true" if kind is bool else kind(cell)


def _number_of(count: int, thing: str) -> str:
    return f"{count} {thing}{'' if count == 1 else 's'}"
