"""The table and its groups. Run it without a GPU: python3 -m unittest discover -s tests/gpu/cub -p '*_test.py'"""

import json
import tempfile
import unittest
from pathlib import Path

from compare import groups, row_of
from contests import CONTESTS


class Table(unittest.TestCase):
    def test_a_ratio_is_above_1_where_the_kernels_are_faster(self):
        description = {"family": "transpose", "bytes": 8_000_000, "parameters": {"width": 1000}}
        samples = {"shared": [2.0] * 20, "copy": [3.0] * 20}
        means = {name: own[::2] for name, own in samples.items()}
        row = row_of(description, CONTESTS["transpose"], samples, means, "shared", "copy", "a GPU")
        self.assertEqual((row["ratio"], row["apbench_us"], row["against_us"], row["rounds"]), (1.5, 2.0, 3.0, 10))
        self.assertEqual((row["size"], row["apbench_gb_per_s"]), (1000, 4000.0))


class Groups(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.exports = Path(self.folder.name)

    def point(self, export, number, **description):
        folder = self.exports / export / f"point-{number}"
        folder.mkdir(parents=True)
        (folder / "launch.json").write_text(json.dumps(description))
        return folder

    def test_points_are_together_by_family_input_and_size(self):
        scan = {"family": "prefix_sum", "parameters": {"elements": 8}}
        histogram = {"family": "histogram", "parameters": {"elements": 8, "input": "uniform"}}
        points = [self.point("scans", 0, **scan), self.point("scans", 1, **scan), self.point("histograms", 0, **histogram)]
        self.assertEqual(
            groups(self.exports), {("prefix_sum", (), 8): points[:2], ("histogram", ("uniform",), 8): points[2:]}
        )

    def test_nothing_to_compare_is_an_error(self):
        with self.assertRaisesRegex(SystemExit, "nothing to compare"):
            groups(self.exports)
        self.point("pages", 0, family="page_copies", parameters={})
        with self.assertRaisesRegex(SystemExit, "the family page_copies"):
            groups(self.exports)


if __name__ == "__main__":
    unittest.main()
