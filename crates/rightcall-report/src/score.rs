//! The table of a run: each evaluator with its mean, its distribution and its failures.

use std::fmt::Write as _;

use rightcall_run::{EvaluatorSummary, Scores, Summary};

use crate::comparison::{EVERY_VERDICT, UNEQUAL_TRIALS, has_equal_trials, trials_screen};
use crate::findings::findings;
use crate::text::{BAD, FAINT, HEAD, WIDTH, count, fit, left, paint, right, width};

/// What a screen shows.
#[derive(Debug)]
pub struct Screen<'s> {
    /// What was scored, in the user's words: `pairs.jsonl`.
    pub subject: &'s str,
    /// What came out.
    pub summary: &'s Summary,
    /// The lowest cases of all evaluators.
    pub lowest: &'s [LowLine],
    /// The lowest cases by evaluator.
    pub lowest_by_evaluator: &'s [Vec<LowLine>],
    /// The exit code that the run ends with.
    pub exit_code: u8,
    /// A command that shows more; nothing if there is nothing to show.
    pub next: Option<&'s str>,
}

/// A case with a low score.
#[derive(Clone, Debug)]
pub struct LowLine {
    /// Its id, or `FILE:LINE`.
    pub label: String,
    /// `FILE:LINE`.
    pub place: String,
    /// Its scores by evaluator.
    pub scores: Vec<Option<f64>>,
    /// Why the lowest of them is low.
    pub sentence: String,
}

/// Scores of so many evaluators have a column each beside a low case.
const SCORE_COLUMNS: usize = 4;

/// The screen of `score`, and of a suite without gates.
pub fn score_screen(screen: &Screen<'_>) -> String {
    let mut out = head(screen);
    table(&mut out, screen.summary);
    trials(&mut out, screen.summary);
    lowest(&mut out, screen);
    reasons(&mut out, screen.summary);
    failures(&mut out, screen.summary);
    findings(&mut out, screen.summary);
    if let Some(next) = screen.next {
        _ = writeln!(out, "\n  {next}");
    }
    if let Some(undecided) = undecided(screen.summary).filter(|_| screen.exit_code == 0) {
        _ = writeln!(out, "\n{}", paint(FAINT, &undecided));
    }
    out
}

/// Says that a good end says nothing of the scores, where that is so.
pub fn undecided(summary: &Summary) -> Option<String> {
    Some(format!(
        "nothing decides: {} (exit code 0)",
        summary.undecided()?
    ))
}

pub(crate) fn head(screen: &Screen<'_>) -> String {
    let version = paint(HEAD, concat!("rightcall ", env!("CARGO_PKG_VERSION")));
    let cases = count(screen.summary.cases, "case");
    format!("{version} · {cases} · {}\n", fit(screen.subject, 60))
}

pub(crate) fn table(out: &mut String, summary: &Summary) {
    let rows = rows(
        summary,
        summary.evaluators.iter().map(|evaluator| &evaluator.scores),
        summary.case_scores.as_ref(),
    );
    let widest = rows
        .iter()
        .map(|(label, _)| width(label))
        .max()
        .unwrap_or(0)
        .max(29);
    let columns = format!(
        "{} cases   mean   passed   0 ▁▂▃▄▅▆▇█ 1     n/a  errors",
        left("evaluator", widest)
    );
    _ = writeln!(out, "\n  {}", paint(FAINT, &columns));
    write_rows(out, &rows, summary.cases, widest);
    for group in &summary.groups {
        _ = writeln!(out, "\n  {}", paint(HEAD, &fit(&group.name, 80)));
        write_rows(
            out,
            &self::rows(summary, group.evaluators.iter(), group.case_scores.as_ref()),
            group.cases,
            widest,
        );
    }
    if summary.more_groups {
        _ = writeln!(out, "\n  … and more groups, which are not shown");
    }
}

/// What the trials of the cases come to, where they have several.
pub(crate) fn trials(out: &mut String, summary: &Summary) {
    if let Some(found) = &summary.trials {
        *out += &trials_screen(&[(String::new(), found.clone())], EVERY_VERDICT);
        if !has_equal_trials(found) {
            _ = writeln!(out, "    {}", paint(FAINT, UNEQUAL_TRIALS));
        }
    }
}

/// Evaluators with their scores, and all of them together where there are several.
fn rows<'s>(
    summary: &Summary,
    scores: impl Iterator<Item = &'s Scores>,
    cases: Option<&'s Scores>,
) -> Vec<(String, &'s Scores)> {
    let labels = summary
        .evaluators
        .iter()
        .map(|evaluator| fit(&evaluator.label, 34));
    let together = cases
        .filter(|_| summary.evaluators.len() > 1)
        .map(|scores| (TOGETHER.to_owned(), scores));
    labels.zip(scores).chain(together).collect()
}

/// The row of the scores and verdicts of whole cases.
const TOGETHER: &str = "each case, weighted";

