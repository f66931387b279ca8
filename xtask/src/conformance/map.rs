//! Goldens of maps: the runs that a map reads from a log.

use rightcall_core::Edition;
use rightcall_core::call::{Executor, argument_text};
use rightcall_core::value::{JsonWriter, RawJson, Syntax, Value, decode_with, from_json};
use rightcall_formats::{
    Format, Input, Limits, ReadOptions, Trace, TraceArguments, Understood, read_case,
};
use serde::Deserialize;

/// A line with a map and a log.
#[derive(Deserialize)]
struct MapLine<'a> {
    #[serde(borrow)]
    map: RawJson<'a>,
    input: String,
    format: String,
}

/// Compares all runs by value; returns the first difference.
pub(super) fn check(line: &str, result: &str) -> Result<(), String> {
    let read: MapLine<'_> = from_json(line).map_err(|error| error.to_string())?;
    let wanted = decode(result)?;
    let is_error = wanted
        .as_object()
        .is_some_and(|it| it.get_str("error").is_some());
    match (is_error, runs(&read)) {
        (true, Err(_)) => Ok(()),
        (true, Ok(found)) => Err(format!("expected an error, found {found}")),
        (false, Err(error)) => Err(format!("expected runs, found the error: {error}")),
        (false, Ok(found)) => super::compare("", &wanted, &decode(&found)?, Edition::Package),
    }
}

fn decode(json: &str) -> Result<Value<'_>, String> {
    decode_with(json, Syntax::PYTHON).map_err(|error| error.to_string())
}

/// The runs of a log in the format of the goldens.
fn runs(read: &MapLine<'_>) -> Result<String, String> {
    let RawJson(map) = read.map;
    let format = Format::from_map("map.json", map).map_err(|error| error.to_string())?;
    let options = ReadOptions {
        format: Some(format),
        ..ReadOptions::default()
    };
    let name = format!("input.{}", read.format);
    let bytes = read.input.clone().into_bytes();
    let mut input = Input::from_bytes(&name, bytes, Limits::default(), &options)
        .map_err(|error| error.to_string())?;
    let mut unread = 0;
    let mut writer = JsonWriter::new();
    writer.begin_object().key("runs").begin_list();
    while let Some(traces) = input.next_traces().map_err(|error| error.to_string())? {
        for (_, trace) in traces {
            let trace = trace.map_err(|error| error.to_string())?;
            read_case(&trace.to_case(), &options.of_any_format())
                .map_err(|error| format!("as a case: {error}"))?;
            unread += trace.report.unread_count();
            write(&mut writer, &trace);
        }
    }
    writer.end_list().key("unread").raw(&unread.to_string());
    writer.end_object();
    Ok(writer.finish().into_string())
}

fn write(writer: &mut JsonWriter, trace: &Trace) {
    writer.begin_object();
    if let Some(id) = &trace.id {
        writer.key("id").text(id);
    }
    let meta = trace
        .meta
        .iter()
        .map(|(key, json)| (key.as_str(), Some(json)));
    let facts = [
        ("trial", trace.trial.as_ref()),
        ("question", trace.input.as_ref()),
        ("expected", trace.expected.as_ref()),
    ];
    for (key, json) in facts.into_iter().chain(meta) {
        if let Some(json) = json {
            writer.key(key).raw(json);
        }
    }
    if !trace.lacks_run {
        write_calls(writer, trace);
    }
    writer.key("orphans").raw(&trace.report.orphans.to_string());
    writer.end_object();
}

fn write_calls(writer: &mut JsonWriter, trace: &Trace) {
    let mut steps: Vec<usize> = Vec::new();
    let mut group = None;
    writer.key("calls").begin_list();
    for call in &trace.calls {
        match steps
            .last_mut()
            .filter(|_| call.group.is_some() && call.group == group)
        {
            Some(step) => *step += 1,
            None => steps.push(1),
        }
        group.clone_from(&call.group);
        writer.begin_object().key("name").text(&call.name);
        match &call.arguments {
            TraceArguments::Absent => {}
            TraceArguments::Json(json) => _ = writer.key("args").raw(json),
            TraceArguments::Text(text) if call.arguments.understood() == Understood::Object => {
                writer.key("args").value(&argument_text(text).0);
            }
            TraceArguments::Text(text) | TraceArguments::Free(text) => {
                writer.key("args").text(text);
            }
        }
        if let Some(id) = &call.id {
            writer.key("id").text(id);
        }
        let time = |time: Option<i128>| time.map(|time| time.to_string());
        for (key, json) in [
            ("output", call.output.clone()),
            // The goldens have an error if the call failed.
            ("error", call.error.clone().filter(|_| call.has_failed())),
            ("start", time(call.start)),
            ("end", time(call.end)),
        ] {
            if let Some(json) = json {
                writer.key(key).raw(&json);
            }
        }
        match call.executor {
            Executor::Agent => {}
            Executor::Provider => _ = writer.key("provider").bool(true),
            Executor::Nobody => _ = writer.key("not_run").bool(true),
        }
        writer.end_object();
    }
    writer.end_list();
    if !steps.is_empty() {
        writer.key("steps").begin_list();
        steps.iter().for_each(|step| _ = writer.count(*step));
        writer.end_list();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_found() {
        let line = r#"{"map": {"id": "s", "call": {"name": "n"}}, "input": "{\"s\": 1, \"n\": \"a\"}", "format": "jsonl"}"#;
        let run = |run: &str| format!(r#"{{"runs": [{run}], "unread": 0}}"#);
        let own = r#"{"id": "1", "calls": [{"name": "a"}], "steps": [1], "orphans": 0}"#;
        assert_eq!(check(line, &run(own)), Ok(()));
        for other in [
            own.replace("\"a\"", "\"b\""),
            own.replace("[1]", "[2]"),
            own.replace("\"orphans\": 0", "\"orphans\": 1"),
            own.replace("\"id\": \"1\", ", ""),
            String::new(),
        ] {
            assert!(check(line, &run(&other)).is_err(), "{other}");
        }
        assert!(check(line, r#"{"error": true}"#).is_err());
        assert!(check(&line.replace("\"name\"", "\"nam\""), &run(own)).is_err());
        assert_eq!(
            check(&line.replace("\"name\"", "\"nam\""), r#"{"error": true}"#),
            Ok(())
        );
    }
}
