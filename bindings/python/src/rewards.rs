//! Rewards for training, computed from the columns of a batch.

use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyString, PyTuple};
use rightcall_core::value::{Syntax, Value, is_json};
use rightcall_formats::ToolCatalogue;
use rightcall_run::{
    Completion, ExpectationFault, Reward, RewardError, RewardMetric, RewardParts, RewardRow,
    RewardWeights, RowExpectation, RowReward, ScoredTurns,
};

use crate::evaluator::Evaluator;
use crate::plain_objects::PlainObjects;
use crate::score::thread_count;
use crate::settings::reading;
use crate::subject::{is_missing, live_calls};
use crate::walked_calls::WalkedCase;
use crate::{errors, walk};

/// A reward with its settings.
#[pyclass(frozen, module = "rightcall._native")]
pub(crate) struct ToolCallReward {
    reward: Reward,
    threads: Option<usize>,
}

/// The default metric.
const CREDIT: &str = "credit";

/// A completion, converted from Python objects.
enum GivenCompletion<'py> {
    Text(String),
    Json(String),
    Plain(PlainObjects<'py>),
}

impl<'py> GivenCompletion<'py> {
    fn of(completion: &Bound<'py, PyAny>, row: usize) -> PyResult<Self> {
        if let Ok(text) = completion.cast::<PyString>() {
            return Ok(Self::Text(text.to_string_lossy().into_owned()));
        }
        let is_message = completion.cast::<PyDict>().is_ok();
        let is_list = completion.cast::<PyList>().is_ok() || completion.cast::<PyTuple>().is_ok();
        if !is_message && !is_list {
            let argument = format!("completions[{row}]");
            return Err(errors::wrong_type(
                &argument,
                "a text or a list of messages",
                completion,
            ));
        }
        if let Some(objects) = PlainObjects::new(completion.clone()) {
            return Ok(Self::Plain(objects));
        }
        let json = walk::json_of(&live_calls(completion, "")?)?;
        Ok(Self::Json(if json.starts_with('{') {
            format!("[{json}]")
        } else {
            json
        }))
    }

    /// Its length, or its number of objects.
    fn len(&self) -> usize {
        match self {
            Self::Text(text) | Self::Json(text) => text.len(),
            Self::Plain(objects) => objects.len(),
        }
    }

    fn as_completion(&self) -> Completion<'_> {
        match self {
            Self::Text(text) => Completion::Text(text),
            Self::Json(json) => Completion::Json(json),
            Self::Plain(objects) => Completion::Messages(match objects.value() {
                Value::List(messages) => messages,
                message => vec![message],
            }),
        }
    }
}

/// An expectation, converted from Python objects.
enum GivenExpectation {
    Walked(WalkedCase),
    Json(String),
}

impl GivenExpectation {
    /// A string is used as JSON text directly.
    fn of(expected: &Bound<'_, PyAny>, column: &str, row: usize) -> PyResult<Option<Self>> {
        if is_missing(expected) {
            return Ok(None);
        }
        let Ok(text) = expected.cast::<PyString>() else {
            return Ok(Some(match WalkedCase::of_sides(Some(expected), None) {
                Some(walked) => Self::Walked(walked),
                None => Self::Json(walk::json_of(expected)?),
            }));
        };
        let text = text.to_string_lossy().into_owned();
        if is_json(&text, Syntax::PYTHON) {
            return Ok((text.trim() != "null").then_some(Self::Json(text)));
        }
        let message = format!("{column}[{row}]: expected calls or their JSON text, found {text:?}");
        Err(errors::value(expected.py(), &message))
    }

    /// Its approximate length as JSON.
    fn len(&self) -> usize {
        match self {
            Self::Walked(walked) => walked.len(),
            Self::Json(json) => json.len(),
        }
    }

    fn as_expectation(&self) -> RowExpectation<'_> {
        match self {
            Self::Walked(walked) => RowExpectation::Case(walked.case(reading().hash_key)),
            Self::Json(json) => RowExpectation::Json(json),
        }
    }
}

