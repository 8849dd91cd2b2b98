"""The module against the program that is installed beside it; no GPU is needed.

    python -m unittest discover crates/apbench-python/tests
"""

import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import apbench

ROOT = Path(__file__).resolve().parents[3]
RUN = ROOT / "results/simulated-h200/branching"
SMALL = {"branches": [1, 2, 4, 8], "operation": "compute", "width": 64}


def swept(folder, out, device="mock", **options):
    return apbench.sweep("branching", device=device, out=Path(folder, out), set=SMALL, **options)


class Reading(unittest.TestCase):
    def test_points_are_columns_of_numbers_and_texts(self):
        table = apbench.read(RUN)
        self.assertEqual(len(table), 64)
        self.assertEqual(table["branches"][:3], [1, 2, 3])
        self.assertEqual(table["time_us"][0], 270.32)
        self.assertEqual(table["variant"][0], "divergent")
        self.assertIsNone(table["time_us_low"][0])
        self.assertEqual(table.metadata["scenario"], "branching")

    def test_units_are_those_that_names_say(self):
        units = apbench.read(RUN).units
        told = {name: units[name] for name in ("time_us", "time_us_high", "clock_mhz", "bytes", "gb_per_s", "branches")}
        self.assertEqual(
            told,
            {
                "time_us": "µs",
                "time_us_high": "µs",
                "clock_mhz": "MHz",
                "bytes": "bytes",
                "gb_per_s": "10^9 bytes/s",
                "branches": None,
            },
        )

    def test_rows_are_dictionaries(self):
        row = next(apbench.read(RUN, "fits").rows())
        self.assertEqual((row["parameter"], row["unit"]), ("t_outside", "us"))

    def test_what_is_missing_is_named_with_what_is_there(self):
        with self.assertRaisesRegex(FileNotFoundError, "no run directory|not a run directory"):
            apbench.read(ROOT / "scenarios")
        with self.assertRaisesRegex(FileNotFoundError, "samples.csv: is not there; this run has: fits, points"):
            apbench.read(RUN, "samples")
        with self.assertRaisesRegex(KeyError, "there is no column time; the columns are: point, variant"):
            apbench.read(RUN)["time"]

    def test_damaged_files_are_told_with_their_line(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "run.json").write_text("{}")
            Path(folder, "points.csv").write_text("a,b\n1,2\n3\n")
            with self.assertRaisesRegex(ValueError, r"points.csv:3: has 1 cells, but there are 2 columns"):
                apbench.read(folder)
            Path(folder, "run.json").write_text("{")
            with self.assertRaisesRegex(ValueError, r"run.json: is not JSON"):
                apbench.read(folder)

    def test_no_library_is_imported_before_it_is_asked_for(self):
        code = f"import apbench, sys; apbench.read({str(RUN)!r}); print('pandas' in sys.modules, 'polars' in sys.modules)"
        printed = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True).stdout
        self.assertEqual(printed.strip(), "False False")

    def test_frames_of_pandas_and_polars_have_all_columns(self):
        table = apbench.read(RUN)
        for library in ("pandas", "polars"):
            with self.subTest(library):
                try:
                    __import__(library)
                except ImportError:
                    self.skipTest(f"{library} is not installed")
                frame = getattr(table, f"to_{library}")()
                self.assertEqual((len(frame), list(frame.columns)), (64, list(table.columns)))
                self.assertAlmostEqual(frame["time_us"].min(), 80, delta=200)


class Calling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def test_a_sweep_gives_its_run(self):
        run = swept(self.folder, "run")
        self.assertEqual(run, Path(self.folder, "run"))
        table = apbench.read(run)
        self.assertEqual(table["branches"], SMALL["branches"])
        self.assertEqual(set(table["status"]), {"ok"})

    def test_without_a_directory_the_run_is_below_results(self):
        before = os.getcwd()
        os.chdir(self.folder)
        self.addCleanup(os.chdir, before)
        run = apbench.sweep("branching", device="mock", set=SMALL)
        self.assertEqual(run.parts[0], "results")
        self.assertEqual(len(apbench.read(run)), 4)

    def test_what_the_program_refuses_is_an_exception_with_its_words(self):
        with self.assertRaises(apbench.ProgramError) as refused:
            apbench.sweep("branching", device="mock", set={"branchs": 1}, out=Path(self.folder, "run"))
        self.assertEqual(refused.exception.status, 2)
        self.assertIn("branches", refused.exception.words)
        self.assertIn("exit status 2", str(refused.exception))
        with self.assertRaisesRegex(ValueError, "cuda:0"):
            apbench.sweep("branching", device="all")

    def test_failed_points_leave_their_run(self):
        with self.assertRaises(apbench.PointsFailed) as failed:
            swept(self.folder, "run", device="mock:wrong=1")
        self.assertEqual(failed.exception.status, 4)
        self.assertIn("wrong", apbench.read(failed.exception.run)["status"])

    def test_comparisons_are_tables_and_gates(self):
        before, after = swept(self.folder, "before"), swept(self.folder, "after", device="mock:slope_us=40,outside_us=20")
        table = apbench.compare(before, after)
        self.assertEqual(len(table), 4)
        self.assertEqual(set(table["verdict"]), {"SLOWER"})
        self.assertEqual(len(apbench.compare(before, before, fail_on="slower")), 4)
        with self.assertRaises(apbench.GateCrossed) as crossed:
            apbench.compare(before, after, fail_on="slower:5%")
        self.assertEqual(crossed.exception.status, 5)
        self.assertIn("verdict", crossed.exception.output)
        with self.assertRaisesRegex(ValueError, "at least one run"):
            apbench.compare(before)

    def test_the_program_can_be_named(self):
        with mock.patch.dict(os.environ, {"APBENCH_PROGRAM": "/nowhere/apbench"}):
            with self.assertRaisesRegex(apbench.ProgramNotFound, "/nowhere/apbench, which is not a program"):
                apbench.program()


if __name__ == "__main__":
    unittest.main()
