//! Words that say how a call ended.

use super::spaced;
use crate::node::Node;

pub(in crate::draft) const ERRORS: &[&str] = &[
    "error",
    "err",
    "errors",
    "exception",
    "raised",
    "problem",
    "failure",
    "errormessage",
    "errormsg",
    "errortext",
    "errordetail",
    "errordetails",
    "failurereason",
    "failuremessage",
    "exc",
    "bad",
    "e",
];

/// Keys that often say why a call failed, and sometimes how it went well.
pub(in crate::draft) const REASONS: &[&str] = &[
    "message",
    "msg",
    "reason",
    "detail",
    "details",
    "text",
    "description",
    "stderr",
    "info",
];

/// True for a key that speaks of an error, such as `toolError`. A code or a type of an error says less than its text.
pub(in crate::draft) fn says_error(key: &str) -> bool {
    let words = spaced(key);
    let has = |marks: &[&str]| words.split(' ').any(|word| marks.contains(&word));
    has(&[
        "error",
        "err",
        "exception",
        "exc",
        "failure",
        "fault",
        "traceback",
    ]) && !has(&["code", "type", "class", "kind", "count", "no", "is", "has"])
}

/// Keys that are true if a call failed.
pub(in crate::draft) const FAILED: &[&str] = &[
    "iserror", "failed", "haserror", "timedout", "timeout", "aborted", "crashed",
];

/// Keys that are false if a call failed.
pub(in crate::draft) const SUCCEEDED: &[&str] = &[
    "ok",
    "success",
    "succeeded",
    "issuccess",
    "successful",
    "passed",
];

/// Keys of the final state of a call.
pub(in crate::draft) const STATES: &[&str] = &[
    "outcome",
    "status",
    "state",
    "resultstatus",
    "callstatus",
    "statuscode",
    "httpstatus",
    "decision",
    "approval",
    "permission",
    "verdict",
];

/// Keys of the level of a record.
pub(in crate::draft) const LEVELS: &[&str] =
    &["severity", "level", "levelname", "lvl", "loglevel", "l"];

/// States of a failed call.
pub(in crate::draft) const FAILURES: &[&str] = &[
    "failed",
    "failure",
    "fail",
    "error",
    "err",
    "errored",
    "exception",
    "fatal",
    "raised",
    "crashed",
    "timeout",
    "timedout",
    "aborted",
    "ko",
];

/// States of a call that was asked for and never made, and keys that are true for one.
pub(in crate::draft) const NOT_RUN: &[&str] = &[
    "denied",
    "rejected",
    "declined",
    "refused",
    "blocked",
    "skipped",
    "cancelled",
    "canceled",
    "deny",
    "reject",
    "disallowed",
    "forbidden",
    "simulated",
    "dryrun",
    "planned",
    "pending",
];

/// Keys that are false for a call that was never made.
pub(in crate::draft) const PERMITTED: &[&str] = &[
    "approved",
    "allowed",
    "permitted",
    "authorized",
    "accepted",
    "confirmed",
    "executed",
];

/// Keys of codes that are 0 if a call succeeded.
pub(in crate::draft) const CODES: &[&str] = &[
    "exitcode",
    "exitstatus",
    "returncode",
    "errorcode",
    "errcode",
    "errno",
    "errorcount",
    "resultcode",
    "rc",
    "code",
];

/// True if a word of the state says that a call was never made.
pub(in crate::draft) fn is_not_run(state: &str) -> bool {
    spaced(state).split(' ').any(|word| NOT_RUN.contains(&word))
}

/// True if a call that is still to be made may also have this state.
pub(in crate::draft) fn is_open(state: &str) -> bool {
    let words = spaced(state);
    words
        .split(' ')
        .any(|word| ["pending", "planned"].contains(&word))
}

/// True for the kind of a record that says that a call failed.
pub(in crate::draft) fn is_failed_kind(kind: &str) -> bool {
    let words = spaced(kind);
    let last = words.rsplit(' ').next();
    last.is_some_and(|word| FAILURES.contains(&word))
}

/// The boolean that a value is or says: tables and scripts write it as a text or a number.
pub(in crate::draft) fn truth(value: &Node<'_>) -> Option<bool> {
    let text = value.str().unwrap_or(value.raw()).trim();
    match text.to_ascii_lowercase().as_str() {
        "true" | "1" | "yes" | "y" | "t" => Some(true),
        "false" | "0" | "no" | "n" | "f" => Some(false),
        _ => None,
    }
}

/// True for a value under the key of an error that says that there was none, although it is not empty.
pub(in crate::draft) fn says_no_error(value: &Node<'_>) -> bool {
    let words = [
        "none", "null", "nil", "no", "no error", "nothing", "ok", "success", "n/a", "na", "-",
        "--", "0", "false",
    ];
    let text = value.str().unwrap_or(value.raw()).trim();
    words.contains(&text.to_ascii_lowercase().as_str()) || is_empty(value)
}

/// True for an empty list or object.
pub(in crate::draft) fn is_empty(value: &Node<'_>) -> bool {
    let is_container = value.is_list() || value.is_object();
    is_container && value.items().is_empty() && value.entries().is_empty()
}
