//! Structures that a source defines, as far as their layout is seen: members that are numbers, addresses, structures such as CUDA's vectors, and arrays of them.

use super::bases::base_of;
use super::brackets::closing;
use super::enumerations;
use super::expression::{Names, expression};
use super::generic::Templates;
use super::opaque;
use super::parameters::{Types, parts, pointed, scalar, words_of};
use super::token::{Kind, Token};
use crate::workload::Element;

/// A structure that a source defines.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Structure {
    /// Its name.
    pub name: String,
    /// Its members, in order.
    pub members: Vec<Member>,
    /// What its address is a multiple of, where the source asks for more than its members do.
    pub asked_align: Option<u64>,
}

/// A member of a structure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Member {
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: MemberKind,
    /// How many there are of an array; 1 of what is none.
    pub count: u64,
}

/// What a member is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum MemberKind {
    /// A number.
    Number(Element),
    /// An address: the type of what is there, with how many of them an element has, where that is known.
    Pointer {
        /// The type of what is there.
        element: Option<(Element, u32)>,
        /// Whether it is only read.
        is_const: bool,
    },
    /// A structure.
    Structure(Structure),
}

/// The most elements of an array.
const COUNT_MOST: i64 = 1 << 16;
/// The most members of a structure, those of the structures in it among them. What is larger is no argument of a kernel.
const MEMBERS_MOST: usize = 1 << 12;
/// The most members in one declaration.
const DECLARED_MOST: usize = 256;

impl MemberKind {
    /// Its size and its alignment.
    pub fn layout(&self) -> (u64, u64) {
        match self {
            Self::Number(element) => (element.bytes(), element.bytes()),
            Self::Pointer { .. } => (8, 8),
            Self::Structure(own) => own.layout(),
        }
    }
}

impl Member {
    /// How many members it is, with those of the structures in it.
    fn all(&self) -> usize {
        match &self.kind {
            MemberKind::Structure(own) => 1 + own.members.iter().map(Self::all).sum::<usize>(),
            _ => 1,
        }
    }
}

impl Structure {
    /// Its size and its alignment, as a C++ compiler has them.
    pub fn layout(&self) -> (u64, u64) {
        let (mut end, mut most) = (0_u64, self.asked_align.unwrap_or(1).max(1));
        for member in &self.members {
            let (bytes, align) = member.kind.layout();
            most = most.max(align);
            end = end.next_multiple_of(align).saturating_add(bytes.saturating_mul(member.count));
        }
        // An empty structure has a byte.
        (end.max(1).checked_next_multiple_of(most).unwrap_or(u64::MAX), most)
    }

    /// The type that all of it has, with how many of them, where there is one and nothing between them.
    pub fn only_element(&self) -> Option<(Element, u64)> {
        let mut found: Option<(Element, u64)> = None;
        for member in &self.members {
            let (element, count) = match &member.kind {
                MemberKind::Number(element) => (*element, 1),
                MemberKind::Structure(own) => own.only_element()?,
                MemberKind::Pointer { .. } => return None,
            };
            let all = found.map_or(0, |(_, count)| count).saturating_add(count.saturating_mul(member.count));
            found = Some((element, all)).filter(|_| found.is_none_or(|(own, _)| own == element));
            found?;
        }
        found.filter(|(element, count)| element.bytes().saturating_mul(*count) == self.layout().0)
    }
}

/// Adds the structures that are defined in a text to the types. What has more than members and functions is left out.
pub(super) fn add_all(tokens: &[Token<'_>], types: &mut Types, constants: &Names) {
    types.enumerations = enumerations::all(tokens);
    types.opaque = opaque::all(tokens);
    types.templates = Templates::new(constants);
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        if token.is("template") {
            place += types.templates.add(&tokens[place..]);
        } else if token.is("struct") || token.is("class") {
            place += definition(&tokens[place..], types, constants);
        } else {
            place += 1;
        }
    }
}

