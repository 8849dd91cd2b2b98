"""Which loops ptxas unrolls, and how often: limits.py [--folder FOLDER] [--ptxas PTXAS] [--nvdisasm NVDISASM]

`limits.csv` has loops whose turns are not known: for each turn below, the greatest number of multiplications beside it with which the
loop is unrolled. `known.csv` has loops whose turns are known: how many copies of a turn the machine code has. No GPU is needed, only
the compiler of CUDA 13.0; three minutes. crates/gpu-simulator/src/program/unroll/tests.rs holds the simulator's rules against both.
"""

import argparse
import csv
import os
import re
import subprocess
import tempfile

KERNEL = """.version 9.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 a, .param .u64 b, .param .u32 n)
{{
    .reg .pred %p<9>; .reg .b32 %r<60>; .reg .f32 %f<200>; .reg .b64 %rd<20>; .reg .f64 %d<5>; .shared .f32 tile[4096];
    ld.param.u64 %rd1, [a]; ld.param.u64 %rd2, [b]; ld.param.u32 %r1, [n];
    mov.u32 %r2, %tid.x; mul.wide.u32 %rd3, %r2, 4; add.s64 %rd4, %rd1, %rd3; add.s64 %rd5, %rd2, %rd3;
    ld.global.f32 %f1, [%rd4+76]; ld.global.f32 %f2, [%rd4]; ld.global.f32 %f3, [%rd4+64]; ld.global.u32 %r4, [%rd4+4];
    ld.global.u32 %r5, [%rd4+12]; ld.global.u32 %r6, [%rd4+8]; ld.global.u64 %rd7, [%rd4+16]; ld.global.u64 %rd8, [%rd4+24];
    ld.global.f64 %d1, [%rd4+72]; mov.u32 %r3, 0;
    setp.lt.s32 %p1, %r1, 1; @%p1 bra END;
LOOP:
    {turn}
    add.s32 %r3, %r3, 1; setp.lt.s32 %p2, %r3, {bound}; @%p2 bra LOOP;
END:
    st.global.f32 [%rd5], %f1; st.global.u32 [%rd5+4], %r4; st.global.u64 [%rd5+8], %rd7; st.global.f64 [%rd5+16], %d1; ret;
}}
"""
# With a rounding, so that it does not become one with an addition.
MULTIPLICATION = "mul.rn.f32 %f1, %f1, %f1;"
MOST = 80


def global_loads(count):
    loads = [f"ld.global.f32 %f{10 + i}, [%rd4+{4096 * i}]; add.f32 %f1, %f1, %f{10 + i};" for i in range(count)]
    return " ".join(loads + ["add.s64 %rd4, %rd4, %rd8;"])


def shared_loads(count):
    loads = [f"ld.shared.f32 %f{100 + i}, [%r6+{4096 * i}]; add.f32 %f1, %f1, %f{100 + i};" for i in range(count)]
    return " ".join(loads + ["add.s32 %r6, %r6, %r5;"])


def stores(count):
    return " ".join([f"st.global.f32 [%rd5+{4096 * i}], %f1;" for i in range(count)] + ["add.s64 %rd5, %rd5, %rd8;"])


GATHER = "ld.global.s32 %r9, [%rd4]; mul.wide.s32 %rd11, %r9, 4; add.s64 %rd12, %rd5, %rd11; ld.global.f32 %f9, [%rd12]; " \
    "add.f32 %f1, %f1, %f9; add.s64 %rd4, %rd4, %rd8;"
BY_COUNTER = "mul.wide.s32 %rd11, %r3, 4; add.s64 %rd12, %rd4, %rd11; ld.global.f32 %f9, [%rd12]; add.f32 %f1, %f1, %f9;"

