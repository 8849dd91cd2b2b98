//! What a simulated device tells of a point beside its times: columns of `points.csv`.

use std::sync::LazyLock;

use gpu_simulator::{Bound, COUNTERS, Counts, Report};

use crate::csv_column::{CsvColumn, Described};
use crate::device::{Checkable, InPart};

/// The unit of columns that are not numbers.
const TEXT: &str = "text";

/// A column that is not a counter of the simulator: its cell is taken from all launches of a workload.
type Own = CsvColumn<fn(&Counted) -> String>;

const fn number(name: &'static str, unit: &'static str, meaning: &'static str, cell: fn(&Counted) -> String) -> Own {
    CsvColumn::new(name, unit, meaning, cell)
}

const fn text(name: &'static str, meaning: &'static str, cell: fn(&Counted) -> String) -> Own {
    CsvColumn::new(name, TEXT, meaning, cell)
}

/// The columns before the counters.
static OWN: [Own; 9] = [
    text("profile", "the profile that the device follows", |counted| counted.profile.clone()),
    text("bound", "what kept the longest launch from ending sooner", |counted| counted.bound.to_owned()),
    number("blocks", "count", "blocks of all launches", |counted| counted.blocks.to_string()),
    number(
        "blocks_executed",
        "count",
        "how many of them were executed, a repeated launch not again; what these did is scaled to all",
        |counted| counted.blocks_executed.to_string(),
    ),
    number("blocks_timed", "count", "how many of them were timed; the others are taken to need as long", |counted| {
        counted.blocks_timed.to_string()
    }),
    text(
        "outputs_checked",
        "whose outputs were compared with the host's: of `all` blocks, of those that were `executed`, or of `none`",
        |counted| counted.outputs_checked().to_owned(),
    ),
    number(
        "sampling_error_pct",
        "%",
        "standard error of the time that comes of timing only some blocks; empty where too few were timed to tell, or where blocks that were not executed may do far more",
        Counted::sampling_error_pct,
    ),
    number("blocks_per_sm", "count", "blocks of the longest launch that a multiprocessor holds at once", |counted| {
        counted.blocks_per_sm.to_string()
    }),
    number(
        "waves_per_sm",
        "ratio",
        "blocks of the busiest multiprocessor over those that it holds at once",
        |counted| format!("{:.2}", counted.waves_per_sm),
    ),
];

/// All columns, in their order: the device's own, then a column for each counter of the simulator.
pub fn columns() -> impl Iterator<Item = Described> {
    let counters =
        COUNTERS.iter().map(|counter| Described { name: counter.name, unit: counter.unit, meaning: counter.counts });
    OWN.iter().map(CsvColumn::described).chain(counters)
}

/// Those of them that are numbers, which charts can show.
pub fn numbers() -> impl Iterator<Item = &'static str> {
    columns().filter(|column| column.unit != TEXT).map(|column| column.name)
}

/// Their names.
pub(super) fn names() -> &'static [&'static str] {
    static NAMES: LazyLock<Vec<&'static str>> = LazyLock::new(|| columns().map(|column| column.name).collect());
    &NAMES
}

/// What was counted in all launches of a workload.
#[derive(Debug, Clone)]
pub(super) struct Counted {
    profile: String,
    bound: &'static str,
    pub(super) blocks: u64,
    pub(super) blocks_executed: u64,
    blocks_timed: u64,
    blocks_per_sm: u32,
    waves_per_sm: f64,
    counts: Counts,
    /// The time of the longest step so far.
    longest_us: f64,
    /// Time of all launches, and its standard error where it is known of every one of them.
    launches_us: f64,
    sampling_error_us: Option<f64>,
    /// Whether blocks or launches need what blocks that were not executed would have written or added.
    pub(super) misses_others: bool,
}

impl Counted {
    /// Nothing yet, on the device of a profile.
    pub(super) fn new(profile: &str) -> Self {
        Self {
            profile: profile.to_owned(),
            bound: "",
            blocks: 0,
            blocks_executed: 0,
            blocks_timed: 0,
            blocks_per_sm: 0,
            waves_per_sm: 0.0,
            counts: Counts::default(),
            longest_us: 0.0,
            launches_us: 0.0,
            sampling_error_us: Some(0.0),
            misses_others: false,
        }
    }

