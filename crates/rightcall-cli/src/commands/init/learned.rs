//! Generates a suite that expects the common parts of a task's runs.

use std::fmt::Write as _;

use rightcall_core::learn::{LearningOptions, Runs as _};
use rightcall_formats::join::Join;
use rightcall_report::count;
use rightcall_run::{HeldOut, Plan, RecordedPart, TaskGrouping, Tasks, learned_yaml, tasks};

use super::suite_text::{below, paths, reading, redact};
use super::{InitArguments, NewFiles};
use crate::commands::learn::{learned, report_learned};
use crate::messages::{Trouble, note, warning};
use crate::problems::ProblemCounter;

/// The recommended minimum number of runs for a task. Fewer predict the next run poorly.
const RECOMMENDED_RUNS: usize = 5;

/// The suite and its cases, if a task has several runs. `None` if each has one, or if the user
/// chose the parts of a run to keep.
pub(super) fn files(
    arguments: &InitArguments,
    problems: &mut ProblemCounter,
) -> Result<Option<NewFiles>, Trouble> {
    let recording = &arguments.recording;
    if recording.keep != [RecordedPart::Args] || !recording.ignored.is_empty() {
        return Ok(None);
    }
    let plan = Plan {
        selection: arguments.choice.selection(),
        redaction: arguments.redaction.redaction(),
        ..Plan::new(
            arguments.traces.clone(),
            arguments.input.reading(),
            arguments.input.limits(),
        )
    };
    let by = arguments.joining.join;
    if by == Some(Join::Order) {
        return Ok(None);
    }
    let grouping = TaskGrouping {
        by,
        without_failed: false,
    };
    let found = tasks(&plan, grouping, problems)?;
    if found.share_questions() {
        let help = "`--join input` learns from all runs of a question";
        warning(
            "each run has an id of its own, so each is a case",
            Some(help),
        );
    }
    if found.tasks.iter().all(|task| task.runs.count() < 2) {
        return Ok(None);
    }
    let options = LearningOptions::default();
    let cases = learned(&found, &options)?;
    let runs: usize = found.tasks.iter().map(|task| task.runs.count()).sum();
    note(&format!(
        "learned {} from {}: check cases.yaml",
        count(cases.len() as u64, "case"),
        count(runs as u64, "run")
    ));
    cases.iter().for_each(report_learned);
    let text: String = cases.iter().map(learned_yaml).collect();
    let suite = suite(arguments, &found, &options)?;
    Ok(Some(vec![
        ("suite.yaml", suite),
        (
            "cases.yaml",
            format!(
                "# Learned from runs. Read each case: what always happened need not always happen.\n{text}"
            ),
        ),
    ]))
}

fn suite(
    arguments: &InitArguments,
    found: &Tasks,
    options: &LearningOptions,
) -> Result<String, Trouble> {
    let join = match found.join {
        Join::Id => String::new(),
        join => format!(" --join {join}"),
    };
    // Cases in YAML are not rewritten, so the command only shows the changes.
    let mut text = format!(
        "# The agent is expected to do what these runs have in common. `rightcall review cases.yaml --traces FILES --check{join}` shows what new ones would change.\n"
    );
    _ = writeln!(
        text,
        "cases: cases.yaml\n\n# The agent's runs; `rightcall run --traces FILES` judges others.\ntraces: [{}]",
        paths(arguments)
    );
    if found.join != Join::Id {
        _ = writeln!(text, "join: {}", found.join);
    }
    text += &reading(arguments);
    text += &redact(arguments);
    text += "\nevaluators:\n  # 1 if a run is accepted; less, the more it differs from the nearest accepted run.\n  - {evaluator: fitness, name: accepted, threshold: 1}\n";
    text += "\n# Gates decide the exit code.\ngates:\n";
    let fewest = found.tasks.iter().map(|task| task.runs.count()).min();
    if fewest < Some(RECOMMENDED_RUNS) {
        warning(
            &format!(
                "a task has fewer than {RECOMMENDED_RUNS} runs: they do not show how often a good new run is accepted"
            ),
            Some("the gate accepts no other run; add runs, or lower it by hand"),
        );
        text += "  # Fewer than 5 runs of a task do not show how often a good new run is accepted: lower this by hand.\n";
        text += "  - accepted: {pass_rate: \">= 100%\"}\n";
        return Ok(text);
    }
    let mut held = HeldOut::default();
    for task in &found.tasks {
        let it = task.hold_out(options).map_err(Trouble::new)?;
        held.accepted += it.accepted;
        held.tried += it.tried;
    }
    let least = below(held.at_least()) * 100.0;
    _ = writeln!(
        text,
        "  # Learned from all runs of a task but one, {} of {} expectations accept that one; this is the lower end of the 90 % interval.",
        held.accepted, held.tried
    );
    _ = writeln!(text, "  - accepted: {{pass_rate: \">= {least:.0}%\"}}");
    Ok(text)
}
