//! The result of comparing runs, ready to be shown.

use ecow::EcoString;
use serde::Serialize;
use serde::ser::{SerializeSeq, SerializeStruct, Serializer};

use super::key::{Keys, NOTHING, Values};
use super::laws::LawRow;
use super::matching::Ignored;
use super::normalise::Normalised;
use super::side::Facts;
use super::summary::Summary;
use super::verdict::{Evidence, Verdict};
use crate::record::Status;

/// A base and others, each compared with it.
#[derive(Debug, Clone)]
pub struct SideBySide {
    /// The family of all of them.
    pub family: &'static str,
    /// The base.
    pub base: Facts,
    /// Each of the others against the base.
    pub others: Vec<Other>,
    /// The family's parameters, in the order of its columns.
    pub parameters: Vec<&'static str>,
    /// Of the variant and the parameters those that tell points apart here.
    pub varying: Vec<&'static str>,
    /// What all points have in common, as names and values.
    pub fixed: Vec<(String, String)>,
    /// Parameters that points are matched across.
    pub ignored: Vec<Ignored>,
    /// What to know, in words.
    pub notes: Vec<String>,
    /// The points: those of the base in its order, behind them what only others have.
    pub rows: Vec<Row>,
    pub(super) keys: Keys,
    pub(super) values: Values,
}

/// One of the others against the base.
#[derive(Debug, Clone, Serialize)]
pub struct Other {
    /// What it is.
    pub facts: Facts,
    /// What its verdicts are about.
    pub relation: Relation,
    /// What all its points come to.
    pub summary: Summary,
    /// The parameters of laws.
    pub laws: Vec<LawRow>,
    /// The same ratios for equal clocks, multiprocessors or bandwidths, where devices are of different models.
    pub normalised: Vec<Normalised>,
}

/// How the devices of two sides are related, which says what a verdict is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Relation {
    /// The same device.
    SameDevice,
    /// The same simulated device.
    SameSimulated,
    /// Another device of the same model.
    SameModel,
    /// Devices of different models.
    DifferentDevices,
    /// Two simulated devices, of different profiles.
    SimulatedDevices,
    /// A simulated device against a real one: a verdict says how near the model is, not which is faster.
    SimulatedAgainstMeasured,
    /// A real device against a simulated one, which is the base.
    MeasuredAgainstSimulated,
}

impl Relation {
    /// The word after a verdict that says what it compares, such as `simulated`; empty on the same device.
    pub fn label(self) -> &'static str {
        match self {
            Self::SameDevice => "",
            Self::SameModel | Self::DifferentDevices => "other device",
            Self::SameSimulated
            | Self::SimulatedDevices
            | Self::SimulatedAgainstMeasured
            | Self::MeasuredAgainstSimulated => "simulated",
        }
    }

    /// A verdict in words, with what it is about: `LIKELY SLOWER other device`. Against measured times simulated ones are `TOO FAST` or `TOO SLOW`.
    pub fn told(self, verdict: Verdict) -> String {
        let word = verdict.name().replace('_', " ");
        let (faster, slower) = match self {
            Self::SimulatedAgainstMeasured => ("TOO FAST", "TOO SLOW"),
            Self::MeasuredAgainstSimulated => ("TOO SLOW", "TOO FAST"),
            _ => ("FASTER", "SLOWER"),
        };
        let word = match verdict {
            Verdict::Faster | Verdict::LikelyFaster => word.replace("FASTER", faster),
            _ => word.replace("SLOWER", slower),
        };
        match self.label() {
            "" => word,
            label => format!("{word} {label}"),
        }
    }
}

/// A point, of the base and of the others.
#[derive(Debug, Clone)]
pub struct Row {
    /// How it ended in the base; `None` where the base has it not.
    pub base_status: Option<Status>,
    /// Its time in the base.
    pub base: Option<PointTime>,
    /// What came of it in the others, in their order.
    pub others: Box<[Cell]>,
}

/// A point of one of the others, against the base's.
#[derive(Debug, Clone)]
pub struct Cell {
    /// Whether there is something to compare.
    pub standing: Standing,
    /// Its time.
    pub time: Option<PointTime>,
    /// The comparison with the base; `None` if the two cannot be compared.
    pub judged: Option<Judged>,
}

impl Cell {
    /// What became of it in words: its verdict, or why it has none.
    pub fn told(&self, relation: Relation) -> String {
        match &self.judged {
            Some(judged) => relation.told(judged.verdict),
            None => self.standing.name().to_owned(),
        }
    }
}

/// Whether a point can be compared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum Standing {
    /// Both sides have a time.
    Compared,
    /// Only the other side has the point.
    Added,
    /// Only the base has the point.
    Removed,
    /// Both have the point, but one of them without a time.
    Failed,
    /// Neither of the two has the point.
    Absent,
}

impl Standing {
    /// Its word in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compared => "COMPARED",
            Self::Added => "ADDED",
            Self::Removed => "REMOVED",
            Self::Failed => "FAILED",
            Self::Absent => "",
        }
    }
}

/// A median time, in microseconds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize)]
pub struct PointTime {
    /// The median.
    pub time_us: f64,
    /// The ends of its 95 % interval; `None` where there is none.
    pub interval_us: Option<(f64, f64)>,
    /// The clock it was measured at.
    pub clock_mhz: Option<f64>,
    /// Rounds that it was measured in.
    #[serde(skip)]
    pub rounds: u32,
}

