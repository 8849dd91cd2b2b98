//! Types of templates that a launch does not write: those of the addresses that it gives.

use super::Parameter;
use super::brackets::angles;
use super::host::Host;
use super::parameters::{joined, scalar};
use super::token::Token;

/// The most names of one declaration.
const NAMES_MOST: usize = 64;
/// Words that stand before others of a type.
const BEFORE: [&str; 4] = ["unsigned", "signed", "long", "short"];

impl Host<'_, '_, '_> {
    /// `double *x = nullptr, *y;` and `std::vector<double> z(n);`
    pub(super) fn declare_addresses(&mut self, tokens: &[Token<'_>], place: usize) {
        let rest = &tokens[place..];
        if rest[0].text.ends_with("vector") && rest.get(1).is_some_and(|own| own.is("<")) {
            let length = angles(&rest[1..]);
            let name = rest.get(1 + length).filter(|own| own.is_word());
            if let (Some(name), Some(typed)) = (name, rest.get(2..length)) {
                self.pointed.insert(name.text.to_owned(), self.resolved(joined(typed)));
            }
            return;
        }
        let is_type = |text: &str| scalar(text).is_some() || self.value_of_size(text).is_some();
        if !rest.get(1).is_some_and(|own| own.is("*")) || !is_type(rest[0].text) {
            return;
        }
        let words = tokens[..place].iter().rev().take_while(|own| BEFORE.contains(&own.text)).count();
        let typed = self.resolved(joined(&tokens[place - words..=place]));
        let mut own = &rest[1..];
        for _ in 0..NAMES_MOST {
            let [star, name, behind @ ..] = own else { return };
            if !star.is("*") || !name.is_word() {
                return;
            }
            self.pointed.insert(name.text.to_owned(), typed.clone());
            let next = behind.iter().position(|own| [",", ";", ")", "{"].contains(&own.text));
            let Some(next) = next.filter(|next| behind[*next].is(",")) else { return };
            own = &behind[next + 1..];
        }
    }

    /// A type of the template around as what it is.
    fn resolved(&self, typed: String) -> String {
        self.types.get(&typed).cloned().unwrap_or(typed)
    }

    /// What a type of a template is where these are given for the parameters.
    pub(super) fn deduced(&self, template: &str, parameters: &[Parameter], given: &[&[Token<'_>]]) -> Option<String> {
        let is_of = |own: &Parameter| {
            let words = own.declared.replace("const", " ").replace("__restrict__", " ").replace("__restrict", " ");
            words.split_whitespace().collect::<String>() == format!("{template}*")
        };
        let mut all = parameters.iter().zip(given).filter(|(own, _)| is_of(own));
        all.find_map(|(_, part)| {
            let mut words = part.iter().filter(|own| own.is_word());
            words.find_map(|own| self.pointed.get(own.text)).cloned()
        })
    }
}
