//! Constant memory that nothing fills, where kernels read zeros.

use std::collections::BTreeSet;

use ptx_syntax::module::{Function, Item, Space};

use super::Compiled;
use crate::kernel::demangled;

impl Compiled {
    /// A sentence for each variable in constant memory that has no value of its own and that kernels read.
    pub fn unset_constants(&self) -> Vec<String> {
        let names: BTreeSet<String> = self.modules.iter().flat_map(|module| unset(&module.ptx)).collect();
        let told = |name: &String| {
            let name = demangled(name).unwrap_or_else(|| name.clone());
            format!(
                "note: {}: kernels read `{name}` from constant memory, which nothing fills: it is all zeros here. Fill it in the table [constants] of the scenario: {name} = {{ type = \"f32\", fill = \"uniform\" }}",
                self.source_name
            )
        };
        names.iter().map(told).collect()
    }
}

/// The names of such variables of a module.
fn unset(ptx: &str) -> Vec<String> {
    let Ok(module) = ptx_syntax::parse(ptx) else { return Vec::new() };
    let is_used = |name: &str| {
        let functions = module.items.iter().filter_map(|item| match item {
            Item::Function(function) => Some(function),
            Item::Variable(_) => None,
        });
        functions.filter(|function| function.body.is_some()).any(|function| mentions(ptx, function, name))
    };
    let unset = module.items.iter().filter_map(|item| match item {
        Item::Variable(own) if own.space == Space::Const && own.initializer.is_none() => Some(&own.name),
        _ => None,
    });
    unset.filter(|name| is_used(name)).cloned().collect()
}

/// Whether the text of a function has the name.
fn mentions(ptx: &str, function: &Function, name: &str) -> bool {
    let is_part = |character: char| character.is_ascii_alphanumeric() || "_$%".contains(character);
    let lines = ptx.lines().skip(function.line.saturating_sub(1) as usize);
    let own = lines.take_while(|line| !line.starts_with('}'));
    own.flat_map(|line| line.split(|character| !is_part(character))).any(|word| word == name)
}

#[cfg(test)]
mod tests {
    use super::unset;

    const HEADER: &str = ".version 8.0\n.target sm_80\n.address_size 64\n";

    #[test]
    fn constants_without_a_value_that_are_read_are_found() {
        let ptx = format!(
            "{HEADER}.const .align 4 .b8 filter[36];\n.const .align 4 .b8 unused[36];\n.const .align 4 .u32 two = 2;\n\
             .visible .entry k()\n{{\n.reg .b32 %r<3>;\nld.const.u32 %r1, [filter+4];\nld.const.u32 %r2, [two];\nret;\n}}\n"
        );
        assert_eq!(unset(&ptx), ["filter"]);
        assert!(unset("no PTX").is_empty());
    }
}
