//! Bases of structures.

use super::Structure;
use super::parameters::{Types, parts, words_of};
use super::token::Token;

/// The only base of a structure, whose members come first: `public Base`. `None` of several, and of one with a gap at its end, which a member of the
/// structure may take.
pub(super) fn base_of(list: &[Token<'_>], types: &Types) -> Option<Structure> {
    let words: Vec<Token<'_>> =
        list.iter().filter(|own| !["public", "private", "protected"].contains(&own.text)).copied().collect();
    if parts(&words).len() != 1 || words.iter().any(|own| own.is("virtual")) {
        return None;
    }
    let own = types.structure(&types.resolved(&words_of(&words)).0)?.into_owned();
    let end = own.members.iter().fold(0_u64, |end, member| {
        let (bytes, align) = member.kind.layout();
        end.next_multiple_of(align).saturating_add(bytes.saturating_mul(member.count))
    });
    (end == own.layout().0).then_some(own)
}
