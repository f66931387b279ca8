//! Golden cases as lines of case files, parsed and judged as by the command.
//!
//! The sides become `expected` and `actual`. Where the result for a case file deliberately differs from the original, there is a narrow
//! rule here. Any other difference is an error.

use rightcall_core::value::{JsonWriter, Object, Value};
use rightcall_core::{Ask, Evaluation, Evaluator, NotApplicable, Outcome};
use rightcall_formats::{ReadOptions, read_case};

use super::{Golden, compare, decode, describe};

/// How a line compares with its golden.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Agreement {
    /// The same result, or no score if the original raises an exception.
    Same,
    /// A different result that one of the rules allows.
    Decided,
    /// The golden cannot be a line of a case file.
    NoCase,
}

/// The result of a line, before the rules decide about a difference.
enum Found {
    /// The line is not a valid case.
    Unread(String),
    NotApplicable(NotApplicable),
    /// A result, although the original raises an exception.
    Scored(Box<Evaluation>),
}

/// Compares a line with its golden. Skips goldens that cannot be case lines: complete cases, Python
/// functions, and Azure's pairs of names and parameters.
pub(super) fn check(golden: &Golden<'_>) -> Result<Agreement, String> {
    if golden.case.is_some() || golden.evaluator.starts_with("python/") || is_pair(golden) {
        return Ok(Agreement::NoCase);
    }
    // Use the constructor's settings: suites check settings more strictly, and only the reading of
    // cases is tested here.
    let evaluator = match Evaluator::from_config(&golden.evaluator, golden.config, golden.edition) {
        Ok(evaluator) => evaluator,
        Err(error) if golden.result.is_some() => return Err(error.to_string()),
        Err(_) => return Ok(Agreement::NoCase),
    };
    let line = if golden.evaluator.starts_with("bfcl/") {
        let Some(record) = record_of_bfcl(golden) else {
            return Ok(Agreement::NoCase);
        };
        record
    } else {
        format!(
            r#"{{"id":"golden","expected":{},"actual":{}}}"#,
            golden.expected, golden.actual
        )
    };
    let found = match read_case(&line, &ReadOptions::default()) {
        Err(error) => Found::Unread(error.to_string()),
        Ok(case) => {
            let evaluation = evaluator.evaluate(&case, Ask::ALL);
            match (evaluation.outcome, &golden.result, evaluation.result) {
                (Outcome::NotApplicable(reason), ..) => Found::NotApplicable(reason),
                (_, Some(wanted), Some(result)) => {
                    return compare("", wanted, &result.to_value(), golden.edition)
                        .map(|()| Agreement::Same);
                }
                (Outcome::Failed(error), Some(_), None) => {
                    return Err(format!("expected a result, found {error}"));
                }
                (Outcome::Failed(_), None, None) => return Ok(Agreement::Same),
                (outcome, _, result) => Found::Scored(Box::new(Evaluation {
                    outcome,
                    result,
                    ..evaluation
                })),
            }
        }
    };
    match (&golden.result, &found) {
        (None, Found::Unread(_) | Found::NotApplicable(_)) => Ok(Agreement::Same),
        _ if is_decided(golden, &found) => Ok(Agreement::Decided),
        (Some(_), Found::Unread(error)) => Err(format!("expected a case, found {error}")),
        (_, Found::NotApplicable(reason)) => {
            Err(format!("expected a result, found not applicable: {reason}"))
        }
        (_, Found::Scored(evaluation)) => {
            Err(format!("expected an error, found {}", describe(evaluation)))
        }
    }
}

