//! A diagnosis as it is written: the JSON of `apbench diagnose --json`, and the file that a run keeps.

use std::collections::BTreeMap;
use std::fmt;

use serde::{Deserialize, Serialize};

use super::{Fact, Finding, KernelFacts, PointDiagnosis, counted, named, source_name};

/// All that a diagnosis came to.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Document {
    /// The scenario's name.
    pub scenario: String,
    /// Its title.
    pub title: String,
    /// The GPU that was simulated.
    pub simulated: String,
    /// Its profile.
    pub profile: String,
    /// The GPU that was measured, if one was.
    pub measured: Option<String>,
    /// What is known of the error of such times.
    pub known_error: Option<String>,
    /// That counts are of contents which a draft made up, where they are.
    #[serde(default)]
    pub made_up: Option<String>,
    /// The size that was diagnosed; none in files that do not say it.
    #[serde(default)]
    pub size: Option<Size>,
    /// Each variant that was diagnosed.
    pub variants: Vec<VariantDocument>,
    /// The lines of the source, where it is known: its name and its text.
    pub source: Option<(String, String)>,
}

impl Document {
    /// Reads what a run keeps.
    ///
    /// # Errors
    /// Where the text is no diagnosis: line, column and what is wrong there.
    pub fn parse(text: &str) -> serde_json::Result<Self> {
        serde_json::from_str(text)
    }
}

/// A size of a scenario: the values of its parameters, and of how many sizes it is the largest.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// The parameters that vary, in their order; all where there is one size.
    pub values: Vec<(String, String)>,
    /// How many sizes there are.
    pub of: usize,
}

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values: Vec<String> = self.values.iter().map(|(name, value)| format!("{name}={value}")).collect();
        write!(formatter, "{}", values.join(" "))?;
        if self.of > 1 { write!(formatter, ", the largest of {} sizes", self.of) } else { Ok(()) }
    }
}

/// A variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct VariantDocument {
    /// Its name.
    pub variant: String,
    /// The parameters of the point.
    pub parameters: BTreeMap<String, String>,
    /// Its measured time, where one was measured.
    pub measured_time_us: Option<f64>,
    /// What is wrong with its outputs at the smallest size, as `apbench verify` says it.
    #[serde(default)]
    pub wrong_outputs: Option<String>,
    /// Its races at the smallest size, in sentences.
    #[serde(default)]
    pub races: Vec<String>,
    /// Why it was not diagnosed.
    pub error: Option<String>,
    /// What was found.
    #[serde(flatten)]
    pub diagnosis: Option<PointDocument>,
}

/// What was found of a variant.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct PointDocument {
    /// See [`PointDiagnosis::time_us`].
    pub time_us: f64,
    /// Always `simulated`: where that time is from.
    pub origin: String,
    /// See [`PointDiagnosis::sampling_error_us`].
    pub sampling_error_us: Option<f64>,
    /// See [`PointDiagnosis::bound`].
    pub bound: String,
    /// The first of [`PointDiagnosis::busy_multiprocessors`], where not all are.
    #[serde(default)]
    pub busy_multiprocessors: Option<u64>,
    /// Multiprocessors of the GPU, where not all are busy.
    #[serde(default)]
    pub multiprocessors: Option<u64>,
    /// The first of [`PointDiagnosis::launches`], where not all were simulated.
    #[serde(default)]
    pub launches_simulated: Option<usize>,
    /// All launches, where not all were simulated.
    #[serde(default)]
    pub launches: Option<usize>,
    /// See [`PointDiagnosis::without_all_us`].
    pub time_without_all_us: Option<f64>,
    /// The time of [`PointDiagnosis::with_more`].
    #[serde(default)]
    pub time_with_more_us: Option<f64>,
    /// See [`PointDiagnosis::without_us`].
    pub time_without_us: BTreeMap<String, f64>,
    /// See [`PointDiagnosis::is_small`].
    #[serde(default)]
    pub is_small: bool,
    /// See [`PointDiagnosis::unpriced`].
    pub unpriced: Option<String>,
    /// See [`PointDiagnosis::unpriced_us`].
    #[serde(default)]
    pub unpriced_together_us: Option<f64>,
    /// See [`PointDiagnosis::of_several_us`].
    #[serde(default)]
    pub time_of_several_us: Option<f64>,
    /// The kernels.
    pub kernels: Vec<KernelDocument>,
    /// What was found, the costliest first.
    pub findings: Vec<FindingDocument>,
}

/// A kernel.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KernelDocument {
    /// Its name in the source.
    pub kernel: String,
    /// How often it is launched.
    pub launches: usize,
    /// The time of all its launches.
    pub time_us: f64,
    /// Blocks of its first launch.
    pub grid: [u32; 3],
    /// Blocks of that launch that were counted; the others are taken to do the same. 0 in files that do not say it.
    #[serde(default)]
    pub blocks_counted: u64,
    /// Threads of a block.
    pub block: [u32; 3],
    /// Warps that a multiprocessor holds.
    pub resident_warps_per_sm: u32,
    /// The most that it can hold.
    pub warps_per_sm_most: u32,
    /// The file that its first instruction comes from; empty in files that do not say it.
    #[serde(default)]
    pub file: String,
    /// The line there.
    #[serde(default)]
    pub line: u32,
    /// How bad it is as a whole, in percent: the words of `--fail-on`.
    #[serde(default)]
    pub degrees_percent: BTreeMap<String, f64>,
    /// Sentences, by their words.
    pub facts: BTreeMap<String, String>,
    /// What all launches would take with more of what these facts say is too little, by their words.
    #[serde(default)]
    pub time_without_us: BTreeMap<String, f64>,
}

