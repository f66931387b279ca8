//! Canonical cases.

use crate::format::{Format, Reading, Recognition};
use crate::node::Node;
use crate::shapes::first_record;

pub(super) static ENTRY: Format = Format {
    name: "cases",
    title: "canonical cases",
    summary: "canonical cases: `expected` and `actual` calls `{name, args}`",
    reads: &[
        ("calls", "`actual`: calls, spans or messages"),
        ("arguments", "`args` or `arguments`"),
        ("results", "`output`, `error`"),
        ("times", "`start`, `end`"),
        ("order", "`turn`, `group`"),
        ("expectations", "`expected`"),
    ],
    lacks: &[],
    notes: "rightcall's own form: [`rightcall schema case`](../commands/schema.md) prints its schema. A case without `actual` takes its run from
`--traces`; one without `expected` may be judged by constraints.",
    extensions: &["jsonl", "json"],
    example: r#"{"id":"refund-7","expected":[{"name":"find_order","args":{"id":7}}],"actual":[{"name":"find_order","args":{"id":7},"output":"shipped"}]}"#,
    recognise,
    reading: Reading::Cases,
};

/// What may stand in a case beside its sides.
const OTHER_KEYS: [&str; 7] = ["id", "tags", "trial", "input", "output", "description", "meta"];

fn recognise(value: &Node<'_>) -> Recognition {
    let record = first_record(value);
    if record.has("expected") || record.has("actual") {
        return Recognition::Certain;
    }
    let is_case = record.is_object() && record.entries().iter().all(|(key, _)| OTHER_KEYS.iter().any(|name| *key == **name));
    if is_case { Recognition::Possible } else { Recognition::No }
}
