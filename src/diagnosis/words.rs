//! Findings in words.

use super::{Counted, Finding, Kind, PointDiagnosis};
use crate::kernel::demangled;
use crate::unit;

/// A kernel's name as its source has it.
pub fn source_name(kernel: &str) -> String {
    demangled(kernel).unwrap_or_else(|| kernel.to_owned())
}

/// What a finding is, and what was counted: `uncoalesced store: 32.0 sectors a request, 4.0 would do`.
pub fn title(finding: &Finding) -> String {
    let counted = counted(finding.kind, &finding.counted);
    format!("{}: {counted}", named(finding))
}

/// Its pattern, with the buffer where the line has others.
pub fn named(finding: &Finding) -> String {
    let of = finding.counted.buffer.map_or(String::new(), |buffer| format!(" of {buffer}"));
    format!("{}{of}", finding.kind.title())
}

/// What was counted, in words.
pub fn counted(kind: Kind, counted: &Counted) -> String {
    let Counted { executions, affected, accesses, ways, atomics, atomics_at_one_address, warps, wait_us, .. } = counted;
    let per_request = (accesses.per_request(), accesses.least_per_request());
    match kind {
        Kind::UncoalescedLoad | Kind::UncoalescedStore => {
            let (own, least) = per_request;
            format!("{own:.1} sectors a request, {least:.1} would do")
        }
        Kind::BankConflictLoad | Kind::BankConflictStore => {
            let (own, least) = per_request;
            format!("{own:.1} passes a request, {least:.1} would do")
        }
        Kind::Divergence => {
            let part = percent_of(affected / executions.max(1.0));
            let lines: Vec<String> = ways.iter().map(u32::to_string).collect();
            let to = match lines.as_slice() {
                [] => String::new(),
                [one] => format!("; one way goes on at line {one}"),
                several => format!("; the ways go on at lines {}", several.join(", ")),
            };
            format!("lanes of a warp part in {part} of {}{to}", counts(*executions, "execution"))
        }
        Kind::BarrierWait => {
            let barriers = affected / warps.max(1.0);
            let each = if barriers > 1.0 { " each" } else { "" };
            let wait = wait_us.map(|us| format!(", for {}{each} on average", unit::time_us_to(us, 2)));
            format!("each warp waits at {}{}", counts(barriers, "barrier"), wait.unwrap_or_default())
        }
        Kind::UnevenWork => {
            let passes = affected * counted.blocks / warps.max(1.0);
            let gpu_simulator::BeforeBarrier { mean, most } = counted.before_barrier;
            let passes = passes.max(1.0);
            format!(
                "the busiest warp of a block executes {} before it, a block's warps {} on average",
                counts((most / passes).round(), "instruction"),
                counts((mean / passes).round(), "instruction").trim_end_matches(" instructions")
            )
        }
        Kind::AtomicContention => {
            let (all, met) = *atomics;
            let lanes = all / (all - met).max(1.0);
            let most = if *atomics_at_one_address > 0.0 {
                format!("{} at the most wanted address, ", counts(*atomics_at_one_address, "atomic"))
            } else {
                String::new()
            };
            let place = if counted.is_shared { "address of shared memory" } else { "one" };
            let added_up = counted.atomics_added_up;
            let merged = if added_up > 0.0 {
                let part = percent_of(added_up / (all + added_up));
                format!(" ({part} of all were added up on the way there)")
            } else {
                String::new()
            };
            format!("{most}{lanes:.1} lanes of a warp at the same {place}{merged}")
        }
        Kind::Fence => format!("each warp waits at {}", counts(affected / warps.max(1.0), "fence")),
        Kind::IdleThreads => {
            let (threads, blocks) = (counted.idle.0.round(), counted.idle.1.round());
            let part = percent_of(counted.idle.0 / counted.threads.max(1.0));
            let whole =
                if blocks >= 1.0 { format!(", {} among them", counts(blocks, "whole block")) } else { String::new() };
            format!("{} ({part}) leave here without having accessed memory{whole}", counts(threads, "thread"))
        }
        Kind::Division => {
            let (each, part) = (
                counted.division_issued / affected.max(1.0),
                counted.division_issued / counted.issued_by_kernel.max(1.0),
            );
            let (times, part) = (counts(*affected, "execution"), percent_of(part));
            format!("{times} of {each:.0} machine instructions each, {part} of the kernel's")
        }
        Kind::ConstantPlaces => {
            let constant = &counted.constant;
            format!("{:.1} places a load, 1 would do, of {}", constant.places_each(), counts(constant.loads, "load"))
        }
        Kind::LocalMemory => format!("{} to memory of the threads' own", counts(accesses.requests, "request")),
    }
}

