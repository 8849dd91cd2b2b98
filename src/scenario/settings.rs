//! `[measure]`: how every point is measured.

use serde::{Deserialize, Serialize};

use super::keys::{Allowed, Key, names};
use crate::device::{Cache, Flush};
use located_toml::problem::{Problem, Problems};
use located_toml::section::{Section, whole};
use located_toml::words::{instead, quote};

/// Which samples are taken of a point.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Sampling {
    /// With the workload's data evicted from the caches; of points too short for that, hot ones too.
    Cold,
    /// Many launches in one go.
    Hot,
    /// Cold ones, then hot ones.
    Both,
}

impl Sampling {
    const ALL: [(&'static str, Self); 3] = [("cold", Self::Cold), ("hot", Self::Hot), ("both", Self::Both)];

    /// Its word in scenarios and options.
    pub fn name(self) -> &'static str {
        Self::ALL.iter().find(|(_, own)| *own == self).map_or("", |(name, _)| name)
    }

    /// The caches whose samples give `time_us`.
    pub fn cache(self) -> Cache {
        if self == Self::Hot { Cache::Hot } else { Cache::Cold }
    }
}

/// How every point of a scenario is measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct MeasureSettings {
    /// Which samples are taken.
    pub sampling: Sampling,
    /// How data is evicted from the L2 cache before a cold sample.
    pub flush: Flush,
    /// The half-width of the 95 % interval of the median at which sampling stops, in percent of the median.
    pub precision_pct: f64,
    /// The most time spent sampling one point, in seconds.
    pub budget_s: f64,
    /// The fewest rounds that precision may rest on.
    pub rounds_min: usize,
    /// The most rounds.
    pub rounds_max: usize,
    /// The fewest samples of a point.
    pub samples_min: usize,
    /// The most samples of a point.
    pub samples_max: usize,
    /// Seeds the inputs of the kernels and the order within each round.
    pub seed: u64,
    /// Whether the energy of each point is measured, where the device has a counter of it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub energy: bool,
}

impl Default for MeasureSettings {
    fn default() -> Self {
        Self {
            sampling: Sampling::Cold,
            flush: Flush::Clean,
            precision_pct: 0.5,
            budget_s: 5.0,
            rounds_min: 5,
            rounds_max: 30,
            samples_min: 10,
            samples_max: 2000,
            seed: 1,
            energy: false,
        }
    }
}

const SAMPLING: Key = Key::new(
    "sampling",
    Allowed::OneOf(|| Sampling::ALL.map(|(name, _)| name).to_vec()),
    "",
    "cold samples (caches evicted before each), hot ones (many launches in a row), or both; points too short for cold samples get \
     hot ones as well",
);
const FLUSH: Key = Key::new(
    "flush",
    Allowed::OneOf(|| FLUSHES.map(Flush::name).to_vec()),
    "",
    "how the L2 cache is evicted before a cold sample: by reading other memory, or by a memset, whose lines the kernel must then \
     write back",
);
const PRECISION_PCT: Key = Key::new(
    "precision_pct",
    Allowed::Number(0.01, 50.0),
    "",
    "stop when the 95 % interval of the median is within this many percent of it",
);
const BUDGET_S: Key =
    Key::new("budget_s", Allowed::Number(0.001, 3600.0), "", "stop when sampling a point has taken this many seconds");
const ROUNDS_MIN: Key = Key::new(
    "rounds_min",
    Allowed::Whole(1, 1000),
    "",
    "fewest rounds before the interval may stop sampling; a round is up to 64 samples or 50 ms of each point",
);
const ROUNDS_MAX: Key = Key::new("rounds_max", Allowed::Whole(1, 10_000), "", "most rounds");
const SAMPLES_MIN: Key = Key::new("samples_min", Allowed::Whole(6, 100_000), "", "fewest samples of a point");
const SAMPLES_MAX: Key = Key::new("samples_max", Allowed::Whole(6, 1_000_000), "", "most samples of a point");
const SEED: Key = Key::new(
    "seed",
    Allowed::Whole(0, i64::MAX),
    "",
    "seed of the kernels' inputs and of the order of points within a round",
);

