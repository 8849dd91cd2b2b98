//! What case studies count is what the committed simulated runs counted.

use std::collections::HashMap;
use std::fs;

use super::markdown::root;

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

#[test]
fn tables_of_case_studies_have_the_counters_of_the_runs() {
    for (page, elements) in [("prefix-sum", "262144"), ("reduction", "786432")] {
        let rows = table(page);
        let run = root().join("results/simulated-h200").join(page).join("points.csv");
        let mut points: HashMap<String, csv::StringRecord> = HashMap::new();
        let mut reader = csv::Reader::from_path(run).unwrap();
        let header = reader.headers().unwrap().clone();
        let place =
            |name: &str| header.iter().position(|own| own == name).unwrap_or_else(|| panic!("no column {name}"));
        for record in reader.records() {
            let record = record.unwrap();
            if &record[place("elements")] == elements {
                points.insert(record[place("variant")].to_owned(), record);
            }
        }
        assert!(rows.len() > 8, "{page}: {rows:?}");
        for row in &rows[1..] {
            for (name, cell) in rows[0].iter().zip(row).skip(1) {
                assert_eq!(cell, &points[&row[0]][place(name)], "{page}: {name} of {}", row[0]);
            }
        }
    }
}
