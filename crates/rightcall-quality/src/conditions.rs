//! Conditions on runs, as the evaluator `constraints` judges them.

use std::sync::LazyLock;

use rightcall_core::call::{Arguments, Call, Case};
use rightcall_core::value::Text;
use rightcall_core::{Ask, Evaluator, Outcome};
use rightcall_formats::{ReadOptions, read_case};
use serde_json::{Value, json};

static CONSTRAINTS: LazyLock<Option<Evaluator>> =
    LazyLock::new(|| Evaluator::new("constraints", "{}", None).ok());

/// The `counts` and `constraints` of an expectation, parsed once for all runs that are tried.
#[derive(Debug)]
pub(crate) struct Conditions<'t> {
    case: Case<'t>,
}

impl<'t> Conditions<'t> {
    /// The text of a case without a run, which [`read`](Self::read) parses.
    pub(crate) fn text(expected: &Value) -> String {
        json!({"expected": expected, "actual": []}).to_string()
    }

    /// `None` if a case can't have this expectation.
    pub(crate) fn read(text: &'t str) -> Option<Self> {
        let case = read_case(text, &ReadOptions::default()).ok()?;
        Some(Self { case })
    }

    /// True if a run keeps the conditions; `None` if no condition applies.
    pub(crate) fn hold(&mut self, run: &TriedRun) -> Option<bool> {
        self.set(run);
        match CONSTRAINTS
            .as_ref()?
            .evaluate(&self.case, Ask::OUTCOME)
            .outcome
        {
            Outcome::Scored(score) => Some(score.get() >= 1.0),
            _ => None,
        }
    }

    /// The conditions that a run breaks, as text; `None` if no condition applies.
    pub(crate) fn broken(&mut self, run: &TriedRun) -> Option<Vec<String>> {
        self.set(run);
        let explanation = CONSTRAINTS
            .as_ref()?
            .evaluate(&self.case, Ask::EXPLANATION)
            .explanation?;
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

    fn set(&mut self, run: &TriedRun) {
        if let Some(actual) = &mut self.case.actual {
            actual.calls.clone_from(&run.0);
        }
    }
}

/// A run to try conditions on.
#[derive(Clone, Debug)]
pub(crate) struct TriedRun(Vec<Call<'static>>);

impl TriedRun {
    /// The calls: names, or objects with `name`, and with `args` and `error` if known.
    pub(crate) fn new(calls: &[Value]) -> Self {
        let call = |it: &Value| {
            let name = it.as_str().or_else(|| it["name"].as_str());
            let arguments = it
                .get("args")
                .map(|it| Arguments::owned_json(it.to_string()));
            let mut call = Call {
                name: Text::from(name.unwrap_or_default().to_owned()),
                arguments: arguments.unwrap_or_default(),
                ..Call::default()
            };
            if let Some(error) = it.get("error") {
                call.metadata_mut().error = Some(error.to_string().into());
            }
            call
        };
        Self(calls.iter().map(call).collect())
    }
}

/// True if a run keeps the `counts` and `constraints` of an expectation; `None` if they don't
/// apply.
pub(crate) fn holds(expected: &Value, run: &[Value]) -> Option<bool> {
    Conditions::read(&Conditions::text(expected))?.hold(&TriedRun::new(run))
}

/// The whole numbers in values, also in texts such as `">= 3"`.
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
    fn broken_conditions_are_those_of_the_evaluator() {
        let expected =
            json!({"counts": {"f": 2}, "constraints": {"forbidden": ["g*"], "max_calls": 3}});
        let run = |names: &[&str]| names.iter().map(|it| json!(it)).collect::<Vec<_>>();
        assert_eq!(holds(&expected, &run(&["f", "f"])), Some(true));
        let text = Conditions::text(&expected);
        let broken = Conditions::read(&text)
            .unwrap()
            .broken(&TriedRun::new(&run(&["f", "gg"])));
        assert_eq!(broken.unwrap(), ["f = 2", "g* is forbidden"]);
        assert_eq!(holds(&json!({"counts": {}}), &run(&["f"])), None);
    }
}
