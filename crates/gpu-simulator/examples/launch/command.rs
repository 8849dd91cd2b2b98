//! What the example does, from the words of its command line to the text that it prints.

use std::error::Error;
use std::fmt::Write as _;
use std::str::FromStr;

use gpu_simulator::{Argument, Grid, LaunchError, Machine, Memory, Profile};
use located_toml::ReportStyle;
use ptx_syntax::PtxErrors;

/// Bytes that all buffers together may have; the simulated GPU keeps them in this machine's memory.
const BUFFERS_BYTES_MAX: usize = 1 << 30;
/// Bytes of a word.
const WORD_BYTES: usize = 4;

const USAGE: &str = "usage: launch FILE.ptx ENTRY [--grid X,Y,Z] [--block X,Y,Z] [--shared BYTES] [--cooperative] \
                     [--profile h200|a100|gtx280|8500gt|FILE.toml] [--argument TYPE:VALUE]... [--print INDEX]...";

/// What is asked for on the command line.
struct Request {
    path: String,
    entry: String,
    grid: Grid,
    profile: String,
    arguments: Vec<String>,
    /// Arguments whose buffers are printed afterwards.
    printed: Vec<usize>,
}

fn number<T: FromStr>(text: &str, what: &str) -> Result<T, Box<dyn Error>> {
    text.parse().map_err(|_| format!("`{text}` is not {what}").into())
}

/// `4`, `4,2` or `4,2,1`.
fn extents(text: &str) -> Result<[u32; 3], Box<dyn Error>> {
    let mut extents = [1; 3];
    let parts: Vec<&str> = text.split(',').collect();
    if parts.len() > extents.len() {
        return Err(format!("`{text}` has more than three extents").into());
    }
    for (extent, part) in extents.iter_mut().zip(parts) {
        *extent = number(part, "a number of blocks or threads")?;
    }
    Ok(extents)
}

impl Request {
    fn read(mut words: impl Iterator<Item = String>) -> Result<Self, Box<dyn Error>> {
        let (Some(path), Some(entry)) = (words.next(), words.next()) else { return Err(USAGE.into()) };
        let (grid, profile) = (Grid::linear(1, 32), "h200".to_owned());
        let mut request = Self { path, entry, grid, profile, arguments: Vec::new(), printed: Vec::new() };
        while let Some(option) = words.next() {
            if option == "--cooperative" {
                request.grid.cooperative = true;
                continue;
            }
            let value = words.next().ok_or_else(|| format!("{option} needs a value\n{USAGE}"))?;
            match option.as_str() {
                "--grid" => request.grid.blocks = extents(&value)?,
                "--block" => request.grid.threads = extents(&value)?,
                "--shared" => request.grid.dynamic_shared_bytes = number(&value, "a number of bytes")?,
                "--profile" => request.profile = value,
                "--argument" => request.arguments.push(value),
                "--print" => request.printed.push(number(&value, "the index of an argument, from 0")?),
                _ => return Err(format!("there is no option {option}\n{USAGE}").into()),
            }
        }
        Ok(request)
    }
}

/// The bytes of the words of `1,2,3*8`, if they are no more than `most`.
fn words(text: &str, most: usize) -> Result<Vec<u8>, Box<dyn Error>> {
    let (list, count) = text.split_once('*').map_or((text, None), |(list, count)| (list, Some(count)));
    let words: Vec<u32> = list.split(',').map(|word| number(word, "a word")).collect::<Result<_, _>>()?;
    let count = count.map_or(Ok(words.len()), |count| number(count, "a number of words"))?;
    within(count.saturating_mul(WORD_BYTES), most)?;
    Ok(words.iter().copied().cycle().take(count).flat_map(u32::to_le_bytes).collect())
}

/// The bytes, if they are no more than `most`.
fn within(bytes: usize, most: usize) -> Result<usize, Box<dyn Error>> {
    if bytes > most {
        let all = BUFFERS_BYTES_MAX >> 20;
        return Err(format!("a buffer of {bytes} bytes is too large: all buffers together may have {all} MiB").into());
    }
    Ok(bytes)
}

