//! The gates of a suite.

use rightcall_formats::yaml::{Key, YamlNode};

use super::check::bound;
use super::fault::{Checked, SuiteError, each};
use super::filter::filter_of;
use super::keys::Measure;
use crate::names::did_you_mean;
use crate::{Configured, Gate, Grouping};
use rightcall_results::{Bound, GateSubject, Statistic, TrialRule};

/// Keys of a gate that select cases.
const CHOICES: [&str; 3] = ["tag", "meta", "by"];

/// True for a name that no evaluator may have, because it has another meaning in a gate.
pub(super) fn is_reserved(name: &str) -> bool {
    CHOICES.contains(&name) || matches!(name, "passed" | "score")
}

/// The default minimum share of cases that an evaluator must apply to.
const DEFAULT_APPLICABLE_SHARE: Bound = Bound::at_least_percent(90);

pub(super) fn gates_of(
    node: &YamlNode,
    evaluators: &[Configured],
    trials: Option<&YamlNode>,
) -> Checked<Vec<Gate>> {
    let trials = match trials.and_then(|trials| trials.member("passed")?.text()) {
        Some("all") => TrialRule::All,
        Some("any") => TrialRule::Any,
        _ => TrialRule::Each,
    };
    let gates = each(node.items(), |entry| entry_of(entry, evaluators, trials))?;
    Ok(gates.into_iter().flatten().collect())
}

/// The gates of one entry: `{EVALUATOR: {mean: ">= 0.9"}, tag: TEXT}`, `{passed: ">= 95%"}`, …
fn entry_of(node: &YamlNode, evaluators: &[Configured], trials: TrialRule) -> Checked<Vec<Gate>> {
    let grouping = |by: &YamlNode| {
        let grouping = by.text().and_then(Grouping::parse);
        let expected = "`tag` or meta keys, separated by commas";
        grouping.ok_or_else(|| SuiteError::expected(by, expected).under("by"))
    };
    let by = node.member("by").map(grouping).transpose()?;
    let only = filter_of(node);
    let mut gates = Vec::new();
    for (key, conditions) in node.members() {
        if CHOICES.contains(&key.name.as_str()) {
            continue;
        }
        let of_subject = || {
            let subject = subject_of(key, evaluators, trials)?;
            let conditions = conditions_of(key, conditions, &subject, evaluators)?;
            Ok((subject, conditions))
        };
        let (subject, conditions) =
            of_subject().map_err(|fault: SuiteError| fault.under(&key.name))?;
        gates.extend(conditions.into_iter().map(|condition| Gate {
            subject: subject.clone(),
            only: only.clone(),
            by: by.clone(),
            statistic: condition.statistic,
            wanted: condition.wanted,
            implied: condition.implied,
        }));
    }
    if gates.is_empty() {
        return Err(SuiteError::at(node.line, "the gate has no condition").help(GATE_HELP));
    }
    Ok(gates)
}

/// A condition on a statistic of a subject.
struct Condition {
    statistic: Statistic,
    wanted: Bound,
    implied: bool,
}

/// The conditions on a subject. Adds the default minimum of applicable cases, unless the suite sets
/// one.
fn conditions_of(
    key: &Key,
    node: &YamlNode,
    subject: &GateSubject,
    evaluators: &[Configured],
) -> Checked<Vec<Condition>> {
    let condition = |statistic, wanted| Condition {
        statistic,
        wanted,
        implied: false,
    };
    let mut conditions = Vec::new();
    if node.members().is_empty() {
        // `passed: ">= 95%"`; the check of the form admits no other value here.
        conditions.push(condition(Statistic::PassRate, bound(node, Measure::Share)?));
    }
    for (name, value) in node.members() {
        if let Some(statistic) = Statistic::parse(&name.name) {
            let wanted = bound(value, measure_of(statistic));
            let wanted = wanted.map_err(|fault| fault.under(&name.name))?;
            conditions.push(condition(statistic, wanted));
        }
    }
    let is_passed = matches!(subject, GateSubject::Passed(_));
    let needs_verdicts = |statistic: Statistic| {
        statistic == Statistic::PassRate || (statistic.is_of_change() && is_passed)
    };
    if conditions.iter().any(|it| needs_verdicts(it.statistic)) {
        let line = node.member("pass_rate").map_or(key.line, |it| it.line);
        check_verdicts(subject, evaluators, line)?;
    }
    let has =
        |is_wanted: &dyn Fn(Statistic) -> bool| conditions.iter().any(|it| is_wanted(it.statistic));
    let is_limit = |it| matches!(it, Statistic::Applicable | Statistic::NotApplicable);
    if has(&Statistic::is_of_applicable) && !has(&is_limit) {
        conditions.push(Condition {
            statistic: Statistic::Applicable,
            wanted: DEFAULT_APPLICABLE_SHARE,
            implied: true,
        });
    }
    Ok(conditions)
}

