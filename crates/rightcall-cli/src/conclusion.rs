//! Explains why the exit code is not 0.

use std::fs::File;
use std::io::Read as _;
use std::path::PathBuf;

use rightcall_formats::join::Join;
use rightcall_report::{count, printable, warnings};
use rightcall_results::{EvaluatorSummary, GateResult, GateSubject, RunSummary, Unjudged};
use rightcall_run::{Configured, FinishedRun, ONE_RUN_PER_CASE, Plan, Traces};
use rightcall_stats::RunScores;

use crate::arguments::CommonArguments;
use crate::messages::{error, note, warn, warn_of_unread, warning};
use crate::nothing_selected::nothing_selected;

/// Warns about evaluators that are listed twice with the same settings, because both count.
fn warn_of_duplicates(plan: &Plan) {
    for (place, one) in plan.evaluators.iter().enumerate() {
        let is_same =
            |other: &&Configured| (&other.argument, &other.name) == (&one.argument, &one.name);
        if plan.evaluators[..place].iter().filter(is_same).count() == 1 {
            let message = format!("{} is listed twice, and counts twice", one.label());
            warning(&message, Some("remove one of them"));
        }
    }
}

/// Reports everything that affects the exit code.
pub(crate) fn conclude(plan: &Plan, finished: &FinishedRun, arguments: &CommonArguments) {
    let summary = &finished.summary;
    warn_of_unread("the inputs", &finished.reading);
    plan.traces
        .iter()
        .for_each(|traces| warn_of_unread("the traces", traces.index.report()));
    if summary.is_empty() {
        report_no_case(plan, summary);
        return;
    }
    if summary.nothing_joined {
        let help = plan.traces.as_ref().map(help_to_join);
        error("no run matches a case (exit code 2)", help.as_deref());
    }
    if !summary.nothing_joined {
        report_unjudged(summary);
    }
    if arguments.quiet {
        return;
    }
    let traces = plan.traces.iter().map(|traces| traces.index.report());
    let reports = std::iter::once(&finished.reading).chain(traces);
    reports
        .flat_map(|report| &report.notes_of_map)
        .for_each(|of_map| note(&format!("note: {of_map}")));
    // This warning was printed before the screen.
    let first = warnings::nothing_judged(summary);
    let later = warnings::misspelt(summary).into_iter();
    warn(later.filter(|it| Some(it) != first.as_ref()));
    let more = warnings::more_rules(summary);
    if more > 0 {
        let more = count(more as u64, "rule");
        note(&format!("… and {more} more like these"));
    }
    warn_of_duplicates(plan);
    report_removed(plan, finished.scores.as_ref());
    report_not_scored(summary, arguments.skip_invalid);
    report_not_joined(plan, summary);
    warn(warnings::ungrouped(plan, summary));
    if plan.gates.is_none() {
        report_failed(summary);
    }
}

/// Names the cases of the baseline that this run does not have, which no gate on changes counts.
fn report_removed(plan: &Plan, after: Option<&RunScores>) {
    const NAMED: usize = 5;
    let after = after.filter(|_| plan.selection.is_everything());
    let Some((before, after)) = after.and_then(|it| Some((plan.baseline_of(it)?, it))) else {
        return;
    };
    let (before, after) = (before.keys(), after.keys());
    let removed: Vec<_> = before.difference(&after).map(|it| printable(it)).collect();
    if removed.is_empty() {
        return;
    }
    let cases = count(removed.len() as u64, "case");
    let are = if removed.len() == 1 { "is" } else { "are" };
    let more = if removed.len() > NAMED { ", …" } else { "" };
    let named = removed[..removed.len().min(NAMED)].join(", ");
    warning(
        &format!("{cases} of the baseline {are} not in this run: {named}{more}"),
        Some(
            "gates on changes do not count them; `rightcall run SUITE --accept` makes this run the baseline",
        ),
    );
}

/// Advice on choosing the key that matches runs to cases.
fn help_to_join(traces: &Traces) -> String {
    let others = "choose another key: `--join input` (the question), `--join file` (the file's name), `--join order` (the position) \
or a metadata key that holds the id of the case";
    match traces.reading.join {
        _ if traces.index.has_differing() => {
            "the runs of the cases have another `trial` or `model`, or another value of a key of \
`--by` or `identity`"
                .to_owned()
        }
        _ if traces.index.records() == 0 => "the traces hold no run".to_owned(),
        Join::Id if traces.index.is_empty() => format!("no run has an id; {others}"),
        Join::Id => {
            format!("no run has the id of a case, and many tools give each run a new id; {others}")
        }
        join => format!("no run has the `{join}` of a case; {others}"),
    }
}

/// Reports evaluators and gates that judged no case.
fn report_unjudged(summary: &RunSummary) {
    let mut reported = Vec::new();
    for unjudged in summary.unjudged() {
        let (message, reason) = match unjudged {
            Unjudged::Evaluator(evaluator) => {
                let message = format!("{} judged no case (exit code 2)", evaluator.label);
                (message, evaluator.reasons.first())
            }
            Unjudged::Gate(gate) => {
                let message = format!("the gate on {} judged no case (exit code 2)", gate.label());
                (message, reasons_of(gate, summary).and_then(<[_]>::first))
            }
        };
        // Several gates may use statistics of the same evaluator.
        if reported.contains(&message) {
            continue;
        }
        let help = match (unjudged, reason) {
            (Unjudged::Gate(gate), _) if !gate.only.is_empty() => {
                let only = &gate.only;
                Some(format!("no case fits `{only}`: is the spelling right?"))
            }
            (_, reason) => reason.map(|(why, cases)| format!("{}: {why}", count(*cases, "case"))),
        };
        error(&message, help.as_deref());
        reported.push(message);
    }
}