/// A pattern on a line.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct FindingDocument {
    /// The pattern's word.
    pub pattern: String,
    /// What it is called.
    pub title: String,
    /// The kernel.
    pub kernel: String,
    /// The file.
    pub file: String,
    /// The line.
    pub line: u32,
    /// What stands there.
    pub source: String,
    /// Lines of the PTX.
    pub ptx_lines: Vec<u32>,
    /// What was counted, in words.
    pub counted: String,
    /// How often warps executed it, and how often with the pattern.
    pub executions: f64,
    /// See `executions`.
    pub affected: f64,
    /// Requests of accesses.
    pub requests: f64,
    /// Sectors or passes.
    pub parts: f64,
    /// The fewest that would do.
    pub parts_least: f64,
    /// Bytes from a lane to the next one.
    pub stride_bytes: Option<i64>,
    /// See [`super::Counted::buffer`].
    #[serde(default)]
    pub buffer: Option<String>,
    /// Threads that leave there without having accessed memory.
    #[serde(default)]
    pub idle_threads: f64,
    /// From a warp's arrival at a barrier until it goes on, on average.
    #[serde(default)]
    pub barrier_wait_us: Option<f64>,
    /// What to do.
    pub remedy: String,
    /// What it costs.
    pub price_us: Option<f64>,
    /// From where to where it is told to be: none of what is shared out, or costs too little to be told.
    #[serde(default)]
    pub price_range_us: Option<(f64, f64)>,
    /// What it costs as a part of the time, from 0 to 1.
    pub price_part: Option<f64>,
    /// The time without it.
    pub time_without_us: Option<f64>,
    /// What would bound it then.
    pub bound_without: Option<String>,
    /// What it costs by the laws of a GPU where nothing hides it.
    pub price_by_laws_us: Option<f64>,
    /// The time with a remedy that leaves a part of it.
    pub time_remedied_us: Option<f64>,
    /// That remedy, in words.
    #[serde(default)]
    pub partial_remedy: String,
    /// Whether its cost is its share of what several patterns cost together.
    #[serde(default)]
    pub price_is_shared: bool,
}

impl From<&PointDiagnosis> for PointDocument {
    fn from(point: &PointDiagnosis) -> Self {
        Self {
            time_us: point.time_us,
            origin: "simulated".to_owned(),
            sampling_error_us: point.sampling_error_us,
            bound: point.bound.to_owned(),
            busy_multiprocessors: point.busy_multiprocessors.map(|(busy, _)| busy),
            multiprocessors: point.busy_multiprocessors.map(|(_, all)| all),
            launches_simulated: point.launches.map(|(some, _)| some),
            launches: point.launches.map(|(_, all)| all),
            time_without_all_us: point.without_all_us,
            time_with_more_us: point.with_more.as_ref().map(|(us, _)| *us),
            time_without_us: point.without_us.iter().map(|(name, us)| ((*name).to_owned(), *us)).collect(),
            is_small: point.is_small,
            unpriced: point.unpriced.clone(),
            unpriced_together_us: point.unpriced_us,
            time_of_several_us: point.of_several_us(),
            kernels: point.kernels.iter().map(|own| KernelDocument::of(own, point.time_us)).collect(),
            findings: point.findings.iter().map(|finding| FindingDocument::of(finding, point)).collect(),
        }
    }
}

impl KernelDocument {
    fn of(own: &KernelFacts, time_us: f64) -> Self {
        let without_us = |fact: &Fact| Some((fact.name.to_owned(), fact.without_us?));
        Self {
            kernel: source_name(own.kernel),
            launches: own.launches,
            time_us: own.time_us,
            grid: own.grid,
            blocks_counted: own.blocks_counted,
            block: own.block,
            resident_warps_per_sm: own.resident_warps.0,
            warps_per_sm_most: own.resident_warps.1,
            file: own.place.file.clone(),
            line: own.place.line,
            degrees_percent: own.degrees_percent.iter().map(|(name, percent)| ((*name).to_owned(), *percent)).collect(),
            facts: own.facts.iter().map(|fact| (fact.name.to_owned(), fact.told(time_us, 1.0))).collect(),
            time_without_us: own.facts.iter().filter_map(without_us).collect(),
        }
    }
}

impl FindingDocument {
    fn of(finding: &Finding, point: &PointDiagnosis) -> Self {
        let accesses = &finding.counted.accesses;
        Self {
            pattern: finding.kind.name().to_owned(),
            title: named(finding),
            kernel: source_name(finding.kernel),
            file: finding.place.file.clone(),
            line: finding.place.line,
            source: finding.place.text.clone(),
            ptx_lines: finding.ptx_lines.clone(),
            counted: counted(finding.kind, &finding.counted),
            executions: finding.counted.executions,
            affected: finding.counted.affected,
            requests: accesses.requests,
            parts: accesses.parts,
            parts_least: accesses.least,
            stride_bytes: finding.counted.stride_bytes,
            buffer: finding.counted.buffer.map(str::to_owned),
            idle_threads: finding.counted.idle.0,
            barrier_wait_us: finding.counted.wait_us,
            remedy: finding.remedy.clone(),
            price_us: finding.price.map(|price| price.us),
            price_range_us: finding.price_range(point),
            price_part: finding.price.map(|price| price.us / point.time_us),
            time_without_us: finding.price.map(|price| price.without_us),
            bound_without: finding.price.map(|price| price.bound_without.to_owned()),
            price_by_laws_us: finding.by_laws_us,
            time_remedied_us: finding.price.and_then(|price| price.remedied_us),
            partial_remedy: finding.kind.partial_remedy().to_owned(),
            price_is_shared: finding.price.is_some_and(|price| price.is_shared),
        }
    }
}
