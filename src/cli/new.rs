//! `apbench new`: a scenario that describes a kernel of the user's, drafted from its text.

use std::fs::{self, OpenOptions};
use std::io::{ErrorKind, Read as _, Write as _};
use std::path::{Path, PathBuf};

use super::failure::{Failure, Status};
use super::headers;
use super::output::{line, width, wrapped_line};
use crate::draft::{Draft, Request, draft, made_up};
use crate::kernel::{Language, source_text, unreadable};
use crate::signature::{SOURCE_MOST_BYTES, kernels_and_instances};
use crate::unit;
use located_toml::regular_file;
use located_toml::words::and_list;

/// Options of `new`.
#[derive(Debug, clap::Args)]
pub(super) struct Arguments {
    /// Source of the kernel: CUDA C++, or PTX with the ending .ptx
    #[arg(value_name = "KERNEL")]
    source: PathBuf,
    /// Scenario to write; a file that is there is left alone [default: KERNEL.toml, beside the source]
    #[arg(long, value_name = "FILE.toml")]
    out: Option<PathBuf>,
    /// Describe only this kernel; several with the same arguments become variants [default: the first, and all that take the same]
    #[arg(long = "entry", value_name = "NAME")]
    entries: Vec<String>,
}

pub(super) fn run(arguments: &Arguments) -> Result<Status, Failure> {
    let source = &arguments.source;
    let wrong = |problem: String| Failure::Usage(format!("{}: {problem}", source.display()));
    let text = read(source).map_err(wrong)?;
    let language = Language::of(&source.to_string_lossy());
    if language == Language::Ptx {
        ptx_syntax::parse(&text).map_err(|errors| Failure::Usage(unreadable(source, &errors)))?;
    }
    let headers = headers::beside(source, &text);
    let kernels =
        kernels_and_instances(&text, language, &arguments.entries, &headers).map_err(|error| match error.line {
            Some(line) => Failure::Usage(format!("{}:{line}: {}", source.display(), error.problem)),
            None => wrong(error.problem),
        })?;
    let out = arguments.out.clone().unwrap_or_else(|| source.with_extension("toml"));
    let from_out = from_scenario(source, &out).map_err(wrong)?;
    let request =
        Request { kernels: &kernels, entries: &arguments.entries, source: &from_out, language, headers: &headers };
    let drafted = draft(request).map_err(wrong)?;
    write(&out, &drafted.text)?;
    Status::Success.unless_unheard(tell(&drafted, source, &out))
}

/// The text of the source.
fn read(path: &Path) -> Result<String, String> {
    if path.as_os_str() == "-" {
        return Err("the source must be a file, since the scenario names it".to_owned());
    }
    if path.is_dir() {
        return Err("is a directory; name the file of the kernel".to_owned());
    }
    let file = regular_file::open(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    })?;
    let mut bytes = Vec::new();
    file.take(SOURCE_MOST_BYTES + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() as u64 > SOURCE_MOST_BYTES {
        return Err(format!("is larger than {}, the most that is read", unit::bytes(SOURCE_MOST_BYTES)));
    }
    source_text(bytes).ok_or_else(|| "is no UTF-8 text: a source is CUDA C++ (.cu) or PTX (.ptx)".to_owned())
}

/// The source's path from the scenario's directory.
fn from_scenario(source: &Path, out: &Path) -> Result<String, String> {
    let absolute = |path: &Path| std::path::absolute(path).map_err(|error| error.to_string());
    let (source, out) = (absolute(source)?, absolute(out)?);
    let folder = out.parent().unwrap_or(&out);
    let common = source.components().zip(folder.components()).take_while(|(one, other)| one == other).count();
    let up = folder.components().skip(common).map(|_| PathBuf::from(".."));
    let down = source.components().skip(common).map(|own| PathBuf::from(own.as_os_str()));
    let path: PathBuf = up.chain(down).collect();
    path.to_str().map(str::to_owned).ok_or_else(|| "the name is no UTF-8 text, which a scenario cannot have".to_owned())
}

/// The directory that a file is in.
fn folder_of(file: &Path) -> &Path {
    file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Writes a file that is not there yet.
fn write(out: &Path, text: &str) -> Result<(), Failure> {
    let mut file = OpenOptions::new().write(true).create_new(true).open(out).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Failure::Usage(format!(
            "{} is there already and is left alone; name another file with --out",
            out.display()
        )),
        ErrorKind::NotFound if !folder_of(out).is_dir() => {
            Failure::Usage(format!("{}: there is no such directory", out.display()))
        }
        ErrorKind::NotFound | ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem => Failure::Usage(format!(
            "{}: no file can be written to that directory; name another file with --out",
            out.display()
        )),
        _ => Failure::Other(format!("{}: {error}", out.display())),
    })?;
    file.write_all(text.as_bytes()).map_err(|error| {
        // Half a scenario is of no use.
        let _ = fs::remove_file(out);
        Failure::Other(format!("{}: {error}", out.display()))
    })
}

fn tell(drafted: &Draft, source: &Path, out: &Path) -> Result<(), Failure> {
    let names: Vec<&str> = drafted.kernels.iter().map(String::as_str).collect();
    wrapped_line("", &format!("{} describes {}", out.display(), and_list(&names)))?;
    for missing in &drafted.missing {
        wrapped_line("does not run as it is: ", missing)?;
    }
    if !drafted.guesses.is_empty() {
        line("guessed, to be checked in the lines below CHECK:")?;
        drafted.guesses.iter().try_for_each(|own| wrapped_line("  ", own))?;
        let made_up = made_up(&drafted.text);
        if !made_up.is_empty() {
            wrapped_line("  ", &format!("contents, which decide what is counted: {}", and_list(&made_up)))?;
        }
    }
    if !drafted.others.is_empty() {
        line("left out, since they take other arguments:")?;
        for name in &drafted.others {
            let command =
                format!("apbench new {} --entry {} --out NAME.toml", shell(&source.display().to_string()), shell(name));
            line(format!("  {name}: {command}"))?;
        }
    }
    let out = shell(&out.display().to_string());
    line("next:")?;
    let commands = [
        (format!("apbench verify {out} --device sim:h200"), "finds accesses outside of buffers, and races"),
        (format!("apbench sweep {out} --device sim:h200"), "measures it on a simulated GPU"),
        (format!("apbench diagnose {out} --device sim:h200"), "says which line costs what"),
    ];
    let longest = commands.iter().map(|(command, _)| command.chars().count()).max().unwrap_or(0);
    let beside = |(command, does): &(String, &str)| format!("  {command:<longest$}     {does}");
    if commands.iter().all(|own| beside(own).chars().count() <= usize::from(width())) {
        return Ok(commands.iter().try_for_each(|own| line(beside(own)))?);
    }
    // Commands stay whole, to be copied.
    for (command, does) in &commands {
        line(format!("  {command}"))?;
        wrapped_line("      ", does)?;
    }
    Ok(())
}

/// A word of a command, in quotes where a shell needs them.
pub(super) fn shell(word: &str) -> String {
    let is_plain = |letter: char| letter.is_ascii_alphanumeric() || "_-./:+,=".contains(letter);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}
