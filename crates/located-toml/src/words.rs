//! Words for messages: quoting what the user wrote, lists of names, and the name that was probably meant.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Longest piece of the user's text that a message repeats, in characters.
const QUOTED_MAX: usize = 60;

/// Characters of the longest line of text, such as a title: what is shown of it must fit a page.
pub const LINE_MAX: usize = 2000;
/// Longest name that becomes a file's.
pub const NAME_MAX: usize = 64;

/// Text as a name of files: lower case, everything else a hyphen.
pub fn slug(text: &str) -> String {
    let hyphenated: String = text
        .chars()
        .take(NAME_MAX)
        .map(|letter| if letter.is_ascii_alphanumeric() { letter.to_ascii_lowercase() } else { '-' })
        .collect();
    hyphenated.split('-').filter(|part| !part.is_empty()).collect::<Vec<_>>().join("-")
}

/// Whether a character controls a terminal, turns the direction of what follows (Unicode Standard Annex 9, section 2), or takes no place, so
/// that two texts look the same and are not.
pub fn is_control(letter: char) -> bool {
    let is_directional =
        matches!(letter, '\u{061c}' | '\u{200e}' | '\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    is_directional || is_unseen(letter) || letter.is_control()
}

/// Line and paragraph separators, and what Unicode lets be ignored in a drawing (`Default_Ignorable_Code_Point` in its
/// DerivedCoreProperties.txt), but for joiners and variation selectors, which letters and emoji are made with.
fn is_unseen(letter: char) -> bool {
    matches!(letter,
        '\u{ad}' | '\u{34f}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' | '\u{180e}' | '\u{200b}' | '\u{2028}' | '\u{2029}'
        | '\u{2060}'..='\u{206f}' | '\u{3164}' | '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}'
        | '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Whether a spreadsheet may compute a cell that begins like this text: with a sign of formulas, as ASCII or full-width, blanks or characters
/// that nobody sees before it or not; a tab and a carriage return make a cell of what follows.
pub fn begins_like_formula(text: &str) -> bool {
    let is_blank = |own: char| own.is_whitespace() || is_control(own) || matches!(own, '\u{200c}' | '\u{200d}');
    let seen = text.trim_start_matches(is_blank);
    // A sign alone is a text.
    let behind = seen.strip_prefix(['=', '+', '-', '@', '＝', '＋', '－', '＠']);
    behind.is_some_and(|behind| !behind.is_empty()) || text.starts_with(['\t', '\r'])
}

/// A text of one line in which no character controls a terminal: such ones are shown [`escaped`].
pub fn without_control(text: &str) -> String {
    escaped(text, is_control).into_owned()
}

/// A text in which such characters stand as `\u001b`, as JSON writes them.
pub fn escaped(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let shown = text.chars().fold(String::with_capacity(text.len() + 8), |mut shown, own| {
        if is_escaped(own) {
            // A pair beyond U+FFFF, which JSON reads back as the one character.
            for unit in own.encode_utf16(&mut [0; 2]) {
                let _ = write!(shown, "\\u{unit:04x}");
            }
        } else {
            shown.push(own);
        }
        shown
    });
    Cow::Owned(shown)
}

/// Cuts the end off a text that is too long for a message, and shows control characters escaped.
pub fn shorten(text: &str, max: usize) -> String {
    let mut short: String = text.chars().take(max).collect();
    short = without_control(&short);
    if text.chars().nth(max).is_some() {
        short.push_str("...");
    }
    short
}

/// The user's text in backquotes, cut where it is long.
pub fn quote(text: &str) -> String {
    format!("`{}`", shorten(text, QUOTED_MAX))
}

/// The text with a capital letter at its beginning, where that is one of a word and not of a name.
pub fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map(|first| first.to_uppercase().chain(letters).collect()).unwrap_or_default()
}

/// `a, b and c`, each in backquotes.
pub fn and_list(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().map(|name| quote(name)).collect();
    match quoted.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, rest)) => format!("{} and {last}", rest.join(", ")),
        None => String::new(),
    }
}

/// `1 value`, `2 values`.
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 { format!("1 {noun}") } else { format!("{number} {noun}s") }
}

/// So many things with their verb: `1 point has`, `3 points have`.
pub fn have(number: usize, thing: &str) -> String {
    format!("{} {}", count(number, thing), if number == 1 { "has" } else { "have" })
}

/// What may be written instead of `name`: the nearest of the names, if one is near, and all of them.
pub fn instead(name: &str, allowed: &[&str]) -> String {
    let all = allowed.join(", ");
    match nearest(name, allowed) {
        Some(near) => format!("did you mean `{near}`? Allowed: {all}"),
        None => format!("allowed: {all}"),
    }
}

