"""``python -m apbench`` is the program."""

import os
import sys

from ._program import ProgramNotFound, not_started, program


def main() -> None:
    """Becomes the program, with the same arguments."""
    try:
        path = str(program())
    except ProgramNotFound as error:
        sys.exit(str(error))
    try:
        os.execv(path, [path, *sys.argv[1:]])
    except OSError as error:
        sys.exit(str(not_started(path, error)))


if __name__ == "__main__":
    main()
