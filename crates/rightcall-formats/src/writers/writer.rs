//! What writes cases in a format, and what writers share.

use std::ops::Range;

use rightcall::call::{ArgumentSource, Call, Case, Executor};
use rightcall::value::{Kind, Reader, Syntax, Text};

use crate::messages::content::json_text;

/// A format that cases are written in.
pub struct Writer {
    /// The name of the format, under which it is read too.
    pub name: &'static str,
    /// What a line holds, in a few words.
    pub summary: &'static str,
    /// What the format has no place for.
    pub lacks: &'static [Lack],
    /// Whether there is a place for what a case says beside its run: what is expected, tags, trial, meta.
    pub holds_cases: bool,
    /// The line of a case, without its end.
    pub(super) write: fn(&Case<'_>) -> String,
}

/// Something that calls may have and a format has no place for.
pub struct Lack {
    /// What it is, in the plural.
    pub what: &'static str,
    pub(super) is_in: fn(&Call<'_>) -> bool,
}

impl Writer {
    /// The case on one line; `None` for a case without a run where the format holds runs alone.
    pub fn line(&self, case: &Case<'_>) -> Option<String> {
        (self.holds_cases || case.actual.is_some()).then(|| (self.write)(case))
    }

    /// How many calls of a case have what the format has no place for, by lack.
    pub fn lost<'w>(&'w self, case: &Case<'_>) -> impl Iterator<Item = u64> + 'w {
        let counts: Vec<_> = self
            .lacks
            .iter()
            .map(|lack| calls(case).iter().filter(|call| (lack.is_in)(call)).count())
            .collect();
        counts.into_iter().map(|count| count as u64)
    }
}

impl std::fmt::Debug for Writer {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

pub(super) const TIMES: Lack = Lack {
    what: "times",
    is_in: |call| call.metadata().start.is_some() || call.metadata().end.is_some(),
};
pub(super) const TOOL_IDS: Lack = Lack {
    what: "ids of tools",
    is_in: |call| call.metadata().tool_id.is_some(),
};
pub(super) const ACTORS: Lack = Lack {
    what: "actors",
    is_in: |call| call.metadata().actor.is_some(),
};
pub(super) const PARENTS: Lack = Lack {
    what: "calls inside calls",
    is_in: |call| call.metadata().parent.is_some(),
};
pub(super) const PROVIDER: Lack = Lack {
    what: "calls that the provider ran",
    is_in: |call| call.metadata().executor == Executor::Provider,
};
pub(super) const NOT_RUN: Lack = Lack {
    what: "calls known not to have run",
    is_in: |call| call.metadata().executor == Executor::Nobody,
};
pub(super) const SUCCESSES: Lack = Lack {
    what: "calls known to have succeeded",
    is_in: |call| call.failed() == Some(false),
};
pub(super) const ERRORS: Lack = Lack {
    what: "errors, whose messages stand as results",
    is_in: |call| call.failed() == Some(true),
};
pub(super) const NO_ARGUMENTS: Lack = Lack {
    what: "arguments that were not recorded, which look like none",
    is_in: |call| call.arguments.is_absent(),
};
pub(super) const NO_TURNS: Lack = Lack {
    what: "calls of no known message, which get one",
    is_in: |call| call.metadata().turn.is_none(),
};
pub(super) const STRUCTURED: Lack = Lack {
    what: "results that are no text, which become JSON text",
    is_in: |call| {
        call.metadata()
            .output
            .is_some_and(|json| !json.starts_with('"'))
    },
};

/// The calls of a case's run.
pub(super) fn calls<'c, 'a>(case: &'c Case<'a>) -> &'c [Call<'a>] {
    case.actual.as_ref().map_or(&[], |run| &run.calls)
}

/// The calls of each assistant message: those of one turn, or of one group where no turn is known.
pub(super) fn messages(calls: &[Call<'_>]) -> Vec<Range<usize>> {
    let mut messages: Vec<Range<usize>> = Vec::new();
    for (index, call) in calls.iter().enumerate() {
        let is_with = |before: &Call<'_>| match (before.metadata().turn, call.metadata().turn) {
            (None, None) => {
                call.metadata().group.is_some() && before.metadata().group == call.metadata().group
            }
            (before, turn) => before == turn,
        };
        match messages.last_mut().filter(|_| is_with(&calls[index - 1])) {
            Some(message) => message.end = index + 1,
            None => messages.push(index..index + 1),
        }
    }
    messages
}

/// A JSON text as the text that it stands for: a string is its content, anything else its JSON text.
pub(super) fn content(json: &str) -> String {
    if json.starts_with('"') {
        json.to_owned()
    } else {
        quoted(json)
    }
}

/// A text as JSON text.
pub(super) fn quoted(text: &str) -> String {
    json_text(&Text::new(text))
}

/// What a call came to: its result, or the message of its error.
pub(super) fn result<'a>(call: &Call<'a>) -> Option<&'a str> {
    call.metadata().output.or(call
        .metadata()
        .error
        .filter(|_| call.failed() == Some(true)))
}

/// Arguments as JSON text.
pub(super) fn arguments<'c>(call: &'c Call<'_>) -> Option<Text<'c>> {
    match call.arguments.source() {
        ArgumentSource::Absent => None,
        ArgumentSource::Json(json) => Some(Text::new(json)),
        ArgumentSource::Text { text, .. } => Some(text),
    }
}

/// The line of a conversation: these messages between the user's question and the agent's answer, where there are such.
pub(super) fn conversation(case: &Case<'_>, messages: &[String]) -> String {
    let said = |role: &str, json: Option<&str>| {
        json.map(|json| format!(r#"{{"role":"{role}","content":{}}}"#, content(json)))
    };
    let messages = said("user", case.input)
        .into_iter()
        .chain(messages.iter().cloned())
        .chain(said("assistant", case.output));
    let messages: Vec<_> = messages.collect();
    let id = member("id", case.id.as_ref().map(json_text));
    one_line(&format!(r#"{{{id}"messages":[{}]}}"#, messages.join(",")))
}

/// A member that others follow, or nothing where there is no value.
pub(super) fn member(key: &str, json: Option<String>) -> String {
    json.map_or_else(String::new, |json| format!("\"{key}\":{json},"))
}

/// Nanoseconds since 1970 of a time as a case has it.
pub(super) fn nanoseconds(json: Option<&str>) -> Option<i128> {
    let text = json?.trim_matches('"');
    text.parse()
        .ok()
        .or_else(|| crate::trace::time::of_iso(text))
}

/// One line of what was copied.
pub(super) fn one_line(json: &str) -> String {
    json.replace(['\n', '\r'], " ")
}

/// True for a JSON text of an object or a list.
pub(super) fn is_nested(json: &str) -> bool {
    matches!(
        Reader::new(json, Syntax::PYTHON).peek(),
        Ok(Kind::Object | Kind::List)
    )
}