/// Whether two names are the same, with `-` for `_` or the other way round.
pub fn same_name(one: &str, other: &str) -> bool {
    let plain = |own: char| if own == '-' { '_' } else { own };
    one.chars().map(plain).eq(other.chars().map(plain))
}

/// The name that is meant: `name` itself, or the one that is the same but for `-` and `_`.
pub fn meant<'names>(name: &str, names: &[&'names str]) -> Option<&'names str> {
    let same = || names.iter().find(|own| same_name(own, name));
    names.iter().find(|own| **own == name).or_else(same).copied()
}

/// The name most like `name`, if any is like it; else the one whose first words are: `stencil-halo` for `stencl`; else the shortest one with a
/// word that begins alike: `shared_padded` for `pading`.
pub fn nearest<'names>(name: &str, names: &[&'names str]) -> Option<&'names str> {
    let own: Vec<(&str, &'names str)> = names.iter().map(|name| (*name, *name)).collect();
    let is_end = |letter: &char| ['-', '_'].contains(letter);
    let words = name.trim().chars().filter(is_end).count() + 1;
    let first_words = |name: &'names str| -> Option<(&str, &'names str)> {
        let (end, _) = name.char_indices().filter(|(_, letter)| is_end(letter)).nth(words - 1)?;
        Some((&name[..end], name))
    };
    nearest_of(name, &own)
        .or_else(|| nearest_of(name, &names.iter().copied().filter_map(first_words).collect::<Vec<_>>()))
        .or_else(|| with_word_like(name, names))
}

/// The names that may be meant: those with `name` as their first words, where that is a few, else the nearest one.
pub fn near<'names>(name: &str, names: &[&'names str]) -> Vec<&'names str> {
    let wanted = name.trim().to_lowercase().replace('-', "_");
    let begins = |own: &&&'names str| {
        own.to_lowercase().replace('-', "_").strip_prefix(&wanted).is_some_and(|rest| rest.starts_with('_'))
    };
    let own: Vec<&str> = names.iter().filter(begins).copied().collect();
    let is_few = !wanted.is_empty() && (2..=NEAR_MOST).contains(&own.len());
    if is_few { own } else { nearest(name, names).into_iter().collect() }
}

/// Names that are offered, at most.
const NEAR_MOST: usize = 3;

/// Letters of a word's beginning that tell what it is about.
const BEGINNING: usize = 3;

/// Of names the shortest with a word that begins as `name` does: half of the longer of the two, and [`BEGINNING`] letters at least.
fn with_word_like<'names>(name: &str, names: &[&'names str]) -> Option<&'names str> {
    let wanted = name.trim().to_lowercase();
    if wanted.chars().count() > QUOTED_MAX || wanted.contains(['-', '_']) {
        return None;
    }
    let is_like = |word: &str| {
        let alike = word.chars().zip(wanted.chars()).take_while(|(one, other)| one == other).count();
        alike >= BEGINNING && 2 * alike >= word.chars().count().max(wanted.chars().count())
    };
    let alike = names.iter().filter(|name| name.split(['-', '_']).any(is_like));
    alike.min_by_key(|name| name.len()).copied()
}

/// Of texts with their names the name whose text is most like `name`.
fn nearest_of<'names>(name: &str, texts: &[(&str, &'names str)]) -> Option<&'names str> {
    let wanted = name.trim().to_lowercase();
    let length = wanted.chars().count();
    if length == 0 || length > QUOTED_MAX {
        return None;
    }
    let plain = |text: &str| text.replace(['-', ' '], "_");
    texts
        .iter()
        .map(|(candidate, name)| {
            let near = length >= 3 && (candidate.starts_with(&wanted) || wanted.starts_with(*candidate));
            let distance = strsim::damerau_levenshtein(&plain(&wanted), &plain(candidate));
            // Of a beginning and a name with one letter less, the latter is meant.
            ((if near { distance.min(1) } else { distance }, distance), *candidate, *name)
        })
        .filter(|((distance, _), candidate, _)| {
            *distance <= (length.max(candidate.len()) / 3).max(1) && length > *distance
        })
        .min_by_key(|(distances, ..)| *distances)
        .map(|(_, _, name)| name)
}

