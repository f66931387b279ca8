//! The keys and types that mark calls, and those that mark other values.

use rightcall_core::value::Text;

use crate::node::Node;
use crate::trace::words::says_any;

/// True for a schema, not a value.
pub(crate) fn is_schema(value: &Node<'_>) -> bool {
    value.has("properties")
        || value.has("$schema")
        || value
            .str_at("type")
            .is_some_and(|kind| matches!(kind.to_ascii_lowercase().as_str(), "object" | "dict"))
}

fn is_of_tools(kind: &str) -> bool {
    kind != "tool"
        && (kind.ends_with("_call")
            || says_any(
                kind,
                &["tool", "function_call", "functioncall", "function-call"],
            ))
}

pub(super) fn is_result_kind(kind: &str) -> bool {
    // A request to submit outputs has the calls.
    is_of_tools(kind)
        && !kind.starts_with("submit")
        && (says_any(kind, &["result", "output", "error", "callexecution"])
            || kind.ends_with("esponse"))
}

pub(super) fn is_call_kind(kind: &str) -> bool {
    const OTHERS: [&str; 7] = [
        "tools",
        "choice",
        "definition",
        "approval",
        "schema",
        "summary",
        "reference",
    ];
    is_of_tools(kind) && !is_result_kind(kind) && !says_any(kind, &OTHERS)
}

pub(super) fn is_piece_kind(kind: &str) -> bool {
    const ENDS: [&str; 10] = [
        "args",
        "delta",
        "start",
        "started",
        "begin",
        "end",
        "stop",
        "done",
        "progress",
        "streaming",
    ];
    // LangChain adds one to a chunk with a part of the arguments.
    kind == "invalid_tool_call"
        || says_any(kind, &["chunk"])
        || ENDS
            .iter()
            .any(|end| kind.to_ascii_lowercase().ends_with(end))
}

/// True for a key of values that aren't calls of the run.
pub(in crate::trace) fn is_passed_over(key: &Text<'_>) -> bool {
    matches!(key_of(key), Key::PassedOver | Key::Tools)
}

/// The meaning of a key in the search for calls.
pub(super) enum Key {
    Type,
    Role,
    Content,
    Description,
    /// The id of any object.
    Id,
    /// The name of a tool.
    Name,
    /// A name of any kind.
    AnyName,
    /// The arguments of a call.
    Arguments,
    /// An input of any kind.
    AnyArguments,
    /// The id of a call.
    CallId,
    /// Holds calls.
    Calls,
    /// The model's thoughts.
    Thoughts,
    /// Holds definitions of tools.
    Tools,
    /// Holds values that are not calls of the run: definitions, schemas, results, expectations.
    PassedOver,
    Other,
}

/// A key without its number: the keys of a `DSPy` trajectory are numbered.
pub(super) fn unnumbered<'k>(key: &'k Text<'_>) -> &'k [u8] {
    let key = key.as_bytes();
    if !key.starts_with(b"tool_name_") && !key.starts_with(b"tool_args_") {
        return key;
    }
    let number = key.iter().rev().take_while(|byte| byte.is_ascii_digit());
    &key[..key.len() - number.count()]
}

/// The meaning of a key, in any word style such as snake case.
pub(super) fn key_of(key: &Text<'_>) -> Key {
    let written = unnumbered(key);
    if written.iter().all(u8::is_ascii_lowercase) {
        return key_of_letters(written);
    }
    let mut letters = [0_u8; 24];
    let mut length = 0;
    for byte in written
        .iter()
        .filter(|byte| !matches!(byte, b'_' | b'-' | b'.' | b' '))
    {
        let Some(place) = letters.get_mut(length) else {
            return Key::Other;
        };
        *place = byte.to_ascii_lowercase();
        length += 1;
    }
    key_of_letters(&letters[..length])
}

/// The meaning of a key without marks, in lower case.
fn key_of_letters(letters: &[u8]) -> Key {
    match letters {
        b"type" => Key::Type,
        b"role" => Key::Role,
        b"content" => Key::Content,
        b"description" => Key::Description,
        b"id" => Key::Id,
        b"toolname" | b"tool" | b"functionname" | b"function" | b"recipientname" => Key::Name,
        b"name" => Key::AnyName,
        b"args" | b"arguments" | b"kwargs" | b"toolinput" | b"toolargs" | b"toolkwargs"
        | b"toolarguments" | b"toolparameters" | b"inputparameters" | b"functionargs"
        | b"functionarguments" | b"callargs" | b"rawinput" => Key::Arguments,
        b"input" | b"parameters" | b"params" => Key::AnyArguments,
        b"callid" | b"toolcallid" | b"tooluseid" => Key::CallId,
        b"executablecode" | b"invalidtoolcalls" | b"toolcallchunks" => Key::Calls,
        letters if is_number_or_names(letters) => Key::Calls,
        b"tools" | b"functions" => Key::Tools,
        b"tooldefinitions"
        | b"availabletools"
        | b"toolconfig"
        | b"toolchoice"
        | b"toolspec"
        | b"functiondeclarations"
        | b"schema"
        | b"jsonschema"
        | b"inputschema"
        | b"outputschema"
        | b"argsschema"
        | b"responseformat"
        | b"properties"
        | b"definitions"
        | b"toolresult"
        | b"toolresults"
        | b"toolresponse"
        | b"toolresponses"
        | b"functionresponse"
        | b"tooloutput"
        | b"toolmessages"
        | b"tooluseresult"
        | b"toolorigin"
        | b"providerdata"
        | b"observation"
        | b"usage"
        | b"usagemetadata"
        | b"expected"
        | b"expectedcalls"
        | b"expectedtools"
        | b"expectedtoolcalls"
        | b"expectedtooluse"
        | b"groundtruth"
        | b"reference"
        | b"referencetoolcalls"
        | b"referenceoutputs" => Key::PassedOver,
        letters if begins_as_calls(letters) => Key::Calls,
        letters if THOUGHTS.iter().any(|it| letters.starts_with(it.as_bytes())) => Key::Thoughts,
        _ => Key::Other,
    }
}

