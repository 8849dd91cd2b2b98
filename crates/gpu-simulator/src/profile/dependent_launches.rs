//! Constants of launches that may begin before the one before them has ended (programmatic dependent launch).

use super::table::Table;
use located_toml::problem::Problems;

/// Launches that may begin before the one before them has ended.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct DependentLaunches {
    /// Most of a stream that are under way at once. `None`: as many as there is room for.
    pub at_once: Option<u32>,
    /// From the end of one of a graph until the next one goes on. `None`: as the profile says of a stream or a graph, what is less.
    pub in_graph_us: Option<f64>,
    /// From the start of one of a graph until the next one starts, at least.
    pub graph_interval_us: f64,
}

impl DependentLaunches {
    pub(super) fn read(mut table: Table<'_>, problems: &mut Problems) -> Option<Self> {
        let at_once = table.integer("at_once", 8, 1, 1 << 20).and_then(|number| u32::try_from(number).ok());
        let in_graph_us = table.number("in_graph_us", 0.07, 0.0, 1e6);
        let graph_interval_us = table.number("graph_interval_us", 0.9, 0.0, 1e6);
        table.finish(problems);
        Some(Self { at_once: Some(at_once?), in_graph_us: Some(in_graph_us?), graph_interval_us: graph_interval_us? })
    }
}
