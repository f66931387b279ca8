//! Runs with several trials of a case: how often they pass, and which cases are flaky.

use std::collections::BTreeSet;

use anstyle::Style;
use rightcall_stats::{PassAtK, TrialCounts, TrialStatistics};

use super::words::SHOWN;
use crate::list_length::ListLength;
use crate::text::{
    HEAD, count, cut_end, left, or_dash, paint, paragraph, printable, right, widest,
};

/// Runs with several trials of a case: the rates at which any and all of k trials pass, and the
/// flaky cases. A single run is shown without its name.
pub(crate) fn trials_screen(
    runs: &[(String, TrialStatistics)],
    pass_mark: &str,
    listed: ListLength,
) -> String {
    let head = paint(HEAD, &format!("trials   passed = {pass_mark}"));
    let mut out = format!("\n  {head}\n");
    let names: Vec<_> = runs.iter().map(|(name, _)| cut_end(name, 40)).collect();
    let columns = widest(&names);
    let row = |what: &str, name: &str, cells: &mut dyn Iterator<Item = String>| {
        let name = match columns {
            0 => String::new(),
            _ => format!("  {}", left(name, columns)),
        };
        let cells: Vec<_> = cells.map(|cell| right(&cell, 6)).collect();
        format!("  {}{name}  {}\n", left(what, 18), cells.join(" "))
    };
    let by_k = runs.iter().flat_map(|(_, run)| &run.by_k);
    let ks: BTreeSet<u64> = by_k.map(|it| it.k).collect();
    out += &row("k", "", &mut ks.iter().map(u64::to_string));
    let mut rows: Vec<(&str, CellText)> = vec![
        ("any of k (pass@k)", |it| format!("{:.3}", it.any)),
        ("all of k (pass^k)", |it| format!("{:.3}", it.all)),
    ];
    if runs.iter().any(|(_, run)| !has_equal_trials(run)) {
        rows.push(("cases", |it| it.cases.to_string()));
    }
    for (what, cell) in rows {
        for (number, (name, (_, run))) in names.iter().zip(runs).enumerate() {
            let of_k = |k: &u64| or_dash(run.by_k.iter().find(|it| it.k == *k).map(cell));
            let what = if number == 0 { what } else { "" };
            out += &row(what, name, &mut ks.iter().map(of_k));
        }
    }
    for (name, (_, run)) in names.iter().zip(runs) {
        let name = match name.as_str() {
            "" => String::new(),
            name => format!("{name}: "),
        };
        let told = format!("{name}{}", agreement_and_flaky(run, listed));
        out += &paragraph(&printable(&told), 4, Style::new());
    }
    out
}

/// The text of a cell in a row.
type CellText = fn(&PassAtK) -> String;

/// The agreement of two trials of a case, and the flaky cases.
fn agreement_and_flaky(run: &TrialStatistics, length: ListLength) -> String {
    let shown = |(case, of): &(String, TrialCounts)| format!("{case} ({})", passed_of(*of));
    let flaky: Vec<_> = run.flaky.iter().take(length.or(SHOWN)).map(shown).collect();
    let list = listed(&flaky, run.flaky_cases);
    format!("{}; {}{list}", agreement_told(run), flaky_told(run))
}

/// Why `pass@1` may differ from the pass rate.
pub(crate) const UNEQUAL_TRIALS: &str =
    "each case counts once, however many trials it has; a pass rate counts each trial";

/// True if all cases have the same number of trials.
pub(crate) fn has_equal_trials(run: &TrialStatistics) -> bool {
    run.fewest_trials == run.most_trials
}

/// `14 cases × 3 trials; two trials of a case end alike in 61.9 %`.
pub(crate) fn agreement_told(run: &TrialStatistics) -> String {
    let trials = match (run.fewest_trials, run.most_trials) {
        (fewest, most) if fewest == most => format!("{most} trials"),
        (fewest, most) => format!("{fewest} to {most} trials"),
    };
    let agreement = run.agreement.map_or_else(String::new, |it| {
        format!("; two trials of a case end alike in {:.1} %", 100.0 * it)
    });
    format!("{} × {trials}{agreement}", count(run.cases as u64, "case"))
}

/// `8 of 14 cases are flaky`.
pub(crate) fn flaky_told(run: &TrialStatistics) -> String {
    match run.flaky_cases {
        0 => "no case is flaky".to_owned(),
        1 => format!("1 of {} is flaky", count(run.cases as u64, "case")),
        number => format!("{number} of {} are flaky", count(run.cases as u64, "case")),
    }
}

/// `: a (2 of 3), b (1 of 3) and 9 more`, with `all` items in total; empty without items.
pub(crate) fn listed(shown: &[String], all: usize) -> String {
    match (shown.len(), all.saturating_sub(shown.len())) {
        (0, _) => String::new(),
        (_, 0) => format!(": {}", shown.join(", ")),
        (_, more) => format!(": {} and {more} more", shown.join(", ")),
    }
}

/// `2 of 3`.
pub(crate) fn passed_of(of: TrialCounts) -> String {
    format!("{} of {}", of.passed, of.trials)
}
