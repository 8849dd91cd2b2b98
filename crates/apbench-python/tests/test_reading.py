"""Runs as tables: values, kinds, units, frames, and files that are damaged."""

import csv
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

import apbench

ROOT = Path(__file__).resolve().parents[3]
RUN = ROOT / "results/simulated-h200/branching"
REFERENCE = ROOT / "docs/src/reference"

#: A table with each kind of column, and each kind without a value.
POINTS = '''\
point,variant,weights,tile,own,time_us,samples,reason,power_w,rounds,flags,scaled,clock_mhz
0,divergent,1,16,7,30,5,,,,,true,1980
1,"a, ""b""",9:1,24,,31.5,6,,,,,,2e3
'''
VALUES = {
    "point": [0, 1],
    "variant": ["divergent", 'a, "b"'],
    "weights": ["1", "9:1"],
    "tile": [16, 24],
    "own": [7, None],
    "time_us": [30.0, 31.5],
    "samples": [5, 6],
    "reason": [None, None],
    "power_w": [None, None],
    "rounds": [None, None],
    "flags": [None, None],
    "scaled": [True, None],
    "clock_mhz": [1980.0, 2000.0],
}
KINDS = dict(
    point=int, variant=str, weights=str, tile=int, own=int, time_us=float, samples=int, reason=str, power_w=float, rounds=int,
    flags=str, scaled=bool, clock_mhz=float,
)  # fmt: skip


def types(values):
    return [type(value) for value in values]


