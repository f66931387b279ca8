//! The table of a run: each evaluator with its mean, its distribution and its failures.

use std::fmt::Write as _;

use rightcall_results::{CaseResult, EvaluatorSummary, RunSummary, Totals};

use crate::case_column::CaseColumn;
use crate::comparison::{EVERY_VERDICT, UNEQUAL_TRIALS, has_equal_trials, trials_screen};
use crate::findings::findings;
use crate::list_length::ListLength;
use crate::numbers::{WHOLE_CASES, number, percent};
use crate::text::{
    BAD, FAINT, HEAD, and_more, continued, count, cut_end, cut_start, left, paint, paragraph,
    printable, right, screen_columns, widest, width,
};

/// The data of a screen.
#[derive(Clone, Copy, Debug)]
pub struct Screen<'s> {
    /// The suite or files, as the user named them: `pairs.jsonl`.
    pub subject: &'s str,
    /// The results.
    pub summary: &'s RunSummary,
    /// The exit code of the run.
    pub exit_code: u8,
    /// A command that shows more, if there is more.
    pub next: Option<&'s str>,
    /// How much of each list to show.
    pub listed: ListLength,
}

/// Default number of low cases in each list.
pub(crate) const SHOWN: usize = 5;

/// If the space next to a case is narrower than this, the sentence gets its own line.
pub(crate) const SENTENCE: usize = 30;

/// With more evaluators than this, low cases show one mean instead of each score.
const SCORE_COLUMNS: usize = 4;

/// The screen of `score`, and of a suite without gates.
pub fn score_screen(screen: &Screen<'_>) -> String {
    let mut out = head(screen);
    table(&mut out, screen.summary);
    trials(&mut out, screen);
    lowest(&mut out, screen);
    reasons(&mut out, screen.summary);
    failures(&mut out, screen);
    findings(&mut out, screen.summary, screen.listed);
    if let Some(next) = screen.next {
        _ = writeln!(out, "\n  {next}");
    }
    if let Some(undecided) = undecided(screen.summary).filter(|_| screen.exit_code == 0) {
        out = out + "\n" + &paragraph(&undecided, 0, FAINT);
    }
    out
}

/// A note that the run could not fail, so its success does not depend on the scores.
pub fn undecided(summary: &RunSummary) -> Option<String> {
    Some(format!(
        "{}, so this run cannot fail (exit code 0)",
        summary.undecided()?
    ))
}

pub(crate) fn head(screen: &Screen<'_>) -> String {
    let version = paint(HEAD, concat!("rightcall ", env!("CARGO_PKG_VERSION")));
    let cases = count(screen.summary.cases, "case");
    let room = screen_columns().saturating_sub(40).min(60);
    format!("{version} · {cases} · {}\n", cut_end(screen.subject, room))
}

pub(crate) fn table(out: &mut String, summary: &RunSummary) {
    let rows = rows(&summary.evaluators, summary.whole_cases.as_ref());
    let layout = ScoreLayout::of(&rows);
    let bars = if layout.has_bars {
        "   0 ▁▂▃▄▅▆▇█ 1  "
    } else {
        "  "
    };
    let head = left("evaluator", layout.label);
    let head = format!("{head} cases   mean   passed{bars}   n/a  errors");
    _ = writeln!(out, "\n  {}", paint(FAINT, &head));
    write_rows(out, &rows, summary.cases, layout);
    for group in &summary.groups {
        let room = screen_columns() - 20;
        _ = writeln!(out, "\n  {}", paint(HEAD, &cut_end(&group.name, room)));
        let rows = self::rows(&group.evaluators, group.whole_cases.as_ref());
        write_rows(out, &rows, group.cases, layout);
    }
    if summary.more_groups {
        _ = writeln!(out, "\n  … and more groups, which are not shown");
    }
}

/// Width of the numbers next to the name of an evaluator, and of the histogram.
const NUMBERS: usize = 40;
const BARS: usize = 15;

/// The layout of the table of evaluators. Narrow screens have no histograms, and long names get
/// their own lines.
#[derive(Clone, Copy)]
struct ScoreLayout {
    label: usize,
    has_bars: bool,
}

impl ScoreLayout {
    fn of(rows: &[(String, &Totals)]) -> Self {
        let room = screen_columns() - NUMBERS;
        let label = widest(rows.iter().map(|(label, _)| label))
            .max(29)
            .min(room);
        Self {
            label,
            has_bars: label + BARS <= room,
        }
    }
}