/// What an interval is computed from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Basis {
    /// The rounds of both sides.
    Rounds,
    /// The intervals of both medians.
    Medians,
    /// Times that repeat exactly, and have no interval.
    Exact,
    /// Times without an interval that do not repeat exactly.
    None,
}

impl Basis {
    /// Its word in tables and files.
    pub fn name(self) -> &'static str {
        match self {
            Self::Rounds => "rounds",
            Self::Medians => "medians",
            Self::Exact => "exact",
            Self::None => "none",
        }
    }
}

/// A time over the base's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Judged {
    /// The ratio.
    pub ratio: f64,
    /// The ends of its 95 % interval, what processes differ by included.
    pub interval: Option<(f64, f64)>,
    /// The ratio by Hodges and Lehmann, with the interval of Mann and Whitney: rounds only.
    pub ratio_robust: Option<f64>,
    /// The ends of that interval, without what processes differ by.
    pub interval_robust: Option<(f64, f64)>,
    /// The verdict.
    pub verdict: Verdict,
    /// Why the verdict is not definite, and how many rounds would make it so; empty if it is.
    pub reason: EcoString,
    /// What the interval is computed from.
    pub basis: Basis,
    /// Rounds of the side that has fewer.
    pub rounds: usize,
    /// About how many rounds would give a definite verdict; `None` if no number would, or if it is definite.
    pub rounds_needed: Option<usize>,
    /// The least difference that counts, in percent.
    pub delta_pct: f64,
    /// What two processes may differ by, in percent.
    pub allowance_pct: f64,
    /// The ratio in cycles instead of time.
    pub ratio_per_clock: Option<f64>,
    /// The estimate as a significance test needs it; `None` if there is no interval, or if the rounds contradict each other.
    #[serde(skip)]
    pub evidence: Option<Evidence>,
    /// Whether the rounds contradict each other, so that they decide nothing.
    #[serde(skip)]
    pub is_contradicted: bool,
}

impl SideBySide {
    /// The value that a point has of the variant or a parameter; empty where its variant does not depend on it.
    pub fn value(&self, row: usize, name: &str) -> &str {
        let column = if name == "variant" {
            Some(0)
        } else {
            self.parameters.iter().position(|own| *own == name).map(|index| index + 1)
        };
        column.and_then(|column| self.keys.get(row).get(column)).map_or("", |cell| self.values.text(*cell))
    }

    /// The point in words: what tells it from the others here.
    pub fn label(&self, row: usize) -> String {
        let pairs = self.varying.iter().map(|name| (*name, self.value(row, name)));
        let words: Vec<String> =
            pairs.filter(|(_, value)| !value.is_empty()).map(|(name, value)| format!("{name}={value}")).collect();
        if words.is_empty() { self.value(row, "variant").to_owned() } else { words.join(" ") }
    }
}

impl Serialize for SideBySide {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut document = serializer.serialize_struct("SideBySide", 9)?;
        document.serialize_field("family", self.family)?;
        document.serialize_field("base", &self.base)?;
        document.serialize_field("others", &self.others)?;
        document.serialize_field("parameters", &self.parameters)?;
        document.serialize_field("varying", &self.varying)?;
        document.serialize_field("fixed", &Pairs(&self.fixed))?;
        document.serialize_field("ignored", &self.ignored)?;
        document.serialize_field("notes", &self.notes)?;
        document.serialize_field("points", &Points(self))?;
        document.end()
    }
}

/// Names and values as an object.
struct Pairs<'a>(&'a [(String, String)]);

impl Serialize for Pairs<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}

/// The rows with their values.
struct Points<'a>(&'a SideBySide);

impl Serialize for Points<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut points = serializer.serialize_seq(Some(self.0.rows.len()))?;
        for row in 0..self.0.rows.len() {
            points.serialize_element(&Point { all: self.0, row })?;
        }
        points.end()
    }
}

struct Point<'a> {
    all: &'a SideBySide,
    row: usize,
}

impl Serialize for Point<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self { all, row } = *self;
        let mut point = serializer.serialize_struct("Point", 5)?;
        let parameters = all
            .parameters
            .iter()
            .enumerate()
            .filter(|(index, _)| all.keys.get(row).get(index + 1).is_some_and(|cell| *cell != NOTHING));
        let parameters: Vec<(String, String)> =
            parameters.map(|(_, name)| ((*name).to_owned(), all.value(row, name).to_owned())).collect();
        point.serialize_field("variant", all.value(row, "variant"))?;
        point.serialize_field("parameters", &Pairs(&parameters))?;
        point.serialize_field("base_status", &all.rows[row].base_status)?;
        point.serialize_field("base", &all.rows[row].base)?;
        point.serialize_field("others", &Cells(&all.rows[row].others))?;
        point.end()
    }
}

struct Cells<'a>(&'a [Cell]);

impl Serialize for Cells<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.iter().map(|cell| CellDocument {
            standing: cell.standing,
            time: cell.time,
            judged: cell.judged.as_ref(),
        }))
    }
}

#[derive(Serialize)]
struct CellDocument<'a> {
    standing: Standing,
    time: Option<PointTime>,
    #[serde(flatten)]
    judged: Option<&'a Judged>,
}
