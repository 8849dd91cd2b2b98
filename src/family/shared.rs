//! Words that the workloads of several points have in common, made once: inputs of the same size, and what comes out of them.

use std::collections::VecDeque;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use crate::workload::Words;

/// Bytes that are kept for points to come; the words made last are kept in any case.
const KEPT_BYTES: usize = 2 << 30;
/// Fewer bytes are made anew.
const LEAST_BYTES: usize = 1 << 16;

/// What words are: how they are made, and from which numbers.
pub(super) type Key = (&'static str, Vec<u64>);

struct Kept {
    /// The oldest first.
    words: VecDeque<(Key, Words)>,
    /// What is being made.
    under_way: Vec<Key>,
}

static KEPT: Mutex<Kept> = Mutex::new(Kept { words: VecDeque::new(), under_way: Vec::new() });
static MADE: Condvar = Condvar::new();

fn kept() -> MutexGuard<'static, Kept> {
    KEPT.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Takes what is being made off the list, whatever happens.
struct UnderWay(Key);

impl Drop for UnderWay {
    fn drop(&mut self) {
        kept().under_way.retain(|other| *other != self.0);
        MADE.notify_all();
    }
}

/// The words that `make` makes, `count` of them, which depend on nothing but the key: those that were made before, if they are still there.
pub(crate) fn shared(what: &'static str, numbers: &[u64], count: usize, make: impl FnOnce() -> Vec<u32>) -> Words {
    if size_of::<u32>() * count < LEAST_BYTES {
        return make().into();
    }
    let key = (what, numbers.to_vec());
    let mut all = kept();
    loop {
        if let Some((_, words)) = all.words.iter().find(|(other, _)| *other == key) {
            return words.clone();
        }
        // A thread of the pool may have been given this work while it waits for what another makes with it.
        if !all.under_way.contains(&key) || rayon::current_thread_index().is_some() {
            break;
        }
        all = MADE.wait(all).unwrap_or_else(PoisonError::into_inner);
    }
    all.under_way.push(key.clone());
    drop(all);
    let under_way = UnderWay(key);
    let words = Words::from(make());
    let mut all = kept();
    all.words.push_back((under_way.0.clone(), words.clone()));
    let bytes_of = |words: &Words| size_of_val(words.as_slice());
    let mut bytes: usize = all.words.iter().map(|(_, words)| bytes_of(words)).sum();
    let mut given_up = Vec::new();
    while bytes > KEPT_BYTES && all.words.len() > 1 {
        given_up.extend(all.words.pop_front().inspect(|(_, words)| bytes -= bytes_of(words)));
    }
    drop(all);
    words
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[test]
    fn words_are_made_once_for_all_who_ask_for_the_same() {
        let made = AtomicUsize::new(0);
        let ask = |number: u64| {
            shared("once for all", &[number], 1 << 16, || {
                made.fetch_add(1, Ordering::Relaxed);
                vec![number as u32; 1 << 16]
            })
        };
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| assert_eq!(ask(1)[7], 1));
            }
        });
        assert_eq!((ask(1)[0], made.load(Ordering::Relaxed)), (1, 1));
        assert_eq!((ask(2)[0], made.load(Ordering::Relaxed)), (2, 2));
    }

    #[test]
    fn few_words_are_made_anew() {
        let made = AtomicUsize::new(0);
        for _ in 0..2 {
            shared("few", &[], 4, || vec![made.fetch_add(1, Ordering::Relaxed) as u32; 4]);
        }
        assert_eq!(made.load(Ordering::Relaxed), 2);
    }

    #[test]
    fn who_waits_goes_on_where_making_failed() {
        let panicked = std::thread::spawn(|| shared("failed", &[], 1 << 16, || panic!("on purpose"))).join();
        assert!(panicked.is_err());
        assert_eq!(shared("failed", &[], 1 << 16, || vec![5; 1 << 16])[0], 5);
    }
}
