//! Checks how cases are paired: by keys that they have, one model a side, the same task on both sides.

use std::collections::BTreeSet;

use rightcall_core::{did_you_mean, nearest};
use rightcall_report::{ComparedRun, ComparisonReport, count};
use rightcall_run::CaseKey;
use rightcall_stats::MissingKeys;

use crate::messages::{Trouble, first_of, warning};

/// The number of names in a message.
const NAMED: usize = 5;

/// Checks the keys that pair the cases of each run.
pub(super) fn check_key(key: &CaseKey, runs: &[ComparedRun]) -> Result<(), Trouble> {
    runs.iter().try_for_each(|run| {
        let cases = run.scores.cases.iter();
        let missing: Vec<_> = cases.map(|case| case.missing.as_deref()).collect();
        check_keys(key, &run.scores.name, "case", &missing)
    })
}

/// Fails if no case has one of the keys, and warns if some lack one. `missing` has an entry for each case; `what` is the noun for one.
pub(crate) fn check_keys(
    key: &CaseKey,
    name: &str,
    what: &str,
    missing: &[Option<&MissingKeys>],
) -> Result<(), Trouble> {
    let CaseKey::Meta(keys) = key else {
        return Ok(());
    };
    for key in keys {
        let lacking = missing.iter().flatten();
        let lacking: Vec<_> = lacking.filter(|it| it.missing.contains(key)).collect();
        if lacking.is_empty() {
            continue;
        }
        if lacking.len() < missing.len() {
            let (number, all) = (lacking.len(), count(missing.len() as u64, what));
            let lack = if number == 1 { "lacks" } else { "lack" };
            let message = format!("{name}: {number} of {all} {lack} `{key}`: paired by id");
            warning(&message, None);
            continue;
        }
        let present: BTreeSet<&String> = lacking.iter().flat_map(|it| &it.present).collect();
        let near = did_you_mean(&nearest(key, present.iter().map(|it| it.as_str())));
        let present: Vec<String> = present.into_iter().cloned().collect();
        let help = match present.len() {
            0 => "they have no meta values".to_owned(),
            number => format!("they have {}", first_of(&present, 2 * NAMED, number as u64)),
        };
        return Err(Trouble::with_help(
            format!("{name}: no {what} has the key `{key}`{near}"),
            help,
        ));
    }
    Ok(())
}

/// Warns about runs in which several models count as trials of a case. Expects the models as the sides of the cases.
pub(super) fn warn_of_models(runs: &[ComparedRun]) {
    for told in runs.iter().filter_map(ComparedRun::models_told) {
        let help = "`--by model` compares models; `--where model=NAME` takes one";
        warning(&told, Some(help));
    }
}

/// Warns if paired cases ask something else in another run.
pub(super) fn warn_of_tasks(report: &ComparisonReport<'_>) {
    for (name, found) in report.tasks() {
        if let Some(told) = found.questions_told(name) {
            let help = "different tasks need different ids, or meta values that --key names";
            warning(&told, Some(help));
        }
    }
}
