//! Comparisons, trials and predictions.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use rightcall_stats::{
    ChangeVerdict, ComparisonSettings, EvaluatorChange, Interval, MeanChange, MovedCase,
    PairedComparison, PassAtK, Prediction, RunScores, SignificanceTest, TrialCounts,
    TrialStatistics,
};

use crate::text::{
    BAD, FAINT, GOOD, HEAD, WARN, WIDTH, count, fit, left, paint, printable, right, width, wrap,
};

/// Columns of the names of evaluators.
const NAME: usize = 26;

/// Cases that moved which are shown of each direction.
const SHOWN: usize = 10;

/// `120 cases × 4 trials`.
pub fn size(results: &RunScores) -> String {
    let (cases, rows) = (results.keys().len(), results.cases.len());
    let cases_text = count(cases as u64, "case");
    match results.most_trials() {
        0 | 1 => cases_text,
        most if most * cases == rows => format!("{cases_text} × {most} trials"),
        most => format!("{cases_text} × up to {most} trials"),
    }
}

/// Two runs: what changed for each evaluator, and which cases moved. `about` says what changed in the alignment of a case.
pub fn comparison_screen(
    (before, after): (&RunScores, &RunScores),
    comparison: &PairedComparison,
    rules: ComparisonSettings,
    about: &dyn Fn(&MovedCase) -> Vec<String>,
) -> String {
    let mut out = String::new();
    _ = writeln!(
        out,
        "{} ({}) against {} ({})",
        fit(&before.name, 44),
        size(before),
        fit(&after.name, 44),
        size(after)
    );
    let only = |keys: &[String], what: &str| {
        if keys.is_empty() {
            String::new()
        } else {
            format!("; {} {what}", count(keys.len() as u64, "case"))
        }
    };
    let alone = format!(
        "{}{}",
        only(&comparison.only.0, "only before"),
        only(&comparison.only.1, "only after")
    );
    if !alone.is_empty() {
        _ = writeln!(
            out,
            "{} in both{alone}",
            count(comparison.shared as u64, "case")
        );
    }
    let interval = format!("{:.0} % interval", 100.0 * rules.confidence);
    let head = format!(
        "  {}  {}  before   after   change   {}  verdict",
        left("evaluator", NAME),
        right("cases", 5),
        left(&interval, 17)
    );
    _ = writeln!(out, "\n{}", paint(HEAD, &head));
    let with_overall = comparison.measures.len() > 1;
    let rows = comparison
        .measures
        .iter()
        .chain(with_overall.then_some(&comparison.overall));
    for measure in rows.clone() {
        measure_rows(&mut out, measure);
    }
    let tested = comparison.measures.len();
    let corrected = if tested > 1 {
        format!("; p-values are corrected for {tested} evaluators")
    } else {
        String::new()
    };
    let note = format!("each case counts once, by the mean over its trials{corrected}");
    _ = writeln!(out, "  {}", paint(FAINT, &note));
    if let Some(needed) = rows
        .flat_map(|it| [&it.score, &it.passed])
        .flatten()
        .filter(|it| it.verdict == ChangeVerdict::NotEnough)
        .filter_map(|it| it.needed)
        .max()
    {
        let margin = rules.margin;
        let text = format!(
            "not enough cases to tell: a change of {margin} would show with about {needed} cases (80 % power)"
        );
        _ = writeln!(out, "  {}", paint(WARN, &text));
    }
    moved(&mut out, &comparison.moved, about);
    out
}

fn measure_rows(out: &mut String, measure: &EvaluatorChange) {
    if let Some(change) = &measure.score {
        row(
            out,
            &fit(&measure.label, NAME),
            change,
            |value| format!("{value:.3}"),
            |value| format!("{value:+.3}"),
        );
    }
    if let Some(change) = &measure.passed {
        let label = if measure.score.is_some() {
            "  passed"
        } else {
            &*measure.label
        };
        row(
            out,
            &fit(label, NAME),
            change,
            |value| format!("{:.1} %", 100.0 * value),
            |value| format!("{:+.1}", 100.0 * value),
        );
    }
}