/// A part of 1 in percent, none of which is rounded to nothing or to all.
fn percent_of(part: f64) -> String {
    match 1e2 * part {
        few if few > 0.0 && few < 1.0 => "less than 1 %".to_owned(),
        most if most > 99.0 && most < 100.0 => "more than 99 %".to_owned(),
        some => format!("{some:.0} %"),
    }
}

/// From which on parts of a count say nothing.
const COUNTED_WHOLE_FROM: f64 = 100.0;

/// A count as people read it, with its noun.
pub fn counts(count: f64, noun: &str) -> String {
    let is_whole = (count - count.round()).abs() < 0.05 || count >= COUNTED_WHOLE_FROM;
    let number = if is_whole { format!("{:.0}", count.round()) } else { format!("{count:.1}") };
    let digits = number.split('.').next().unwrap_or_default().len();
    let number = if digits > 3 && !number.contains('.') { grouped(&number) } else { number };
    format!("{number} {noun}{}", if number == "1" { "" } else { "s" })
}

/// Digits in groups of three.
fn grouped(digits: &str) -> String {
    let mut grouped = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped
}

/// How much faster something is: `4.0 times as fast`, and of small gains `3 % less time`.
pub fn gain(before_us: f64, after_us: f64) -> String {
    let times = before_us / after_us;
    if times >= SMALL_GAIN {
        return format!("{} times as fast", unit::significant(times, 2));
    }
    format!("{:.0} % less time", 1e2 * (1.0 - after_us / before_us).max(0.0))
}

/// From how many times as long on something takes longer.
const LONGER: f64 = 1.02;
/// From how many times as fast on a gain is told so.
const SMALL_GAIN: f64 = 1.15;

/// That a pattern costs nothing, and why.
pub fn hidden(finding: &Finding, point: &PointDiagnosis) -> String {
    let part = finding.price.map_or(0.0, |price| 1e2 * price.us / point.time_us);
    if finding.kind == Kind::Divergence && point.bound == "issue" {
        return format!(
            "costs {} here: its ways are short, or branches inside them part the lanes as well",
            small_part(part)
        );
    }
    let limit = limit(point.bound);
    let is_access = matches!(finding.kind, Kind::UncoalescedLoad | Kind::UncoalescedStore);
    if let Some(price) = finding.price.filter(|price| price.without_us > point.time_us * LONGER) {
        let why =
            if is_access { ", since each access waits for memory where now it finds a part in a cache" } else { "" };
        let without = unit::time_us_to(price.without_us, 3);
        return format!("costs nothing here: without it alone the launches take longer ({without}){why}");
    }
    format!("costs {} here: {limit}", small_part(part))
}

/// What bounds the launches; and how many multiprocessors it bounds where others have nothing to do.
pub fn bound(point: &PointDiagnosis) -> String {
    match point.busy_multiprocessors {
        Some((busy, all)) => format!("{} (with {busy} of {all} multiprocessors)", point.bound),
        None => point.bound.to_owned(),
    }
}

/// What keeps a launch from ending sooner, in words.
fn limit(bound: &str) -> &'static str {
    match bound {
        "memory" => "memory is the limit",
        "shared" => "passes of shared memory are the limit",
        "constant" => "reads of constant memory are the limit",
        "issue" => "issuing instructions is the limit",
        "barrier" => "barriers are the limit",
        "atomics" => "atomics are the limit",
        "launch" => "launching is the limit",
        "block starts" => "how fast blocks begin is the limit",
        _ => "waiting for results is the limit",
    }
}

/// How many times as much laws and a simulation may say before it is told which to believe.
const AGREE: f64 = 2.0;

