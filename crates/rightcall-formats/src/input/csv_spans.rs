//! Tables of spans, as frames of observability tools are written: a row is a span.
//!
//! Cells are texts; those that hold JSON or, as frames write lists and dicts, a literal of Python are what they hold, where their column
//! is none of texts.

use csv::StringRecord;
use rightcall::value::python::parse_literal;
use rightcall::value::{JsonText, JsonWriter, Reader, Syntax, Text};
use rightcall_columns::ColumnKey;

use super::columns::keys;

/// The columns of a table of spans.
#[derive(Debug)]
pub(super) struct SpanColumns {
    keys: Vec<ColumnKey>,
    /// The object that every row has.
    object: &'static str,
}

impl SpanColumns {
    /// The columns of these names; `None` if they are none of spans.
    pub(super) fn new(names: &StringRecord) -> Option<Self> {
        let (keys, object) = keys(&names.iter().collect::<Vec<_>>());
        Some(Self {
            keys,
            object: object?,
        })
    }

    /// The span of a row as JSON text.
    pub(super) fn span(&self, row: &StringRecord) -> String {
        let cells = self.keys.iter().zip(row);
        let cells: Vec<_> = cells.filter(|(_, cell)| !cell.is_empty()).collect();
        let mut writer = JsonWriter::new();
        writer.begin_object();
        let mut objects = vec![self.object];
        for (key, cell) in &cells {
            match &key.within {
                None => write(key, cell, &mut writer),
                Some(within) if !objects.contains(&within.as_str()) => objects.push(within),
                Some(_) => {}
            }
        }
        for object in objects {
            writer.key(object).begin_object();
            let own = cells
                .iter()
                .filter(|(key, _)| key.within.as_deref() == Some(object));
            own.for_each(|(key, cell)| write(key, cell, &mut writer));
            writer.end_object();
        }
        writer.end_object();
        writer.finish().into_string()
    }
}

/// A cell as the value that it holds, else as a text.
fn write(key: &ColumnKey, cell: &str, writer: &mut JsonWriter) {
    writer.key(&key.name);
    if !key.may_hold_json {
        writer.str(cell);
        return;
    }
    let mut reader = Reader::new(cell, Syntax::PYTHON);
    let is_text = cell.trim_start().starts_with('"');
    if !is_text && reader.raw().and_then(|_| reader.end()).is_ok() {
        writer.raw(cell);
        return;
    }
    let literal = || parse_literal(&Text::from(cell.to_owned())).ok();
    match cell
        .trim_start()
        .starts_with(['[', '{'])
        .then(literal)
        .flatten()
    {
        Some(value) => writer.raw(JsonText::from_value(&value).as_str()),
        None => writer.str(cell),
    };
}

#[cfg(test)]
mod tests {
    use crate::{Input, Limits, ReadOptions, read_case};

    /// The records of a file of this name, and what ended it too early.
    fn records(name: &str, text: &str) -> (Vec<String>, Option<String>) {
        let (limits, options) = (Limits::default(), ReadOptions::default());
        let mut input =
            Input::from_bytes(name, text.as_bytes().to_vec(), limits, &options).unwrap();
        let mut records = Vec::new();
        loop {
            match input.next_block(1) {
                Ok(Some(block)) => {
                    records.extend(block.records().map(|it| it.text.unwrap().to_owned()));
                }
                Ok(None) => return (records, None),
                Err(error) => return (records, Some(error.to_string())),
            }
        }
    }

    #[test]
    fn rows_are_cases() {
        let text = "id,expected,actual,meta.n\n7,\"[{\"\"name\"\":\"\"find\"\"}]\",\"[{'name': 'find', 'args': {'ok': True}}]\",\n";
        let (records, error) = records("cases.csv", text);
        assert_eq!(error, None);
        let expected = r#"{"id":"7","expected":[{"name":"find"}],"actual":[{"name":"find","args":{"ok":true}}]}"#;
        assert_eq!(records, [expected]);
        assert!(read_case(&records[0], &ReadOptions::default()).is_ok());
    }

    #[test]
    fn frames_of_spans_are_spans() {
        let text = "name,span_kind,parent_id,start_time,context.trace_id,context.span_id,attributes.llm.output_messages,attributes.tool.name,attributes.input.value\n\
            m,LLM,,2025-01-01 00:00:00+00:00,t,1,\"[{'message.role': 'assistant', 'message.tool_calls': [{'tool_call.id': 'c', 'tool_call.function.name': 'find', 'tool_call.function.arguments': '{}'}]}]\",,\n\
            find,TOOL,,2025-01-01 00:00:01+00:00,t,2,,find,\"{\"\"id\"\": 7}\"\n";
        let (records, error) = records("spans.csv", text);
        assert_eq!((records.len(), error), (1, None));
        let calls = r#""actual":[{"name":"find","args":"{\"id\": 7}","id":"c","start":"#;
        assert!(records[0].contains(calls), "{records:?}");
    }

    #[test]
    fn a_row_that_is_cut_off_is_an_error() {
        let whole = "id,expected,actual\na,[],[]\nb,[],[]\n";
        assert_eq!(records("x.csv", whole).0.len(), 2);
        for length in 28..whole.len() {
            let (found, error) = records("x.csv", &whole[..length]);
            assert!(found.len() == 1 && error.is_some(), "{length}: {found:?}");
        }
        let unclosed = "id,expected,actual\na,[],\"[]\n";
        assert!(records("x.csv", unclosed).1.is_some());
    }
}
