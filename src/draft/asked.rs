//! What kernels do with the members of a structure that they take by value.

use crate::signature::{Expression, Kernel};

/// A structure by value, at this place among the parameters of these kernels.
#[derive(Clone, Copy)]
pub(super) struct Asked<'k> {
    pub(super) kernels: &'k [&'k Kernel],
    pub(super) place: usize,
}

impl Asked<'_> {
    /// Whether indices of threads are compared with the member to which these names lead.
    pub(super) fn limits(&self, path: &str) -> bool {
        self.kernels.iter().any(|kernel| {
            let of_threads = kernel.body.locals.iter().filter(|own| own.is_of_thread);
            let bounds = of_threads.flat_map(|own| own.bounds.iter().chain(&own.ends));
            let guards = kernel.body.guards.iter().map(|(_, bound)| bound);
            bounds.chain(guards).any(|bound| self.is_in(bound, path))
        })
    }

    /// Whether an index is computed of it, or compared with it.
    pub(super) fn is_used(&self, path: &str) -> bool {
        self.kernels.iter().any(|kernel| {
            let body = &kernel.body;
            let locals =
                body.locals.iter().flat_map(|own| [&own.value].into_iter().chain(&own.bounds).chain(&own.ends));
            let accesses = body.uses.iter().flat_map(|own| &own.accesses).map(|own| &own.index);
            let guards = body.guards.iter().flat_map(|(guarded, bound)| [guarded, bound]);
            let steps = body.steps.iter().flat_map(|(step, end)| [step, end]);
            locals.chain(accesses).chain(guards).chain(steps).any(|own| self.is_in(own, path))
        })
    }

    fn is_in(&self, expression: &Expression, path: &str) -> bool {
        expression.any(&|own| matches!(own, Expression::Member(place, name) if *place == self.place && name == path))
    }
}
