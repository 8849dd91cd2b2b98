//! Reading back what is written, and what is damaged.

use proptest::prelude::*;

use super::*;
use crate::device::Phases;
use crate::record::{Median, Timing, point_cells, point_columns};
use crate::run::file::csv_text;

const COUNTERS: [&str; 2] = ["bound", "warp_instructions"];

fn phases() -> Phases {
    Phases {
        transfer_in_us: 20.5,
        kernel_us: 3.25,
        transfer_out_us: 0.125,
        host_us: None,
        kernel_hidden_us: 3.0,
        total_us: 22.0,
    }
}

fn record(time_us: Option<f64>, reason: &str) -> PointRecord {
    let timing = time_us.map(|time_us| Timing {
        median: Median { time_us, low_us: Some(time_us - 0.5), high_us: None, samples: 12 },
        cache: Cache::Cold,
        hot: Some(Box::new(Median { time_us: 1.5, low_us: None, high_us: Some(1.75), samples: 0 })),
        rounds: 5,
        clock_mhz: Some(1980.0),
        stopped_by: "precise".into(),
        flags: vec![Flag::Clock, Flag::Short],
        phases: (reason.is_empty()).then(|| Box::new(phases())),
    });
    PointRecord {
        point: 3,
        variant: "divergent".into(),
        parameters: FAMILIES[0].parameters.iter().map(|own| (own.name, "7".into())).collect(),
        status: if timing.is_some() { Status::Ok } else { Status::Failed },
        reason: reason.into(),
        origin: Origin::Measured,
        timing,
        bytes: Some(192 << 20),
        operations: None,
        predictors: FAMILIES[0].predictors.iter().map(|own| (own.name, Some(2.5))).collect(),
        counters: COUNTERS.iter().map(|name| (*name, "12".into())).collect(),
    }
}

fn csv(records: &[PointRecord]) -> String {
    let header = point_columns(FAMILIES[0], &COUNTERS).into_iter().map(str::to_owned).collect();
    let rows = std::iter::once(header).chain(records.iter().map(point_cells));
    String::from_utf8(csv_text(rows).unwrap()).unwrap()
}

fn read(text: &str) -> Result<Vec<PointRecord>, RunError> {
    parse_points(Path::new("points.csv"), text, &mut Vec::new())
}

#[test]
fn what_is_written_reads_back() {
    let failed = PointRecord { point: 4, ..record(None, "launching x: \"no\", it said,\nand stopped") };
    let records = [record(Some(263.125), ""), failed];
    assert_eq!(read(&csv(&records)).unwrap(), records);
}

#[test]
fn texts_that_a_spreadsheet_would_compute_read_back() {
    let parameters = FAMILIES[0].parameters.iter().map(|own| (own.name, "-1.0f".into())).collect();
    let records = [PointRecord { parameters, ..record(None, "=1+1") }];
    let text = csv(&records);
    assert!(text.contains(",'-1.0f,") && text.contains(",'=1+1,"), "{text}");
    assert_eq!(read(&text).unwrap(), records);
}

#[test]
fn parts_of_a_time_without_the_whole_are_refused() {
    let text = csv(&[record(Some(263.125), "")]);
    let total = text.split(',').position(|name| name == "total_us").unwrap();
    let without = |line: &str| {
        let cells = line.split(',').enumerate();
        cells
            .map(|(place, cell)| if place == total && cell != "total_us" { "" } else { cell })
            .collect::<Vec<_>>()
            .join(",")
            + "\n"
    };
    let told = read(&text.lines().map(without).collect::<String>()).unwrap_err().to_string();
    assert!(
        told.starts_with("points.csv:2: transfer_in_us is ") && told.ends_with("but there is no total_us"),
        "{told}"
    );
}

#[test]
fn a_header_that_is_cut_off_is_told_from_an_empty_file() {
    let whole = csv(&[record(Some(263.125), "")]);
    let told = |text: &str| read(text).unwrap_err().to_string();
    assert_eq!(
        told(&whole[..40]),
        "points.csv:1: its first line, which names the columns, is cut off: it has no line end"
    );
    assert!(told(&format!("\"{whole}")).ends_with("is cut off: a quote in it is not closed"));
    for empty in ["", "\n", "\r\n\n"] {
        assert_eq!(told(empty), "points.csv:1: is empty: it has no line of columns", "{empty:?}");
    }
}

/// More rows than one thread reads at a time, with a cell of several lines among them.
#[test]
fn many_rows_keep_their_order_and_their_lines() {
    let numbered =
        |point| PointRecord { point, ..record(Some(point as f64), if point == 9000 { "two\nlines" } else { "" }) };
    let records: Vec<PointRecord> = (0..20_000).map(numbered).collect();
    let text = csv(&records);
    assert_eq!(read(&text).unwrap(), records);
    let message = |text: &str| read(text).unwrap_err().to_string();
    let wrong = text.replace("\n17000,", "\nx,");
    assert_eq!(message(&wrong), "points.csv:17003: point is `x`, expected a whole number");
    let twice = text.replace("\n17000,", "\n12,");
    assert_eq!(
        message(&twice),
        "points.csv:17003: point 12 is there more than once, first in line 14; a run has a row for each point"
    );
    let short = text.replace("\n17000,divergent,", "\n17000,");
    assert!(message(&short).starts_with("points.csv:17003: has "), "{}", message(&short));
}

proptest! {
    #[test]
    fn no_text_panics(text in "\\PC{0,200}") {
        let _ = read(&text);
        let _ = parse_metadata(Path::new("run.json"), &text);
    }

    #[test]
    fn damage_is_an_error_or_fewer_rows_but_no_panic(
        from in 0_usize..600, length in 0_usize..80, insert in "[a-z0-9,\"\n.-]{0,6}",
    ) {
        let mut text = csv(&[record(Some(263.125), ""), record(None, "failed"), record(Some(1.5), "")]);
        let from = from.min(text.len());
        let to = (from + length).min(text.len());
        text.replace_range(from..to, &insert);
        if let Ok(points) = read(&text) {
            let finite = |point: &PointRecord| point.timing.as_ref().is_none_or(|timing| timing.median.time_us.is_finite());
            prop_assert!(points.iter().all(finite));
        }
    }
}
