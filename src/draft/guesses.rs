//! What of a draft was guessed, for the screen.

use super::amount::Amount;
use super::arguments::{self, Given};
use super::variants::{Buffer, Plan, Variant};
use crate::signature::{Kernel, Parameter};
use located_toml::words::and_list;

impl Plan {
    /// Numbers of the source that loops of the host change, by the kernel's parameters or those of the scenario, with the lines of the loops.
    pub(super) fn repeated<'p>(&'p self, kernels: &[&'p Kernel]) -> Vec<(&'p str, u32, &'p Given)> {
        let parameters = kernels.first().map_or(&[][..], |own| &own.parameters);
        let one = |(place, (own, given)): (usize, (&'p Parameter, &'p Given))| {
            let name = match given {
                Given::Parameter { name, launched: Some(_) } => name,
                Given::Number { line: Some(_), .. } => own.name.as_ref().unwrap_or(&own.declared),
                _ => return None,
            };
            Some((name.as_str(), arguments::repeated(kernels, place)?, given))
        };
        parameters.iter().zip(&self.given).enumerate().filter_map(one).collect()
    }

    /// What was guessed, in phrases.
    pub(super) fn guesses(&self, kernels: &[&Kernel]) -> Vec<String> {
        let mut all = Vec::new();
        let guessed = || self.parameters.iter().filter(|own| own.line.is_none());
        if guessed().next().is_some() {
            let named: Vec<String> = guessed()
                .map(|own| own.default.map_or(own.name.clone(), |default| format!("{} = {default}", own.name)))
                .collect();
            all.push(format!("values: {}", named.join(", ")));
        }
        let is_guessed = |own: &&Variant| {
            own.launch.has_lost_clusters || !own.launch.as_launched.is_some_and(|own| own.grid && own.block)
        };
        if let Some(first) = self.variants.first().filter(is_guessed) {
            let list = |all: &[Amount]| all.iter().map(ToString::to_string).collect::<Vec<_>>().join(" x ");
            let (grid, block) = (list(&first.launch.grid), list(&first.launch.block));
            let clusters = if first.launch.has_lost_clusters { ", without its clusters" } else { "" };
            all.push(format!("launch: {grid} blocks of {block} threads{clusters}"));
        }
        let repeated: Vec<&str> = self.repeated(kernels).into_iter().map(|(name, ..)| name).collect();
        if !repeated.is_empty() {
            all.push(format!("{}, which loops around the launch change", and_list(&repeated)));
        }
        let members =
            self.given.iter().filter(|own| matches!(own, Given::Structure(own) if own.line.is_none())).count();
        if members > 0 {
            all.push(format!("members of {}", located_toml::words::count(members, "structure")));
        }
        let numbers = self.given.iter().filter_map(|own| match own {
            Given::Number { text, line: None } => Some(text.as_str()),
            _ => None,
        });
        let follows = self.given.iter().filter_map(|own| match own {
            Given::Follows { name, .. } => Some(format!("length of rows: {name} = {}", own.length_of_rows()?)),
            _ => None,
        });
        all.extend(follows);
        let numbers: Vec<&str> = numbers.collect();
        if !numbers.is_empty() {
            all.push(format!("numbers: {}", numbers.join(", ")));
        }
        all.extend(self.bytes.as_ref().map(|bytes| format!("bytes that must move: {bytes}")));
        let checked = self.buffers.iter().filter(|own| own.is_guessed());
        let lengths: Vec<String> = checked.map(Buffer::told).collect();
        if !lengths.is_empty() {
            all.push(format!("buffers: {}", lengths.join("; ")));
        }
        if self.has_types {
            all.push("types of templates: float".to_owned());
        }
        all
    }
}
