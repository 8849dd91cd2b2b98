//! Parameters of kernels that no scenario can give: textures, addresses of addresses, functions.

use std::collections::HashSet;

use ptx_syntax::module::Type;

use super::declared::Declared;
use super::{ArgumentDescription, LaunchDescription, Misfit, UserKernel};
use crate::signature::Class;

/// Why no scenario gives a parameter, and what can be done instead.
struct Reason {
    is: &'static str,
    instead: &'static str,
}

const TEXTURE: Reason = Reason {
    is: "a texture, a sampler or a surface: a scenario cannot make one",
    instead: "reach the data through a pointer, such as `const float* image`, and give a buffer",
};
const POINTERS: Reason = Reason {
    is: "a pointer to pointers: a scenario cannot fill a buffer with addresses",
    instead: "take one pointer to all rows, one row behind the other, or a structure by value that has the pointers: { struct = [\"first\", \"second\"] }",
};
const FUNCTION: Reason = Reason {
    is: "the address of a function: a scenario cannot give it",
    instead: "call the function by its name, or let a parameter of a template choose it",
};

impl UserKernel {
    /// Refuses the parameters that no scenario can give, whatever a launch gives for them. Tells which ones these are.
    pub(super) fn refuse(
        &self,
        entry: &str,
        declared: &[Declared<'_>],
        launch: &LaunchDescription,
        problems: &mut Vec<Misfit>,
    ) -> HashSet<usize> {
        let mut refused = HashSet::new();
        let file = &self.description.source;
        for (index, parameter) in declared.iter().enumerate() {
            let given = launch.arguments.get(index);
            // No buffer at all is an address of anything.
            if matches!(given, Some(ArgumentDescription::Number(number)) if number.text().trim() == "0")
                && parameter.is_pointer()
            {
                continue;
            }
            let Some(Reason { is, instead }) = reason(parameter) else { continue };
            let (place, called) = (parameter.place(file), parameter.called(entry));
            let problem = format!("{place}: {called} is {is}");
            problems.push(Misfit::new(problem, launch.argument_place(index)).help(instead.to_owned()));
            refused.insert(index);
        }
        refused
    }
}

fn reason(parameter: &Declared<'_>) -> Option<Reason> {
    let declared = parameter.source.map(|own| own.declared.as_str());
    let is_64 = matches!(parameter.variable.ty, Type::Unsigned(64) | Type::Bits(64) | Type::Signed(64));
    match parameter.source.map(|own| own.class) {
        _ if matches!(parameter.variable.ty, Type::Opaque(_)) => return Some(TEXTURE),
        // The source may have several functions of the name: the compiler's type, where it says one, is a number of 64 bits.
        Some(Class::Texture) if is_64 && parameter.typed.as_deref().is_none_or(|own| own == "unsigned long long") => {
            return Some(TEXTURE);
        }
        _ => {}
    }
    let ty = parameter.typed.as_deref().or(declared)?;
    let is_indirect = || parameter.source.is_some_and(|own| own.class == Class::Indirect) && !ty.contains('(');
    if ty.contains(")(") {
        Some(FUNCTION)
    } else if points_to_pointers(ty) || (parameter.typed.is_none() && is_indirect()) {
        Some(POINTERS)
    } else {
        None
    }
}

/// Whether a type of C++ is a pointer to pointers: `float**`, `int const* const*`.
fn points_to_pointers(ty: &str) -> bool {
    let mut rest = ty;
    let mut stars = 0;
    loop {
        rest = rest.trim_end();
        let shorter = ["*", "const", "__restrict__", "restrict", "volatile"];
        let Some(shorter) = shorter.into_iter().find_map(|own| Some((own, rest.strip_suffix(own)?))) else {
            return stars > 1;
        };
        stars += u32::from(shorter.0 == "*");
        rest = shorter.1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The symbols are nvcc's for these functions.
    #[test]
    fn types_of_parameters_are_those_of_the_name() {
        let types = |symbol: &str| crate::kernel::parameter_types(symbol).unwrap_or_default();
        assert_eq!(types("_Z15transpose_naivePfPKfi"), ["float*", "float const*", "int"]);
        assert_eq!(types("_Z1k1A1B1C1D6__halfbcs1Eh6float3PPi")[4..7], ["__half", "bool", "char"]);
        assert!(types("plain").is_empty());
        for (ty, is) in [("float**", true), ("int const* const*", true), ("float* __restrict__", false), ("int", false)]
        {
            assert_eq!(points_to_pointers(ty), is, "{ty}");
        }
        assert!(points_to_pointers(&types("_Z1k1A1B1C1D6__halfbcs1Eh6float3PPi")[11]));
    }
}
