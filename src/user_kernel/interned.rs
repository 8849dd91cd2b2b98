//! Texts that live as long as the program: names of what users describe stand beside those of the program's own families.

use std::collections::HashSet;
use std::sync::{LazyLock, Mutex, PoisonError};

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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_text_is_kept_once() {
        let first = interned("a kernel of the user's");
        assert!(std::ptr::eq(first, interned(&format!("a kernel of {}", "the user's"))));
        assert_ne!(first, interned("another"));
    }
}
