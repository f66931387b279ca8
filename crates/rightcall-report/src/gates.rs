//! The screen of a suite with gates; the verdict comes last.

use std::fmt::Write as _;

use anstyle::Style;
use rightcall_results::{CaseResult, GateResult, Totals};

use crate::case_column::CaseColumn;
use crate::findings::findings;
use crate::gate_words::failed_gate;
use crate::numbers::{number, percent};
use crate::score::{
    SHOWN, Screen, failures, head, lowest, reasons, rows, score_screen, table, trials,
};
use crate::text::{
    BAD, GOOD, HEAD, and_more, count, cut_end, cut_start, left, paint, paragraph, printable, right,
    screen_columns, widest, width,
};

/// The screen of `run`.
pub fn run_screen(screen: &Screen<'_>) -> String {
    let gates = &screen.summary.gates;
    if gates.is_empty() {
        return score_screen(screen);
    }
    let mut out = head(screen);
    table(&mut out, screen.summary);
    trials(&mut out, screen);
    if gates.iter().all(|gate| gate.held) {
        // For a failed gate, show its own cases.
        lowest(&mut out, screen);
    }
    reasons(&mut out, screen.summary);
    findings(&mut out, screen.summary, screen.listed);
    out.push('\n');
    gate_table(&mut out, gates);
    failures(&mut out, screen);
    low_cases(&mut out, screen);
    verdict(&mut out, screen);
    let has_failed = screen.summary.missed_gates().next().is_some();
    if let Some(next) = screen.next.filter(|_| has_failed) {
        _ = writeln!(out, "\n  {next}");
    }
    out
}

/// Only the verdict: the failed gates, or that all hold. Without gates, the mean and the pass rate
/// of each evaluator.
pub fn verdict_screen(screen: &Screen<'_>) -> String {
    let summary = screen.summary;
    let mut out = String::new();
    if !summary.gates.is_empty() {
        verdict(&mut out, screen);
        return out.trim_start().to_owned();
    }
    for (label, totals) in rows(&summary.evaluators, summary.whole_cases.as_ref()) {
        _ = write!(out, "{}: mean {}", printable(&label), number(totals.mean));
        if totals.pass_rate.is_some() {
            _ = write!(out, ", {} passed", percent(totals.pass_rate));
        }
        out.push('\n');
    }
    if screen.exit_code > 0 {
        let (rows, code) = (out.trim_end(), screen.exit_code);
        let but = unjudged(screen, ", but");
        out = format!("{rows}{but}   (exit code {code})\n");
    }
    out
}

/// Why the exit code is 2, after this conjunction; empty for other exit codes.
fn unjudged(screen: &Screen<'_>, conjunction: &str) -> String {
    let reasons = screen.summary.unjudged_reasons();
    if screen.exit_code < 2 || reasons.is_empty() {
        return String::new();
    }
    format!("{conjunction} {}", reasons.join(", "))
}

fn gate_table(out: &mut String, gates: &[GateResult]) {
    let room = (screen_columns() - 44).min(40);
    let labels: Vec<_> = gates
        .iter()
        .map(|gate| cut_end(&gate.label(), screen_columns() - 8))
        .collect();
    let label_width = widest(labels.iter().filter(|label| width(label) <= room));
    let statistic_width = widest(gates.iter().map(GateResult::statistic_name));
    let found_width = widest(gates.iter().map(GateResult::found_text));
    for (gate, label) in gates.iter().zip(&labels) {
        let mut verdict = if gate.held {
            paint(GOOD, "ok  ")
        } else {
            paint(BAD, "FAIL")
        };
        // Names are never cut. A name that is too long gets its own line.
        let mut label = label.as_str();
        if width(label) > label_width {
            _ = writeln!(out, "  {verdict}  {label}");
            (verdict, label) = ("    ".to_owned(), "");
        }
        _ = writeln!(
            out,
            "  {verdict}  {}   {} {}   wanted {}{}",
            left(label, label_width),
            left(&gate.statistic_name(), statistic_width),
            right(&gate.found_text(), found_width),
            gate.wanted_text(),
            match gate.no_longer_judged {
                0 => String::new(),
                cases => format!(", {cases} no longer judged"),
            },
        );
    }
}