    /// Adds a launch.
    pub(super) fn add(&mut self, report: &Report) {
        self.blocks += report.blocks;
        self.blocks_executed += report.blocks_executed;
        self.blocks_timed += report.blocks_timed;
        self.counts.add(report.counts());
        self.launches_us += report.time_us;
        self.sampling_error_us = self.sampling_error_us.zip(report.sampling_error_us).map(|(all, own)| all + own);
        if self.is_longest(report.time_us) {
            self.bound = report.bound.name();
            self.blocks_per_sm = report.blocks_per_sm;
            self.waves_per_sm = report.waves_per_sm;
        }
    }

    /// Adds a launch that is known to come to the same as one before, and is not executed for that.
    pub(super) fn add_repeated(&mut self, report: &Report) {
        let (executed, timed) = (self.blocks_executed, self.blocks_timed);
        self.add(report);
        (self.blocks_executed, self.blocks_timed) = (executed, timed);
    }

    /// Adds a copy of a buffer to another that takes so long.
    pub(super) fn add_copy(&mut self, time_us: f64) {
        if self.is_longest(time_us) {
            self.bound = Bound::Memory.name();
        }
    }

    /// Notes that launching takes most of the time.
    pub(super) fn bound_by_launching(&mut self) {
        self.bound = Bound::Launch.name();
    }

    fn is_longest(&mut self, time_us: f64) -> bool {
        let is_longest = time_us >= self.longest_us;
        self.longest_us = self.longest_us.max(time_us);
        is_longest
    }

    /// How many blocks were executed, where not all were.
    pub(super) fn in_part(&self) -> Option<InPart> {
        let (executed, blocks) = (self.blocks_executed, self.blocks);
        (executed < blocks).then_some(InPart { executed, blocks })
    }

    /// What of the outputs is what the kernels make of the inputs.
    pub(super) fn checkable(&self) -> Checkable {
        match (self.blocks_executed < self.blocks, self.misses_others) {
            (false, _) => Checkable::Everything,
            (true, false) => Checkable::ExecutedBlocks,
            (true, true) => Checkable::Nothing,
        }
    }

    fn outputs_checked(&self) -> &'static str {
        match self.checkable() {
            Checkable::Everything => "all",
            Checkable::ExecutedBlocks => "executed",
            Checkable::Nothing => "none",
        }
    }

    fn sampling_error_pct(&self) -> String {
        let error = self.sampling_error_us.filter(|_| self.launches_us > 0.0);
        error.map(|error_us| format!("{:.2}", 1e2 * error_us / self.launches_us)).unwrap_or_default()
    }

    /// The cells of [`columns`].
    pub(super) fn cells(&self) -> Vec<(&'static str, String)> {
        let own = OWN.iter().map(|own| (own.name, (own.cell)(self)));
        own.chain(self.counts.texts().map(|(counter, text)| (counter.name, text))).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn every_column_has_a_name_of_its_own_and_words() {
        let names: HashSet<&str> = columns().map(|column| column.name).collect();
        assert_eq!(names.len(), columns().count());
        assert!(columns().all(|column| !column.meaning.is_empty() && !column.unit.is_empty()));
    }

    #[test]
    fn cells_stand_under_their_names() {
        let cells = Counted { waves_per_sm: 2.5, blocks_per_sm: 7, ..Counted::new("h200") }.cells();
        assert_eq!(cells.iter().map(|(name, _)| *name).collect::<Vec<_>>(), names());
        let cell = |wanted: &str| cells.iter().find(|(name, _)| *name == wanted).map(|(_, cell)| cell.as_str());
        assert_eq!(
            (cell("profile"), cell("waves_per_sm"), cell("blocks_per_sm")),
            (Some("h200"), Some("2.50"), Some("7"))
        );
        assert_eq!((cell("active_lanes"), cell("bank_conflicts")), (Some("0.000"), Some("0")));
    }
}
