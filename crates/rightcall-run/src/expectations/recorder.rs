//! Turns a good run into an expectation for later runs.

use rightcall_core::call::{ArgumentSource, ArgumentText, Call, Case, argument_text};
use rightcall_core::expectation::{ActualCall, literal};
use rightcall_core::value::{JsonText, JsonWriter, RawJson, Text, Value, on_one_line};

use super::ignored::{IgnoredArguments, RECORDED};
use super::redacted::{with_any_redacted, without_redacted};
use crate::Redaction;

/// A part of a run that becomes the expectation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecordedPart {
    /// The calls, with their arguments.
    Args,
    /// Only the names of the calls.
    Names,
    /// The output of each call.
    Outputs,
    /// The order of names.
    Order,
    /// The number of calls of each tool.
    Counts,
}

impl RecordedPart {
    /// All parts, with their names on the command line.
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
pub struct ExpectationRecorder {
    keep: Vec<RecordedPart>,
    ignored: Vec<IgnoredArguments>,
    redaction: Redaction,
}

impl ExpectationRecorder {
    /// A recorder of these parts of each run, without the ignored arguments.
    pub fn new(keep: Vec<RecordedPart>, ignored: Vec<IgnoredArguments>) -> Self {
        Self {
            keep,
            ignored,
            redaction: Redaction::default(),
        }
    }

    /// A recorder that expects any value in place of a redacted one.
    #[must_use]
    pub fn redacting(self, redaction: Redaction) -> Self {
        Self { redaction, ..self }
    }

    /// The redaction.
    pub(super) fn redaction(&self) -> &Redaction {
        &self.redaction
    }

    /// The line of a case that expects these calls; `None` without a run.
    pub fn line(&self, run: &Case<'_>) -> Option<String> {
        without_redacted(&self.redaction, run, |run| self.line_of(run))
    }

    fn line_of(&self, run: &Case<'_>) -> Option<String> {
        let calls = &run.actual.as_ref()?.calls;
        let mut writer = JsonWriter::new();
        writer.begin_object();
        writer.optional("id", run.id.as_ref());
        let input = run.input.map(compact);
        writer.optional("input", input.as_deref().map(RawJson));
        writer.key("expected");
        self.expectation(&mut writer, calls);
        if !self.ignored.is_empty() {
            let patterns = self.ignored.iter().map(|it| &it.pattern);
            writer.key(RECORDED).begin_object().key("ignore");
            writer.strs(patterns).end_object();
        }
        writer.end_object();
        Some(on_one_line(writer.finish()))
    }

    /// True if whole calls are kept, so the case of several runs can expect what they have in
    /// common.
    pub(super) fn keeps_whole_calls(&self) -> bool {
        self.keep == [RecordedPart::Args] && self.ignored.is_empty()
    }

    /// True if some arguments are not compared.
    pub(super) fn ignores_arguments(&self) -> bool {
        !self.ignored.is_empty()
    }

    /// A call with the kept parts, in the form that an expectation in blocks matches.
    pub(super) fn kept<'c>(&self, call: &'c Call<'_>) -> ActualCall<'c> {
        let arguments = call.arguments.to_value();
        let output = call.metadata().recorded_output();
        ActualCall::new(
            call.name.reborrow(),
            arguments.filter(|_| self.keeps(RecordedPart::Args)),
            output.filter(|_| self.keeps(RecordedPart::Outputs)),
        )
    }

    fn keeps(&self, what: RecordedPart) -> bool {
        self.keep.contains(&what)
    }