fn write_rows(out: &mut String, rows: &[(String, &Scores)], cases: u64, widest: usize) {
    for (label, scores) in rows {
        let mean = scores
            .mean()
            .map_or_else(|| "–".to_owned(), |mean| format!("{mean:.3}"));
        let passed = scores
            .pass_rate()
            .map_or_else(|| "–".to_owned(), |rate| format!("{:.1} %", rate * 100.0));
        let errors = right(&scores.errors.to_string(), 8);
        _ = writeln!(
            out,
            "  {} {} {} {}   {}  {}{}",
            left(label, widest),
            right(&cases.to_string(), 5),
            right(&mean, 6),
            right(&passed, 8),
            left(&sparkline(&scores.histogram), 12),
            right(&scores.not_applicable.to_string(), 6),
            if scores.errors > 0 {
                paint(BAD, &errors)
            } else {
                errors
            },
        );
    }
}

/// The distribution as ten bars, the tallest full.
fn sparkline(histogram: &[u64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let tallest = histogram.iter().copied().max().unwrap_or(0).max(1);
    histogram
        .iter()
        .map(|&height| BARS[(u128::from(height) * 7).div_ceil(u128::from(tallest)) as usize])
        .collect()
}

pub(crate) fn lowest(out: &mut String, screen: &Screen<'_>) {
    if screen.lowest.is_empty() {
        return;
    }
    let evaluators = screen.summary.evaluators.len();
    let title = match evaluators {
        1 => "lowest",
        2..=SCORE_COLUMNS => "lowest, all evaluators",
        _ => "lowest, mean of all evaluators",
    };
    _ = writeln!(out, "\n  {}", paint(HEAD, title));
    let labels: Vec<_> = screen
        .lowest
        .iter()
        .map(|low| fit(&low.label, 28))
        .collect();
    let widest = labels
        .iter()
        .map(|label| width(label))
        .max()
        .unwrap_or(0)
        .max(20);
    for (low, label) in screen.lowest.iter().zip(&labels) {
        let scores = if evaluators <= SCORE_COLUMNS {
            low.scores.clone()
        } else {
            vec![mean(&low.scores)]
        };
        let scores: String = scores
            .iter()
            .map(|score| {
                right(
                    &score.map_or_else(|| "–".to_owned(), |it| format!("{it:.3}")),
                    8,
                )
            })
            .collect();
        let line = format!("    {}{scores}   ", left(label, widest));
        let sentence = fit(&low.sentence, WIDTH.saturating_sub(width(&line)));
        _ = writeln!(out, "{}", format!("{line}{sentence}").trim_end());
    }
}

fn mean(scores: &[Option<f64>]) -> Option<f64> {
    let scores: Vec<_> = scores.iter().copied().flatten().collect();
    (!scores.is_empty()).then(|| scores.iter().sum::<f64>() / scores.len() as f64)
}

pub(crate) fn reasons(out: &mut String, summary: &Summary) {
    let rows = summary.evaluators.iter().flat_map(|evaluator| {
        let told = evaluator
            .reasons
            .iter()
            .map(move |(reason, cases)| (evaluator, reason.as_str(), *cases));
        let others = Some(evaluator.other_reasons()).filter(|cases| *cases > 0);
        told.chain(others.map(move |cases| (evaluator, "for other reasons", cases)))
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return;
    }
    _ = writeln!(out, "\n  {}", paint(HEAD, "not applicable"));
    for (evaluator, reason, cases) in rows {
        let line = format!(
            "    {}  {}",
            right(&cases.to_string(), 6),
            labelled(evaluator)
        );
        _ = writeln!(
            out,
            "{line}{}",
            fit(reason, WIDTH.saturating_sub(width(&line)))
        );
    }
}

pub(crate) fn failures(out: &mut String, summary: &Summary) {
    if summary.no_run > 0 {
        _ = writeln!(
            out,
            "\n  {}",
            paint(
                BAD,
                &format!("no run found for {}", count(summary.no_run, "case"))
            )
        );
        let shown = &summary.first_no_run[..summary.first_no_run.len().min(5)];
        for case in shown {
            _ = writeln!(
                out,
                "    {}   {}",
                left(&fit(&case.case, 40), 20),
                fit(&case.place, 40)
            );
        }
        and_more(out, summary.no_run - shown.len() as u64);
    }
    if summary.errors() == 0 {
        return;
    }
    _ = writeln!(out, "\n  {}", paint(BAD, "errors"));
    for evaluator in summary
        .evaluators
        .iter()
        .filter(|evaluator| evaluator.scores.errors > 0)
    {
        let shown = &evaluator.failures[..evaluator.failures.len().min(3)];
        for failure in shown {
            let line = format!("    {}{}: ", labelled(evaluator), fit(&failure.place, 40));
            _ = writeln!(
                out,
                "{line}{}",
                fit(&failure.reason, WIDTH.saturating_sub(width(&line)).max(20))
            );
        }
        let more = evaluator.scores.errors - shown.len() as u64;
        if more > 0 {
            _ = writeln!(out, "    {}and {more} more", labelled(evaluator));
        }
    }
}

/// How many lines of a list are left out.
pub(crate) fn and_more(out: &mut String, number: u64) {
    if number > 0 {
        _ = writeln!(out, "    … and {number} more");
    }
}

fn labelled(evaluator: &EvaluatorSummary) -> String {
    format!("{}  ", fit(&evaluator.label, 34))
}