#[pymethods]
impl ToolCallReward {
    #[new]
    #[pyo3(signature = (*, metric, weights, malformed, missing, tools, last_turn, allow_gameable, threads))]
    #[expect(clippy::too_many_arguments, reason = "keywords of Python")]
    fn new(
        py: Python<'_>,
        metric: &Bound<'_, PyAny>,
        weights: Option<Vec<(String, f64)>>,
        malformed: f64,
        missing: f64,
        tools: Option<&Bound<'_, PyAny>>,
        last_turn: bool,
        allow_gameable: bool,
        threads: Option<usize>,
    ) -> PyResult<Self> {
        let is_credit = metric.cast::<PyString>().is_ok_and(|it| *it == CREDIT);
        let is_default = is_credit && weights.is_none();
        let metric = if is_credit {
            let weights = weights.unwrap_or_default();
            let weights = weights
                .iter()
                .map(|(name, weight)| (name.as_str(), *weight));
            let weights = RewardWeights::with(weights);
            RewardMetric::Credit(weights.map_err(|error| errors::value(py, &error.to_string()))?)
        } else if weights.is_some() {
            let message = "weights: expected the metric \"credit\", found an evaluator";
            return Err(errors::value(py, message));
        } else {
            RewardMetric::Evaluator(Evaluator::of_object(metric)?.configured)
        };
        let reward = Reward::new(metric, malformed, missing);
        let mut reward = reward.map_err(|error| errors::value(py, &error.to_string()))?;
        if !is_default && !allow_gameable {
            let lacks = py.detach(|| reward.audit());
            if !lacks.is_empty() {
                let lacks: Vec<_> = lacks.iter().map(ToString::to_string).collect();
                let message = format!(
                    "metric: a model can raise this reward by errors; pass allow_gameable=True to use it all the same\n{}",
                    lacks.join("\n")
                );
                return Err(errors::value(py, &message));
            }
        }
        if let Some(tools) = tools {
            let tools = walk::json_under("tools", tools)?;
            let tools = ToolCatalogue::from_json(&tools);
            reward.tools = tools.map_err(|error| errors::value(py, &format!("tools: {error}")))?;
        }
        if last_turn {
            reward.turns = ScoredTurns::Last;
        }
        Ok(Self { reward, threads })
    }

    /// The rewards of a batch, and the values of each part if requested.
    #[pyo3(signature = (completions, expected, /, *, column, with_parts))]
    fn score<'py>(
        &self,
        py: Python<'py>,
        completions: &Bound<'py, PyAny>,
        expected: &Bound<'py, PyAny>,
        column: &str,
        with_parts: bool,
    ) -> PyResult<ScoredBatch<'py>> {
        let mut walked = 0;
        let mut pause_after = |length: usize| {
            walk::let_others_run(py, walked, walked + length);
            walked += length;
        };
        let texts = "a list of texts or of messages";
        let completions = errors::items_of("completions", texts, completions)?.enumerate();
        let completions = completions
            .map(|(row, completion)| {
                let given = GivenCompletion::of(&completion?, row)?;
                pause_after(given.len());
                Ok(given)
            })
            .collect::<PyResult<Vec<_>>>()?;
        let calls = "a list with the calls of each completion";
        let expected = errors::items_of(column, calls, expected)?.enumerate();
        let expected = expected
            .map(|(row, expected)| {
                let given = GivenExpectation::of(&expected?, column, row)?;
                pause_after(given.as_ref().map_or(0, GivenExpectation::len));
                Ok(given)
            })
            .collect::<PyResult<Vec<_>>>()?;
        if completions.len() != expected.len() {
            let message = format!(
                "{column}: expected {} values, one a completion, found {}",
                completions.len(),
                expected.len()
            );
            return Err(errors::value(py, &message));
        }
        let rows: Vec<_> = completions
            .iter()
            .zip(&expected)
            .map(|(completion, expected)| RewardRow {
                completion: completion.as_completion(),
                expected: expected.as_ref().map(GivenExpectation::as_expectation),
            })
            .collect();
        let threads = thread_count(self.threads);
        let rewards = py.detach(|| self.reward.score(&rows, reading(), threads));
        let rewards = rewards.map_err(|error| failed(py, &error, column))?;
        let parts = with_parts.then(|| parts_of(py, &rewards)).transpose()?;
        Ok((rewards.iter().map(|it| it.reward).collect(), parts))
    }
}

fn failed(py: Python<'_>, error: &RewardError, column: &str) -> PyErr {
    match error {
        RewardError::Row { row, error } => {
            let help = match error {
                ExpectationFault::Unreadable(error) => error.help.as_deref(),
                _ => None,
            };
            let help = help.map_or_else(String::new, |help| format!("; {help}"));
            errors::value(py, &format!("{column}[{row}]: {error}{help}"))
        }
        RewardError::Threads(error) => errors::value(py, &error.to_string()),
    }
}

/// The rewards of a batch, and a dict with the values of each part.
type ScoredBatch<'py> = (Vec<Option<f64>>, Option<Bound<'py, PyDict>>);

/// A part with its name.
type Part = (&'static str, fn(&RewardParts) -> f64);

/// The values of each part, as a dict of lists.
fn parts_of<'py>(py: Python<'py>, rewards: &[RowReward]) -> PyResult<Bound<'py, PyDict>> {
    let parts: [Part; 6] = [
        ("name", |it| it.name),
        ("keys", |it| it.keys),
        ("values", |it| it.values),
        ("order", |it| it.order),
        ("extra", |it| it.extra),
        ("format", |it| it.format),
    ];
    let dict = PyDict::new(py);
    for (name, part) in parts {
        let values: Vec<_> = rewards
            .iter()
            .map(|it| it.parts.as_ref().map(part))
            .collect();
        dict.set_item(name, values)?;
    }
    Ok(dict)
}
