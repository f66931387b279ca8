//! `rightcall learn`: learns expectations from good runs of a task.

use std::borrow::Cow;
use std::io::Write as _;

use rightcall_core::learn::{LearningOptions, Tightening};
use rightcall_report::count;
use rightcall_run::{
    LearnedCase, LearningError, OutputKind, TaskGrouping, Tasks, learned_yaml, printable, tasks,
};

use super::LearnArguments;
use crate::exit::Exit;
use crate::messages::{Trouble, note, to_file, warn_of_unread, warning};
use crate::problems::ProblemCounter;

/// The output kind of learned cases.
const LEARNED: OutputKind<'static> = OutputKind {
    name: Cow::Borrowed("file of learned cases"),
    is_earlier: &|existing| existing.head_has(HEAD),
};

/// The first line of the file, which identifies it as this kind of output.
const HEAD: &str = "# Learned from runs.";

pub(super) fn learn(arguments: &LearnArguments) -> Result<Exit, Trouble> {
    let mut output = arguments.output(&LEARNED)?;
    let plan = arguments.plan();
    let grouping = TaskGrouping {
        by: arguments.by,
        without_failed: arguments.without.is_some(),
    };
    let mut problems = ProblemCounter::default();
    let found = tasks(&plan, grouping, &mut problems)?;
    problems.finish();
    warn_of_unread("the traces", &found.report);
    if found.tasks.is_empty() {
        return Err(no_run(&found));
    }
    let options = LearningOptions {
        noise: arguments.noise.unwrap_or(0.0),
        open_repeats: arguments.open_repeats,
        arguments: arguments.args.into(),
        variants: arguments.variants.map(|most| most as usize),
    };
    let learned = learned(&found, &options)?;
    output.write_all(
        format!("{HEAD} Read each case: what always happened need not always happen.\n").as_bytes(),
    )?;
    for case in &learned {
        output.write_all(learned_yaml(case).as_bytes())?;
    }
    output.commit()?;
    learned.iter().for_each(report_learned);
    let runs: u64 = learned.iter().map(|case| case.learned.runs).sum();
    note(&format!(
        "{} from {}{}",
        count(learned.len() as u64, "case"),
        count(runs, "run"),
        to_file(arguments.output.as_deref())
    ));
    if found.share_questions() {
        let help = "`--by input` learns from all runs of a question";
        warning(
            "each run has an id of its own, so each is a task",
            Some(help),
        );
    }
    if let Some(left_out) = found.left_out.selected(&found.join) {
        note(&format!("  left out: {left_out}"));
    }
    Ok(Exit::not_judged_if(problems.count() > 0))
}

/// The error if there is no run.
fn no_run(found: &Tasks) -> Trouble {
    let message = "no run to learn from";
    let message = match found.left_out.selected(&found.join) {
        Some(left_out) => format!("{message}: {left_out}"),
        None => message.to_owned(),
    };
    let help = if found.left_out.without_key > 0 {
        "`--by input` takes the question as the name of the task, `--by file` the name of the file"
    } else if found.left_out.unselected > 0 {
        "no run is chosen by -k, --tag or --where"
    } else {
        "`rightcall inspect` shows what the files hold"
    };
    Trouble::with_help(message, help)
}

/// The cases of all tasks.
pub(in crate::commands) fn learned(
    found: &Tasks,
    options: &LearningOptions,
) -> Result<Vec<LearnedCase>, Trouble> {
    let learn = |task: &rightcall_run::Task| {
        let failed = |error: LearningError| {
            let message = format!("{}: {error}", printable(&task.id));
            match error {
                LearningError::Expectation(_) => {
                    let help = "keep whole runs as alternatives: --variants 5";
                    Trouble::with_help(message, help)
                }
                LearningError::Io(_) => Trouble::new(message),
            }
        };
        task.learn(options).map_err(failed)
    };
    found.tasks.iter().map(learn).collect()
}

/// Maximum number of runs named in a list.
const NAMED: usize = 3;

/// Reports the runs that a case's expectation accepts beyond those it was learned from, and the
/// runs that need its blocks.
pub(in crate::commands) fn report_learned(case: &LearnedCase) {
    let runs = count(case.learned.runs, "run");
    let others = match case.others {
        Some(0) => "accepts no other sequence of tools".to_owned(),
        Some(others) => format!("accepts {} of tools", count(others, "other sequence")),
        None => "accepts more than a million other sequences of tools".to_owned(),
    };
    note(&format!("{}: {runs}; {others}", printable(&case.id)));
    for example in &case.examples {
        let names: Vec<_> = example.iter().map(|name| printable(name)).collect();
        let names = if names.is_empty() {
            "no call".to_owned()
        } else {
            names.join(", ")
        };
        note(&format!("  such as {names}"));
    }
    for tightening in &case.tightenings {
        note(&format!("  {}", rejected_by(tightening, case)));
    }
    if case.failed > 0 {
        let failed = count(case.failed, "failed call");
        note(&format!(
            "  learned from {failed} too: are these good runs?"
        ));
    }
    if let Some(left_out) = case.left_out() {
        note(&format!("  {left_out}"));
    }
    if !case.learned.rejected.is_empty() {
        let rejected = count(case.learned.rejected.len() as u64, "run");
        note(&format!("  rejects {rejected} of these"));
    }
}

/// `optional at /1 left out: 1 of 5 runs would be rejected (runs.jsonl:3)`.
fn rejected_by(tightening: &Tightening, case: &LearnedCase) -> String {
    let Tightening {
        block,
        pointer,
        form,
        rejected,
    } = tightening;
    let form = printable(form);
    let head = format!("{block} at {pointer} {form}");
    if rejected.is_empty() {
        return format!("{head}: no run would be rejected");
    }
    let places = rejected
        .iter()
        .take(NAMED)
        .map(|run| printable(&case.places[*run].to_string()));
    let mut places: Vec<_> = places.collect();
    if rejected.len() > NAMED {
        places.push("…".to_owned());
    }
    let (some, all) = (rejected.len(), count(case.learned.runs, "run"));
    format!(
        "{head}: {some} of {all} would be rejected ({})",
        places.join(", ")
    )
}
