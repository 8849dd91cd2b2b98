"""The module against the program; no GPU is needed.

    python -m unittest discover --start-directory crates/apbench-python/tests
"""

import errno
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path
from unittest import mock

import apbench

SMALL = {"branches": [1, 2, 4, 8], "operation": "compute", "width": 64}


def swept(folder, out, device="mock", **options):
    return apbench.sweep("branching", device=device, out=Path(folder, out), set=SMALL, **options)


class Calling(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def inside(self):
        """Works in the folder until the test ends."""
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.folder)

    def test_a_sweep_gives_its_run(self):
        run = swept(self.folder, "run")
        self.assertEqual(run, Path(self.folder, "run"))
        table = apbench.read(run)
        self.assertEqual(table["branches"], SMALL["branches"])
        self.assertEqual(set(table["status"]), {"ok"})
        self.assertEqual(table["time_us"], [30.0, 50.0, 90.0, 170.0])

    def test_the_program_takes_every_option(self):
        run = swept(
            self.folder, "-run", part="0/2", sizes="gpu", sampling="cold", flush="memset", precision_pct=2.5, budget_s=1,
            rounds=7, seed=11, point_timeout=90, max_points=13,
        )  # fmt: skip
        table = apbench.read(run)
        measure = table.metadata["measure"]
        told = {"precision_pct": 2.5, "budget_s": 1.0, "seed": 11}
        self.assertEqual({name: measure[name] for name in told}, told)
        self.assertEqual(table.metadata["part"], {"index": 0, "of": 2})
        self.assertEqual(set(table["rounds"]), {7})
        self.assertEqual(swept(self.folder, "-run", part="0/2", sizes="gpu", sampling="cold", flush="memset", precision_pct=2.5,
                               budget_s=1, rounds=7, seed=11, point_timeout=90, max_points=13, resume=True), run)  # fmt: skip

    def test_ranges_are_the_program_s(self):
        for values, expected in (
            ({"from": 1, "to": 4, "times": 2}, [1, 2, 4]),
            ({"from": 2, "to": 8, "step": 3}, [2, 5, 8]),
            ("{ from = 1, to = 3, step = 1 }", [1, 2, 3]),
            ("4,2", [4, 2]),
        ):
            with self.subTest(values), tempfile.TemporaryDirectory() as folder:
                own = {**SMALL, "branches": values}
                run = apbench.sweep("branching", device="mock", out=Path(folder, "run"), set=own)
                self.assertEqual(apbench.read(run)["branches"], expected)

    def test_without_a_directory_the_run_is_below_results(self):
        self.inside()
        run = apbench.sweep("branching", device="mock", set=SMALL)
        self.assertEqual(run.parts[0], "results")
        self.assertEqual(len(apbench.read(run)), 4)

    def test_scenarios_and_runs_that_begin_with_a_dash_are_found(self):
        self.inside()
        scenario = subprocess.run([apbench.program(), "list", "--scenario", "branching"], check=True, capture_output=True).stdout
        Path("-mine.toml").write_bytes(scenario)
        run = apbench.sweep("-mine.toml", device="mock", out="-run", set=SMALL)
        self.assertEqual(run, Path("-run"))
        self.assertEqual(len(apbench.compare("-run", "-run", out="-compared")), 4)
        self.assertTrue(Path("-compared", "compare.csv").is_file())

    def test_what_the_program_refuses_is_an_exception_with_its_words(self):
        with self.assertRaises(apbench.ProgramError) as refused:
            apbench.sweep("branching", device="mock", set={"branchs": 1}, out=Path(self.folder, "run"))
        self.assertEqual(refused.exception.status, 2)
        self.assertIn("branches", refused.exception.words)
        self.assertIn("exit status 2", str(refused.exception))

    def test_failed_points_are_told_with_their_reasons_and_leave_their_run(self):
        with self.assertRaises(apbench.PointsFailed) as failed:
            swept(self.folder, "run", device="mock:wrong=1")
        error = failed.exception
        self.assertEqual((error.status, error.run), (4, Path(self.folder, "run")))
        self.assertEqual(apbench.read(error.run)["status"], ["ok", "wrong", "ok", "ok"])
        (point,) = error.points
        self.assertEqual((point["point"], point["branches"], point["status"]), (1, 2, "wrong"))
        self.assertIn("output has 1 wrong of 4096 elements", point["reason"])
        self.assertIn(f"\n  point 1 wrong: {point['reason']}\nthe run is {error.run}", str(error))

    def test_comparisons_are_tables_and_gates(self):
        before, after = swept(self.folder, "before"), swept(self.folder, "after", device="mock:slope_us=40,outside_us=20")
        table = apbench.compare(before, after)
        self.assertEqual(len(table), 4)
        self.assertEqual(set(table["verdict"]), {"SLOWER"})
        self.assertEqual((table["base_us"], table["other_us"]), ([30.0, 50.0, 90.0, 170.0], [60.0, 100.0, 180.0, 340.0]))
        self.assertEqual((table.kinds["ratio"], table.kinds["why"], table.kinds["rounds_needed"]), (float, str, int))
        self.assertEqual(len(apbench.compare(before, before, fail_on="slower")), 4)
        with self.assertRaises(apbench.GateCrossed) as crossed:
            apbench.compare(before, after, fail_on="slower:5%")
        self.assertEqual(crossed.exception.status, 5)
        self.assertIn("verdict", crossed.exception.output)

    def test_parameters_can_be_ignored(self):
        small = swept(self.folder, "small")
        large = apbench.sweep("branching", device="mock", out=Path(self.folder, "large"), set={**SMALL, "width": 96})
        self.assertEqual(set(apbench.compare(small, large)["standing"]), {"ADDED", "REMOVED"})
        for ignore in ("width", ["width"], "width,work"):
            self.assertEqual(set(apbench.compare(small, large, ignore=ignore)["standing"]), {"COMPARED"})

    def test_the_program_can_be_named(self):
        with mock.patch.dict(os.environ, {"APBENCH_PROGRAM": "/nowhere/apbench"}):
            with self.assertRaisesRegex(apbench.ProgramNotFound, "/nowhere/apbench, which is not a program"):
                apbench.program()

    def test_a_program_that_cannot_be_started_is_named(self):
        for content in (b"", b"no program", b"\x7fELF\x02\x01\x01" + bytes(57)):
            named = Path(self.folder, "apbench")
            named.write_bytes(content)
            named.chmod(0o755)
            with self.subTest(content), mock.patch.dict(os.environ, {"APBENCH_PROGRAM": str(named)}):
                expected = f"{named} cannot be started: {os.strerror(errno.ENOEXEC)}"
                with self.assertRaises(apbench.ProgramNotFound) as refused:
                    apbench.sweep("branching")
                self.assertEqual(str(refused.exception), expected)
                ended = subprocess.run([sys.executable, "-m", "apbench"], capture_output=True, text=True)
                self.assertEqual((ended.returncode, ended.stderr.strip()), (1, expected))

    def test_module_and_program_have_one_version(self):
        told = subprocess.run([apbench.program(), "--version"], check=True, capture_output=True, text=True).stdout
        self.assertIn(apbench.__version__, (told.split()[1], "unknown"))


if __name__ == "__main__":
    unittest.main()
