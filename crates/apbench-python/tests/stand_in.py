"""A program that stands in for apbench: it records how it was called, and does what a test tells it."""

import json
import os
import sys
import tempfile
from pathlib import Path
from unittest import mock

PROGRAM = """#!{python}
import json, sys
with open({record!r}, "w") as record:
    json.dump(sys.argv[1:], record)
{body}
"""


class StandIn:
    """Stands in for the program until the test ends. ``body`` is what it does, as Python."""

    def __init__(self, test, body="print('run:   swept')"):
        folder = tempfile.TemporaryDirectory()
        test.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.program = self.folder / "stand-in"
        self.record = self.folder / "arguments.json"
        self.program.write_text(PROGRAM.format(python=sys.executable, record=str(self.record), body=body))
        self.program.chmod(0o755)
        patch = mock.patch.dict(os.environ, {"APBENCH_PROGRAM": str(self.program)})
        patch.start()
        test.addCleanup(patch.stop)

    def was_called(self):
        """Whether it was called at all."""
        return self.record.exists()

    def arguments(self):
        """What it was called with."""
        return json.loads(self.record.read_text())