const ENERGY: Key = Key::new(
    "energy",
    Allowed::Flag,
    "`false`",
    "measure the energy of each point after its times, which takes some seconds more; a device without a counter of energy goes on without",
);

/// The keys of `[measure]`.
pub(super) const KEYS: [Key; 10] =
    [SAMPLING, FLUSH, PRECISION_PCT, BUDGET_S, ROUNDS_MIN, ROUNDS_MAX, SAMPLES_MIN, SAMPLES_MAX, SEED, ENERGY];

const FLUSHES: [Flush; 2] = [Flush::Clean, Flush::Memset];

/// Reads `[measure]`; what is not given or wrong stays at its default.
pub(super) fn read(section: &Section<'_>, problems: &mut Problems) -> MeasureSettings {
    section.deny_unknown("[measure]", &names(&KEYS), problems, |_| None);
    let mut settings = MeasureSettings::default();
    if let Some(sampling) = choice(section, SAMPLING.name, &Sampling::ALL, problems) {
        settings.sampling = sampling;
    }
    let flushes = FLUSHES.map(|flush| (flush.name(), flush));
    if let Some(flush) = choice(section, FLUSH.name, &flushes, problems) {
        settings.flush = flush;
    }
    settings.precision_pct = PRECISION_PCT.number(section, problems).unwrap_or(settings.precision_pct);
    settings.budget_s = BUDGET_S.number(section, problems).unwrap_or(settings.budget_s);
    if let Some(energy) = section.get(ENERGY.name).and_then(|field| field.flag(problems)) {
        settings.energy = energy;
    }
    if let Some(seed) = SEED.whole(section, problems) {
        settings.seed = seed.unsigned_abs();
    }
    // More rounds than the default's most need not be asked for twice.
    if section.get(ROUNDS_MAX.name).is_none() {
        let least = section.get(ROUNDS_MIN.name).and_then(|field| whole(field.node.value)).unwrap_or(0);
        settings.rounds_max = settings.rounds_max.max(usize::try_from(least).unwrap_or(0).min(1000));
    }
    let rounds = (&mut settings.rounds_min, &mut settings.rounds_max);
    least_and_most(section, [ROUNDS_MIN, ROUNDS_MAX], rounds, problems);
    let samples = (&mut settings.samples_min, &mut settings.samples_max);
    least_and_most(section, [SAMPLES_MIN, SAMPLES_MAX], samples, problems);
    settings
}

/// One of a few words.
fn choice<T: Copy>(section: &Section<'_>, key: &str, all: &[(&str, T)], problems: &mut Problems) -> Option<T> {
    let field = section.get(key)?;
    let names: Vec<&str> = all.iter().map(|(name, _)| *name).collect();
    let wanted = field.line(&quote(names.first().copied().unwrap_or_default()).replace('`', "\""), problems)?;
    let found = all.iter().find(|(name, _)| *name == wanted).map(|(_, value)| *value);
    if found.is_none() {
        let message = format!("{} is not a value of `{key}`", quote(&wanted));
        problems.push(Problem::new(message).at(field.node.place).help(instead(&wanted, &names)));
    }
    found
}

/// The fewest and the most of something, which must not contradict each other.
fn least_and_most(
    section: &Section<'_>,
    keys: [Key; 2],
    (least, most): (&mut usize, &mut usize),
    problems: &mut Problems,
) {
    let defaults = (*least, *most);
    let mut sound = true;
    for (key, target) in keys.iter().zip([&mut *least, &mut *most]) {
        if section.get(key.name).is_none() {
            continue;
        }
        let value = key.whole(section, problems);
        // A value that is wrong in itself is not compared.
        sound &= value.is_some();
        if let Some(value) = value.and_then(|value| usize::try_from(value).ok()) {
            *target = value;
        }
    }
    if *most >= *least || !sound {
        return;
    }
    let [key_least, key_most] = keys.map(|key| key.name);
    let mut problem = Problem::new(format!("`{key_most}` {most} is less than `{key_least}` {least}"));
    for (key, words) in [(key_least, "the fewest"), (key_most, "the most")] {
        if let Some(field) = section.get(key) {
            problem = problem.label(field.node.place, words);
        }
    }
    problems
        .push(problem.help(format!("without a value, {key_least} is {} and {key_most} {}", defaults.0, defaults.1)));
}