class Folder(unittest.TestCase):
    """A run whose files a test writes."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.write("run.json", "{}")

    def write(self, name, content):
        (self.folder / name).write_bytes(content if isinstance(content, bytes) else content.encode())

    def table(self, content, file="points"):
        self.write(f"{file}.csv", content)
        return apbench.read(self.folder, file)


class Reading(Folder):
    def test_points_of_a_run_are_columns(self):
        table = apbench.read(RUN)
        self.assertEqual(len(table), 64)
        self.assertEqual(table["branches"][:3], [1, 2, 3])
        with open(RUN / "points.csv", newline="") as file:
            first = next(csv.DictReader(file))
        self.assertEqual(table["time_us"][0], float(first["time_us"]))
        self.assertEqual(table["variant"][0], "divergent")
        self.assertIsNone(table["time_us_low"][0])
        self.assertEqual(table.metadata["scenario"], "branching")

    def test_names_say_what_columns_hold(self):
        table = self.table(POINTS)
        self.assertEqual(table.columns, VALUES)
        self.assertEqual(table.kinds, KINDS)
        for name, values in VALUES.items():
            self.assertEqual(types(table[name]), types(values), name)

    def test_a_column_is_of_one_kind_in_every_run(self):
        whole, empty = self.table("time_us,bytes\n30,1\n"), self.table("time_us,bytes\n,\n")
        self.assertEqual(types(whole["time_us"]), [float])
        self.assertEqual(whole.kinds, empty.kinds)
        self.assertEqual(self.table("time_us,bytes\n").kinds, whole.kinds)

    def test_cells_decide_where_no_name_does(self):
        odd = self.table('a,b,c,d,e,f\n1_000,nan, 1,1.5,1,""\n2,inf,2,2,-2,\n')
        self.assertEqual(
            odd.columns,
            {"a": ["1_000", "2"], "b": ["nan", "inf"], "c": [" 1", "2"], "d": [1.5, 2.0], "e": [1, -2], "f": [None, None]},
        )
        self.assertEqual(odd.kinds, {"a": str, "b": str, "c": str, "d": float, "e": int, "f": str})

    def test_names_count_in_files_of_the_program_only(self):
        self.assertEqual(self.table("time_us,samples\n30,many\n", "mine").columns, {"time_us": [30], "samples": ["many"]})

    def test_lines_may_end_as_on_windows_and_cells_may_have_several(self):
        self.assertEqual(self.table('point,reason\r\n0,"a\nb"\r\n1,\r\n').columns, {"point": [0, 1], "reason": ["a\nb", None]})

    def test_rows_are_a_list_of_dictionaries(self):
        rows = apbench.read(RUN, "fits").rows()
        self.assertEqual(len(rows), len(apbench.read(RUN, "fits")))
        self.assertEqual((rows[0]["parameter"], rows[0]["unit"]), ("t_outside", "us"))
        self.assertEqual(self.table(POINTS).rows()[1], {name: values[1] for name, values in VALUES.items()})

    def test_a_printed_table_is_short(self):
        self.assertEqual(
            str(self.table(POINTS)), "<apbench.Table: 2 rows, 13 columns: point, variant, weights, tile, own, time_us, ...>"
        )
        self.assertEqual(str(self.table("point\n0\n")), "<apbench.Table: 1 row, 1 column: point>")

    def test_tables_can_be_made_of_values(self):
        table = apbench.Table({"a": [1, None], "b": [1, 2.5], "c": [True, None], "d": ["x", 1], "e": [None, None]})
        self.assertEqual(table.kinds, {"a": int, "b": float, "c": bool, "d": str, "e": str})
        self.assertEqual(table.metadata, {})

    def test_what_is_missing_is_named_with_what_is_there(self):
        with self.assertRaisesRegex(FileNotFoundError, "not a run directory"):
            apbench.read(ROOT / "scenarios")
        with self.assertRaisesRegex(FileNotFoundError, "samples.csv: is not there; this run has: fits, points"):
            apbench.read(RUN, "samples")
        with self.assertRaisesRegex(KeyError, "there is no column time; the columns are: point, variant"):
            apbench.read(RUN)["time"]

    def test_no_library_is_imported_before_it_is_asked_for(self):
        code = f"import apbench, sys; apbench.read({str(RUN)!r}); print('pandas' in sys.modules, 'polars' in sys.modules)"
        printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        self.assertEqual(printed.strip(), "False False")


class Damaged(Folder):
    def test_damaged_tables_are_told_with_file_and_line(self):
        cases = [
            ("", None, "has no line of column names"),
            ("\n", None, "has no line of column names"),
            ("a,b\n1,2\n3\n", 3, "has 1 cells, but there are 2 columns"),
            ('a,b\n"1\n1",2\n3\n', 4, "has 1 cells, but there are 2 columns"),
            ('a,b\n1,2\n"3,4\n5,6\n', 3, "is not CSV: unexpected end of data"),
            ('a,b\n1,"2"3\n', 2, "is not CSV: ',' expected after '\"'"),
            (b"a,b\n1,\xff\n", 2, "is not UTF-8: invalid start byte"),
            ("a,b,a\n1,2,3\n", 1, "has two columns a"),
            ("point\n0\n1.5\n", 3, "has '1.5' as point, which is not a whole number"),
            ("point\n1234567890123456789\n", 2, "has '1234567890123456789' as point, which is not a whole number"),
            ("point\n1_000\n", 2, "has '1_000' as point, which is not a whole number"),
            ("time_us\nnan\n", 2, "has 'nan' as time_us, which is not a number"),
            ("scaled\nyes\n", 2, "has 'yes' as scaled, which is not true or false"),
        ]
        for content, line, reason in cases:
            with self.subTest(content), self.assertRaises(apbench.DamagedFile) as damaged:
                self.table(content)
            file = str(self.folder / "points.csv")
            self.assertEqual((damaged.exception.file, damaged.exception.line), (file, line))
            self.assertEqual(str(damaged.exception), f"{file}{'' if line is None else f':{line}'}: {reason}")
            self.assertIsInstance(damaged.exception, ValueError)

    def test_damaged_metadata_is_told_with_file_and_line(self):
        self.write("points.csv", "point\n0\n")
        cases = [
            ("{\n", ":2: is not JSON: Expecting property name enclosed in double quotes"),
            ("", ":1: is not JSON: Expecting value"),
            ("[1]", ": is not a JSON object"),
            ("null", ": is not a JSON object"),
            ("[" * 100_000, ": is not JSON: "),
            (b'{"a":\n"\xff"}', ":2: is not UTF-8: invalid start byte"),
        ]
        for content, words in cases:
            self.write("run.json", content)
            with self.subTest(content[:9]), self.assertRaises(apbench.DamagedFile) as damaged:
                apbench.read(self.folder)
            self.assertTrue(str(damaged.exception).startswith(f"{self.folder / 'run.json'}{words}"), damaged.exception)


class Frames(Folder):
    def frame(self, library, content=POINTS):
        try:
            __import__(library)
        except ImportError:
            self.skipTest(f"{library} is not installed")
        self.write("run.json", '{"scenario": "own"}')
        return getattr(self.table(content), f"to_{library}")()

    def test_frames_of_pandas_have_values_types_and_units(self):
        frame = self.frame("pandas")
        import pandas

        self.assertEqual(list(frame.columns), list(VALUES))
        for name, values in VALUES.items():
            there = [None if pandas.isna(value) else value for value in frame[name]]
            self.assertEqual(there, values, name)
        names = {int: "Int64", float: "float64", bool: "boolean", str: "string"}
        kinds = {name: str(kind) for name, kind in frame.dtypes.items()}
        self.assertEqual(kinds, {name: names[kind] for name, kind in KINDS.items()})
        units = {name: None for name in VALUES} | {"time_us": "µs", "power_w": "W", "clock_mhz": "MHz"}
        self.assertEqual(frame.attrs, {"units": units, "metadata": {"scenario": "own"}})

    def test_frames_of_polars_have_values_and_types(self):
        frame = self.frame("polars")
        self.assertEqual(frame.to_dict(as_series=False), VALUES)
        names = {int: "Int64", float: "Float64", bool: "Boolean", str: "String"}
        kinds = {name: str(kind) for name, kind in frame.schema.items()}
        self.assertEqual(kinds, {name: names[kind] for name, kind in KINDS.items()})

    def test_frames_of_no_rows_have_the_same_types(self):
        for library in ("pandas", "polars"):
            with self.subTest(library):
                empty, full = self.frame(library, POINTS.splitlines()[0]), self.frame(library)
                self.assertEqual(len(empty), 0)
                known = [name for name in VALUES if name not in ("tile", "own")]
                self.assertEqual(list(empty[known].dtypes), list(full[known].dtypes))


def reference_columns():
    """The columns of CSV files on the pages of the reference: name, and its unit or kind there."""
    heading = ""
    for line in (REFERENCE / "columns.md").read_text(encoding="utf-8").splitlines():
        heading = line if line.startswith("#") else heading
        row = re.match(r"\| `(\w+)` \| ([^|]+) \| ", line)
        if row and any(word in heading for word in ("csv", "Counters", "Energies", "Clocks that kernels read")):
            yield row[1], row[2]
    table = ""
    for line in (REFERENCE / "families.md").read_text(encoding="utf-8").splitlines():
        head = re.match(r"\| (\w+) \| ", line)
        table = head[1] if head else table
        row = re.match(r"\| `(\w+)` \| ([^|]*) \| ", line)
        if row and table == "predictor":
            yield row[1], "predictor"
        elif row and table == "parameter":
            whole = re.match("a whole number|a multiple", row[2])
            yield row[1], "count" if whole else "text"


class Columns(unittest.TestCase):
    #: Units of measured quantities; whatever else the reference calls a unit is a count, but for the kinds below.
    UNITS = ("µs", "mJ", "MHz", "%", "10^9 bytes/s", "10^9 operations/s", "W", "°C", "s")
    KINDS = {
        "text": str,
        "true or false": bool,
        "ratio": float,
        "probability": float,
        "lanes": float,
        "`unit`": float,
        "predictor": float,
        "of the counter": float,
        **dict.fromkeys(UNITS, float),
    }

    def test_every_column_of_the_reference_has_its_kind_and_unit(self):
        from apbench import _columns

        columns = [(name, unit) for name, unit in reference_columns() if name != "tile"]
        # A predictor that other families have as a parameter is as whole as theirs.
        parameters = {name for name, unit in columns if unit != "predictor"}
        columns = [(name, unit) for name, unit in columns if unit != "predictor" or name not in parameters]
        self.assertGreater(len(columns), 250)
        for name, unit in columns:
            self.assertIs(_columns.kind(name), self.KINDS.get(unit, int), f"{name} ({unit})")
            if unit in self.UNITS or unit == "bytes":
                self.assertEqual(_columns.unit(name), unit, name)
            elif unit not in ("predictor", "count", "of the counter"):
                self.assertIsNone(_columns.unit(name), name)

    def test_units_are_those_that_names_say(self):
        told = {
            "time_us": "µs",
            "time_us_low": "µs",
            "time_us_high": "µs",
            "energy_mj_low": "mJ",
            "building_s": "s",
            "sm_clock_mhz": "MHz",
            "power_w": "W",
            "temperature_c": "°C",
            "error_pct": "%",
            "bytes": "bytes",
            "word_bytes": "bytes",
            "global_bytes_moved": "bytes",
            "gb_per_s": "10^9 bytes/s",
            "gop_per_s": "10^9 operations/s",
            "branches": None,
            "ratio_low": None,
            "steps": None,
        }
        self.assertEqual(apbench.Table({name: [] for name in told}).units, told)

    def test_no_column_is_named_that_the_reference_does_not_have(self):
        from apbench import _columns

        there = {name for name, _ in reference_columns()}
        self.assertEqual(set(_columns._KINDS) - there, set())


if __name__ == "__main__":
    unittest.main()
