//! Whether a workload's outputs are what the host computed.

use super::agree;
use super::comparison::{Comparison, compare};
use crate::device::{Buffers, Checkable, DeviceError, Prepared};
use crate::workload::{Buffer, Expected, Near, Workload};

pub use super::comparison::Between;

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
    checkable: Checkable,
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
    read_where(prepared, workload, spare, |buffer| buffer.expected.is_some())
}

/// Reads those buffers back of a workload that was run.
///
/// # Errors
/// What the driver says.
pub(super) fn read_where(
    prepared: &mut dyn Prepared,
    workload: &Workload,
    spare: &mut Vec<Vec<u32>>,
    is_wanted: impl Fn(&Buffer) -> bool,
) -> Result<Outputs, DeviceError> {
    let outputs = workload.buffers.iter().enumerate().filter(|(_, buffer)| is_wanted(buffer));
    let read = |(index, _)| {
        let mut words = spare.pop().unwrap_or_default();
        prepared.read_into(index, &mut words)?;
        Ok((index, words))
    };
    let found = outputs.map(read).collect::<Result<_, DeviceError>>()?;
    Ok(Outputs { checkable: prepared.checkable(), found })
}

/// Runs the workload once and compares its outputs with the host's.
///
/// # Errors
/// [`CheckError::Wrong`] with the first difference and how many there are.
pub fn run_and_check(prepared: &mut dyn Prepared, workload: &Workload) -> Result<(), CheckError> {
    prepared.run()?;
    if let Some(buffers) = prepared.buffers() {
        return compare_parts(buffers, prepared.checkable(), workload);
    }
    read_outputs(prepared, workload, &mut Vec::new())?.compare(workload)
}

/// The same, and tells what is left in the buffers in which variants must agree, if there are any.
///
/// # Errors
/// [`CheckError::Wrong`] with the first difference and how many there are.
pub fn run_check_and_keep(prepared: &mut dyn Prepared, workload: &Workload) -> Result<Option<Outputs>, CheckError> {
    run_and_check(prepared, workload)?;
    if !agree::is_asked(workload) {
        return Ok(None);
    }
    Ok(Some(read_where(prepared, workload, &mut Vec::new(), agree::is_agreement)?))
}

impl Outputs {
    /// Compares every element of every output with what the host computed. Where the device executed only some of the
    /// blocks of the only launch, elements that are as they were before the launch are taken to be those of the other blocks; of several
    /// launches nothing is compared then.
    ///
    /// # Errors
    /// [`CheckError::Wrong`] with the first difference and how many there are.
    pub fn compare(&self, workload: &Workload) -> Result<(), CheckError> {
        if self.checkable == Checkable::Nothing {
            return Ok(());
        }
        for (index, found) in &self.found {
            let Some(buffer) = workload.buffers.get(*index) else { continue };
            let Some(expected) = &buffer.expected else { continue };
            compare(buffer, expected, found, self.checkable)?;
        }
        Ok(())
    }

    /// Compares the buffers in which the variants must agree with what the reference left there. Elements that blocks would have written
    /// which were not executed are left aside.
    ///
    /// # Errors
    /// [`CheckError::Wrong`] with the first difference and how many there are.
    pub fn agree(&self, first: &Self, buffers: &[Buffer], between: Between<'_>) -> Result<(), CheckError> {
        if self.checkable == Checkable::Nothing || first.checkable == Checkable::Nothing {
            return Ok(());
        }
        let all_count = self.checkable == Checkable::Everything && first.checkable == Checkable::Everything;
        for (index, found) in &self.found {
            let Some(buffer) = buffers.get(*index) else { continue };
            let Some(Expected::Agreement(agreement)) = &buffer.expected else { continue };
            let Some((_, words)) = first.found.iter().find(|(other, _)| other == index) else { continue };
            let (element, tolerance) = (agreement.element, agreement.tolerance);
            let expected = Expected::Near(Near { element, words: words.clone().into(), tolerance });
            let mut comparison = Comparison::new(buffer, &expected, all_count);
            comparison.check_length(found.len())?;
            comparison.any_written = true;
            comparison.between = Some(between);
            comparison.add(0, found);
            comparison.outcome()?;
        }
        Ok(())
    }

    /// The vectors, to be filled again.
    pub fn into_words(self) -> impl Iterator<Item = Vec<u32>> {
        self.found.into_iter().map(|(_, words)| words)
    }
}

