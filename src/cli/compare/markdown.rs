//! A comparison as Markdown, for reports and pull requests.

use super::{SideBySide, words};
use crate::unit;

pub(super) fn text(compared: &SideBySide) -> String {
    let mut text = format!("# {}: runs side by side\n\n", compared.family);
    text += "The ratio is the time divided by the time in the base. Above 1, the point is slower than in the base.\n\n| | run | device |\n| --- | --- | --- |\n";
    text += &row(&["base", &compared.base.name, &compared.base.device]);
    for (index, other) in compared.others.iter().enumerate() {
        text += &row(&[&words::mark(index), &other.facts.name, &other.facts.device]);
    }
    text += "\n";
    let fixed: Vec<String> = compared.fixed.iter().map(|(name, value)| format!("{name}={value}")).collect();
    if !fixed.is_empty() {
        text += &format!("Every point: {}\n\n", escaped(&fixed.join(" ")));
    }
    for note in &compared.notes {
        text += &format!("- {}\n", escaped(note));
    }
    text += &summaries(compared);
    text += &laws(compared);
    text += &points(compared);
    text
}

fn summaries(compared: &SideBySide) -> String {
    let mut text = "\n## Summary\n\n| run | points | verdicts | geometric mean | normalised | differ most |\n| --- | --- | --- | --- | --- | --- |\n".to_owned();
    for (index, other) in compared.others.iter().enumerate() {
        let own = &other.summary;
        let mut points = vec![format!("{} compared", own.compared)];
        for (count, word) in [(own.added, "ADDED"), (own.removed, "REMOVED"), (own.failed, "FAILED")] {
            if count > 0 {
                points.push(format!("{count} {word}"));
            }
        }
        let normalised = other.normalised.iter().map(|own| {
            format!("{}: {} ({} against {})", own.label, words::with_interval(&own.mean), own.other, own.base)
        });
        let most = own.differ_most.iter().map(|number| {
            let judged = compared.rows.get(*number).and_then(|row| row.others.get(index)?.judged.as_ref());
            format!(
                "{} at {}",
                judged.map(|judged| words::ratio(judged.ratio)).unwrap_or_default(),
                compared.label(*number)
            )
        });
        text += &row(&[
            &words::mark(index),
            &points.join(", "),
            &words::counts(compared, index),
            &own.mean.as_ref().map(words::with_interval).unwrap_or_default(),
            &normalised.collect::<Vec<_>>().join("; "),
            &most.collect::<Vec<_>>().join("; "),
        ]);
    }
    text
}

fn laws(compared: &SideBySide) -> String {
    if compared.others.iter().all(|other| other.laws.is_empty()) {
        return String::new();
    }
    let mut text = "\n## Laws\n\n| run | fit | points | parameter | base | other | ratio | 95 % interval |\n| --- | --- | --- | --- | --- | --- | --- | --- |\n".to_owned();
    for (index, other) in compared.others.iter().enumerate() {
        for law in &other.laws {
            let known = |known: Option<crate::compare::ratio::Known>| {
                known.map_or("-".to_owned(), |known| {
                    let [estimate, low, high] =
                        [known.estimate, known.low, known.high].map(|value| unit::significant(value, 4));
                    format!("{estimate} ({low} to {high}) {}", law.unit)
                })
            };
            text += &row(&[
                &words::mark(index),
                &law.fit,
                &law.group,
                &law.parameter,
                &known(law.base),
                &known(law.other),
                &law.ratio.map_or("-".to_owned(), |own| words::ratio(own.ratio)),
                &law.ratio.map(|own| words::interval(own.interval)).unwrap_or_default(),
            ]);
        }
    }
    text
}

fn points(compared: &SideBySide) -> String {
    let mut header: Vec<String> = compared.varying.iter().map(|name| (*name).to_owned()).collect();
    header.push("base".to_owned());
    for index in 0..compared.others.len() {
        let mark = words::mark(index);
        header.extend([
            mark.clone(),
            format!("{mark} ratio"),
            format!("{mark} 95 % interval"),
            format!("{mark} verdict"),
        ]);
    }
    let header: Vec<&str> = header.iter().map(String::as_str).collect();
    let mut text = format!("\n## Points\n\n{}{}", row(&header), row(&vec!["---"; header.len()]));
    for (number, own) in compared.rows.iter().enumerate() {
        let time = |time_us: Option<f64>| time_us.map_or("-".to_owned(), |time| unit::time_us_to(time, 4));
        let mut cells: Vec<String> =
            compared.varying.iter().map(|name| compared.value(number, name).to_owned()).collect();
        cells.push(time(own.base.map(|base| base.time_us)));
        for (other, cell) in compared.others.iter().zip(&own.others) {
            let judged = cell.judged.as_ref();
            cells.extend([
                time(cell.time.map(|time| time.time_us)),
                judged.map_or("-".to_owned(), |judged| words::ratio(judged.ratio)),
                words::interval(judged.and_then(|judged| judged.interval)),
                cell.told(other.relation),
            ]);
        }
        let cells: Vec<&str> = cells.iter().map(String::as_str).collect();
        text += &row(&cells);
    }
    text
}

fn row(cells: &[&str]) -> String {
    let cells: Vec<String> = cells.iter().map(|cell| escaped(cell)).collect();
    format!("| {} |\n", cells.join(" | "))
}

/// Text that Markdown and its tables leave alone.
fn escaped(text: &str) -> String {
    text.replace('|', "\\|").replace('\n', " ")
}
