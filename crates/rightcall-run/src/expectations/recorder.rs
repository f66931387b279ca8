//! Runs into expectations: a good run says what the next ones are measured by.

use rightcall::call::{ArgumentSource, ArgumentText, Call, Case, argument_text};
use rightcall::value::{JsonWriter, Object, Value};

/// What of a run is expected of the next ones.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Keep {
    /// The calls, with their arguments.
    Args,
    /// The calls, by name alone.
    Names,
    /// What each call returned.
    Outputs,
    /// The order of names.
    Order,
    /// How often each tool is called.
    Counts,
}

impl Keep {
    /// All of them, by the word that a user writes.
    pub const ALL: [(&'static str, Self); 5] = [
        ("args", Self::Args),
        ("names", Self::Names),
        ("outputs", Self::Outputs),
        ("order", Self::Order),
        ("counts", Self::Counts),
    ];
}

/// Makes expectations of runs.
#[derive(Clone, Debug, Default)]
pub struct Recorder {
    keep: Vec<Keep>,
    ignored: Vec<Ignored>,
}

impl Recorder {
    /// A recorder that keeps this of each run, and of the arguments all but what is ignored.
    pub fn new(keep: Vec<Keep>, ignored: Vec<Ignored>) -> Self {
        Self { keep, ignored }
    }

    /// The line of a case that expects what this run did; `None` without a run.
    pub fn line(&self, run: &Case<'_>) -> Option<String> {
        let calls = &run.actual.as_ref()?.calls;
        let mut writer = JsonWriter::new();
        writer.begin_object();
        if let Some(id) = &run.id {
            writer.key("id").text(id);
        }
        if let Some(input) = run.input {
            writer.key("input").raw(input);
        }
        writer.key("expected");
        self.expectation(&mut writer, calls);
        if !self.ignored.is_empty() {
            writer
                .key(RECORDED)
                .begin_object()
                .key("ignore")
                .begin_list();
            self.ignored
                .iter()
                .for_each(|it| _ = writer.str(&it.pattern));
            writer.end_list().end_object();
        }
        writer.end_object();
        Some(writer.finish().as_str().replace(['\n', '\r'], " "))
    }

    fn keeps(&self, what: Keep) -> bool {
        self.keep.contains(&what)
    }

