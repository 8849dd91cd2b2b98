//! Reads the times of `rounds.csv` row by row: what comparisons take of it, in the memory of that alone.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom};
use std::path::Path;

use csv::ByteRecord;

use super::embedded::Embedded;
use super::reader::{cache, finite};
use super::{ROUNDS_FILE, RunError};
use crate::device::Cache;
use crate::record::{ROUND_COLUMNS, ROUND_SAMPLES_MOST, TIMES_BELOW_US};
use crate::unit::plain;
use located_toml::regular_file;

/// The times of a round.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct RoundTime {
    /// The caches before its samples.
    pub cache: Cache,
    /// Its number, from 0.
    pub round: usize,
    /// The median of its samples.
    pub time_us: f64,
    /// Their mean without the smallest and the largest tenth.
    pub trimmed_us: f64,
}

/// The times of a run's rounds by the numbers of their points; none where it has no `rounds.csv`. A run that is not on the
/// disk may come with the program. A last row that is cut off is left aside with a note.
///
/// # Errors
/// When the file cannot be read, a row is malformed, or a round is there twice; the message names file and line.
pub fn read_round_times(directory: &Path, notes: &mut Vec<String>) -> Result<HashMap<usize, Vec<RoundTime>>, RunError> {
    let path = directory.join(ROUNDS_FILE);
    if let Some(own) = Embedded::meant(directory) {
        let text = own.text(ROUNDS_FILE)?;
        return text.map_or_else(|| Ok(HashMap::new()), |text| parse_round_times(&path, text.as_bytes(), true, notes));
    }
    if !path.exists() {
        return Ok(HashMap::new());
    }
    let mut file = regular_file::open(&path).map_err(RunError::io(&path))?;
    let is_whole = ends_in_line_end(&mut file).map_err(RunError::io(&path))?;
    let rows = ShortLines { file: BufReader::new(file), since_line_end: 0 };
    parse_round_times(&path, rows, is_whole, notes)
}

/// The longest row that is read: those of a run are of some 200 bytes, and a reader of CSV holds a row in memory.
const ROW_BYTES_MOST: usize = 1 << 20;

/// What is read of a file whose lines are short.
struct ShortLines<R> {
    file: R,
    since_line_end: usize,
}

impl<R: Read> Read for ShortLines<R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let count = self.file.read(buffer)?;
        match buffer[..count].iter().rposition(|byte| *byte == b'\n') {
            Some(end) => self.since_line_end = count - end - 1,
            None => self.since_line_end += count,
        }
        if self.since_line_end > ROW_BYTES_MOST {
            let problem = format!("has a row of more than {} MiB", ROW_BYTES_MOST >> 20);
            return Err(std::io::Error::new(std::io::ErrorKind::InvalidData, problem));
        }
        Ok(count)
    }
}

fn ends_in_line_end(file: &mut File) -> std::io::Result<bool> {
    let length = file.metadata()?.len();
    let mut last = [b'\n'];
    if length > 0 {
        file.seek(SeekFrom::Start(length - 1))?;
        file.read_exact(&mut last)?;
    }
    file.seek(SeekFrom::Start(0))?;
    Ok(last == [b'\n'])
}

/// The same of a text; `is_whole` where it ends with a line's end.
///
/// # Errors
/// When a row is malformed, or a round is there twice; the message names the line.
pub fn parse_round_times(
    path: &Path,
    text: impl Read,
    is_whole: bool,
    notes: &mut Vec<String>,
) -> Result<HashMap<usize, Vec<RoundTime>>, RunError> {
    // Rows of other lengths are looked at below: the last one may be cut off.
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text);
    let wrong =
        |error: &csv::Error| RunError::malformed(path, error.position().map(csv::Position::line), error.to_string());
    let header = reader.byte_headers().map_err(|error| wrong(&error))?.clone();
    let columns: Vec<String> = header.iter().map(|name| String::from_utf8_lossy(name).into_owned()).collect();
    if !columns.iter().take(ROUND_COLUMNS.len()).eq(ROUND_COLUMNS.iter()) {
        let problem = format!("the columns are not those of a run: expected {}", ROUND_COLUMNS.join(", "));
        return Err(RunError::malformed(path, Some(1), problem));
    }
    let mut by_point: HashMap<usize, Vec<RoundTime>> = HashMap::new();
    let (mut row, mut before) = (ByteRecord::new(), None::<ByteRecord>);
    loop {
        let is_row = reader.read_byte_record(&mut row).map_err(|error| wrong(&error))?;
        if let Some(complete) = before.replace(row.clone()).filter(|_| is_row || is_whole) {
            let line = complete.position().map(csv::Position::line);
            add(&complete, columns.len(), &mut by_point).map_err(|problem| RunError::malformed(path, line, problem))?;
        }
        if !is_row {
            break;
        }
    }
    if !is_whole {
        notes.push(format!("{}: the last row is cut off and is ignored", path.display()));
    }
    Ok(by_point)
}

/// The line of a round's row, where the file is on the disk.
pub(super) fn line_of_round(path: &Path, point: usize, cache: Cache, round: usize) -> Option<u64> {
    let wanted = [point.to_string(), cache.name().to_owned(), round.to_string()];
    let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(regular_file::open(path).ok()?);
    let mut rows = reader.byte_records().map_while(Result::ok);
    let row = rows.find(|row| row.iter().take(wanted.len()).eq(wanted.iter().map(String::as_bytes)))?;
    row.position().map(csv::Position::line)
}

/// How far a cell with four decimals is from its number.
const ROUNDED_US: f64 = 0.000_051;

