//! The tables of the sources in apbench's terms: which points correspond to a printed figure.

use super::Figure;

/// Points: those of a variant that have these values.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Selector {
    /// The variant.
    pub variant: String,
    /// Parameters that they must have.
    pub parameters: Vec<(String, String)>,
}

/// The quantity of a run that corresponds to a printed figure.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Quantity {
    /// The time of one point.
    Time(Selector),
    /// The times of points over those of others that agree in every parameter that neither has a value of here: the geometric mean.
    Ratio(Selector, Selector),
}

/// A printed figure's place in a table.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedRow {
    /// What it is, in the source's words.
    pub label: String,
    /// The quantity of a run that corresponds to it, or the reason why apbench does not measure that.
    pub quantity: Result<Quantity, String>,
    /// `ms`, or `ratio`.
    pub unit: String,
    /// The printed figures, by device: value and range.
    pub printed: Vec<(String, f64, Option<f64>)>,
}

/// A table that the sources print, with rows for apbench's points.
#[derive(Debug, Clone, PartialEq)]
pub struct PrintedTable {
    /// Where it is: `Cornelis 2010, table 4.1`.
    pub place: String,
    /// The family whose runs have such points.
    pub family: String,
    /// Its rows, in the order of the file.
    pub rows: Vec<PrintedRow>,
}

/// The parameter values that a table's figures are of, where the source says them elsewhere.
const PARAMETERS: [(&str, &[(&str, &str)]); 2] =
    [("4.2", &[("repetitions", "100")]), ("4.3", &[("fields", "3"), ("fields_used", "3")])];

/// The variant that a table's slowdowns are relative to.
const REFERENCES: [(&str, &str); 2] =
    [("4.1", "read_coalesced_write_coalesced"), ("4.2", "read_unconflicted_write_unconflicted")];

/// Parameters that a table's points must have.
pub fn parameters_of(table: &str) -> Vec<(String, String)> {
    let own = PARAMETERS.iter().find(|(name, _)| *name == table).map_or(&[][..], |(_, parameters)| *parameters);
    own.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect()
}

/// The variant that slowdowns of a table are relative to; `None` where its figures are times.
pub fn reference_of(table: &str) -> Option<&'static str> {
    REFERENCES.iter().find(|(name, _)| *name == table).map(|(_, reference)| *reference)
}

/// apbench's name of a variant: `read=conflicted write=unconflicted` is `read_conflicted_write_unconflicted`.
pub fn variant_of(printed: &str) -> String {
    printed.replace(['=', ' '], "_")
}

/// Finds the quantity of a run that corresponds to a figure.
///
/// # Errors
/// The reason why no quantity corresponds to it.
pub fn quantity_of(figure: &Figure) -> Result<Quantity, String> {
    let select = |variant: &str, parameters: &[(&str, &str)]| Selector {
        variant: variant.to_owned(),
        parameters: parameters.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect(),
    };
    // The text of section 5.2 tells its figures in words.
    match figure.variant.as_str() {
        "one barrier every 2 operations" => {
            let every = [("interval", "2"), ("resident_blocks", "0")];
            return Ok(Quantity::Ratio(select("barrier", &every), select("none", &every)));
        }
        "100 launches of 1 operation" => {
            let [many, one] =
                ["1", "100"].map(|interval| select("relaunch", &[("interval", interval), ("exchange", "none")]));
            return Ok(Quantity::Ratio(many, one));
        }
        _ => {}
    }
    let Some(family) = crate::family::Family::find(&figure.family) else {
        return Err(format!("apbench has no family {}", figure.family));
    };
    let variant = variant_of(&figure.variant);
    if !family.variants.iter().any(|own| own.name == variant) {
        return Err(format!("{} has no variant {variant}", family.name));
    }
    let mut parameters = parameters_of(&figure.table);
    parameters.extend(figure.parameters.iter().filter(|(name, _)| family.parameter(name).is_some()).cloned());
    let own = Selector { variant, parameters: parameters.clone() };
    match (figure.metric.as_str(), reference_of(&figure.table)) {
        ("slowdown", Some(reference)) => {
            Ok(Quantity::Ratio(own, Selector { variant: reference.to_owned(), parameters }))
        }
        ("time", _) => Ok(Quantity::Time(own)),
        (metric, _) => Err(format!("runs have no {metric}")),
    }
}

/// The tables of these figures, in their order; a table of several families is several.
pub fn tables(figures: &[Figure]) -> Vec<PrintedTable> {
    let mut tables: Vec<PrintedTable> = Vec::new();
    for figure in figures {
        // Documents call some of them by a number, some by a heading.
        let is_number = figure.table.starts_with(|first: char| first.is_ascii_digit());
        let word = match (is_number, figure.table.contains("(text)")) {
            (true, true) => "section ",
            (true, false) => "table ",
            (false, _) => "",
        };
        let place = format!("{}, {word}{}", figure.source, figure.table);
        let known = tables.iter().position(|table| table.place == place && table.family == figure.family);
        let index = known.unwrap_or_else(|| {
            tables.push(PrintedTable { place, family: figure.family.clone(), rows: Vec::new() });
            tables.len() - 1
        });
        let label = match figure.metric.as_str() {
            "slowdown" | "time" => figure.variant.clone(),
            metric => format!("{}: {metric}", figure.variant),
        };
        let rows = &mut tables[index].rows;
        let own = rows.iter_mut().find(|row| row.label == label && row.unit == figure.unit);
        let printed = (figure.device.clone(), figure.value, figure.plus_minus);
        match own {
            Some(row) => row.printed.push(printed),
            None => rows.push(PrintedRow {
                label,
                quantity: quantity_of(figure),
                unit: figure.unit.clone(),
                printed: vec![printed],
            }),
        }
    }
    for table in tables.iter_mut().filter(|table| table.family == "data_layout") {
        let ratio = layout_ratio(&table.rows);
        table.rows.extend(ratio);
    }
    tables
}

/// Table 4.3 prints times at a size that simulated devices cannot wait for; what it shows is their ratio.
fn layout_ratio(rows: &[PrintedRow]) -> Option<PrintedRow> {
    let find = |label: &str| rows.iter().find(|row| row.label == label);
    let (structures, arrays) = (find("array_of_structures")?, find("structure_of_arrays")?);
    let parameters = parameters_of("4.3");
    let select = |variant: &str| Selector { variant: variant.to_owned(), parameters: parameters.clone() };
    let printed = structures.printed.iter().filter_map(|(device, value, _)| {
        let (_, under, _) = arrays.printed.iter().find(|(own, ..)| own == device)?;
        Some((device.clone(), value / under, None))
    });
    Some(PrintedRow {
        label: "array_of_structures over structure_of_arrays".to_owned(),
        quantity: Ok(Quantity::Ratio(select("array_of_structures"), select("structure_of_arrays"))),
        unit: "ratio".to_owned(),
        printed: printed.collect(),
    })
}

#[cfg(test)]
mod tests;
