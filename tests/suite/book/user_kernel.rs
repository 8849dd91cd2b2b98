//! The page that measures a kernel of one's own: its scenario, run with the kernel compiled before, prints what it shows.

use std::fs;

use apbench::user_kernel::{Expression, Scope};
use tempfile::TempDir;

use super::examples::{agrees, shell};
use super::markdown::{blocks, root, text};

#[test]
fn a_kernel_in_a_scenario_is_swept_as_the_page_shows() {
    let page = text("docs/src/how-to/measure-own-kernel.md");
    let blocks = blocks(&page);
    let kernel = blocks.iter().find(|block| block.language == "cuda").expect("the page has a kernel");
    let source = text("tests/kernels/transposition.cu");
    assert_eq!(kernel.lines.join("\n"), source.trim_end(), "the page's kernel is another than the one compiled");
    let folder = TempDir::new().unwrap();
    let scenario = blocks.iter().find(|block| block.language == "toml").expect("the page has a scenario");
    let scenario = scenario.lines.join("\n").replace("\"transposition.cu\"", "\"transposition.ptx\"");
    fs::write(folder.path().join("transposition.toml"), scenario).unwrap();
    fs::copy(root().join("tests/kernels/transposition.ptx"), folder.path().join("transposition.ptx")).unwrap();
    let is_sweep = |lines: &[&str]| lines.first().is_some_and(|line| line.contains("apbench sweep"));
    let console = blocks.iter().filter(|block| block.language == "console").find(|block| is_sweep(&block.lines));
    let console = console.expect("the page runs it");
    let (command, expected) = console.lines.split_first().expect("a command");
    let output = shell(command.strip_prefix("$ ").expect("a command begins with $"), folder.path());
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(agrees(expected, &printed.lines().collect::<Vec<_>>()), "{printed}");
}

#[test]
fn a_kernel_is_drafted_as_the_page_shows() {
    let page = text("docs/src/how-to/measure-own-kernel.md");
    let blocks = blocks(&page);
    let console = blocks.iter().find(|block| block.language == "console").expect("the page drafts it");
    let (command, expected) = console.lines.split_first().expect("a command");
    let folder = TempDir::new().unwrap();
    fs::write(folder.path().join("transposition.cu"), text("tests/kernels/transposition.cu")).unwrap();
    let output = shell(command.strip_prefix("$ ").expect("a command begins with $"), folder.path());
    let printed = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(agrees(expected, &printed.lines().collect::<Vec<_>>()), "{printed}");
    assert!(folder.path().join("transposition.toml").exists());
}

/// Each command of the section, in a folder with its file.
#[test]
fn drafts_have_what_the_page_shows_of_the_file() {
    let page = text("docs/src/how-to/measure-own-kernel.md");
    let section =
        page.split("\n## ").find(|own| own.starts_with("What a draft has from your file")).expect("a section");
    let blocks = blocks(section);
    let folder = TempDir::new().unwrap();
    let source = blocks.iter().find(|block| block.language == "cuda").expect("the section has a file");
    fs::write(folder.path().join("image.cu"), source.lines.join("\n")).unwrap();
    let consoles: Vec<_> = blocks.iter().filter(|block| block.language == "console").collect();
    assert_eq!(consoles.len(), 3);
    for console in consoles {
        let whole = console.lines.join("\n");
        for command in whole.split("$ ").skip(1) {
            let (command, expected) = command.split_once('\n').expect("a command with what it prints");
            let output = shell(command, folder.path());
            let printed = String::from_utf8_lossy(&output.stdout);
            assert!(output.status.success(), "{command}: {}", String::from_utf8_lossy(&output.stderr));
            let printed_lines: Vec<&str> = printed.lines().collect();
            assert!(agrees(&expected.lines().collect::<Vec<_>>(), &printed_lines), "{command}:\n{printed}");
        }
    }
}

/// The rows of the table of expressions, with what is written there.
#[test]
fn expressions_come_to_what_the_page_says() {
    let page = text("docs/src/how-to/measure-own-kernel.md");
    let table = page.lines().skip_while(|line| *line != "## Expressions").skip_while(|line| !line.starts_with("| `"));
    let scope = Scope::new([("n", 1000.0), ("i", 10.0)]);
    let mut rows = 0;
    for line in table.take_while(|line| line.starts_with('|')) {
        let mut cells = line.split('|').map(str::trim).skip(1);
        let expression = cells.next().and_then(|own| own.strip_prefix('`')?.strip_suffix('`')).expect("an expression");
        let parsed = Expression::parse(expression, &["n", "i"]).unwrap_or_else(|own| panic!("{line}: {}", own.problem));
        let told: f64 = cells.next().and_then(|own| own.parse().ok()).expect("a value");
        assert_eq!(parsed.value(&scope), Ok(told), "{line}");
        rows += 1;
    }
    assert_eq!(rows, 7);
}

/// `tests/kernels/compile.sh` writes the PTX anew.
#[test]
fn the_compiled_kernel_is_of_its_source() {
    let source = text("tests/kernels/transposition.cu");
    let hash = apbench::kernel::sha256(source.as_bytes());
    let first = text("tests/kernels/transposition.ptx").lines().next().unwrap_or_default().to_owned();
    assert!(
        first.contains(&hash),
        "tests/kernels/transposition.ptx is of another transposition.cu: {first}, not {hash}"
    );
}
