//! Expressions as people write them, put as `exmex` reads them: it takes functions of two values for operators, and loses brackets where one of
//! them has another one as its second value. What it would read in another way than people mean is refused.

use std::ops::Range;

use exmex::{MakeOperators, MatchLiteral};

use super::{Numbers, Operators, Unreadable};

/// The text as `exmex` reads it: names in braces, `min(a, b, c)` as `((a) min (b) min (c))`.
///
/// # Errors
/// What is wrong with brackets, functions, commas or powers, and where.
pub(super) fn for_exmex(text: &str, names: &[&'static str], allowed: &str) -> Result<String, Unreadable> {
    let tokens = Tokens { text, all: tokens(text), names };
    let read = || {
        let calls = tokens.calls()?;
        tokens.check_order()?;
        (0..tokens.all.len()).filter(|own| tokens.is(*own, "^")).try_for_each(|own| tokens.check_power(own, &calls))?;
        Ok(tokens.written(&calls))
    };
    read().map_err(|wrong: Wrong| wrong.unreadable(text, allowed))
}

/// A part of an expression, and which bytes of the text it is.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Token {
    kind: Kind,
    place: Range<usize>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Number,
    Word,
    /// A bracket, a comma or an operator, or what nothing begins with.
    Sign,
}

fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut start = 0;
    while let Some(letter) = text[start..].chars().next() {
        let rest = &text[start..];
        let in_word = |own: &char| own.is_ascii_alphanumeric() || *own == '_';
        let (kind, length) = match Numbers::is_literal(rest) {
            Some(number) => (Some(Kind::Number), number.len()),
            None if in_word(&letter) => (Some(Kind::Word), rest.chars().take_while(in_word).count()),
            None => ((!letter.is_whitespace()).then_some(Kind::Sign), letter.len_utf8()),
        };
        all.extend(kind.map(|kind| Token { kind, place: start..start + length }));
        start += length;
    }
    all
}

/// What is wrong, and which bytes of the text it is about.
struct Wrong {
    problem: String,
    help: Option<String>,
    place: Range<usize>,
}

impl Wrong {
    fn unreadable(self, text: &str, allowed: &str) -> Unreadable {
        let problem = format!("`{text}` cannot be read: {}", self.problem);
        Unreadable { problem, help: self.help.unwrap_or_else(|| allowed.to_owned()), place: Some(self.place) }
    }
}

/// A pair of brackets.
struct Brackets {
    /// Which tokens they are.
    open: usize,
    close: usize,
    /// Which token before them is the function of what is in them.
    function: Option<usize>,
    /// Which tokens are the commas between its values.
    commas: Vec<usize>,
}

struct Tokens<'text> {
    text: &'text str,
    all: Vec<Token>,
    names: &'text [&'static str],
}

