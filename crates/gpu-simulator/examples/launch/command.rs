//! What the example does, from the words of its command line to the text that it prints.

use std::error::Error;
use std::fmt::Write as _;
use std::str::FromStr;

use gpu_simulator::{Argument, Extent, Grid, KeptL2, LaunchError, Machine, Memory, Profile, Registers};
use located_toml::ReportStyle;
use ptx_syntax::PtxErrors;

use super::advice;

/// Bytes that all buffers together may have; the simulated GPU keeps them in this machine's memory.
const BUFFERS_BYTES_MAX: usize = 1 << 30;
/// Bytes of a word.
const WORD_BYTES: usize = 4;

const USAGE: &str = "\
usage: launch FILE.ptx KERNEL [OPTION]...

  --grid X,Y,Z               blocks of the grid (default 1)
  --block X,Y,Z              threads of a block (default 32)
  --shared BYTES             dynamic shared memory of a block
  --cooperative              a cooperative launch
  --gpu-profile PROFILE      h200 (default), a100, gtx280, 8500gt or FILE.toml
  --registers NUMBER         registers of a thread, as ptxas -v tells; estimated without it
  --launches NUMBER          launches one behind the other; the last one is told of
  --argument TYPE:VALUE      the next argument: u32:5, f32:0.5, buffer:4MiB, words:1,2,3*8, file:PATH,
                             bytes:00FF, struct:u32:5,f64:0.5
  --print INDEX              prints the buffer of an argument afterwards; the first argument is 0
  --save INDEX=FILE          writes it to a file
  --set NAME=TYPE:VALUE      writes to a variable of the module before the launch
  --show NAME                prints a variable afterwards

example: launch kernel.ptx add --grid 4096 --block 256 --argument buffer:4MiB --argument u32:1048576
";

/// What is asked for on the command line.
struct Request {
    path: String,
    entry: String,
    grid: Grid,
    profile: String,
    /// Registers of a thread, where they are known better than by the estimate.
    registers: Option<u32>,
    /// Launches, one behind the other; the last is the one that is told of.
    launches: u32,
    arguments: Vec<String>,
    /// Arguments whose buffers are printed afterwards.
    printed: Vec<usize>,
    /// Arguments whose buffers are written to files afterwards.
    saved: Vec<(usize, String)>,
    /// Variables with what they hold before the launch.
    set: Vec<(String, String)>,
    /// Variables that are printed afterwards.
    shown: Vec<String>,
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
        let mut request = Self {
            path,
            entry,
            grid,
            profile,
            registers: None,
            launches: 1,
            arguments: Vec::new(),
            printed: Vec::new(),
            saved: Vec::new(),
            set: Vec::new(),
            shown: Vec::new(),
        };
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
                "--gpu-profile" => request.profile = value,
                "--registers" => request.registers = Some(number(&value, "a number of registers")?),
                "--launches" => request.launches = number(&value, "a number of launches")?,
                "--argument" => request.arguments.push(value),
                "--print" => request.printed.push(number(&value, "the index of an argument, from 0")?),
                "--save" => {
                    let (index, path) =
                        value.split_once('=').ok_or_else(|| format!("`{value}` is nothing such as 0=FILE"))?;
                    request.saved.push((number(index, "the index of an argument, from 0")?, path.to_owned()));
                }
                "--set" => {
                    let (name, value) =
                        value.split_once('=').ok_or_else(|| format!("`{value}` is nothing such as table=words:1,2"))?;
                    request.set.push((name.to_owned(), value.to_owned()));
                }
                "--show" => request.shown.push(value),
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

/// The bytes of a number such as `u32:5`, of `bytes:00FF` or of `struct:u8:1,f64:0.5`; `None` of anything else.
fn bytes_of(kind: &str, value: &str) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    Ok(Some(match kind {
        "u8" => number::<u8>(value, "a u8")?.to_le_bytes().to_vec(),
        "s8" => number::<i8>(value, "an s8")?.to_le_bytes().to_vec(),
        "u16" => number::<u16>(value, "a u16")?.to_le_bytes().to_vec(),
        "s16" => number::<i16>(value, "an s16")?.to_le_bytes().to_vec(),
        "u32" => number::<u32>(value, "a u32")?.to_le_bytes().to_vec(),
        "s32" => number::<i32>(value, "an s32")?.to_le_bytes().to_vec(),
        "u64" => number::<u64>(value, "a u64")?.to_le_bytes().to_vec(),
        "s64" => number::<i64>(value, "an s64")?.to_le_bytes().to_vec(),
        "f32" => number::<f32>(value, "an f32")?.to_le_bytes().to_vec(),
        "f64" => number::<f64>(value, "an f64")?.to_le_bytes().to_vec(),
        "bytes" => {
            let wrong = || format!("`{value}` is not an even number of hexadecimal digits");
            if !value.len().is_multiple_of(2) || !value.bytes().all(|digit| digit.is_ascii_hexdigit()) {
                return Err(wrong().into());
            }
            let byte = |place: usize| u8::from_str_radix(&value[place..place + 2], 16).map_err(|_| wrong());
            (0..value.len()).step_by(2).map(byte).collect::<Result<_, _>>()?
        }
        "struct" => structure(value)?,
        _ => return Ok(None),
    }))
}

