//! Records of the Berkeley Function Calling Leaderboard, one a line: model answers, and accepted answers.

use rightcall_core::call::{Call, Case, Expectation};
use rightcall_core::expectation::{has_matcher_key, literal};
use rightcall_core::value::{JsonWriter, MAX_DEPTH, Text};

use super::lacks::{self, Lack};
use super::parts::{
    arguments, calls, case_id, expected_calls, messages, object, object_line, object_or_empty,
};
use super::writer::{Frame, Writer, WrittenCase};
use crate::case::case_text;
use crate::formats::bfcl::first_answer;
use crate::json;
use crate::messages::json_text;
use crate::node::Node;
use crate::{ReadOptions, read_case};

/// Keys of a record, also the meta keys for its original values.
const TRUTH: &str = "ground_truth";
const FUNCTION: &str = "function";

pub(super) static WRITER: Writer = Writer {
    name: "bfcl",
    summary: "records of BFCL with `result` and `ground_truth`, one a line",
    needs: "a run or expected calls with values, or lists of values, as arguments",
    lacks: &[
        lacks::TIMES,
        lacks::IDS,
        lacks::TOOL_IDS,
        lacks::ACTORS,
        lacks::PARENTS,
        lacks::PROVIDER,
        lacks::NOT_RUN,
        lacks::RESULTS,
        Lack::calls("errors", |call| call.metadata().error.is_some()),
        lacks::NO_ARGUMENTS,
        lacks::NO_TURNS,
        Lack::cases("which calls were asked for later than others", |case| {
            messages(calls(case)).len() > 1
        }),
        Lack::cases(
            "expectations in blocks, or with matchers other than `$one_of`, `$optional`, `$eq` and `$literal`",
            |case| case.expected.tree.is_some() && accepted_in_tree(case).is_none(),
        ),
        lacks::GAPS,
        lacks::NOT_CALLS,
        Lack::expected(
            "expected calls of any arguments; the format accepts none",
            |call| call.arguments.is_absent(),
        ),
        lacks::EXPECTED_NOT_OBJECTS,
        Lack::cases(
            "expected arguments that are an empty text, which may be left out there",
            |case| {
                let calls = expected_calls(case).unwrap_or_default();
                let has_empty = |call| object(call).is_some_and(|json| json.contains(r#""""#));
                calls.iter().any(has_empty) && kept_truth(case).is_none()
            },
        ),
        Lack::cases("messages that expected calls belong to", |case| {
            let calls = expected_calls(case).unwrap_or_default();
            let has_turns = calls.iter().any(|call| call.metadata().turn.is_some());
            has_turns && kept_truth(case).is_none()
        }),
        lacks::EXPECTED_RESULTS,
        lacks::COMPARE_ARGS,
        lacks::EXPECTED_ACTORS,
        lacks::EXPECTED_DETAILS,
        lacks::NO_CASE_ID,
        Lack::cases("questions that are no messages by turn", |case| {
            case.input.is_some() && question(case).is_none()
        }),
        lacks::ANSWERS,
        lacks::TAGS,
        lacks::TRIALS,
        lacks::DESCRIPTIONS,
        Lack::cases("meta beside `ground_truth` and `function`", |case| {
            case.meta
                .iter()
                .any(|(key, _)| *key != *TRUTH && *key != *FUNCTION)
        }),
    ],
    frame: Frame::LINES,
    write,
};

fn write(case: &Case<'_>) -> Option<WrittenCase> {
    let truth = truth(case);
    if case.actual.is_none() && truth.is_none() {
        return None;
    }
    let line = object_line(|writer| {
        writer.key("id").raw(&case_id(case));
        json::raw(writer, "question", question(case));
        json::raw(writer, FUNCTION, meta(case, FUNCTION));
        if let Some(run) = &case.actual {
            writer.key("result");
            result(writer, &run.calls);
        }
        json::raw(writer, TRUTH, truth.as_deref());
    });
    Some(line.into())
}

fn meta<'a>(case: &Case<'a>, key: &str) -> Option<&'a str> {
    let is_it = |(name, _): &&(Text<'_>, &str)| *name == *key;
    case.meta.iter().find(is_it).map(|(_, json)| *json)
}

/// The question, if it is messages by turn.
fn question<'a>(case: &Case<'a>) -> Option<&'a str> {
    case.input.filter(|json| json.starts_with("[["))
}

/// A model's calls as the list of one answer.
fn result(writer: &mut JsonWriter, calls: &[Call<'_>]) {
    writer.begin_list();
    for call in calls {
        let arguments = arguments(call).unwrap_or(Text::new("{}"));
        writer.begin_object().key_text(&call.name);
        writer.text(&arguments).end_object();
    }
    writer.end_list();
}

/// The accepted answers as read, if the case's expectation is unchanged.
fn kept_truth<'a>(case: &Case<'a>) -> Option<&'a str> {
    meta(case, TRUTH).filter(|json| is_expected(case, json))
}

