//! Parts of a sweep, for spreading a scenario over many machines: `--part K/N`.

use std::collections::BTreeSet;
use std::fmt;
use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::scenario::{Point, groups};
use located_toml::words::quote;

/// Every `of`-th group of the grid's points, from `index` on. A group is what is measured together: the variants of the
/// same parameters. With one variant it is every `of`-th point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Part {
    /// The index of the part, from 0.
    pub index: usize,
    /// The number of parts.
    pub of: usize,
}

impl Part {
    /// Whether the part has the group with this place in the grid, from 0.
    pub fn takes(self, group: usize) -> bool {
        group.checked_rem(self.of) == Some(self.index)
    }

    /// The numbers of its points, of all those of a grid.
    pub fn of_points(self, points: &[Point]) -> BTreeSet<usize> {
        let own = groups(points).into_iter().enumerate().filter(|(group, _)| self.takes(*group));
        own.flat_map(|(_, group)| group).map(|point| point.index).collect()
    }

    /// Whether the index is below the number of parts; in a file it may not be.
    pub(super) fn is_sound(self) -> bool {
        self.index < self.of
    }
}

impl fmt::Display for Part {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}/{}", self.index, self.of)
    }
}

impl FromStr for Part {
    type Err = String;

    /// Reads `K/N`, where K counts from 0.
    fn from_str(text: &str) -> Result<Self, String> {
        let number = |digits: &str| {
            let plain = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
            digits.parse::<usize>().ok().filter(|_| plain)
        };
        let numbers = text.split_once('/').and_then(|(index, of)| Some((number(index)?, number(of)?)));
        let Some((index, of)) = numbers else {
            return Err(format!("{} is not a part: expected K/N, such as 0/4 for the first of four", quote(text)));
        };
        let part = Self { index, of };
        match of.checked_sub(1) {
            None => Err(format!("{} is not a part: expected K/N with N of at least 1, such as 0/4", quote(text))),
            Some(_) if part.is_sound() => Ok(part),
            Some(0) => Err(format!("{} is not a part: K counts from 0, so the only part of 1 is 0/1", quote(text))),
            Some(last) => {
                Err(format!("{} is not a part: K counts from 0, so for {of} parts K is 0 to {last}", quote(text)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn parts_are_read_as_they_are_shown() {
        assert_eq!("0/4".parse(), Ok(Part { index: 0, of: 4 }));
        assert_eq!("3/4".parse::<Part>().unwrap().to_string(), "3/4");
        assert_eq!("0/1".parse(), Ok(Part { index: 0, of: 1 }));
    }

    #[test]
    fn what_is_no_part_is_said_in_words() {
        let error = |text: &str| text.parse::<Part>().unwrap_err();
        assert_eq!(error("4/4"), "`4/4` is not a part: K counts from 0, so for 4 parts K is 0 to 3");
        assert_eq!(error("1/1"), "`1/1` is not a part: K counts from 0, so the only part of 1 is 0/1");
        assert_eq!(error("0/0"), "`0/0` is not a part: expected K/N with N of at least 1, such as 0/4");
        for text in ["", "/", "1", "1/", "/2", "-1/2", "+1/2", "1/2/3", "a/b", "1 /2", "1/99999999999999999999999"] {
            let expected = format!("`{text}` is not a part: expected K/N, such as 0/4 for the first of four");
            assert_eq!(error(text), expected);
        }
    }

    proptest! {
        #[test]
        fn every_group_is_in_exactly_one_part(of in 1_usize..50, group in 0_usize..1000) {
            let takers = (0..of).filter(|&index| Part { index, of }.takes(group)).count();
            prop_assert_eq!(takers, 1);
        }

        #[test]
        fn no_text_panics_and_what_is_read_is_sound(text in "[0-9/ +a-]{0,8}") {
            if let Ok(part) = text.parse::<Part>() {
                prop_assert!(part.index < part.of);
            }
        }
    }
}