    fn expectation(&self, writer: &mut JsonWriter, calls: &[Call<'_>]) {
        let has_calls =
            self.keeps(Keep::Args) || self.keeps(Keep::Names) || self.keeps(Keep::Outputs);
        let is_list = has_calls && !self.keeps(Keep::Order) && !self.keeps(Keep::Counts);
        if !is_list {
            writer.begin_object();
        }
        if has_calls {
            if !is_list {
                writer.key("calls");
            }
            writer.begin_list();
            calls
                .iter()
                .for_each(|call| _ = writer.raw(&self.call(call)));
            writer.end_list();
        }
        if self.keeps(Keep::Order) {
            writer.key("order").raw(&order_text(calls));
        }
        if self.keeps(Keep::Counts) {
            writer.key("counts").begin_object();
            for (name, number) in counted(calls) {
                writer
                    .key_text(name)
                    .begin_list()
                    .str("=")
                    .count(number)
                    .end_list();
            }
            writer.end_object();
        }
        if !is_list {
            writer.end_object();
        }
    }

    /// A call as it is expected.
    pub(crate) fn call(&self, call: &Call<'_>) -> String {
        let mut writer = JsonWriter::new();
        let (args, output) = (
            self.keeps(Keep::Args),
            call.output.filter(|_| self.keeps(Keep::Outputs)),
        );
        let arguments = if args { self.arguments(call) } else { None };
        if arguments.is_none() && output.is_none() {
            writer.text(&call.name);
            return writer.finish().to_string();
        }
        writer.begin_object().key("name").text(&call.name);
        if let Some(json) = arguments {
            writer.key("args").raw(&json);
        }
        if let Some(json) = output {
            writer.key("output").raw(json);
        }
        writer.end_object();
        writer.finish().to_string()
    }

    /// The arguments without what is ignored, as JSON text; `None` where they were not recorded.
    pub(crate) fn arguments(&self, call: &Call<'_>) -> Option<String> {
        let name = call.name.to_display();
        let of_call: Vec<_> = self
            .ignored
            .iter()
            .filter(|it| it.tool.as_deref().is_none_or(|tool| *tool == *name))
            .collect();
        let value = call.arguments.to_value()?;
        let mut writer = JsonWriter::new();
        match (call.arguments.source(), &value) {
            // What nothing is taken out of stays as it was written.
            (ArgumentSource::Json(json), _) if of_call.is_empty() && json.starts_with('{') => {
                _ = writer.raw(json)
            }
            (ArgumentSource::Text { text, .. }, _)
                if of_call.is_empty() && argument_text(&text).1 == ArgumentText::Json =>
            {
                writer.raw(&text.to_display());
            }
            (_, Value::Object(_)) => {
                write_without(
                    &mut writer,
                    &value,
                    &of_call.iter().map(|it| &it.steps[..]).collect::<Vec<_>>(),
                );
            }
            // No object: the text as it came, which is how such arguments are expected.
            (ArgumentSource::Text { json, .. }, _) => _ = writer.raw(json),
            (ArgumentSource::Json(json), _) => _ = writer.str(json),
            (ArgumentSource::Absent, _) => return None,
        }
        Some(writer.finish().to_string())
    }
}

/// The key of a case under which it says how it was recorded.
pub(crate) const RECORDED: &str = "recorded";

/// Names in order, as JSON text.
pub(crate) fn order_text(calls: &[Call<'_>]) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_list();
    calls.iter().for_each(|call| _ = writer.text(&call.name));
    writer.end_list();
    writer.finish().to_string()
}

/// How often each tool is called, in the order of their first calls.
pub(crate) fn counted<'c, 'a>(
    calls: &'c [Call<'a>],
) -> Vec<(&'c rightcall::value::Text<'a>, usize)> {
    let mut counts: Vec<(&rightcall::value::Text<'_>, usize)> = Vec::new();
    for call in calls {
        match counts.iter_mut().find(|(name, _)| **name == call.name) {
            Some((_, number)) => *number += 1,
            None => counts.push((&call.name, 1)),
        }
    }
    counts
}

/// Arguments that are not expected because they are others each time: ids, times.
///
/// `/created_at` is a JSON pointer into the arguments of every tool, `refund:/created_at` into those of one. A step `*` stands
/// for any key or index, `**` for any number of steps.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ignored {
    pattern: String,
    tool: Option<String>,
    steps: Vec<String>,
}

impl Ignored {
    /// Reads a pattern.
    ///
    /// # Errors
    /// A text that is no pattern; the error says what one looks like.
    pub fn parse(pattern: &str) -> Result<Self, String> {
        let wrong = || {
            "write a JSON pointer such as /created_at, /items/*/id or /**/id, behind `TOOL:` for one tool alone".to_owned()
        };
        let (tool, pointer) = match pattern.find(":/") {
            Some(at) if !pattern.starts_with('/') => (
                Some(pattern[..at].to_owned()).filter(|tool| !tool.is_empty()),
                &pattern[at + 1..],
            ),
            _ => (None, pattern),
        };
        let steps = pointer
            .strip_prefix('/')
            .filter(|steps| !steps.is_empty())
            .ok_or_else(wrong)?;
        let steps: Vec<_> = steps
            .split('/')
            .map(|step| step.replace("~1", "/").replace("~0", "~"))
            .collect();
        if steps.last().is_some_and(|step| step == "**") {
            return Err(wrong());
        }
        Ok(Self {
            pattern: pattern.to_owned(),
            tool,
            steps,
        })
    }
}

/// Writes a value without what the patterns lead to.
fn write_without(writer: &mut JsonWriter, value: &Value<'_>, patterns: &[&[String]]) {
    match value {
        Value::Object(object) => {
            writer.begin_object();
            for (key, inner) in object {
                if let Some(inside) = inside(patterns, &key.to_display()) {
                    writer.key_text(key);
                    write_without(writer, inner, &inside);
                }
            }
            writer.end_object();
        }
        Value::List(items) => {
            writer.begin_list();
            for (index, item) in items.iter().enumerate() {
                if let Some(inside) = inside(patterns, &index.to_string()) {
                    write_without(writer, item, &inside);
                }
            }
            writer.end_list();
        }
        other => _ = writer.value(other),
    }
}

/// What is left of the patterns behind a step; `None` where one of them ends there.
fn inside<'p>(patterns: &[&'p [String]], step: &str) -> Option<Vec<&'p [String]>> {
    let mut left = Vec::new();
    for pattern in patterns {
        let mut rest = *pattern;
        loop {
            match rest {
                [first, after @ ..] if first == "**" => {
                    left.push(rest);
                    rest = after;
                }
                [last] if last == "*" || last == step => return None,
                [first, after @ ..] if first == "*" || first == step => {
                    left.push(after);
                    break;
                }
                _ => break,
            }
        }
    }
    Some(left)
}

