#!/usr/bin/env python3
"""Whether ptxas leaves out loads that the PTX of a kernel has, since nobody uses their values: what is then measured is another kernel.

    tests/ptx/loads-left-out.py [FILE.ptx ...]

Names each kernel with fewer loads of global memory in its machine code (compute capability 9.0) than in its PTX; of all modules in cuda/ptx, if none is
named. Needs ptxas and cuobjdump on the PATH. Ends with status 1 if there is such a kernel.
"""

import pathlib
import re
import subprocess
import sys
import tempfile

LOAD_OF_PTX = re.compile(r"^\s*(?:@!?%\w+ )?ld\.(?:\w+\.)*global", re.MULTILINE)
LOAD_OF_MACHINE_CODE = re.compile(r"\b(?:LDG\.|LDGSTS|LD\.E)")
KERNEL = re.compile(r"\.entry (\w+)\(.*?\n\{(.*?)\n\}", re.DOTALL)


def loads_in_machine_code(path: pathlib.Path) -> dict[str, int]:
    with tempfile.TemporaryDirectory() as folder:
        cubin = pathlib.Path(folder) / "kernels.cubin"
        subprocess.run(["ptxas", "-arch=sm_90", "-o", cubin, path], check=True)
        told = subprocess.run(["cuobjdump", "--dump-sass", cubin], check=True, capture_output=True, text=True).stdout
    functions = told.split("Function : ")[1:]
    return {own.split()[0]: len(LOAD_OF_MACHINE_CODE.findall(own)) for own in functions}


def main() -> int:
    root = pathlib.Path(__file__).resolve().parents[2]
    paths = [pathlib.Path(name) for name in sys.argv[1:]] or sorted((root / "cuda/ptx").glob("*.ptx"))
    found = checked = 0
    for path in paths:
        kernels = {name: len(LOAD_OF_PTX.findall(body)) for name, body in KERNEL.findall(path.read_text())}
        machine_code = loads_in_machine_code(path)
        for name, loads in kernels.items():
            checked += 1
            left = machine_code.get(name, 0)
            if left < loads:
                print(f"{path}: {name}: {loads} loads of global memory in the PTX, {left} in the machine code")
                found += 1
    print(f"{checked} kernels, {found} with fewer loads in their machine code")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
