//! How many machine instructions wide functions become, from compute capability 7 on.

use crate::arithmetic::Function;
use crate::hardware::lanes::LANES;

/// The machine instructions of a form, where they are others than its row says. Source: disassembly of kernels of one such instruction
/// (`ptxas -arch sm_90` of CUDA 13.0, `nvdisasm`); of functions with a way for rare numbers, the way of the others.
pub(super) fn of_form(form: &str, function: &Function) -> Option<f32> {
    let (opcode, modifiers) = form.split_once('.').unwrap_or((form, ""));
    let is_word = modifiers.ends_with("32") || modifiers.ends_with("32|f32");
    let is_approximate = modifiers.starts_with("approx") && !modifiers.ends_with("f64");
    let is_flushed = modifiers.split('.').any(|word| word == "ftz");
    Some(match opcode {
        "div" if modifiers.starts_with("u16") => {
            if is_signed(function) {
                25.0
            } else {
                18.0
            }
        }
        "rem" if modifiers.starts_with("u16") => {
            if is_signed(function) {
                23.0
            } else {
                17.0
            }
        }
        "rcp" | "sqrt" if modifiers.starts_with("rn") && modifiers.ends_with("f32") => 10.0,
        "div" if modifiers.starts_with("full.ftz") => 5.0,
        "div" if modifiers.starts_with("full") => 8.0,
        "div" if is_approximate && is_flushed => 2.0,
        "div" if is_approximate => 5.0,
        // Only subnormal numbers need more than the unit does by itself.
        "rcp" | "sqrt" | "rsqrt" | "ex2" | "lg2" if is_approximate && is_flushed => 1.0,
        "rcp" if is_approximate => 8.0,
        "sqrt" | "rsqrt" | "ex2" | "lg2" if is_approximate => 4.0,
        "sin" | "cos" if is_approximate => 2.0,
        "cnot" if is_word => 3.0,
        "clz" if is_word => 2.0,
        "abs" if modifiers.ends_with("s64") => 5.0,
        "mul" if modifiers == "hi.u64|s64" => 7.0,
        "shl" | "shr" if modifiers.contains("64") => 2.0,
        _ => return None,
    })
}

/// Whether a division is of signed numbers.
fn is_signed(function: &Function) -> bool {
    let Function::WWW(function) = function else { return false };
    let mut result = [0; LANES];
    function(&[u32::MAX; LANES], &[2; LANES], &mut result);
    // Minus one halved is zero, and leaves minus one.
    result[0] == 0 || result[0] == u32::MAX
}
