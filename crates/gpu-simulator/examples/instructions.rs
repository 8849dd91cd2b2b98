//! Lists the instructions that the simulator executes, those whose opcode begins with a word if one is given:
//!
//!     cargo run -p gpu-simulator --example instructions -- mul

use gpu_simulator::instructions::rows;

fn main() {
    let wanted = std::env::args().nth(1).unwrap_or_default();
    for row in rows().filter(|row| row.form.starts_with(&wanted)) {
        let case = if row.case.is_empty() { String::new() } else { format!(", {}", row.case) };
        let since = row.requirement.map_or(String::new(), |requirement| {
            let (major, minor) = requirement.capability;
            format!("; from compute capability {major}.{minor} on")
        });
        println!("{}{case}", row.form);
        println!(
            "    PTX ISA: {}; about {} machine instructions of class {:?}{since}",
            row.section, row.cost.weight, row.cost.class
        );
    }
}
