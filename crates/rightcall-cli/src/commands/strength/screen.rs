//! The screen of a suite's strength: by operator, by judge, the weakest cases, and the survivors.

use std::fmt::Write as _;
use std::path::Path;

use anstyle::Style;
use rightcall_quality::strength::{MutationOperator, MutationTally, OperatorGroup, StrengthReport};
use rightcall_report::{
    GATES_DECIDE, NO_SETTING, SurvivorText, cut_end, judge_told, left, percent, printable,
    push_wrapped, screen_columns, silenced_told, strength_summary, survivors, weakest_runs, width,
    wrap,
};
use rightcall_results::case_name;

/// Number of listed runs.
const WEAKEST: usize = 5;

/// The maximum width of row labels, in columns.
const LABEL: usize = 44;

/// Maximum number of operators shown with their survivors.
const SURVIVORS: usize = 5;

const BOLD: Style = Style::new().bold();
const PLAIN: Style = Style::new();

/// The whole screen.
pub(super) fn screen(report: &StrengthReport, suite: &Path, with_values: bool) -> String {
    let mut out = head(report, suite);
    if report.runs.passing == 0 {
        out.push_str("\nno run passes, so there is none to break\n");
        return out;
    }
    for group in OperatorGroup::ALL {
        out.push_str(&operators(report, group));
    }
    out.push_str(&judges(report));
    out.push_str(&weakest_section(report));
    out.push_str(&surviving(report, with_values));
    for group in OperatorGroup::ALL {
        let strength = percent(report.strength(group));
        let beside = if report.has_others() {
            let all = percent(report.strength_of_all(group));
            format!("  evaluators and gates together {all:>7}")
        } else {
            String::new()
        };
        _ = writeln!(
            out,
            "{BOLD}strength, {:12}{BOLD:#}  {strength:>7}{beside}",
            group.name()
        );
    }
    out
}

fn head(report: &StrengthReport, suite: &Path) -> String {
    let suite = printable(&suite.display().to_string());
    let text = format!("{suite} · {}", strength_summary(report));
    wrap(&text, screen_columns()).join("\n") + "\n"
}

/// The table of a group. Operators that apply to no run come last.
fn operators(report: &StrengthReport, group: OperatorGroup) -> String {
    let title = match group {
        OperatorGroup::SingleCalls => "single calls",
        OperatorGroup::WholeRuns => "whole runs (weights are estimates)",
    };
    let heads = "weight  broken  noticed    share  left open";
    let mut out = format!("\n{}", line(title, BOLD, heads));
    let of_group = || report.operators().filter(|(it, _)| it.group == group);
    for (operator, tally) in of_group().filter(|(_, tally)| tally.broken > 0) {
        out.push_str(&row(operator, tally));
    }
    for (operator, _) in of_group().filter(|(_, tally)| tally.broken == 0) {
        let weight = format!("{:>6}  not applicable:", operator.weight);
        out.push_str(&line(operator.summary, PLAIN, &weight));
        push_wrapped(&mut out, 4, operator.needs);
    }
    out
}

fn row(operator: &MutationOperator, tally: &MutationTally) -> String {
    let numbers = format!(
        "{:>6}  {:>6}  {:>7}  {:>7}  {:>9}",
        operator.weight,
        tally.broken,
        tally.noticed,
        percent(tally.share()),
        tally.open
    );
    line(operator.summary, PLAIN, &numbers)
}

/// The strength of each evaluator and of each gate.
fn judges(report: &StrengthReport) -> String {
    let heads = "single calls  whole runs  only it";
    let mut out = format!("\n{}", line("evaluators and gates", BOLD, heads));
    for (at, judge) in report.judges.iter().enumerate() {
        let [single, whole] =
            OperatorGroup::ALL.map(|group| percent(report.strength_of(at, group)));
        let alone = report.noticed_alone(at);
        let numbers = format!("{single:>12}  {whole:>10}  {alone:>7}");
        out.push_str(&line(&judge_told(judge), PLAIN, &numbers));
    }
    if report.has_others() {
        push_wrapped(&mut out, 2, GATES_DECIDE);
    }
    let unused = report.unused.iter();
    let unused = unused.map(|(label, reason)| format!("not used: {label}: {reason}"));
    for text in silenced_told(report).into_iter().chain(unused) {
        push_wrapped(&mut out, 2, &printable(&text));
    }
    out
}

/// The runs on which the suite is weakest.
fn weakest_section(report: &StrengthReport) -> String {
    let runs = weakest_runs(report);
    let heads = "single calls  whole runs";
    let mut out = format!("\n{}", line("weakest runs", BOLD, heads));
    for run in runs.iter().take(WEAKEST) {
        let name = case_name(&run.label, run.trial.as_deref());
        let [single, whole] = OperatorGroup::ALL.map(|group| percent(run.strength(group)));
        out.push_str(&line(&name, PLAIN, &format!("{single:>12}  {whole:>10}")));
    }
    if runs.len() > WEAKEST {
        _ = writeln!(
            out,
            "  {} more; --format json lists all",
            runs.len() - WEAKEST
        );
    }
    out
}

/// The survivors, most points first.
fn surviving(report: &StrengthReport, with_values: bool) -> String {
    let survivors = survivors(report, with_values);
    if survivors.is_empty() {
        return "\n  no broken run survives\n\n".to_owned();
    }
    let mut out = format!("\n  {BOLD}what survives, most points of strength first{BOLD:#}\n");
    for it in survivors.iter().take(SURVIVORS) {
        out.push_str(&survivor(it));
    }
    if survivors.len() > SURVIVORS {
        _ = writeln!(
            out,
            "  {} more; --format json lists all",
            survivors.len() - SURVIVORS
        );
    }
    out.push('\n');
    out
}

/// The survivors of one operator, with the evaluator that notices most of them.
fn survivor(it: &SurvivorText) -> String {
    let mut out = format!("  {:>4}  {BOLD}{}{BOLD:#}:", it.points, it.way);
    let mut lines = Vec::new();
    // The number of survivors follows on the same line, if there is room.
    if 8 + width(it.way) + 2 + width(&it.survival) <= screen_columns() {
        _ = writeln!(out, " {}", it.survival);
    } else {
        out.push('\n');
        lines.push(it.survival.clone());
    }
    if let Some((name, change)) = &it.example {
        lines.push(format!("such as {name}: {change}"));
    }
    match &it.setting {
        Some(it) => {
            lines.push(format!("{} with {}{}", it.noticed, it.entry, it.fails));
            lines.extend(Some(it.effect.clone()).filter(|it| !it.is_empty()));
        }
        None => lines.push(NO_SETTING.to_owned()),
    }
    for line in &lines {
        push_wrapped(&mut out, 8, &printable(line));
    }
    out
}

/// The width of row labels: the columns that are not needed for numbers.
fn label_columns() -> usize {
    (screen_columns() - 49).min(LABEL)
}

/// A row of a table: a label, then numbers. Labels are never cut. A label that is too long gets its
/// own line.
fn line(label: &str, style: Style, numbers: &str) -> String {
    let columns = label_columns();
    let label = cut_end(label, screen_columns() - 2);
    if width(&label) > columns {
        let indent = " ".repeat(columns + 4);
        return format!("  {style}{label}{style:#}\n{indent}{numbers}\n");
    }
    format!("  {style}{}{style:#}  {numbers}\n", left(&label, columns))
}
