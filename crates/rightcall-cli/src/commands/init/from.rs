//! Generates a suite from traces. It expects the recorded calls, or the traces' own expectations,
//! and has a gate that today's traces pass.

use std::env;
use std::fmt::Write as _;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rightcall_formats::join::RunIdentity;
use rightcall_formats::{Inspection, Location, is_object};
use rightcall_report::count;
use rightcall_run::{
    Configured, EvaluatorArgument, Observer, Plan, RecordedPart, Unfinished, record, temporary,
};

use super::suite_text::{below, paths, reading, redact};
use super::{InitArguments, NewFiles, learned};
use crate::exit::Exit;
use crate::messages::{Trouble, note, warn_of_unread, warning};
use crate::problems::{ProblemCounter, SilentObserver};
use crate::scoring::{index, threads};

/// The suite, and the cases file if the calls were recorded.
pub(super) fn files(arguments: &InitArguments) -> Result<NewFiles, Trouble> {
    let missing = arguments
        .traces
        .iter()
        .find(|path| !is_object(path) && !path.exists());
    if let Some(missing) = missing {
        return Err(Trouble::new(format!("{}: no such file", missing.display())));
    }
    let (limits, reading) = (arguments.input.limits(), arguments.input.reading());
    let (mut trajectories, mut expecting) = (0, 0);
    for path in &arguments.traces {
        let found = Inspection::from_file(path, limits, &reading, &mut |_, _| {})?;
        trajectories += found.trajectories;
        expecting += found.with_expectation;
    }
    if expecting > 0 && expecting == trajectories {
        let mean = mean(arguments, Vec::new())?;
        let (own, them) = if trajectories == 1 {
            ("has its own expectation", "it")
        } else {
            ("have their own expectations", "them")
        };
        note(&format!(
            "{} {own}; `trajectory` scores {them} {mean:.3} today",
            count(trajectories, "run")
        ));
        return Ok(vec![("suite.yaml", suite(arguments, false, below(mean)))]);
    }
    let mut problems = ProblemCounter::default();
    let learned = learned::files(arguments, &mut problems)?;
    problems.finish();
    if let Some(files) = learned {
        return Ok(files);
    }
    let cases = if problems.count() > 0 {
        recorded(arguments, &mut SilentObserver)?
    } else {
        let cases = recorded(arguments, &mut problems);
        problems.finish();
        cases?
    };
    // Other trials of the same case may have made other calls.
    let make = |folder: &Path| temporary().suffix(".jsonl").tempfile_in(folder);
    let (mut file, _noted) =
        Unfinished::make_in(&env::temp_dir(), make, |file| file.path().to_owned())?;
    file.write_all(cases.as_bytes())?;
    let mean = mean(arguments, vec![file.path().to_owned()])?;
    Ok(vec![
        ("suite.yaml", suite(arguments, true, below(mean))),
        ("cases.jsonl", cases),
    ])
}

/// The `trajectory` setting for expectations that omit arguments with a new value in every run.
const SUBSET: &str = "match: {args: subset}";

/// The recorded calls as expectations.
fn recorded(arguments: &InitArguments, observer: &mut dyn Observer) -> Result<String, Trouble> {
    let (_, reading) = arguments.input.readings(&arguments.joining, true);
    let plan = Plan {
        selection: arguments.choice.selection(),
        ..Plan::new(arguments.traces.clone(), reading, arguments.input.limits())
    };
    let mut without_id = 0;
    let mut count_without_id = |_: &Location| without_id += 1;
    let mut cases = Vec::new();
    let recorder = arguments.recording.recorder();
    let recorder = recorder.redacting(arguments.redaction.redaction());
    let tally = record(
        &plan,
        &recorder,
        &mut cases,
        observer,
        &mut count_without_id,
    )?;
    warn_of_unread("the traces", &tally.report);
    if without_id > 0 {
        let message = format!(
            "{} without `{}` left out: no later run would match it",
            count(without_id, "run"),
            reading.join
        );
        warning(
            &message,
            Some("`--join file` takes the name of the file instead"),
        );
    }
    if tally.recorded == 0 {
        let message = match tally.without_run {
            0 => "no run to record".to_owned(),
            number => format!(
                "no run to record: {} without a run, or with one that may lack calls",
                count(number, "record")
            ),
        };
        return Err(Trouble::with_help(
            message,
            "`rightcall inspect` shows what the files hold",
        ));
    }
    if tally.without_calls > 0 {
        let cases = count(tally.without_calls, "case");
        let message = format!("{cases} without calls: a run that calls nothing is expected there");
        warning(
            &message,
            Some("leave them out, if an agent must call tools: --where, -k and --tag select runs"),
        );
    }
    match tally.recorded - tally.without_calls {
        0 => note("no call is expected now: check cases.jsonl"),
        runs => note(&format!(
            "the calls of {} are now expected: check them in cases.jsonl",
            count(runs, "run")
        )),
    }
    if tally.failed > 0 {
        let what = "failed in these runs and would be expected again: are these good runs?";
        note(&format!("  {} {what}", count(tally.failed, "call")));
    }
    String::from_utf8(cases).map_err(Trouble::new)
}

