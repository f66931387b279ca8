//! Canonical cases.

use crate::format::{Format, Priority, Reading};

pub(super) static ENTRY: Format = Format {
    name: "cases",
    title: "canonical cases",
    summary: "canonical cases: `expected` and `actual` calls `{name, args}`",
    reads: &[
        ("calls", "`actual`: calls, messages, spans, or any value that is one run in a format of traces; else `messages`, `tool_calls` or calls under `output`"),
        ("names", "`name`; also `tool`, `toolName`, `tool_name`, `function_name`, `function.name`"),
        (
            "arguments",
            "`args`; also `arguments`, `input`, `input_parameters`, `kwargs`, `parameters`, `params`, `tool_input`, `tool_args`, `function.arguments`",
        ),
        ("results", "`output`, `error`"),
        ("times", "`start`, `end`"),
        ("order", "`turn`, `group`"),
        ("actors", "`actor` or `requestor`, where it was not the agent itself; a `user` message with calls"),
        ("expectations", "`expected`"),
    ],
    lacks: &[],
    notes: "rightcall's own form: [`rightcall schema case`](../commands/schema.md) prints its schema. A case without `actual` takes its run from
`--traces`; one without `expected` may be judged by constraints.

A side that is no list of calls is read as the same value in a file of traces would be: in any format of messages, spans or sessions. It holds one
run; what no format knows is an error, never a side without calls.

`incomplete` says why calls of the run may be missing, such as `2 results without a call`; without `actual` it says why the run was not recorded.
`convert` writes it. Of an incomplete run, evaluators that need all calls are *not applicable*; those that ask whether expected calls were made
are scored.

Nothing that says something of a call is passed over. The name and the arguments are read under any key that is plainly meant for them,
whatever its case and underscores. Two such keys in one call are an error, and so is a key that is nearly one of a call (`argz`), an expected call
without arguments that has an object under a key which says nothing, and a call in the notation of screens, `find_order(id=7)`: each with its
place and what to write. Other keys of a call, such as `raw_args`, are not judged; `rightcall inspect` counts them. Of a case, other keys are
meta values; those that are nearly a key with a meaning (`expectd`, `tag`) are warned of, once, with the number of cases. So are those that hold calls
which the run does not have (`conversation`): a case whose run is missing, or empty, is *not recorded* then.",
    extensions: &["jsonl", "json"],
    example: r#"{"id":"refund-7","expected":[{"name":"find_order","args":{"id":7}}],"actual":[{"name":"find_order","args":{"id":7},"output":"shipped"}]}"#,
    priority: Priority::Case,
    reading: Reading::Cases,
};