    fn expectation(&self, writer: &mut JsonWriter, calls: &[Call<'_>]) {
        let has_calls = self.keeps(RecordedPart::Args)
            || self.keeps(RecordedPart::Names)
            || self.keeps(RecordedPart::Outputs);
        let is_list =
            has_calls && !self.keeps(RecordedPart::Order) && !self.keeps(RecordedPart::Counts);
        if !is_list {
            writer.begin_object();
        }
        if has_calls {
            if !is_list {
                writer.key("calls");
            }
            writer.list(calls, |writer, call| _ = writer.raw(&self.call(call)));
        }
        if self.keeps(RecordedPart::Order) {
            writer.key("order").raw(&order_text(calls));
        }
        if self.keeps(RecordedPart::Counts) {
            writer.key("counts").begin_object();
            for (name, number) in counted(calls) {
                let pair = writer.key_text(name).begin_list();
                pair.str("=").count(number).end_list();
            }
            writer.end_object();
        }
        if !is_list {
            writer.end_object();
        }
    }

    /// A call as an expected call.
    pub(super) fn call(&self, call: &Call<'_>) -> String {
        let mut writer = JsonWriter::new();
        let (args, output) = (
            self.keeps(RecordedPart::Args),
            call.metadata()
                .output
                .as_deref()
                .filter(|_| self.keeps(RecordedPart::Outputs)),
        );
        let arguments = if args { self.arguments(call) } else { None };
        if arguments.is_none() && output.is_none() {
            writer.text(&call.name);
            return writer.finish().to_string();
        }
        writer.begin_object().key("name").text(&call.name);
        if let Some(json) = arguments {
            writer.key("args").raw(&self.expected(&json));
        }
        if let Some(json) = output {
            writer.key("output").raw(&self.expected(json));
        }
        writer.end_object();
        writer.finish().to_string()
    }

    /// A recorded value as an expected one.
    fn expected(&self, json: &str) -> String {
        let json = compact(json);
        let expected = literal(&json);
        if self.redaction.is_empty() {
            expected.into_owned()
        } else {
            with_any_redacted(&expected)
        }
    }

    /// The arguments without ignored ones, as JSON text; `None` if they were not recorded.
    pub(super) fn arguments(&self, call: &Call<'_>) -> Option<String> {
        let value = call.arguments.to_value()?;
        let remaining = match &value {
            Value::Object(_) => {
                IgnoredArguments::without_ignored(&self.ignored, &call.name.to_display(), &value)
            }
            _ => None,
        };
        let json = match (call.arguments.source(), remaining) {
            (ArgumentSource::Absent, _) => return None,
            (_, Some(remaining)) => JsonText::from_value(&remaining),
            // Unchanged arguments keep their original text.
            (ArgumentSource::Json(json), None) if json.starts_with('{') => {
                return Some(json.to_owned());
            }
            (ArgumentSource::Text { text, .. }, None)
                if argument_text(&text).1 == ArgumentText::Json =>
            {
                return Some(text.to_display().into_owned());
            }
            (_, None) if matches!(value, Value::Object(_)) => JsonText::from_value(&value),
            // Expect the original text of arguments that are not an object, since expectations hold
            // them as text.
            (ArgumentSource::Text { json, .. }, None) => return Some(json.to_owned()),
            (ArgumentSource::Json(json), None) => JsonText::from_value(&Value::from(json)),
        };
        Some(json.into_string())
    }
}

/// JSON text without whitespace between its values.
pub(super) fn compact(json: &str) -> String {
    let (mut out, mut is_text, mut is_escaped) = (String::with_capacity(json.len()), false, false);
    for character in json.chars() {
        match character {
            _ if is_escaped => is_escaped = false,
            '\\' => is_escaped = is_text,
            '"' => is_text = !is_text,
            ' ' | '\t' | '\n' | '\r' if !is_text => continue,
            _ => {}
        }
        out.push(character);
    }
    out
}

/// Names in order, as JSON text.
pub(super) fn order_text<'c>(calls: impl IntoIterator<Item = &'c Call<'c>>) -> String {
    let mut writer = JsonWriter::new();
    writer.list(calls, |writer, call| _ = writer.text(&call.name));
    writer.finish().into_string()
}

/// The number of calls of each tool, in the order of the first calls.
pub(super) fn counted<'c, 'a>(calls: &'c [Call<'a>]) -> Vec<(&'c Text<'a>, usize)> {
    let mut counts: Vec<(&Text<'_>, usize)> = Vec::new();
    for call in calls {
        match counts.iter_mut().find(|(name, _)| **name == call.name) {
            Some((_, number)) => *number += 1,
            None => counts.push((&call.name, 1)),
        }
    }
    counts
}

#[cfg(test)]
mod tests {
    use rightcall_formats::{ReadOptions, read_case};

    use super::*;

    const RUN: &str = r#"{"id":"a","input":"q","actual":[{"name":"find","args":"{\"id\": 7, \"at\": \"now\"}","output":"x"},{"name":"find","args":{"id":8.0,"items":[{"id":1,"n":2}]}},{"name":"look"}]}"#;

    #[track_caller]
    fn check(keep: &[RecordedPart], ignored: &[&str], expected: &str) {
        let recorder = ExpectationRecorder::new(
            keep.to_vec(),
            ignored
                .iter()
                .map(|it| IgnoredArguments::parse(it).unwrap())
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
    fn only_requested_parts_of_a_run_are_recorded() {
        check(
            &[RecordedPart::Args],
            &[],
            r#"[{"name":"find","args":{"id":7,"at":"now"}},{"name":"find","args":{"id":8.0,"items":[{"id":1,"n":2}]}},"look"]"#,
        );
        check(&[RecordedPart::Names], &[], r#"["find","find","look"]"#);
        check(
            &[RecordedPart::Names, RecordedPart::Outputs],
            &[],
            r#"[{"name":"find","output":"x"},"find","look"]"#,
        );
        check(
            &[RecordedPart::Order, RecordedPart::Counts],
            &[],
            r#"{"order":["find","find","look"],"counts":{"find":["=",2],"look":["=",1]}}"#,
        );
        check(
            &[RecordedPart::Names, RecordedPart::Counts],
            &[],
            r#"{"calls":["find","find","look"],"counts":{"find":["=",2],"look":["=",1]}}"#,
        );
    }

    #[test]
    fn ignored_arguments_are_removed_and_recorded() {
        let of = |ignored: &[&str], calls: &str| {
            let patterns: Vec<_> = ignored.iter().map(|it| format!("\"{it}\"")).collect();
            let recorder = ExpectationRecorder::new(
                vec![RecordedPart::Args],
                ignored
                    .iter()
                    .map(|it| IgnoredArguments::parse(it).unwrap())
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
                IgnoredArguments::from_case(&read_case(&line, &ReadOptions::default()).unwrap())
                    .len(),
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
}