/// The statistics of trials, if cases have several.
pub(crate) fn trials(out: &mut String, screen: &Screen<'_>) {
    if let Some(found) = &screen.summary.trials {
        let run = (String::new(), found.clone());
        *out += &trials_screen(&[run], EVERY_VERDICT, screen.listed);
        if !has_equal_trials(found) {
            *out += &paragraph(UNEQUAL_TRIALS, 4, FAINT);
        }
    }
}

/// Evaluators with their scores, and the combined scores of several evaluators.
pub(crate) fn rows<'s>(
    evaluators: &'s [EvaluatorSummary],
    whole: Option<&'s Totals>,
) -> Vec<(String, &'s Totals)> {
    let own = evaluators
        .iter()
        .map(|it| (cut_end(&it.label, 34), &it.totals));
    let whole = whole.filter(|_| evaluators.len() > 1);
    own.chain(whole.map(|totals| (WHOLE_CASES.to_owned(), totals)))
        .collect()
}

fn write_rows(out: &mut String, rows: &[(String, &Totals)], cases: u64, layout: ScoreLayout) {
    for (label, totals) in rows {
        let bars = if layout.has_bars {
            format!("   {}", left(&sparkline(&totals.histogram), 12))
        } else {
            String::new()
        };
        // Names are never cut. A name that is too long gets its own line.
        let label = if width(label) <= layout.label {
            label.as_str()
        } else {
            _ = writeln!(out, "  {label}");
            ""
        };
        let errors = right(&totals.errors.to_string(), 8);
        _ = writeln!(
            out,
            "  {} {} {} {}{bars}  {}{}",
            left(label, layout.label),
            right(&cases.to_string(), 5),
            right(&number(totals.mean), 6),
            right(&percent(totals.pass_rate), 8),
            right(&totals.not_applicable.to_string(), 6),
            if totals.errors > 0 {
                paint(BAD, &errors)
            } else {
                errors
            },
        );
    }
}

