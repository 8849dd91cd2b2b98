#!/usr/bin/env python3
"""Says whether the machine code of the modules in cuda/ptx is that which nvcc's own header gives, kernel by kernel:

    tests/ptx/machine-code.py target/ptxas/13.0/ptxas [ARCHITECTURE]

ARCHITECTURE is sm_90 unless given. The assembler is one that tests/ptx/fetch-ptxas.sh fetches; readelf (binutils) must be there.
"""

import pathlib
import re
import subprocess
import sys
import tempfile


def kernels(assembler, architecture, text):
    """The bytes of each kernel's section in what a text assembles to."""
    with tempfile.TemporaryDirectory() as folder:
        ptx, cubin = pathlib.Path(folder, "kernels.ptx"), pathlib.Path(folder, "kernels.cubin")
        ptx.write_text(text)
        subprocess.run([assembler, "-arch", architecture, "-o", cubin, ptx], check=True)
        listing = subprocess.run(["readelf", "-SW", cubin], check=True, capture_output=True, text=True).stdout
        code = cubin.read_bytes()
    sections = re.findall(r"\] (\.text\.\S+)\s+PROGBITS\s+\S+ (\S+) (\S+)", listing)
    return {name: code[int(offset, 16) :][: int(size, 16)] for name, offset, size in sections}


assembler, architecture = sys.argv[1], (sys.argv[2:] or ["sm_90"])[0]
same = different = 0
for module in sorted(pathlib.Path(__file__).parents[2].glob("cuda/ptx/*.sm_70.ptx")):
    text = module.read_text()
    header = re.sub(r"^\.target .*", ".target sm_75", re.sub(r"^\.version .*", ".version 9.0", text, flags=re.M), flags=re.M)
    own, nvcc = kernels(assembler, architecture, text), kernels(assembler, architecture, header)
    for name in own:
        same, different = same + (own[name] == nvcc[name]), different + (own[name] != nvcc[name])
print(f"{same} kernels have the same machine code for {architecture}, {different} another")
sys.exit(different > 0 or same == 0)
