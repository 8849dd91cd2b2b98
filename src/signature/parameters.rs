//! Parameters of functions and of templates, from their tokens.

use std::borrow::Cow;
use std::collections::HashMap;

use super::generic::Templates;
use super::token::{Kind, Token, tokens};
use super::{Class, Opaque, Parameter, Structure, TemplateKind, TemplateParameter};
use crate::workload::Element;

/// What names of types stand for.
#[derive(Debug, Clone, Default)]
pub(super) struct Types {
    /// Other names: what `using` and `typedef` say.
    pub(super) aliases: HashMap<String, String>,
    /// Parameters of templates, which are taken to be `float`.
    pub(super) of_template: Vec<String>,
    /// Structures of the source.
    pub(super) structures: HashMap<String, Structure>,
    /// Structures whose members cannot be listed.
    pub(super) opaque: HashMap<String, Opaque>,
    /// Enumerations, with the whole numbers that they are.
    pub(super) enumerations: HashMap<String, Element>,
    /// Templates of structures.
    pub(super) templates: Templates,
}

/// How often a name may stand for another one.
const ALIASES_MOST: u32 = 8;

impl Types {
    /// The same, with what the types among the parameters of a template are in an instance of it.
    pub(super) fn with<'p>(&self, instance: impl Iterator<Item = (&'p TemplateParameter, &'p String)>) -> Self {
        let mut own = Self { of_template: Vec::new(), ..self.clone() };
        let types = instance.filter(|(template, _)| template.kind == TemplateKind::Type);
        own.aliases.extend(types.map(|(template, argument)| (template.name.clone(), argument.clone())));
        own
    }

    /// What a name stands for in the end, and how many stars are in that.
    pub(super) fn resolved(&self, name: &str) -> (String, usize) {
        let (mut own, mut stars) = (name.to_owned(), 0);
        for _ in 0..ALIASES_MOST {
            let Some(alias) = self.aliases.get(&own) else { break };
            stars += alias.matches('*').count();
            let plain = alias.replace('*', " ");
            let words: Vec<&str> = plain.split_whitespace().filter(|word| !QUALIFIERS.contains(word)).collect();
            own = words.join(" ");
        }
        (own, stars)
    }

    /// What an enumeration is, in whichever namespace.
    pub(super) fn enumeration(&self, name: &str) -> Option<Element> {
        self.enumerations.get(name.rsplit([' ', ':']).next()?).copied()
    }

    /// The structure of this name, in whichever namespace: of the source, or else of CUDA's.
    pub(super) fn structure(&self, name: &str) -> Option<Cow<'_, Structure>> {
        if name.contains('<') {
            return self.instance(name).map(Cow::Owned);
        }
        let name = name.rsplit([' ', ':']).next()?;
        let of_source = self.structures.get(name).map(Cow::Borrowed);
        of_source.or_else(|| Structure::of_cuda(name).map(Cow::Owned))
    }
}

/// The words of a type without what says nothing of what is given.
pub(super) fn words_of(base: &[Token<'_>]) -> String {
    let words = base.iter().filter(|token| !(QUALIFIERS.contains(&token.text) || token.is("::")));
    words.map(|token| token.text).collect::<Vec<_>>().join(" ")
}

/// The type of what an address of this type leads to, with how many of them an element has.
pub(super) fn pointed(name: &str, types: &Types) -> Option<(Element, u32)> {
    let of_structure = || {
        let (element, count) = types.structure(name)?.only_element()?;
        Some((element, u32::try_from(count).ok()?))
    };
    scalar(name).map(|element| (element, 1)).or_else(|| vector(name)).or_else(of_structure)
}

/// Words that say nothing of what is given.
const QUALIFIERS: [&str; 13] = [
    "const",
    "volatile",
    "__restrict__",
    "__restrict",
    "restrict",
    "__grid_constant__",
    "struct",
    "class",
    "enum",
    "typename",
    "register",
    "std",
    "static",
];

/// Words that are joined to one type.
const JOINED: [&str; 9] = ["unsigned", "signed", "long", "short", "int", "char", "float", "double", "bool"];

/// The parts of a list at its commas, those within brackets left together.
pub(super) fn parts<'t, 'a>(list: &'t [Token<'a>]) -> Vec<&'t [Token<'a>]> {
    let (mut depth, mut begin, mut all) = (0_i32, 0, Vec::new());
    for (place, token) in list.iter().enumerate() {
        match token.text {
            "(" | "[" | "{" | "<" => depth += 1,
            ")" | "]" | "}" | ">" => depth -= 1,
            "," if depth <= 0 => {
                all.push(&list[begin..place]);
                begin = place + 1;
            }
            _ => {}
        }
    }
    if begin < list.len() {
        all.push(&list[begin..]);
    }
    all
}

/// Tokens before a default.
fn without_default<'t, 'a>(part: &'t [Token<'a>]) -> (&'t [Token<'a>], Option<String>) {
    match part.iter().position(|token| token.is("=")) {
        Some(place) => (&part[..place], Some(joined(&part[place + 1..]))),
        None => (part, None),
    }
}

