//! Options for how points are measured, in place of what `[measure]` of a scenario says.

use clap::ValueEnum;

use crate::device::Flush;
use crate::scenario::{MeasureSettings, Sampling};

/// Options of every command that measures.
#[derive(Debug, Clone, Default, clap::Args)]
pub(super) struct MeasureOptions {
    /// Take samples with cold caches, with hot caches, or both [default: the scenario's, or cold]
    #[arg(long, value_enum, value_name = "CACHES", help_heading = "Measuring")]
    sampling: Option<SamplingOption>,
    /// Make caches cold by reading other memory (clean), or by writing zeros (memset). Other harnesses write zeros; the
    /// time of the kernel then includes writing them back to memory
    #[arg(long, value_enum, value_name = "HOW", help_heading = "Measuring")]
    flush: Option<FlushOption>,
    /// Stop sampling a point once the 95 % interval of its median is within this percentage of it: 0.01 to 50
    #[arg(long, value_name = "PERCENT", value_parser = within(0.01, 50.0), help_heading = "Measuring")]
    precision: Option<f64>,
    /// Longest time to sample one point, in seconds: 0.001 to 3600
    #[arg(long, value_name = "SECONDS", value_parser = within(0.001, 3600.0), help_heading = "Measuring")]
    budget: Option<f64>,
    /// Fewest rounds to sample each point in: 1 to 1000
    #[arg(long, value_name = "COUNT", value_parser = clap::value_parser!(u32).range(1..=1000), help_heading = "Measuring")]
    rounds: Option<u32>,
    /// Seed of the inputs and of the order of points within a round
    #[arg(long, value_name = "NUMBER", value_parser = clap::value_parser!(u64).range(..=i64::MAX as u64), help_heading = "Measuring")]
    seed: Option<u64>,
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum SamplingOption {
    Cold,
    Hot,
    Both,
}

impl From<SamplingOption> for Sampling {
    fn from(option: SamplingOption) -> Self {
        match option {
            SamplingOption::Cold => Self::Cold,
            SamplingOption::Hot => Self::Hot,
            SamplingOption::Both => Self::Both,
        }
    }
}

#[derive(Debug, Clone, Copy, ValueEnum)]
enum FlushOption {
    Clean,
    Memset,
}

impl From<FlushOption> for Flush {
    fn from(option: FlushOption) -> Self {
        match option {
            FlushOption::Clean => Self::Clean,
            FlushOption::Memset => Self::Memset,
        }
    }
}

/// A parser of numbers in this range, the ends included.
fn within(least: f64, most: f64) -> impl Fn(&str) -> Result<f64, String> + Clone + Send + Sync + 'static {
    move |text| {
        let number = text.parse::<f64>().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| format!("expected a number from {least} to {most}"))
    }
}

impl MeasureOptions {
    /// What was given, as overrides of a scenario.
    pub(super) fn overrides(&self) -> Vec<String> {
        let text = |option: &str, word: &str| format!("{option} \"{word}\"");
        [
            self.sampling.map(|sampling| text("--sampling", Sampling::from(sampling).name())),
            self.flush.map(|flush| text("--flush", Flush::from(flush).name())),
            self.precision.map(|precision| format!("--precision {precision:?}")),
            self.budget.map(|budget| format!("--budget {budget:?}")),
            self.rounds.map(|rounds| format!("--rounds {rounds}")),
            self.seed.map(|seed| format!("--seed {seed}")),
        ]
        .into_iter()
        .flatten()
        .collect()
    }

    /// What was given in place of these settings, for what has no scenario. More rounds than the most make those the most.
    pub(super) fn apply(&self, settings: &mut MeasureSettings) {
        settings.sampling = self.sampling.map_or(settings.sampling, Sampling::from);
        settings.flush = self.flush.map_or(settings.flush, Flush::from);
        settings.precision_pct = self.precision.unwrap_or(settings.precision_pct);
        settings.budget_s = self.budget.unwrap_or(settings.budget_s);
        settings.rounds_min = self.rounds.map_or(settings.rounds_min, |rounds| rounds as usize);
        settings.rounds_max = settings.rounds_max.max(settings.rounds_min);
        settings.seed = self.seed.unwrap_or(settings.seed);
    }
}

#[cfg(test)]
mod tests {
    use clap::Parser;

    use super::*;
    use crate::scenario::Scenario;

    #[derive(Parser)]
    struct Command {
        #[command(flatten)]
        options: MeasureOptions,
    }

    fn options(arguments: &[&str]) -> Result<MeasureOptions, clap::Error> {
        Command::try_parse_from(std::iter::once(&"apbench").chain(arguments)).map(|command| command.options)
    }

    #[test]
    fn options_are_in_the_scenario_that_ran() {
        let arguments =
            ["--sampling=both", "--flush=memset", "--precision=1", "--budget=1e-3", "--rounds=7", "--seed=42"];
        let options = options(&arguments).unwrap();
        let text = "family = \"branching\"\n[measure]\nsamples_min = 12 # as before\nprecision_pct = 0.5\n";
        let scenario = Scenario::parse("a.toml", text, &options.overrides(), 1000).unwrap();
        let expected = MeasureSettings {
            sampling: Sampling::Both,
            flush: Flush::Memset,
            precision_pct: 1.0,
            budget_s: 0.001,
            rounds_min: 7,
            samples_min: 12,
            seed: 42,
            ..MeasureSettings::default()
        };
        assert_eq!(scenario.measure, expected);
        assert!(scenario.text.contains("samples_min = 12 # as before\nprecision_pct = 1.0\n"), "{}", scenario.text);
        assert_eq!(Scenario::parse("a.toml", &scenario.text, &[], 1000).unwrap().measure, expected);
        let mut applied = MeasureSettings { samples_min: 12, ..MeasureSettings::default() };
        options.apply(&mut applied);
        assert_eq!(applied, expected);
    }

    #[test]
    fn without_options_nothing_changes() {
        assert!(options(&[]).unwrap().overrides().is_empty());
        let mut settings = MeasureSettings { seed: 9, ..MeasureSettings::default() };
        options(&[]).unwrap().apply(&mut settings);
        assert_eq!(settings, MeasureSettings { seed: 9, ..MeasureSettings::default() });
    }

    #[test]
    fn values_out_of_range_are_refused_by_the_option_s_name() {
        for argument in ["--precision=0", "--precision=nan", "--budget=3601", "--rounds=0", "--seed=-1", "--flush=x"] {
            let error = options(&[argument]).unwrap_err().to_string();
            assert!(error.contains(argument.split('=').next().unwrap()), "{error}");
        }
    }

    #[test]
    fn a_conflict_with_the_scenario_names_the_option() {
        let options = options(&["--rounds=50"]).unwrap();
        let text = "family = \"branching\"\n[measure]\nrounds_max = 40\n";
        let errors = Scenario::parse("a.toml", text, &options.overrides(), 1000).unwrap_err();
        let report = errors.report(located_toml::ReportStyle::Plain, 100);
        for wanted in ["`rounds_max` 40 is less than `rounds_min` 50", "--rounds 50", "a.toml line 3"] {
            assert!(report.contains(wanted), "no {wanted} in:\n{report}");
        }
    }
}
