//! What is judged: tool calls, trajectories, expectations, cases.
//!
//! All of it borrows from the text it was read from; arguments stay the JSON text they came as, until an evaluator needs
//! more than their hash.

mod argument_text;
mod asked;
mod case;
mod expectation;
mod resolved;
mod time;

pub use argument_text::{ArgumentText, argument_text};
pub use case::{Case, MAX_COMPARISONS, Native, Shape};
pub use expectation::{Count, Expectation, ExpectedOutput, Operator};
pub use time::nanoseconds;

use std::borrow::Cow;
use std::ops::Range;

use crate::value::{
    Digest, Digester, Fingerprint, JsonWriter, KnownDigest, Reader, Syntax, SyntaxError, Text,
    Value, decode_with,
};

/// One tool call, asked for by an agent or expected of it.
///
/// Cases are lists of calls, and most calls have little more than a name and arguments. What only some have stands behind a pointer:
/// [`Call::metadata`] reads it.
#[derive(Clone, Debug, Default)]
pub struct Call<'a> {
    /// The tool's name, as the model wrote it.
    pub name: Text<'a>,
    /// The arguments.
    pub arguments: Arguments<'a>,
    /// What only some calls have.
    pub metadata: Option<Box<CallMetadata<'a>>>,
}

/// What only some calls have beside name and arguments.
#[derive(Clone, Debug, Default)]
pub struct CallMetadata<'a> {
    /// Id of the call; ids may come up again in one trajectory.
    pub id: Option<Text<'a>>,
    /// What the tool returned, as JSON text; `None` where it was not recorded.
    pub output: Option<Cow<'a, str>>,
    /// True where the output was recorded as `null`: nothing to evaluators, a value to an expectation in blocks.
    pub has_null_output: bool,
    /// Id of the tool, which a renaming leaves as it is (`tool.id` of UiPath).
    pub tool_id: Option<Text<'a>>,
    /// The error of the call, as JSON text: `true` or a message, or `false` where the call is known to have succeeded; `None` where
    /// nothing was recorded. See [`Call::failed`].
    pub error: Option<Cow<'a, str>>,
    /// When the call began, as JSON text: nanoseconds or ISO 8601.
    pub start: Option<Cow<'a, str>>,
    /// When the call ended, as JSON text.
    pub end: Option<Cow<'a, str>>,
    /// The assistant message that asked for the call.
    pub turn: Option<u64>,
    /// Calls of one group were asked for in parallel; their order means nothing.
    pub group: Option<Text<'a>>,
    /// Who called: an agent, a sub-agent, the user.
    pub actor: Option<Text<'a>>,
    /// The call inside which this one was made, by its place in the list.
    pub parent: Option<u32>,
    /// Who ran the call.
    pub executor: Executor,
    /// The keys of an expected call's arguments that are compared, a list as JSON text, for evaluators that can compare some alone;
    /// `None` leaves that to the evaluator.
    pub compare_args: Option<Cow<'a, str>>,
    /// Keys that say nothing to rightcall; what stands under them is not judged.
    pub other_keys: Vec<Text<'a>>,
}

impl CallMetadata<'_> {
    /// The recorded output as JSON text, `null` included.
    pub fn recorded_output(&self) -> Option<&str> {
        let null = self.has_null_output.then_some("null");
        self.output.as_deref().or(null)
    }

    /// Those of a call of which nothing more is known.
    const NONE: CallMetadata<'static> = CallMetadata {
        id: None,
        output: None,
        has_null_output: false,
        tool_id: None,
        error: None,
        start: None,
        end: None,
        turn: None,
        group: None,
        actor: None,
        parent: None,
        executor: Executor::Agent,
        compare_args: None,
        other_keys: Vec::new(),
    };
}

/// Who ran a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// The agent's side, as far as is known.
    #[default]
    Agent,
    /// The provider of the model.
    Provider,
    /// Nobody: the model only asked for it.
    Nobody,
}

impl<'a> Call<'a> {
    /// What only some calls have: of a call without any of it, nothing.
    pub fn metadata(&self) -> &CallMetadata<'a> {
        self.metadata
            .as_deref()
            .unwrap_or(const { &CallMetadata::NONE })
    }

    /// The same, to be filled.
    pub fn metadata_mut(&mut self) -> &mut CallMetadata<'a> {
        self.metadata.get_or_insert_default()
    }

    /// Whether the call ended in an error; `None` where that was not recorded: no `error`, null or an empty text.
    pub fn failed(&self) -> Option<bool> {
        match self.metadata().error.as_deref()? {
            "null" | "\"\"" => None,
            error => Some(error != "false"),
        }
    }
}

/// The arguments of a call, as they came.
#[derive(Clone, Debug, Default)]
pub struct Arguments<'a> {
    storage: Storage<'a>,
    digest: KnownDigest,
    /// Of a plain object, if it was taken in passing.
    fingerprint: Option<Fingerprint>,
}

/// How arguments are kept.
#[derive(Clone, Debug, Default)]
enum Storage<'a> {
    #[default]
    Absent,
    Json(&'a str),
    /// JSON that no text of the input holds as it is.
    OwnedJson(Box<str>),
    /// The text, and the JSON of it: boxed, so that lists of calls stay small.
    Text(Box<(Text<'a>, Cow<'a, str>)>),
}

/// How arguments were given.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentSource<'a> {
    /// Not recorded, or in an expected call: nothing is demanded of them.
    Absent,
    /// JSON text of any kind but a string.
    Json(&'a str),
    /// A text, which each dialect decodes in its own way. The JSON text of the string is kept beside it.
    Text {
        /// The decoded string.
        text: Text<'a>,
        /// The string as JSON text, quotes included.
        json: &'a str,
    },
}

