//! Loops that a compiler unrolled whole: of these nothing but their ways out is left.

/// A branch at which lanes part, as far as it is not known to end a loop.
#[derive(Debug, Clone)]
pub(super) struct Branch {
    /// How often they do.
    pub(super) divergent: f64,
    /// Where they go on: lines of the PTX.
    pub(super) ways: Vec<u32>,
}

/// Words of a line of the source that is of a loop. A condition of several parts has branches that lead to the same place, too.
const OF_LOOPS: [&str; 3] = ["for", "while", "break"];

/// How often lanes part at branches of a line of the source that lead out of a loop's turns, each to the place to which others do.
pub(super) fn parted_at_ends(text: &str, branches: &[Branch]) -> f64 {
    let is_word = |character: char| character.is_alphanumeric() || character == '_';
    if !text.split(|character| !is_word(character)).any(|word| OF_LOOPS.contains(&word)) {
        return 0.0;
    }
    let leads_with_others = |own: &&Branch| {
        let leading = |way: &u32| branches.iter().filter(|other| other.ways.contains(way)).count();
        own.ways.iter().any(|way| leading(way) > 1)
    };
    branches.iter().filter(leads_with_others).map(|own| own.divergent).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn turns_that_lead_to_one_place_are_of_a_loop() {
        // Two loops of three turns each, and a branch that leads elsewhere.
        let of = |ways: &[u32]| Branch { divergent: 2.0, ways: ways.to_vec() };
        let all = [[11, 20], [12, 20], [13, 20], [31, 40], [32, 40], [33, 40], [50, 60]].map(|ways| of(&ways));
        let parted = |text, branches: &[Branch]| parted_at_ends(text, branches).round() as u64;
        assert_eq!(parted("while (k > 0 && best[k - 1] > v) k--;", &all), 12);
        assert_eq!(parted("if (found) break;", &all[..2]), 4);
        assert_eq!(parted("if (x < w && y < h) before[y] = x;", &all), 0, "a condition of parts");
        assert_eq!(parted("while (k > 0) k--;", &all[2..4]), 0);
    }
}
