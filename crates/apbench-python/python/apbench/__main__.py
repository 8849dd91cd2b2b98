"""``python -m apbench`` is the program."""

import os
import sys

from ._program import ProgramNotFound, program


def main() -> None:
    """Becomes the program, with the same arguments."""
    try:
        path = str(program())
    except ProgramNotFound as error:
        sys.exit(str(error))
    os.execv(path, [path, *sys.argv[1:]])


if __name__ == "__main__":
    main()
