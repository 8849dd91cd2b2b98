//! Texts that live as long as the program: names of what users describe stand beside those of the program's own families.

use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::kernel::Sourced;

/// The text for as long as the program lives, and the same one each time.
pub fn interned(text: &str) -> &'static str {
    static TEXTS: LazyLock<Mutex<HashSet<&'static str>>> = LazyLock::new(Mutex::default);
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = texts.get(text) {
        return known;
    }
    let kept: &'static str = Box::leak(text.to_owned().into_boxed_str());
    texts.insert(kept);
    kept
}

/// The same for a list of texts that are kept.
pub(super) fn interned_list(list: Vec<&'static str>) -> &'static [&'static str] {
    static LISTS: LazyLock<Mutex<HashSet<&'static [&'static str]>>> = LazyLock::new(Mutex::default);
    let mut lists = LISTS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = lists.get(&list[..]) {
        return known;
    }
    let kept: &'static [&'static str] = list.leak();
    lists.insert(kept);
    kept
}

/// A module's PTX with the name and the text of its source, for as long as the program lives.
pub(super) fn kept(texts: [&str; 3]) -> &'static Sourced {
    static MODULES: LazyLock<Mutex<HashMap<[&'static str; 3], &'static Sourced>>> = LazyLock::new(Mutex::default);
    let texts = texts.map(interned);
    let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    modules.entry(texts).or_insert_with_key(|[ptx, name, source]| Box::leak(Box::new(Sourced::new(ptx, name, source))))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_kept_once() {
        let texts = [".version 8.0", "mine.cu", "__global__"];
        assert!(std::ptr::eq(kept(texts), kept(texts)));
        assert!(!std::ptr::eq(kept(texts), kept([texts[0], "yours.cu", texts[2]])));
    }

    #[test]
    fn the_same_text_is_kept_once() {
        let first = interned("a kernel of the user's");
        assert!(std::ptr::eq(first, interned(&format!("a kernel of {}", "the user's"))));
        assert_ne!(first, interned("another"));
    }
}
