"""What the functions tell the program, exactly, and what they make of its answers; a stand-in records it."""

import contextlib
import inspect
import io
import os
import re
import signal
import subprocess
import sys
import time
import unittest
from fractions import Fraction
from pathlib import Path

import apbench
from stand_in import StandIn

PACKAGE = Path(apbench.__file__).resolve().parent.parent
PAGE = Path(__file__).resolve().parents[3] / "docs/src/how-to/python.md"

#: Each option of a sweep, and what the program gets for it.
SWEEP_OPTIONS = [
    ({"device": "cuda:1"}, "--device=cuda:1"),
    ({"out": "my-run"}, "--out=my-run"),
    ({"out": Path("my-run")}, "--out=my-run"),
    ({"out": "-run"}, "--out=-run"),
    ({"resume": True}, "--resume"),
    ({"part": "0/4"}, "--part=0/4"),
    ({"sizes": "simulated"}, "--sizes=simulated"),
    ({"variants": "divergent"}, "--variant=divergent"),
    ({"variants": ["divergent"]}, "--variant=divergent"),
    ({"sampling": "both"}, "--sampling=both"),
    ({"flush": "memset"}, "--flush=memset"),
    ({"precision_pct": 0.5}, "--precision=0.5"),
    ({"budget_s": 3}, "--budget=3"),
    ({"rounds": 7}, "--rounds=7"),
    ({"seed": 11}, "--seed=11"),
    ({"point_timeout": "10m"}, "--point-timeout=10m"),
    ({"point_timeout": 90}, "--point-timeout=90"),
    ({"max_points": 13}, "--max-points=13"),
]

#: Values of a parameter, and what the program gets for them.
VALUES = [
    (4, "4"),
    (-4, "-4"),
    (2.5, "2.5"),
    (Fraction(1, 4), "0.25"),
    ("compute", "compute"),
    ("1,2", "1,2"),
    ([1, 2.5, "x"], "1,2.5,x"),
    ((8,), "8"),
    (range(1, 4), "1,2,3"),
    ([], ""),
    ({"from": 1, "to": 4, "times": 2}, "{ from = 1, to = 4, times = 2 }"),
    ({"step": 3, "to": 8, "from": 2}, "{ from = 2, to = 8, step = 3 }"),
]

#: Arguments of a sweep that it refuses, and the words that name them.
REFUSED = [
    ({"set": "branches=1"}, TypeError, r'^set takes a dictionary, such as .*, not str \'branches=1\'$'),
    ({"set": {1: 2}}, TypeError, r"^set takes a text, not int 1$"),
    ({"set": {"x": True}}, TypeError, r"^set\['x'\] takes numbers and texts, a list of them, or a range, not bool True$"),
    ({"set": {"x": None}}, TypeError, r"^set\['x'\] takes .* not NoneType None$"),
    ({"set": {"x": b"1"}}, TypeError, r"^set\['x'\] takes .* not bytes b'1'$"),
    ({"set": {"x": [1, [2]]}}, TypeError, r"^set\['x'\] takes .* not list \[2\]$"),
    ({"set": {"x": {"from": 1, "to": 4}}}, TypeError, r"^set\['x'\] takes a range of \"from\", \"to\", and"),
    ({"set": {"x": {"from": 1, "to": 4, "times": 2.0}}}, TypeError, r"^set\['x'\]\['times'\] takes a whole number, not"),
    ({"device": ["cuda:0", "cuda:1"]}, TypeError, r"^device takes one device, such as cuda:0, not list"),
    ({"device": "all"}, ValueError, "cuda:0"),
    ({"out": 1}, TypeError, r"^out takes one path, not int 1$"),
    ({"out": "line\nrun:  x"}, ValueError, r"^out: a path with a line break is refused"),
    ({"out": "a\0b"}, ValueError, r"^out: a null character is refused: 'a\\x00b'$"),
    ({"device": "a\0b"}, ValueError, r"^device: a null character is refused"),
    ({"set": {"x": "a\0b"}}, ValueError, r"^set\['x'\]: a null character is refused"),
    ({"point_timeout": "a\0b"}, ValueError, r"^point_timeout: a null character is refused"),
    ({"rounds": "7"}, TypeError, r"^rounds takes a whole number, not str '7'$"),
    ({"rounds": True}, TypeError, r"^rounds takes a whole number, not bool True$"),
    ({"seed": 1.5}, TypeError, r"^seed takes a whole number"),
    ({"max_points": 1.5}, TypeError, r"^max_points takes a whole number"),
    ({"precision_pct": "1"}, TypeError, r"^precision_pct takes a number, not str '1'$"),
    ({"budget_s": False}, TypeError, r"^budget_s takes a number, not bool False$"),
    ({"point_timeout": 1.5}, TypeError, r"^point_timeout takes a whole number"),
    ({"part": 1}, TypeError, r"^part takes a text, not int 1$"),
    ({"sizes": 1}, TypeError, r"^sizes takes a text"),
    ({"variants": 1}, TypeError, r"^variants takes a name or a list of names"),
    ({"sampling": 1}, TypeError, r"^sampling takes a text"),
    ({"flush": 1}, TypeError, r"^flush takes a text"),
]


