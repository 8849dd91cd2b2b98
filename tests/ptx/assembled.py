"""What NVIDIA's assembler makes of a PTX text, for the scripts beside this file. readelf (binutils) must be there."""

import pathlib
import re
import subprocess
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
