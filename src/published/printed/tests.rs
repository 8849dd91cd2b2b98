use std::path::Path;

use super::*;
use crate::published::parse_published;

fn published() -> Vec<Figure> {
    let text = include_str!("../../../results/published/published.csv");
    parse_published(Path::new("published.csv"), text).unwrap()
}

#[test]
fn every_figure_of_the_committed_file_has_a_place() {
    let figures = published();
    let tables = tables(&figures);
    let printed: usize = tables.iter().flat_map(|table| &table.rows).map(|row| row.printed.len()).sum();
    // Two devices have a ratio in table 4.3 that is not in the file.
    assert_eq!(printed, figures.len() + 2);
    let places: Vec<&str> = tables.iter().take(5).map(|table| table.place.as_str()).collect();
    let cornelis = ["table 4.1", "table 4.2", "table 4.3", "section 5.2 (text)", "section 5.2 (text)"];
    assert_eq!(places, cornelis.map(|place| format!("Cornelis 2010, {place}")));
}

#[test]
fn figures_of_families_that_there_are_have_points() {
    for figure in published().iter().filter(|figure| crate::family::Family::find(&figure.family).is_some()) {
        let quantity = match quantity_of(figure) {
            Ok(quantity) => quantity,
            // Ladders have sources that print throughputs, phases and counts too, which a ladder's own table shows.
            Err(reason) => {
                let of_points = ["time", "slowdown"].contains(&figure.metric.as_str());
                assert!(
                    !of_points && reason == format!("runs have no {}", figure.metric),
                    "line {}: {reason}",
                    figure.line
                );
                continue;
            }
        };
        let selectors = match &quantity {
            Quantity::Time(own) => vec![own],
            Quantity::Ratio(own, reference) => vec![own, reference],
        };
        let family = crate::family::Family::find(&figure.family).unwrap();
        for Selector { variant, parameters } in selectors {
            assert!(family.variants.iter().any(|own| own.name == variant), "{variant}");
            for (name, _) in parameters {
                assert!(family.parameter(name).is_some(), "{} has no {name}", family.name);
            }
        }
    }
}

#[test]
fn slowdowns_are_relative_to_the_variant_that_the_table_says() {
    let figures = published();
    let of = |table: &str, variant: &str| {
        quantity_of(figures.iter().find(|figure| figure.table == table && figure.variant == variant).unwrap()).unwrap()
    };
    let repetitions = vec![("repetitions".to_owned(), "100".to_owned())];
    let select = |variant: &str| Selector { variant: variant.to_owned(), parameters: repetitions.clone() };
    assert_eq!(
        of("4.2", "read=conflicted write=unconflicted"),
        Quantity::Ratio(select("read_conflicted_write_unconflicted"), select("read_unconflicted_write_unconflicted"))
    );
    let Quantity::Time(own) = of("4.3", "array_of_structures") else { panic!("a time") };
    assert_eq!(own.parameters.len(), 3, "{own:?}");
}
