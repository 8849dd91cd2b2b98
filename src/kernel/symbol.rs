//! Names as a compiler writes them.

use cpp_demangle::Symbol;

/// The name of a function of C++ without its type and parameters: `transpose<32>` of `void transpose<32>(float*)`.
pub fn demangled(symbol: &str) -> Option<String> {
    demangled_with_parameters(symbol).map(|(name, _)| name)
}

/// The name of a function of C++ without its type, and what is between the brackets behind it: the types of its parameters.
pub fn demangled_with_parameters(symbol: &str) -> Option<(String, String)> {
    let whole = Symbol::new(symbol).ok()?.demangle().ok()?;
    let (name, list) = whole.split_at(parameters(&whole));
    let list = list.strip_prefix('(').and_then(|list| list.strip_suffix(')')).unwrap_or(list);
    Some((name.strip_prefix("void ").unwrap_or(name).to_owned(), list.to_owned()))
}

/// The name of a variable without the function and the namespaces that it is in: `tile` of `void transpose<32>(float*)::tile`.
pub fn variable(symbol: &str) -> String {
    let whole = Symbol::new(symbol).ok().and_then(|symbol| symbol.demangle().ok());
    let whole = whole.unwrap_or_else(|| symbol.to_owned());
    whole.rsplit("::").next().unwrap_or(symbol).to_owned()
}

/// The types of a function's parameters as C++ has them; `None` where its name does not tell.
pub fn parameter_types(symbol: &str) -> Option<Vec<String>> {
    let whole = Symbol::new(symbol).ok()?.demangle().ok()?;
    let inner = whole[parameters(&whole)..].strip_prefix('(')?.strip_suffix(')')?;
    let (mut types, mut depth) = (vec![String::new()], 0_u32);
    for letter in inner.chars() {
        match letter {
            '<' | '(' | '[' => depth += 1,
            '>' | ')' | ']' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                types.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(last) = types.last_mut() {
            last.push(letter);
        }
    }
    Some(types.iter().map(|ty| ty.trim().to_owned()).filter(|ty| !ty.is_empty()).collect())
}

/// Where the parameters begin: at the last bracket outside of angle brackets that opens.
fn parameters(whole: &str) -> usize {
    let mut depth = 0_u32;
    for (place, letter) in whole.char_indices() {
        match letter {
            '<' => depth += 1,
            '>' => depth = depth.saturating_sub(1),
            '(' if depth == 0 && !whole[place..].starts_with("(anonymous namespace)") => return place,
            _ => {}
        }
    }
    whole.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_are_called_as_in_their_function() {
        assert_eq!(variable("_ZZ18transpose_by_tilesILi0EEvPKfPfiE4tile"), "tile");
        assert_eq!(variable("_ZZN5tools3sumEPfE8partials"), "partials");
        assert_eq!(variable("tile"), "tile");
    }
}
