#!/usr/bin/env python3
"""Says whether the machine code of the modules in cuda/ptx is that which nvcc's own header gives, kernel by kernel:

    tests/ptx/machine-code.py target/ptxas/13.0/ptxas [ARCHITECTURE]

ARCHITECTURE is sm_90 unless given. The assembler is one that tests/ptx/fetch-ptxas.sh fetches; readelf (binutils) must be there.
"""

import pathlib
import re
import sys

from assembled import kernels

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
