//! Checks whether any run meets the conditions of an expectation, by generating the described runs
//! and judging them.

use serde_json::{Map, Value, json};

use super::named::NamedTool;
use super::runs::{DescribedRun, described};
use crate::conditions::{Conditions, TriedRun, numbers_in};
use crate::rule_calls::names_decide;

/// The conditions that this check can decide: those on names of calls, and repeats, which depend on
/// arguments.
const DECIDED: [&str; 7] = [
    "counts",
    "required",
    "forbidden",
    "relations",
    "order",
    "max_calls",
    "max_repeats",
];

/// The maximum number of runs to try.
const MAX_RUNS: usize = 5000;

/// The largest number in a condition. Longer runs are not tried.
const MAX_NUMBER: usize = 50;

/// The maximum number of tools to add to the runs because only conditions name them.
const ADDED: usize = 4;

/// An expectation with conditions that no run meets.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Contradiction {
    /// The part that contradicts the others; empty if several do.
    pub(crate) part: &'static str,
    /// The conditions that the nearest run breaks.
    pub(crate) broken: Vec<String>,
}

/// Finds a contradiction in the conditions of an expectation, together with other conditions for
/// the run.
pub(crate) fn contradiction(
    expected: &Value,
    named: &[NamedTool],
    others: &[Value],
) -> Option<Contradiction> {
    let whole = nearest(expected, named, others)?;
    let parts = ["counts", "constraints", "order"];
    let is_it = |part: &&'static str| {
        expected.get(part).is_some() && nearest(&without(expected, part), named, others).is_none()
    };
    // If both order and calls contradict the rest, report the order.
    let part = parts.into_iter().rev().find(is_it);
    Some(Contradiction {
        part: part.unwrap_or_default(),
        broken: whole,
    })
}

/// The fewest conditions that a run breaks; `None` if a run breaks none, or if there are too many
/// runs to try.
fn nearest(expected: &Value, named: &[NamedTool], others: &[Value]) -> Option<Vec<String>> {
    let conditions = conditions_of(expected);
    let mut numbers = Vec::new();
    for conditions in std::iter::once(&conditions).chain(others) {
        numbers_in(conditions, &mut numbers);
    }
    let largest = numbers.iter().copied().max().unwrap_or_default();
    if largest > MAX_NUMBER {
        return None;
    }
    let order = names(&expected["order"]);
    let (runs, calls) = match expected
        .get("calls")
        .or(expected.as_array().map(|_| expected))
    {
        Some(calls) if !calls.is_null() => (described(calls, largest + 1)?, true),
        _ => (
            vec![order.iter().map(|it| json!({"name": it})).collect()],
            false,
        ),
    };
    let added = if calls {
        added(named, &runs)
    } else {
        added(named, &[])
    };
    let texts = std::iter::once(&conditions).chain(others);
    let texts: Vec<String> = texts.map(Conditions::text).collect();
    let read = texts.iter().filter_map(|it| Conditions::read(it));
    let mut conditions: Vec<Conditions<'_>> = read.collect();
    let mut keeps = |run: &DescribedRun| {
        let tried = TriedRun::new(&with_arguments(run.clone()));
        keeps_order(run, &order, &added)
            && conditions
                .iter_mut()
                .all(|it| it.hold(&tried) != Some(false))
    };
    // Most expectations can be met without further calls.
    if runs.iter().any(&mut keeps) {
        return None;
    }
    let runs = with_added(runs, &added, &counts_tried(&numbers))?;
    if runs.iter().any(keeps) {
        return None;
    }
    let breaks = runs.into_iter().map(|run| {
        let order =
            (!keeps_order(&run, &order, &added)).then(|| format!("the order {}", order.join(", ")));
        let tried = TriedRun::new(&with_arguments(run));
        let broken = conditions.iter_mut().filter_map(|it| it.broken(&tried));
        order
            .into_iter()
            .chain(broken.flatten())
            .collect::<Vec<_>>()
    });
    breaks.min_by_key(Vec::len)
}

/// The conditions that can be decided.
fn conditions_of(expected: &Value) -> Value {
    let constraints = expected["constraints"].as_object().into_iter().flatten();
    let decided = constraints.filter(|(key, _)| DECIDED.contains(&key.as_str()));
    let mut decided: Map<_, _> = decided.map(|(key, it)| (key.clone(), it.clone())).collect();
    let rules = expected["constraints"]["rules"].as_array().into_iter();
    let rules: Vec<_> = rules.flatten().filter(|it| names_decide(it)).collect();
    if !rules.is_empty() {
        decided.insert("rules".to_owned(), json!(rules));
    }
    let mut conditions = json!({"constraints": decided});
    if expected["counts"].is_object() {
        conditions["counts"] = expected["counts"].clone();
    }
    conditions
}

fn without(expected: &Value, part: &str) -> Value {
    let mut rest = expected.clone();
    if let Value::Object(members) = &mut rest {
        members.remove(part);
    }
    rest
}

fn names(list: &Value) -> Vec<&str> {
    let items = list.as_array().into_iter().flatten();
    items.filter_map(Value::as_str).collect()
}

/// The tools that conditions name but no described run calls. A pattern counts as a separate tool.
fn added(named: &[NamedTool], runs: &[DescribedRun]) -> Vec<String> {
    let is_called = |name: &str| runs.iter().flatten().any(|call| call["name"] == name);
    let mut added: Vec<String> = Vec::new();
    for tool in named {
        let name = tool.name.replace('*', "").replace('?', "x");
        if !is_called(&name) && !added.contains(&name) {
            added.push(name);
        }
    }
    added
}

/// The numbers of calls to try for an added tool: 0, and numbers around those in conditions.
fn counts_tried(numbers: &[usize]) -> Vec<usize> {
    let around = numbers
        .iter()
        .flat_map(|it| [it.saturating_sub(1), *it, it + 1]);
    let mut counts: Vec<_> = around.chain([0, 1]).collect();
    counts.sort_unstable();
    counts.dedup();
    counts
}

/// The runs with calls of further tools before and after them.
fn with_added(
    mut runs: Vec<DescribedRun>,
    added: &[String],
    counts: &[usize],
) -> Option<Vec<DescribedRun>> {
    if added.len() > ADDED {
        return None;
    }
    for name in added {
        let mut next = Vec::new();
        for run in &runs {
            for count in counts {
                let calls = vec![json!({"name": name}); *count];
                next.push([&calls[..], run].concat());
                if *count > 0 && !run.is_empty() {
                    next.push([run, &calls[..]].concat());
                }
            }
            if next.len() > MAX_RUNS {
                return None;
            }
        }
        runs = next;
    }
    Some(runs)
}

/// True if the run's names are this order. Added tools are skipped.
fn keeps_order(run: &[Value], order: &[&str], added: &[String]) -> bool {
    let mut calls = run.iter().filter_map(|call| call["name"].as_str());
    let mut order = order
        .iter()
        .filter(|name| !added.iter().any(|it| it == *name));
    order.all(|name| calls.any(|call| call == *name))
}

/// The run with unique arguments for each call that leaves them open, because two such calls need
/// not be equal.
fn with_arguments(mut run: DescribedRun) -> DescribedRun {
    for (number, call) in run.iter_mut().enumerate() {
        if call.get("args").is_none() {
            call["args"] = json!({"call": number});
        }
    }
    run
}
