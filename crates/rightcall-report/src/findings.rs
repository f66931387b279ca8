//! Findings of a run in sentences.

use std::fmt::Write as _;

use rightcall_results::{Findings, RunSummary};

use crate::list_length::ListLength;
use crate::numbers::score_in_full;
use crate::text::{
    FAINT, HEAD, WARN, continued, count, cut_end, cut_middle, left, paint, printable, right,
    screen_columns, widest, width, wrap,
};
use crate::warnings;

/// Default number of causes shown; all are counted.
const SHOWN: usize = 6;

/// Default number of rules shown that were not judged.
const RULES: usize = 5;

/// Adds the findings: causes, most frequent first, then probable misspellings.
pub(crate) fn findings(out: &mut String, summary: &RunSummary, listed: ListLength) {
    let Some(findings) = &summary.findings else {
        return;
    };
    causes(out, findings, summary, listed.or(SHOWN));
    unjudged_rules(out, findings, summary, listed.or(RULES));
    let warnings = warnings::findings(summary);
    if !warnings.is_empty() {
        out.push('\n');
    }
    for warning in warnings {
        let warning = printable(&warning);
        let lines = wrap(&warning, screen_columns() - 11);
        let lines = lines.join(&format!("\n{}", " ".repeat(11)));
        _ = writeln!(out, "  {}  {lines}", paint(WARN, "warning"));
    }
    editions(out, summary, findings);
}

/// Rules that could not be judged, one a line, with the number of runs and the reason.
fn unjudged_rules(out: &mut String, findings: &Findings, summary: &RunSummary, listed: usize) {
    let rules = &findings.unjudged_rules;
    if rules.is_empty() {
        return;
    }
    _ = writeln!(out, "\n  {}", paint(HEAD, "rules that were not judged"));
    let all = count(summary.cases, "run");
    let digits = all.len() - " runs".len();
    for rule in rules.iter().take(listed) {
        let runs = right(&rule.runs.to_string(), digits);
        let line = format!("    {runs} of {all}   {}   ", printable(&rule.rule));
        *out += &continued(&line, &printable(&rule.why), 6);
    }
    if let Some(more) = rules.len().checked_sub(listed).filter(|more| *more > 0) {
        _ = writeln!(out, "    … and {}", count(more as u64, "more rule"));
    }
}

fn causes(out: &mut String, findings: &Findings, summary: &RunSummary, listed: usize) {
    if findings.causes.is_empty() {
        return;
    }
    let short = findings.fell_short;
    let (cases, rule) = (count(summary.cases, "case"), summary.shortfall_rule());
    let title = format!("why {short} of {cases} {rule}");
    let remark = "  (a case may have several causes)";
    let has_room = width(&title) + width(remark) + 2 <= screen_columns();
    let remark = if has_room { remark } else { "" };
    _ = writeln!(out, "\n  {}{}", paint(HEAD, &title), paint(FAINT, remark));
    let shown = &findings.causes[..findings.causes.len().min(listed)];
    let digits = shown[0].cases.to_string().len();
    let share = |cases: u64| format!("    {} of {short}   ", right(&cases.to_string(), digits));
    let room = screen_columns() - width(&share(0));
    let sentences: Vec<_> = shown.iter().map(|it| printable(&it.why)).collect();
    let widest = widest(sentences.iter().filter(|it| width(it) <= room));
    for (cause, sentence) in shown.iter().zip(&sentences) {
        if width(sentence) > room {
            // Causes are never cut: the next command may need the whole name.
            let lines = wrap(sentence, room).join(&format!("\n{}", " ".repeat(width(&share(0)))));
            _ = writeln!(out, "{}{lines}", share(cause.cases));
            continue;
        }
        let mut line = format!("{}{}", share(cause.cases), left(sentence, widest));
        // An example is only useful with some space.
        if let Some(columns) = room
            .checked_sub(widest + 3)
            .filter(|columns| *columns >= 12)
        {
            line += "   ";
            line += &paint(FAINT, &cut_middle(&printable(&cause.first), columns));
        }
        _ = writeln!(out, "{}", line.trim_end());
    }
    let more = (findings.causes.len() - shown.len()) as u64 + findings.more_causes;
    match (more, findings.uncounted_causes) {
        (0, false) => {}
        (more, false) => _ = writeln!(out, "    … and {}", count(more, "more cause")),
        (more, true) => {
            _ = writeln!(
                out,
                "    … and {more} more causes, and others that were not counted"
            );
        }
    }
}

/// The cases with differing editions, if more than their number is requested.
fn editions(out: &mut String, summary: &RunSummary, findings: &Findings) {
    for differ in findings
        .editions
        .iter()
        .filter(|differ| differ.first.len() > 1)
    {
        let title = format!(
            "editions of {} differ: in use, the other",
            summary.evaluators[differ.evaluator].label
        );
        let title = cut_end(&title, screen_columns() - 2);
        _ = writeln!(out, "\n  {}", paint(HEAD, &title));
        for (label, own, other) in &differ.first {
            let label = left(&cut_middle(&printable(label), 60), 60);
            let [own, other] = [own, other].map(|it| right(&score_in_full(it), 14));
            _ = writeln!(out, "    {label}  {own}  {other}");
        }
        let more = differ.cases - differ.first.len() as u64;
        if more > 0 {
            _ = writeln!(out, "    … and {more} more");
        }
    }
}
