//! What the simulated GPUs of the source documents come to, held against the figures that these print.

mod table_4_1;
mod table_4_2;
mod table_4_3;

use std::path::Path;

use apbench::published::{Figure, parse_published};

/// The figures of a table, of all devices.
fn figures(table: &str) -> Vec<Figure> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("results/published/published.csv");
    let figures = parse_published(&path, &std::fs::read_to_string(&path).unwrap()).unwrap();
    let figures: Vec<Figure> = figures.into_iter().filter(|figure| figure.table == table).collect();
    assert!(!figures.is_empty(), "no figures of table {table}");
    figures
}

#[test]
fn the_printed_tables_are_there() {
    for (table, count) in [("4.1", 8), ("4.2", 8), ("4.3", 4)] {
        assert_eq!(figures(table).len(), count, "table {table}");
    }
    let [first, ..] = &figures("4.2")[..] else { panic!("figures") };
    assert_eq!((first.device.as_str(), first.value), ("GeForce 8500 GT", 1.0));
    assert_eq!(first.variant, "read=unconflicted write=unconflicted");
}