fn row(
    out: &mut String,
    label: &str,
    change: &MeanChange,
    value: fn(f64) -> String,
    difference: fn(f64) -> String,
) {
    let Interval {
        estimate,
        low,
        high,
    } = change.change;
    let interval = if low.is_finite() {
        format!("{} … {}", difference(low), difference(high))
    } else {
        "–".to_owned()
    };
    let cells = [
        left(label, NAME),
        right(&change.cases.to_string(), 5),
        right(&value(change.before), 6),
        right(&value(change.after), 6),
        right(&difference(estimate), 7),
    ];
    let p = if change.corrected < 0.001 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {:.3}", change.corrected)
    };
    let verdict = match change.verdict {
        ChangeVerdict::Better => paint(GOOD, &format!("better ({p})")),
        ChangeVerdict::Worse => paint(BAD, &format!("worse ({p})")),
        ChangeVerdict::Same => "the same in each case".to_owned(),
        ChangeVerdict::NoDifference => format!("no difference shown ({p})"),
        ChangeVerdict::NotEnough => format!("not enough cases ({p})"),
    };
    _ = writeln!(
        out,
        "  {}   {}  {verdict}",
        cells.join("  "),
        left(&interval, 17)
    );
}

fn moved(out: &mut String, moved: &[MovedCase], about: &dyn Fn(&MovedCase) -> Vec<String>) {
    if moved.is_empty() {
        _ = writeln!(out, "\n  no case moved");
        return;
    }
    let (worse, mut better): (Vec<&MovedCase>, Vec<&MovedCase>) =
        moved.iter().partition(|it| it.is_worse());
    better.sort_by(|one, other| (other.after - other.before).total_cmp(&(one.after - one.before)));
    _ = writeln!(
        out,
        "\n  {}",
        paint(
            HEAD,
            &format!(
                "{} got worse, {} better",
                count(worse.len() as u64, "case"),
                better.len()
            )
        )
    );
    for (cases, more) in [(&worse, "worse"), (&better, "better")] {
        let names: Vec<_> = cases
            .iter()
            .take(SHOWN)
            .map(|it| fit(&it.key, 34))
            .collect();
        let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
        for (case, name) in cases.iter().zip(&names) {
            let trials = match (case.trials_before, case.trials_after) {
                (TrialCounts { trials: 0 | 1, .. }, TrialCounts { trials: 0 | 1, .. }) => {
                    String::new()
                }
                (before, after) => {
                    format!(
                        "   passed {} of {} → {} of {}",
                        before.passed, before.trials, after.passed, after.trials
                    )
                }
            };
            let head = format!(
                "    {}  {:.3} → {:.3}{trials}",
                left(name, widest),
                case.before,
                case.after
            );
            let about = printable(&changes_told(&about(case)));
            let room = WIDTH.saturating_sub(width(&head) + 3);
            if about.is_empty() {
                _ = writeln!(out, "{head}");
            } else if width(&about) <= room {
                _ = writeln!(out, "{head}   {about}");
            } else {
                _ = writeln!(out, "{head}\n      {}", fit(&about, WIDTH - 6));
            }
        }
        if cases.len() > SHOWN {
            _ = writeln!(
                out,
                "    … and {} more that got {more}",
                cases.len() - SHOWN
            );
        }
    }
}

/// Changes of a case that are told one by one.
const CHANGES: usize = 2;

/// What changed in the alignment of a case: `now refund was not called; and 3 more changes`.
pub fn changes_told(changes: &[String]) -> String {
    let mut told: Vec<_> = changes.iter().take(CHANGES).cloned().collect();
    if changes.len() > CHANGES {
        told.push(format!(
            "and {}",
            count((changes.len() - CHANGES) as u64, "more change")
        ));
    }
    told.join("; ")
}

