#!/usr/bin/env bash
# Runs the kernels of hand-written PTX with known answers on an NVIDIA GPU.
#
#   tests/gpu/fixtures.sh SUITE [DEVICE]
#
# SUITE is the binary of the test suite, which `cargo test --test suite --no-run` builds and names; it needs neither cargo
# nor the sources where it runs. DEVICE is cuda:0 unless given. A kernel that fails leaves the driver's context unusable,
# so look at the first failure.
set -uo pipefail
suite=${1:?the suite binary is missing; see the header of this file}
export APBENCH_TEST_DEVICE=${2:-cuda:0}
timeout 300 "$suite" fixtures:: --test-threads=1