/// Compares every element of every output of a workload that was run, as [`Outputs::compare`] does, reading a part at a time.
///
/// # Errors
/// [`CheckError::Wrong`] with the first difference and how many there are.
pub fn compare_parts(buffers: &dyn Buffers, checkable: Checkable, workload: &Workload) -> Result<(), CheckError> {
    if checkable == Checkable::Nothing {
        return Ok(());
    }
    let mut part = Vec::new();
    for (index, buffer) in workload.buffers.iter().enumerate() {
        let Some(expected) = &buffer.expected else { continue };
        let mut comparison = Comparison::new(buffer, expected, checkable == Checkable::Everything);
        let count = buffers.words(index);
        comparison.check_length(count)?;
        for first in (0..count).step_by(PART_WORDS) {
            let words = first..count.min(first + PART_WORDS);
            if checkable == Checkable::ExecutedBlocks && buffers.are_as_before(index, words.clone()) {
                continue;
            }
            part.resize(words.len(), 0);
            let missing = || DeviceError::Failed(format!("{} cannot be read", buffer.name));
            buffers.read(index, first, &mut part).ok_or_else(missing)?;
            comparison.add(first, &part);
        }
        comparison.outcome()?;
    }
    Ok(())
}

/// Words of an output that are read at a time.
const PART_WORDS: usize = 1 << 14;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernel::Ptx;
    use crate::workload::{Agreement, Contents, Element, POISON, Submission, Tolerance};

    /// Outputs of which the first block of words was written, and the rest is as it was.
    struct Begun(Vec<u32>);

    const WRITTEN: usize = PART_WORDS;

    impl Buffers for Begun {
        fn words(&self, _buffer: usize) -> usize {
            self.0.len()
        }

        fn read(&self, _buffer: usize, first: usize, words: &mut [u32]) -> Option<()> {
            words.copy_from_slice(self.0.get(first..first + words.len())?);
            Some(())
        }

        fn are_as_before(&self, _buffer: usize, words: std::ops::Range<usize>) -> bool {
            words.start >= WRITTEN
        }
    }

    #[test]
    fn of_a_launch_that_was_executed_in_part_what_was_written_is_compared() {
        let expected: Vec<u32> = (0..3 * WRITTEN as u32).collect();
        let workload = Workload {
            ptx: Ptx::Text(""),
            buffers: vec![Buffer {
                name: "output",
                contents: Contents::Poison { words: expected.len() },
                expected: Some(expected.clone().into()),
            }],
            steps: Vec::new(),
            submission: Submission::Stream,
            bytes: 0,
            operations: 0,
            predictors: Vec::new(),
        };
        let mut found = vec![POISON; expected.len()];
        found[..WRITTEN].copy_from_slice(&expected[..WRITTEN]);
        let compared = |found: &[u32], checkable| compare_parts(&Begun(found.to_vec()), checkable, &workload);
        compared(&found, Checkable::ExecutedBlocks).unwrap();
        compared(&found, Checkable::Nothing).unwrap();
        // A word that an executed block has wrong, and all words, of which most were not written.
        found[WRITTEN - 1] = 7;
        let wrong = compared(&found, Checkable::ExecutedBlocks).unwrap_err().to_string();
        assert!(wrong.contains("element 16383"), "{wrong}");
        compared(&found, Checkable::Everything).unwrap_err();
    }

    #[test]
    fn what_the_reference_did_not_write_is_told_of_the_reference() {
        let tolerance = Tolerance { relative: 0.0, absolute: 0.0 };
        let agreement = |element| Expected::Agreement(Agreement { element, words: 4, tolerance });
        let told = |element, reference: [u32; 4], own: [u32; 4]| {
            let outputs =
                |words: [u32; 4]| Outputs { checkable: Checkable::Everything, found: vec![(0, words.to_vec())] };
            let contents = Contents::Poison { words: 4 };
            let buffers = [Buffer { name: "output", contents, expected: Some(agreement(element)) }];
            let between = Between { own: "fast", reference: "naive" };
            outputs(own).agree(&outputs(reference), &buffers, between).unwrap_err().to_string()
        };
        let u32 = Element::Unsigned(32);
        assert_eq!(
            told(u32, [1, 2, POISON, POISON], [1, 2, 3, 4]),
            "`naive`, the reference of \"variants agree\", did not write 2 of 4 elements of output; the first is element 2, which `fast` wrote: 3"
        );
        assert!(
            told(u32, [1, 2, 3, POISON], [9, 2, 3, 4])
                .ends_with("element 3, which `fast` wrote: 4; 1 of the others differ")
        );
        let told_of_long = told(Element::Unsigned(64), [1, 2, POISON, POISON], [1, 2, 3, 4]);
        assert!(
            told_of_long.contains("did not write 1 of 2 elements of output; the first is element 1"),
            "{told_of_long}"
        );
        let own = told(u32, [1, 2, 3, 4], [1, 2, 3, POISON]);
        assert!(
            own.ends_with(
                "not written by any thread; the first is element 3, where 4 was expected by the variant naive"
            ),
            "{own}"
        );
    }
}