/// Fields one behind the other, each at a multiple of its size, and at the end as many zeros as an array of them needs.
fn structure(fields: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let (mut bytes, mut alignment) = (Vec::new(), 1);
    for field in fields.split(',') {
        let (kind, value) = field.split_once(':').ok_or_else(|| format!("`{field}` is no field such as u32:5"))?;
        let is_number = !matches!(kind, "bytes" | "struct");
        let own = if is_number { bytes_of(kind, value)? } else { None };
        let own = own.ok_or_else(|| format!("`{kind}` is no type of a field"))?;
        bytes.resize(bytes.len().next_multiple_of(own.len()), 0);
        alignment = alignment.max(own.len());
        bytes.extend(own);
    }
    bytes.resize(bytes.len().next_multiple_of(alignment), 0);
    Ok(bytes)
}

/// The bytes that a variable is set to.
fn contents(text: &str) -> Result<Vec<u8>, Box<dyn Error>> {
    let (kind, value) = text.split_once(':').ok_or_else(|| format!("`{text}` is no value such as u32:5"))?;
    match kind {
        "words" => words(value, BUFFERS_BYTES_MAX),
        _ => bytes_of(kind, value)?.ok_or_else(|| no_type(kind).into()),
    }
}

fn no_type(kind: &str) -> String {
    format!("`{kind}` is none of u8 to u64, s8 to s64, f32, f64, bytes, struct, buffer, words and file")
}

/// The words of a memory, or its bytes where they are no whole words.
fn told(bytes: &[u8]) -> String {
    let (words, rest) = bytes.as_chunks::<WORD_BYTES>();
    if rest.is_empty() {
        words.iter().map(|word| u32::from_le_bytes(*word).to_string()).collect::<Vec<_>>().join(" ")
    } else {
        bytes.iter().map(|byte| format!("{byte:02x}")).collect()
    }
}

