//! The study's tables.

use crate::study::{choices, coverage, gates, percent, verdicts};

pub(super) fn coverage(seed: u64, runs: u64) {
    println!("\nHow often the 95 % interval of each parameter covers its true value\n");
    println!("| law | times | noise | parameters, in the law's order | with `--robust` |");
    println!("| --- | --- | --- | --- | --- |");
    for case in &coverage::CASES {
        for count in [8, 16, 32] {
            for error in [0.001, 0.01] {
                let told = |is_robust| {
                    let own = coverage::coverage(case, count, error, is_robust, seed, runs);
                    let covered = own.covered.iter().map(|covered| percent(*covered, own.fitted.max(1)));
                    covered.collect::<Vec<_>>().join(", ")
                };
                println!("| {} | {count} | {} % | {} | {} |", case.law, 100.0 * error, told(false), told(true));
            }
        }
    }
}

pub(super) fn verdicts(seed: u64, runs: u64) {
    println!("\nWhat is said of the law `branches`, a line\n");
    println!(
        "| times | predictors | noise | holds | holds, another form is better | fails or is undecided | misses a better form |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, time_us) in verdicts::CURVES {
        for count in [8, 16, 32] {
            for error in [0.001, 0.01] {
                let verdicts::Verdicts { holds, another_is_better, others, missed } =
                    verdicts::verdicts(time_us, count, error, seed, runs);
                let told = [holds, another_is_better, others, missed].map(|count| percent(count, runs));
                println!("| {name} | {count} | {} % | {} |", 100.0 * error, told.join(" | "));
            }
        }
    }
}

pub(super) fn choices(seed: u64, runs: u64) {
    println!("\nWhich form `auto` chooses, and how often the law `two_lines` is said to hold\n");
    println!("| times | predictors | noise | right form | others | `two_lines` holds |");
    println!("| --- | --- | --- | --- | --- | --- |");
    for case in &choices::CASES {
        for count in [7, 8, 16, 32] {
            for error in [0.001, 0.01] {
                let mut all = choices::choices(case, count, error, seed, runs);
                let right = all.remove(case.form).unwrap_or(0);
                let mut others: Vec<(u64, &str)> = all.into_iter().map(|(name, times)| (times, name)).collect();
                others.sort_unstable_by(|one, other| other.cmp(one));
                let told: Vec<String> =
                    others.iter().take(3).map(|(times, name)| format!("{name} {}", percent(*times, runs))).collect();
                let breaks = percent(choices::breaks(case, count, error, seed, runs), runs);
                let (right, others) = (percent(right, runs), told.join(", "));
                println!("| {} | {count} | {} % | {right} | {others} | {breaks} |", case.name, 100.0 * error);
            }
        }
    }
}

pub(super) fn gates(seed: u64, runs: u64) {
    println!("\nHow often two runs cross the gate `slower`\n");
    println!(
        "| rounds | of a point | runs of 1 point | runs of 3 points | runs of 24 points | runs of 224 points | promised |"
    );
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    // Of many points fewer pairs are made up: they take longer.
    let templates =
        [(1, runs), (3, runs), (24, runs), (224, runs / 5)].map(|(points, runs)| (gates::Template::new(points), runs));
    for case in &gates::CASES {
        let crossed = templates.each_ref().map(|(own, runs)| percent(gates::crossed(own, case, seed, *runs), *runs));
        let promised = match (case.is_promised, case.slower) {
            (false, _) => "nothing",
            (true, slower) if slower <= 0.0 => "at most 5 %",
            (true, _) => "",
        };
        println!("| {} | {} | {} | {promised} |", case.name, case.count, crossed.join(" | "));
    }
}
