//! Rounds and samples read back, whole, old and damaged.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::record::{round_cells, sample_cells};
use crate::run::file::{csv_text, header_text};
use crate::run::fixtures::measured;

fn csv(columns: &[&str], rows: impl Iterator<Item = Vec<String>>) -> String {
    let mut text = header_text(columns).unwrap();
    text.extend(csv_text(rows).unwrap());
    String::from_utf8(text).unwrap()
}

fn rounds(text: &str) -> Result<Vec<(usize, RoundRecord)>, RunError> {
    parse_rounds(Path::new("rounds.csv"), text, &mut Vec::new())
}

fn samples(text: &str) -> Result<Vec<(usize, SampleRecord)>, RunError> {
    parse_samples(Path::new("samples.csv"), text, &mut Vec::new())
}

#[test]
fn what_is_written_reads_back() {
    let point = measured(5);
    let text = csv(&ROUND_COLUMNS, round_cells(5, &point.rounds));
    assert_eq!(rounds(&text).unwrap(), point.rounds.iter().map(|own| (5, own.clone())).collect::<Vec<_>>());
    let text = csv(&SAMPLE_COLUMNS, sample_cells(5, &point.samples));
    assert_eq!(samples(&text).unwrap(), point.samples.iter().map(|own| (5, own.clone())).collect::<Vec<_>>());
}

#[test]
fn samples_of_older_runs_are_cold_and_one_launch_each() {
    let text = "point,round,sample,time_us,clock_mhz,flags\n3,0,0,12.5,,\n3,0,1,12.75,1980,clock\n";
    let read = samples(text).unwrap();
    assert_eq!(read.len(), 2);
    let (point, second) = &read[1];
    assert_eq!((*point, second.round, second.order, second.cache), (3, 0, 1, Cache::Cold));
    let expected =
        Sample { time_us: 12.75, host_us: None, clock_mhz: Some(1980.0), repeats: 1, gated: true, phases: None };
    assert_eq!((second.sample, &second.flags[..]), (expected, &[Flag::Clock][..]));
}

#[test]
fn errors_name_file_and_line_and_what_was_expected() {
    let good = csv(&ROUND_COLUMNS, round_cells(5, &measured(5).rounds));
    let error = |from: &str, to: &str| rounds(&good.replacen(from, to, 1)).unwrap_err().to_string();
    assert_eq!(error("\n5,cold,1", "\n5,warm,1"), "rounds.csv:3: cache is `warm`, expected cold or hot");
    assert_eq!(error("\n5,cold,1", "\nfive,cold,1"), "rounds.csv:3: point is `five`, expected a whole number");
    assert_eq!(error("12.25", "inf"), "rounds.csv:2: trimmed_us is `inf`, expected a number");
    assert_eq!(
        error("clock throttled", "clock melted"),
        "rounds.csv:2: flags is `clock melted`, expected words such as clock or short"
    );
    let columns = "the columns are not those of a run: expected point, cache, round, samples, ";
    assert!(error("cache", "hash").starts_with(&format!("rounds.csv:1: {columns}")));
}

proptest! {
    #[test]
    fn damage_is_an_error_or_fewer_rows_but_no_panic(
        from in 0_usize..400, length in 0_usize..60, insert in "[a-z0-9,\"\n.-]{0,6}",
    ) {
        let point = measured(5);
        for mut text in [
            csv(&ROUND_COLUMNS, round_cells(5, &point.rounds)),
            csv(&SAMPLE_COLUMNS, sample_cells(5, &point.samples)),
        ] {
            let from = from.min(text.len());
            let to = (from + length).min(text.len());
            text.replace_range(from..to, &insert);
            prop_assert!(rounds(&text).unwrap_or_default().iter().all(|(_, round)| round.time_us.is_finite()));
            prop_assert!(samples(&text).unwrap_or_default().iter().all(|(_, own)| own.sample.time_us.is_finite()));
        }
    }
}