/// The number that a text such as `2Ki` or `64k` means.
pub fn multiplied(text: &str) -> Option<i64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match text[digits.len()..].to_ascii_lowercase().as_str() {
        "k" | "ki" | "kib" => 1 << 10,
        "m" | "mi" | "mib" => 1 << 20,
        "g" | "gi" | "gib" => 1 << 30,
        _ => return None,
    };
    digits.trim().parse::<i64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_nearest_name_is_near() {
        let names = ["branches", "operation", "work", "work_per_branch"];
        assert_eq!(nearest("branchs", &names), Some("branches"));
        assert_eq!(nearest("Branches", &names), Some("branches"));
        assert_eq!(nearest("work-per-branch", &names), Some("work_per_branch"));
        assert_eq!(nearest("oper", &names), Some("operation"));
        assert_eq!(nearest("sharedpadded", &["shared", "shared_padded"]), Some("shared_padded"));
        assert_eq!(nearest("wrok", &names), Some("work"));
        assert_eq!(nearest("zebra", &names), None);
        assert_eq!(nearest("stencl", &["branching", "stencil-halo"]), Some("stencil-halo"));
        assert_eq!(nearest("pading", &["naive", "shared_swizzled", "shared_padded"]), Some("shared_padded"));
        assert_eq!(nearest("pa", &["shared_padded"]), None);
        assert_eq!(nearest("parade", &["shared_padded"]), None);
        assert_eq!(nearest("branch-size", &["block-size-1d", "branching-weighted-twice"]), None);
        assert_eq!(nearest("", &names), None);
        assert_eq!(nearest(&"work".repeat(1000), &names), None);
    }

    #[test]
    fn all_names_that_begin_with_the_same_words_may_be_meant() {
        let names = ["none", "cluster_atomics", "cluster_slots", "block"];
        assert_eq!(near("cluster", &names), ["cluster_atomics", "cluster_slots"]);
        assert_eq!(near("Cluster", &names), ["cluster_atomics", "cluster_slots"]);
        assert_eq!(near("cluster_slot", &names), ["cluster_slots"]);
        assert_eq!(near("blok", &names), ["block"]);
        assert!(near("", &names).is_empty() && near("zebra", &names).is_empty());
        assert_eq!(near("cluster", &["cluster", "cluster_a"]), ["cluster"]);
    }

    #[test]
    fn suffixes_are_powers_of_1024() {
        for (suffixes, factor) in [
            (["k", "K", "ki", "Ki", "KiB"], 1024),
            (["m", "M", "mi", "Mi", "MiB"], 1_048_576),
            (["g", "G", "gi", "Gi", "GiB"], 1_073_741_824),
        ] {
            for suffix in suffixes {
                assert_eq!(multiplied(&format!("3{suffix}")), Some(3 * factor), "{suffix}");
                assert_eq!(multiplied(&format!("-1{suffix}")), Some(-factor), "{suffix}");
                assert_eq!(multiplied(&format!("12 {suffix}")), Some(12 * factor), "{suffix}");
            }
        }
        assert_eq!(multiplied("8589934591G"), Some(9_223_372_035_781_033_984));
        for none in ["", "k", "3", "3x", "3kb", "3t", "1.5k", "8589934592G", "3k4", "k3", "3 4k"] {
            assert_eq!(multiplied(none), None, "{none}");
        }
    }

    #[test]
    fn formulas_begin_with_a_sign_wherever_it_is_seen_first() {
        for formula in [
            "=1+1",
            "+1",
            "-1",
            "@SUM(A1)",
            " =1",
            "\u{a0}=1",
            "\u{3000}@x",
            "\u{200b}=1",
            "＝1",
            "＋1",
            "－1",
            "＠x",
            "\u{3000}＝1",
            "\tx",
            "\rx",
            "\u{202e}=1",
        ] {
            assert!(begins_like_formula(formula), "{formula:?}");
        }
        for text in ["", "+", "=", "cost", "1=1", "a-b", " a=b", "'=1", "µs", "漢字＝1"] {
            assert!(!begins_like_formula(text), "{text:?}");
        }
    }

    #[test]
    fn lists_read_as_sentences() {
        assert_eq!(meant("a-b", &["a", "a_b"]), Some("a_b"));
        assert_eq!(meant("a_b", &["a-b", "a_b"]), Some("a_b"));
        assert_eq!((meant("a_b", &["a-b", "ab"]), meant("a b", &["a_b"])), (Some("a-b"), None));
        assert_eq!(and_list(&["a"]), "`a`");
        assert_eq!(and_list(&["a", "b", "c"]), "`a`, `b` and `c`");
        assert_eq!(shorten("a\u{1b}b", 9), "a\\u001bb");
        assert_eq!(shorten("abcdef", 3), "abc...");
    }
}
