//! The sides of a comparison: runs in the history, files of results, and files that are scored
//! first. A file may contain several sides.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rightcall_report::{ComparedRun, ExplainCommand, count, run_label, run_name};
use rightcall_run::{Plan, ResultsError, ResultsOptions, read_results};
use rightcall_store::{History, Reference, part_values};

use super::super::{exported_run, file_called};
use super::CompareArguments;
use super::pairing::{check_key, warn_of_models};
use crate::arguments::{HistoryArguments, configured};
use crate::history_lookup::find_run;
use crate::messages::{Trouble, warn_of_unread, warning};
use crate::problems::ProblemCounter;
use crate::scoring::threads;

/// The sides in order; the first one is the baseline.
pub(super) fn sides(
    arguments: &CompareArguments,
    options: &ResultsOptions,
) -> Result<Vec<ComparedRun>, Trouble> {
    let names = &arguments.runs;
    let files: Option<Vec<&Path>> = names.iter().map(|name| file_called(name)).collect();
    let mut runs = match files {
        // With `--by`, all files are scored as one run, which is then split by the cases' values.
        Some(files) if arguments.by.is_some() && !arguments.evaluators.is_empty() => {
            let files = files.into_iter().map(Path::to_owned).collect();
            vec![score(&names.join(", "), files, arguments, options)?]
        }
        _ => names
            .iter()
            .map(|name| load(name, arguments, options))
            .collect::<Result<_, _>>()?,
    };
    shorten_names(&mut runs);
    check_key(&arguments.key, &runs)?;
    match &arguments.by {
        None => {
            warn_of_models(&runs);
            Ok(runs)
        }
        Some(by) => {
            let runs = split(&runs, &by.to_string())?;
            Ok(in_order_of_choice(runs, arguments))
        }
    }
}

/// Splits runs into one side for each value of `by`.
fn split(runs: &[ComparedRun], by: &str) -> Result<Vec<ComparedRun>, Trouble> {
    let (mut sides, mut without) = (Vec::new(), 0);
    for run in runs {
        let (parts, left) = run.split();
        without += left;
        sides.extend(parts.into_iter().map(|mut part| {
            if runs.len() > 1 {
                part.scores.name = format!("{}: {}", run.scores.name, part.scores.name);
            }
            part
        }));
    }
    if sides.is_empty() {
        let help =
            "--by takes keys of the cases' meta values, and `tag`; `rightcall inspect` shows them";
        return Err(Trouble::with_help(format!("no case has {by}"), help));
    }
    if without > 0 {
        let cases = count(without as u64, "case");
        warning(&format!("{cases} without {by} left out"), None);
    }
    Ok(sides)
}

/// Moves the sides named by `--where` to the front, in that order. The others keep their order.
fn in_order_of_choice(
    mut sides: Vec<ComparedRun>,
    arguments: &CompareArguments,
) -> Vec<ComparedRun> {
    let place = |side: &ComparedRun| {
        let values = arguments.meta.iter().map(|(_, value)| value);
        let mut values = values.take_while(|value| **value != side.scores.name);
        values.by_ref().count()
    };
    sides.sort_by_key(place);
    sides
}

/// Removes the folders from file names if the names stay unique.
fn shorten_names(runs: &mut [ComparedRun]) {
    let last = |name: &str| {
        let (run, _) = part_of(name);
        let folder = run.rfind('/').map_or(0, |at| at + 1);
        name[folder..].to_owned()
    };
    let short: BTreeSet<String> = runs.iter().map(|run| last(&run.scores.name)).collect();
    if short.len() == runs.len() {
        runs.iter_mut()
            .for_each(|run| run.scores.name = last(&run.scores.name));
    }
}

/// Parses `RUN@KEY=VALUE,…` into a run and a filter on its cases. If a file has exactly this name,
/// there is no filter.
pub(super) fn part_of(name: &str) -> (&str, Vec<(String, String)>) {
    if file_called(name).is_some() {
        return (name, Vec::new());
    }
    let parts = name.match_indices('@');
    let parts = parts.filter_map(|(at, _)| Some((&name[..at], part_values(&name[at + 1..])?)));
    let parts: Vec<_> = parts.filter(|(_, values)| !values.is_empty()).collect();
    // File names and values may both contain `@`. An existing file decides where the name ends.
    let of_file = parts.iter().find(|(run, _)| file_called(run).is_some());
    let found = of_file.or(parts.first()).cloned();
    found.unwrap_or((name, Vec::new()))
}