/// Prefixes of keys and types for the model's thoughts.
const THOUGHTS: [&str; 3] = ["reasoning", "thinking", "thought"];

/// True for a key of the model's thoughts.
pub(crate) fn is_of_thoughts(key: &Text<'_>) -> bool {
    matches!(key_of(key), Key::Thoughts)
}

/// True for the type of the model's thoughts.
pub(super) fn is_thought_kind(kind: &str) -> bool {
    says_any(kind, &THOUGHTS)
}

/// True for a key of calls, possibly with a few letters after it.
fn begins_as_calls(letters: &[u8]) -> bool {
    const CALLS: [&[u8]; 4] = [b"toolcall", b"functioncall", b"tooluse", b"toolinvocation"];
    const OTHERS: [&[u8]; 5] = [b"stats", b"usage", b"limit", b"error", b"model"];
    CALLS
        .iter()
        .filter_map(|begin| letters.strip_prefix(*begin))
        .any(|rest| rest.len() <= 5 && !OTHERS.contains(&rest))
}

/// True for the letters of a key that only numbers or names calls.
fn is_number_or_names(letters: &[u8]) -> bool {
    const MARKS: [&[u8]; 2] = [b"tool", b"function"];
    let may_be = MARKS
        .iter()
        .any(|mark| letters.windows(mark.len()).any(|it| it == *mark));
    may_be
        && std::str::from_utf8(letters)
            .is_ok_and(|letters| NUMBERS.contains(&letters) || NAMES.contains(&letters))
}

/// Keys of the number of calls.
const NUMBERS: [&str; 12] = [
    "functioncallcount",
    "functioncalls",
    "ntoolcalls",
    "numfunctioncalls",
    "numtoolcalls",
    "numberoftoolcalls",
    "toolcallcount",
    "toolcalls",
    "toolcallscount",
    "toolcallstotal",
    "toolinvocations",
    "totaltoolcalls",
];

/// Keys of the names of the called tools, or of their number.
const NAMES: [&str; 15] = [
    "calledfunctions",
    "calledtools",
    "functioncalled",
    "functionscalled",
    "functionsused",
    "invokedtools",
    "toolcalled",
    "toolexecuted",
    "toolinvoked",
    "toolscalled",
    "toolsexecuted",
    "toolsinvoked",
    "toolsused",
    "toolused",
    "usedtools",
];

/// True for a key that may have the number of calls.
pub(super) fn is_count(key: &Text<'_>) -> bool {
    NUMBERS.contains(&letters_of(key).as_str()) || is_of_names(key)
}

/// True for a key of the called tools. Some logs keep only their names.
pub(super) fn is_of_names(key: &Text<'_>) -> bool {
    NAMES.contains(&letters_of(key).as_str())
}

/// True for the letters of a key of results.
pub(super) fn is_of_results(letters: &str) -> bool {
    let begins = [
        "toolresult",
        "toolresponse",
        "tooloutput",
        "toolmessage",
        "functionresponse",
        "functionresult",
        "tooluseresult",
    ];
    begins.iter().any(|begin| {
        letters
            .strip_prefix(begin)
            .is_some_and(|rest| matches!(rest, "" | "s"))
    })
}

/// A key in lower case, without the marks between its words.
pub(super) fn letters_of(key: &Text<'_>) -> String {
    key.to_display()
        .replace(['_', '-'], "")
        .to_ascii_lowercase()
}

/// True for a key of what a model says, in logs of any kind.
pub(super) fn is_said(key: &Text<'_>) -> bool {
    const SAID: [&str; 8] = [
        "answer",
        "content",
        "finalanswer",
        "message",
        "reply",
        "response",
        "responsetext",
        "text",
    ];
    SAID.contains(&letters_of(key).as_str())
}

/// True for a record whose type or source names another than the model.
pub(super) fn is_of_somebody_else(record: &Node<'_>) -> bool {
    const SPEAKERS: [&str; 7] = [
        "type", "kind", "event", "source", "sender", "author", "from",
    ];
    const OTHERS: [&str; 7] = [
        "customer",
        "function",
        "human",
        "observation",
        "system",
        "tool",
        "user",
    ];
    let mut speakers = SPEAKERS.iter().filter_map(|key| record.str_at(key));
    speakers.any(|speaker| says_any(speaker, &OTHERS))
}

/// True for a key of the outcome of a call.
pub(super) fn is_outcome(key: &Text<'_>) -> bool {
    let outcomes = ["result", "results", "output", "outputs", "error"];
    outcomes.iter().any(|outcome| key == outcome)
}
