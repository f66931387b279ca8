//! Words that say what a record or an object is.

use super::spaced;

/// True for a kind or a key that says that something is a call.
pub(in crate::draft) fn says_call(name: &str) -> bool {
    let name = name.to_ascii_lowercase();
    ["tool", "call", "function", "action"]
        .iter()
        .any(|word| name.contains(word))
}

/// True for the kind of a result record.
pub(in crate::draft) fn is_result_kind(kind: &str) -> bool {
    let words = spaced(kind);
    let kind = kind.to_ascii_lowercase();
    [
        "result", "return", "respon", "output", "observ", "outcome", "complet",
    ]
    .iter()
    .any(|word| kind.contains(word))
        || [
            "end", "ended", "done", "finished", "finish", "ret", "res", "got", "in", "error",
            "failed", "refused", "obs",
        ]
        .iter()
        .any(|word| words.rsplit(' ').next() == Some(word))
}

/// True for a kind that says that a tool speaks. Beside calls of another kind, such a record is a result.
pub(in crate::draft) fn is_tool_role(kind: &str) -> bool {
    ["tool", "tools", "function", "environment", "env"]
        .contains(&kind.to_ascii_lowercase().as_str())
}

/// True for a kind that says that the model speaks.
pub(in crate::draft) fn is_model_role(kind: &str) -> bool {
    [
        "assistant",
        "ai",
        "agent",
        "model",
        "bot",
        "llm",
        "gpt",
        "assistant message",
        "ai message",
    ]
    .contains(&spaced(kind).trim())
}

/// True for a kind that says that a user speaks, perhaps a simulated one.
pub(in crate::draft) fn is_user_role(kind: &str) -> bool {
    let words = spaced(kind);
    let mut words = words.split(' ');
    words.any(|word| ["user", "human", "customer", "simulator"].contains(&word))
}

/// True for the kind of a record that ends a run.
pub(in crate::draft) fn is_ending_kind(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    [
        "answer",
        "final",
        "end",
        "finished",
        "done",
        "stopped",
        "run_finished",
        "run_end",
    ]
    .contains(&kind.as_str())
        || kind.starts_with("final")
}

/// True for the kind of a record that begins a run.
pub(in crate::draft) fn is_beginning_kind(kind: &str) -> bool {
    let kind = kind.to_ascii_lowercase();
    let is_begin = ["start", "begin", "init", "new"]
        .iter()
        .any(|word| kind.contains(word));
    let of_run = ["run", "session", "task", "conversation", "episode", "trace"]
        .iter()
        .any(|word| kind.contains(word));
    is_begin && of_run
}