/// A histogram of ten bars; the tallest has full height.
fn sparkline(histogram: &[u64]) -> String {
    const BARS: [char; 8] = ['▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];
    let tallest = histogram.iter().copied().max().unwrap_or(0).max(1);
    histogram
        .iter()
        .map(|&height| BARS[(u128::from(height) * 7).div_ceil(u128::from(tallest)) as usize])
        .collect()
}

pub(crate) fn lowest(out: &mut String, screen: &Screen<'_>) {
    let shown = screen.listed.or(SHOWN);
    let lowest: Vec<_> = screen.summary.lowest.iter().take(shown).collect();
    if lowest.is_empty() {
        return;
    }
    let evaluators = screen.summary.evaluators.len();
    let title = match evaluators {
        1 => "lowest",
        2..=SCORE_COLUMNS => "lowest, all evaluators",
        _ => "lowest, mean of all evaluators",
    };
    _ = writeln!(out, "\n  {}", paint(HEAD, title));
    let heads = score_heads(screen.summary);
    let third = (screen_columns() / 3).max(20);
    let usual = if screen_columns() >= 100 { 10 } else { 8 };
    // Names of evaluators are never cut. Without room for them, columns have numbers.
    let label = widest(lowest.iter().map(|low| low.name())).clamp(20, third);
    let free = screen_columns().saturating_sub(7 + label + SENTENCE) / heads.len().max(1);
    let whole = widest(&heads) + 2;
    let column = if whole <= free.max(usual) {
        whole.max(usual)
    } else {
        usual
    };
    // If sentences get their own lines, names can use the rest of the line.
    let available = screen_columns().saturating_sub(column * heads.len() + 7);
    let room = match available.saturating_sub(third) {
        0..SENTENCE => available,
        _ => third,
    };
    let names = CaseColumn::new(lowest.iter().map(|low| low.name()), (20, room));
    let heads = if whole <= column {
        heads
    } else {
        numbered(out, screen.summary)
    };
    let heads: String = heads.iter().map(|head| right(head, column)).collect();
    let head = format!("    {}{heads}   why", left("case", names.width));
    _ = writeln!(out, "{}", paint(FAINT, &head));
    for (low, name) in lowest.iter().zip(&names.names) {
        let scores: String = scores(low)
            .iter()
            .map(|score| right(&number(*score), column))
            .collect();
        let line = format!("    {}{scores}   ", names.cell(out, name));
        *out += &continued(&line, &low.lowest_why(), 6);
    }
}

/// Numbers as column heads, after a line that names the evaluators.
fn numbered(out: &mut String, summary: &RunSummary) -> Vec<String> {
    let evaluators = summary.evaluators.iter().zip(1..);
    let (numbers, names): (Vec<_>, Vec<_>) = evaluators
        .map(|(it, number)| (number.to_string(), format!("{number} {}", it.label)))
        .unzip();
    let line = printable(&names.join(" · "));
    if width(&line) + 4 <= screen_columns() {
        *out += &paragraph(&line, 4, FAINT);
    } else {
        out.extend(
            names
                .iter()
                .map(|name| paragraph(&printable(name), 4, FAINT)),
        );
    }
    numbers
}

/// The column heads of [`scores`]: evaluator ids without their systems.
fn score_heads(summary: &RunSummary) -> Vec<String> {
    match &summary.evaluators[..] {
        [_] => vec!["score".to_owned()],
        several if several.len() <= SCORE_COLUMNS => {
            let heads = several.iter().map(|it| it.label.rsplit('/').next());
            heads
                .map(|head| printable(head.unwrap_or_default()))
                .collect()
        }
        _ => vec!["mean".to_owned()],
    }
}

/// The scores of a case in columns, or their mean.
fn scores(case: &CaseResult) -> Vec<Option<f64>> {
    let scores: Vec<_> = case
        .evaluations
        .iter()
        .map(rightcall_results::EvaluationResult::score)
        .collect();
    if scores.len() <= SCORE_COLUMNS {
        return scores;
    }
    let known: Vec<_> = scores.into_iter().flatten().collect();
    vec![rightcall_stats::mean(&known)]
}

pub(crate) fn reasons(out: &mut String, summary: &RunSummary) {
    let rows = summary.evaluators.iter().flat_map(|evaluator| {
        let reasons = evaluator.reasons.iter().enumerate();
        let listed = reasons.map(move |(place, (reason, cases))| {
            let detail = evaluator.reason_details.get(place);
            let reason = match detail.and_then(Option::as_ref) {
                Some(detail) if *cases == 1 => format!("{reason}: {detail}"),
                Some(detail) => format!("{reason}; the first: {detail}"),
                None => reason.clone(),
            };
            (evaluator, reason, *cases)
        });
        let others = Some(evaluator.other_reasons()).filter(|cases| *cases > 0);
        listed.chain(others.map(move |cases| (evaluator, "for other reasons".to_owned(), cases)))
    });
    let rows: Vec<_> = rows.collect();
    if rows.is_empty() {
        return;
    }
    _ = writeln!(out, "\n  {}", paint(HEAD, "not applicable"));
    for (evaluator, reason, cases) in rows {
        let cases = right(&cases.to_string(), 6);
        let line = format!("    {cases}  {}", labelled(evaluator));
        *out += &continued(&line, &reason, 12);
    }
}

/// The maximum numbers of listed cases without a run, and of listed errors per evaluator.
const NO_RUN: usize = 5;
const ERRORS: usize = 3;

pub(crate) fn failures(out: &mut String, screen: &Screen<'_>) {
    let (summary, listed) = (screen.summary, screen.listed);
    if summary.no_run > 0 {
        let title = format!("no run found for {}", count(summary.no_run, "case"));
        _ = writeln!(out, "\n  {}", paint(BAD, &title));
        let shown = listed.or(NO_RUN).min(summary.first_no_run.len());
        let shown = &summary.first_no_run[..shown];
        for case in shown {
            let room = screen_columns() / 2 - 10;
            let (name, place) = (cut_end(&case.case, room), cut_start(&case.place, room));
            _ = writeln!(out, "    {}   {place}", left(&name, 20));
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
        .filter(|evaluator| evaluator.totals.errors > 0)
    {
        let shown = listed.or(ERRORS).min(evaluator.failures.len());
        let shown = &evaluator.failures[..shown];
        for failure in shown {
            let line = format!(
                "    {}{}: ",
                labelled(evaluator),
                cut_start(&failure.place, 40)
            );
            _ = writeln!(
                out,
                "{line}{}",
                cut_end(
                    &failure.reason,
                    screen_columns().saturating_sub(width(&line)).max(20)
                )
            );
        }
        let more = evaluator.totals.errors - shown.len() as u64;
        if more > 0 {
            _ = writeln!(out, "    {}and {more} more", labelled(evaluator));
        }
    }
}

fn labelled(evaluator: &EvaluatorSummary) -> String {
    format!("{}  ", printable(&evaluator.label))
}
