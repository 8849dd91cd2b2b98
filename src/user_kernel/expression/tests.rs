//! Expressions: their values, what is refused, and with which words.

#![allow(clippy::float_cmp, reason = "numbers are compared as they are written")]

use proptest::prelude::*;

use super::*;

fn value(text: &str) -> Result<f64, String> {
    let names = ["width", "tile"];
    let parsed = Expression::parse(text, &names).map_err(|own| format!("{}; {}", own.problem, own.help))?;
    Ok(parsed.value(&Scope::new([("width", 100.0), ("tile", 32.0)]))?)
}

#[test]
fn expressions_have_the_usual_precedence_and_do_not_round() {
    for (text, expected) in [
        ("ceil(width / tile)", 4.0),
        ("width / tile", 3.125),
        ("2 * 4 * width * width", 80_000.0),
        ("tile * (tile + 1) * 4", 4224.0),
        ("width % tile", 4.0),
        ("1 - 2 - 3", -4.0),
        ("8 / 2 / 2", 2.0),
        ("7 * 8 / 4", 14.0),
        ("8 / 4 * 7", 14.0),
        ("2 ^ 10 - 1", 1023.0),
        ("-width + 1", -99.0),
        ("min(width, tile) + max(width, tile)", 132.0),
        ("floor(log2(width))", 6.0),
        ("100 % 7 * 2", 4.0),
        ("2 * 7 % 4", 2.0),
        ("1 + 2 - 3 + 4", 4.0),
        ("1e-3 * 2E+3 + .5", 2.5),
        ("2.e1", 20.0),
        ("1e3-1", 999.0),
        ("min(9, min(8, 7))", 7.0),
        ("floor(min(width / 8, 13, 13))", 12.0),
        ("min(width, min(tile, 7)) + 1", 8.0),
        ("max(max(1, tile), max(2, max(3, width) + 1))", 101.0),
        ("min(3, 2, 1) * max (1, 2, width, 4)", 100.0),
        ("ceil(min(width, (tile + 1) * 2) / 4)", 17.0),
        ("-(2 ^ 2) + (-2) ^ 2 + 2 ^ -1", 0.5),
        ("(2 ^ 3) ^ 2 - 2 ^ (3 ^ 2)", -448.0),
        ("1 - 2 ^ 2", -3.0),
        ("width\n * 2", 200.0),
        ("width % 6 == 4", 1.0),
        ("width % 6 != 4", 0.0),
        ("width < tile", 0.0),
        ("width >= 3 * tile + 4", 1.0),
        ("(width > tile) + (tile <= 32) + (tile<width)", 3.0),
        ("width - 100 || tile - 31", 1.0),
        ("1 || 0 && 0", 1.0),
        ("(1 || 0) && 0", 0.0),
        ("width > 50 && width < 200 && tile == 32", 1.0),
        ("!width + !0 + !(tile < 5) + !!7", 3.0),
        ("if(width < tile, 1, 2)", 2.0),
        ("if(width > tile, width / 8, 1 / 0)", 12.5),
        ("if(tile == 0, 1 / 0, 3) + 1", 4.0),
        ("if (width, if(tile < 5, 1, if(tile < 50, 2, 3)), 4) * 2", 4.0),
        ("2 ^ if(tile > 1, 5, 6) - min(if(0, 1, 2), 4, 1)", 31.0),
        ("floor(if(1, 2.5, 0))", 2.0),
    ] {
        assert_eq!(value(text), Ok(expected), "{text}");
    }
}

#[test]
fn names_may_begin_like_functions() {
    let names = ["max_iterations", "max_iterations_more", "min_x", "cos_phi", "max", "exponent"];
    let values = [2.0, 3.0, 5.0, 7.0, 11.0, 13.0];
    let scope = Scope::new(names.into_iter().zip(values));
    for (text, expected) in [
        ("max_iterations * max_iterations_more + max_iterations", 8.0),
        ("max(min_x, 2) + min(cos_phi,min_x)", 10.0),
        ("exponent - cos_phi", 6.0),
        ("min_x", 5.0),
    ] {
        let parsed = Expression::parse(text, &names).unwrap_or_else(|own| panic!("{text}: {}", own.problem));
        assert_eq!(parsed.value(&scope).ok(), Some(expected), "{text}");
    }
}

