//! The page about kernels of one's own: its commands print what it shows.

use std::fs;

use tempfile::TempDir;

use super::markdown::{blocks, text};

#[path = "../../../crates/gpu-simulator/examples/launch/advice.rs"]
mod advice;
#[path = "../../../crates/gpu-simulator/examples/launch/command.rs"]
mod command;

#[test]
fn a_kernel_of_ones_own_runs_as_the_page_shows() {
    let page = text("docs/src/how-to/own-kernel.md");
    let blocks = blocks(&page);
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("twice.ptx").display().to_string();
    let kernel = blocks.iter().find(|block| block.language == "ptx").expect("the page has a kernel");
    fs::write(&path, kernel.lines.join("\n")).unwrap();
    let consoles: Vec<_> = blocks.iter().filter(|block| block.language == "console").collect();
    assert_eq!(consoles.len(), 2);
    for console in consoles {
        let (command, shown) = console.lines.split_first().expect("a command");
        let words =
            command.strip_prefix("$ cargo run -q -p gpu-simulator --example launch -- twice.ptx ").expect(command);
        let words = std::iter::once(path.clone()).chain(words.split_whitespace().map(str::to_owned));
        let printed = command::run(words).unwrap_or_else(|error| error.to_string()).replace(&path, "twice.ptx");
        assert_eq!(printed.trim_end(), shown.join("\n"), "{command}");
    }
}
