//! The questions and expectations of paired cases. Cases of different tasks may have the same id.

use std::collections::BTreeMap;

use rightcall_core::value::{RawJson, Syntax, ValueEquality, decode_with, from_json};
use rightcall_store::StoreError;
use serde::Deserialize;

use super::compared_run::ComparedRun;
use crate::text::count;

/// Paired cases with another question or expectation in the other run.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OtherTasks {
    /// The number of pairs with both sides known.
    pub paired: usize,
    /// The keys of pairs with another question.
    pub questions: Vec<String>,
    /// The keys of pairs with the same question and another expectation.
    pub expectations: Vec<String>,
}

/// The question and the expectation of a case, as JSON texts.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct TaskText<'t> {
    #[serde(borrow)]
    input: Option<RawJson<'t>>,
    #[serde(borrow)]
    expected: Option<RawJson<'t>>,
}

/// An owned [`TaskText`].
struct Task {
    input: Option<String>,
    expected: Option<String>,
}

impl OtherTasks {
    /// Compares the first trial of each case in the first run with that in each other run, if
    /// known. In an unreadable run, no case is known.
    pub(super) fn since_first(runs: &[ComparedRun]) -> Vec<Self> {
        let [first, others @ ..] = runs else {
            return Vec::new();
        };
        let before = tasks(first).unwrap_or_default();
        let after = others.iter().map(|other| tasks(other).unwrap_or_default());
        after.map(|after| Self::between(&before, &after)).collect()
    }

    /// Compares the first trial of each case in two runs, if known.
    ///
    /// # Errors
    /// A history can't be read.
    pub fn since(before: &ComparedRun, after: &ComparedRun) -> Result<Self, StoreError> {
        Ok(Self::between(&tasks(before)?, &tasks(after)?))
    }

    /// A note on cases with another question in the run with this name, with an example; `None` if
    /// there are none.
    pub fn questions_told(&self, name: &str) -> Option<String> {
        let example = self.questions.first()?;
        let (cases, paired) = (
            self.questions.len(),
            count(self.paired as u64, "paired case"),
        );
        let has = if cases == 1 { "has" } else { "have" };
        Some(format!(
            "{cases} of {paired} {has} another question in {name}: {example}"
        ))
    }

    fn between(before: &Tasks<'_>, after: &Tasks<'_>) -> Self {
        let mut found = Self::default();
        for (key, one) in before {
            let Some(other) = after.get(key) else {
                continue;
            };
            found.paired += 1;
            if differ(one.input.as_ref(), other.input.as_ref()) {
                found.questions.push((*key).to_owned());
            } else if differ(one.expected.as_ref(), other.expected.as_ref()) {
                found.expectations.push((*key).to_owned());
            }
        }
        found
    }
}

/// True if two JSON texts have different values. A missing text is unknown.
fn differ(one: Option<&String>, other: Option<&String>) -> bool {
    let (Some(one), Some(other)) = (one, other) else {
        return false;
    };
    let [left, right] = [one, other].map(|text| decode_with(text, Syntax::PYTHON));
    one != other
        && match (left, right) {
            (Ok(left), Ok(right)) => !ValueEquality::Json.equal(&left, &right),
            _ => true,
        }
}

/// The task of the first trial of each case, by key.
type Tasks<'r> = BTreeMap<&'r str, Task>;

fn tasks(run: &ComparedRun) -> Result<Tasks<'_>, StoreError> {
    let mut tasks = BTreeMap::new();
    run.each_text(|at, json| {
        let key = run.scores.cases[at].key.as_str();
        let Ok(task) = from_json::<TaskText<'_>>(json) else {
            return;
        };
        let owned = |text: Option<RawJson<'_>>| text.map(|it| it.0.to_owned());
        tasks.entry(key).or_insert_with(|| Task {
            input: owned(task.input),
            expected: owned(task.expected),
        });
    })?;
    Ok(tasks)
}
