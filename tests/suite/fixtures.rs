//! Kernels of hand-written PTX with known answers, the same on simulated devices and on GPUs.
//!
//! They run on the device that `APBENCH_TEST_DEVICE` names, `sim:h200` by default; on a simulated device also on every
//! embedded profile. `tests/gpu/fixtures.sh` runs them on a GPU.

// Operands have letters here, as in the PTX manual, and floats are compared bit by bit on purpose.
#![allow(clippy::many_single_char_names, clippy::float_cmp)]

mod atomics;
mod barriers;
mod bits;
mod calls;
mod case;
mod compare;
mod control;
mod convert;
mod differential;
mod float;
mod grid;
mod integer;
mod memory;
mod numbers;
mod row;
mod warp;
