//! What tests of families have in common: a device, points at the defaults, and workloads of these.

use super::{Declared, FamilyPoint};
use crate::device::Device;
use crate::device::mock::{Mock, MockSettings};
use crate::properties::Properties;
use crate::workload::{Buffer, Workload};

/// The properties of a GPU that takes blocks of 1024 threads.
pub(crate) fn properties() -> Properties {
    Mock::new(MockSettings::default()).properties().clone()
}

/// A family's parameters at their defaults on [`properties`].
pub(crate) fn defaults<P: Declared>() -> P {
    P::defaults(&properties())
}

/// A variant's workload on [`properties`], with the seed 1.
pub(crate) fn workload<P: FamilyPoint>(variant: P::Variant, parameters: &P) -> Workload<P::Predictors> {
    parameters.workload(variant, &properties(), 1)
}

/// Device memory of a workload's buffers, in bytes.
pub(crate) fn bytes_of_buffers<P>(workload: &Workload<P>) -> u64 {
    workload.buffers.iter().map(Buffer::bytes).sum()
}
