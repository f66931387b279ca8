//! What paired cases ask and expect. Cases of different tasks may have the same id.

use std::collections::BTreeMap;

use rightcall_core::value::{RawJson, Syntax, ValueEquality, decode_with, from_json};
use rightcall_store::StoreError;
use serde::Deserialize;

use super::compared_run::ComparedRun;

/// Paired cases with another question or expectation in the other run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OtherTasks {
    /// The number of these cases.
    pub cases: usize,
    /// The number of pairs of which both sides are known.
    pub paired: usize,
    /// The key of the first, by name.
    pub example: String,
    /// What differs in it.
    pub differs: &'static str,
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

/// The same, owned.
struct Task {
    input: Option<String>,
    expected: Option<String>,
}

impl OtherTasks {
    /// Compares the first trial of each case in both runs; `None` if all ask and expect the same, as far as known.
    ///
    /// # Errors
    /// The history cannot be read.
    pub fn between([before, after]: [&ComparedRun; 2]) -> Result<Option<Self>, StoreError> {
        let (before, after) = (tasks(before)?, tasks(after)?);
        let pairs = before
            .iter()
            .filter_map(|(key, one)| Some((key, one, after.get(key)?)));
        let pairs: Vec<_> = pairs.collect();
        let differing = pairs
            .iter()
            .filter_map(|(key, one, other)| Some((*key, one.differs(other)?)));
        let differing: Vec<_> = differing.collect();
        Ok(differing.first().map(|(key, differs)| Self {
            cases: differing.len(),
            paired: pairs.len(),
            example: (*key).to_string(),
            differs,
        }))
    }
}

impl Task {
    fn differs(&self, other: &Self) -> Option<&'static str> {
        if differ(self.input.as_ref(), other.input.as_ref()) {
            return Some("question");
        }
        differ(self.expected.as_ref(), other.expected.as_ref()).then_some("expectation")
    }
}

/// Whether two JSON texts have different values. A missing text is unknown.
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

/// The task of the first trial of each case.
fn tasks(run: &ComparedRun) -> Result<BTreeMap<&str, Task>, StoreError> {
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
