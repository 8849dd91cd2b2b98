"""Compiles the kernels of Warp's own examples and tests to PTX: warp_modules.py OUT SECONDS

Each of its modules is imported in a process of its own, which has a minute, and compiled for compute capability 9.0. A module that asks
for a package that is not there, or for a GPU, is left out. It stops after so many seconds.
"""

import concurrent.futures
import glob
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time

ONE = """
import importlib.util, sys
import warp as wp
wp.config.quiet = True
wp.config.kernel_cache_dir = sys.argv[2] + "/cache"
wp.init()
name = sys.argv[3]
__import__(name)
from warp._src import context
for found in list(context.user_modules.values()):
    if found.name != name and not found.name.startswith(name):
        continue
    try:
        wp.compile_aot_module(found, arch=90, module_dir=sys.argv[2], use_ptx=True)
    except Exception as error:
        print(found.name, error)
"""


def compiled(path, root, out, end):
    """Compiles the module, if there is time left."""
    if time.monotonic() > end:
        return
    name = os.path.relpath(path, root)[:-3].replace("/", ".")
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, "-c", ONE, path, folder, name]
        try:
            subprocess.run(command, timeout=60, cwd=root, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        except subprocess.TimeoutExpired:
            print(f"{name}: more than a minute", file=sys.stderr)
        for ptx in glob.glob(f"{folder}/*.ptx"):
            shutil.copy(ptx, f"{out}/{name.removeprefix('warp.')}.{os.path.basename(ptx)}")


def main():
    out, seconds = sys.argv[1], float(sys.argv[2])
    os.makedirs(out, exist_ok=True)
    import warp

    root = os.path.dirname(os.path.dirname(warp.__file__))
    paths = sorted(glob.glob(f"{root}/warp/examples/*/*.py") + glob.glob(f"{root}/warp/tests/test_*.py") + glob.glob(f"{root}/warp/tests/*/test_*.py"))
    random.Random(1).shuffle(paths)
    end = time.monotonic() + seconds
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        list(pool.map(lambda path: compiled(path, root, out, end), paths))


if __name__ == "__main__":
    main()
