//! Estimates of rungs as a file has them.

use std::path::Path;

use super::StepEstimate;
use crate::malformed::Malformed;

/// The file that `apbench estimate --out RUN` leaves in a run.
pub const FILE: &str = "estimate.csv";

/// The column behind the parameters.
const TIME: &str = "estimate_us";

/// Reads the rows of [`FILE`]. Rungs without an estimate are left out.
///
/// # Errors
/// When it is no such file, or a time is none; with the line.
pub fn parse_estimates(path: &Path, text: &str) -> Result<Vec<StepEstimate>, Malformed> {
    let wrong = |line: Option<u64>, problem: String| Malformed::new(path, line, problem);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let told = |error: csv::Error| wrong(error.position().map(csv::Position::line), error.to_string());
    let header = reader.headers().map_err(told)?.clone();
    let time = header.iter().position(|name| name == TIME);
    let (Some("variant"), Some(time)) = (header.get(0), time) else {
        let problem = format!("the columns are not those of estimates: expected variant, the parameters, {TIME}, ...");
        return Err(wrong(Some(1), problem));
    };
    let mut estimates = Vec::new();
    for row in reader.records() {
        let row = row.map_err(told)?;
        let cell = |place: usize| row.get(place).unwrap_or_default();
        if cell(time).is_empty() {
            continue;
        }
        let time_us = cell(time).parse::<f64>().ok().filter(|time_us| time_us.is_finite() && *time_us > 0.0);
        let problem = || format!("{TIME} is `{}`, expected a number above 0", cell(time));
        let line = row.position().map(csv::Position::line);
        let parameter = |place: usize| Some((header.get(place)?.to_owned(), cell(place).to_owned()));
        estimates.push(StepEstimate {
            variant: cell(0).to_owned(),
            parameters: (1..time).filter_map(parameter).collect(),
            time_us: time_us.ok_or_else(|| wrong(line, problem()))?,
        });
    }
    Ok(estimates)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<Vec<StepEstimate>, String> {
        parse_estimates(Path::new(FILE), text).map_err(|error| error.to_string())
    }

    #[test]
    fn rungs_have_their_parameters_and_those_without_an_estimate_are_left_out() {
        let text = "variant,elements,block,estimate_us,problem\nnaive,1000,256,12.5,\nshifts,1000,256,,no law\n";
        let pair = |name: &str, value: &str| (name.to_owned(), value.to_owned());
        let parameters = vec![pair("elements", "1000"), pair("block", "256")];
        assert_eq!(parse(text).unwrap(), [StepEstimate { variant: "naive".to_owned(), parameters, time_us: 12.5 }]);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let told = |text: &str| parse(text).unwrap_err();
        assert!(told("").contains("expected variant, the parameters, estimate_us"), "{}", told(""));
        let time = told("variant,estimate_us\nnaive,2\nshifts,NaN\n");
        assert!(time.contains("estimate.csv:3") && time.contains("`NaN`"), "{time}");
        assert!(told("variant,estimate_us\nnaive\n").contains("estimate.csv:2"));
    }

    proptest! {
        #[test]
        fn no_text_panics(text in "[a,\"\r\n0-9é]{0,40}", rows in "(naive,[0-9a-z\",]{0,6}\n){0,4}") {
            let _ = parse(&text);
            let _ = parse(&format!("variant,estimate_us\n{rows}"));
        }
    }
}
