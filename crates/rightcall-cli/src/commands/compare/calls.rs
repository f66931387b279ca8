//! Compares the calls of two files of runs that have no expectations.

use std::path::Path;

use rightcall_core::call::Case;
use rightcall_report::{CallComparison, FileCalls};
use rightcall_results::{case_name, meta_of};
use rightcall_run::{Plan, ResultsOptions, Selection, each_case, read_results};

use super::super::file_called;
use super::CompareArguments;
use super::pairing::check_keys;
use crate::arguments::filter;
use crate::exit::Exit;
use crate::messages::{Trouble, give, show_last, warn_of_unread};
use crate::problems::ProblemCounter;

/// Compares the calls of two files of runs, if the runs have no expectations and no evaluator is named. `None` otherwise.
pub(super) fn compare(arguments: &CompareArguments) -> Result<Option<Exit>, Trouble> {
    let files: Vec<_> = arguments
        .runs
        .iter()
        .map(|name| file_called(name))
        .collect();
    let compares_calls = arguments.evaluators.is_empty() && arguments.by.is_none();
    let ([Some(before), Some(after)], true) = (&files[..], compares_calls) else {
        return Ok(None);
    };
    let Some(before) = calls(before, arguments)? else {
        return Ok(None);
    };
    let Some(after) = calls(after, arguments)? else {
        return Ok(None);
    };
    let outputs = &arguments.outputs;
    let is_json = outputs.format().is_some_and(|it| it.name == "json");
    let is_other = outputs.format().is_some() && !is_json;
    if is_other || outputs.output.is_some() || !outputs.reports.is_empty() {
        let help = "--format json prints them; name an evaluator with -e for a report on scores";
        return Err(Trouble::with_help(
            "no report shows a comparison of calls",
            help,
        ));
    }
    if !arguments.gates.is_empty() || arguments.accept.is_some() {
        let help = "name an evaluator with -e";
        return Err(Trouble::with_help(
            "a gate or a baseline needs scores",
            help,
        ));
    }
    let comparison = CallComparison::new(&before, &after).ok_or_else(|| {
        let message = format!("{} and {} have no run in common", before.name, after.name);
        Trouble::with_help(
            message,
            "runs are paired by id and trial, or by their order without ids",
        )
    })?;
    if is_json {
        give(&format!("{}\n", comparison.json()))?;
    } else {
        show_last(&comparison.screen(outputs.lists.length()))?;
    }
    Ok(Some(Exit::Success))
}

/// The runs of a file. `None` if it is not a file of runs, or if a run has an expectation.
fn calls(file: &Path, arguments: &CompareArguments) -> Result<Option<FileCalls>, Trouble> {
    let is_file = file.metadata().is_ok_and(|it| it.is_file());
    if !is_file || read_results(file, &ResultsOptions::default()).is_ok() {
        return Ok(None);
    }
    let input = &arguments.input;
    let inputs = vec![file.to_owned()];
    let plan = Plan {
        selection: Selection {
            only: filter(&arguments.tags, &arguments.meta),
            ..Selection::default()
        },
        ..Plan::new(inputs, input.reading(), input.limits())
    };
    let mut missing = Vec::new();
    let mut problems = ProblemCounter::default();
    let mut calls = FileCalls::new(file.display().to_string());
    let (mut number, mut expects) = (0, false);
    let read = each_case(&plan, &mut problems, &mut |case| {
        number += 1;
        expects |= !case.expected.is_empty() || case.native.is_some() || case.actual.is_none();
        if !expects {
            missing.push(arguments.key.missing(meta_of(case).as_deref()));
            calls.add(pairing_key(case, number, arguments), case);
        }
    });
    let is_unread = read.is_err() || problems.count() > 0;
    if is_unread || expects || number == 0 {
        return Ok(None);
    }
    if let Ok(left_out) = read {
        warn_of_unread(&calls.name, &left_out);
    }
    let missing: Vec<_> = missing.iter().map(Option::as_ref).collect();
    check_keys(&arguments.key, &calls.name, "run", &missing)?;
    Ok(Some(calls))
}

/// The key that pairs a run with a run of the other file: the comparison key and the trial, or the position if it has no id.
fn pairing_key(case: &Case<'_>, number: usize, arguments: &CompareArguments) -> String {
    let Some(id) = &case.id else {
        return format!("run {number}");
    };
    let meta = meta_of(case);
    let key = arguments
        .key
        .of(&id.to_display(), case.trial, meta.as_deref());
    let key = key.unwrap_or_else(|| id.to_display().into_owned());
    case_name(&key, case.trial)
}
