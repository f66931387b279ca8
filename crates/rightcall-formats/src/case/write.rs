//! Writes a case as one line of canonical text, with everything a case can hold: reading it again yields the same case.

use std::borrow::Cow;

use rightcall_core::call::{ArgumentSource, Call, Case, Executor, Expectation};
use rightcall_core::expectation::literal;
use rightcall_core::value::JsonWriter;

use crate::json::{object_line, raw, text, written};

/// The case as canonical JSON text without line breaks.
///
/// Sides in the shape of another tool are written as the canonical calls that were read from them.
pub fn case_text(case: &Case<'_>) -> String {
    object_line(|writer| {
        text(writer, "id", case.id.as_ref());
        text(writer, "description", case.description.as_ref());
        raw(writer, "input", case.input);
        // A case needs at least one side, so an empty expectation is written out.
        if !case.expected.is_empty() || case.actual.is_none() {
            writer.key("expected");
            expectation(writer, &case.expected);
        }
        if let Some(run) = &case.actual {
            writer.key("actual");
            calls(writer, &run.calls, false);
        }
        text(writer, "incomplete", case.incomplete.as_ref());
        raw(writer, "output", case.output);
        raw(writer, "trial", case.trial);
        case.write_tags(writer);
        if !case.meta.is_empty() {
            writer.key("meta");
            case.write_meta(writer);
        }
    })
}

/// The expectation: a list if there are only calls, else an object.
fn expectation(writer: &mut JsonWriter, expected: &Expectation<'_>) {
    let Expectation {
        calls: stated,
        order,
        counts,
        outputs,
        constraints,
        tree,
        resolution: _,
    } = expected;
    let states = |writer: &mut JsonWriter| match (tree, stated) {
        (Some(tree), _) => _ = writer.raw(tree.text()),
        (None, Some(stated)) => calls(writer, stated, true),
        (None, None) => {}
    };
    let has_calls = tree.is_some() || stated.is_some();
    if let (true, None, None, None, None) = (has_calls, order, counts, outputs, constraints) {
        states(writer);
        return;
    }
    writer.begin_object();
    if has_calls {
        writer.key("calls");
        states(writer);
    }
    if let Some(order) = order {
        writer.key("order").begin_list();
        order.iter().for_each(|name| _ = writer.text(name));
        writer.end_list();
    }
    if let Some(counts) = counts {
        writer.key("counts").begin_object();
        for count in counts {
            let number = count.count.to_string();
            writer
                .key_text(&count.name)
                .begin_list()
                .text(count.operator.text())
                .raw(&number)
                .end_list();
        }
        writer.end_object();
    }
    if let Some(outputs) = outputs {
        writer.key("outputs").begin_list();
        for output in outputs {
            writer.begin_object().key("name").text(&output.name);
            text(writer, "tool_id", output.tool_id.as_ref());
            writer.key("output").text(&output.output).end_object();
        }
        writer.end_list();
    }
    raw(writer, "constraints", *constraints);
    writer.end_object();
}

