//! What names of the host's code stand for at a launch: numbers, sums of what the kernel is given, and extents in up to three dimensions.

use std::collections::HashMap;

use super::allocations::{Allocations, key};
use super::body::Function;
use super::brackets::balanced;
use super::calls::{Call, HostFunction, Place};
use super::decimals::{Decimals, decimal};
use super::expression::{Expression, Names, value};
use super::initialised::makes;
use super::launches::{Known, Number};
use super::parameters::{joined, parts, scalar, vector};
use super::repeated::Repeated;
use super::token::Token;

/// Calls of functions in functions that are followed.
const CALLS_DEEPEST: u32 = 4;

/// A macro that is like a function.
pub(super) struct Macro<'a> {
    pub(super) name: &'a str,
    pub(super) parameters: Vec<&'a str>,
    pub(super) body: Vec<Token<'a>>,
}

/// What functions that only return something return, and what macros stand for.
pub(super) fn returned<'t, 'a>(
    functions: &HashMap<String, Function<'t, 'a>>,
    macros: &'t [Macro<'a>],
) -> HashMap<String, Function<'t, 'a>> {
    let of_functions = functions.iter().filter_map(|(name, own)| {
        let body = own.body.split_first().filter(|(first, _)| first.is("return"))?.1;
        Some((name.clone(), Function { parameters: own.parameters.clone(), templates: Vec::new(), body }))
    });
    let of_macros = macros.iter().map(|own| {
        let parameters = own.parameters.iter().map(|name| Some((*name).to_owned())).collect();
        (own.name.to_owned(), Function { parameters, templates: Vec::new(), body: &own.body })
    });
    of_functions.chain(of_macros).collect()
}

/// Functions that read what people write: what is set to such has its value from before.
const OF_USERS: [&str; 14] = [
    "argv", "atoi", "atol", "atoll", "atof", "stoi", "stol", "stoul", "stoull", "stof", "stod", "strtol", "strtoul",
    "strtoull",
];
/// Functions that call each other whose names are followed.
const CALLERS_MOST: u32 = 4;

/// What is known at a place of the host's code.
pub(super) struct Host<'k, 't, 'a> {
    known: &'k Known<'k, 't, 'a>,
    pub(super) names: Names,
    extents: HashMap<String, Vec<Expression>>,
    pub(super) decimals: Decimals,
    /// Members of structures that lists say, by their names or their places.
    pub(super) members: HashMap<String, Number>,
    pub(super) allocations: Allocations,
    /// What types among the parameters of a template stand for.
    pub(super) types: HashMap<String, String>,
    /// The types of what addresses lead to.
    pub(super) pointed: HashMap<String, String>,
    /// The loops around.
    pub(super) repeated: Repeated,
    /// Names that mean what the kernel is given, whatever they were set to.
    given: Names,
}

impl<'k, 't, 'a> Host<'k, 't, 'a> {
    /// What is known at a place, in a function that is called there. The names in `given` mean that, whatever they were set to.
    pub(super) fn at(
        place: Place<'_, 'a>,
        call: Option<&Call<'t, 'a>>,
        known: &'k Known<'k, 't, 'a>,
        given: &Names,
    ) -> Self {
        Self::below(place, call, known, given, 0)
    }

    fn below(
        place: Place<'_, 'a>,
        call: Option<&Call<'t, 'a>>,
        known: &'k Known<'k, 't, 'a>,
        given: &Names,
        depth: u32,
    ) -> Self {
        let mut own = Self {
            known,
            names: known.constants.clone(),
            extents: HashMap::new(),
            decimals: known.decimals.clone(),
            members: HashMap::new(),
            allocations: Allocations::new(),
            types: HashMap::new(),
            pointed: HashMap::new(),
            repeated: Repeated::default(),
            given: given.clone(),
        };
        if let Some(function) = place.host.and_then(|host| known.hosts.all.get(host)) {
            own.repeated = Repeated::around(function.body, place.before.len());
            function.templates.iter().for_each(|template| drop(own.names.remove(&template.name)));
            if let Some(call) = call.filter(|_| depth < CALLERS_MOST) {
                own.receive(function, call, given, depth);
            }
        }
        own.names.extend(given.iter().map(|(name, value)| (name.clone(), value.clone())));
        own.follow(place.before);
        own
    }

