//! Describes the change of an operator.

use super::subject_run::SubjectCall;

/// What was changed in a run.
#[derive(Clone, Debug, PartialEq)]
pub struct Change {
    /// The call and its fault, without values.
    words: String,
    /// A value before and after, as JSON texts.
    values: Option<(String, String)>,
}

impl Change {
    pub(crate) fn new(words: String) -> Self {
        Self {
            words,
            values: None,
        }
    }

    /// A change of a whole call.
    pub(crate) fn call(call: &SubjectCall<'_>, what: &str) -> Self {
        Self::new(format!("call {}, {}: {what}", call.number, call.name()))
    }

    /// A change of an argument.
    pub(crate) fn argument(call: &SubjectCall<'_>, argument: &str, what: &str) -> Self {
        Self::call(call, &format!("`{argument}` {what}"))
    }

    /// A change of the value of an argument.
    pub(crate) fn value(
        call: &SubjectCall<'_>,
        argument: &str,
        what: &str,
        before: &str,
        after: &str,
    ) -> Self {
        Self {
            values: Some((before.to_owned(), after.to_owned())),
            ..Self::argument(call, argument, what)
        }
    }

    /// A call of another tool instead.
    pub(crate) fn tool(call: &SubjectCall<'_>, what: &str, other: &str) -> Self {
        Self::call(call, &format!("{what}: {other}"))
    }

    /// Describes the change; with its values unless they must stay hidden.
    pub fn to_text(&self, with_values: bool) -> String {
        match self.values.as_ref().filter(|_| with_values) {
            Some((before, after)) => {
                format!("{}: {} → {}", self.words, short(before), short(after))
            }
            None => self.words.clone(),
        }
    }
}

/// Maximum number of characters shown of a value.
const SHOWN: usize = 40;

fn short(json: &str) -> String {
    match json.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &json[..end]),
        None => json.to_owned(),
    }
}