#[test]
fn what_is_wrong_is_told_with_what_is_allowed() {
    for (text, part) in [
        ("widht * 2", "did you mean `width`"),
        ("width +", "cannot be read"),
        ("width / 0", "is inf"),
        ("{width}", "cannot be read"),
        ("(width", "cannot be read"),
        ("pi", "is not known"),
        ("", "nothing is there"),
        ("width (2)", "no operator between `width` and `(`"),
        ("3 width", "no operator between `3` and `width`"),
        ("2 * / 3", "no value before `/`"),
        ("min(1,)", "no value before `)`"),
        ("width #", "`#` has no meaning"),
        ("min(width)", "`min` is of two values or more; for example: min(a, b)"),
        ("floor(width, 2)", "`floor` is of one value"),
        ("(width, 2)", "a comma may stand between the values of min, max and if only"),
        ("2 + (3, 4)", "a comma may stand between the values of min, max and if only"),
        ("if(width < 2, 1)", "`if` is of a condition and two values; for example: if(i < 5, a, b)"),
        ("if(1, 2, 3, 4)", "`if` is of a condition and two values; for example: if(i < 5, a, b)"),
        ("if width", "`if` has no brackets behind it; write if(i < 5, a, b)"),
        ("width = 2", "`=` has no meaning; write == to compare"),
        ("width & 1", "`&` has no meaning; write && for both"),
        ("width ? 1 : 2", "`?` has no meaning; write if(a, b, c): b where a holds, otherwise c"),
        ("width < ", "no value after `<`"),
        ("== width", "no value before `==`"),
        ("width << 2", "no value before `<`"),
        ("width ! 2", "no operator between `width` and `!`"),
        ("0 / 0 == 0 / 0", "is not a number"),
        ("if(0 / 0, 1, 2)", "is not a number"),
        ("!(0 / 0) && 0", "is not a number"),
        ("if(width > 1, 1 / 0, 2)", "is infinite"),
        ("0 < width < 5", "`0 < width < 5` may mean two things; write 0 < width && width < 5 or (0 < width) < 5"),
        (
            "1 && 2 == (3) != tile + 1 || 4",
            "`2 == (3) != tile + 1` may mean two things; write 2 == (3) && (3) != tile + 1 or",
        ),
        ("if(1 < 2 <= 3, 4, 5)", "`1 < 2 <= 3` may mean two things"),
        ("!width ^ 2", "`!width ^ 2` may mean two things; write !(width ^ 2) or (!width) ^ 2"),
        ("width min tile", "`min` has no brackets behind it; write min(a, b)"),
        ("sqrt 2 ^ 2", "`sqrt` has no brackets behind it; write sqrt(a)"),
        ("pow(2, 3)", "`pow` is no function; functions are min, max, ceil"),
        ("2 ^ 3 ^ 2", "`2 ^ 3 ^ 2` may mean two things; write (2 ^ 3) ^ 2 or 2 ^ (3 ^ 2)"),
        ("1 + width ^ -min(1, 2) ^ (2)", "`-min(1, 2) ^ (2)` may mean two things; write -(min(1, 2) ^ (2)) or"),
        ("-width ^ 2", "`-width ^ 2` may mean two things; write -(width ^ 2) or (-width) ^ 2"),
        ("2 * -3 ^ 2 + 1", "`-3 ^ 2` may mean two things; write -(3 ^ 2) or (-3) ^ 2"),
    ] {
        let problem = value(text).unwrap_err();
        assert!(problem.contains(part), "{text}: {problem}");
    }
}

#[test]
fn the_place_of_what_is_wrong_is_told() {
    for (text, part) in [
        ("width * (tile + 1", "("),
        ("width + tile) * 2", ")"),
        ("width # 2", "#"),
        ("width · 2", "·"),
        ("width +", "+"),
        ("2 * {width}", "{"),
        ("widths + width2 + widt", "widths"),
        ("tile + til + 1", "til "),
        ("width == tile = 2", "= 2"),
        ("tile == (width < 2 < 3)", "width < 2 < 3"),
        ("if(1, 2, 3, 4)", ", 4"),
        ("2 * if(1, 2)", "if(1"),
    ] {
        let place = Expression::parse(text, &["width", "tile"]).unwrap_err().place.unwrap_or(0..0);
        assert!(!place.is_empty() && part.starts_with(&text[place.clone()]), "{text}: {place:?}");
        assert!(text[place.start..].starts_with(part), "{text}: {place:?}");
    }
}

/// An expression as it is written, how tightly its outermost operator binds, and its value.
type Written = (String, u32, f64);

type OfOne = fn(f64) -> f64;
type OfTwo = fn(f64, f64) -> f64;

const EITHER: u32 = 0;
const BOTH: u32 = 1;
const COMPARISON: u32 = 2;
const SUM: u32 = 3;
const PRODUCT: u32 = 4;
const POWER: u32 = 5;
const VALUE: u32 = 6;

/// A condition of two numbers, as languages have it, except that there is none of what is no number.
macro_rules! condition {
    ($holds:expr) => {
        |one: f64, other: f64| {
            if one.is_nan() || other.is_nan() { f64::NAN } else { f64::from(u8::from($holds(one, other))) }
        }
    };
}

/// The text of a part, in brackets where its place needs it to bind at least so tightly.
fn part((text, binds, _): &Written, least: u32) -> String {
    if *binds < least { format!("({text})") } else { text.clone() }
}

