//! Whether variants leave the same in a buffer: what is checked of kernels that the host has no results of.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::check::{Between, CheckError, Outputs};
use crate::workload::{Buffer, Expected, Workload};

/// Whether a workload has a buffer in which the variants must agree.
pub(super) fn is_asked(workload: &Workload) -> bool {
    workload.buffers.iter().any(is_agreement)
}

/// Whether the variants must agree in a buffer.
pub(super) fn is_agreement(buffer: &Buffer) -> bool {
    matches!(buffer.expected, Some(Expected::Agreement(_)))
}

/// What a variant left, until it can be compared with what the first one left.
pub(super) struct Left {
    /// The point's place among those that are measured.
    pub(super) place: usize,
    /// Its variant.
    pub(super) variant: &'static str,
    pub(super) buffers: Vec<Buffer>,
    pub(super) outputs: Outputs,
}

impl Left {
    /// Compares what this and other variants left with what the first of them in the order of the grid left. Tells the places of
    /// those that differ.
    fn compare(mut all: Vec<Self>) -> Vec<(usize, CheckError)> {
        all.sort_by_key(|own| own.place);
        let Some((first, others)) = all.split_first() else { return Vec::new() };
        let compared = others.iter().map(|own| {
            let between = Between { own: own.variant, reference: first.variant };
            (own.place, own.outputs.agree(&first.outputs, &own.buffers, between))
        });
        compared.filter_map(|(place, result)| Some((place, result.err()?))).collect()
    }
}

/// Points whose variants must agree, which are done in any order.
pub(super) struct Agreements {
    groups: Mutex<HashMap<String, Group>>,
    differing: Mutex<Vec<(usize, CheckError)>>,
}

#[derive(Default)]
struct Group {
    /// Points that are not done.
    missing: usize,
    left: Vec<Left>,
}

impl Agreements {
    /// Of points with these parameters, each as often as there are variants.
    pub(super) fn new(parameters: impl Iterator<Item = String>) -> Self {
        let mut groups: HashMap<String, Group> = HashMap::new();
        parameters.for_each(|parameters| groups.entry(parameters).or_default().missing += 1);
        Self { groups: Mutex::new(groups), differing: Mutex::default() }
    }

    /// Takes what a point left, or that it left nothing; compares when all of its group are done.
    pub(super) fn done(&self, parameters: &str, left: Option<Left>) {
        let mut groups = self.groups.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(group) = groups.get_mut(parameters) else { return };
        group.left.extend(left);
        group.missing = group.missing.saturating_sub(1);
        if group.missing > 0 {
            return;
        }
        let left = groups.remove(parameters).map(|group| group.left).unwrap_or_default();
        drop(groups);
        let differing = Left::compare(left);
        self.differing.lock().unwrap_or_else(PoisonError::into_inner).extend(differing);
    }

    /// The places of points that left something else than the first of their group.
    pub(super) fn differing(self) -> Vec<(usize, CheckError)> {
        self.differing.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}
