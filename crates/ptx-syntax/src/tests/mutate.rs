//! No damage to a text is a panic, and what still reads prints and reads back.

use proptest::prelude::*;
use proptest::sample::Index;

use super::SAMPLES;
use super::generate::module;
use crate::{parse, parse_bytes};

/// What damage inserts.
const PIECES: [&str; 24] = [
    ";", "{", "}", "(", ")", "[", "]", "<", ",", "\"", "/*", "//", ".", "..", "::", "@", "|", "+-", "\n", "_", "é",
    "0x", ".entry", ".reg",
];

#[derive(Debug, Clone)]
enum Damage {
    Delete(Index, usize),
    Duplicate(Index, usize),
    Swap(Index, Index),
    Insert(Index, u8),
    Piece(Index, &'static str),
}

fn damage() -> impl Strategy<Value = Damage> {
    let place = any::<Index>;
    prop_oneof![
        (place(), 1_usize..12).prop_map(|(at, length)| Damage::Delete(at, length)),
        (place(), 1_usize..40).prop_map(|(at, length)| Damage::Duplicate(at, length)),
        (place(), place()).prop_map(|(first, second)| Damage::Swap(first, second)),
        (place(), any::<u8>()).prop_map(|(at, byte)| Damage::Insert(at, byte)),
        (place(), b' '..b'~').prop_map(|(at, byte)| Damage::Insert(at, byte)),
        (place(), prop::sample::select(PIECES.to_vec())).prop_map(|(at, piece)| Damage::Piece(at, piece)),
    ]
}

fn apply(bytes: &mut Vec<u8>, damage: &Damage) {
    if bytes.is_empty() {
        return;
    }
    let length_of_all = bytes.len();
    let range = |at: &Index, length: usize| {
        let start = at.index(length_of_all);
        start..(start + length).min(length_of_all)
    };
    match damage {
        Damage::Delete(at, length) => drop(bytes.drain(range(at, *length))),
        Damage::Duplicate(at, length) => {
            let range = range(at, *length);
            let piece = bytes[range.clone()].to_vec();
            bytes.splice(range.end..range.end, piece);
        }
        Damage::Swap(first, second) => bytes.swap(first.index(length_of_all), second.index(length_of_all)),
        Damage::Insert(at, byte) => bytes.insert(at.index(length_of_all), *byte),
        Damage::Piece(at, piece) => {
            let at = at.index(length_of_all);
            bytes.splice(at..at, piece.bytes());
        }
    }
}

/// Parses; what reads must read back, what does not must say where, in order.
fn check(bytes: &[u8]) -> Result<(), TestCaseError> {
    match parse_bytes(bytes) {
        Ok(module) => {
            let text = module.to_string();
            let again = parse(&text).map_err(|errors| TestCaseError::fail(format!("{errors}\n{text}")))?;
            prop_assert_eq!(again.without_lines(), module.without_lines());
        }
        Err(errors) => {
            let lines = bytes.split(|&byte| byte == b'\n').count();
            prop_assert!(!errors.errors().is_empty() && errors.errors().len() <= 20);
            prop_assert!(errors.errors().is_sorted_by_key(|error| error.line));
            let is_inside = |line: u32| (1..=lines).contains(&(line as usize));
            prop_assert!(errors.errors().iter().all(|error| is_inside(error.line) && error.column > 0));
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn damaged_samples(sample in 0_usize..4, damages in prop::collection::vec(damage(), 1..6)) {
        let mut bytes = SAMPLES[sample].as_bytes().to_vec();
        damages.iter().for_each(|damage| apply(&mut bytes, damage));
        check(&bytes)?;
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn damaged_modules(module in module(), damages in prop::collection::vec(damage(), 1..4)) {
        let mut bytes = module.to_string().into_bytes();
        damages.iter().for_each(|damage| apply(&mut bytes, damage));
        check(&bytes)?;
    }

    #[test]
    fn arbitrary_text(text in any::<String>()) {
        check(text.as_bytes())?;
    }
}
