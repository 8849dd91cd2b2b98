#!/usr/bin/env bash
# Makes what is handed out, from a checkout: for each machine a tar archive with the program, and a Python wheel, with checksums.
#
#     tests/release/build.sh [x86_64|aarch64]...
#
# Without a word, both. The files come into target/handed-out/. The programs need glibc 2.17 (2014) or newer. Zig links them, so no
# cross compiler is needed. The script installs what it needs: tools of PyPI into target/release-tools/, and Rust's standard
# library for the machine by rustup. The exit status is 1 if a file is larger than it may be, and 2 for another word.
set -euo pipefail
cd "$(dirname "$0")/../.."

machines=("$@")
(($# > 0)) || machines=(x86_64 aarch64)
for machine in "${machines[@]}"; do
    if [[ $machine != x86_64 && $machine != aarch64 ]]; then
        echo "$machine: no such machine; there are x86_64 and aarch64: tests/release/build.sh [x86_64|aarch64]..." >&2
        exit 2
    fi
done
most_bytes=$((15 * 1000 * 1000))
target_folder=$(realpath -m "${CARGO_TARGET_DIR:-target}")
export CARGO_TARGET_DIR=$target_folder
tools="$target_folder/release-tools"
notices=crates/apbench-python/THIRD-PARTY-LICENSES.txt
out="$target_folder/handed-out"
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"/\1/p' Cargo.toml)
# What is made of one commit is the same, byte for byte, whenever it is packed.
SOURCE_DATE_EPOCH=$(git log -1 --format=%ct 2>/dev/null || echo 0)
export SOURCE_DATE_EPOCH
# Messages of panics name source files, not where Cargo's folder is on the machine that builds.
export RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=/cargo"

if ! [[ -x $tools/bin/maturin ]]; then
    python3 -m venv "$tools"
    "$tools/bin/pip" install --quiet --disable-pip-version-check --requirement tests/release/tools.txt
fi
export PATH="$tools/bin:$PATH"

# The program that runs here writes the manual pages and completions for all.
native="$(uname -m)-unknown-linux-gnu"

# Makes the wheel of a target in a folder. Its program goes into the archive, too: both are the same.
wheel() {
    if command -v rustup >/dev/null && ! rustup target list --installed | grep --quiet --line-regexp "$1"; then
        rustup target add "$1"
    fi
    python3 tests/release/third_party.py "$1" "$notices"
    (cd crates/apbench-python && maturin build --quiet --release --zig --target "$1" --compatibility manylinux2014 --out "$2")
}

# Packs the program of a machine with what belongs to it.
pack() {
    local target=$1 name="apbench-$version-$1" staging program
    staging=$(mktemp -d)
    program="$target_folder/$native/release/apbench"
    mkdir -p "$staging/$name/completions"
    install -m 755 "$target_folder/$target/release/apbench" "$staging/$name/apbench"
    cp CHANGELOG.md LICENSE-MIT LICENSE-APACHE "$staging/$name/"
    cp tests/release/archive.md "$staging/$name/README.md"
    python3 tests/release/third_party.py "$target" "$staging/$name/THIRD-PARTY-LICENSES.txt"
    cp -r scenarios "$staging/$name/"
    "$program" man "$staging/$name/man/man1" >/dev/null
    "$program" completions bash >"$staging/$name/completions/apbench.bash"
    "$program" completions zsh >"$staging/$name/completions/_apbench"
    "$program" completions fish >"$staging/$name/completions/apbench.fish"
    chmod -R u=rwX,go=rX "$staging/$name"
    tar --create --sort=name --owner=0 --group=0 --numeric-owner --mtime="@$SOURCE_DATE_EPOCH" --directory "$staging" "$name" |
        gzip --best --no-name >"$out/$name.tar.gz"
    rm -r "$staging"
}

rm -rf "$out"
mkdir -p "$out"
[[ " ${machines[*]} " == *" $(uname -m) "* ]] || wheel "$native" "$tools/unused"
for machine in "${machines[@]}"; do wheel "$machine-unknown-linux-gnu" "$out"; done
for machine in "${machines[@]}"; do pack "$machine-unknown-linux-gnu"; done

cd "$out"
status=0
for file in *; do
    sha256sum "$file" >"$file.sha256"
    bytes=$(stat --format=%s "$file")
    awk -v file="$file" -v bytes="$bytes" 'BEGIN { printf "%-70s %6.2f MB\n", file, bytes / 1e6 }'
    if ((bytes > most_bytes)); then
        echo "$file: is larger than $((most_bytes / 1000000)) MB" >&2
        status=1
    fi
done
exit "$status"