class Sweeps(unittest.TestCase):
    def test_a_scenario_alone_gets_a_device(self):
        stand_in = StandIn(self)
        self.assertEqual(apbench.sweep("branching"), Path("swept"))
        self.assertEqual(stand_in.arguments(), ["sweep", "--device=auto", "--", "branching"])

    def test_each_option_is_the_program_s(self):
        for options, written in SWEEP_OPTIONS:
            with self.subTest(options):
                stand_in = StandIn(self)
                apbench.sweep("branching", **options)
                device = [] if "device" in options else ["--device=auto"]
                self.assertEqual(stand_in.arguments(), ["sweep", *device, written, "--", "branching"])

    def test_every_option_is_tested_and_on_the_page(self):
        names = {name for name, one in inspect.signature(apbench.sweep).parameters.items() if one.kind == one.KEYWORD_ONLY}
        tested = {name for options, _ in SWEEP_OPTIONS for name in options}
        self.assertEqual(names - tested, {"set", "show"})
        lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
        section = PAGE.read_text(encoding="utf-8").partition("## Options of `sweep`")[2].partition("\n## ")[0]
        listed = {name for line in section.splitlines() if line in lines for name in re.findall(r"`(\w+)`", line.split("|")[1])}
        self.assertEqual(listed, names)

    def test_values_of_parameters_are_those_of_the_program(self):
        for values, written in VALUES:
            with self.subTest(values):
                stand_in = StandIn(self)
                apbench.sweep("branching", set={"work": 1, "branches": values})
                self.assertEqual(
                    stand_in.arguments(),
                    ["sweep", "--device=auto", "--set=work=1", f"--set=branches={written}", "--", "branching"],
                )

    def test_numbers_of_numpy_are_numbers(self):
        try:
            import numpy
        except ImportError:
            self.skipTest("numpy is not installed")
        stand_in = StandIn(self)
        apbench.sweep("branching", set={"branches": numpy.arange(1, 4)}, rounds=numpy.int64(7), budget_s=numpy.float64(0.5))
        self.assertEqual(
            stand_in.arguments(),
            ["sweep", "--device=auto", "--set=branches=1,2,3", "--budget=0.5", "--rounds=7", "--", "branching"],
        )

    def test_other_arguments_are_refused_by_name_before_the_program_is_called(self):
        stand_in = StandIn(self)
        for options, kind, words in REFUSED:
            with self.subTest(options), self.assertRaisesRegex(kind, words):
                apbench.sweep("branching", **options)
        with self.assertRaisesRegex(TypeError, "^scenario takes one scenario, a file or a name, not list"):
            apbench.sweep(["branching", "atomics"])
        self.assertFalse(stand_in.was_called())

    def test_scenarios_that_begin_with_a_dash_are_scenarios(self):
        stand_in = StandIn(self)
        apbench.sweep(Path("-mine.toml"))
        self.assertEqual(stand_in.arguments(), ["sweep", "--device=auto", "--", "-mine.toml"])

    def test_the_run_is_that_of_out_or_of_the_last_line(self):
        StandIn(self, "print('t: a\\nrun: not\\nrun:   results/a: b')")
        self.assertEqual(apbench.sweep("branching"), Path("results/a: b"))
        self.assertEqual(apbench.sweep("branching", out="mine"), Path("mine"))
        StandIn(self, "print('nothing of a directory')")
        with self.assertRaisesRegex(apbench.ProgramError, "did not print the run's directory") as error:
            apbench.sweep("branching")
        self.assertEqual((error.exception.status, error.exception.output), (0, "nothing of a directory\n"))

    def test_progress_is_shown_only_if_it_is_asked_for(self):
        for show, shown in ((True, "1 of 2\n2 of 2\n"), (False, "")):
            with self.subTest(show):
                StandIn(self, "print('1 of 2\\n2 of 2', file=sys.stderr); print('run:  swept')")
                with contextlib.redirect_stderr(io.StringIO()) as said:
                    apbench.sweep("branching", show=show)
                self.assertEqual(said.getvalue(), shown)

    def test_failed_points_without_a_readable_run_are_those_that_were_printed(self):
        points = "".join(f"  point {point} wrong: odd\\n" for point in range(12))
        StandIn(self, f"print('12 of 12 points: 12 wrong\\n{points}run:   nowhere'); sys.exit(4)")
        with self.assertRaises(apbench.PointsFailed) as failed:
            apbench.sweep("branching")
        words = str(failed.exception)
        self.assertIn("  point 0 wrong: odd\n", words)
        self.assertIn("  point 9 wrong: odd\n  and 2 more\nthe run is nowhere", words)
        self.assertNotIn("point 10", words)
        self.assertEqual((failed.exception.run, list(failed.exception.points)), (Path("nowhere"), []))

    def test_the_end_by_a_signal_is_a_negative_status(self):
        StandIn(self, "import os, signal; os.kill(os.getpid(), signal.SIGKILL)")
        with self.assertRaises(apbench.ProgramError) as error:
            apbench.sweep("branching")
        self.assertEqual(error.exception.status, -signal.SIGKILL)

    def test_an_interrupt_ends_the_program_too(self):
        stand_in = StandIn(
            self,
            """
import pathlib, signal, time
folder = pathlib.Path(__file__).parent
def end(number, frame):
    folder.joinpath("ended").write_text(signal.Signals(number).name)
    sys.exit(0)
signal.signal(signal.SIGTERM, end)
folder.joinpath("began").touch()
time.sleep(60)
""",
        )
        code = "import apbench\ntry: apbench.sweep('branching')\nexcept KeyboardInterrupt: print('interrupted')"
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        caller = subprocess.Popen([sys.executable, "-c", code], env=environment, stdout=subprocess.PIPE, text=True)
        self.addCleanup(caller.kill)
        end_s = time.monotonic() + 30
        while not (stand_in.folder / "began").exists() and time.monotonic() < end_s:
            time.sleep(0.01)
        caller.send_signal(signal.SIGINT)
        self.assertEqual(caller.communicate(timeout=30)[0], "interrupted\n")
        self.assertEqual((stand_in.folder / "ended").read_text(), "SIGTERM")


