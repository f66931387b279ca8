//! Conditions on runs, as the evaluator `constraints` judges them.

use std::sync::LazyLock;

use rightcall_core::{Ask, Evaluator};
use rightcall_formats::{ReadOptions, read_case};
use serde_json::{Value, json};

static CONSTRAINTS: LazyLock<Option<Evaluator>> =
    LazyLock::new(|| Evaluator::new("constraints", "{}", None).ok());

/// Whether a run keeps the `counts` and `constraints` of an expectation; `None` if these do not judge it.
pub(crate) fn holds(expected: &Value, run: &[Value]) -> Option<bool> {
    broken(expected, run).map(|broken| broken.is_empty())
}

/// The conditions that a run breaks, in words; `None` if none judges it.
pub(crate) fn broken(expected: &Value, run: &[Value]) -> Option<Vec<String>> {
    let text = json!({"expected": expected, "actual": run}).to_string();
    let case = read_case(&text, &ReadOptions::default()).ok()?;
    let ask = Ask {
        explanation: true,
        ..Ask::OUTCOME
    };
    let explanation = CONSTRAINTS.as_ref()?.evaluate(&case, ask).explanation?;
    let judged = explanation.checks.iter().filter(|it| it.held.is_some());
    let judged: Vec<_> = judged.collect();
    let broken = judged.iter().filter(|it| it.held == Some(false));
    let broken = broken.map(|it| match &*it.wanted {
        "= 0" if it.label.ends_with("is forbidden") => it.label.clone(),
        wanted => format!("{} {wanted}", it.label),
    });
    let broken = broken.collect();
    (!judged.is_empty()).then_some(broken)
}

/// The largest whole numbers that values name, texts such as `">= 3"` included.
pub(crate) fn numbers_in(value: &Value, found: &mut Vec<usize>) {
    match value {
        Value::Number(number) => found.extend(number.as_u64().map(|it| it as usize)),
        Value::String(text) => {
            let parts = text.split(|it: char| !it.is_ascii_digit());
            found.extend(parts.filter_map(|it| it.parse::<usize>().ok()));
        }
        Value::Array(items) => items.iter().for_each(|it| numbers_in(it, found)),
        Value::Object(members) => members.values().for_each(|it| numbers_in(it, found)),
        Value::Null | Value::Bool(_) => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_run_breaks_what_the_evaluator_says() {
        let expected =
            json!({"counts": {"f": 2}, "constraints": {"forbidden": ["g*"], "max_calls": 3}});
        let run = |names: &[&str]| names.iter().map(|it| json!(it)).collect::<Vec<_>>();
        assert_eq!(holds(&expected, &run(&["f", "f"])), Some(true));
        assert_eq!(
            broken(&expected, &run(&["f", "gg"])).unwrap(),
            ["f = 2", "g* is forbidden"]
        );
        assert_eq!(holds(&json!({"counts": {}}), &run(&["f"])), None);
    }
}