fn add(row: &ByteRecord, columns: usize, by_point: &mut HashMap<usize, Vec<RoundTime>>) -> Result<(), String> {
    if row.len() != columns {
        return Err(format!("has {} cells, expected {columns}", row.len()));
    }
    let cell = |name: &str| {
        let index = ROUND_COLUMNS.iter().position(|own| *own == name);
        let bytes = index.and_then(|index| row.get(index)).unwrap_or_default();
        std::str::from_utf8(bytes).map_err(|_| format!("{name} is not UTF-8 text"))
    };
    let count = |name: &str| {
        let text = cell(name)?;
        text.parse::<usize>().map_err(|_| format!("{name} is `{text}`, expected a whole number"))
    };
    let number = |name: &str| match finite(name, cell(name)?)? {
        time_us if time_us >= TIMES_BELOW_US => {
            Err(format!("{name} is {}, expected a time below {TIMES_BELOW_US:e}", plain(time_us)))
        }
        time_us if time_us > 0.0 => Ok(time_us),
        time_us => Err(format!("{name} is {}, expected a number above zero", plain(time_us))),
    };
    let (point, round) = (count("point")?, count("round")?);
    let samples = count("samples")?;
    if !(1..=ROUND_SAMPLES_MOST).contains(&samples) {
        return Err(format!("samples is {samples}, expected a whole number from 1 to {ROUND_SAMPLES_MOST}"));
    }
    let time = RoundTime {
        cache: cache(cell("cache")?)?,
        round,
        time_us: number("time_us")?,
        trimmed_us: number("trimmed_us")?,
    };
    // Half of the samples are no less than their median, with the tenths at both ends and without.
    // Hot samples are differences, which need not be above zero.
    if time.cache == Cache::Cold && time.trimmed_us < time.time_us / 2.0 - ROUNDED_US {
        let (trimmed, median) = (plain(time.trimmed_us), plain(time.time_us));
        return Err(format!("trimmed_us is {trimmed}, expected at least half of time_us, {median}"));
    }
    let rounds = by_point.entry(point).or_default();
    // A round that is there twice would count as two observations.
    if rounds.iter().rev().any(|own| own.round == round && own.cache == time.cache) {
        return Err(format!("round {round} of point {point} is there twice ({} samples)", time.cache.name()));
    }
    rounds.push(time);
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    const HEADER: &str = "point,cache,round,samples,time_us,trimmed_us,clock_mhz,temperature_c,power_w,sm_clock_mhz,memory_clock_mhz,throttle_reasons,flags\n";

    /// Rounds by point, and notes.
    type Parsed = (HashMap<usize, Vec<RoundTime>>, Vec<String>);

    fn parse(rows: &str) -> Result<Parsed, String> {
        let text = format!("{HEADER}{rows}");
        let mut notes = Vec::new();
        let parsed = parse_round_times(Path::new("rounds.csv"), text.as_bytes(), text.ends_with('\n'), &mut notes);
        parsed.map(|rounds| (rounds, notes)).map_err(|error| error.to_string())
    }

    #[test]
    fn rounds_are_gathered_by_point() {
        let (rounds, notes) =
            parse("0,cold,0,64,10,10.5,,,,,,,\n1,hot,0,64,3,3,,,,,,,\n0,cold,1,64,11,11.5,,,,,,,\n").unwrap();
        assert_eq!(rounds[&0].iter().map(|round| round.trimmed_us).collect::<Vec<_>>(), [10.5, 11.5]);
        assert_eq!((rounds[&1][0].cache, notes.len()), (Cache::Hot, 0));
    }

    #[test]
    fn a_last_row_that_is_cut_off_is_left_aside() {
        for cut in ["0,cold,1,64,1", "0,cold,1,64,11,11.5,,,,,,,", "0"] {
            let (rounds, notes) = parse(&format!("0,cold,0,64,10,10.5,,,,,,,\n{cut}")).unwrap();
            assert_eq!((rounds[&0].len(), notes.len()), (1, 1), "{cut}");
        }
        assert_eq!(parse("").unwrap().0.len(), 0);
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line() {
        let good = "0,cold,0,64,10,10.5,,,,,,,\n";
        for (row, told) in [
            ("0,cold,1\n", "rounds.csv:3: has 3 cells, expected 13"),
            ("0,cold,0,64,10,10.5,,,,,,,\n", "rounds.csv:3: round 0 of point 0 is there twice (cold samples)"),
            ("0,cold,1,64,NaN,10.5,,,,,,,\n", "rounds.csv:3: time_us is `NaN`, expected a number"),
            ("0,cold,1,64,10,inf,,,,,,,\n", "rounds.csv:3: trimmed_us is `inf`, expected a number"),
            ("0,cold,1,64,-1,10,,,,,,,\n", "rounds.csv:3: time_us is -1, expected a number above zero"),
            ("0,cold,1,64,10,0,,,,,,,\n", "rounds.csv:3: trimmed_us is 0, expected a number above zero"),
            ("0,cold,1,64,10,1e300,,,,,,,\n", "rounds.csv:3: trimmed_us is 1e300, expected a time below 1e12"),
            ("0,cold,1,64,10,4.9,,,,,,,\n", "rounds.csv:3: trimmed_us is 4.9, expected at least half of time_us, 10"),
            ("0,cold,1,0,10,10,,,,,,,\n", "rounds.csv:3: samples is 0, expected a whole number from 1 to 64"),
            ("0,cold,1,999,10,10,,,,,,,\n", "rounds.csv:3: samples is 999, expected a whole number from 1 to 64"),
            ("0,warm,1,64,10,10,,,,,,,\n", "rounds.csv:3: cache is `warm`, expected cold or hot"),
        ] {
            assert_eq!(parse(&format!("{good}{row}")).unwrap_err(), told);
        }
    }
}
