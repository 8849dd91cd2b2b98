//! Forms of instructions as rows write them.

/// Whether an instruction is of a form: its modifiers are those of the form, in the same order. A form that ends in `.*`
/// takes any others, too: what follows from it looks at them.
pub(super) fn matches(form: &str, opcode: &str, modifiers: &[&str]) -> bool {
    if !has_opcode(form, opcode) {
        return false;
    }
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

/// Whether one of the form's opcodes is this.
pub(super) fn has_opcode(form: &str, opcode: &str) -> bool {
    form.split('.').next().is_some_and(|opcodes| opcodes.split('|').any(|own| own == opcode))
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
