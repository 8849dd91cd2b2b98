//! What case studies count is what the committed simulated runs counted.

use std::fs;

use super::markdown::root;

/// A page's run: the rungs at the parameter that the page is about.
struct Counted {
    header: csv::StringRecord,
    rungs: Vec<csv::StringRecord>,
}

impl Counted {
    fn of(page: &str, parameter: &str, value: &str) -> Self {
        let path = root().join("results/simulated-h200").join(page).join("points.csv");
        let mut reader = csv::Reader::from_path(path).unwrap();
        let header = reader.headers().unwrap().clone();
        let all = Self { header, rungs: reader.records().map(Result::unwrap).collect() };
        let place = all.place(parameter).unwrap_or_else(|| panic!("{page}: no column {parameter}"));
        let rungs = all.rungs.into_iter().filter(|record| &record[place] == value).collect();
        Self { rungs, ..all }
    }

    fn place(&self, column: &str) -> Option<usize> {
        self.header.iter().position(|own| own == column)
    }

    /// What a rung counted; nothing if the name is of no counter.
    fn value(&self, rung: &str, counter: &str) -> Option<&str> {
        let (variant, place) = (self.place("variant")?, self.place(counter)?);
        self.rungs.iter().find(|record| &record[variant] == rung).map(|record| &record[place])
    }

    /// Whether one of the rungs counted so much, to the digits that are told.
    fn has<'a>(&self, mut rungs: impl Iterator<Item = &'a str>, counter: &str, told: &str) -> bool {
        let digits = told.split_once('.').map_or(0, |(_, digits)| digits.len());
        rungs.any(|rung| {
            let value = self.value(rung, counter).and_then(|value| value.parse::<f64>().ok());
            value.is_some_and(|value| format!("{value:.digits$}") == told)
        })
    }
}

/// The lines of a page's table that begins with the rung and `warp_instructions`: cells, the header first.
fn table(page: &str) -> Vec<Vec<String>> {
    let text = fs::read_to_string(root().join(format!("docs/src/case-studies/{page}.md"))).unwrap();
    let rows = text.lines().skip_while(|line| !line.starts_with("| rung | `warp_instructions` |"));
    let rows = rows.take_while(|line| line.starts_with('|')).filter(|line| !line.starts_with("| ---"));
    let cells = |line: &str| {
        line.trim_matches('|').split('|').map(|cell| cell.replace(['`', ','], "").trim().to_owned()).collect()
    };
    rows.map(cells).collect()
}

/// The pages, each with the parameter that tells which points it is about.
const PAGES: [(&str, &str, &str); 4] = [
    ("prefix-sum", "elements", "262144"),
    ("reduction", "elements", "786432"),
    ("select-sum", "threshold", "30"),
    ("trapezoid", "block", "1024"),
];

#[test]
fn tables_of_case_studies_have_the_counters_of_the_runs() {
    for (page, parameter, value) in &PAGES[..2] {
        let counted = Counted::of(page, parameter, value);
        let rows = table(page);
        assert!(rows.len() > 8, "{page}: {rows:?}");
        for row in &rows[1..] {
            for (name, cell) in rows[0].iter().zip(row).skip(1) {
                assert_eq!(Some(cell.as_str()), counted.value(&row[0], name), "{page}: {name} of {}", row[0]);
            }
        }
    }
}

/// What stands in backquotes, each with the text up to the next.
fn quoted(line: &str) -> Vec<(&str, &str)> {
    let parts: Vec<&str> = line.split('`').skip(1).collect();
    parts.chunks(2).map(|pair| (pair[0], pair.get(1).copied().unwrap_or_default())).collect()
}

/// The number that a text begins with, without its commas, and what follows it.
fn number(text: &str) -> Option<(String, &str)> {
    let text = text.strip_prefix(' ')?;
    let end = text.find(|c: char| !c.is_ascii_digit() && c != ',' && c != '.').unwrap_or(text.len());
    let told = text[..end].trim_end_matches([',', '.']);
    told.starts_with(|c: char| c.is_ascii_digit()).then(|| (told.replace(',', ""), &text[told.len()..]))
}

#[test]
fn sentences_of_case_studies_have_the_counters_of_the_runs() {
    for (page, parameter, value) in PAGES {
        let counted = Counted::of(page, parameter, value);
        let variant = counted.place("variant").unwrap();
        let text = fs::read_to_string(root().join(format!("docs/src/case-studies/{page}.md"))).unwrap();
        let mut own: Vec<&str> = Vec::new();
        let mut figures = 0;
        for line in text.lines() {
            if line.starts_with("## ") {
                own = quoted(line).into_iter().map(|(name, _)| name).collect();
            }
            let Some((_, sentence)) = line.split_once("*Counted") else { continue };
            let all = || counted.rungs.iter().map(|record| &record[variant]);
            // A section that names no rung is about several.
            let is_own = |name: &&str| own.is_empty() || own.contains(name);
            for (counter, behind) in quoted(sentence) {
                let Some((first, rest)) = number(behind).filter(|_| counted.place(counter).is_some()) else { continue };
                let last = rest.strip_prefix(" to").and_then(number).map(|(last, _)| last);
                assert!(counted.has(all(), counter, &first), "{page}: no rung has {counter} {first}");
                if let Some(last) = last {
                    assert!(counted.has(all().filter(is_own), counter, &last), "{page}: {counter} {last} of {own:?}");
                }
                figures += 1;
            }
        }
        assert!(figures >= 5, "{page}: only {figures} figures found");
    }
}
