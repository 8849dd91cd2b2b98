//! Expressions as people write them, put as `exmex` reads them: it takes functions of two values for operators, and loses brackets where one of
//! them has another one as its second value. What it would read in another way than people mean is refused.

use std::ops::Range;

use exmex::MatchLiteral;

use super::operators::{CHOSEN, Values, functions, values_of};
use super::{Numbers, Unreadable};

/// The text as `exmex` reads it: names in braces, `min(a, b, c)` as `((a) min (b) min (c))`.
///
/// # Errors
/// What is wrong with brackets, functions, commas, powers or comparisons, and where.
pub(super) fn for_exmex(text: &str, names: &[&'static str], allowed: &str) -> Result<String, Unreadable> {
    let tokens = Tokens { text, all: tokens(text), names };
    let read = || {
        let calls = tokens.calls()?;
        tokens.check_order()?;
        (0..tokens.all.len()).filter(|own| tokens.is(*own, "^")).try_for_each(|own| tokens.check_power(own, &calls))?;
        tokens.check_comparisons()?;
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

/// Operators of two letters.
const TWO_LETTERS: [&str; 6] = ["<=", ">=", "==", "!=", "&&", "||"];

const COMPARISONS: [&str; 6] = ["<", "<=", ">", ">=", "==", "!="];

fn tokens(text: &str) -> Vec<Token> {
    let mut all = Vec::new();
    let mut start = 0;
    while let Some(letter) = text[start..].chars().next() {
        let rest = &text[start..];
        let in_word = |own: &char| own.is_ascii_alphanumeric() || *own == '_';
        let (kind, length) = match Numbers::is_literal(rest) {
            Some(number) => (Some(Kind::Number), number.len()),
            None if in_word(&letter) => (Some(Kind::Word), rest.chars().take_while(in_word).count()),
            None => {
                let of_two = TWO_LETTERS.iter().find(|own| rest.starts_with(**own));
                ((!letter.is_whitespace()).then_some(Kind::Sign), of_two.map_or(letter.len_utf8(), |own| own.len()))
            }
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

/// Operators of other languages, with what stands for them here.
const MEANT: [(&str, &str); 5] = [
    ("=", "write == to compare"),
    ("&", "write && for both"),
    ("|", "write || for one of both"),
    ("?", "write if(a, b, c): b where a holds, otherwise c"),
    (":", "write if(a, b, c): b where a holds, otherwise c"),
];

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
                        let problem = "a comma may stand between the values of min, max and if only";
                        return Err(self.wrong(token, problem, None));
                    }
                },
                word if self.all[token].kind == Kind::Word && !self.is_name(token) && !self.is(token + 1, "(") => {
                    if let Some(values) = values_of(word) {
                        let help = format!("write {word}({})", values.example());
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
        match values_of(name) {
            Some(values) if !values.allow(brackets.commas.len()) => {
                let beyond = match values {
                    Values::One => brackets.commas.first(),
                    Values::More => None,
                    Values::Choice => brackets.commas.get(2),
                };
                let help = format!("for example: {name}({})", values.example());
                let problem = format!("`{name}` is {}", values.told());
                Err(self.wrong(*beyond.unwrap_or(&function), problem, Some(help)))
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
                "(" | "!" if !after_value => {}
                ")" if after_value => {}
                "+" | "-" => after_value = false,
                ")" | "," | "*" | "/" | "%" | "^" | "&&" | "||" if !after_value => {
                    return Err(self.wrong(token, format!("there is no value before `{own}`"), None));
                }
                _ if COMPARISONS.contains(&own) && !after_value => {
                    return Err(self.wrong(token, format!("there is no value before `{own}`"), None));
                }
                "," | "*" | "/" | "%" | "^" | "&&" | "||" => after_value = false,
                _ if COMPARISONS.contains(&own) => after_value = false,
                _ if *kind == Kind::Sign && own != "(" && own != "!" => {
                    let meant = MEANT.iter().find(|(given, _)| *given == own);
                    let help = meant.map(|(_, meant)| (*meant).to_owned());
                    return Err(self.wrong(token, format!("`{own}` has no meaning"), help));
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
        let begin = (first..self.all.len()).find(|token| !["-", "+", "!"].contains(&self.own(*token)))?;
        let brackets = calls.iter().find(|own| own.function == Some(begin) || own.open == begin);
        Some(brackets.map_or(begin, |own| own.close))
    }

    /// Whether `-`, `+` or `!` stands before a value without one before it.
    fn is_sign_of_number(&self, token: usize) -> bool {
        let is_value = |before: usize| self.all[before].kind != Kind::Sign || self.is(before, ")");
        ["-", "+", "!"].contains(&self.own(token)) && !token.checked_sub(1).is_some_and(is_value)
    }

    /// Refuses a comparison of what a comparison comes to: languages read it in different ways.
    fn check_comparisons(&self) -> Result<(), Wrong> {
        // Of each bracket that is open: where the part begins that no bracket, comma or condition divides, and its comparison.
        let mut open: Vec<(usize, Option<usize>)> = vec![(0, None)];
        for token in 0..self.all.len() {
            let Some(part) = open.last_mut() else { return Ok(()) };
            match (self.own(token), part.1) {
                ("(", _) => open.push((token + 1, None)),
                (")", _) => drop(open.pop()),
                ("," | "&&" | "||", _) => *part = (token + 1, None),
                (own, Some(first)) if COMPARISONS.contains(&own) => return Err(self.chain(part.0, first, token)),
                (own, None) if COMPARISONS.contains(&own) => part.1 = Some(token),
                _ => {}
            }
        }
        Ok(())
    }

    /// That two comparisons follow each other in a part that begins here.
    fn chain(&self, start: usize, first: usize, second: usize) -> Wrong {
        let mut depth = 0;
        let ends = |token: &usize| {
            match self.own(*token) {
                "(" => depth += 1,
                ")" => depth -= 1,
                _ => {}
            }
            depth < 0
                || (depth == 0
                    && ([",", "&&", "||"].contains(&self.own(*token)) || COMPARISONS.contains(&self.own(*token))))
        };
        let end = (second + 1..self.all.len()).find(ends).unwrap_or(self.all.len());
        let text = |from: usize, to: usize| &self.text[self.all[from].place.start..self.all[to - 1].place.end];
        let (one, two, three) = (text(start, first), text(first + 1, second), text(second + 1, end));
        let (before, after) = (self.own(first), self.own(second));
        Wrong {
            problem: format!("`{}` may mean two things", text(start, end)),
            help: Some(format!(
                "write {one} {before} {two} && {two} {after} {three} or ({one} {before} {two}) {after} {three}"
            )),
            place: self.all[start].place.start..self.all[end - 1].place.end,
        }
    }

    /// What stands in place of a comma between the values of a function.
    fn between(&self, function: usize, comma: usize, calls: &[Brackets]) -> &str {
        if values_of(self.own(function)) != Some(Values::Choice) {
            return self.own(function);
        }
        let is_first = calls.iter().any(|own| own.commas.first() == Some(&comma));
        CHOSEN[usize::from(!is_first)]
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
                (Some(function), _) if own == "," => written.extend([") ", self.between(function, token, calls), " ("]),
                (Some(_), _) => written.extend([own, own]),
                (None, Kind::Word) if !self.is_function(token) => written.extend(["{", own, "}"]),
                (None, _) => written.push_str(own),
            }
            written.push(' ');
        }
        written
    }
}