/// The argument, and the address of its buffer if it is one, which may take so many bytes of those left.
fn argument(text: &str, memory: &mut Memory, left: &mut usize) -> Result<(Argument, Option<u64>), Box<dyn Error>> {
    let (kind, value) = text.split_once(':').ok_or_else(|| format!("`{text}` is no argument such as u32:5"))?;
    let plain = match kind {
        "buffer" | "words" | "file" => {
            let bytes = match kind {
                "buffer" => vec![0; within(advice::bytes(value)?, *left)?],
                "file" => {
                    let bytes = std::fs::read(value).map_err(|error| format!("{value}: {error}"))?;
                    within(bytes.len(), *left)?;
                    bytes
                }
                _ => words(value, *left)?,
            };
            *left = left.saturating_sub(bytes.len());
            let address = memory.add(text, bytes);
            return Ok((address.into(), Some(address)));
        }
        _ => bytes_of(kind, value)?.ok_or_else(|| no_type(kind))?,
    };
    Ok((Argument::from_bytes(plain), None))
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
    let words: Vec<String> = words.collect();
    if words.iter().any(|word| word == "--help" || word == "-h") {
        return Ok(USAGE.to_owned());
    }
    let request = Request::read(words.into_iter())?;
    let text = std::fs::read_to_string(&request.path).map_err(|error| format!("{}: {error}", request.path))?;
    let in_file = |errors: PtxErrors| format!("{}:\n{errors}", request.path);
    let module = ptx_syntax::parse(&text)
        .map_err(|errors| advice::no_ptx(&request.path, &text).unwrap_or_else(|| in_file(errors)))?;
    let entry = advice::kernel(&module, &request.entry).map_err(|problem| format!("{}: {problem}", request.path))?;
    let name = request.profile.strip_prefix("sim:").unwrap_or(&request.profile);
    let profile = Profile::load(name).map_err(|errors| errors.report(ReportStyle::Plain, 100))?;
    let machine = Machine::new(profile);
    let mut memory = Memory::default();
    let mut left = BUFFERS_BYTES_MAX;
    let arguments: Vec<(Argument, Option<u64>)> =
        request.arguments.iter().map(|text| argument(text, &mut memory, &mut left)).collect::<Result<_, _>>()?;
    advice::check(entry, &request.arguments)?;
    let values: Vec<Argument> = arguments.iter().map(|(value, _)| value.clone()).collect();
    let wrong = |error: LaunchError| format!("{}: {}", request.path, explained(&error, &text));
    let mut kernel = machine.load_for(&mut memory, &module, &request.entry).map_err(wrong)?;
    for (name, value) in &request.set {
        kernel.write_variable(&mut memory, name, &contents(value)?).map_err(wrong)?;
    }
    if let Some(per_thread) = request.registers {
        kernel = kernel.with_registers(Registers { per_thread, is_estimate: false });
    }
    let mut l2 = KeptL2::default();
    let mut run =
        || machine.run(&kernel, request.grid, &values, &mut memory, &mut l2, Extent::AllBlocks).map_err(wrong);
    for _ in 1..request.launches {
        run()?;
    }
    let report = run()?;
    let mut lines = memory.printed();
    if let Some(note) = advice::newer_target(&module, machine.profile().compute_capability) {
        writeln!(lines, "{note}")?;
    }
    writeln!(lines, "{} on the {}, simulated", request.entry, machine.profile().title)?;
    writeln!(lines, "{:28} {:>14.3} µs", "time", report.time_us)?;
    writeln!(lines, "{}", advice::error_of(name))?;
    writeln!(lines, "{:28} {:>14}", "bound", report.bound.name())?;
    writeln!(lines, "{:28} {:>14}", "blocks", report.blocks)?;
    writeln!(lines, "{:28} {:>14}", "blocks_per_sm", report.blocks_per_sm)?;
    for (counter, value) in report.counts().texts().filter(|(_, value)| value != "0") {
        writeln!(lines, "{:28} {value:>14} {}", counter.name, counter.unit)?;
    }
    let buffer = |index: usize| {
        let bytes = arguments.get(index).and_then(|(_, address)| memory.bytes((*address)?));
        bytes.ok_or_else(|| format!("argument {index} is no buffer"))
    };
    for index in &request.printed {
        writeln!(lines, "argument {index}: {}", told(&buffer(*index)?))?;
    }
    for (index, path) in &request.saved {
        std::fs::write(path, buffer(*index)?).map_err(|error| format!("{path}: {error}"))?;
    }
    for name in &request.shown {
        let bytes = kernel.variable(&memory, name).ok_or_else(|| format!("there is no variable {name}"))?;
        writeln!(lines, "{name}: {}", told(&bytes))?;
    }
    Ok(lines)
}
