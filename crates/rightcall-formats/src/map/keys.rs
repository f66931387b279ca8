//! The keys of maps and their values. Validation, messages and the JSON Schema use these lists.

use super::path::PathKind;

/// The values that a key accepts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Takes {
    Text,
    Path(PathKind),
    Conditions,
    /// Conditions, or a path of this kind.
    ConditionsOrPath(PathKind),
    /// Conditions or a path, or a list of them.
    ListOfThem,
    /// Names with a path each.
    NamedPaths,
    /// A rule with these keys, or a list of rules.
    Rules(&'static [Key]),
    /// `true`, or an object with `without`.
    Rest,
    Bool,
}

/// A key, its values and its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Key {
    pub(super) name: &'static str,
    pub(super) takes: Takes,
    pub(super) means: &'static str,
}

const fn key(name: &'static str, takes: Takes, means: &'static str) -> Key {
    Key { name, takes, means }
}

const VALUE: Takes = Takes::Path(PathKind::Value);
const INSIDE: Takes = Takes::Path(PathKind::Inside);

/// The keys of a map.
pub(super) const MAP: &[Key] = &[
    key("map", Takes::Text, "the name of the map"),
    key(
        "records",
        INSIDE,
        "the list inside each value that holds the records",
    ),
    key(
        "run",
        Takes::ConditionsOrPath(PathKind::ValueOrFile),
        "the id of the run of a record, or the conditions under which a record begins a run; without it, each record is a run",
    ),
    key(
        "order",
        VALUE,
        "a number or a time by which the records of a run are sorted",
    ),
    key(
        "known_by",
        Takes::Conditions,
        "conditions on the first record by which the format is recognized",
    ),
    key(
        "id",
        Takes::Path(PathKind::ValueOrFile),
        "the id of the case, if it is not that of the run",
    ),
    key("trial", VALUE, "the repetition that the run is"),
    key("model", VALUE, "the model"),
    key("question", VALUE, "what the agent was asked"),
    key("agent", VALUE, "the agent"),
    key("expected", VALUE, "the expected calls, as in a case"),
    key("output", VALUE, "the answer of the agent"),
    key("tags", VALUE, "the tags of the case"),
    key(
        "meta",
        Takes::NamedPaths,
        "other facts of the case: a name and a path each",
    ),
    key("call", Takes::Rules(CALL), "where the calls are"),
    key("result", Takes::Rules(RESULT), "where the results are"),
    key(
        "messages",
        VALUE,
        "messages or spans in a format that rightcall reads",
    ),
    key(
        "step",
        Takes::ConditionsOrPath(PathKind::Inside),
        "conditions under which a record begins a step, the list of steps inside a record, or a value that is equal in the records of a step",
    ),
    key(
        "skip",
        Takes::ListOfThem,
        "conditions for records that are ignored, and paths to what is ignored in a record",
    ),
    key(
        "finished",
        Takes::Conditions,
        "conditions under which a record shows that its run is complete",
    ),
];

const WHEN: Key = key("when", Takes::Conditions, "conditions for the record");
const AT: Key = key(
    "at",
    INSIDE,
    "the list or the object inside the record that holds the items; without it, the record is the item",
);
const WHERE: Key = key("where", Takes::Conditions, "conditions for the item");
const NAME: Key = key("name", VALUE, "the name of the tool");
const FAILED: Key = key(
    "failed",
    Takes::Conditions,
    "conditions under which the call failed",
);

/// The keys of a rule for calls.
pub(super) const CALL: &[Key] = &[
    WHEN,
    AT,
    WHERE,
    NAME,
    key("args", VALUE, "the arguments"),
    key(
        "rest",
        Takes::Rest,
        "all other keys of the item are the arguments",
    ),
    key("id", VALUE, "the id that pairs a call with its result"),
    key(
        "output",
        VALUE,
        "the output, where the call itself holds it",
    ),
    key("error", VALUE, "the error, where the call itself holds it"),
    FAILED,
    key("start", VALUE, "when the call began"),
    key("end", VALUE, "when the call ended"),
    key(
        "by_provider",
        Takes::Conditions,
        "conditions under which the provider of the model ran the call",
    ),
    key(
        "not_run",
        Takes::Conditions,
        "conditions under which the call was never made",
    ),
    key(
        "optional",
        Takes::Bool,
        "true if an input without such calls is no error",
    ),
];

/// The keys of a rule for results.
pub(super) const RESULT: &[Key] = &[
    WHEN,
    AT,
    WHERE,
    key("id", VALUE, "the id of the call"),
    NAME,
    key(
        "args",
        VALUE,
        "the arguments of the call, where a log may have its result alone",
    ),
    key("output", VALUE, "the output"),
    key("error", VALUE, "the error"),
    FAILED,
    key("end", VALUE, "when the call ended"),
    key(
        "not_run",
        Takes::Conditions,
        "conditions under which the call was refused",
    ),
];

/// The key of a rule for what logs have under this key.
pub(super) fn usual_key(key: &str) -> Option<&'static str> {
    match key {
        "result" | "response" | "out" => Some("output"),
        "arguments" | "parameters" | "params" | "input" => Some("args"),
        "tool" | "tool_name" | "function" => Some("name"),
        "call_id" | "tool_call_id" => Some("id"),
        "exception" => Some("error"),
        _ => None,
    }
}