/// Loads one side, from the name of its run and the filter on its cases.
fn load(
    name: &str,
    arguments: &CompareArguments,
    options: &ResultsOptions,
) -> Result<ComparedRun, Trouble> {
    let (run, values) = part_of(name);
    if values.is_empty() {
        return load_run(run, arguments, options);
    }
    let mut options = options.clone();
    for (key, value) in values {
        // The filter of a side overrides `--where` for the same key.
        options.only.meta.retain(|(known, _)| *known != key);
        options.only.or_meta(&key, &value);
    }
    let mut loaded = load_run(run, arguments, &options)?;
    name.clone_into(&mut loaded.scores.name);
    Ok(loaded)
}

fn load_run(
    name: &str,
    arguments: &CompareArguments,
    options: &ResultsOptions,
) -> Result<ComparedRun, Trouble> {
    let Some(path) = file_called(name) else {
        let found = || {
            let history = History::open_to_read(&arguments.history.file())?;
            let run = find_run(&history, name, arguments.suite.as_deref())?;
            Ok::<_, Trouble>((history, run))
        };
        let (history, run) = found().map_err(|error| missing_file(name).unwrap_or(error))?;
        let mut loaded = stored(history, run.number, options, &arguments.history)?;
        if !Reference::parse(name).is_position() {
            // A branch or a tag is more informative than the number of its run.
            name.clone_into(&mut loaded.scores.name);
        }
        return Ok(loaded);
    };
    if !arguments.evaluators.is_empty() {
        let name = path.display().to_string();
        return score(&name, vec![path.to_owned()], arguments, options);
    }
    if let Some((history, run)) = exported_run(path)? {
        let file = HistoryArguments {
            path: Some(path.to_owned()),
        };
        let mut loaded = stored(history, run.number, options, &file)?;
        loaded.scores.name = path.display().to_string();
        return Ok(loaded);
    }
    let scores = read_results(path, options).map_err(|error| {
        let message = error.in_file(path);
        let help = "write results with `-o results.jsonl`; to compare files of cases or traces, name evaluators with -e";
        match error {
            ResultsError::Other { .. } => Trouble::with_help(message, help),
            ResultsError::Io(_) => Trouble::new(message),
        }
    })?;
    Ok(ComparedRun::from_scores(scores))
}

/// The error for an unknown run whose name has a file extension: `runs.jsonl`.
fn missing_file(name: &str) -> Option<Trouble> {
    let ending = Path::new(name).extension()?.to_str()?;
    let is_ending = ending.starts_with(|it: char| it.is_ascii_alphabetic());
    is_ending.then(|| {
        let help =
            "write the path of a file, or a run of the history: its number, a branch or `latest`";
        Trouble::with_help(format!("{name}: no such file"), help)
    })
}

fn stored(
    history: History,
    run: i64,
    options: &ResultsOptions,
    file: &HistoryArguments,
) -> Result<ComparedRun, Trouble> {
    let row = history.run(run)?;
    if row.kept < row.cases {
        warning(
            &format!(
                "run {run}: of {} cases the sample that was kept is compared",
                row.cases
            ),
            None,
        );
    }
    let mut compared = ComparedRun::from_history(Rc::new(history), run, options)?;
    if run_name(&row.about).is_some() {
        compared.scores.name = run_label(&row);
    }
    compared.explain = Some(ExplainCommand::of_run(&run.to_string(), file.words()));
    Ok(compared)
}

/// Scores files of cases or traces as one run.
fn score(
    name: &str,
    files: Vec<PathBuf>,
    arguments: &CompareArguments,
    options: &ResultsOptions,
) -> Result<ComparedRun, Trouble> {
    let plan = Plan {
        evaluators: configured(&arguments.evaluators, arguments.edition)?,
        by: arguments.by.clone(),
        threads: threads(None),
        ..Plan::new(files, arguments.input.reading(), arguments.input.limits())
    };
    let mut problems = ProblemCounter::default();
    let (run, finished) = ComparedRun::from_plan(name.to_owned(), &plan, options, &mut problems)?;
    warn_of_unread(name, &finished.reading);
    if problems.count() > 0 {
        problems.finish();
        return Err(Trouble::new(format!("{name}: not all of it could be read")));
    }
    Ok(run)
}