class Comparisons(unittest.TestCase):
    CSV = "print('run,time_us,verdict\\nafter,3,SAME')"

    def test_each_option_is_the_program_s(self):
        cases = [
            ({}, []),
            ({"ignore": "width"}, ["--ignore=width"]),
            ({"ignore": ["width", "work"]}, ["--ignore=width", "--ignore=work"]),
            ({"ignore": ("width",)}, ["--ignore=width"]),
            ({"fail_on": "slower:5%,missing"}, ["--fail-on=slower:5%,missing"]),
            ({"out": Path("-there")}, ["--out=-there"]),
        ]
        for options, written in cases:
            with self.subTest(options):
                stand_in = StandIn(self, self.CSV)
                table = apbench.compare("before", Path("after"), "-later", **options)
                self.assertEqual(stand_in.arguments(), ["compare", "--csv", *written, "--", "before", "after", "-later"])
                self.assertEqual(table.columns, {"run": ["after"], "time_us": [3.0], "verdict": ["SAME"]})

    def test_other_arguments_are_refused_by_name(self):
        stand_in = StandIn(self, self.CSV)
        cases = [
            ({"ignore": 1}, TypeError, r"^ignore takes a name or a list of names, not int 1$"),
            ({"ignore": {"width": 1}}, TypeError, r"^ignore takes a name or a list of names, not dict"),
            ({"ignore": [1]}, TypeError, r"^ignore takes a text, not int 1$"),
            ({"fail_on": 5}, TypeError, r"^fail_on takes a text, not int 5$"),
            ({"out": 5}, TypeError, r"^out takes one path, not int 5$"),
        ]
        for options, kind, words in cases:
            with self.subTest(options), self.assertRaisesRegex(kind, words):
                apbench.compare("before", "after", **options)
        with self.assertRaisesRegex(TypeError, r"^runs takes one path, not list"):
            apbench.compare("before", ["after"])
        with self.assertRaisesRegex(ValueError, "at least one run"):
            apbench.compare("before")
        self.assertFalse(stand_in.was_called())

    def test_what_is_no_csv_is_told(self):
        StandIn(self, "print('run,run\\n1,2')")
        with self.assertRaisesRegex(apbench.DamagedFile, "^what apbench compare --csv printed:1: has two columns run$"):
            apbench.compare("before", "after")


class Programs(unittest.TestCase):
    def test_the_module_is_the_program(self):
        stand_in = StandIn(self, "print('listed'); sys.exit(3)")
        environment = {**os.environ, "PYTHONPATH": str(PACKAGE)}
        command = [sys.executable, "-m", "apbench", "list", "--json", "-x"]
        ended = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stdout, ended.stderr), (3, "listed\n", ""))
        self.assertEqual(stand_in.arguments(), ["list", "--json", "-x"])
        stand_in.program.unlink()
        ended = subprocess.run(command, env=environment, capture_output=True, text=True)
        self.assertEqual(ended.returncode, 1)
        self.assertRegex(ended.stderr, r"^APBENCH_PROGRAM is .*, which is not a program\n$")


if __name__ == "__main__":
    unittest.main()
