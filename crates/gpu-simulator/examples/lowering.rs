//! Lists how many machine instructions each line of a kernel counts for, and which branch became its predicate:
//!
//!     cargo run -p gpu-simulator --example lowering -- FILE.ptx KERNEL [COMPUTE_CAPABILITY]
//!
//! The compute capability is 9.0 unless it is given. `nvdisasm -c` lists what ptxas made of the same kernel.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::process::ExitCode;

use gpu_simulator::Kernel;

const USAGE: &str = "usage: lowering FILE.ptx KERNEL [COMPUTE_CAPABILITY, such as 9.0]";

#[derive(Default)]
struct Line {
    machine_instructions: f32,
    predicated_by: Option<u32>,
}

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let told = match arguments.as_slice() {
        [file, kernel] => list(file, kernel, "9.0"),
        [file, kernel, capability] => list(file, kernel, capability),
        _ => Err(USAGE.to_owned()),
    };
    match told {
        Ok(told) => {
            print!("{told}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn list(file: &str, kernel: &str, capability: &str) -> Result<String, String> {
    let parts = capability.split_once('.').and_then(|(major, minor)| Some((major.parse().ok()?, minor.parse().ok()?)));
    let capability = parts.ok_or_else(|| format!("the compute capability is {capability:?}; it must be like 9.0"))?;
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let module = ptx_syntax::parse(&text).map_err(|errors| format!("{file}: {errors}"))?;
    let kernel = Kernel::decode(&module, kernel).map_err(|errors| format!("{file}: {errors}"))?;
    let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
    for own in kernel.lowered(capability) {
        let line = lines.entry(own.line).or_default();
        line.machine_instructions += own.machine_instructions;
        line.predicated_by = line.predicated_by.or(own.predicated_by);
    }
    let source: Vec<&str> = text.lines().collect();
    let mut told = String::new();
    for (number, line) in &lines {
        let branch = line.predicated_by.map_or(String::new(), |branch| format!("   predicate of line {branch}"));
        let instruction = source.get(*number as usize - 1).map_or("", |own| own.trim());
        let _ = writeln!(told, "{number:5} {:6.2}  {instruction}{branch}", line.machine_instructions);
    }
    let all: f32 = lines.values().map(|line| line.machine_instructions).sum();
    let _ = writeln!(told, "{all:12.2}  together");
    Ok(told)
}