fn low_cases(out: &mut String, screen: &Screen<'_>) {
    let (mut shown, mut listed) = (Vec::new(), Vec::new());
    for gate in screen.summary.missed_gates() {
        let index = screen.summary.evaluator_of(gate);
        if shown.contains(&index) {
            continue;
        }
        shown.push(index);
        let Some(index) = index else {
            failed_cases(out, screen, &listed);
            continue;
        };
        let evaluator = &screen.summary.evaluators[index];
        if evaluator.lowest.is_empty() {
            continue;
        }
        let (zeros, label) = (evaluator.totals.zeros, cut_end(&evaluator.label, 60));
        let title = match zeros {
            0 => format!("lowest on {label}"),
            _ => format!("{} got 0 on {label}", count(zeros, "case")),
        };
        _ = writeln!(out, "\n  {}", paint(HEAD, &title));
        let score = |low: &CaseResult| low.evaluations[index].score();
        let is_shown =
            |low: &&CaseResult| zeros == 0 || score(low).is_some_and(|score| score <= 0.0);
        let lowest = evaluator.lowest.iter().filter(is_shown);
        let rows: Vec<_> = lowest.take(screen.listed.or(SHOWN)).collect();
        listed.extend(rows.iter().map(|low| low.name()));
        let reasons: Vec<_> = rows
            .iter()
            .map(|low| low.evaluations[index].why.clone())
            .collect();
        low_rows(out, &rows, &reasons);
        and_more(out, zeros.saturating_sub(rows.len() as u64));
    }
}

/// The failed cases, for a gate on all evaluators combined, unless all of them are listed already.
fn failed_cases(out: &mut String, screen: &Screen<'_>, listed: &[String]) {
    let failed = screen.summary.lowest.iter().filter(|case| case.failed());
    let rows: Vec<_> = failed.take(screen.listed.or(SHOWN)).collect();
    if rows.iter().all(|case| listed.contains(&case.name())) {
        return;
    }
    let whole = screen.summary.whole_cases.as_ref();
    let failed = whole.map_or(0, Totals::not_passed);
    let title = match failed {
        0 => "cases that failed".to_owned(),
        _ => format!("{} failed", count(failed, "case")),
    };
    _ = writeln!(out, "\n  {}", paint(HEAD, &title));
    let reasons: Vec<_> = rows.iter().map(|low| low.why()).collect();
    low_rows(out, &rows, &reasons);
    and_more(out, failed.saturating_sub(rows.len() as u64));
}

fn low_rows(out: &mut String, lowest: &[&CaseResult], reasons: &[String]) {
    let names = CaseColumn::new(
        lowest.iter().map(|low| low.name()),
        (0, screen_columns() / 3),
    );
    let places: Vec<_> = lowest
        .iter()
        .map(|low| cut_start(&low.place(), 34))
        .collect();
    let (label_width, place_width) = (names.width, widest(&places));
    let sentence_width = screen_columns().saturating_sub(label_width + place_width + 10);
    for ((why, name), place) in reasons.iter().zip(&names.names).zip(&places) {
        let label = names.cell(out, name);
        let why = printable(why);
        if width(&why) > sentence_width {
            _ = writeln!(out, "    {label}   {place}");
            *out += &paragraph(&why, 6, Style::new());
            continue;
        }
        let sentence = left(&why, sentence_width);
        _ = writeln!(out, "    {label}   {sentence}   {place}");
    }
}

fn verdict(out: &mut String, screen: &Screen<'_>) {
    let (gates, exit_code) = (&screen.summary.gates, screen.exit_code);
    let missed: Vec<_> = gates.iter().filter(|gate| !gate.held).collect();
    out.push('\n');
    let Some((last, others)) = missed.split_last() else {
        let summary = if gates.len() == 1 {
            "the gate holds".to_owned()
        } else {
            format!("{0} of {0} gates hold", gates.len())
        };
        if exit_code == 0 {
            _ = writeln!(out, "{}", paint(GOOD, &summary));
        } else {
            let but = unjudged(screen, ", but");
            let summary = paint(BAD, &format!("{summary}{but}"));
            _ = writeln!(out, "{summary}   (exit code {exit_code})");
        }
        return;
    };
    for gate in others {
        _ = writeln!(out, "{}", paint(BAD, &failed_gate(gate)));
    }
    let also = unjudged(screen, ";");
    let failed = paint(BAD, &failed_gate(last));
    _ = writeln!(out, "{failed}{also}   (exit code {exit_code})");
}
