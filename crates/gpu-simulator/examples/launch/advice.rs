//! What to say besides: how far a time is off, and what does not fit a kernel's signature.

use std::path::Path;

use gpu_simulator::profile::{ForeignError, error_of_foreign_kernels};
use ptx_syntax::module::{Function, Item, Module, Type, Variable};

/// How far a time on this profile is off, in lines below it.
pub(crate) fn error_of(profile: &str) -> String {
    match error_of_foreign_kernels(profile) {
        Some(ForeignError { off, of }) => format!("  simulated times of kernels of one's own: {off}\n  ({of})"),
        None => "  simulated; nobody compared such times on this profile with a GPU's".to_owned(),
    }
}

/// Why a text is no PTX, where that can be guessed.
pub(crate) fn no_ptx(path: &str, text: &str) -> Option<String> {
    let is_source =
        Path::new(path).extension().is_some_and(|own| own == "cu" || own == "cuh") || text.contains("__global__");
    (is_source && !text.contains(".version")).then(|| {
        format!("{path} is CUDA C++: `nvcc --ptx -arch=sm_90 {path}` makes PTX of it, which can be launched here")
    })
}

/// What a GPU of this compute capability would not take.
pub(crate) fn newer_target(module: &Module, (major, minor): (u32, u32)) -> Option<String> {
    let digits =
        |target: &String| target.strip_prefix("sm_")?.trim_end_matches(char::is_alphabetic).parse::<u32>().ok();
    let wanted = module.target.iter().find_map(digits)?;
    (wanted > 10 * major + minor).then(|| {
        format!("note: this PTX is for sm_{wanted}. A GPU of compute capability {major}.{minor} would refuse it; it is simulated all the same.")
    })
}

fn kernels(module: &Module) -> impl Iterator<Item = &Function> {
    module.items.iter().filter_map(|item| match item {
        Item::Function(function) if function.entry => Some(function),
        _ => None,
    })
}

/// The kernel of this name.
///
/// # Errors
/// The names of all kernels.
pub(crate) fn kernel<'module>(module: &'module Module, name: &str) -> Result<&'module Function, String> {
    kernels(module).find(|kernel| kernel.name == name).ok_or_else(|| {
        let names: Vec<&str> = kernels(module).map(|kernel| kernel.name.as_str()).collect();
        format!(
            "there is no kernel {name}; the file has {}",
            if names.is_empty() { "none".to_owned() } else { names.join(", ") }
        )
    })
}

/// Checks that each argument is of its parameter's kind.
///
/// # Errors
/// The first that is not, or all parameters where their number is another.
pub(crate) fn check(kernel: &Function, arguments: &[String]) -> Result<(), String> {
    if arguments.len() != kernel.parameters.len() {
        let list: Vec<String> = kernel
            .parameters
            .iter()
            .enumerate()
            .map(|(index, own)| format!("\n  {index}: {} {}", declared(own), own.name))
            .collect();
        return Err(format!(
            "{} has {} parameters, and the arguments given are {}. Its parameters, counted from 0:{}",
            kernel.name,
            kernel.parameters.len(),
            arguments.len(),
            list.concat()
        ));
    }
    for (index, (parameter, argument)) in kernel.parameters.iter().zip(arguments).enumerate() {
        let kind = argument.split_once(':').map_or("", |(kind, _)| kind);
        let fits = match parameter.ty {
            _ if !parameter.dimensions.is_empty() => true,
            Type::Float(_) => !matches!(kind.as_bytes(), [b'u' | b's', b'0'..=b'9', ..]),
            Type::Unsigned(_) | Type::Signed(_) => !matches!(kind, "f32" | "f64"),
            _ => true,
        };
        if !fits {
            return Err(format!(
                "argument {index}, {argument}, is for {} {}: give {}",
                declared(parameter),
                parameter.name,
                match parameter.ty {
                    Type::Float(_) => "a number such as f32:0.5",
                    Type::Unsigned(64) | Type::Signed(64) =>
                        "a buffer such as buffer:4MiB, or a whole number such as u64:5",
                    _ => "a whole number such as u32:5",
                }
            ));
        }
    }
    Ok(())
}

/// The type of a parameter, as it is declared.
fn declared(parameter: &Variable) -> String {
    let base = match parameter.ty {
        Type::Bits(bits) => format!(".b{bits}"),
        Type::Unsigned(bits) => format!(".u{bits}"),
        Type::Signed(bits) => format!(".s{bits}"),
        Type::Float(bits) => format!(".f{bits}"),
        Type::Predicate => ".pred".to_owned(),
        Type::Opaque(_) => "a texture, sampler or surface".to_owned(),
    };
    let elements =
        parameter.dimensions.iter().map(|count| count.map_or_else(|| "[]".to_owned(), |count| format!("[{count}]")));
    base + &elements.collect::<String>()
}

/// A number of bytes such as `4096`, `4KiB`, `4MiB` or `1GiB`.
pub(crate) fn bytes(text: &str) -> Result<usize, String> {
    let (digits, shift) = [("KiB", 10), ("MiB", 20), ("GiB", 30)]
        .into_iter()
        .find_map(|(unit, shift)| Some((text.strip_suffix(unit)?, shift)))
        .unwrap_or((text, 0));
    let number = digits.trim().parse::<usize>().ok().and_then(|number| number.checked_mul(1 << shift));
    number.ok_or_else(|| format!("`{text}` is not a number of bytes such as 4096, 64KiB or 4MiB"))
}
