//! Addresses that are members of structures by value: what a kernel does with them is told as of parameters.

use super::expression::{Expression, Names};
use super::token::Token;
use super::{Class, Kernel, Member, MemberKind, Parameter, Structure};

impl Kernel {
    /// The addresses in structures that it takes by value: the parameter's place and the names that lead there. What the kernel does with them stands in
    /// `Body::uses` behind the parameters, in this order.
    pub fn member_addresses(&self) -> Vec<(usize, String)> {
        member_addresses(&self.parameters)
    }
}

/// See [`Kernel::member_addresses`].
pub(super) fn member_addresses(parameters: &[Parameter]) -> Vec<(usize, String)> {
    let by_value = parameters.iter().enumerate().filter(|(_, own)| own.class == Class::Structure);
    let of = |(place, own): (usize, &Parameter)| {
        let names = own.structure.as_ref().map(Structure::addresses).unwrap_or_default();
        names.into_iter().map(move |name| (place, name)).collect::<Vec<_>>()
    };
    by_value.flat_map(of).collect()
}

impl Structure {
    /// The names that lead to its addresses, in order: those of arrays of them are left out.
    pub fn addresses(&self) -> Vec<String> {
        let of_member = |member: &Member| match &member.kind {
            MemberKind::Pointer { .. } if member.count == 1 => vec![member.name.clone()],
            MemberKind::Structure(own) if member.count == 1 => {
                own.addresses().iter().map(|name| format!("{}.{name}", member.name)).collect()
            }
            _ => Vec::new(),
        };
        self.members.iter().flat_map(of_member).collect()
    }
}

impl Expression {
    /// A member of it: an address where the kernel gets one there.
    pub(super) fn member(self, name: &str, names: &Names) -> Self {
        let (place, member) = match self {
            Self::Structure(place) => (place, name.to_owned()),
            Self::Member(place, around) => (place, format!("{around}.{name}")),
            _ => return Self::Unknown,
        };
        names.get(&member_name(place, &member)).cloned().unwrap_or(Self::Member(place, member))
    }
}

/// The name of a member of a structure that the parameter at this place is, which is none of a source.
pub(super) fn member_name(place: usize, member: &str) -> String {
    format!("{place}.{member}")
}

/// What an element of an array is called that is a member of a structure, whichever element it is.
pub(super) fn in_array(name: &str) -> String {
    format!("{}[]", name.trim_end_matches("[]"))
}

/// What the names behind a structure lead to, and the last of them.
pub(super) fn member(mut value: Expression, tokens: &[Token<'_>], place: usize, names: &Names) -> (Expression, usize) {
    let mut end = place;
    while let [dot, name, ..] = &tokens[end + 1..]
        && dot.is(".")
        && name.is_word()
    {
        value = value.member(name.text, names);
        end += 2;
    }
    (value, end)
}
