#!/usr/bin/env bash
# Installs a wheel into a fresh environment and uses it from an empty folder: the main job, the tests of the Python module, and the
# notebook.
#
#     tests/release/wheel.sh target/handed-out/apbench-*-manylinux*_x86_64.whl
set -euo pipefail
(($# == 1)) || { echo "usage: tests/release/wheel.sh WHEEL.whl" >&2; exit 2; }
cd "$(dirname "$0")/../.."

wheel=$(realpath "$1")
root=$PWD
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

python3 -m venv "$folder/environment"
export PATH="$folder/environment/bin:$PATH"
pip install --quiet --disable-pip-version-check "$wheel"
mkdir "$folder/empty"
cd "$folder/empty"

echo "the main job, by the program and by the module, without other packages:"
apbench sweep scenarios/branching.toml --device sim:h200 --set branches=1,2,4,8 --set width=64 --out run | tail -n 1
[[ -s run/report.html && -s run/charts/runtime.svg ]]
python -c 'import apbench; print(apbench.read("run")); print(apbench.program())'
python -m unittest discover --start-directory "$root/crates/apbench-python/tests"

echo "the same tests with pandas and polars, types, and the notebook:"
pip install --quiet --disable-pip-version-check --requirement "$root/tests/release/test-tools.txt"
python -m unittest discover --start-directory "$root/crates/apbench-python/tests"
mypy --strict --package apbench
# A notebook runs in its folder, and writes its runs there.
cp "$root/docs/notebooks/branching.ipynb" .
jupyter execute branching.ipynb --output "$folder/executed.ipynb"
python - "$folder/executed.ipynb" <<'PYTHON'
import json, sys

for cell in json.load(open(sys.argv[1]))["cells"]:
    for output in cell.get("outputs", []):
        print("".join(output.get("text", [])), end="")
PYTHON
