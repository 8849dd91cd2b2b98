//! Whether a workload's outputs are what the host computed.

use crate::device::{DeviceError, Prepared};
use crate::workload::{Buffer, Contents, Expected, POISON, Workload};

/// Why the outputs of a workload are not correct.
#[derive(Debug, Clone, thiserror::Error)]
pub enum CheckError {
    /// An output differs from the host's.
    #[error("{0}")]
    Wrong(String),
    /// The device failed.
    #[error(transparent)]
    Device(#[from] DeviceError),
}

/// What the outputs of a workload hold after one run.
pub struct Outputs {
    executes_all_blocks: bool,
    /// By the buffer's index in the workload.
    found: Vec<(usize, Vec<u32>)>,
}

/// Reads the outputs of a workload back that was run, into vectors of `spare` while there are any.
///
/// # Errors
/// What the driver says.
pub fn read_outputs(
    prepared: &mut dyn Prepared,
    workload: &Workload,
    spare: &mut Vec<Vec<u32>>,
) -> Result<Outputs, DeviceError> {
    let outputs = workload.buffers.iter().enumerate().filter(|(_, buffer)| buffer.expected.is_some());
    let read = |(index, _)| {
        let mut words = spare.pop().unwrap_or_default();
        prepared.read_into(index, &mut words)?;
        Ok((index, words))
    };
    let found = outputs.map(read).collect::<Result<_, DeviceError>>()?;
    Ok(Outputs { executes_all_blocks: prepared.executes_all_blocks(), found })
}

/// Runs the workload once and compares its outputs with the host's.
///
/// # Errors
/// [`CheckError::Wrong`] with the first difference and how many there are.
pub fn run_and_check(prepared: &mut dyn Prepared, workload: &Workload) -> Result<(), CheckError> {
    prepared.run()?;
    read_outputs(prepared, workload, &mut Vec::new())?.compare(workload)
}

impl Outputs {
    /// Compares every element of every output with what the host computed. Where the device executed only some of the
    /// blocks, elements that are as they were before the launch are taken to be those of the other blocks.
    ///
    /// # Errors
    /// [`CheckError::Wrong`] with the first difference and how many there are.
    pub fn compare(&self, workload: &Workload) -> Result<(), CheckError> {
        for (index, found) in &self.found {
            let Some(buffer) = workload.buffers.get(*index) else { continue };
            let Some(expected) = &buffer.expected else { continue };
            if self.executes_all_blocks {
                compare(buffer, expected, found)?;
            } else {
                compare_written(buffer, expected, found)?;
            }
        }
        Ok(())
    }

    /// The vectors, to be filled again.
    pub fn into_words(self) -> impl Iterator<Item = Vec<u32>> {
        self.found.into_iter().map(|(_, words)| words)
    }
}

/// Compares the elements that were written, of which there must be some.
fn compare_written(buffer: &Buffer, expected: &Expected, found: &[u32]) -> Result<(), CheckError> {
    let before = |index: usize| match &buffer.contents {
        Contents::Words(words) | Contents::HostWords(words) => words.get(index).copied(),
        Contents::Poison { .. } | Contents::HostPoison { .. } => Some(POISON),
    };
    let is_written = |index: usize, word: u32| before(index) != Some(word);
    if !found.iter().enumerate().any(|(index, word)| is_written(index, *word)) {
        return Err(CheckError::Wrong(format!("the executed blocks did not write to {}", buffer.name)));
    }
    compare_where(buffer, expected, found, is_written)
}

fn compare(buffer: &Buffer, expected: &Expected, found: &[u32]) -> Result<(), CheckError> {
    compare_where(buffer, expected, found, |_, _| true)
}

/// Compares the elements that count, by their index and what was found there.
fn compare_where(
    buffer: &Buffer,
    expected: &Expected,
    found: &[u32],
    counts: impl Fn(usize, u32) -> bool,
) -> Result<(), CheckError> {
    let name = buffer.name;
    if expected.len() != found.len() {
        let problem = format!("{name} has {} elements, {} were expected", found.len(), expected.len());
        return Err(CheckError::Wrong(problem));
    }
    let is_wrong = |(index, word): &(usize, &u32)| counts(*index, **word) && !expected.accepts(*index, **word);
    let mut differences = found.iter().enumerate().filter(is_wrong);
    let Some((first, word)) = differences.next() else { return Ok(()) };
    let count = 1 + differences.count();
    let unwritten = if *word == POISON { ", as before the launch" } else { "" };
    Err(CheckError::Wrong(format!(
        "{name} has {count} wrong of {} elements; the first is element {first}: {}{unwritten}, {} was expected",
        expected.len(),
        found_text(expected, *word),
        expected_text(expected, first),
    )))
}

fn found_text(expected: &Expected, word: u32) -> String {
    match expected {
        Expected::Sums(_) if word != POISON => f32::from_bits(word).to_string(),
        Expected::Words(_) | Expected::Sums(_) => format!("{word:#010x}"),
    }
}

fn expected_text(expected: &Expected, index: usize) -> String {
    match expected {
        Expected::Words(words) => words.get(index).map(|word| format!("{word:#010x}")).unwrap_or_default(),
        Expected::Sums(sums) => {
            sums.get(index).map(|sum| format!("{} ± {:.3e}", sum.value, sum.error_bound)).unwrap_or_default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workload::Sum;

    fn output() -> Buffer {
        Buffer { name: "output", contents: Contents::Poison { words: 3 }, expected: None }
    }

    #[test]
    fn equal_words_pass_and_any_difference_does_not() {
        let expected = Expected::from(vec![1, 2, 3]);
        assert!(compare(&output(), &expected, &[1, 2, 3]).is_ok());
        let message = compare(&output(), &expected, &[1, 9, POISON]).unwrap_err().to_string();
        assert_eq!(
            message,
            "output has 2 wrong of 3 elements; the first is element 1: 0x00000009, 0x00000002 was expected"
        );
        let message = compare(&output(), &expected, &[1, 2, POISON]).unwrap_err().to_string();
        assert!(message.contains("0xffffdead, as before the launch"), "{message}");
        assert!(compare(&output(), &expected, &[1, 2]).is_err());
    }

    #[test]
    fn a_sum_beyond_its_bound_is_told_with_the_bound() {
        let expected = Expected::from(vec![Sum { value: 2.5, error_bound: 0.25 }]);
        assert!(compare(&output(), &expected, &[2.75_f32.to_bits()]).is_ok());
        let message = |word| compare(&output(), &expected, &[word]).unwrap_err().to_string();
        assert_eq!(
            message(3.0_f32.to_bits()),
            "output has 1 wrong of 1 elements; the first is element 0: 3, 2.5 ± 2.500e-1 was expected"
        );
        assert!(message(POISON).contains("0xffffdead, as before the launch"), "{}", message(POISON));
    }
}
