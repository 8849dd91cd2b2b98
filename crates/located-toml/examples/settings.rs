//! Reads the settings of a made-up program and prints all that is wrong with them:
//!
//!     cargo run -p located-toml --example settings -- crates/located-toml/examples/settings.toml

use std::path::Path;
use std::process::ExitCode;

use located_toml::file::FileKind;
use located_toml::problem::{Place, Problem, Problems, Source};
use located_toml::report::Sources;
use located_toml::section::Section;
use located_toml::{DocumentErrors, ReportStyle, walk};

const FILE: FileKind = FileKind {
    noun: "settings file",
    instead_of_directory: "give the file",
    where_missing: "there is one beside this example: settings.toml",
    least: "it must have a name: name = \"mine\"",
};

#[derive(Debug)]
struct Settings {
    name: String,
    threads: i64,
    colours: Vec<String>,
}

fn settings(root: &Section<'_>, problems: &mut Problems) -> Option<Settings> {
    root.deny_unknown("the settings", &["name", "threads", "colours"], problems, |_| None);
    let name = if let Some(field) = root.get("name") {
        field.line("\"mine\"", problems)
    } else {
        problems.push(Problem::new("the settings lack a `name`").help("for example: name = \"mine\"").absence());
        None
    };
    let threads = root.get("threads").map_or(Some(1), |field| field.integer(1, 1024, problems));
    let colours = root.get("colours").map_or(Some(Vec::new()), |field| field.texts("[\"red\"]", problems));
    Some(Settings { name: name?, threads: threads?, colours: colours?.into_iter().map(|(text, _)| text).collect() })
}

fn read(path: &Path) -> Result<Settings, DocumentErrors> {
    let text = FILE.read(path)?;
    let name = path.display().to_string();
    FILE.check(&name, &text)?;
    let root = Place::new(Source::File, 0..0);
    match walk(&text, |table, problems| settings(&Section::new(table, root), problems)) {
        (Some(settings), problems) if problems.is_empty() => Ok(settings),
        (_, problems) => Err(Sources::new(&name, &text, &[]).errors(problems)),
    }
}

fn main() -> ExitCode {
    let Some(path) = std::env::args().nth(1) else {
        eprintln!("usage: settings FILE.toml");
        return ExitCode::from(2);
    };
    match read(Path::new(&path)) {
        Ok(Settings { name, threads, colours }) => {
            println!("{name}: {threads} threads, colours: {}", colours.join(", "));
            ExitCode::SUCCESS
        }
        Err(errors) => {
            eprint!("{}", errors.report(ReportStyle::Plain, 100));
            ExitCode::FAILURE
        }
    }
}