/// The patterns that a case says it was recorded with.
pub(crate) fn ignored_of(case: &Case<'_>) -> Vec<Ignored> {
    let Some((_, json)) = case.meta.iter().find(|(key, _)| *key == *RECORDED) else {
        return Vec::new();
    };
    let Ok(value) = rightcall::value::decode(json) else {
        return Vec::new();
    };
    let patterns = value
        .as_object()
        .and_then(|it: &Object<'_>| it.get_str("ignore"))
        .and_then(Value::as_list)
        .unwrap_or_default();
    patterns
        .iter()
        .filter_map(|it| Ignored::parse(&it.as_text()?.to_display()).ok())
        .collect()
}

#[cfg(test)]
mod tests {
    use rightcall_formats::{ReadOptions, read_case};

    use super::*;

    const RUN: &str = r#"{"id":"a","input":"q","actual":[{"name":"find","args":"{\"id\": 7, \"at\": \"now\"}","output":"x"},{"name":"find","args":{"id":8.0,"items":[{"id":1,"n":2}]}},{"name":"look"}]}"#;

    #[track_caller]
    fn check(keep: &[Keep], ignored: &[&str], expected: &str) {
        let recorder = Recorder::new(
            keep.to_vec(),
            ignored
                .iter()
                .map(|it| Ignored::parse(it).unwrap())
                .collect(),
        );
        let line = recorder
            .line(&read_case(RUN, &ReadOptions::default()).unwrap())
            .unwrap();
        assert_eq!(
            line,
            format!(r#"{{"id":"a","input":"q","expected":{expected}}}"#)
        );
        read_case(&line, &ReadOptions::default()).unwrap();
    }

    #[test]
    fn a_run_is_kept_as_far_as_asked() {
        check(
            &[Keep::Args],
            &[],
            r#"[{"name":"find","args":{"id": 7, "at": "now"}},{"name":"find","args":{"id":8.0,"items":[{"id":1,"n":2}]}},"look"]"#,
        );
        check(&[Keep::Names], &[], r#"["find","find","look"]"#);
        check(
            &[Keep::Names, Keep::Outputs],
            &[],
            r#"[{"name":"find","output":"x"},"find","look"]"#,
        );
        check(
            &[Keep::Order, Keep::Counts],
            &[],
            r#"{"order":["find","find","look"],"counts":{"find":["=",2],"look":["=",1]}}"#,
        );
        check(
            &[Keep::Names, Keep::Counts],
            &[],
            r#"{"calls":["find","find","look"],"counts":{"find":["=",2],"look":["=",1]}}"#,
        );
    }

    #[test]
    fn what_is_other_each_time_is_taken_out_and_remembered() {
        let of = |ignored: &[&str], calls: &str| {
            let patterns: Vec<_> = ignored.iter().map(|it| format!("\"{it}\"")).collect();
            let recorder = Recorder::new(
                vec![Keep::Args],
                ignored
                    .iter()
                    .map(|it| Ignored::parse(it).unwrap())
                    .collect(),
            );
            let line = recorder
                .line(&read_case(RUN, &ReadOptions::default()).unwrap())
                .unwrap();
            let recorded = format!(r#""recorded":{{"ignore":[{}]}}"#, patterns.join(","));
            assert_eq!(
                line,
                format!(r#"{{"id":"a","input":"q","expected":[{calls},"look"],{recorded}}}"#)
            );
            assert_eq!(
                ignored_of(&read_case(&line, &ReadOptions::default()).unwrap()).len(),
                ignored.len()
            );
        };
        of(
            &["/at"],
            r#"{"name":"find","args":{"id":7}},{"name":"find","args":{"id":8.0,"items":[{"id":1,"n":2}]}}"#,
        );
        of(
            &["/**/id"],
            r#"{"name":"find","args":{"at":"now"}},{"name":"find","args":{"items":[{"n":2}]}}"#,
        );
        of(
            &["/items/*/id", "look:/at"],
            r#"{"name":"find","args":{"id":7,"at":"now"}},{"name":"find","args":{"id":8.0,"items":[{"n":2}]}}"#,
        );
        of(
            &["find:/*"],
            r#"{"name":"find","args":{}},{"name":"find","args":{}}"#,
        );
    }

    #[test]
    fn what_is_no_pattern_says_what_one_is() {
        for text in ["", "at", "/", "find:at", "/a/**", "find:/"] {
            assert!(
                Ignored::parse(text).unwrap_err().contains("/created_at"),
                "{text}"
            );
        }
        assert_eq!(
            Ignored::parse("a:b:/x").unwrap().tool.as_deref(),
            Some("a:b")
        );
    }
}
