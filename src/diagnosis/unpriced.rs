//! What a diagnosis leaves out, in words, and how it is asked for.

use super::SMALL_PART;

/// Why patterns have no prices, and what those come to; `None` where all have. `part` is what they save beside the others, of the time.
pub(super) fn unpriced(
    waits: bool,
    prices_alone: bool,
    (left, all): (usize, usize),
    part: Option<f64>,
) -> Option<String> {
    let waiting = "A loop waits here for what others write, so how long it takes depends on when those run: what was counted is of one such run, \
                   and patterns have no prices.";
    if waits {
        return Some(waiting.to_owned());
    }
    let (patterns, have) = if left == 1 { ("1 pattern", "has") } else { (&*format!("{left} patterns"), "have") };
    let saved = match part {
        Some(part) if part >= SMALL_PART => {
            let together = if left == 1 { "it saves" } else { "together they save" };
            format!("; beside the others {together} {:.0} % of the time", 1e2 * part)
        }
        Some(_) if left == 1 => "; beside the others it saves less than 2 % of the time".to_owned(),
        Some(_) => "; beside the others they save less than 2 % of the time".to_owned(),
        None => String::new(),
    };
    let without_prices = (left > 0).then(|| format!("{patterns} {have} no price{saved}."));
    let alone = prices_alone.then_some(
        "Simulating these launches takes long, so what pays next, what a remedy leaves, and what more warps or blocks gain, is left out.",
    );
    let all = all.max(1);
    let asked = match (&without_prices, alone) {
        (None, None) => return None,
        (Some(_), None) => format!("--most {all} prices all."),
        (None, Some(_)) => format!("--most {all} tells it."),
        (Some(_), Some(_)) => format!("--most {all} prices all and tells it."),
    };
    let sentences = [without_prices.as_deref(), alone, Some(&asked)];
    Some(sentences.into_iter().flatten().collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_out_is_told_with_what_tells_it() {
        let told = |prices_alone, counts, part| unpriced(false, prices_alone, counts, part).unwrap_or_default();
        assert_eq!(told(false, (0, 3), None), "");
        assert_eq!(told(false, (2, 3), None), "2 patterns have no price. --most 3 prices all.");
        let little =
            "1 pattern has no price; beside the others it saves less than 2 % of the time. --most 3 prices all.";
        assert_eq!(told(false, (1, 3), Some(0.01)), little);
        let much = "2 patterns have no price; beside the others together they save 40 % of the time. ";
        let left = "Simulating these launches takes long, so what pays next, what a remedy leaves, and what more warps or blocks gain, is left out. ";
        assert_eq!(told(true, (2, 4), Some(0.4)), format!("{much}{left}--most 4 prices all and tells it."));
        assert_eq!(told(true, (0, 2), None), format!("{left}--most 2 tells it."));
        assert_eq!(told(true, (0, 0), None), format!("{left}--most 1 tells it."));
        assert!(unpriced(true, true, (3, 3), None).is_some_and(|own| own.starts_with("A loop waits here")));
    }
}