impl<'a> Arguments<'a> {
    fn from_storage(storage: Storage<'a>) -> Self {
        Self {
            storage,
            digest: KnownDigest::default(),
            fingerprint: None,
        }
    }

    /// Arguments from where they were read.
    pub fn new(source: ArgumentSource<'a>) -> Self {
        Self::from_storage(match source {
            ArgumentSource::Absent => Storage::Absent,
            ArgumentSource::Json(json) => Storage::Json(json),
            ArgumentSource::Text { text, json } => {
                Storage::Text(Box::new((text, Cow::Borrowed(json))))
            }
        })
    }

    /// Reads arguments of any kind but a string, and keeps their text.
    ///
    /// # Errors
    /// What is no JSON.
    #[inline]
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, SyntaxError> {
        let (text, fingerprint) = reader.raw_with_fingerprint()?;
        Ok(Self {
            fingerprint,
            ..Self::json(text)
        })
    }

    /// Arguments given as well-formed JSON text of an object, list, number, boolean or null.
    pub fn json(text: &'a str) -> Self {
        Self::from_storage(Storage::Json(text))
    }

    /// The same of a text of their own.
    pub fn owned_json(text: impl Into<Box<str>>) -> Self {
        Self::from_storage(Storage::OwnedJson(text.into()))
    }

    /// Arguments given as a text, in memory of their own.
    pub fn owned_text(text: Text<'static>) -> Self {
        let mut json = JsonWriter::new();
        json.text(&text);
        let json = Cow::Owned(json.finish().into_string());
        Self::from_storage(Storage::Text(Box::new((text, json))))
    }

    /// How the arguments were given.
    pub fn source(&self) -> ArgumentSource<'_> {
        match &self.storage {
            Storage::Absent => ArgumentSource::Absent,
            Storage::Json(json) => ArgumentSource::Json(json),
            Storage::OwnedJson(json) => ArgumentSource::Json(json),
            Storage::Text(given) => ArgumentSource::Text {
                text: given.0.reborrow(),
                json: &given.1,
            },
        }
    }

    /// True if there are none.
    pub fn is_absent(&self) -> bool {
        matches!(self.storage, Storage::Absent)
    }

    /// The text as which they were given, if they were.
    pub fn text(&self) -> Option<&Text<'a>> {
        match &self.storage {
            Storage::Text(given) => Some(&given.0),
            _ => None,
        }
    }

    /// True if they were [read](Self::read) as an object of a few strings, numbers and the like, no key twice.
    pub fn is_plain(&self) -> bool {
        self.fingerprint.is_some()
    }

    /// True if they were given as the value null.
    pub(crate) fn is_null(&self) -> bool {
        self.value_json() == Some("null")
    }

    /// True if they were given as values, not as a text.
    pub(crate) fn is_value(&self) -> bool {
        self.value_json().is_some()
    }

    /// Their JSON text, if they were given as values.
    pub(crate) fn value_json(&self) -> Option<&str> {
        match &self.storage {
            Storage::Json(json) => Some(json),
            Storage::OwnedJson(json) => Some(json),
            Storage::Absent | Storage::Text(_) => None,
        }
    }

    /// The arguments as people see them; `None` if there are none. A text that holds an object, as JSON or as a Python literal, is
    /// that object.
    pub fn to_value(&self) -> Option<Value<'_>> {
        match &self.storage {
            Storage::Text(given) => Some(argument_text(&given.0).0),
            // The reader has checked the text.
            _ => self
                .value_json()
                .map(|json| decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null)),
        }
    }

    /// What equal arguments share, if it is known.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.fingerprint
    }

    /// The digest of arguments given as JSON.
    pub(crate) fn digest<'s>(&'s self, digester: &mut Digester<'s>) -> Option<Digest> {
        self.value_json().map(|json| self.digest.of(json, digester))
    }
}

/// The tool calls of one run of an agent, in order.
#[derive(Clone, Debug, Default)]
pub struct Trajectory<'a> {
    /// The calls.
    pub calls: Vec<Call<'a>>,
    /// The spans the calls were read from, for presets that judge spans; empty where there were none.
    pub spans: Vec<Span<'a>>,
}

/// Runs of consecutive calls that belong together, as ranges.
pub(crate) fn runs(
    calls: &[Call<'_>],
    together: impl Fn(&Call<'_>, &Call<'_>) -> bool,
) -> impl Iterator<Item = Range<usize>> {
    let mut from = 0;
    calls.chunk_by(together).map(move |run| {
        from += run.len();
        from - run.len()..from
    })
}

/// True for two calls that were asked for together.
pub(crate) fn are_parallel(left: &Call<'_>, right: &Call<'_>) -> bool {
    left.metadata().group.is_some() && left.metadata().group == right.metadata().group
}

/// Ranges of consecutive calls that were asked for together.
pub(crate) fn groups(calls: &[Call<'_>]) -> Vec<Range<usize>> {
    let runs = runs(calls, are_parallel);
    runs.filter(|run| run.len() > 1).collect()
}

/// A span of a trace, its attributes not yet interpreted.
#[derive(Clone, Debug, Default)]
pub struct Span<'a> {
    /// The attributes, an object as JSON text.
    pub attributes: Option<&'a str>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_small() {
        assert_eq!(
            (size_of::<Arguments<'_>>(), size_of::<Call<'_>>()),
            (40, 64)
        );
    }
}
