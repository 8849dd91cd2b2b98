//! Figures that the sources print, as `results/published/published.csv` has them.

use std::collections::HashMap;
use std::path::Path;

use serde::Serialize;

use crate::malformed::Malformed;

pub mod printed;

/// A printed figure.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Figure {
    /// The document.
    pub source: String,
    /// Its table, or the place in it.
    pub table: String,
    /// The GPU or host that it is for.
    pub device: String,
    /// What was run, by apbench's names where it has them.
    pub family: String,
    /// The variant, in the source's words.
    pub variant: String,
    /// What is known of the parameters, as names and values.
    pub parameters: Vec<(String, String)>,
    /// What it is a figure of: `time`, `slowdown`, ...
    pub metric: String,
    /// The figure, in `unit`.
    pub value: f64,
    /// The range that the source gives.
    pub plus_minus: Option<f64>,
    /// `ms`, `ratio`, ...
    pub unit: String,
    /// Its line in the file.
    pub line: u64,
}

/// The text of `results/published/published.csv`, as the program was built with it.
pub const EMBEDDED: &str = include_str!("../../results/published/published.csv");

/// The figures that the program was built with.
pub fn embedded() -> Vec<Figure> {
    parse_published(Path::new("published.csv"), EMBEDDED).unwrap_or_default()
}

/// The columns of the file, in any order; others may be there too.
pub const COLUMNS: [&str; 10] =
    ["source", "table", "device", "family", "variant", "params", "metric", "value", "plus_minus", "unit"];

/// Reads a file of published figures.
///
/// # Errors
/// The first line that cannot be read, or that repeats another.
pub fn parse_published(path: &Path, text: &str) -> Result<Vec<Figure>, Malformed> {
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let wrong = |error: &csv::Error| Malformed::new(path, error.position().map(csv::Position::line), error.to_string());
    let header = reader.headers().map_err(|error| wrong(&error))?.clone();
    let place = |name: &str| header.iter().position(|own| own == name);
    let missing: Vec<&str> = COLUMNS.into_iter().filter(|name| place(name).is_none()).collect();
    if !missing.is_empty() {
        let problem = format!(
            "is not a file of published figures: it has no column {}; expected {}",
            missing.join(", "),
            COLUMNS.join(", ")
        );
        return Err(Malformed::new(path, Some(1), problem));
    }
    let mut figures: Vec<Figure> = Vec::new();
    let mut lines: HashMap<[String; 7], u64> = HashMap::new();
    for row in reader.records() {
        let row = row.map_err(|error| wrong(&error))?;
        let line = row.position().map_or(0, csv::Position::line);
        let cell = |name: &str| place(name).and_then(|index| row.get(index)).unwrap_or_default().trim();
        let figure = figure(cell, line).map_err(|problem| Malformed::new(path, Some(line), problem))?;
        let key =
            ["source", "table", "device", "family", "variant", "params", "metric"].map(|name| cell(name).to_owned());
        if let Some(first) = lines.insert(key, line) {
            return Err(Malformed::new(path, Some(line), format!("is the same figure as line {first}")));
        }
        figures.push(figure);
    }
    Ok(figures)
}

fn figure<'a>(cell: impl Fn(&str) -> &'a str, line: u64) -> Result<Figure, String> {
    let number = |name: &str| {
        let text = cell(name);
        let number = text.parse::<f64>().ok().filter(|number| number.is_finite() && *number >= 0.0);
        number.ok_or_else(|| format!("{name} is `{text}`, expected a number from 0 on"))
    };
    let text = |name: &str| match cell(name) {
        "" => Err(format!("{name} is empty")),
        text => Ok(text.to_owned()),
    };
    let parameter = |pair: &str| match pair.split_once('=') {
        Some((name, value)) if !name.is_empty() => Ok((name.to_owned(), value.to_owned())),
        _ => Err(format!("params has `{pair}`, expected name=value")),
    };
    let value = number("value")?;
    if value == 0.0 {
        return Err("value is 0, expected a number above it".to_owned());
    }
    Ok(Figure {
        source: text("source")?,
        table: text("table")?,
        device: text("device")?,
        family: text("family")?,
        variant: text("variant")?,
        parameters: cell("params").split_whitespace().map(parameter).collect::<Result<_, _>>()?,
        metric: text("metric")?,
        value,
        plus_minus: if cell("plus_minus").is_empty() { None } else { Some(number("plus_minus")?) },
        unit: text("unit")?,
        line,
    })
}

/// The devices that there are figures of, each once, in the order of the file.
pub fn devices(figures: &[Figure]) -> Vec<&str> {
    let mut seen = std::collections::HashSet::new();
    figures.iter().map(|figure| figure.device.as_str()).filter(|device| seen.insert(*device)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "source,table,device,family,variant,params,metric,value,plus_minus,unit\n";

    fn parse(rows: &str) -> Result<Vec<Figure>, String> {
        parse_published(Path::new("published.csv"), &format!("{HEADER}{rows}")).map_err(|error| error.to_string())
    }

    #[test]
    fn figures_are_read_in_any_order_of_columns() {
        let text = "unit,extra,value,plus_minus,source,table,device,family,variant,params,metric\nms,x,5,,S,4.3,GPU,f,v,a=1 b=2,time\n";
        let figures = parse_published(Path::new("published.csv"), text).unwrap();
        assert_eq!(figures[0].parameters, [("a".to_owned(), "1".to_owned()), ("b".to_owned(), "2".to_owned())]);
        assert_eq!((figures[0].value, figures[0].plus_minus, figures[0].line), (5.0, None, 2));
        assert_eq!(devices(&figures), ["GPU"]);
    }

    #[test]
    fn the_figures_that_the_program_has_can_be_read() {
        assert!(embedded().len() > 100);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let good = "S,4.1,GPU,f,v,,slowdown,1,0,ratio\n";
        for (row, told) in [
            ("S,4.1,GPU,f,v,,slowdown,NaN,,ratio\n", "published.csv:3: value is `NaN`, expected a number from 0 on"),
            ("S,4.1,GPU,f,w,,slowdown,0,,ratio\n", "published.csv:3: value is 0, expected a number above it"),
            (
                "S,4.1,GPU,f,v,,slowdown,1,-1,ratio\n",
                "published.csv:3: plus_minus is `-1`, expected a number from 0 on",
            ),
            ("S,4.1,GPU,f,v,width,slowdown,1,,ratio\n", "published.csv:3: params has `width`, expected name=value"),
            ("S,4.1,,f,v,,slowdown,1,,ratio\n", "published.csv:3: device is empty"),
            (good, "published.csv:3: is the same figure as line 2"),
        ] {
            assert_eq!(parse(&format!("{good}{row}")).unwrap_err(), told);
        }
        assert!(parse("S,4.1,GPU\n").unwrap_err().starts_with("published.csv:2: "), "{:?}", parse("S,4.1,GPU\n"));
        let foreign = parse_published(Path::new("published.csv"), "a,b\n1,2\n").unwrap_err().to_string();
        assert!(
            foreign.starts_with("published.csv:1: is not a file of published figures: it has no column source"),
            "{foreign}"
        );
    }
}