impl Tokens<'_> {
    fn own(&self, token: usize) -> &str {
        self.all.get(token).map_or("", |token| &self.text[token.place.clone()])
    }

    fn is(&self, token: usize, sign: &str) -> bool {
        self.own(token) == sign
    }

    fn wrong(&self, token: usize, problem: impl Into<String>, help: Option<String>) -> Wrong {
        Wrong { problem: problem.into(), help, place: self.all[token].place.clone() }
    }

    /// All pairs of brackets, in the order in which they are closed.
    fn calls(&self) -> Result<Vec<Brackets>, Wrong> {
        let mut open: Vec<Brackets> = Vec::new();
        let mut closed = Vec::new();
        for token in 0..self.all.len() {
            match self.own(token) {
                "(" => {
                    let before = token.checked_sub(1).filter(|before| self.all[*before].kind == Kind::Word);
                    let function = before.filter(|before| self.is_function(*before));
                    if let Some(other) = before.filter(|_| function.is_none()).filter(|own| !self.is_name(*own)) {
                        let help = format!("functions are {}", functions().join(", "));
                        return Err(self.wrong(other, format!("`{}` is no function", self.own(other)), Some(help)));
                    }
                    open.push(Brackets { open: token, close: token, function, commas: Vec::new() });
                }
                ")" => match open.pop() {
                    Some(brackets) => closed.push(self.check_values(Brackets { close: token, ..brackets })?),
                    None => return Err(self.wrong(token, "the bracket `)` has no `(` before it", None)),
                },
                "," => match open.last_mut() {
                    Some(brackets) if brackets.function.is_some() => brackets.commas.push(token),
                    _ => {
                        let problem = "a comma may stand between the values of min and max only";
                        return Err(self.wrong(token, problem, None));
                    }
                },
                word if self.all[token].kind == Kind::Word && !self.is_name(token) && !self.is(token + 1, "(") => {
                    if let Some(values) = values_of(word) {
                        let values = if values == Values::One { "a" } else { "a, b" };
                        let help = format!("write {word}({values})");
                        return Err(self.wrong(token, format!("`{word}` has no brackets behind it"), Some(help)));
                    }
                }
                _ => {}
            }
        }
        match open.last() {
            Some(brackets) => Err(self.wrong(brackets.open, "the bracket `(` is not closed", None)),
            None => Ok(closed),
        }
    }

    fn is_name(&self, token: usize) -> bool {
        self.names.contains(&self.own(token))
    }

    fn check_values(&self, brackets: Brackets) -> Result<Brackets, Wrong> {
        let Some(function) = brackets.function else { return Ok(brackets) };
        let name = self.own(function);
        match (values_of(name), brackets.commas.first()) {
            (Some(Values::One), Some(comma)) => Err(self.wrong(*comma, format!("`{name}` is of one value"), None)),
            (Some(Values::More), None) => {
                let help = format!("for example: {name}(a, b)");
                Err(self.wrong(function, format!("`{name}` is of two values or more"), Some(help)))
            }
            _ => Ok(brackets),
        }
    }

    /// Whether values and operators take turns.
    fn check_order(&self) -> Result<(), Wrong> {
        let mut after_value = false;
        for (token, Token { kind, .. }) in self.all.iter().enumerate() {
            let own = self.own(token);
            match own {
                "(" if !after_value => {}
                ")" if after_value => {}
                ")" | "," | "*" | "/" | "%" | "^" if !after_value => {
                    return Err(self.wrong(token, format!("there is no value before `{own}`"), None));
                }
                "," | "+" | "-" | "*" | "/" | "%" | "^" => after_value = false,
                _ if *kind == Kind::Sign && own != "(" => {
                    return Err(self.wrong(token, format!("`{own}` has no meaning"), None));
                }
                _ if after_value => {
                    let problem = format!("there is no operator between `{}` and `{own}`", self.own(token - 1));
                    return Err(self.wrong(token, problem, None));
                }
                _ => after_value = *kind == Kind::Number || !self.is_function(token),
            }
        }
        match self.all.len().checked_sub(1) {
            Some(last) if !after_value => {
                Err(self.wrong(last, format!("there is no value after `{}`", self.own(last)), None))
            }
            _ => Ok(()),
        }
    }

    fn is_function(&self, token: usize) -> bool {
        self.is(token + 1, "(") && values_of(self.own(token)).is_some()
    }

    /// Refuses a power of a power, and a power of a number with a sign: languages read them in different ways.
    fn check_power(&self, power: usize, calls: &[Brackets]) -> Result<(), Wrong> {
        let Some(base) = power.checked_sub(1).map(|last| self.begin_of(last, calls)) else { return Ok(()) };
        let Some(before) = base.checked_sub(1) else { return Ok(()) };
        let Some(last) = self.end_of_value(power + 1, calls) else { return Ok(()) };
        let text = |from: usize, to: usize| &self.text[self.all[from].place.start..self.all[to].place.end];
        let (start, forms) = if self.is(before, "^") && before > 0 {
            let first = self.begin_of(before - 1, calls);
            let (one, two, three) = (text(first, before - 1), text(base, power - 1), text(power + 1, last));
            (first, [format!("({one} ^ {two}) ^ {three}"), format!("{one} ^ ({two} ^ {three})")])
        } else if self.is_sign_of_number(before) {
            let (sign, one, two) = (self.own(before), text(base, power - 1), text(power + 1, last));
            (before, [format!("{sign}({one} ^ {two})"), format!("({sign}{one}) ^ {two}")])
        } else {
            return Ok(());
        };
        Err(Wrong {
            problem: format!("`{}` may mean two things", text(start, last)),
            help: Some(format!("write {} or {}", forms[0], forms[1])),
            place: self.all[start].place.start..self.all[last].place.end,
        })
    }

    /// Where the number, name, function or bracket begins that ends here.
    fn begin_of(&self, last: usize, calls: &[Brackets]) -> usize {
        let brackets = calls.iter().find(|own| own.close == last && self.is(last, ")"));
        brackets.map_or(last, |own| own.function.unwrap_or(own.open))
    }

    /// Where the value ends that begins here, maybe with signs.
    fn end_of_value(&self, first: usize, calls: &[Brackets]) -> Option<usize> {
        let begin = (first..self.all.len()).find(|token| !self.is(*token, "-") && !self.is(*token, "+"))?;
        let brackets = calls.iter().find(|own| own.function == Some(begin) || own.open == begin);
        Some(brackets.map_or(begin, |own| own.close))
    }

    /// Whether `-` or `+` stands before a value without one before it.
    fn is_sign_of_number(&self, token: usize) -> bool {
        let is_value = |before: usize| self.all[before].kind != Kind::Sign || self.is(before, ")");
        (self.is(token, "-") || self.is(token, "+")) && !token.checked_sub(1).is_some_and(is_value)
    }

    fn written(&self, calls: &[Brackets]) -> String {
        let several = || calls.iter().filter(|own| !own.commas.is_empty());
        let mut written = String::with_capacity(2 * self.text.len());
        for (token, Token { kind, .. }) in self.all.iter().enumerate() {
            let own = self.own(token);
            if several().any(|own| own.function == Some(token)) {
                continue;
            }
            let call = several().find(|own| own.open == token || own.close == token || own.commas.contains(&token));
            match (call.and_then(|own| own.function), kind) {
                (Some(function), _) if own == "," => written.extend([") ", self.own(function), " ("]),
                (Some(_), _) => written.extend([own, own]),
                (None, Kind::Word) if !self.is_function(token) => written.extend(["{", own, "}"]),
                (None, _) => written.push_str(own),
            }
            written.push(' ');
        }
        written
    }
}

/// How many values a function has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Values {
    One,
    More,
}

fn values_of(function: &str) -> Option<Values> {
    let operators = Operators::make();
    let own =
        operators.iter().find(|own| own.repr() == function && function.starts_with(|own: char| own.is_alphabetic()))?;
    Some(if own.has_bin() { Values::More } else { Values::One })
}

fn functions() -> Vec<&'static str> {
    Operators::make().iter().map(exmex::Operator::repr).filter(|own| own.starts_with(char::is_alphabetic)).collect()
}
