//! Lists how many machine instructions each line of a kernel counts for, and which branch became its predicate:
//!
//!     cargo run -p gpu-simulator --example lowering -- FILE.ptx KERNEL [COMPUTE_CAPABILITY]
//!
//! `nvdisasm -c` lists what ptxas made of the same kernel.

use std::collections::BTreeMap;
use std::error::Error;

use gpu_simulator::Kernel;

const USAGE: &str = "usage: lowering FILE.ptx KERNEL [COMPUTE_CAPABILITY, such as 9.0]";

#[derive(Default)]
struct Line {
    machine_instructions: f32,
    predicated_by: Option<u32>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [file, entry, rest @ ..] = arguments.as_slice() else { return Err(USAGE.into()) };
    let capability = rest.first().map_or("9.0", String::as_str);
    let (major, minor) = capability.split_once('.').ok_or(USAGE)?;
    let capability = (major.parse()?, minor.parse()?);
    let text = std::fs::read_to_string(file)?;
    let kernel = Kernel::decode(&ptx_syntax::parse(&text)?, entry)?;
    let mut lines: BTreeMap<u32, Line> = BTreeMap::new();
    for own in kernel.lowered(capability) {
        let line = lines.entry(own.line).or_default();
        line.machine_instructions += own.machine_instructions;
        line.predicated_by = line.predicated_by.or(own.predicated_by);
    }
    let source: Vec<&str> = text.lines().collect();
    for (number, line) in &lines {
        let branch = line.predicated_by.map_or(String::new(), |branch| format!("   under the branch of line {branch}"));
        let instruction = source.get(*number as usize - 1).map_or("", |own| own.trim());
        println!("{number:5} {:6.2}  {instruction}{branch}", line.machine_instructions);
    }
    println!("{:12.2}  together", lines.values().map(|line| line.machine_instructions).sum::<f32>());
    Ok(())
}
