"""What is told of targets. Run it without a GPU: python3 -m unittest discover -s tests/gpu/cub -p '*_test.py'"""

import unittest

from contests import CONTESTS, nearly_same_sum, same_words, transposed, verdicts


def row(family, variant, against, size, ratio, kind="", half=0.01):
    """A row of the table, with an interval of so much on either side."""
    interval = {"ratio": ratio, "ratio_low": ratio - half, "ratio_high": ratio + half}
    return {"family": family, "variant": variant, "against": against, "input": kind, "size": size, **interval}


class Verdicts(unittest.TestCase):
    def missed(self, *rows):
        return [is_missed for _, is_missed in verdicts(rows)]

    def test_the_median_decides_whatever_the_interval_has_in_it(self):
        reached, near, missed = (row("transpose", "shared", "copy", 4096, ratio) for ratio in [0.995, 0.975, 0.95])
        self.assertEqual((self.missed(reached), self.missed(near), self.missed(missed)), ([False], [True], [True]))
        words = [next(verdicts([own]))[0] for own in (reached, near, missed)]
        self.assertEqual([own.split(": ")[2].split(",")[0] for own in words], ["reached", "MISSED", "MISSED"])
        self.assertEqual([own.endswith("with the target in the interval") for own in words], [False, True, False])

    def test_a_target_itself_is_reached(self):
        self.assertEqual(self.missed(row("transpose", "shared", "copy", 4096, 0.98)), [False])

    def test_the_best_variant_counts_and_the_limit_does_not(self):
        slow, fast = (row("transpose", name, "copy", 4096, ratio) for name, ratio in [("shared", 0.5), ("whole", 1.0)])
        self.assertEqual(self.missed(slow, fast), [False])
        limit = row("transpose", "copy", "cudaMemcpyAsync", 4096, 1.0)
        self.assertEqual(self.missed(limit), [])
        self.assertEqual(self.missed(limit, row("transpose", "shared", "cudaMemcpyAsync", 4096, 0.5)), [True])

    def test_sizes_and_inputs_are_told_apart(self):
        against = "DeviceHistogram::HistogramEven"
        rows = [row("histogram", "warp", against, size, ratio, kind)
                for size, ratio, kind in [(1, 0.9, "uniform"), (1, 1.1, "one_value"), (2, 1.1, "uniform")]]
        self.assertEqual(self.missed(*rows), [True, False, False])
        self.assertEqual(len({words for words, _ in verdicts(rows)}), 3)

    def test_a_target_counts_from_its_least_size_on(self):
        scans = [row("prefix_sum", "single", "cudaMemcpyAsync", size, 0.5) for size in [1 << 26, 1 << 28]]
        self.assertEqual((self.missed(scans[0]), self.missed(scans[1])), ([], [True]))

    def test_targets_are_those_of_the_page(self):
        told = {(name, own.against): (own.ratio, own.least_size) for name, contest in CONTESTS.items() for own in contest.targets}
        self.assertEqual(told[("prefix_sum", "DeviceScan::ExclusiveSum")], (1.2, 1 << 24))
        self.assertEqual(told[("prefix_sum", "cudaMemcpyAsync")], (0.9, 1 << 28))
        self.assertEqual(told[("transpose", "copy")], (0.98, 2048))
        self.assertEqual(told[("transpose", "cudaMemcpyAsync")], (0.98, 2048))
        self.assertEqual({told[key] for key in told if key[0] in ("reduction", "histogram")}, {(1.0, 0)})


class StandIn:
    """A library whose sums are told: the exact one, the kernels', CUB's."""

    def __init__(self, exact, own, theirs):
        self.found = {"sum_in_double": exact, "own": own, "theirs": theirs}

    def call(self, name, *arguments):
        value = self.found[name if name == "sum_in_double" else arguments[0]]
        arguments[-1]._obj.value = value


class Opponent:
    result = "theirs"


class Words(unittest.TestCase):
    """Results that must be the same word by word: `count` tells how many differ."""

    def check(self, check, differing, **description):
        class Library:
            def count(self, name, *arguments):
                self.name = name
                return differing

        library = Library()
        copy, cub = type("Copy", (), {"function": "copy"}), type("Cub", (), {"function": "cub", "result": "theirs"})
        is_right, _ = check(library, description, "source", "own", {"copy": copy, "CUB": cub})
        return is_right, library.name

    def test_one_word_that_differs_is_wrong(self):
        scan = {"parameters": {"elements": 8}}
        self.assertEqual([self.check(same_words, differing, **scan)[0] for differing in [0, 1]], [True, False])
        matrix = {"variant": "shared", "parameters": {"width": 8}}
        self.assertEqual([self.check(transposed, differing, **matrix)[0] for differing in [0, 1]], [True, False])

    def test_a_copy_is_not_transposed(self):
        names = [self.check(transposed, 0, variant=variant, parameters={"width": 8})[1] for variant in ["copy", "shared"]]
        self.assertEqual(names, ["differing", "differing_from_transposed"])


class Sums(unittest.TestCase):
    def is_right(self, elements, own, theirs):
        library = StandIn(elements / 2, own, theirs)
        return nearly_same_sum(library, {"parameters": {"elements": elements}}, "source", "own", {"CUB": Opponent})[0]

    def test_a_sum_may_be_rounded_and_may_not_lose_a_tile(self):
        for elements in [1000, 100_000_000, 500_000_000, 1 << 30]:
            exact = elements / 2
            self.assertTrue(self.is_right(elements, exact * (1 + 2**-23), exact * (1 - 2**-23)))
            # The tile that is not full has 256 floats at the second of these sizes, and 1280 at the third; others have 8192.
            lost = {1000: 1, 100_000_000: 256, 500_000_000: 1280}.get(elements, 8192) / 2
            self.assertFalse(self.is_right(elements, exact - lost, exact))
            self.assertFalse(self.is_right(elements, exact, exact - lost))


if __name__ == "__main__":
    unittest.main()