/// Why the evaluator of a gate was not applicable.
fn reasons_of<'s>(gate: &GateResult, summary: &'s RunSummary) -> Option<&'s [(String, u64)]> {
    match gate.subject {
        GateSubject::Evaluator {
            index: Some(index), ..
        } => summary.evaluators.get(index).map(|it| &it.reasons[..]),
        _ => None,
    }
}

fn report_no_case(plan: &Plan, summary: &RunSummary) {
    if summary.unreadable + summary.broken_inputs > 0 {
        error("no case could be read (exit code 2)", None);
        return;
    }
    let help = if plan.selection.is_everything() {
        without_cases(&plan.inputs)
    } else {
        nothing_selected(plan)
    };
    error("no case to score (exit code 2)", Some(&help));
}

/// The inputs without a case, with the reason if it is known.
fn without_cases(inputs: &[PathBuf]) -> String {
    const NAMED: usize = 3;
    let describe = |path: &PathBuf| {
        let file = path.display();
        let ending = path.extension().and_then(|it| it.to_str());
        let mut first = [0];
        let read = File::open(path).and_then(|mut file| file.read(&mut first));
        match (read, ending) {
            (Ok(0), _) => format!("{file} is empty"),
            (Ok(_), Some("csv" | "tsv")) if first == *b"{" => {
                format!("{file} holds no case: if these are JSON Lines, name it `.jsonl`")
            }
            _ if path.as_os_str() == "-" => "standard input holds no case".to_owned(),
            _ => format!("{file} holds no case"),
        }
    };
    let mut all: Vec<_> = inputs.iter().take(NAMED).map(describe).collect();
    if inputs.len() > NAMED {
        all.push(format!("and {} more", inputs.len() - NAMED));
    }
    all.join("; ")
}

/// Reports cases without a score, and input that could not be read.
fn report_not_scored(summary: &RunSummary, skip_invalid: bool) {
    let exit = |accepted: &str| {
        if skip_invalid && !accepted.is_empty() {
            String::new()
        } else {
            format!(" (exit code 2{accepted})")
        }
    };
    if summary.unreadable > 0 {
        let all = summary.cases + summary.unreadable + summary.duplicates;
        let (unreadable, cases) = (summary.unreadable, summary.cases);
        let were = if cases == 1 { "was" } else { "were" };
        let (all, exit) = (count(all, "case"), exit("; --skip-invalid accepts this"));
        note(&format!(
            "{unreadable} of {all} could not be read; {cases} {were} scored{exit}"
        ));
    }
    for (number, what) in [
        (summary.broken_inputs, "input could not be read to the end"),
        (summary.duplicates, "duplicate case was skipped"),
        (summary.errors(), "evaluation ended in an error"),
    ] {
        if number > 0 {
            let what = match number {
                1 => what.to_owned(),
                _ => what
                    .replacen("case was", "cases were", 1)
                    .replacen("input", "inputs", 1)
                    .replacen("evaluation", "evaluations", 1),
            };
            note(&format!("{number} {what}{}", exit("")));
        }
    }
}

/// Reports cases without a run, and runs without a case.
fn report_not_joined(plan: &Plan, summary: &RunSummary) {
    if summary.ignored > 0 {
        note(&format!(
            "{} without a run left out, as `unmatched: ignore` says",
            count(summary.ignored, "case")
        ));
    }
    if summary.without_expectation > 0 {
        let what = count(summary.without_expectation, "run");
        note(&format!(
            "{what} left out: no entry of `expect:` matches {}",
            pronoun(summary.without_expectation)
        ));
    }
    if summary.unused_runs > 0 {
        let first = &summary.first_unused_runs;
        report_unused(plan, summary.unused_runs, first, warnings::UNUSED_HELP);
    }
    if summary.unpaired > 0 {
        let has = match summary.unpaired {
            1 => "1 case or run has".to_owned(),
            number => format!("{number} cases or runs have"),
        };
        note(&format!("{has} no partner (exit code 2)"));
    }
    for remark in plan
        .traces
        .iter()
        .flat_map(|traces| &traces.index.report().notes)
    {
        note(&format!("of the traces: {remark}"));
    }
}

/// Reports the failures of a run without gates.
fn report_failed(summary: &RunSummary) {
    if summary.no_run > 0 && summary.unpaired == 0 && !summary.nothing_joined {
        note(&format!(
            "{} failed: no run found (exit code 1; `unmatched: ignore` accepts this)",
            count(summary.no_run, "case")
        ));
    }
    let below: u64 = summary
        .evaluators
        .iter()
        .filter(|it| it.threshold.is_some())
        .map(EvaluatorSummary::failed)
        .sum();
    if below > 0 {
        let scores = count(below, "score");
        note(&format!("{scores} below the threshold (exit code 1)"));
    }
    for evaluator in summary
        .evaluators
        .iter()
        .filter(|it| it.threshold.is_none() && it.failed() > 0)
    {
        let (label, cases) = (&evaluator.label, count(evaluator.failed(), "case"));
        note(&format!("{label}: {cases} failed (exit code 1)"));
    }
}

/// Reports runs that match no case. This is an error with `--join order`, because other runs may have been paired with the wrong cases.
pub(crate) fn report_unused(plan: &Plan, number: u64, first: &[String], help: &str) {
    let message = warnings::unused_runs(number, first);
    if plan.joins_by_order() {
        error(&message, Some(ONE_RUN_PER_CASE));
    } else {
        warning(&message, Some(help));
    }
}

fn pronoun(number: u64) -> &'static str {
    if number == 1 { "it" } else { "them" }
}