/// Expressions beside the values that Rust gives them.
fn written() -> impl Strategy<Value = Written> {
    let value = prop_oneof![
        (0..20_u32).prop_map(|own| (own.to_string(), VALUE, f64::from(own))),
        Just(("width".to_owned(), VALUE, 100.0)),
        Just(("max_tile".to_owned(), VALUE, 0.25)),
    ];
    value.prop_recursive(8, 60, 4, |inner| {
        let operators: [(&str, u32, OfTwo); 14] = [
            ("||", EITHER, condition!(|one, other| one != 0.0 || other != 0.0)),
            ("&&", BOTH, condition!(|one, other| one != 0.0 && other != 0.0)),
            ("<", COMPARISON, condition!(|one, other| one < other)),
            ("<=", COMPARISON, condition!(|one, other| one <= other)),
            (">", COMPARISON, condition!(|one, other| one > other)),
            (">=", COMPARISON, condition!(|one, other| one >= other)),
            ("==", COMPARISON, condition!(|one, other| one == other)),
            ("!=", COMPARISON, condition!(|one, other| one != other)),
            ("+", SUM, |one, other| one + other),
            ("-", SUM, |one, other| one - other),
            ("*", PRODUCT, |one, other| one * other),
            ("/", PRODUCT, |one, other| one / other),
            ("%", PRODUCT, f64::rem_euclid),
            ("^", POWER, f64::powf),
        ];
        let of_two = (inner.clone(), inner.clone(), prop::sample::select(operators.to_vec())).prop_map(
            |(one, other, (sign, binds, apply))| {
                let first = match binds {
                    POWER => VALUE,
                    COMPARISON => SUM,
                    _ => binds,
                };
                let first = part(&one, first);
                (format!("{first} {sign} {}", part(&other, binds + 1)), binds, apply(one.2, other.2))
            },
        );
        let functions: [(&str, OfOne); 5] = [
            ("floor", f64::floor),
            ("ceil", f64::ceil),
            ("abs", f64::abs),
            ("-", |own| -own),
            ("!", |own| if own.is_nan() { own } else { f64::from(u8::from(own == 0.0)) }),
        ];
        let of_one = (inner.clone(), prop::sample::select(functions.to_vec()))
            .prop_map(|(own, (function, apply))| (format!("({function}({}))", own.0), VALUE, apply(own.2)));
        let choice = (inner.clone(), inner.clone(), inner.clone()).prop_map(|(own, one, other)| {
            let value = match own.2 {
                condition if condition.is_nan() => condition,
                0.0 => other.2,
                _ => one.2,
            };
            (format!("if({}, {}, {})", own.0, one.0, other.0), VALUE, value)
        });
        let folds: [(&str, OfTwo); 2] = [("min", f64::min), ("max", f64::max)];
        let of_more = (prop::collection::vec(inner, 2..5), prop::sample::select(folds.to_vec())).prop_map(
            |(all, (function, apply))| {
                let text = all.iter().map(|own| own.0.as_str()).collect::<Vec<_>>().join(", ");
                let value = all.iter().map(|own| own.2).reduce(apply).unwrap_or(f64::NAN);
                (format!("{function}({text})"), VALUE, value)
            },
        );
        prop_oneof![of_two, of_one, of_more, choice]
    })
}

proptest! {
    #[test]
    fn expressions_are_worth_what_rust_makes_of_them((text, _, expected) in written()) {
        prop_assume!(text.len() <= LONGEST && text.matches('(').count() <= DEEPEST);
        let parsed = Expression::parse(&text, &["width", "max_tile"]);
        let parsed = parsed.map_err(|own| TestCaseError::fail(format!("{}; {}", own.problem, own.help)))?;
        let value = parsed.value(&Scope::new([("width", 100.0), ("max_tile", 0.25)]));
        if expected.is_finite() {
            prop_assert_eq!(value, Ok(expected));
        } else {
            prop_assert!(value.is_err());
        }
    }

    #[test]
    fn no_text_is_a_panic(text in "[-+*/%^()., 0-9.eEnai_minaxsqrtf<>=!&|?:{}é]{0,40}") {
        match Expression::parse(&text, &["n", "i"]) {
            Ok(parsed) => drop(parsed.whole(&Scope::new([("n", 3.0), ("i", 0.0)]), 0, 10)),
            Err(Unreadable { place, .. }) => {
                prop_assert!(place.is_none_or(|place| text.get(place).is_some_and(|part| !part.is_empty())));
            }
        }
    }

    #[test]
    fn numbers_are_what_they_are(number in -1e20_f64..1e20) {
        let parsed = Expression::parse(&format!("{number:e}"), &[]).unwrap();
        prop_assert_eq!(parsed.value(&Scope::new([])), Ok(number));
    }
}

#[test]
fn whole_numbers_are_asked_for_with_their_range() {
    let scope = Scope::new([("n", 1000.0)]);
    let whole = |text: &str| Expression::parse(text, &["n"]).unwrap().whole(&scope, 1, 2000).map_err(String::from);
    assert_eq!(whole("n"), Ok(1000));
    assert_eq!(whole("log2(n) / log2(10)"), Ok(3));
    assert!(whole("n / 3").unwrap_err().contains("ceil()"));
    assert_eq!(whole("n * 3"), Err("`n * 3` is 3000, where 1 to 2000 is possible".to_owned()));
    assert!(whole("0 - n").unwrap_err().contains("where 1 to 2000 is possible"));
}