/// The argument, and the address of its buffer if it is one, which may take so many bytes of those left.
fn argument(text: &str, memory: &mut Memory, left: &mut usize) -> Result<(Argument, Option<u64>), Box<dyn Error>> {
    let (kind, value) = text.split_once(':').ok_or_else(|| format!("`{text}` is no argument such as u32:5"))?;
    let plain = match kind {
        "u32" => Argument::from(number::<u32>(value, "a u32")?),
        "s32" => Argument::from(number::<i32>(value, "an s32")?),
        "u64" => Argument::from(number::<u64>(value, "a u64")?),
        "f32" => Argument::from(number::<f32>(value, "an f32")?),
        "f64" => Argument::from(number::<f64>(value, "an f64")?),
        "buffer" | "words" => {
            let bytes = match kind {
                "buffer" => vec![0; within(number(value, "a number of bytes")?, *left)?],
                _ => words(value, *left)?,
            };
            *left = left.saturating_sub(bytes.len());
            let address = memory.add(text, bytes);
            return Ok((address.into(), Some(address)));
        }
        _ => return Err(format!("`{kind}` is none of u32, s32, u64, f32, f64, buffer and words").into()),
    };
    Ok((plain, None))
}

/// What is wrong, with the line of the text that it is about.
fn explained(error: &LaunchError, text: &str) -> String {
    let line = match error {
        LaunchError::Fault(fault) => fault.line,
        _ => 0,
    };
    let source = text.lines().nth((line as usize).wrapping_sub(1)).map(str::trim);
    source.map_or(error.to_string(), |source| format!("{error}\n  line {line}: {source}"))
}

/// Does what the words of the command line ask for; what is to be printed.
pub(crate) fn run(words: impl Iterator<Item = String>) -> Result<String, Box<dyn Error>> {
    let request = Request::read(words)?;
    let text = std::fs::read_to_string(&request.path).map_err(|error| format!("{}: {error}", request.path))?;
    let in_file = |errors: PtxErrors| format!("{}:\n{errors}", request.path);
    let module = ptx_syntax::parse(&text).map_err(in_file)?;
    let profile = Profile::load(&request.profile).map_err(|errors| errors.report(ReportStyle::Plain, 100))?;
    let machine = Machine::new(profile);
    let mut memory = Memory::default();
    let mut left = BUFFERS_BYTES_MAX;
    let arguments: Vec<(Argument, Option<u64>)> =
        request.arguments.iter().map(|text| argument(text, &mut memory, &mut left)).collect::<Result<_, _>>()?;
    let values: Vec<Argument> = arguments.iter().map(|(value, _)| value.clone()).collect();
    let report = machine
        .launch(&module, &request.entry, request.grid, &values, &mut memory)
        .map_err(|error| format!("{}: {}", request.path, explained(&error, &text)))?;
    let mut told = memory.printed();
    writeln!(told, "{} on the {}, simulated", request.entry, machine.profile().title)?;
    writeln!(told, "{:28} {:>14.3} µs", "time", report.time_us)?;
    writeln!(told, "{:28} {:>14}", "bound", report.bound.name())?;
    writeln!(told, "{:28} {:>14}", "blocks", report.blocks)?;
    writeln!(told, "{:28} {:>14}", "blocks_per_sm", report.blocks_per_sm)?;
    for (counter, value) in report.counts().texts().filter(|(_, value)| value != "0") {
        writeln!(told, "{:28} {value:>14} {}", counter.name, counter.unit)?;
    }
    for index in &request.printed {
        let buffer = arguments.get(*index).and_then(|(_, address)| memory.bytes((*address)?));
        let bytes = buffer.ok_or_else(|| format!("argument {index} is no buffer"))?;
        let words = bytes.chunks_exact(4).map(|word| u32::from_le_bytes([word[0], word[1], word[2], word[3]]));
        let words: Vec<String> = words.map(|word| word.to_string()).collect();
        writeln!(told, "argument {index}: {}", words.join(" "))?;
    }
    Ok(told)
}
