//! Writes a trace as the text of a canonical case.

use std::borrow::Cow;
use std::collections::BTreeMap;

use rightcall_core::call::{ArgumentSource, Case, Expectation};
use rightcall_core::expectation::literal;
use rightcall_core::value::{JsonWriter, Reader, Syntax, Text};

use super::arguments::TraceArguments;
use super::call::TraceCall;
use super::record::{Stated, Trace};
use super::report::Report;
use crate::case::{expectation, write_executor};
use crate::json;

impl Trace {
    /// The trace as the text of a canonical case, on one line.
    pub fn to_case(&self) -> String {
        json::object_line(|writer| self.write_case(writer))
    }

    fn write_case(&self, writer: &mut JsonWriter) {
        json::text(writer, "id", self.id.as_ref());
        if let Some(expected) = &self.expected {
            // The expectations of data sets are literal, without matchers.
            let expected = if self.expects_as_cases_do {
                Cow::Borrowed(&**expected)
            } else {
                literal(expected)
            };
            writer.key("expected").raw(&expected);
        } else if self.lacks_run && !self.meta.is_empty() {
            // Facts alone aren't a case: this one has neither a run nor an expectation.
            writer.key("expected").raw("{}");
        }
        for (key, json) in [
            ("input", &self.input),
            ("output", &self.output),
            ("trial", &self.trial),
            ("tags", &self.tags),
        ] {
            json::raw(writer, key, json.as_deref());
        }
        if !self.lacks_run {
            writer.key("actual").raw(&calls_text(&self.calls));
        }
        if let Some(why) = &self.incomplete {
            writer.key("incomplete").str(why);
        }
        if !self.meta.is_empty() {
            writer.key("meta").begin_object();
            for (key, json) in &self.meta {
                writer.key(key).raw(json);
            }
            writer.end_object();
        }
    }

    /// The run of a case.
    pub fn from_case(case: &Case<'_>, line: u64) -> Self {
        let owned = |json: Option<&str>| json.map(ToOwned::to_owned);
        let calls = case.actual.iter().flat_map(|run| &run.calls).map(|call| {
            let metadata = call.metadata();
            TraceCall {
                name: call.name.clone().into_owned(),
                arguments: match call.arguments.source() {
                    ArgumentSource::Absent => TraceArguments::Absent,
                    ArgumentSource::Json(json) => TraceArguments::Json(json.to_owned()),
                    ArgumentSource::Text { text, .. } => {
                        TraceArguments::Text(text.clone().into_owned())
                    }
                },
                id: metadata.id.clone().map(Text::into_owned),
                tool_id: metadata.tool_id.clone().map(Text::into_owned),
                output: owned(metadata.output.as_deref()),
                error: owned(metadata.error.as_deref()),
                start: super::time::of_json(metadata.start.as_deref()),
                end: super::time::of_json(metadata.end.as_deref()),
                turn: metadata.turn,
                group: metadata.group.clone().map(Text::into_owned),
                actor: metadata.actor.clone().map(Text::into_owned),
                parent: metadata.parent.map(|parent| parent as usize),
                executor: metadata.executor,
                source: None,
                part: None,
            }
        });
        let mut report = Report::default();
        let actors = case
            .actual
            .iter()
            .flat_map(|run| &run.calls)
            .filter_map(|call| call.metadata().actor.as_ref());
        actors.for_each(|actor| report.keep(actor));
        Self {
            id: case.id.clone().map(Text::into_owned),
            line,
            report,
            stated: Stated::from_case(case),
            calls: calls.collect(),
            lacks_run: case.actual.is_none(),
            incomplete: case.incomplete.as_ref().map(ToString::to_string),
            input: owned(case.input),
            output: owned(case.output),
            trial: owned(case.trial),
            meta: case
                .meta
                .iter()
                .map(|(key, json)| (key.to_display().into_owned(), (*json).to_owned()))
                .collect(),
            ..Self::default()
        }
    }

    /// Number of expected calls.
    pub fn expected_calls(&self) -> u64 {
        let stated = self
            .expected
            .as_deref()
            .and_then(|text| expectation(&mut Reader::new(text, Syntax::PYTHON), true).ok());
        stated.map_or(self.stated.expected_calls, |(expected, _)| {
            calls_of(&expected)
        })
    }
}