/// More than two runs in one table: each evaluator's mean in each run, on the cases that all share, against the first.
pub fn overview_screen(
    runs: &[RunScores],
    comparisons: &[PairedComparison],
    means: &[Vec<Option<Interval>>],
    rules: ComparisonSettings,
) -> String {
    let mut out = String::new();
    let shared = comparisons
        .first()
        .map_or(0, |comparison| comparison.shared);
    _ = writeln!(
        out,
        "{} that all have, against {}",
        count(shared as u64, "case"),
        fit(&runs[0].name, 60)
    );
    let names: Vec<_> = runs.iter().map(|run| fit(&run.name, 40)).collect();
    let widest = names
        .iter()
        .map(|name| width(name))
        .max()
        .unwrap_or(0)
        .max(NAME);
    let interval = format!("{:.0} % interval", 100.0 * rules.confidence);
    let measures = &comparisons[0].measures;
    for (position, measure) in measures.iter().enumerate() {
        let head = format!(
            "  {}    mean  {}  passed   change  verdict",
            left(&fit(&measure.label, widest), widest),
            left(&interval, 17)
        );
        _ = writeln!(out, "\n{}", paint(HEAD, &head));
        for (number, name) in names.iter().enumerate() {
            let mean = means[number].get(position).copied().flatten();
            let (text, span) = mean.map_or_else(
                || ("–".to_owned(), "–".to_owned()),
                |it| {
                    (
                        format!("{:.3}", it.estimate),
                        format!("{:.3} … {:.3}", it.low, it.high),
                    )
                },
            );
            let compared = number
                .checked_sub(1)
                .and_then(|number| comparisons[number].measures.get(position));
            let passed = match compared {
                Some(found) => found.passed.as_ref().map(|it| it.after),
                None => measure.passed.as_ref().map(|it| it.before),
            };
            let passed = passed.map_or_else(|| "–".to_owned(), |it| format!("{:.1} %", 100.0 * it));
            let (change, verdict) = match compared.and_then(|it| it.score.as_ref()) {
                Some(change) => (
                    format!("{:+.3}", change.change.estimate),
                    short_verdict(change),
                ),
                None => (String::new(), String::new()),
            };
            let line = format!(
                "  {}  {}  {}  {}  {}  {verdict}",
                left(name, widest),
                right(&text, 6),
                left(&span, 17),
                right(&passed, 7),
                right(&change, 7)
            );
            _ = writeln!(out, "{}", line.trim_end());
        }
    }
    let tested = measures.len() * comparisons.len();
    _ = writeln!(
        out,
        "\n  {}",
        paint(
            FAINT,
            &format!("each case counts once; p-values are corrected for {tested} comparisons")
        )
    );
    out
}

fn short_verdict(change: &MeanChange) -> String {
    let p = if change.corrected < 0.001 {
        "p < 0.001".to_owned()
    } else {
        format!("p = {:.3}", change.corrected)
    };
    match change.verdict {
        ChangeVerdict::Better => paint(GOOD, &format!("better ({p})")),
        ChangeVerdict::Worse => paint(BAD, &format!("worse ({p})")),
        ChangeVerdict::Same => "the same".to_owned(),
        ChangeVerdict::NoDifference => "no difference".to_owned(),
        ChangeVerdict::NotEnough => "not enough cases".to_owned(),
    }
}

/// Runs with several trials of a case: how often any and all of k trials pass, and which cases are flaky. A run on its own needs
/// no name.
pub fn trials_screen(runs: &[(String, TrialStatistics)], pass_mark: &str) -> String {
    let mut out = String::new();
    let ks: BTreeSet<u64> = runs
        .iter()
        .flat_map(|(_, run)| &run.by_k)
        .map(|it| it.k)
        .collect();
    _ = writeln!(
        out,
        "\n  {}",
        paint(HEAD, &format!("trials   passed = {pass_mark}"))
    );
    let names: Vec<_> = runs.iter().map(|(name, _)| fit(name, 40)).collect();
    let widest = names.iter().map(|name| width(name)).max().unwrap_or(0);
    let name_column = |name: &str| {
        if widest == 0 {
            String::new()
        } else {
            format!("  {}", left(name, widest))
        }
    };
    let row = |what: &str, name: &str, cells: &mut dyn Iterator<Item = String>| {
        let cells: Vec<_> = cells.map(|cell| right(&cell, 6)).collect();
        format!(
            "  {}{}  {}\n",
            left(what, 18),
            name_column(name),
            cells.join(" ")
        )
    };
    out += &row("k", "", &mut ks.iter().map(u64::to_string));
    for (what, of) in [
        ("any of k (pass@k)", (|it| it.any) as fn(&PassAtK) -> f64),
        ("all of k (pass^k)", |it| it.all),
    ] {
        for (number, (name, (_, run))) in names.iter().zip(runs).enumerate() {
            let share = |k: &u64| {
                run.by_k
                    .iter()
                    .find(|it| it.k == *k)
                    .map_or_else(|| "–".to_owned(), |it| format!("{:.3}", of(it)))
            };
            out += &row(
                if number == 0 { what } else { "" },
                name,
                &mut ks.iter().map(share),
            );
        }
    }
    if runs.iter().any(|(_, run)| !has_equal_trials(run)) {
        for (number, (name, (_, run))) in names.iter().zip(runs).enumerate() {
            let cases = |k: &u64| {
                run.by_k
                    .iter()
                    .find(|it| it.k == *k)
                    .map_or_else(|| "–".to_owned(), |it| it.cases.to_string())
            };
            out += &row(
                if number == 0 { "cases" } else { "" },
                name,
                &mut ks.iter().map(cases),
            );
        }
    }
    for (name, (_, run)) in names.iter().zip(runs) {
        let flaky: Vec<_> = run
            .flaky
            .iter()
            .take(SHOWN)
            .map(|(case, of)| format!("{case} ({})", passed_of(*of)))
            .collect();
        let list = listed(&flaky, run.flaky_cases);
        let name = if name.is_empty() {
            String::new()
        } else {
            format!("{name}: ")
        };
        let told = printable(&format!(
            "{name}{}; {}{list}",
            agreement_told(run),
            flaky_told(run)
        ));
        for line in wrap(&told, WIDTH - 4) {
            _ = writeln!(out, "    {line}");
        }
    }
    out
}

