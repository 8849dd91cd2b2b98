//! Names of kernels: as the source has them, and as a compiler writes them.

use crate::kernel::demangled;
use crate::parameter::ParameterSet;

/// The name with the values of parameters in place of `{name}`.
pub(super) fn with_parameters(entry: &str, parameters: &ParameterSet) -> String {
    let replace = |text: String, (name, value): (&str, &crate::parameter::Value)| {
        text.replace(&format!("{{{name}}}"), &value.to_string())
    };
    parameters.iter().fold(entry.to_owned(), replace)
}

/// The name with what is defined in place of the names that stand for it.
pub(super) fn with_defines(entry: &str, defines: &[(String, String)]) -> String {
    let mut replaced = String::new();
    let mut word = String::new();
    let finish = |word: &mut String, replaced: &mut String| {
        let value = defines.iter().find(|(name, _)| name == word).map(|(_, value)| value.as_str());
        replaced.push_str(value.unwrap_or(word));
        word.clear();
    };
    for letter in entry.chars() {
        if letter.is_alphanumeric() || letter == '_' {
            word.push(letter);
        } else {
            finish(&mut word, &mut replaced);
            replaced.push(letter);
        }
    }
    finish(&mut word, &mut replaced);
    replaced
}

/// Whether the kernel that a module calls `symbol` is the one that a scenario calls `entry`: by the same name, or as C++ has it.
pub(super) fn is_named(symbol: &str, entry: &str) -> bool {
    symbol == entry || demangled(symbol).is_some_and(|name| compact(&name) == compact(entry))
}

/// The name without blanks, anonymous namespaces, and the types of numbers: neither the demangler's casts nor the suffixes of C++.
fn compact(name: &str) -> String {
    let mut rest = name.replace("(anonymous namespace)::", "");
    rest.retain(|letter| !letter.is_whitespace());
    let mut compact = String::new();
    while let Some(letter) = rest.chars().next() {
        let cast = rest.strip_prefix('(').and_then(|inner| inner.split_once(')')).map(|(_, behind)| behind);
        if let Some(behind) = cast.filter(|behind| behind.starts_with(|own: char| own.is_ascii_digit() || own == '-')) {
            rest = behind.to_owned();
            continue;
        }
        let is_in_name = compact.ends_with(|own: char| own.is_alphanumeric() || own == '_');
        let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
        if digits > 0 && !is_in_name {
            compact.push_str(&rest[..digits]);
            rest = rest[digits..].trim_start_matches(['u', 'U', 'l', 'L']).to_owned();
            continue;
        }
        compact.push(letter);
        rest.drain(..letter.len_utf8());
    }
    compact
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_defined_are_replaced_and_parts_of_names_are_not() {
        let defines = [("TILE".to_owned(), "32".to_owned())];
        assert_eq!(with_defines("transpose<TILE, TILE_ROWS>", &defines), "transpose<32, TILE_ROWS>");
        assert_eq!(with_defines("TILE", &defines), "32");
    }

    /// The symbols are nvcc's and clang's for these functions.
    #[test]
    fn kernels_are_found_by_their_names_in_the_source() {
        for (symbol, entry) in [
            ("_Z15transpose_naivePfPKfi", "transpose_naive"),
            ("_Z15transpose_tiledILi32EEvPfPKfi", "transpose_tiled<32>"),
            ("_Z15transpose_tiledILi32EEvPfPKfi", "transpose_tiled< 32 >"),
            ("_Z3sumIfLj4EEvPT_", "sum<float, 4>"),
            ("_Z3sumIfLj4EEvPT_", "sum<float, 4u>"),
            ("_Z4sum2ILln4ELb1EEvv", "sum2<-4, true>"),
            ("_ZN5tools3sumEPf", "tools::sum"),
            ("plain", "plain"),
        ] {
            assert!(is_named(symbol, entry), "{symbol} {entry}: {:?}", demangled(symbol));
        }
        assert!(!is_named("_Z15transpose_tiledILi32EEvPfPKfi", "transpose_tiled<16>"));
        assert!(!is_named("_Z15transpose_naivePfPKfi", "transpose"));
    }
}