/// The number of stated calls, or else of the names in order.
fn calls_of(expected: &Expectation<'_>) -> u64 {
    let calls = expected.calls.as_ref().map(Vec::len);
    let in_blocks = expected.tree.as_ref().map(|tree| tree.leaf_count());
    calls
        .or(in_blocks)
        .or(expected.order.as_ref().map(Vec::len))
        .unwrap_or_default() as u64
}

impl Stated {
    fn from_case(case: &Case<'_>) -> Self {
        let mut other_keys = BTreeMap::new();
        let calls = case
            .expected
            .calls
            .iter()
            .flatten()
            .chain(case.actual.iter().flat_map(|run| &run.calls));
        for key in calls.flat_map(|call| &call.metadata().other_keys) {
            *other_keys.entry(key.to_display().into_owned()).or_default() += 1;
        }
        let near_keys = case
            .near_keys
            .iter()
            .map(|(key, meant)| (key.to_display().into_owned(), *meant))
            .collect();
        Self {
            expects: !case.expected.is_empty() || case.native.is_some(),
            expected_calls: calls_of(&case.expected),
            other_keys,
            near_keys,
        }
    }
}

/// Calls as the text of a list of canonical calls.
pub(crate) fn calls_text(calls: &[TraceCall]) -> String {
    json::list(|writer| calls.iter().for_each(|call| write(writer, call)))
}

fn write(writer: &mut JsonWriter, call: &TraceCall) {
    writer.begin_object().key("name").text(&call.name);
    call.arguments.write(writer);
    for (key, text) in [
        ("id", &call.id),
        ("tool_id", &call.tool_id),
        ("group", &call.group),
        ("actor", &call.actor),
    ] {
        json::text(writer, key, text.as_ref());
    }
    json::raw(writer, "output", call.output.as_deref());
    json::raw(writer, "error", call.error.as_deref());
    for (key, time) in [
        ("start", call.start),
        ("end", call.end),
        ("turn", call.turn.map(i128::from)),
    ] {
        json::raw(writer, key, time.map(|time| time.to_string()).as_deref());
    }
    write_executor(writer, call.executor);
    if let Some(parent) = call.parent {
        writer.key("parent").count(parent);
    }
    writer.end_object();
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReadOptions, read_case};

    #[test]
    fn what_a_trace_holds_is_in_its_case() {
        let call = TraceCall {
            name: Text::new("find \"it\"\u{2028}"),
            arguments: TraceArguments::Json("{\n\"n\": 1e2}".to_owned()),
            id: Some(Text::new("c1")),
            output: Some("\"\"".to_owned()),
            error: Some("true".to_owned()),
            start: Some(1_700_000_000_000_000_001),
            turn: Some(3),
            group: Some(Text::new("g")),
            ..TraceCall::default()
        };
        let odd = [
            TraceArguments::Json("[1]".to_owned()),
            TraceArguments::Text(Text::new("{'a': 1}")),
            TraceArguments::Free(Text::new("SELECT")),
            TraceArguments::Absent,
        ];
        let odd = odd.into_iter().map(|arguments| TraceCall {
            arguments,
            ..call.clone()
        });
        let trace = Trace {
            id: Some(Text::new("t")),
            calls: std::iter::once(call.clone()).chain(odd).collect(),
            meta: vec![("reward".to_owned(), "1.0".to_owned())],
            ..Trace::default()
        };
        let text = trace.to_case();
        assert!(!text.contains('\n'));
        let case = read_case(&text, &ReadOptions::default()).unwrap();
        let again = Trace::from_case(&case, 0);
        assert_eq!(
            again.calls[0].arguments,
            TraceArguments::Json("{ \"n\": 1e2}".to_owned())
        );
        assert_eq!(
            again.calls[1].arguments,
            TraceArguments::Text(Text::new("[1]"))
        );
        assert_eq!(
            again.calls[2].arguments,
            TraceArguments::Text(Text::new("{'a': 1}"))
        );
        assert_eq!(again.calls[4].arguments, TraceArguments::Absent);
        for found in &again.calls {
            assert_eq!(
                (&found.name, &found.id, &found.output, &found.error),
                (&call.name, &call.id, &call.output, &call.error)
            );
            assert_eq!(
                (found.start, found.turn, &found.group),
                (call.start, call.turn, &call.group)
            );
        }
        assert_eq!(case.meta.len(), 1);
    }
}
