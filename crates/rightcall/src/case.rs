//! A case, and its evaluation.

use std::sync::Arc;

use rightcall_core::call::Case;
use rightcall_core::{Ask, Evaluator};
use rightcall_formats::{LinePlace, ReadOptions, read_case, refuse_near_keys};
use rightcall_quality::use_tool_definitions;
use rightcall_results::EvaluationResult;
use serde::Serialize;

use crate::error::Error;

/// An evaluator with settings: a struct, a map or a [`serde_json::Value`] with the names of the evaluator's page. `()` leaves the defaults.
///
/// # Errors
/// The id or a setting is invalid; the message suggests the nearest name.
pub fn evaluator(id: &str, settings: &impl Serialize) -> Result<Evaluator, Error> {
    let settings = match serde_json::to_value(settings)? {
        serde_json::Value::Null => "{}".to_owned(),
        given => given.to_string(),
    };
    use_tool_definitions();
    Ok(Evaluator::new(id, &settings, None)?)
}

/// Evaluates one case with an evaluator's default settings. See [`CaseText::new`] for the case.
///
/// # Errors
/// The evaluator does not exist, or the case is invalid.
pub fn evaluate(id: &str, case: &impl Serialize) -> Result<EvaluationResult, Error> {
    let case = CaseText::unread(&serde_json::to_string(case)?, None);
    let case = case.read()?;
    Ok(evaluated(&case, &evaluator(id, &())?))
}

/// The result with its main reason. A case with several accepted runs is resolved once, for the score and for the reason.
fn evaluated(case: &Case<'_>, evaluator: &Evaluator) -> EvaluationResult {
    case.with_resolved(|resolved| {
        let mut result = EvaluationResult::from(evaluator.evaluate(resolved, Ask::ALL));
        result.explain(resolved);
        result
    })
}

/// One case: the expectation, and the agent's run.
#[derive(Clone, Debug)]
pub struct CaseText {
    text: Box<str>,
    /// The file and the line it was read from.
    place: Option<(Arc<str>, LinePlace)>,
}

impl CaseText {
    /// A case from one's own struct or a [`serde_json::Value`]. `expected` is a list of calls or an expectation in blocks; `actual` is a
    /// list of calls, or messages or spans in any known format; `id`, `trial`, `tags`, `input` and `output` describe the case.
    ///
    /// # Errors
    /// The value can't be JSON, or has an unknown member.
    pub fn new(case: &impl Serialize) -> Result<Self, Error> {
        Self::from_json(&serde_json::to_string(case)?)
    }

    /// A case from JSON text, as on a line of a file.
    ///
    /// # Errors
    /// The text is not JSON, or not a case.
    pub fn from_json(text: &str) -> Result<Self, Error> {
        let case = Self::unread(text, None);
        case.read()?;
        Ok(case)
    }

    /// A text that is not checked yet, with the file and the line it was read from.
    pub(crate) fn unread(text: &str, place: Option<(Arc<str>, LinePlace)>) -> Self {
        Self {
            text: text.into(),
            place,
        }
    }

    /// The JSON text.
    pub fn as_json(&self) -> &str {
        &self.text
    }

    /// The id, or else `FILE:LINE`, with `#2` for the second record of a line; `None` for a case without either.
    ///
    /// # Errors
    /// The record of the file is not a case.
    pub fn name(&self) -> Result<Option<String>, Error> {
        let case = self.read()?;
        let id = case.id.as_ref().map(|id| id.to_display().into_owned());
        let place = self.place.as_ref();
        Ok(id.or_else(|| place.map(|(file, place)| place.in_file(file))))
    }

    /// Evaluates the case. The result has the explanation and, for a low score, the main reason as text.
    ///
    /// # Errors
    /// The record of the file is not a case.
    pub fn evaluate(&self, evaluator: &Evaluator) -> Result<EvaluationResult, Error> {
        Ok(evaluated(&self.read()?, evaluator))
    }

    /// The parsed case. A key that is nearly a known one is an error: its value would not be judged.
    fn read(&self) -> Result<Case<'_>, Error> {
        let options = ReadOptions::default();
        let read =
            read_case(&self.text, &options).and_then(|case| refuse_near_keys(&case).map(|()| case));
        read.map_err(|error| match &self.place {
            Some((file, place)) => error.at(file, Some(place.line)).into(),
            None => error.into(),
        })
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_misspelt_side_is_an_error() {
        let error = CaseText::new(&json!({"expectd": ["a"], "actual": ["a"]})).unwrap_err();
        assert_eq!(
            (error.to_string().as_str(), error.help()),
            (
                "expected a key of a case, found the key `expectd`",
                Some("did you mean `expected`?")
            )
        );
    }

    #[test]
    fn own_keys_of_a_case_are_no_error() {
        let case =
            json!({"expected": ["a"], "actual": ["a"], "model": "m", "expected_answer": "b"});
        let result = evaluate("trajectory", &case).unwrap();
        assert_eq!(result.score(), Some(1.0));
    }

    #[test]
    fn a_reason_is_that_of_the_nearest_accepted_run() {
        let case = json!({"expected": [{"one_of": ["a", "b"]}, "c"], "actual": ["b"]});
        let result = evaluate("trajectory", &case).unwrap();
        assert_eq!(
            (result.score(), result.why.as_str()),
            (Some(2.0 / 3.0), "1 missed: c")
        );
    }
}
