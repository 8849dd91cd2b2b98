//! The page that finds what kernels pay for: its commands print what it shows, with the kernels compiled before.

use std::fs;
use std::path::Path;

use tempfile::TempDir;

use super::examples::{agrees, shell};
use super::markdown::{Block, blocks, root, text};

/// Kernels of the page, and which of its blocks of CUDA they are.
const KERNELS: [&str; 3] = ["transposition", "histogram", "product"];

/// The line without the source's text behind its place, which only the source has.
fn without_source(line: &str) -> String {
    let is_place = |place: &str| place.trim_start().split_once(".cu:").is_some_and(|(name, _)| KERNELS.contains(&name));
    let place = line.strip_prefix("  ").and_then(|line| line.split_once("   ")).map(|(place, _)| place);
    place.filter(|place| is_place(place)).map_or_else(|| line.trim_end().to_owned(), |place| format!("  {place}"))
}

fn prepare(folder: &Path) {
    let of_page = text("docs/src/how-to/measure-own-kernel.md");
    for name in KERNELS {
        fs::copy(root().join(format!("tests/kernels/{name}.ptx")), folder.join(format!("{name}.ptx"))).unwrap();
        let scenario = fs::read_to_string(root().join(format!("tests/kernels/{name}.toml")));
        let is_scenario = |block: &&Block<'_>| block.language == "toml" && block.lines.contains(&"[kernel]");
        let scenario = scenario.unwrap_or_else(|_| {
            blocks(&of_page).iter().find(is_scenario).expect("the page has its scenario").lines.join("\n")
        });
        let scenario = scenario.replace(&format!("\"{name}.cu\""), &format!("\"{name}.ptx\""));
        fs::write(folder.join(format!("{name}.toml")), scenario).unwrap();
    }
}

#[test]
fn three_kernels_are_diagnosed_as_the_page_shows() {
    let page = text("docs/src/how-to/diagnose.md");
    let folder = TempDir::new().unwrap();
    prepare(folder.path());
    let all = blocks(&page);
    let consoles: Vec<&Block<'_>> = all.iter().filter(|block| block.language == "console").collect();
    assert_eq!(consoles.len(), KERNELS.len());
    for console in consoles {
        let (command, expected) = console.lines.split_first().expect("a command");
        let command = command.strip_prefix("$ ").expect("a command begins with $");
        let output = shell(command, folder.path());
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8_lossy(&output.stdout);
        let printed: Vec<String> = printed.lines().map(without_source).collect();
        let expected: Vec<String> = expected.iter().map(|line| without_source(line)).collect();
        let as_lines = |lines: &'static [String]| lines.iter().map(String::as_str).collect::<Vec<_>>();
        let (expected, printed) = (&*expected.leak(), &*printed.leak());
        assert!(agrees(&as_lines(expected), &as_lines(printed)), "{command}\n{}", printed.join("\n"));
    }
}

/// `tests/kernels/compile.sh` writes the PTX anew.
#[test]
fn compiled_kernels_are_of_the_sources_that_the_page_shows() {
    let page = text("docs/src/how-to/diagnose.md");
    for name in KERNELS {
        let source = text(&format!("tests/kernels/{name}.cu"));
        let first = text(&format!("tests/kernels/{name}.ptx")).lines().next().unwrap_or_default().to_owned();
        let hash = apbench::kernel::sha256(source.as_bytes());
        assert!(first.contains(&hash), "tests/kernels/{name}.ptx is of another {name}.cu");
        let shown = blocks(&page)
            .iter()
            .filter(|block| block.language == "cuda")
            .map(|block| block.lines.join("\n"))
            .collect::<Vec<_>>();
        assert!(
            name == KERNELS[0] || shown.iter().any(|own| own == source.trim_end()),
            "the page shows another {name}.cu"
        );
    }
}

/// `tests/gpu/diagnosis/pairs.py` writes the file.
#[test]
fn figures_of_gains_are_those_of_the_file() {
    let page = text("docs/src/how-to/diagnose.md");
    let mut reader = csv::Reader::from_path(root().join("results/measured-gains.csv")).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(|row| row.unwrap()).collect();
    let gains = || rows.iter().map(|row| (row[5].parse::<f64>().unwrap(), row[6].parse::<f64>().unwrap()));
    let mut errors_pct: Vec<f64> =
        gains().map(|(measured, predicted)| 1e2 * (predicted / measured - 1.0).abs()).collect();
    errors_pct.sort_by(f64::total_cmp);
    let (median, most) = (errors_pct[errors_pct.len() / 2], errors_pct[(errors_pct.len() * 9).div_ceil(10) - 1]);
    let above = gains().filter(|(measured, _)| *measured > 1.05).count();
    let wrong: Vec<[&str; 3]> = rows
        .iter()
        .zip(gains())
        .filter(|(_, (measured, predicted))| *measured > 1.05 && *predicted <= 1.0)
        .map(|(row, _)| [&row[0], &row[2], &row[4]])
        .collect();
    // The page names them.
    let expected = [
        ["data-layout", "staged_padded", "fields=4 fields_used=4"],
        ["global-stride", "strided", "word_bytes=16 stride=64 offset=0"],
    ];
    assert_eq!(wrong, expected);
    let right = above - wrong.len();
    for part in [
        format!("{} points of 24 pairs", rows.len()),
        format!("within {median:.1} % of the measured gain in the median"),
        format!("within {most:.0} % at nine of ten points"),
        format!("At {right} of {above} points"),
    ] {
        assert!(page.split_whitespace().collect::<Vec<_>>().join(" ").contains(&part), "the page does not say {part}");
    }
}