    /// What a function gets where it is called.
    fn receive(&mut self, function: &HostFunction<'t, 'a>, call: &Call<'t, 'a>, given: &Names, depth: u32) {
        // What the caller calls what the kernel gets.
        let mut of_caller = if function.is_macro { given.clone() } else { Names::new() };
        for (name, part) in function.parameters.iter().zip(&call.given) {
            let stands_for = name.as_ref().and_then(|name| given.get(name));
            of_caller.extend(stands_for.and_then(|own| Some((only_name(part)?, own.clone()))));
        }
        let call_of_caller = self.known.hosts.calls(call.place.host).first();
        let caller = Self::below(call.place, call_of_caller, self.known, &of_caller, depth + 1);
        for (name, part) in function.parameters.iter().zip(&call.given) {
            let Some(name) = name else { continue };
            self.names.insert(name.clone(), caller.value(part));
            self.extents.extend(Some((name.clone(), caller.extents(part))).filter(|(_, own)| own.len() > 1));
            self.decimals.extend(caller.decimal(part).map(|own| (name.clone(), own)));
            self.types.insert(name.clone(), joined(part));
            let line = caller.repeated.line(part);
            self.repeated.lines.extend(line.map(|line| (name.clone(), line)));
            let pointed = only_name(part).and_then(|own| caller.pointed.get(&own));
            self.pointed.extend(pointed.map(|own| (name.clone(), own.clone())));
            self.allocations.extend(caller.allocated(part).map(|own| (name.clone(), own.clone())));
            // Members of a structure.
            let begins = only_name(part).map(|own| format!("{own}."));
            let members =
                caller.allocations.iter().filter_map(|(key, own)| Some((key.strip_prefix(begins.as_ref()?)?, own)));
            self.allocations.extend(members.map(|(member, own)| (format!("{name}.{member}"), own.clone())));
            let Some(begins) = begins else { continue };
            let own = |key: &str| Some(format!("{name}.{}", key.strip_prefix(&begins)?));
            self.names.extend(caller.names.iter().filter_map(|(key, value)| Some((own(key)?, value.clone()))));
            self.decimals.extend(caller.decimals.iter().filter_map(|(key, value)| Some((own(key)?, *value))));
            self.members.extend(caller.members.iter().filter_map(|(key, value)| Some((own(key)?, *value))));
        }
        for (place, template) in function.templates.iter().enumerate() {
            let part = call.templates.get(place);
            let text = part.map(|part| joined(part)).or_else(|| template.default.clone());
            let value = match part {
                Some(part) => caller.value(part),
                None => text.as_ref().and_then(|own| own.parse().ok()).map_or(Expression::Unknown, Expression::Number),
            };
            self.names.insert(template.name.clone(), value);
            let text = text.map(|own| caller.types.get(&own).cloned().unwrap_or(own));
            if let Some(bytes) = text.as_ref().and_then(|own| caller.value_of_size(own)) {
                self.names.insert(format!("sizeof {}", template.name), Expression::Number(bytes));
            }
            self.types.extend(text.map(|own| (template.name.clone(), own)));
        }
        if function.is_macro {
            let is_own = |name: &String| function.parameters.iter().flatten().any(|own| own == name);
            let Self { names, extents, decimals, allocations, types, pointed, .. } = caller;
            self.pointed.extend(pointed.into_iter().filter(|(name, _)| !is_own(name)));
            self.names.extend(names.into_iter().filter(|(name, _)| !is_own(name)));
            self.extents.extend(extents.into_iter().filter(|(name, _)| !is_own(name)));
            self.decimals.extend(decimals.into_iter().filter(|(name, _)| !is_own(name)));
            self.allocations.extend(allocations.into_iter().filter(|(name, _)| !is_own(name)));
            self.types.extend(types.into_iter().filter(|(name, _)| !is_own(name)));
        }
    }

