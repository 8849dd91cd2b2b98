//! What buffers of a draft hold before the kernel runs.

use super::amount::Amount;
use super::extents;
use super::launch::dimensions;
use super::rows::{self, Delimiters};
use super::setting::Setting;
use crate::signature::{Kept, Use};
use crate::workload::Element;

/// Whole numbers that decide how often a loop runs are from 1 to this: a warp's lanes differ, and no loop is long.
pub(super) const STEPS_MOST: i64 = 32;
/// Multiples of it are scattered over what they are divided by.
const SCATTERS: i64 = 40_503;
/// Elements of a chain.
const CHAIN: i64 = 4;
/// Numbers below are whole ones in a scenario's expressions.
const WHOLE_MOST: i64 = 1 << 53;

/// What a buffer holds before.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Fill {
    /// Random elements.
    Uniform,
    /// The same of so many bits, none of them negative, since remainders of them are places.
    Scattered(u32),
    /// What decides how often a loop runs: random floats, or small whole numbers.
    Steps(Element),
    /// What a loop looks through until it finds this value, such as an empty slot of a table; whether all elements are that.
    Slots(i64, bool),
    /// What the kernel compares with this value, or with one that is not known here: every second one is that.
    Compared(Option<Amount>),
    /// Each the place of the next one below an amount, up to ends of this value.
    Chains(Amount, i64),
    /// Each the place of the one above it in a tree, and of itself at the root.
    Roots,
    /// What every number that comes is kept in place of: the largest or the smallest there is.
    Farthest(i64),
    /// Zeros, for what is added to.
    Zeros,
    /// Whole numbers below an amount: places in other buffers.
    Places(Amount),
    /// The same, each times what it is divided by before it is a place.
    Parts(Amount, Amount),
    /// Where rows of other buffers begin or end.
    Delimiters(Delimiters),
    /// How many elements there are.
    Count(Amount),
    /// The words of structures with members of several types; whether whole numbers among them are places in other buffers.
    Words(String, bool),
    /// What nobody reads.
    Nothing,
}