/// The mean `trajectory` score of the traces, with their own expectations or joined to these cases.
fn mean(arguments: &InitArguments, cases: Vec<PathBuf>) -> Result<f64, Trouble> {
    let (limits, threads) = (arguments.input.limits(), threads(None));
    let is_joined = !cases.is_empty();
    let (reading, of_traces) = arguments.input.readings(&arguments.joining, is_joined);
    let files = arguments.traces.clone();
    let (inputs, traces) = if is_joined {
        (cases, files)
    } else {
        (files, Vec::new())
    };
    let identity = RunIdentity::default();
    let argument = if has_subset(arguments) {
        "trajectory,match.args=subset"
    } else {
        "trajectory"
    };
    let trajectory = Configured::new(EvaluatorArgument::parse(argument)?, None)?;
    let plan = Plan {
        evaluators: vec![trajectory],
        selection: arguments.choice.selection(),
        threads,
        traces: index(traces, of_traces, limits, threads, &identity, None)?,
        ..Plan::new(inputs, reading, limits)
    };
    let mut problems = ProblemCounter::default();
    let finished = rightcall_run::run(&plan, &mut [], &mut problems)?;
    problems.finish();
    if Exit::of_run(&finished.summary, false) == Exit::NotJudged {
        let help = "name fewer files, or write the suite by hand: `rightcall init`";
        return Err(Trouble::with_help(
            "not all of the traces can be judged",
            help,
        ));
    }
    Ok(finished.summary.evaluators[0].totals.mean.unwrap_or(0.0))
}

/// True if the expectations omit some arguments.
fn has_subset(arguments: &InitArguments) -> bool {
    !arguments.recording.ignored.is_empty()
}

fn suite(arguments: &InitArguments, is_recorded: bool, least: f64) -> String {
    let paths = paths(arguments);
    let mut text = String::new();
    if is_recorded {
        text += "# The agent is expected to do what it did in these traces. `rightcall review cases.jsonl --traces FILES` shows what new ones would change.\n";
        text += "cases: cases.jsonl\n";
        _ = writeln!(
            text,
            "\n# The agent's runs; `rightcall run --traces FILES` judges others. A run belongs to the case with its id: if ids are\n# new each time, add `join: input` (the question) or `join: order`.\ntraces: [{paths}]"
        );
    } else {
        text += "# These traces have their own expectations.\n";
        _ = writeln!(text, "cases: [{paths}]");
    }
    if let Some(join) = &arguments.joining.join {
        _ = writeln!(text, "join: {join}");
    }
    text += &reading(arguments);
    text += &redact(arguments);
    let keeps_arguments = arguments.recording.keep.contains(&RecordedPart::Args);
    let (what, settings) = match (is_recorded && !keeps_arguments, has_subset(arguments)) {
        (true, _) => ("The same tools, whatever their arguments", String::new()),
        (false, true) => (
            "The same calls with the expected arguments",
            format!(", {SUBSET}"),
        ),
        (false, false) => ("The same calls with the same arguments", String::new()),
    };
    _ = writeln!(
        text,
        "\nevaluators:\n  # {what}, in any order. `mode: strict` checks the order too; `rightcall evaluators trajectory` has all settings.\n  \
- {{evaluator: trajectory, name: right calls{settings}}}"
    );
    text += "\n# Gates decide the exit code.\ngates:\n";
    text += if least < 1.0 {
        "  # The mean of these traces.\n"
    } else {
        "  # Fails if a call is missing, extra or different. A lower bound, such as `>= 0.9`, allows some differences.\n"
    };
    _ = writeln!(text, "  - right calls: {{mean: \">= {least}\"}}");
    text += "  # Fails if a case cannot be judged.\n";
    text += "  - right calls: {errors: \"= 0\"}\n";
    text
}