    /// Goes through statements; what loops around do behind each round is not done yet.
    fn follow(&mut self, tokens: &[Token<'_>]) {
        let steps = self.repeated.steps.clone();
        for place in (0..tokens.len()).filter(|place| !steps.iter().any(|step| step.contains(place))) {
            let rest = &tokens[place..];
            if rest[0].is("dim3") {
                self.declare_extents(&rest[1..]);
            } else if rest[0].is_word() {
                self.allocate(tokens, place);
                self.declare_addresses(tokens, place);
                self.set(tokens, place);
                self.initialise(tokens, place);
            }
        }
    }

    /// A name means that from here on.
    pub(super) fn name(&mut self, name: String, value: Expression) {
        if !self.given.contains_key(&name) {
            self.names.insert(name, value);
        }
    }

    fn name_extents(&mut self, name: &str, extents: Vec<Expression>) {
        for (axis, place) in [".x", ".y", ".z"].into_iter().zip(0..) {
            let extent = extents.get(place).cloned().unwrap_or(Expression::Number(1));
            self.name(format!("{name}{axis}"), extent);
        }
        self.extents.insert(name.to_owned(), extents);
    }

    /// `dim3 grid(4, 2), block = dim3(32, 8);`
    fn declare_extents(&mut self, mut tokens: &[Token<'_>]) {
        while let [name, open, ..] = tokens
            && name.is_word()
        {
            let length = if open.is("=") {
                let length = up_to_end(&tokens[2..]);
                let extents = self.extents(&tokens[2..=1 + length]);
                self.name_extents(name.text, extents);
                2 + length
            } else if open.is("(") || open.is("{") {
                let length = balanced(&tokens[1..]);
                let extents = self.list(&tokens[1..=length]);
                self.name_extents(name.text, extents);
                1 + length
            } else {
                return;
            };
            match tokens.get(length) {
                Some(next) if next.is(",") => tokens = &tokens[length + 1..],
                _ => return,
            }
        }
    }

    /// `int blocks = ...`, `int blocks{...}`, `blocks = ...` or `sizes.blocks = ...`.
    fn set(&mut self, tokens: &[Token<'_>], place: usize) {
        let [own, next, rest @ ..] = &tokens[place..] else { return };
        let before = place.checked_sub(1).map(|place| tokens[place]);
        let is_member = before.is_some_and(|own| own.is(".") || own.is("->"));
        let around = place.checked_sub(2).map(|place| tokens[place]).filter(|_| is_member);
        let name = around.map_or(own.text.to_owned(), |around| format!("{}.{}", around.text, own.text));
        if let Some(Expression::Structure(place)) = around.and_then(|around| self.given.get(around.text)) {
            // What it is set to is what the kernel gets.
            let written = if next.is("=") { &rest[..up_to_end(rest)] } else { &[] };
            let member = Expression::Member(*place, own.text.to_owned());
            only_name(written).into_iter().for_each(|name| self.name(name, member.clone()));
            return;
        }
        if self.given.contains_key(&name) {
            return;
        }
        let is_typed = before.is_some_and(|own| own.is("auto") || scalar(own.text).is_some());
        let written = match next.text {
            "=" => &rest[..up_to_end(rest)],
            "(" | "{" if is_typed => rest.get(..balanced(&tokens[place + 1..]).saturating_sub(2)).unwrap_or_default(),
            "+=" | "-=" | "*=" | "/=" | "%=" | "++" | "--" => &[],
            "<<" | ">" if rest.first().is_some_and(|own| own.is("=") || own.is(">=")) => &[],
            _ => return,
        };
        let mut extents = if next.is("=") { self.extents(written) } else { vec![self.value(written)] };
        let Some(value) = extents.pop().filter(|_| extents.is_empty()) else {
            let extents = self.extents(written);
            self.name_extents(&name, extents);
            return;
        };
        let decimal = decimal(written, &self.names, &self.decimals);
        let is_whole = before.is_some_and(|own| scalar(own.text).is_some_and(|own| !own.is_float()));
        let value = match decimal {
            Some(own) if is_whole => Expression::Number(own as i64),
            Some(_) => Expression::Unknown,
            None => value,
        };
        let is_known = decimal.is_some() || value != Expression::Unknown;
        if !is_known && written.iter().any(|own| OF_USERS.contains(&own.text)) {
            return;
        }
        self.decimals.remove(&name);
        if !is_whole {
            self.decimals.extend(decimal.map(|own| (name.clone(), own)));
        }
        self.names.insert(name, value);
    }

    /// The extents that are given for a grid or a block.
    pub(super) fn extents(&self, tokens: &[Token<'_>]) -> Vec<Expression> {
        match tokens {
            [only] if self.extents.contains_key(only.text) => self.extents[only.text].clone(),
            [name, open, ..] if makes(tokens) || (name.is("dim3") && open.is("{")) => self.list(&tokens[1..]),
            [open, ..] if open.is("{") => self.list(tokens),
            _ => vec![self.value(tokens)],
        }
    }

    /// `(4, 2)` or `{4, 2}`
    fn list(&self, tokens: &[Token<'_>]) -> Vec<Expression> {
        let inner = tokens.get(1..tokens.len().saturating_sub(1)).unwrap_or_default();
        parts(inner).into_iter().map(|part| self.value(part)).collect()
    }

    /// An expression of the host, also of what one of the source's functions or macros returns.
    pub(super) fn value(&self, tokens: &[Token<'_>]) -> Expression {
        let of_vectors = without_sizes(tokens);
        let tokens = of_vectors.as_deref().unwrap_or(tokens);
        match self.value_with(tokens, &self.names, 0) {
            Expression::Unknown => self.chosen(tokens).unwrap_or(Expression::Unknown),
            value => value,
        }
    }

    /// `argc > 1 ? atoi(argv[1]) : 1024` is the number where the other one is not known.
    fn chosen(&self, tokens: &[Token<'_>]) -> Option<Expression> {
        let length = up_to_end(tokens);
        let question = tokens[..length].iter().position(|own| own.is("?"))?;
        let colon = question + tokens[question..length].iter().position(|own| own.is(":"))?;
        let one = self.value_with(&tokens[question + 1..colon], &self.names, 0);
        let other = self.value_with(&tokens[colon + 1..length], &self.names, 0);
        match (one, other) {
            (Expression::Unknown, Expression::Number(own)) | (Expression::Number(own), Expression::Unknown) => {
                Some(Expression::Number(own))
            }
            _ => None,
        }
    }

    /// The number that is given here, if it is one.
    pub(super) fn number(&self, tokens: &[Token<'_>]) -> Option<Number> {
        match tokens {
            [only] if only.is("true") || only.is("false") => Some(Number::Whole(i64::from(only.is("true")))),
            _ => self.decimal(tokens).map(Number::Decimal).or_else(|| self.value(tokens).number().map(Number::Whole)),
        }
    }

    fn decimal(&self, tokens: &[Token<'_>]) -> Option<f64> {
        decimal(tokens, &self.names, &self.decimals)
    }

    /// The bytes of a type.
    pub(super) fn value_of_size(&self, typed: &str) -> Option<i64> {
        let typed = self.types.get(typed).map_or(typed, String::as_str);
        let of_structure = || self.names.get(&format!("sizeof {typed}")).and_then(Expression::number);
        let of_vector = || vector(typed).map(|(element, count)| element.bytes() as i64 * i64::from(count));
        scalar(typed).map(|own| own.bytes() as i64).or_else(of_vector).or_else(of_structure)
    }

    fn value_with(&self, tokens: &[Token<'_>], names: &Names, depth: u32) -> Expression {
        let [name, open, ..] = tokens else { return value(tokens, names) };
        let is_call = open.is("(") && 1 + balanced(&tokens[1..]) == tokens.len();
        let Some(function) = self.known.functions.get(name.text).filter(|_| is_call && depth < CALLS_DEEPEST) else {
            return value(tokens, names);
        };
        let given = parts(&tokens[2..tokens.len() - 1]).into_iter().map(|part| self.value_with(part, names, depth + 1));
        let mut inner = self.known.constants.clone();
        inner.extend(function.parameters.iter().zip(given).filter_map(|(name, value)| Some((name.clone()?, value))));
        let body = match function.body.iter().position(|own| own.is("return")) {
            Some(place) => &function.body[place + 1..],
            None => function.body,
        };
        self.value_with(&body[..up_to_end(body)], &inner, depth + 1)
    }
}

/// The name that is given where nothing else is, with its members: also behind a cast, and of a vector whose size is given.
pub(super) fn only_name(part: &[Token<'_>]) -> Option<String> {
    let of_vector = without_sizes(part);
    let part = of_vector.as_deref().unwrap_or(part);
    let is_cast = |own: &Token<'_>| own.is("static_cast") || scalar(own.text).is_some() || !own.is_word();
    let is_plain = part.iter().all(|own| own.is_word() || ["(", ")", "<", ">", ".", "->"].contains(&own.text));
    let begin = part.iter().position(|own| !is_cast(own)).filter(|_| is_plain)?;
    let (name, _) = key(&part[begin..])?;
    let behind = part[begin..].iter().filter(|own| own.is_word()).count();
    (behind == name.split('.').count()).then_some(name)
}

/// `v.size()` as `v`, which stands for that; `None` where there is none.
fn without_sizes<'a>(tokens: &[Token<'a>]) -> Option<Vec<Token<'a>>> {
    let is_size = |own: &[Token<'_>]| own[0].is(".") && own[1].is("size") && own[2].is("(") && own[3].is(")");
    let first = tokens.windows(4).position(is_size)?;
    let mut kept = tokens[..first].to_vec();
    let mut place = first;
    while place < tokens.len() {
        if tokens[place..].get(..4).is_some_and(is_size) {
            place += 4;
        } else {
            kept.push(tokens[place]);
            place += 1;
        }
    }
    Some(kept)
}

/// How many tokens there are before the comma or the semicolon that ends an expression.
pub(super) fn up_to_end(tokens: &[Token<'_>]) -> usize {
    let mut place = 0;
    while let Some(token) = tokens.get(place) {
        match token.text {
            "(" | "[" | "{" => place += balanced(&tokens[place..]),
            ";" | "," | ")" | "}" => return place,
            _ => place += 1,
        }
    }
    // What is not closed leads behind the end.
    place.min(tokens.len())
}
