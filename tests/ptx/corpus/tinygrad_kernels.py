"""Writes the kernels that tinygrad makes of ordinary tensor programs: tinygrad_kernels.py OUT ptx|cuda

With `ptx` it is tinygrad's own PTX; with `cuda` it is CUDA C++, FILE.cu, that nvcc is to compile.
"""

import hashlib
import os
import re
import sys

OUT, RENDERER = sys.argv[1], sys.argv[2]
os.environ["DEV"] = {"ptx": "NULL:PTX:sm_90", "cuda": "NULL:CUDA:sm_90"}[RENDERER]
os.environ["PARALLEL"] = "0"  # The compilers below are replaced in this process alone.
os.makedirs(OUT, exist_ok=True)

import tinygrad.runtime.support.compiler_cuda as compilers
from tinygrad import Tensor, dtypes
from tinygrad.device import Compiler


def write(text, suffix):
    name = hashlib.sha256(text.encode()).hexdigest()[:16]
    with open(f"{OUT}/{name}.{suffix}", "w") as file:
        file.write(text)
    return text.encode()


def compile_ptx(self, source):
    return write(source.replace("VERSION", "7.8").replace("TARGET", "sm_90"), "ptx")


def start(self, arch, *_, **__):
    self.arch = arch
    Compiler.__init__(self, None)


compilers.PTXCompiler.compile = compilers.NVPTXCompiler.compile = compile_ptx
compilers.PTXCompiler.__init__ = compilers.NVPTXCompiler.__init__ = start
compilers.NVRTCCompiler.compile = lambda self, source: write(source, "cu")
compilers.NVRTCCompiler.__init__ = start


def programs():
    for kind in (dtypes.float, dtypes.half, dtypes.int):
        e = lambda *shape: Tensor.empty(*shape, dtype=kind)
        yield lambda: e(1000, 300) + e(1000, 300) * 3
        yield lambda: e(256, 512) @ e(512, 128)
        yield lambda: e(4096).sum()
        yield lambda: e(300, 700).max(axis=1)
        yield lambda: e(300, 700).cumsum(axis=1)
        yield lambda: e(300, 700).T.contiguous()
        yield lambda: e(1000).sort()[0]
        yield lambda: e(64, 64).argmax(axis=1)
        yield lambda: e(100, 100).pad(((1, 1), (2, 2)))
        yield lambda: e(50, 60).cat(e(20, 60))
        yield lambda: (e(1000) // 7) % 5
        yield lambda: e(5000)[Tensor.empty(100, dtype=dtypes.int)]
        yield lambda: (e(128, 128) > 0).where(e(128, 128), 1)
    for kind in (dtypes.float, dtypes.half):
        e = lambda *shape: Tensor.empty(*shape, dtype=kind)
        yield lambda: e(64, 1000).softmax()
        yield lambda: e(64, 1000).layernorm()
        yield lambda: e(4, 16, 32, 32).conv2d(e(32, 16, 3, 3), padding=1)
        yield lambda: e(4, 16, 32, 32).max_pool2d()
        yield lambda: e(4, 16, 32, 32).avg_pool2d()
        yield lambda: e(1000).gelu() + e(1000).silu() + e(1000).sin() + e(1000).exp() + e(1000).log() + e(1000).sqrt()
        yield lambda: e(2, 4, 64, 32).scaled_dot_product_attention(e(2, 4, 64, 32), e(2, 4, 64, 32))
        yield lambda: e(32, 100).sparse_categorical_crossentropy(Tensor.empty(32, dtype=dtypes.int))
        yield lambda: e(100, 100).std(axis=0)
        yield lambda: e(20, 20).pow(3.3).tanh()
    yield lambda: Tensor.rand(1000)
    yield lambda: Tensor.randn(100, 100)
    yield lambda: Tensor.arange(1000).cast(dtypes.double).sqrt()
    yield lambda: Tensor.empty(1000, dtype=dtypes.uint8).cast(dtypes.float) / 255
    yield lambda: Tensor.empty(1000, dtype=dtypes.int64) << 3 ^ 5


for place, program in enumerate(programs()):
    try:
        program().realize()
    except Exception as error:
        print(f"program {place}: {type(error).__name__}: {str(error)[:200]}", file=sys.stderr)
