"""How much the times of fences depend on where the stored lines and the flag lie in memory: kernels of the family, the same rounds at 64 places.

    python3 tests/gpu/fences_places.py > OUT.csv

All rounds of a launch have the same lines and the same flag here (the kernels' last argument, words between places, is 0). They are at
places drawn at random in 64 MiB, the same for all kernels: what differs between places is a matter of memory, and what differs between
kernels at the same place is a matter of the instructions.
"""

import random

import cupy

KERNELS = [
    f"{what}_{scope}_behind_{stores}_global_stores"
    for what in ("acquire_release_fence", "fence_and_store", "release_store")
    for scope in ("block", "device")
    for stores in (1, 4, 8, 16)
]
WAITS = 512
PLACES = 64
POOL_BYTES = 64 << 20


def main() -> None:
    module = cupy.RawModule(path="cuda/ptx/fences.sm_70.ptx")
    pool = cupy.zeros(POOL_BYTES // 4, dtype=cupy.uint32)
    sums, cycles = cupy.zeros(32, dtype=cupy.uint32), cupy.zeros(32, dtype=cupy.uint32)
    draw = random.Random(1)
    places = [(draw.randrange(1 << 15) * 1024, draw.randrange(1 << 15) * 1024) for _ in range(PLACES)]
    print("kernel,place,lines_at,flags_at,cycles")
    for name in KERNELS:
        kernel = module.get_function(f"fences_{name}")
        for place, (lines_at, flags_at) in enumerate(places):
            arguments = (pool[flags_at // 4 :], pool[lines_at // 4 :], pool, sums, cycles, cupy.uint32(WAITS), cupy.uint32(0), cupy.uint32(0))
            found = []
            for _ in range(4):
                kernel((1,), (32,), arguments)
                cupy.cuda.Device().synchronize()
                found.append(int(cycles[0]))
            print(f"{name},{place},{lines_at},{flags_at},{min(found) / WAITS:.2f}")


if __name__ == "__main__":
    main()
