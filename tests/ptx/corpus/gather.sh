#!/usr/bin/env bash
# Makes a corpus of PTX that this repository did not write, with what pip can install and no GPU: see README.md.
#
#     tests/ptx/corpus/gather.sh OUT [ORIGIN...]
#
# OUT/ptx/ORIGIN has the files, OUT/environment the packages. Each origin has eight minutes (SECONDS_EACH), and gets as far as it gets.
set -uo pipefail
here=$(cd "$(dirname "$0")" && pwd)
out=$(realpath -m "${1:?the folder to write}") limit=${SECONDS_EACH:-480} jobs=${JOBS:-$(nproc)}
shift
origins=("$@")
[ ${#origins[@]} -gt 0 ] || origins=(headers cub numba warp triton tinygrad tinygrad-cuda)
mkdir -p "$out/ptx" "$out/log"

python=$out/environment/bin/python
if ! [ -x "$python" ]; then
    python3 -m venv "$out/environment"
    "$python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: -r "$here/requirements.txt" || exit 1
    # The compiler has an environment of its own: what the others ask for is of another version.
    python3 -m venv "$out/compiler"
    "$out/compiler/bin/python" -m pip install --quiet --disable-pip-version-check --only-binary=:all: -r "$here/compiler.txt" || exit 1
fi
toolkit=$(echo "$out"/compiler/lib/python3*/site-packages/nvidia/cu13)
compile=("$toolkit/bin/nvcc" -w -std=c++17 --extended-lambda -O3 -arch=compute_90 -ptx "-I$toolkit/include/cccl")

# Compiles what is asked for on the standard input, three words each: options, source, and the file to write.
compile_all() {
    xargs -0 -n 3 -P "$jobs" bash -c 'words=(); while [ "$1" != -- ]; do words+=("$1"); shift; done; shift
        IFS="|" read -ra options <<<"$1"; "${words[@]}" "${options[@]}" -o "$3" "$2" || rm -f "$3"' bash "${compile[@]}" --
}

headers() { printf '%s\0' -DHEADERS "$here/headers.cu" "$1/headers.ptx" | compile_all; }
cub() {
    for algorithm in $(sed -n '/^enum {/,/^};/p' "$here/cub.cu" | grep -oE '\b[a-z_]+\b' | grep -v enum); do
        for type in int float "unsigned long long" double "unsigned char" short; do
            printf '%s\0' "-DALGORITHM=$algorithm|-DTYPE=$type" "$here/cub.cu" "$1/$algorithm-${type// /_}.ptx"
        done
    done | compile_all
}
numba() { "$python" "$here/numba_kernels.py" "$1"; }
warp() { "$python" "$here/warp_modules.py" "$1" "$((limit - 60))"; }
triton() { TRITON_CACHE_DIR=$out/cache "$python" "$here/triton_kernels.py" "$1"; }
tinygrad() { "$python" "$here/tinygrad_kernels.py" "$1" ptx; }
tinygrad-cuda() {
    "$python" "$here/tinygrad_kernels.py" "$1" cuda
    for source in "$1"/*.cu; do printf '%s\0' -DTINYGRAD "$source" "${source%.cu}.ptx"; done | compile_all
}
export -f headers cub numba warp triton tinygrad tinygrad-cuda compile_all
export here out python limit jobs

for origin in "${origins[@]}"; do
    mkdir -p "$out/ptx/$origin"
    # An array cannot be exported.
    timeout "$limit" bash -c "$(declare -p compile); $origin \"\$1\"" bash "$out/ptx/$origin" >"$out/log/$origin.txt" 2>&1
    echo "$origin: $(find "$out/ptx/$origin" -name '*.ptx' | wc -l) files"
done