/// The golden as a record of the BFCL leaderboard: answer and function descriptions are next to the
/// calls, and names of calls are keys.
fn record_of_bfcl(golden: &Golden<'_>) -> Option<String> {
    let answer = golden.expected.strip_prefix('{')?;
    let calls = decode(golden.actual).ok()?;
    let mut writer = JsonWriter::new();
    writer.begin_list();
    for call in calls.as_list()? {
        for (name, arguments) in call.as_object()? {
            writer.begin_object().key("name").text(name);
            writer.key("args").value(arguments).end_object();
        }
    }
    writer.end_list();
    let calls = writer.finish();
    Some(format!(r#"{{"id":"golden","actual":{calls},{answer}"#))
}

/// True if the difference is deliberate.
fn is_decided(golden: &Golden<'_>, found: &Found) -> bool {
    let side = |raw| decode(raw).unwrap_or(Value::Null);
    let (expected, actual) = (side(golden.expected), side(golden.actual));
    let (expected, actual) = (calls(&expected), calls(&actual));
    match found {
        // JavaScript accepts null or an object without a name as a call, and originals may ignore
        // arguments that are not objects. A case file with either is an error. So is a run without
        // messages whose expected messages have no turn of the agent.
        Found::Unread(_) => {
            let calls = expected.iter().chain(&actual);
            let mut calls = calls.filter(|call| !names_a_tool(call) || has_other_arguments(call));
            let is_of_others = |it| !is_of_agent(it) && it.get_str("role").is_some();
            let are_of_others = !expected.is_empty() && objects(&expected).all(is_of_others);
            calls.next().is_some() || actual.is_empty() && are_of_others
        }
        // A null side counts as missing: no expectation, or no run. Originals treat it as an empty list.
        Found::NotApplicable(NotApplicable::NotExpected { .. }) => golden.expected == "null",
        Found::NotApplicable(NotApplicable::NoRun) => golden.actual == "null",
        // An empty list of expected calls cannot be scored.
        Found::NotApplicable(NotApplicable::NothingExpected { .. }) => expected.is_empty(),
        // A field that the expected call omits, or that was not recorded, cannot be compared.
        // Originals treat it as null.
        Found::NotApplicable(NotApplicable::ExpectedOpen { index, field, .. }) => {
            lacks(&expected, *index, field)
        }
        Found::NotApplicable(NotApplicable::NotRecorded { index, field, .. }) => {
            let is_name = |call: &&Value<'_>| call.as_text().is_some();
            lacks(&actual, *index, field) || actual.get(*index).is_some_and(is_name)
        }
        // "No calls" needs evidence. Messages of others, and spans of neither a model nor a tool,
        // show nothing about the agent's turn.
        Found::NotApplicable(NotApplicable::RunNotRecorded { .. }) => {
            !objects(&actual).any(is_of_agent)
        }
        Found::NotApplicable(_) => false,
        // Arguments that an expected call omits are not compared; a run's arguments may be text.
        // Unknown keys are ignored. An empty list is one turn without calls, not zero turns.
        Found::Scored(_) => {
            let raises_on_keys = golden.evaluator.starts_with("axion/");
            let takes_no_text = ["tau2/", "mlflow/"]
                .iter()
                .any(|system| golden.evaluator.starts_with(system));
            (0..expected.len()).any(|index| lacks(&expected, index, "args"))
                || takes_no_text
                    && in_messages(&actual)
                        .chain(objects(&expected))
                        .chain(objects(&actual))
                        .any(|call| arguments(call).is_some_and(|it| it.as_text().is_some()))
                || raises_on_keys
                    && objects(&expected)
                        .chain(objects(&actual))
                        .any(has_other_keys)
                || golden.evaluator.starts_with("adk/")
                    && golden.expected == "[]"
                    && golden.actual == "[]"
        }
    }
}

fn is_pair(golden: &Golden<'_>) -> bool {
    golden.evaluator.starts_with("azure/")
        && decode(golden.expected).is_ok_and(|expected| {
            matches!(expected.as_list(), Some([Value::List(_), Value::Object(_)]))
        })
}

/// The items of a list, or of the only list in a data set object.
fn calls<'v>(side: &'v Value<'v>) -> Vec<&'v Value<'v>> {
    let list = side
        .as_object()
        .and_then(|object| object.get_str("reference_tool_calls"))
        .unwrap_or(side);
    list.as_list().unwrap_or_default().iter().collect()
}

fn objects<'v>(calls: &'v [&'v Value<'v>]) -> impl Iterator<Item = &'v Object<'v>> {
    calls.iter().filter_map(|call| call.as_object())
}

/// True for a turn of the agent. An empty text without a list of calls is not a turn.
fn is_of_agent(item: &Object<'_>) -> bool {
    let text_of = |key: &str| item.get_str(key).and_then(Value::as_text);
    let mut roles = [text_of("role"), text_of("type")].into_iter().flatten();
    let is_agent = roles.any(|word| *word == *"assistant" || *word == *"ai");
    is_agent
        && (text_of("content").is_none_or(|it| !it.is_empty())
            || item.get_str("tool_calls").is_some())
}

fn names_a_tool(call: &Value<'_>) -> bool {
    call.as_object().is_some_and(|call| {
        let has = |key: &str| call.get_str(key).is_some();
        // Spans, messages and invocations have their tool names in other places.
        ["attributes", "role", "type", "intermediate_data"]
            .into_iter()
            .any(has)
            || ["name", "tool", "toolName"].iter().any(|key| {
                call.get_str(key)
                    .is_some_and(|name| name.as_text().is_some())
            })
    })
}

fn arguments<'v>(call: &'v Object<'v>) -> Option<&'v Value<'v>> {
    [
        "args",
        "input_parameters",
        "inputParameters",
        "input",
        "tool_input",
        "arguments",
    ]
    .iter()
    .find_map(|key| call.get_str(key))
}

/// True for arguments that are neither an object nor a string.
fn has_other_arguments(call: &Value<'_>) -> bool {
    let arguments_of_call = call.as_object().and_then(arguments);
    arguments_of_call.is_some_and(|it| {
        !matches!(it, Value::Null) && it.as_object().is_none() && it.as_text().is_none()
    })
}

/// True if the call at this index lacks a field.
fn lacks(calls: &[&Value<'_>], index: usize, field: &str) -> bool {
    calls
        .get(index)
        .and_then(|call| call.as_object())
        .is_some_and(|call| {
            let value = if field == "args" {
                arguments(call)
            } else {
                call.get_str(field)
            };
            value.is_none_or(Value::is_null)
        })
}

fn in_messages<'v>(messages: &'v [&'v Value<'v>]) -> impl Iterator<Item = &'v Object<'v>> {
    let lists = objects(messages).flat_map(|message| {
        let of_key = |key| message.get_str(key).and_then(Value::as_list);
        ["tool_calls", "content"].into_iter().filter_map(of_key)
    });
    lists.flatten().filter_map(Value::as_object)
}

fn has_other_keys(call: &Object<'_>) -> bool {
    call.iter().any(|(key, _)| {
        !["id", "name", "args", "tags"]
            .iter()
            .any(|known| *key == **known)
    })
}