/// Tokens as text, with blanks only between words.
pub(super) fn joined(tokens: &[Token<'_>]) -> String {
    let mut text = String::new();
    for token in tokens {
        let is_word = |letter: char| letter.is_alphanumeric() || letter == '_';
        let between = text.ends_with(|last: char| is_word(last) || last == '*') && token.text.starts_with(is_word);
        if between {
            text.push(' ');
        }
        text += token.text;
    }
    text
}

/// The parameters of a function: what is between its brackets.
pub(super) fn parameters(list: &[Token<'_>], types: &Types) -> Vec<Parameter> {
    let is_nothing = list.is_empty() || (list.len() == 1 && list[0].is("void"));
    if is_nothing { Vec::new() } else { parts(list).into_iter().map(|part| parameter(part, types)).collect() }
}

fn parameter(part: &[Token<'_>], types: &Types) -> Parameter {
    let line = part.first().map_or(0, |token| token.line);
    let (part, _) = without_default(part);
    let declared = |upto: usize| joined(&part[..upto]);
    let has = |text: &str| part.iter().any(|token| token.is(text));
    if has("(") || has("...") {
        let inner = part.iter().skip_while(|token| !token.is("("));
        let name = inner.skip_while(|token| !token.is_word()).map(|token| token.text.to_owned()).next();
        return Parameter {
            name,
            line,
            declared: declared(part.len()),
            class: Class::Indirect,
            structure: None,
            opaque: None,
        };
    }
    let end = part.iter().position(|token| token.is("[")).unwrap_or(part.len());
    let is_array = end < part.len();
    let stars = part.iter().filter(|token| token.is("*")).count() + usize::from(is_array);
    // The name is the last word, if a type stands before it.
    let last = (0..end).rev().find(|place| part[*place].is_word() && !QUALIFIERS.contains(&part[*place].text));
    let is_type = |place: usize| {
        let before = || {
            let behind = part[..place].iter().rev();
            behind.filter(|token| !QUALIFIERS.contains(&token.text)).any(|token| token.is_word() || token.is("*"))
        };
        let follows_colons = place > 0 && part[place - 1].is("::");
        JOINED.contains(&part[place].text)
            || !before()
            || (follows_colons && part[place..].iter().all(|token| !token.is("*")))
            || part[place + 1..end].iter().any(|token| token.is(">") || token.is("*") || token.is("&"))
    };
    let name = last.filter(|place| !is_type(*place));
    let type_end = name.unwrap_or(end);
    let before_name = &part[..type_end];
    let base_end = before_name.iter().position(|token| token.is("*") || token.is("&") || token.is("&&"));
    let base = &before_name[..base_end.unwrap_or(before_name.len())];
    let is_const = base.iter().any(|token| token.is("const"));
    let words = words_of(base);
    let class = if before_name.iter().any(|token| token.is("&") || token.is("&&")) {
        Class::Reference
    } else {
        class(&words, stars, is_const, types, 0)
    };
    let declared = if is_array { format!("{}*", declared(type_end)) } else { declared(type_end) };
    let is_of_structure = matches!(class, Class::Structure | Class::Pointer { element: None, .. });
    let resolved = types.resolved(&words).0;
    let structure = types.structure(&resolved).filter(|_| is_of_structure).map(Cow::into_owned);
    let opaque = resolved.rsplit([' ', ':']).next().and_then(|name| types.opaque.get(name)).copied();
    Parameter { name: name.map(|place| part[place].text.to_owned()), line, declared, class, structure, opaque }
}

fn class(base: &str, stars: usize, is_const: bool, types: &Types, depth: u32) -> Class {
    match (types.enumeration(base), stars) {
        (Some(element), 0) => return Class::Enumeration(element.bytes() as u8 * 8),
        (Some(element), 1) => return Class::Pointer { element: Some((element, 1)), is_const },
        _ => {}
    }
    if let Some(alias) = types.aliases.get(base).filter(|_| depth < ALIASES_MOST) {
        let more = alias.matches('*').count();
        let is_const = is_const || alias.split_whitespace().any(|word| word == "const");
        let plain = alias.replace('*', " ");
        let words: Vec<&str> = plain.split_whitespace().filter(|word| !QUALIFIERS.contains(word)).collect();
        return class(&words.join(" "), stars + more, is_const, types, depth + 1);
    }
    let scalar = if types.of_template.iter().any(|own| own == base) { Some(Element::Float(32)) } else { scalar(base) };
    match (stars, scalar) {
        (0, Some(Element::Float(bits @ (32 | 64)))) => Class::Float(bits),
        (0, Some(Element::Signed(bits) | Element::Unsigned(bits))) => Class::Whole(bits),
        (0, _) if base.starts_with("cudaTextureObject") || base.starts_with("cudaSurfaceObject") => Class::Texture,
        (0, _) if base.starts_with("texture ") || base.starts_with("surface ") => Class::Texture,
        (0, _) => Class::Structure,
        (1, Some(element)) => Class::Pointer { element: Some((element, 1)), is_const },
        (1, None) => Class::Pointer { element: vector(base), is_const },
        _ => Class::Indirect,
    }
}

/// The type of this name.
pub(super) fn scalar(name: &str) -> Option<Element> {
    let mut words: Vec<&str> = name.split(' ').collect();
    let is_unsigned = words.contains(&"unsigned");
    let longs = words.iter().filter(|word| **word == "long").count();
    words.retain(|word| !["unsigned", "signed", "int", "long"].contains(word));
    let whole = |bits: u8| Some(if is_unsigned { Element::Unsigned(bits) } else { Element::Signed(bits) });
    match words[..] {
        [] => whole(if longs > 0 { 64 } else { 32 }),
        ["short"] => whole(16),
        ["char"] => whole(8),
        ["float"] => Some(Element::Float(32)),
        ["double"] => Some(Element::Float(64)),
        ["half" | "__half" | "half_t"] => Some(Element::Float(16)),
        ["__nv_bfloat16" | "nv_bfloat16" | "bfloat16"] => Some(Element::BrainFloat),
        ["int8_t"] => Some(Element::Signed(8)),
        ["int16_t"] => Some(Element::Signed(16)),
        ["int32_t"] => Some(Element::Signed(32)),
        ["int64_t" | "ptrdiff_t" | "ssize_t"] => Some(Element::Signed(64)),
        ["bool" | "uint8_t" | "uchar"] => Some(Element::Unsigned(8)),
        ["uint16_t" | "ushort"] => Some(Element::Unsigned(16)),
        ["uint32_t" | "uint"] => Some(Element::Unsigned(32)),
        ["uint64_t" | "size_t" | "ulong" | "uintptr_t"] => Some(Element::Unsigned(64)),
        _ => None,
    }
}

/// The type of the components of CUDA's vector types, with their number.
pub(super) fn vector(name: &str) -> Option<(Element, u32)> {
    let halves = match name {
        "half2" | "__half2" => Some(Element::Float(16)),
        "__nv_bfloat162" | "nv_bfloat162" => Some(Element::BrainFloat),
        _ => None,
    };
    if let Some(element) = halves {
        return Some((element, 2));
    }
    let count = name.bytes().last().filter(|digit| (b'1'..=b'4').contains(digit))? - b'0';
    let element = match &name[..name.len() - 1] {
        "float" => Element::Float(32),
        "double" => Element::Float(64),
        "int" => Element::Signed(32),
        "uint" => Element::Unsigned(32),
        "short" => Element::Signed(16),
        "ushort" => Element::Unsigned(16),
        "char" => Element::Signed(8),
        "uchar" => Element::Unsigned(8),
        "longlong" | "long" => Element::Signed(64),
        "ulonglong" | "ulong" => Element::Unsigned(64),
        _ => return None,
    };
    Some((element, u32::from(count)))
}

/// The parameters of a template: what is between its angle brackets.
pub(super) fn templates(list: &[Token<'_>]) -> Vec<TemplateParameter> {
    let one = |part: &[Token<'_>]| {
        let (part, default) = without_default(part);
        let words: Vec<&Token<'_>> = part.iter().filter(|token| token.kind == Kind::Word).collect();
        let is_plain = part.iter().all(|token| token.is_word() || token.is("::"));
        let first = words.iter().find(|token| !["const", "std"].contains(&token.text)).map(|token| token.text);
        let base: Vec<&str> = words.iter().rev().skip(1).rev().map(|token| token.text).collect();
        let base: Vec<&str> = base.into_iter().filter(|word| !QUALIFIERS.contains(word)).collect();
        let kind = match first {
            Some("typename" | "class") if is_plain && words.len() <= 2 => TemplateKind::Type,
            Some("bool") if is_plain => TemplateKind::Flag,
            _ if is_plain
                && words.len() > 1
                && matches!(scalar(&base.join(" ")), Some(Element::Signed(_) | Element::Unsigned(_))) =>
            {
                TemplateKind::Whole
            }
            _ => TemplateKind::Other,
        };
        let name = words.last().map(|token| token.text.to_owned()).unwrap_or_default();
        TemplateParameter { name, kind, default }
    };
    parts(list).into_iter().map(one).collect()
}

/// The parameters in what a demangler writes behind a function's name.
pub(super) fn demangled_parameters(list: &str) -> Vec<Parameter> {
    let list = list.replace("(anonymous namespace)::", "");
    let tokens = tokens(&list);
    // A demangler writes `float const*` and no names.
    parameters(&tokens, &Types::default())
}

/// The type of a number that is spelled so.
pub(super) fn number_of(ty: &str) -> Option<Element> {
    let tokens = tokens(ty);
    if tokens.iter().any(|own| !own.is_word() && !own.is("::")) { None } else { scalar(&words_of(&tokens)) }
}
