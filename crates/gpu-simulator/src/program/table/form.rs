//! Forms of instructions as rows write them.

/// Whether an instruction of the form's opcode is of the form: its modifiers are those of the form, in the same order. A form that ends in `.*`
/// takes any others, too: what follows from it looks at them.
pub(super) fn matches(form: &str, modifiers: &[&str]) -> bool {
    let mut places = places(form);
    for modifier in modifiers {
        let mut rest = places.clone();
        let is_next = loop {
            match rest.next() {
                Some(place) if takes(place, modifier) => break true,
                Some(place) if place.ends_with('?') => {}
                _ => break false,
            }
        };
        if is_next {
            places = rest;
        } else if !is_open(form) {
            return false;
        }
    }
    places.all(|place| place.ends_with('?'))
}

/// The opcodes that the form stands for.
pub(super) fn opcodes(form: &str) -> impl Iterator<Item = &str> {
    form.split('.').take(1).flat_map(|opcodes| opcodes.split('|'))
}

/// Whether the form has a place for this modifier.
pub(super) fn has_modifier(form: &str, modifier: &str) -> bool {
    is_open(form) || places(form).any(|own| takes(own, modifier))
}

/// Whether the form takes any other modifiers.
fn is_open(form: &str) -> bool {
    form.ends_with(".*")
}

/// The places for modifiers.
fn places(form: &str) -> impl Iterator<Item = &str> + Clone {
    form.split('.').skip(1).filter(|place| *place != "*")
}

fn takes(place: &str, modifier: &str) -> bool {
    place.trim_end_matches('?').split('|').any(|own| own == modifier)
}