/// What a buffer of the kernel holds.
pub(super) fn of(settings: &[Setting<'_>], used: &Use, place: usize, (element, reads): (Element, bool)) -> Fill {
    let slots = || Some(Fill::Slots(slot(used.ends_at?, element)?, used.is_atomic));
    if used.is_atomic {
        let farthest = || Some(Fill::Farthest(farthest(used.kept?, element)?));
        return slots().filter(|own| *own != Fill::Slots(0, true)).or_else(farthest).unwrap_or(Fill::Zeros);
    }
    if used.has_roots && !element.is_float() {
        return Fill::Roots;
    }
    if used.decides && !element.is_float() {
        if let Some(own) = settings.iter().find_map(|setting| rows::delimiters(setting, place)) {
            return Fill::Delimiters(own);
        }
        if let Some(count) = settings.iter().find_map(|setting| setting.count(place)) {
            return Fill::Count(count);
        }
        if let (Some(end), Some(setting)) = (used.leads_on.and_then(|end| slot(end, element)), settings.first()) {
            let length = extents::length_as_launched(setting, used, place, dimensions(setting.kernel)).amount;
            return Fill::Chains(length, end);
        }
        // Places in the buffer that is touched there.
        for setting in settings {
            for (other, own) in setting.kernel.body.uses.iter().enumerate() {
                if other != place && extents::decided_by(own, place) {
                    let dimensions = dimensions(setting.kernel);
                    let length = extents::length_as_launched(setting, own, other, dimensions).amount;
                    let length = length.minus(&Amount::number(beyond(own, place))).unwrap_or(length);
                    return match own.accesses.iter().find_map(|access| setting.parts_of(&access.index, place)) {
                        Some(part) => Fill::Parts(length, part),
                        None => Fill::Places(length),
                    };
                }
            }
        }
        if used.ends_loops {
            return slots().unwrap_or(Fill::Steps(element));
        }
        let first = settings.first().and_then(|own| extents::all(own).first().map(|name| Amount::symbol(*name)));
        return Fill::Places(first.unwrap_or(Amount::number(256)));
    }
    match (reads, used.ends_loops) {
        (true, true) => slots().unwrap_or(Fill::Steps(element)),
        (true, false) => match element {
            Element::Signed(bits) if used.has_remainders => Fill::Scattered(u32::from(bits)),
            _ => compared(settings, used, element).unwrap_or(Fill::Uniform),
        },
        (false, _) => Fill::Nothing,
    }
}

/// What is compared with whole numbers, which random ones hardly ever are.
fn compared(settings: &[Setting<'_>], used: &Use, element: Element) -> Option<Fill> {
    let value = used.compared.as_ref().filter(|_| !element.is_float())?;
    let known = settings.first().and_then(|setting| setting.exact(value, 0));
    Some(Fill::Compared(known.and_then(|own| match own.as_number() {
        Some(number) => slot(number, element).map(Amount::number),
        None => Some(own),
    })))
}

/// How far behind the places that elements of a parameter say elements are touched: 1 of `starts[row + 1]`.
fn beyond(used: &Use, parameter: usize) -> i64 {
    let decided = used.accesses.iter().filter(|access| access.by == Some(parameter));
    decided.map(|access| rows::from_there(&access.index).1).fold(0, i64::max)
}

/// The number in place of which every other one is kept, as far as expressions have it.
fn farthest(kept: Kept, element: Element) -> Option<i64> {
    match (kept, element) {
        (Kept::Least, Element::Signed(32)) => Some(i64::from(i32::MAX)),
        (Kept::Least, Element::Unsigned(32)) => Some(i64::from(u32::MAX)),
        (Kept::Least, Element::Signed(64) | Element::Unsigned(64)) => Some(WHOLE_MOST - 1),
        (Kept::Most, Element::Signed(32)) => Some(i64::from(i32::MIN)),
        (Kept::Most, Element::Signed(64)) => Some(1 - WHOLE_MOST),
        (Kept::Most, Element::Unsigned(_)) => Some(0),
        _ => None,
    }
}

/// The value of an element that a loop looks for, as a scenario has it.
fn slot(value: i64, element: Element) -> Option<i64> {
    match element {
        Element::Unsigned(32) => {
            u32::try_from(value).or_else(|_| i32::try_from(value).map(i32::cast_unsigned)).ok().map(i64::from)
        }
        Element::Unsigned(bits @ (8 | 16)) => (0..1 << bits).contains(&value).then_some(value),
        Element::Signed(bits @ (8 | 16)) => (-(1 << (bits - 1))..1 << (bits - 1)).contains(&value).then_some(value),
        Element::Unsigned(64) => (0..WHOLE_MOST).contains(&value).then_some(value),
        Element::Signed(32) => i32::try_from(value).ok().map(i64::from),
        Element::Signed(64) => (-WHOLE_MOST..WHOLE_MOST).contains(&value).then_some(value),
        _ => None,
    }
}

impl Fill {
    /// Whether a line with CHECK says what it is.
    pub(super) fn is_guessed(&self) -> bool {
        !matches!(self, Self::Uniform | Self::Scattered(_) | Self::Zeros | Self::Nothing)
    }

    /// What a line with CHECK says of a buffer of this name.
    pub(super) fn says(&self, name: &str) -> Option<String> {
        Some(match self {
            Self::Places(_) | Self::Parts(..) => format!(
                "`{name}` says which elements are touched, or how many; it must not lead out of the buffers. Neighbours hide what scattered ones cost."
            ),
            Self::Delimiters(delimiters) => format!("`{name}` says {}.", delimiters.says),
            Self::Count(_) => format!("`{name}` says how many elements the kernel is about: here all of them."),
            Self::Steps(_) => format!(
                "`{name}` says how often a loop runs, and so how much there is to do: take your data, as in fill = \"data.npy\", or an expression of i."
            ),
            Self::Chains(_, end) => format!(
                "`{name}` says which element comes next, up to {end}, and so how much there is to do: here chains of {CHAIN} neighbours at most. Take your \
                 data, as in fill = \"data.npy\"."
            ),
            Self::Roots => format!(
                "`{name}` says what is above an element in a tree, and so how much there is to do: here each {CHAIN} neighbours are one, and the first is \
                 the root. Take your data, as in fill = \"data.npy\"."
            ),
            Self::Slots(value, is_all) => format!(
                "`{name}` says how long loops look for an element that is {value}, such as an empty slot of a table: here {} is. Where none is left, they \
                 go through all of it. Take your table, as in fill = \"table.npy\", or an expression of i with as many of them as yours has.",
                if *is_all { "each" } else { "every second one" }
            ),
            Self::Compared(value) => {
                let with = value.as_ref().map_or("a value that is not known here".to_owned(), |own| format!("`{own}`"));
                let here = if value.is_some() { "every second one is equal" } else { "they are random" };
                format!(
                    "`{name}` says which threads go on: its elements are compared with {with}, and here {here}. Take your data, as in fill = \"data.npy\", \
                     or an expression of i."
                )
            }
            Self::Farthest(_) => format!(
                "`{name}` says which numbers are new there, and so what is done: here all are at first, and a measurement has many launches, \
                 of which each finds what the one before has left. Take your data, as in fill = \"data.npy\", and list a launch before that puts it back."
            ),
            Self::Words(_, false) => format!("floats in `{name}` are about 1, and whole numbers 0."),
            Self::Words(_, true) => {
                format!(
                    "floats in `{name}` are about 1, and whole numbers say which elements are touched; these must not lead out of the buffers."
                )
            }
            Self::Uniform | Self::Scattered(_) | Self::Zeros | Self::Nothing => return None,
        })
    }

    /// How a scenario has it; nothing where it has nothing.
    pub(super) fn written(&self) -> Option<String> {
        Some(match self {
            Self::Steps(element) if !element.is_float() => format!("1 + i % {STEPS_MOST}"),
            Self::Uniform | Self::Steps(_) | Self::Compared(None) => "uniform".to_owned(),
            Self::Compared(Some(value)) => {
                let other = value.as_number().map_or(format!("{value} + 1"), |own| i64::from(own == 0).to_string());
                format!("if(i % 2 == 0, {}, {other})", value.as_number().map_or(value.to_string(), of_number))
            }
            Self::Scattered(bits) => format!("i * {SCATTERS} % {}", 1_i64 << (bits.min(&32) - 1)),
            Self::Chains(length, end) => {
                format!("if(i % {CHAIN} == {} || i >= {length} - 1, {}, i + 1)", CHAIN - 1, of_number(*end))
            }
            Self::Roots => format!("max(i - 1, i - i % {CHAIN})"),
            Self::Slots(value, true) | Self::Farthest(value) => of_number(*value),
            Self::Slots(value, false) => format!("if(i % 2 == 0, {}, i)", of_number(*value)),
            Self::Zeros => "zeros".to_owned(),
            Self::Places(below) => format!("i % {}", below.factor()),
            Self::Parts(below, part) => format!("i % {} * {}", below.factor(), part.factor()),
            Self::Delimiters(delimiters) => delimiters.fill.clone(),
            Self::Count(count) => count.to_string(),
            Self::Words(words, _) => words.clone(),
            Self::Nothing => return None,
        })
    }
}

/// A number as expressions have it.
fn of_number(number: i64) -> String {
    if number < 0 { format!("0 - {}", number.unsigned_abs()) } else { number.to_string() }
}
