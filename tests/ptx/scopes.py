#!/usr/bin/env python3
"""Says of which other scopes the machine code of kernels in the scope of a cluster is, in cuda/ptx:

    tests/ptx/scopes.py target/ptxas/13.0/ptxas [ARCHITECTURE...]

ARCHITECTURE is sm_90 unless given. The assembler is one that tests/ptx/fetch-ptxas.sh fetches; readelf (binutils) must be there.
It fails unless all of them are as in the scope of the device, which a simulated GPU takes them for.
"""

import pathlib
import sys

from assembled import kernels

# How a family names its scopes: of a cluster, and of the others.
FAMILIES = {
    "fences": ("_cluster_", {"block": "_block_", "device": "_device_", "system": "_system_"}),
    "atomic_types": ("_in_cluster", {"block": "_in_block", "device": "", "system": "_in_system"}),
}

assembler, architectures = sys.argv[1], sys.argv[2:] or ["sm_90"]
differ = False
for architecture in architectures:
    for family, (cluster, others) in FAMILIES.items():
        code = {}
        for module in sorted(pathlib.Path(__file__).parents[2].glob(f"cuda/ptx/{family}.*.ptx")):
            code |= kernels(assembler, architecture, module.read_text())
        own = [name for name in code if cluster in name]
        same = {scope: sum(code[name] == code[name.replace(cluster, other)] for name in own) for scope, other in others.items()}
        told = ", ".join(f"{count} as in that of the {scope}" for scope, count in same.items())
        print(f"{family}, {architecture}: {len(own)} kernels in the scope of a cluster, {told}")
        differ |= not own or same["device"] != len(own)
sys.exit(differ)
