//! Texts that live as long as the program: names of what users describe stand beside those of the program's own families.

use std::collections::{HashMap, HashSet};
use std::sync::{LazyLock, Mutex, PoisonError};

use crate::kernel::{Assembled, Sourced};

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

/// What a module that is kept is known by: its PTX with the name and the text of its source, and what ptxas makes of it.
type ModuleKey = ([&'static str; 3], Option<Assembled>);

/// A module's PTX with the name and the text of its source, and what ptxas makes of it, for as long as the program lives.
pub(super) fn kept(texts: [&str; 3], assembled: Option<&Assembled>) -> &'static Sourced {
    static MODULES: LazyLock<Mutex<HashMap<ModuleKey, &'static Sourced>>> = LazyLock::new(Mutex::default);
    let key = (texts.map(interned), assembled.cloned());
    let mut modules = MODULES.lock().unwrap_or_else(PoisonError::into_inner);
    modules.entry(key).or_insert_with_key(|([ptx, name, source], assembled)| {
        Box::leak(Box::new(Sourced::new(ptx, name, source).with_assembled(assembled.clone())))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_module_is_kept_once() {
        let texts = [".version 8.0", "mine.cu", "__global__"];
        let name = "ptxas 13.0.88 for sm_90".to_owned();
        let assembled = Assembled { assembler: name, capability: (9, 0), kernels: Vec::new() };
        assert!(std::ptr::eq(kept(texts, None), kept(texts, None)));
        assert!(std::ptr::eq(kept(texts, Some(&assembled)), kept(texts, Some(&assembled))));
        assert!(!std::ptr::eq(kept(texts, None), kept(texts, Some(&assembled))));
        assert!(!std::ptr::eq(kept(texts, None), kept([texts[0], "yours.cu", texts[2]], None)));
    }

    #[test]
    fn the_same_text_is_kept_once() {
        let first = interned("a kernel of the user's");
        assert!(std::ptr::eq(first, interned(&format!("a kernel of {}", "the user's"))));
        assert_ne!(first, interned("another"));
    }
}
