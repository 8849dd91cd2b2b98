//! The lines of a kernel that do most of what it may be bound by.

use std::collections::BTreeMap;

use super::Place;
use super::wide::{Shape, WIDEST_BYTES, can_be_wider};
use crate::kernel::Sourced;
use gpu_simulator::LineCounts;

/// The part of a kernel's instructions or loads from which on a line is named: a tenth, our choice.
const MUCH: f64 = 0.1;

/// A line, with its part of what all lines of the kernel do.
pub(super) struct Busiest<More> {
    place: Place,
    part: f64,
    more: More,
}

/// Of a kernel.
pub(super) struct BusiestLines {
    pub(super) kernel: &'static str,
    issuing: Option<Busiest<Divisions>>,
    loading: Option<Busiest<Loads>>,
}

/// The part of a line's instructions that divides integers by a variable.
struct Divisions(f64);

/// How a line loads from global memory.
#[derive(Debug, Clone, Copy, Default)]
struct Loads {
    bytes_per_lane: u32,
    /// Whether wider loads would be fewer.
    can_be_wider: bool,
}

impl BusiestLines {
    /// Those of a kernel of so many warps.
    pub(super) fn of(
        source: &Sourced,
        kernel: &'static str,
        lines: &[LineCounts],
        of_launches: (f64, Option<&Shape>),
    ) -> Self {
        let most = |number: &dyn Fn(&LineCounts) -> f64| {
            let mut of_places: BTreeMap<Place, f64> = BTreeMap::new();
            for line in lines {
                *of_places.entry(Place::of(source, line.line)).or_default() += number(line);
            }
            let all: f64 = of_places.values().sum();
            let most = of_places.into_iter().max_by(|(_, one), (_, other)| one.total_cmp(other));
            most.map(|(place, number)| (place, number / all)).filter(|(_, part)| *part >= MUCH)
        };
        let loads =
            |line: &LineCounts| if line.global.loads && !line.global.stores { line.global.requests } else { 0.0 };
        let issuing = most(&|line| line.issued).map(|(place, part)| {
            let here = lines.iter().filter(|line| Place::of(source, line.line) == place);
            let (dividing, all) =
                here.fold((0.0, 0.0), |(dividing, all), line| (dividing + line.division_issued, all + line.issued));
            Busiest { more: Divisions(dividing / all), place, part }
        });
        let loading = most(&loads).map(|(place, part)| {
            let is_here = |line: &&LineCounts| loads(line) > 0.0 && Place::of(source, line.line) == place;
            let here: Vec<&LineCounts> = lines.iter().filter(is_here).collect();
            let of_line = |line: &LineCounts| {
                let bytes_per_lane = line.global.bytes_per_lane;
                Loads { bytes_per_lane, can_be_wider: can_be_wider(&here, line, of_launches) }
            };
            let most = here.iter().max_by(|one, other| loads(one).total_cmp(&loads(other)));
            let more = most.map(|line| of_line(line)).unwrap_or_default();
            Busiest { place, part, more }
        });
        Self { kernel, issuing, loading }
    }

    /// Which line issues most.
    pub(super) fn issuing(&self) -> Option<String> {
        let Busiest { place, part, more: Divisions(dividing) } = self.issuing.as_ref()?;
        let Place { file, line, text, .. } = place;
        let what = if *dividing >= MUCH {
            format!(" {:.0} % of these divide integers by a variable.", 1e2 * dividing)
        } else {
            String::new()
        };
        // Of PTX without its source the line's text is not known.
        let text = if text.is_empty() { String::new() } else { format!(": `{text}`") };
        Some(format!(
            "{file}:{line} issues {:.0} % of the instructions, more than any other line{text}.{what}",
            1e2 * part
        ))
    }

    /// Whether the line that loads most could load more bytes at once; true where no line does much of the loads.
    pub(super) fn can_load_wider(&self) -> bool {
        self.loading.as_ref().is_none_or(|own| own.more.can_be_wider)
    }

    /// Which line loads most, and whether wider loads would be fewer where these have no price.
    pub(super) fn loading(&self, wide_is_priced: bool) -> Option<String> {
        let Busiest { place, part, more: Loads { bytes_per_lane, can_be_wider } } = self.loading.as_ref()?;
        let Place { file, line, .. } = place;
        let wider = if wide_is_priced {
            ".".to_owned()
        } else if *can_be_wider {
            let part = match WIDEST_BYTES / bytes_per_lane {
                2 => "half",
                4 => "a quarter",
                8 => "an eighth",
                _ => "a sixteenth",
            };
            format!(", {bytes_per_lane} bytes for each lane. Loads of {WIDEST_BYTES} bytes would be {part} as many.")
        } else {
            ": look there first.".to_owned()
        };
        Some(format!("{file}:{line} does {:.0} % of the loads from global memory{wider}", 1e2 * part))
    }
}
