//! Whether buffers have elements of the types that a kernel's pointers lead to.

use super::declared::Declared;
use super::{ArgumentDescription, LaunchDescription, Misfit, UserKernel};
use crate::signature::{Class, class_of};
use crate::workload::Element;

impl UserKernel {
    /// Holds the buffers of a launch against the types behind the pointers, where those are known.
    pub(super) fn check_elements(
        &self,
        entry: &str,
        declared: &[Declared<'_>],
        launch: &LaunchDescription,
        problems: &mut Vec<Misfit>,
    ) {
        for (index, (argument, parameter)) in launch.arguments.iter().zip(declared).enumerate() {
            let ArgumentDescription::Buffer { buffer, .. } = argument else { continue };
            let buffer = &self.description.buffers[*buffer];
            let Some((pointed, parts)) = pointed(parameter) else { continue };
            if may_be_read_as(buffer.element, pointed, parts) {
                continue;
            }
            let (place, called) = (parameter.place(&self.description.source), parameter.called(entry));
            let (name, is, wanted) = (buffer.name, buffer.element.name(), pointed.name());
            let points_to = if parts > 1 { format!("vectors of {parts} {wanted}") } else { wanted.to_owned() };
            let problem = format!(
                "{place}: {called} points to {points_to}, and argument {} is the buffer `{name}` of {is}",
                index + 1
            );
            let help =
                format!("write type = \"{wanted}\" for `{name}` in [buffers], or take a pointer to {is} in the source");
            problems.push(Misfit::new(problem, launch.argument_place(index)).allowed(help));
        }
    }
}

/// What a parameter points to, with how many of them an element has: as the compiler has it, or else as the source itself spells it. Of other
/// names for types and of parameters of templates it is not known without a compiler, and PTX has no types behind addresses.
fn pointed(parameter: &Declared<'_>) -> Option<(Element, u32)> {
    let ty = parameter.typed.as_deref().or(parameter.source.map(|own| own.declared.as_str()))?;
    match class_of(ty) {
        Class::Pointer { element, .. } => element,
        _ => None,
    }
}

/// Whether a kernel may take elements of one type for another one: whole numbers of one size with and without sign, bytes, bits of halves. Vectors
/// of whole numbers are what copies are made of, whatever is copied.
fn may_be_read_as(given: Element, pointed: Element, parts: u32) -> bool {
    let is_same_size = given.bytes() == pointed.bytes();
    let are_whole = !given.is_float() && !pointed.is_float();
    given == pointed
        || pointed.bytes() == 1
        || (parts > 1 && !pointed.is_float())
        || (is_same_size && (are_whole || (pointed.bytes() == 2 && given.is_float() != pointed.is_float())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_of_the_same_bits_are_as_good() {
        let (f32, f64, half) = (Element::Float(32), Element::Float(64), Element::Float(16));
        let (i32, u32, u16, u8) =
            (Element::Signed(32), Element::Unsigned(32), Element::Unsigned(16), Element::Unsigned(8));
        for (given, pointed, parts, is) in [
            (f32, f32, 1, true),
            (f32, f32, 4, true),
            (f64, f32, 1, false),
            (f32, f64, 1, false),
            (i32, u32, 1, true),
            (u32, f32, 1, false),
            (f32, u32, 1, false),
            (f32, u32, 4, true),
            (f64, f32, 2, false),
            (f64, u8, 1, true),
            (u8, f32, 1, false),
            (u16, half, 1, true),
            (half, u16, 1, true),
            (half, Element::BrainFloat, 1, false),
            (Element::Signed(64), u32, 1, false),
        ] {
            assert_eq!(may_be_read_as(given, pointed, parts), is, "{given:?} as {parts} {pointed:?}");
        }
    }
}