TURNS = [
    "", "add.f32 %f1, %f1, %f2;", "min.f32 %f1, %f1, %f2; max.f32 %f1, %f1, %f3;", "mad.lo.s32 %r4, %r4, %r4, %r6;",
    "shl.b32 %r5, %r4, 3; xor.b32 %r4, %r4, %r5;", "fma.rn.f64 %d1, %d1, %d1, %d1;", "sin.approx.f32 %f1, %f1;",
    "ex2.approx.ftz.f32 %f1, %f1;", "ex2.approx.f32 %f1, %f1;", "sqrt.approx.f32 %f1, %f1;", "sqrt.rn.f32 %f1, %f1;",
    "div.rn.f32 %f1, %f1, %f2;", "rem.u32 %r4, %r4, %r6;", "bar.sync 0;", "red.global.add.u32 [%rd5+64], 1;",
    "shfl.sync.bfly.b32 %r9, %r4, 1, 31, -1; add.s32 %r4, %r4, %r9;",
    "setp.gt.f32 %p3, %f1, %f2; @%p3 bra SKIP; add.f32 %f1, %f1, %f3; add.f32 %f1, %f1, %f2; SKIP:",
    *[stores(count) for count in (1, 2, 4, 8)], *[global_loads(count) for count in (1, 2, 4, 8, 12, 16)],
    *[shared_loads(count) for count in (1, 2, 4, 8, 12, 16)], *[global_loads(g) + " " + shared_loads(s) for g, s in ((1, 1), (2, 4), (1, 8), (4, 4))],
    "ld.global.v4.f32 {%f10, %f11, %f12, %f13}, [%rd4]; add.f32 %f1, %f1, %f10; add.f32 %f1, %f1, %f13; add.s64 %rd4, %rd4, %rd8;",
    "ld.global.f32 %f9, [%rd4]; st.global.f32 [%rd5], %f9; add.s64 %rd4, %rd4, %rd8; add.s64 %rd5, %rd5, %rd8;",
    BY_COUNTER, "mad.lo.s32 %r9, %r3, %r6, %r5; " + BY_COUNTER.replace("%r3", "%r9"), GATHER,
]

KNOWN_TURNS = ["", global_loads(1), global_loads(4), global_loads(16), shared_loads(8), stores(4)]


def multiplications(options, folder, turn, count, bound="%r1"):
    """How many multiplications the machine code of the loop has."""
    ptx, code = os.path.join(folder, "k.ptx"), os.path.join(folder, "k.cubin")
    with open(ptx, "w") as file:
        file.write(KERNEL.format(turn=" ".join([turn] + [MULTIPLICATION] * count), bound=bound))
    subprocess.run([options.ptxas, "-arch=sm_90", "-O3", ptx, "-o", code], check=True)
    text = subprocess.run([options.nvdisasm, "-c", code], check=True, capture_output=True, text=True).stdout
    return len(re.findall(r"\bFMUL\b", text))


def greatest(options, folder, turn):
    least, most = 0, MOST
    # What a turn has of its own is counted, too.
    own = multiplications(options, folder, turn, 0)
    while most - least > 1:
        count = (least + most) // 2
        if multiplications(options, folder, turn, count) - own >= 4 * count:
            least = count
        else:
            most = count
    return least


def table(path, header, rows):
    with open(path, "w", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(header)
        for row in rows:
            writer.writerow(row)
            file.flush()


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--folder", default=os.path.dirname(os.path.abspath(__file__)), help="where the tables go; beside this file")
    parser.add_argument("--ptxas", default="ptxas")
    parser.add_argument("--nvdisasm", default="nvdisasm")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        limits = ([turn, greatest(options, folder, turn)] for turn in TURNS)
        table(os.path.join(options.folder, "limits.csv"), ["turn", "multiplications"], limits)
        known = ([turn, turns, multiplications(options, folder, turn, 1, turns)]
                 for turn in KNOWN_TURNS for turns in (2, 3, 5, 8, 10, 16, 32, 37, 100, 256, 1000, 1024))
        table(os.path.join(options.folder, "known.csv"), ["turn", "turns", "copies"], known)


if __name__ == "__main__":
    main()
