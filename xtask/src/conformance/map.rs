//! Goldens of maps: the runs that a map extracts from a log.

use rightcall_core::Edition;
use rightcall_core::call::{ArgumentSource, Call, Case, Executor, TextKind, argument_text};
use rightcall_core::value::{JsonText, JsonWriter, Object, RawJson, Value, from_json};
use rightcall_formats::{Format, Input, Limits, ReadOptions, case_text, read_case};
use serde::Deserialize;

use super::decode;

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
    let wanted = with_canonical_expectations(decode(result)?)?;
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
    while let Some(block) = input.next_block(1).map_err(|error| error.to_string())? {
        for record in block.records() {
            let content = record.content.map_err(|error| error.to_string())?;
            let case = content.case(&options).map_err(|error| error.to_string())?;
            let report = content.report().ok_or("a case in place of a run")?;
            unread += report.unread_count();
            write(&mut writer, &case, report.orphans)?;
        }
    }
    writer.end_list().key("unread").raw(&unread.to_string());
    writer.end_object();
    Ok(writer.finish().into_string())
}

fn write(writer: &mut JsonWriter, case: &Case<'_>, orphans: u64) -> Result<(), String> {
    writer.begin_object();
    writer.optional("id", case.id.as_ref());
    writer.optional("trial", case.trial.map(RawJson));
    writer.optional("question", case.input.map(RawJson));
    if !case.expected.is_empty() {
        writer.key("expected").raw(&expected_in(&case_text(case))?);
    }
    for (key, json) in &case.meta {
        writer.key_text(key).raw(json);
    }
    if let Some(run) = &case.actual {
        write_calls(writer, &run.calls);
    }
    writer.key("orphans").raw(&orphans.to_string());
    writer.end_object();
    Ok(())
}

/// The expectation in the text of a case.
fn expected_in(case: &str) -> Result<String, String> {
    #[derive(Deserialize)]
    struct ExpectedMember<'a> {
        #[serde(borrow)]
        expected: RawJson<'a>,
    }
    let read: ExpectedMember<'_> = from_json(case).map_err(|error| error.to_string())?;
    Ok(read.expected.0.to_owned())
}

/// The same runs with canonical expectations.
fn with_canonical_expectations(result: Value<'_>) -> Result<Value<'static>, String> {
    let canonical = |run: &Value<'_>| {
        let Some(expected) = run.as_object().and_then(|it| it.get_str("expected")) else {
            return Ok(run.clone().into_owned());
        };
        let expected = JsonText::from_value(expected);
        let case = format!("{{\"expected\":{}}}", expected.as_str());
        let case = read_case(&case, &ReadOptions::default()).map_err(|it| it.to_string())?;
        let expected = expected_in(&case_text(&case))?;
        Ok(with(run, "expected", &decode(&expected)?.into_owned()))
    };
    let Some(runs) = result.as_object().and_then(|it| it.get_str("runs")) else {
        return Ok(result.into_owned());
    };
    let runs = runs.as_list().ok_or("`runs` is no list")?.iter();
    let runs = runs.map(canonical).collect::<Result<_, String>>()?;
    Ok(with(&result, "runs", &Value::List(runs)))
}

/// A copy of an object with another value for an existing key.
fn with(object: &Value<'_>, key: &str, value: &Value<'static>) -> Value<'static> {
    let members = object.as_object().into_iter().flat_map(Object::iter);
    let members = members.map(|(name, old)| {
        let new = if *name == *key {
            value.clone()
        } else {
            old.clone().into_owned()
        };
        (name.clone().into_owned(), new)
    });
    Value::Object(Object::new(members.collect()))
}

fn write_calls(writer: &mut JsonWriter, calls: &[Call<'_>]) {
    let mut steps: Vec<usize> = Vec::new();
    let mut group = None;
    writer.key("calls").begin_list();
    for call in calls {
        let metadata = call.metadata();
        let is_in_step = metadata.group.is_some() && metadata.group == group;
        match steps.last_mut().filter(|_| is_in_step) {
            Some(step) => *step += 1,
            None => steps.push(1),
        }
        group.clone_from(&metadata.group);
        writer.begin_object().key("name").text(&call.name);
        match call.arguments.source() {
            ArgumentSource::Absent => {}
            ArgumentSource::Json(json) => _ = writer.key("args").raw(json),
            ArgumentSource::Text { text, .. } => {
                let is_value = call.arguments.text_kind() == Some(TextKind::OtherValue);
                match argument_text(&text).0 {
                    object @ Value::Object(_) => _ = writer.key("args").value(&object),
                    _ if is_value => _ = writer.key("args").raw(&text.to_display()),
                    _ => _ = writer.key("args").text(&text),
                }
            }
        }
        writer.optional("id", metadata.id.as_ref());
        // The goldens have an error if the call failed.
        let error = metadata.error.as_deref();
        for (key, json) in [
            ("output", metadata.recorded_output()),
            ("error", error.filter(|_| call.failed() == Some(true))),
            ("start", metadata.start.as_deref()),
            ("end", metadata.end.as_deref()),
        ] {
            writer.optional(key, json.map(RawJson));
        }
        match metadata.executor {
            Executor::Agent => {}
            Executor::Provider => _ = writer.key("provider").bool(true),
            Executor::Nobody => _ = writer.key("not_run").bool(true),
        }
        writer.end_object();
    }
    writer.end_list();
    if !steps.is_empty() {
        writer.key("steps").serialize(&steps);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn differences_are_reported() {
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
