//! Words that keys of logs usually have, strongest evidence first. Maps are drafted from them.

mod arguments;
mod endings;
mod kinds;
mod runs;

pub(super) use arguments::{is_column_of_arguments, is_positional, sure_arguments};

pub(super) use endings::{
    CODES, ERRORS, FAILED, FAILURES, LEVELS, NOT_RUN, PERMITTED, REASONS, STATES, SUCCEEDED,
    is_empty, is_failed_kind, is_not_run, is_open, says_error, says_no_error, truth,
};

pub(super) use kinds::{
    is_beginning_kind, is_ending_kind, is_model_role, is_result_kind, is_tool_role, is_user_role,
    says_call,
};
pub(super) use runs::{
    RUNS, SMALLER_THAN_RUNS, TRIALS, VARIANTS, is_list_of_runs, is_parent, is_thread_of_machine,
};

/// Keys that hold the name of a tool and rarely anything else.
pub(super) const TOOL_NAMES: &[&str] = &[
    "toolname",
    "tool",
    "functionname",
    "function",
    "func",
    "fnname",
    "fn",
    "apiname",
];

/// Keys that hold a name. It is a tool name if arguments are next to it.
pub(super) const NAMES: &[&str] = &["name", "action", "method", "command", "api", "op", "n"];

pub(super) const ARGUMENTS: &[&str] = &[
    "arguments",
    "args",
    "toolinput",
    "toolargs",
    "toolarguments",
    "toolparameters",
    "actioninput",
    "inputparameters",
    "functionargs",
    "functionarguments",
    "callargs",
    "kwargs",
    "rawinput",
    "parameters",
    "params",
    "paramdict",
    "input",
    "inputs",
    "with",
    "payload",
    "a",
];

pub(super) const OUTPUTS: &[&str] = &[
    "nextobservation",
    "nextobs",
    "tooloutput",
    "toolresult",
    "toolresponse",
    "functionoutput",
    "functionresult",
    "functionresponse",
    "output",
    "outputs",
    "result",
    "observation",
    "returned",
    "return",
    "returnvalue",
    "response",
    "resp",
    "toolreturn",
    "outcome",
    "got",
    "extracted",
    "stdout",
    "obs",
    "value",
    "out",
    "toolout",
    "res",
    "ret",
    "content",
    "body",
    "data",
    "o",
];

/// Keys that may hold the id of a call, the surest first.
pub(super) const IDS: &[&str] = &[
    "toolcallid",
    "callid",
    "tooluseid",
    "invocationid",
    "requestid",
    "correlationid",
    "call",
    "ref",
    "id",
    "uid",
    "uuid",
    "seq",
    "step",
    "n",
    "i",
];

/// Those that surely hold one.
pub(super) const SURE_IDS: &[&str] = IDS.split_at(9).0;

/// True for a key with a known meaning other than name or arguments.
pub(super) fn is_known(key: &str) -> bool {
    let known = [
        TOOL_NAMES, KINDS, OUTPUTS, ERRORS, IDS, ORDERS, RUNS, STATES, CODES, STARTS, ENDS, MODELS,
        QUESTIONS, FAILED, SUCCEEDED, NOT_RUN, PERMITTED,
    ];
    known.iter().any(|words| is_one(key, words))
}

/// Keys that classify a record.
pub(super) const KINDS: &[&str] = &[
    "kind",
    "type",
    "event",
    "eventtype",
    "eventname",
    "recordtype",
    "record",
    "messagetype",
    "direction",
    "ev",
    "evt",
    "hook",
    "dir",
    "phase",
    "stage",
    "what",
    "source",
    "src",
    "role",
    "speaker",
    "author",
    "who",
    "from",
    "actor",
    "op",
    "k",
    "e",
];

/// The rank of a key that classifies a record: one of [`KINDS`], or another type or kind.
pub(super) fn kind_rank(key: &str) -> Option<usize> {
    let is_other = || {
        let key = key.to_ascii_lowercase();
        (key.ends_with("type") || key.ends_with("kind")).then_some(KINDS.len())
    };
    rank(key, KINDS).or_else(is_other)
}

/// Keys of lists of objects with one key each, the tool name.
pub(super) const LISTS_BY_NAME: &[&str] = &["action", "actions", "calls", "toolcalls", "toolsused"];

/// Keys that records are sorted by.
pub(super) const ORDERS: &[&str] = &[
    "seq",
    "sequence",
    "order",
    "index",
    "idx",
    "step",
    "timestamp",
    "time",
    "ts",
    "t",
    "createdat",
    "loggedat",
    "occurredat",
    "at",
];