/// Adds the structure that begins here, if one does. Tokens that are done with.
pub(super) fn definition(tokens: &[Token<'_>], types: &mut Types, constants: &Names) -> usize {
    let mut place = 1;
    let (mut name, mut asked_align, mut base) = (None, None, None);
    while let Some(token) = tokens.get(place) {
        match token.text {
            "__align__" | "alignas" | "__builtin_align__" => {
                let length = tokens.get(place + 1..).and_then(closing).unwrap_or(0);
                let inner = tokens.get(place + 2..place + 1 + length).unwrap_or_default();
                asked_align = expression(inner, constants).0.number().and_then(|align| u64::try_from(align).ok());
                if !asked_align.is_some_and(|align| align.is_power_of_two() && align <= 128) {
                    return place;
                }
                place += 1 + length;
            }
            "{" => break,
            _ if token.is_word() && name.is_none() => {
                name = Some(token.text);
                place += 1;
            }
            "final" => place += 1,
            ":" => {
                let end = tokens[place..].iter().position(|own| own.is("{") || own.is(";") || own.is("("));
                let Some(own) = end.and_then(|end| base_of(&tokens[place + 1..place + end], types)) else {
                    return place;
                };
                place += end.unwrap_or(1);
                base = Some(own);
            }
            // No definition.
            _ => return place,
        }
    }
    let Some(length) = tokens.get(place..).and_then(closing) else { return place };
    let body = &tokens[place + 1..(place + length - 1).max(place + 1)];
    let behind = tokens.get(place + length);
    // typedef struct { ... } Name;
    let other = behind.filter(|token| token.is_word()).map(|token| token.text);
    if let Some(mut members) = members(body, types, constants) {
        if let Some(own) = base {
            asked_align = asked_align.max(own.asked_align);
            members.splice(0..0, own.members);
        }
        for name in name.into_iter().chain(other) {
            let own = Structure { name: name.to_owned(), members: members.clone(), asked_align };
            types.structures.entry(name.to_owned()).or_insert(own);
        }
    }
    place + length
}

/// The members between a structure's brackets; `None` where some are not understood.
fn members(body: &[Token<'_>], types: &Types, constants: &Names) -> Option<Vec<Member>> {
    let (mut all, mut counted) = (Vec::new(), 0);
    let mut begin = 0;
    while begin < body.len() {
        let rest = &body[begin..];
        if rest[0].is(";") || rest[0].kind == Kind::Directive {
            // What the preprocessor leaves of the members is not known.
            if rest[0].text.trim_start_matches(['#', ' ']).starts_with("if") {
                return None;
            }
            begin += 1;
            continue;
        }
        if ["public", "private", "protected"].contains(&rest[0].text) && rest.get(1).is_some_and(|own| own.is(":")) {
            begin += 2;
            continue;
        }
        let end = rest.iter().position(|own| own.is(";") || own.is("{") || own.is("("))?;
        let declared = &rest[..end];
        let has = |words: &[&str]| declared.iter().any(|own| words.contains(&own.text));
        if has(&["virtual", "struct", "class", "union", "template", "volatile", "alignas", "__align__"]) {
            return None;
        }
        // An enumeration that is defined here, and no member of it.
        if has(&["enum"]) && rest[end].is("{") {
            begin +=
                end + closing(&rest[end..]).filter(|length| rest.get(end + length).is_some_and(|own| own.is(";")))?;
            continue;
        }
        let is_function = rest[end].is("(") && !has(&["="]);
        // An address of a function.
        if is_function && rest.get(end + 1).is_some_and(|own| own.is("*")) {
            return None;
        }
        if is_function {
            begin += function(rest, end)?;
            continue;
        }
        let whole = end + rest[end..].iter().position(|own| own.is(";"))?;
        begin += whole + 1;
        if has(&["static", "using", "typedef", "friend"]) {
            continue;
        }
        let own = declared_members(&rest[..whole], types, constants)?;
        counted += own.iter().map(Member::all).sum::<usize>();
        if counted > MEMBERS_MOST {
            return None;
        }
        all.extend(own);
    }
    Some(all)
}

/// The tokens of a function: up to its body's end or its semicolon.
fn function(rest: &[Token<'_>], open: usize) -> Option<usize> {
    let mut place = open + closing(&rest[open..])?;
    loop {
        match rest.get(place)?.text {
            ";" => return Some(place + 1),
            "{" => {
                place += closing(&rest[place..])?;
                // Members may be set with brackets before the body: `: a{1} { }`.
                if !rest.get(place).is_some_and(|own| own.is(",") || own.is("{")) {
                    return Some(place);
                }
            }
            "(" => place += closing(&rest[place..])?,
            _ => place += 1,
        }
    }
}

/// `const float* a, *b` or `int counts[4], n = 2`.
fn declared_members(declared: &[Token<'_>], types: &Types, constants: &Names) -> Option<Vec<Member>> {
    let ends = |own: &Token<'_>| own.is("=") || own.is("{") || own.is("[");
    let all: Vec<&[Token<'_>]> = parts(declared);
    let first = all.first().filter(|_| all.len() <= DECLARED_MOST)?;
    let before = &first[..first.iter().position(ends).unwrap_or(first.len())];
    let name = before.iter().rposition(Token::is_word)?;
    let base_end = before.iter().position(|own| own.is("*")).unwrap_or(name);
    let base = first.get(..base_end).filter(|base| !base.is_empty())?;
    if base.iter().any(|own| own.is("&") || own.is(":")) {
        return None;
    }
    let member = |(place, part): (usize, &&[Token<'_>])| {
        let declarator = if place == 0 { &part[base_end..] } else { part };
        let end = declarator.iter().position(|own| own.is("=") || own.is("{")).unwrap_or(declarator.len());
        let declarator = &declarator[..end];
        // The width of a field of bits.
        if declarator.iter().any(|own| own.is(":") || own.is("&")) {
            return None;
        }
        let brackets = declarator.iter().position(|own| own.is("[")).unwrap_or(declarator.len());
        let (plain, mut extents) = declarator.split_at(brackets);
        let mut count = 1_i64;
        while let Some(length) = extents.first().and_then(|_| closing(extents)) {
            let inner = extents.get(1..length - 1)?;
            count = count.checked_mul(expression(inner, constants).0.number()?)?;
            extents = &extents[length..];
        }
        let count = (1..=COUNT_MOST).contains(&count).then_some(count)?;
        let name = plain.iter().rev().find(|own| own.is_word())?.text.to_owned();
        let stars = plain.iter().filter(|own| own.is("*")).count();
        Some(Member { name, kind: kind(base, stars, types)?, count: count as u64 })
    };
    all.iter().enumerate().map(member).collect()
}

/// What a member of this type is.
fn kind(base: &[Token<'_>], stars: usize, types: &Types) -> Option<MemberKind> {
    let is_const = base.iter().any(|own| own.is("const"));
    let (name, more) = types.resolved(&words_of(base));
    match stars + more {
        0 => {
            let number = scalar(&name).or_else(|| types.enumeration(&name)).map(MemberKind::Number);
            number.or_else(|| types.structure(&name).map(|own| MemberKind::Structure(own.into_owned())))
        }
        1 => Some(MemberKind::Pointer { element: pointed(&name, types), is_const }),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::token::tokens;
    use super::*;

    fn layouts(text: &str) -> Vec<(String, (u64, u64))> {
        let mut types = Types::default();
        add_all(&tokens(text), &mut types, &Names::new());
        let mut all: Vec<_> = types.structures.values().map(|own| (own.name.clone(), own.layout())).collect();
        all.sort();
        all
    }

    fn layout(text: &str) -> Option<(u64, u64)> {
        layouts(text).into_iter().find(|(name, _)| name == "S").map(|(_, layout)| layout)
    }

    /// The sizes and alignments are those that `static_assert` confirms with nvcc 13.0.
    #[test]
    fn structures_have_the_layout_of_cuda() {
        for (text, expected) in [
            ("struct S { int n; float* data; char last; };", (24, 8)),
            ("struct S { char a; short b; char c; };", (6, 2)),
            ("struct __align__(16) S { float x, y, z; };", (16, 16)),
            ("struct alignas(8) S { float x; };", (8, 8)),
            ("struct S { float3 a; float2 b; char4 c; };", (32, 8)),
            ("struct S { float weights[3][2], *more; bool on; };", (40, 8)),
            ("struct T { double d; char b; }; namespace a { struct S { char a; T inner[2]; char c; }; }", (48, 8)),
            ("typedef struct { int a, b; } S;", (8, 4)),
            (
                "struct S { S() : a{1}, b(2) {} int a; unsigned long long b = 3; int sum() const { return a; } private: half c; };",
                (24, 8),
            ),
            ("struct S { static const int N = 4; };", (1, 1)),
            (
                "struct S { enum Kind : char { A, B }; char a; enum Mode mode; Kind kind; }; enum Mode { FAST };",
                (12, 4),
            ),
            ("struct A { double a; int b[2]; }; struct S : public A { char c; };", (24, 8)),
            ("template <class T> struct A { T a; }; struct S : A<short> { A<float> c; };", (8, 4)),
            ("class S final { public: const int *__restrict__ a; __nv_bfloat16 b; };", (16, 8)),
        ] {
            assert_eq!(layout(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn what_is_not_understood_is_left_out() {
        for text in [
            "struct S : T { int a; };",
            "struct A { int a; }; struct B { int b; }; struct S : A, B { int c; };",
            "struct A { int a; char b; }; struct S : A { char c; };",
            "struct A { int a; }; struct S : virtual A { char c; };",
            "struct S { int a : 3; };",
            "struct S { union { int a; float b; }; };",
            "struct S { virtual int f(); int a; };",
            "struct S { Unknown a; };",
            "struct S { std::vector<int> a; };",
            "template <class T> struct S { T a; };",
            "struct S { int a[N]; };",
            "struct S { int a[-1]; };",
            "struct S { void (*call)(int); };",
            "struct S { float** rows; };",
            "struct S { int& a; };",
            "struct S {\n#ifdef A\nint a;\n#endif\n};",
            "struct S; S* f();",
            "struct S { int a",
            "struct __align__(3) S { int a; };",
        ] {
            assert_eq!(layout(text), None, "{text}");
        }
    }

    #[test]
    fn structures_of_one_type_are_elements_of_it() {
        let only = |text: &str| {
            let mut types = Types::default();
            add_all(&tokens(text), &mut types, &Names::new());
            types.structures.get("S").and_then(Structure::only_element)
        };
        assert_eq!(only("struct S { float p[3]; float mass; };"), Some((Element::Float(32), 4)));
        assert_eq!(only("struct S { float2 a; float b; };"), None, "there is a gap at the end");
        assert_eq!(only("struct S { float a; int b; };"), None);
        assert_eq!(only("struct S {};"), None);
    }

    /// Each structure has the one before twice.
    #[test]
    fn structures_that_grow_without_end_are_left_out() {
        let text: String = (1..60).map(|own| format!("struct S{own} {{ S{} a; S{} b; }};", own - 1, own - 1)).collect();
        assert!(layouts(&format!("struct S0 {{ int a; }};{text}")).len() < 20);
    }
}
