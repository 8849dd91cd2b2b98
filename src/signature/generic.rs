//! Templates of structures: kept as text, and read where an instance is asked for.

use std::collections::HashMap;

use super::brackets::{angles, closing};
use super::expression::{Expression, Names, expression};
use super::parameters::{Types, parts, templates, words_of};
use super::structures::definition;
use super::token::{Kind, Token, tokens};
use super::{Structure, TemplateKind, TemplateParameter};

/// Templates of structures, with the numbers that have names around them.
#[derive(Debug, Clone, Default)]
pub(super) struct Templates {
    all: HashMap<String, Template>,
    constants: Names,
    /// Instances around this one.
    level: u32,
}

#[derive(Debug, Clone)]
struct Template {
    parameters: Vec<TemplateParameter>,
    /// The structure with its members.
    text: String,
}

/// The most instances in one another.
const LEVELS_MOST: u32 = 8;

impl Templates {
    pub(super) fn new(constants: &Names) -> Self {
        Self { constants: constants.clone(), ..Self::default() }
    }

    /// Keeps the template that begins at `template`, if it is one of a structure. Its tokens.
    pub(super) fn add(&mut self, all: &[Token<'_>]) -> usize {
        let list = 1 + angles(&all[1..]);
        let rest = &all[list.min(all.len())..];
        let end = rest.iter().position(|own| own.is("{") || own.is(";"));
        let length = end.map_or(rest.len(), |end| end + closing(&rest[end..]).unwrap_or(1));
        let own = &rest[..length.min(rest.len())];
        let is_structure = own.first().is_some_and(|first| first.is("struct") || first.is("class"));
        let name = own.iter().skip(1).take_while(|token| !token.is("{")).find(|token| token.is_word());
        if let Some(name) = name.filter(|_| is_structure && own.iter().all(|own| own.kind != Kind::Directive)) {
            let parameters = templates(all.get(2..list.saturating_sub(1)).unwrap_or_default());
            let text = own.iter().map(|token| token.text).collect::<Vec<_>>().join(" ");
            self.all.entry(name.text.to_owned()).or_insert(Template { parameters, text });
        }
        list + length
    }
}

impl Types {
    /// The instance of a template of structures that these words name: `Span < float >`.
    pub(super) fn instance(&self, words: &str) -> Option<Structure> {
        let all = tokens(words);
        let open = all.iter().position(|own| own.is("<"))?;
        let name = all.get(open.checked_sub(1)?)?.text;
        let Template { parameters, text } = self.templates.all.get(name)?;
        if self.templates.level >= LEVELS_MOST {
            return None;
        }
        let length = angles(&all[open..]);
        let given = parts(all.get(open + 1..(open + length).checked_sub(1)?)?);
        let mut types = self.clone();
        types.templates.level += 1;
        let mut constants = self.templates.constants.clone();
        for (place, own) in parameters.iter().enumerate() {
            let argument = given.get(place).map(|part| part.to_vec());
            let default = own.default.as_deref().map(tokens);
            let argument = argument.or(default)?;
            match own.kind {
                TemplateKind::Type => drop(types.aliases.insert(own.name.clone(), self.named(&argument))),
                TemplateKind::Whole | TemplateKind::Flag => {
                    let value = expression(&argument, &self.templates.constants).0.number()?;
                    constants.insert(own.name.clone(), Expression::Number(value));
                }
                TemplateKind::Other => return None,
            }
        }
        types.templates.constants.clone_from(&constants);
        definition(&tokens(text), &mut types, &constants);
        let own = types.structures.remove(name)?;
        let arguments: Vec<String> = given.iter().map(|part| self.named(part)).collect();
        Some(Structure { name: format!("{name}<{}>", arguments.join(", ")), ..own })
    }

    /// What an argument of a template is: where it is one of the kernel's template, what stands for that.
    fn named(&self, argument: &[Token<'_>]) -> String {
        let words = words_of(argument);
        if self.of_template.contains(&words) { "float".to_owned() } else { self.resolved(&words).0 }
    }
}

#[cfg(test)]
mod tests {
    use super::super::structures::add_all;
    use super::*;

    fn layout(text: &str, words: &str) -> Option<(String, (u64, u64))> {
        let mut types = Types::default();
        add_all(&tokens(text), &mut types, &Names::new());
        types.structure(words).map(|own| (own.name.clone(), own.layout()))
    }

    #[test]
    fn instances_have_the_members_of_their_template() {
        let span = "template <typename T, int N = 2> struct Span { T* data; T first[N]; int size; };";
        let own = |name: &str, layout| Some((name.to_owned(), layout));
        assert_eq!(layout(span, "Span < float >"), own("Span<float>", (24, 8)));
        assert_eq!(layout(span, "a Span < double , 4 >"), own("Span<double, 4>", (48, 8)));
        assert_eq!(layout(span, "Span < Unknown >"), None);
        assert_eq!(layout(span, "Span"), None);
        let pair = format!("{span} template <class A, class B> struct Pair {{ Span<A> a; B b; }};");
        assert_eq!(layout(&pair, "Pair < char , short >"), own("Pair<char, short>", (24, 8)));
        assert_eq!(layout(&pair, "Pair < float , Pair < int , char > >").map(|own| own.1), Some((56, 8)));
        for endless in [
            "template <class T> struct S { S<T> own; };",
            "template <int N> struct S { S<N> one, other; };",
            "template <class T> struct S { int a",
            "template <class T> struct S;",
            "template <class... T> struct S { int a; };",
        ] {
            assert_eq!(layout(endless, "S < 1 >"), None, "{endless}");
        }
    }
}
