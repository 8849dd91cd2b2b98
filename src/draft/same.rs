//! Sizes of a kernel that are one variable of the host: `product<<<grid, block>>>(a, b, c, size, size, size)`.

use super::arguments::Given;
use super::names::{Names, snake};
use crate::signature::Kernel;

/// Parameters of the kernel that are one parameter of the scenario.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Same {
    /// What the scenario calls it.
    pub(super) name: String,
    /// Its places among the kernel's parameters.
    pub(super) places: Vec<usize>,
    /// The line of the launch.
    pub(super) line: u32,
}

/// Makes parameters for which the host gives the same variable one parameter: the lengths of buffers, which follow from that variable, say nothing of each.
pub(super) fn join(kernels: &[&Kernel], all: &mut [Given], names: &mut Names) -> Vec<Same> {
    let mut found: Vec<Same> = Vec::new();
    for place in 0..all.len() {
        let is_one = |own: &&Same| own.places.contains(&place);
        let Some((variable, line)) = given(kernels, place).filter(|_| found.iter().find(is_one).is_none()) else {
            continue;
        };
        let is_same = |other: &usize| given(kernels, *other).is_some_and(|(own, _)| own == variable);
        let places = || (place..all.len()).filter(is_same).filter(|other| name(&all[*other]).is_some());
        let places: Vec<usize> = places().collect();
        if places.len() < 2 {
            continue;
        }
        let own = snake(variable.rsplit('.').next().unwrap_or(variable));
        let known = places.iter().filter_map(|place| name(&all[*place])).find(|name| **name == own).cloned();
        let name = known.unwrap_or_else(|| names.take(&own));
        let launched = places.iter().find_map(|place| match &all[*place] {
            Given::Parameter { launched, .. } => *launched,
            _ => None,
        });
        for place in &places {
            all[*place] = Given::Parameter { name: name.clone(), launched };
        }
        found.push(Same { name, places, line });
    }
    found
}

/// The variable of the host that all launches give for a parameter, with the line of the first.
fn given<'k>(kernels: &[&'k Kernel], place: usize) -> Option<(&'k str, u32)> {
    let mut launches = kernels.iter().filter_map(|own| own.launch.as_ref());
    let of = |own: &'k crate::signature::SourceLaunch| own.variables.get(place)?.as_deref();
    let first = launches.next()?;
    let variable = of(first)?;
    launches.all(|own| of(own) == Some(variable)).then_some((variable, first.line))
}

fn name(own: &Given) -> Option<&String> {
    match own {
        Given::Parameter { name, .. } => Some(name),
        _ => None,
    }
}