/// The accepted answers.
fn truth(case: &Case<'_>) -> Option<String> {
    if let Some(kept) = kept_truth(case) {
        return Some(kept.to_owned());
    }
    let Some(calls) = expected_calls(case) else {
        return accepted_in_tree(case);
    };
    let calls: Option<Vec<_>> = calls
        .iter()
        .map(|call| {
            let object = object_or_empty(call);
            let arguments = Node::parse(&object, MAX_DEPTH).ok()?;
            Some((call.name.reborrow(), accepted(&arguments, Value::Plain)?))
        })
        .collect();
    Some(answers(&calls?))
}

/// True if the case expects what these accepted answers mean.
fn is_expected(case: &Case<'_>, truth: &str) -> bool {
    let Some(read) = first_answer(truth) else {
        return false;
    };
    let text = format!(r#"{{"expected":{}}}"#, literal(&read));
    let Ok(read) = read_case(&text, &ReadOptions::default()) else {
        return false;
    };
    let of = |expected: &Expectation<'_>| {
        case_text(&Case {
            expected: expected.clone(),
            ..Case::default()
        })
    };
    of(&read.expected) == of(&case.expected)
}

/// The accepted answers for a sequence of calls, if the matchers are lists of values or optional values.
fn accepted_in_tree(case: &Case<'_>) -> Option<String> {
    let tree = Node::parse(case.expected.tree.as_ref()?.text(), MAX_DEPTH).ok()?;
    let call = |item: &Node<'_>| {
        let is_plain = |key: &Text<'_>| *key == *"name" || *key == *"args";
        let is_call = item.entries().iter().all(|(key, _)| is_plain(key));
        let arguments = item
            .get("args")
            .filter(|args| is_call && args.is_object())?;
        let name = item.get("name")?.text()?.clone().into_owned();
        Some((name, accepted(arguments, Value::Pattern)?))
    };
    let calls: Option<Vec<_>> = tree.items().iter().map(call).collect();
    calls
        .filter(|calls| !calls.is_empty())
        .map(|calls| answers(&calls))
}

fn answers(calls: &[(Text<'_>, String)]) -> String {
    json::list(|writer| {
        for (name, arguments) in calls {
            writer.begin_object().key_text(name).raw(arguments);
            writer.end_object();
        }
    })
}

/// The meaning of keys with a dollar sign: data, or matchers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Value {
    Plain,
    Pattern,
}

/// A value in the leaderboard's form: in objects each key has a list of accepted values. `None` if it cannot be expressed.
fn accepted(node: &Node<'_>, kind: Value) -> Option<String> {
    if node.is_object() {
        let entries = node.entries().iter();
        let members: Option<Vec<_>> = entries
            .map(|(key, value)| Some(format!("{}:{}", json_text(key), values(value, kind)?)))
            .collect();
        Some(format!("{{{}}}", members?.join(",")))
    } else if node.items().iter().any(Node::is_object) {
        let is_plain = |item: &&Node<'_>| kind == Value::Plain || matcher(item).is_none();
        let items: Option<Vec<_>> = node
            .items()
            .iter()
            .map(|item| accepted(Some(item).filter(is_plain)?, kind))
            .collect();
        Some(format!("[{}]", items?.join(",")))
    } else {
        // Deeper values are taken literally.
        let is_exact = kind == Value::Plain || !has_matcher_key(node.raw());
        is_exact.then(|| node.raw().to_owned())
    }
}

/// The accepted values under a key; an empty string means that the key is optional.
fn values(node: &Node<'_>, kind: Value) -> Option<String> {
    let found = matcher(node).filter(|_| kind == Value::Pattern);
    let (values, is_optional) = match found {
        None => (vec![accepted(node, kind)?], false),
        Some(("$optional", inner)) => match matcher(inner) {
            Some(matcher) => (one_of(matcher)?, true),
            None => (vec![accepted(inner, kind)?], true),
        },
        Some(matcher) => (one_of(matcher)?, false),
    };
    let missing = is_optional.then(|| r#""""#.to_owned());
    let values: Vec<_> = values.into_iter().chain(missing).collect();
    Some(format!("[{}]", values.join(",")))
}

/// The only key of a matcher, and its value.
fn matcher<'n>(node: &'n Node<'_>) -> Option<(&'n str, &'n Node<'n>)> {
    let [(key, inner)] = node.entries() else {
        return None;
    };
    Some((key.as_str().filter(|key| key.starts_with('$'))?, inner))
}

/// The values that a matcher lists.
fn one_of((key, inner): (&str, &Node<'_>)) -> Option<Vec<String>> {
    match key {
        "$one_of" => {
            let item = |item: &Node<'_>| accepted(item, Value::Pattern);
            let is_plain = inner.items().iter().all(|item| matcher(item).is_none());
            inner
                .items()
                .iter()
                .map(item)
                .collect::<Option<_>>()
                .filter(|_| is_plain)
        }
        "$eq" | "$literal" => Some(vec![accepted(inner, Value::Plain)?]),
        _ => None,
    }
}
