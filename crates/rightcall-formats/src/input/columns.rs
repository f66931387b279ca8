//! Parquet and Arrow: each row is a record, written as equivalent JSON.
//!
//! The columns are those of a case or of any other readable record, or those of a span, by any name that tracing systems export.

use std::fs::File;
use std::io::{self, Read};
use std::path::Path;

use super::whole::too_large;
use rightcall_columns::{ColumnKey, Container, Rows};

/// The rows of a container. A compressed container or stream goes through a temporary file of at most the given size if it needs random
/// access.
pub(super) fn rows(
    container: Container,
    bytes: Box<dyn Read + Send>,
    file: Option<&Path>,
    most: usize,
    is_mapped: bool,
) -> io::Result<Rows> {
    let keys = if is_mapped { plain_keys } else { keys };
    if !container.needs_file() {
        return Rows::from_stream(bytes, keys);
    }
    let file = if let Some(path) = file {
        File::open(path)?
    } else {
        let mut file = tempfile::tempfile()?;
        if io::copy(&mut bytes.take((most as u64).saturating_add(1)), &mut file)? > most as u64 {
            return Err(too_large("a table", most));
        }
        file
    };
    Rows::from_file(container, file, keys)
}

/// Column names of spans, each with the span's own key.
const SPAN_COLUMNS: [(&str, &[&str]); 10] = [
    (
        "trace_id",
        &["trace_id", "traceId", "TraceId", "context.trace_id"],
    ),
    (
        "span_id",
        &["span_id", "spanId", "SpanId", "context.span_id"],
    ),
    (
        "parent_span_id",
        &[
            "parent_span_id",
            "parentSpanId",
            "ParentSpanId",
            "parent_id",
            "parent",
        ],
    ),
    ("name", &["name", "span_name", "spanName", "SpanName"]),
    (
        "start_time",
        &[
            "start_time",
            "startTime",
            "start",
            "start_time_unix_nano",
            "startTimeUnixNano",
            "timestamp",
            "Timestamp",
        ],
    ),
    (
        "end_time",
        &[
            "end_time",
            "endTime",
            "end",
            "end_time_unix_nano",
            "endTimeUnixNano",
        ],
    ),
    (
        "duration",
        &[
            "duration",
            "Duration",
            "duration_ns",
            "duration_nano",
            "durationNano",
        ],
    ),
    (
        "attributes",
        &[
            "attributes",
            "span_attributes",
            "spanAttributes",
            "SpanAttributes",
        ],
    ),
    ("status_code", &["status_code", "statusCode", "StatusCode"]),
    (
        "status_message",
        &["status_message", "statusMessage", "StatusMessage"],
    ),
];

/// Columns with plain texts that are never parsed.
const TEXTS: [&str; 5] = ["id", "name", "input", "output", "description"];

/// The target of each column, and the object that every row has.
pub(super) fn keys(columns: &[&str]) -> (Vec<ColumnKey>, Option<&'static str>) {
    let span_key = |column: &str| {
        SPAN_COLUMNS
            .iter()
            .find(|(_, names)| names.contains(&column))
            .map(|(key, _)| *key)
    };
    let has = |key: &str| columns.iter().any(|column| span_key(column) == Some(key));
    let are_spans = has("trace_id") && has("span_id");
    let key = |column: &&str| {
        let may_hold_json = !TEXTS.contains(column);
        if let Some(name) = span_key(column).filter(|_| are_spans) {
            return ColumnKey {
                within: None,
                name: name.to_owned(),
                may_hold_json,
            };
        }
        // Data frames of spans have a column for each attribute.
        match column
            .split_once('.')
            .filter(|(within, _)| are_spans && *within == "attributes" || *within == "meta")
        {
            Some((within, name)) => ColumnKey {
                within: Some(within.to_owned()),
                name: name.to_owned(),
                may_hold_json: false,
            },
            None => ColumnKey {
                within: None,
                name: (*column).to_owned(),
                may_hold_json,
            },
        }
    };
    (
        columns.iter().map(key).collect(),
        are_spans.then_some("attributes"),
    )
}

/// Unchanged column names, for a map.
fn plain_keys(columns: &[&str]) -> (Vec<ColumnKey>, Option<&'static str>) {
    let key = |name: &&str| ColumnKey {
        within: None,
        name: (*name).to_owned(),
        may_hold_json: true,
    };
    (columns.iter().map(key).collect(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(columns: &[&str]) -> Vec<String> {
        let name = |key: &ColumnKey| {
            key.within
                .iter()
                .chain([&key.name])
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join(" > ")
        };
        keys(columns).0.iter().map(name).collect()
    }

    #[test]
    fn columns_of_spans_have_the_names_of_flat_spans() {
        assert_eq!(
            names(&["TraceId", "SpanId", "Timestamp", "SpanAttributes"]),
            ["trace_id", "span_id", "start_time", "attributes"]
        );
        assert_eq!(
            names(&[
                "context.trace_id",
                "context.span_id",
                "parent_id",
                "attributes.tool.name",
                "meta.a"
            ]),
            [
                "trace_id",
                "span_id",
                "parent_span_id",
                "attributes > tool.name",
                "meta > a"
            ]
        );
    }

    #[test]
    fn other_columns_keep_their_names() {
        assert_eq!(
            names(&["id", "start", "attributes.a", "meta.region"]),
            ["id", "start", "attributes.a", "meta > region"]
        );
        let holds_json = |column: &str| keys(&[column]).0[0].may_hold_json;
        assert!(holds_json("expected") && !holds_json("output"));
    }
}
