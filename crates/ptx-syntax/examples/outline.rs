//! Prints what a PTX file holds: its variables and functions, and how often each function has each opcode:
//!
//!     cargo run -p ptx-syntax --example outline -- kernels.ptx

use std::collections::BTreeMap;
use std::error::Error;

use ptx_syntax::{Item, Statement, parse};

/// Counts the opcodes of statements, those of inner blocks too.
fn count<'a>(statements: &'a [Statement], opcodes: &mut BTreeMap<&'a str, usize>) {
    for statement in statements {
        match statement {
            Statement::Instruction(instruction) => *opcodes.entry(&instruction.opcode).or_default() += 1,
            Statement::Block(inner) => count(inner, opcodes),
            _ => {}
        }
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1).ok_or("usage: outline FILE.ptx")?;
    let module = parse(&std::fs::read_to_string(&path)?).map_err(|errors| format!("{path}:\n{errors}"))?;
    println!("PTX {}.{} for {}", module.version.0, module.version.1, module.target.join(", "));
    for item in &module.items {
        match item {
            Item::Variable(variable) => println!("line {}: variable {}", variable.line, variable.name),
            Item::Function(function) => {
                let what = if function.entry { "kernel" } else { "function" };
                println!(
                    "line {}: {what} {} of {} parameters",
                    function.line,
                    function.name,
                    function.parameters.len()
                );
                let mut opcodes = BTreeMap::new();
                count(function.body.as_deref().unwrap_or_default(), &mut opcodes);
                for (opcode, count) in opcodes {
                    println!("  {count:5} {opcode}");
                }
            }
        }
    }
    Ok(())
}