const GATE_HELP: &str = "write `EVALUATOR: {mean: \">= 0.9\"}` or `passed: \">= 95%\"`";

fn measure_of(statistic: Statistic) -> Measure {
    match statistic {
        Statistic::PassRate | Statistic::Applicable => Measure::Share,
        count if count.is_count() => Measure::Count,
        Statistic::Change(_) => Measure::Change,
        _ => Measure::Score,
    }
}

/// Checks that an evaluator has verdicts, which a pass rate needs.
fn check_verdicts(subject: &GateSubject, evaluators: &[Configured], line: u64) -> Checked<()> {
    let (decisive, who) = match subject {
        GateSubject::Evaluator { index, label } => {
            let is_decisive = |index: usize| evaluators[index].is_decisive();
            (index.is_some_and(is_decisive), format!("`{label}`"))
        }
        _ => (
            evaluators.iter().any(Configured::is_decisive),
            "any evaluator".to_owned(),
        ),
    };
    if decisive {
        return Ok(());
    }
    let message = match subject {
        GateSubject::Evaluator { .. } => {
            format!("a pass rate of {who}, which has no threshold, so no case can pass or fail")
        }
        _ => "a pass rate of cases, and no evaluator has a threshold, so no case can pass or fail"
            .to_owned(),
    };
    Err(SuiteError::at(line, message)
        .help("write a threshold with the evaluator: `threshold: 0.8`"))
}

fn subject_of(key: &Key, evaluators: &[Configured], trials: TrialRule) -> Checked<GateSubject> {
    match key.name.as_str() {
        "passed" => Ok(GateSubject::Passed(trials)),
        "score" => Ok(GateSubject::Score),
        label => Ok(GateSubject::Evaluator {
            index: Some(evaluator_called(key, evaluators)?),
            label: label.to_owned(),
        }),
    }
}

/// Finds an evaluator by name, else the only unnamed one with this id, else the only one with this
/// id.
fn evaluator_called(key: &Key, evaluators: &[Configured]) -> Checked<usize> {
    let entry = rightcall_core::find(&key.name).ok();
    let of_name = |it: &Configured| it.name.as_deref() == Some(&key.name);
    let of_id =
        |it: &Configured| entry.is_some_and(|entry| std::ptr::eq(entry, it.evaluator.entry()));
    let positions = |matchers: &dyn Fn(&Configured) -> bool| -> Vec<usize> {
        (0..evaluators.len())
            .filter(|&index| matchers(&evaluators[index]))
            .collect()
    };
    let matchers: [&dyn Fn(&Configured) -> bool; 3] =
        [&of_name, &|it| it.name.is_none() && of_id(it), &of_id];
    let mut candidates = matchers.iter().map(|it| positions(it));
    let candidates = candidates.find(|found| !found.is_empty());
    match candidates.unwrap_or_default()[..] {
        [index] => Ok(index),
        [] => {
            let labels: Vec<_> = evaluators.iter().map(Configured::label).collect();
            let near = did_you_mean(
                &key.name,
                labels
                    .iter()
                    .copied()
                    .chain(["passed", "score", "tag", "meta"]),
            );
            let message = format!("no evaluator of this suite is named `{}`{near}", key.name);
            Err(SuiteError::at(key.line, message)
                .help(format!("the suite has {}", labels.join(", "))))
        }
        _ => {
            let message = format!("several evaluators are named `{}`", key.name);
            Err(SuiteError::at(key.line, message).help("give each a `name:` of its own"))
        }
    }
}