/// The calls of a run as the text of a list of canonical calls.
pub(crate) fn calls_text(calls: &[Call<'_>]) -> String {
    written(|writer| self::calls(writer, calls, false))
}

fn calls(writer: &mut JsonWriter, calls: &[Call<'_>], is_expected: bool) {
    writer.begin_list();
    calls.iter().for_each(|it| call(writer, it, is_expected));
    writer.end_list();
}

fn call(writer: &mut JsonWriter, call: &Call<'_>, is_expected: bool) {
    // Keys that begin with a dollar sign are data here, but matchers when an expectation is read. So escape them.
    let as_stated = |json| {
        if is_expected {
            literal(json)
        } else {
            Cow::Borrowed(json)
        }
    };
    writer.begin_object().key("name").text(&call.name);
    match call.arguments.source() {
        ArgumentSource::Absent => {}
        ArgumentSource::Json(json) if json.starts_with('{') => {
            writer.key("args").raw(&as_stated(json));
        }
        // Arguments that aren't an object are written as their JSON text.
        ArgumentSource::Json(json) => _ = writer.key("args").str(json),
        ArgumentSource::Text { json, .. } => _ = writer.key("args").raw(json),
    }
    let metadata = call.metadata();
    for (key, value) in [
        ("id", &metadata.id),
        ("tool_id", &metadata.tool_id),
        ("group", &metadata.group),
        ("actor", &metadata.actor),
    ] {
        text(writer, key, value.as_ref());
    }
    let output = metadata.recorded_output();
    raw(writer, "output", output.map(as_stated).as_deref());
    for (key, json) in [
        ("error", &metadata.error),
        ("start", &metadata.start),
        ("end", &metadata.end),
    ] {
        raw(writer, key, json.as_deref());
    }
    for (key, number) in [
        ("turn", metadata.turn),
        ("parent", metadata.parent.map(u64::from)),
    ] {
        raw(
            writer,
            key,
            number.map(|number| number.to_string()).as_deref(),
        );
    }
    write_executor(writer, metadata.executor);
    raw(writer, "compare_args", metadata.compare_args.as_deref());
    writer.end_object();
}

/// Writes the executor of a call, unless it was the agent.
fn write_executor(writer: &mut JsonWriter, executor: Executor) {
    match executor {
        Executor::Agent => {}
        Executor::Provider => _ = writer.key("run").str("provider"),
        Executor::Nobody => _ = writer.key("run").str("not"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read_case};

    #[track_caller]
    fn check(text: &str, expected: &str) {
        let options = ReadOptions::default();
        let written = case_text(&read_case(text, &options).unwrap());
        assert_eq!(written, expected);
        assert_eq!(
            case_text(&read_case(&written, &options).unwrap()),
            expected,
            "written once more"
        );
    }

    #[test]
    fn all_that_a_case_holds_is_written() {
        let call = concat!(
            r#"{"name":"a\"b\ud83d","args":{"n":1e2,"n":1.0},"id":"7","tool_id":"t","group":"g","actor":"sub","output":{"x":[1]},"#,
            r#""error":true,"start":1700000000000000001,"end":"2024-01-01T00:00:00Z","turn":3,"parent":0,"run":"not","compare_args":["n"]}"#
        );
        let whole = [
            r#"{"id":"c","description":"about","input":{"q":1},"expected":{"calls":[CALL,{"name":"b"}],"order":["b"],"counts":{"b":[">=",1]},"#,
            r#""outputs":[{"name":"b","tool_id":"t","output":"x"}],"constraints":{"forbidden":["z"]}},"actual":[CALL,{"name":"f","args":"{'a': 1}","run":"provider"}],"#,
            r#""output":"done","trial":2,"tags":["x","y"],"meta":{"model":"m","nested":{"k":null}}}"#,
        ]
        .concat()
        .replace("CALL", call);
        check(&whole, &whole);
    }

    #[test]
    fn shorthands_and_shapes_become_canonical() {
        check(
            "{\"id\": 7,\n\"expected\": [\"a\", {\"name\": \"b\", \"arguments\": {\n}}], \"model\": \"m\"}",
            r#"{"id":"7","expected":[{"name":"a"},{"name":"b","args":{ }}],"meta":{"model":"m"}}"#,
        );
        check(
            r#"{"expected":{},"model":"m"}"#,
            r#"{"expected":{},"meta":{"model":"m"}}"#,
        );
        check(
            r#"{"expected":{"counts":{"a":1,"b":">= 2"}}}"#,
            r#"{"expected":{"counts":{"a":["=",1],"b":[">=",2]}}}"#,
        );
        check(
            r#"{"expected":[{"tool":"a","args":[7]}],"actual":[{"tool":"a","args":{}}]}"#,
            r#"{"expected":[{"name":"a","args":"[7]"}],"actual":[{"name":"a","args":{}}]}"#,
        );
    }
}