/// Keys that records may be sorted by, if no key says their order. They often hold something else.
pub(super) const WEAK_ORDERS: &[&str] = &[
    "n",
    "i",
    "no",
    "num",
    "number",
    "line",
    "lineno",
    "row",
    "pos",
    "position",
    "turn",
    "ms",
    "start",
    "starttime",
    "startedat",
];

/// Keys that hold the time of a record.
pub(super) const TIMES: &[&str] = &["timestamp", "time", "ts", "at", "date", "t"];

pub(super) const STARTS: &[&str] = &["startedat", "starttime", "start", "from"];
pub(super) const ENDS: &[&str] = &["finishedat", "endedat", "endtime", "end", "to"];
pub(super) const QUESTIONS: &[&str] = &["question", "prompt", "query", "task", "q"];
pub(super) const MODELS: &[&str] = &["model", "modelname", "modelid"];

/// Keys of calls that the agent did not make.
pub(super) const NOT_MADE: &[&str] = &[
    "expected",
    "expectedcalls",
    "expectedtools",
    "expectedtoolcalls",
    "groundtruth",
    "reference",
    "want",
    "wanted",
    "gold",
    "golden",
    "planned",
    "plans",
    "plan",
    "tooldefinitions",
    "availabletools",
    "schema",
    "definitions",
];

/// True for a key of something like a call that was not made: a step before or after this one, a choice, or another part of the system.
pub(super) fn is_aside(key: &str) -> bool {
    let words = spaced(key);
    let first = words.split(' ').next().unwrap_or_default();
    let beginnings = [
        "next",
        "prev",
        "previous",
        "candidate",
        "candidates",
        "alternative",
        "alternatives",
        "available",
        "proposed",
        "proposal",
        "suggested",
        "suggestion",
        "suggestions",
        "considered",
        "cache",
        "cached",
        "should",
        "gold",
        "golden",
        "expected",
        "ideal",
        "oracle",
        "teacher",
        "baseline",
        "original",
    ];
    let parts = [
        "model",
        "llm",
        "prompt",
        "agent",
        "http",
        "validator",
        "guardrail",
    ];
    beginnings.contains(&first) || parts.contains(&words.as_str())
}

/// Keys of the expected calls of a run.
pub(super) const EXPECTED: &[&str] = &[
    "expected",
    "expectedcalls",
    "expectedtoolcalls",
    "expectedtools",
    "groundtruth",
    "reference",
    "gold",
    "golden",
    "want",
];

/// Flags that mark the call of a record as not final.
pub(super) const NOT_FINAL: &[&str] = &["partial", "ispartial", "draft", "delta", "isdelta"];

/// True for a member that marks a record as partial.
pub(super) fn is_partial(key: &str, json: &str) -> bool {
    json == "true" && is_one(key, NOT_FINAL)
}

/// True for a member that marks a record as debug output.
pub(super) fn is_debug(key: &str, json: &str) -> bool {
    matches!(json, "\"debug\"" | "\"DEBUG\"") && is_one(key, LEVELS)
}

/// The rank of a key among `words`, in any word style such as snake case. A dotted key may end with the word.
pub(super) fn rank(key: &str, words: &[&str]) -> Option<usize> {
    let plain: String = key
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .map(|letter| letter.to_ascii_lowercase())
        .collect();
    let has_dots = key.contains('.');
    words
        .iter()
        .position(|word| plain == *word || has_dots && word.len() > 3 && plain.ends_with(word))
}

pub(super) fn is_one(key: &str, words: &[&str]) -> bool {
    rank(key, words).is_some()
}

/// The words of a name in any style, in lower case and with spaces between them.
fn spaced(name: &str) -> String {
    let mut words = String::new();
    let mut was_lower = false;
    for letter in name.chars() {
        if !letter.is_alphanumeric() || was_lower && letter.is_uppercase() {
            words.push(' ');
        }
        was_lower = letter.is_lowercase();
        words.extend(letter.to_lowercase().filter(|it| it.is_alphanumeric()));
    }
    words
}

/// Keys of what someone said, in any record of a dialogue.
pub(super) const SAID: &[&str] = &["content", "text", "message", "msg", "body"];

/// The beginning of a name such as `tool:search` that says that it is one of a tool.
pub(super) fn tool_prefix(name: &str) -> Option<&str> {
    let at = name.find([':', '/']).filter(|at| at + 1 < name.len())?;
    let is_of_tool = ["tool", "tools", "function", "tool_call"].contains(&&name[..at]);
    is_of_tool.then(|| &name[..=at])
}

/// True for a text that may be the name of a tool.
pub(super) fn is_tool_name(text: &str) -> bool {
    let is_part = |letter: char| letter.is_alphanumeric() || "_-.:/".contains(letter);
    !text.is_empty() && text.chars().count() <= 80 && text.chars().all(is_part)
}