/// Why `pass@1` may be another number than a pass rate.
pub(crate) const UNEQUAL_TRIALS: &str =
    "some cases have more trials: here each case counts once, in a pass rate each trial";

/// Whether a case has as many trials as any other.
pub(crate) fn has_equal_trials(run: &TrialStatistics) -> bool {
    run.trials.0 == run.trials.1
}

/// `14 cases × 3 trials; two trials of a case end alike in 61.9 %`.
pub(crate) fn agreement_told(run: &TrialStatistics) -> String {
    let trials = match run.trials {
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

/// `: a (2 of 3), b (1 of 3) and 9 more`, of so many in all; nothing of none.
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

/// When a trial has passed, where nobody says otherwise.
pub const EVERY_VERDICT: &str = "every verdict on the trial";

/// How well evaluators predict a field of the cases.
pub fn prediction_screen(
    name: &str,
    field: &str,
    predictions: &[Prediction],
    rules: ComparisonSettings,
) -> String {
    let mut out = String::new();
    let is_binary = predictions.iter().all(|it| it.is_binary);
    _ = writeln!(
        out,
        "\n  {}",
        paint(
            HEAD,
            &format!("{} against {}", fit(name, 40), fit(field, 40))
        )
    );
    let [area, rank, line] = if is_binary {
        ["AUC", "Spearman", "point-biserial"]
    } else {
        ["", "Spearman", "Pearson"]
    };
    let head = format!(
        "  {}  cases  {}  {}  {}",
        left("evaluator", NAME),
        left(area, 20),
        left(rank, 22),
        line
    );
    let head = if is_binary {
        head
    } else {
        format!(
            "  {}  cases  {}  {}",
            left("evaluator", NAME),
            left(rank, 22),
            line
        )
    };
    _ = writeln!(out, "{}", paint(HEAD, &head));
    let plain = |it: Option<Interval>| {
        it.map_or_else(
            || "–".to_owned(),
            |it| format!("{:.3}  {:.3} … {:.3}", it.estimate, it.low, it.high),
        )
    };
    let signed = |it: Option<Interval>| {
        it.map_or_else(
            || "–".to_owned(),
            |it| format!("{:+.3}  {:+.3} … {:+.3}", it.estimate, it.low, it.high),
        )
    };
    for found in predictions {
        let mut cells = vec![
            left(&fit(&found.label, NAME), NAME),
            right(&found.cases.to_string(), 5),
        ];
        cells.extend(is_binary.then(|| left(&plain(found.auc), 20)));
        cells.extend([left(&signed(found.spearman), 22), signed(found.pearson)]);
        _ = writeln!(out, "  {}", cells.join("  "));
    }
    let confidence = 100.0 * rules.confidence;
    let area = if is_binary {
        "; an AUC of 0.5 is chance"
    } else {
        ""
    };
    _ = writeln!(
        out,
        "  {}",
        paint(
            FAINT,
            &format!("intervals of {confidence:.0} % draw cases with all their trials{area}")
        )
    );
    out
}

/// `exact McNemar test`, for machines and pages.
pub fn test_name(test: SignificanceTest) -> &'static str {
    match test {
        SignificanceTest::McNemar => "mcnemar",
        SignificanceTest::Permutation => "permutation",
    }
}

/// What can be said of a change, in a word, for machines.
pub fn verdict_name(verdict: ChangeVerdict) -> &'static str {
    match verdict {
        ChangeVerdict::Better => "better",
        ChangeVerdict::Worse => "worse",
        ChangeVerdict::Same => "same",
        ChangeVerdict::NoDifference => "no_difference",
        ChangeVerdict::NotEnough => "not_enough_cases",
    }
}