/// Which to believe of a cost and of what the laws of a GPU say of it, where they are far apart.
pub fn disagreement(finding: &Finding, by_laws_us: f64, price_us: f64, point: &PointDiagnosis) -> Option<String> {
    let times = by_laws_us / price_us.max(f64::MIN_POSITIVE);
    let why = if times > AGREE {
        format!("something else hides the rest here: {}", limit(point.bound))
    } else if times * AGREE >= 1.0 {
        return None;
    } else if finding.kind == Kind::AtomicContention {
        "the law has the turns at the most wanted address alone, and those at its neighbours wait as well".to_owned()
    } else {
        "the law is of a kernel in which more of it overlaps than here".to_owned()
    };
    Some(format!("believe the cost above, since {why}"))
}

/// That not all launches were simulated.
pub fn some_launches(some: usize, all: usize) -> String {
    format!("{some} of its {all} launches were simulated, evenly apart: simulated times are of these together")
}

/// That a part of what is saved without all patterns is in none of their prices.
pub fn only_together(time: &str) -> String {
    format!("{time} of that gain come only where several patterns are removed together; no cost above has them")
}

/// That no pattern costs much, and what does instead.
pub fn nothing_pays(point: &PointDiagnosis) -> String {
    // Neither hides anything from a kernel that a multiprocessor's own units keep busy.
    let may_be_hidden = point.is_small && matches!(point.bound, "memory" | "latency" | "launch");
    let why = if may_be_hidden {
        "at this size launching or the L2 cache hides much of what patterns cost; --set asks for a larger one"
    } else {
        limit(point.bound)
    };
    format!("no pattern costs 2 % of the time or more: {why}")
}

/// A part below 2 %, in percent, of which none is told as 2 %.
fn small_part(part_pct: f64) -> String {
    if part_pct < 0.05 {
        return "less than 0.1 %".to_owned();
    }
    format!("{} %", unit::decimals((10.0 * part_pct).floor().max(1.0) / 10.0, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn point() -> PointDiagnosis {
        PointDiagnosis::of_time(10.0, "shared")
    }

    #[test]
    fn a_bound_of_few_multiprocessors_is_told_as_theirs() {
        let mut point = point();
        assert_eq!(bound(&point), "shared");
        point.busy_multiprocessors = Some((8, 132));
        assert_eq!(bound(&point), "shared (with 8 of 132 multiprocessors)");
    }

    #[test]
    fn counts_are_read_at_once() {
        for (count, expected) in [
            (1.0, "1 barrier"),
            (3_203_326.9, "3,203,327 barriers"),
            (2.5, "2.5 barriers"),
            (0.0, "0 barriers"),
            (1_048_576.0, "1,048,576 barriers"),
        ] {
            assert_eq!(counts(count, "barrier"), expected);
        }
    }

    #[test]
    fn it_is_told_which_to_believe_where_laws_are_far_from_the_cost() {
        let finding = |kind| Finding {
            kernel: "k",
            kind,
            place: super::super::Place { file: String::new(), line: 1, text: String::new() },
            ptx_lines: Vec::new(),
            counted: Counted::default(),
            price: None,
            by_laws_us: None,
            remedy: String::new(),
        };
        let point = point();
        let told = |kind, by_laws_us, price_us| disagreement(&finding(kind), by_laws_us, price_us, &point);
        assert_eq!(told(Kind::BankConflictLoad, 1.9, 1.0), None);
        assert_eq!(told(Kind::BankConflictLoad, 0.51, 1.0), None);
        let hidden = told(Kind::BankConflictLoad, 2.1, 1.0).unwrap();
        assert!(hidden.contains("believe the cost above") && hidden.contains("passes of shared memory"), "{hidden}");
        assert!(told(Kind::AtomicContention, 0.07, 1.0).unwrap().contains("most wanted address alone"));
        assert!(told(Kind::BarrierWait, 0.07, 1.0).unwrap().contains("overlaps"));
        assert!(told(Kind::BarrierWait, 1.0, 0.0).is_some());
    }

    #[test]
    fn kernels_have_the_names_of_their_source() {
        assert_eq!(source_name("_Z15transpose_tiledILi32EEvPfPKfi"), "transpose_tiled<32>");
        assert_eq!(source_name("plain"), "plain");
    }
}
