//! The evaluated data: tool calls, trajectories, expectations, cases.
//!
//! All types borrow from their source text. Arguments stay JSON text until an evaluator needs more than their hash.

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
use std::sync::OnceLock;

use crate::value::{
    Digest, Digester, Fingerprint, JsonWriter, KnownDigest, Reader, Syntax, SyntaxError, Text,
    Value, decode_with,
};

/// One tool call, actual or expected.
///
/// It is small: most calls have little more than a name and arguments. Rare fields are stored
/// behind a pointer; read them with [`Call::metadata`].
#[derive(Clone, Debug, Default)]
pub struct Call<'a> {
    /// The tool's name, as the model wrote it.
    pub name: Text<'a>,
    /// The arguments.
    pub arguments: Arguments<'a>,
    /// Fields that only some calls have.
    pub metadata: Option<Box<CallMetadata<'a>>>,
}

/// Fields that only some calls have, in addition to name and arguments.
#[derive(Clone, Debug, Default)]
pub struct CallMetadata<'a> {
    /// The call's id; not necessarily unique in a trajectory.
    pub id: Option<Text<'a>>,
    /// The tool's output, as JSON text; `None` if it was not recorded.
    pub output: Option<Cow<'a, str>>,
    /// True if the output was recorded as `null`. Evaluators treat it as missing; an expectation in blocks treats it as a value.
    pub has_null_output: bool,
    /// The tool's id (`tool.id` of UiPath), which doesn't change if the tool is renamed.
    pub tool_id: Option<Text<'a>>,
    /// The call's error, as JSON text: `true` or a message; `false` if the call is known to have succeeded; `None` if not recorded. See
    /// [`Call::failed`].
    pub error: Option<Cow<'a, str>>,
    /// The call's start, as JSON text: nanoseconds or ISO 8601.
    pub start: Option<Cow<'a, str>>,
    /// The call's end, as JSON text.
    pub end: Option<Cow<'a, str>>,
    /// The index of the assistant message that requested the call.
    pub turn: Option<u64>,
    /// Calls of one group were requested in parallel; their order has no meaning.
    pub group: Option<Text<'a>>,
    /// The caller: an agent, a sub-agent or the user.
    pub actor: Option<Text<'a>>,
    /// The index of the call that made this one.
    pub parent: Option<u32>,
    /// The side that executed the call.
    pub executor: Executor,
    /// The keys of an expected call's arguments to compare: a JSON list as text, for evaluators
    /// that can compare some keys only. `None` leaves the choice to the evaluator.
    pub compare_args: Option<Cow<'a, str>>,
    /// Unknown keys; their values are ignored.
    pub other_keys: Vec<Text<'a>>,
}

impl CallMetadata<'_> {
    /// The recorded output as JSON text, including `null`.
    pub fn recorded_output(&self) -> Option<&str> {
        let null = self.has_null_output.then_some("null");
        self.output.as_deref().or(null)
    }

    /// Empty metadata.
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

/// The side that executed a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Executor {
    /// The agent's side, or unknown.
    #[default]
    Agent,
    /// The provider of the model.
    Provider,
    /// The call was requested but not executed.
    Nobody,
}

impl<'a> Call<'a> {
    /// The call's metadata, empty if it has none.
    pub fn metadata(&self) -> &CallMetadata<'a> {
        self.metadata
            .as_deref()
            .unwrap_or(const { &CallMetadata::NONE })
    }

    /// The call's metadata, created if missing.
    pub fn metadata_mut(&mut self) -> &mut CallMetadata<'a> {
        self.metadata.get_or_insert_default()
    }

    /// True if the call failed; `None` if that was not recorded: no `error`, null or an empty text.
    pub fn failed(&self) -> Option<bool> {
        match self.metadata().error.as_deref()? {
            "null" | "\"\"" => None,
            error => Some(error != "false"),
        }
    }
}

/// The arguments of a call, as written.
#[derive(Clone, Debug, Default)]
pub struct Arguments<'a> {
    storage: Storage<'a>,
    digest: KnownDigest,
    /// The fingerprint of a plain object, or of the plain object in a text, if it was computed while reading.
    fingerprint: Option<Fingerprint>,
}

/// How arguments are stored.
#[derive(Clone, Debug, Default)]
enum Storage<'a> {
    #[default]
    Absent,
    Json(&'a str),
    /// JSON text that is not part of the input.
    OwnedJson(Box<str>),
    /// Boxed, to keep lists of calls small.
    Text(Box<GivenText<'a>>),
}

/// Arguments written as a string.
#[derive(Clone, Debug)]
struct GivenText<'a> {
    text: Text<'a>,
    /// The string as JSON text, quotes included.
    written: Option<&'a str>,
    /// The JSON text if `written` is `None`, made on first use.
    made: OnceLock<Box<str>>,
    kind: TextKind,
}

/// The kind of a text in place of arguments.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TextKind {
    /// An encoded object is expected.
    #[default]
    Encoded,
    /// The text is the whole argument of a tool with free-form input.
    Free,
    /// The text is the JSON of a value other than an object.
    OtherValue,
}

impl GivenText<'_> {
    fn json(&self) -> &str {
        self.written.unwrap_or_else(|| {
            self.made.get_or_init(|| {
                let mut json = JsonWriter::new();
                json.text(&self.text);
                json.finish().into_string().into_boxed_str()
            })
        })
    }

    /// The fingerprint of the plain object in the text, if the text is the JSON of one.
    fn fingerprint(&self) -> Option<Fingerprint> {
        let mut reader = Reader::new(self.text.as_str()?, Syntax::PYTHON);
        let (_, fingerprint) = reader.raw_with_fingerprint().ok()?;
        fingerprint.filter(|_| reader.end().is_ok())
    }
}

/// How arguments were written.
#[derive(Clone, Debug, PartialEq)]
pub enum ArgumentSource<'a> {
    /// Not recorded. In an expected call: any arguments match.
    Absent,
    /// JSON text of any kind except a string.
    Json(&'a str),
    /// A string, which each dialect decodes in its own way, with its JSON text.
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

    /// Arguments from their source.
    pub fn new(source: ArgumentSource<'a>) -> Self {
        match source {
            ArgumentSource::Absent => Self::default(),
            ArgumentSource::Json(json) => Self::json(json),
            ArgumentSource::Text { text, json } => Self::from_text(text, Some(json)),
        }
    }

    fn from_text(text: Text<'a>, written: Option<&'a str>) -> Self {
        let given = GivenText {
            text,
            written,
            made: OnceLock::new(),
            kind: TextKind::default(),
        };
        Self {
            fingerprint: given.fingerprint(),
            ..Self::from_storage(Storage::Text(Box::new(given)))
        }
    }

    /// Reads arguments of any kind except a string, and keeps their text.
    ///
    /// # Errors
    /// The text is not JSON.
    #[inline]
    pub fn read(reader: &mut Reader<'a>) -> Result<Self, SyntaxError> {
        let (text, fingerprint) = reader.raw_with_fingerprint()?;
        Ok(Self {
            fingerprint,
            ..Self::json(text)
        })
    }

    /// Arguments as well-formed JSON text of an object, list, number, boolean or null.
    pub fn json(text: &'a str) -> Self {
        Self::from_storage(Storage::Json(text))
    }

    /// Like [`json`](Self::json), owning the text.
    pub fn owned_json(text: impl Into<Box<str>>) -> Self {
        let text = text.into();
        // The text is well-formed, so its reader ends without an error.
        let read = Reader::new(&text, Syntax::PYTHON).raw_with_fingerprint();
        let fingerprint = read.ok().and_then(|(_, fingerprint)| fingerprint);
        Self {
            fingerprint,
            ..Self::from_storage(Storage::OwnedJson(text))
        }
    }

    /// Arguments given as a string, owned.
    pub fn owned_text(text: Text<'static>) -> Self {
        Self::from_text(text, None)
    }

    /// Arguments given as a string of this kind.
    pub fn text_of_kind(text: Text<'a>, kind: TextKind) -> Self {
        let mut arguments = Self::from_text(text, None);
        if let Storage::Text(given) = &mut arguments.storage {
            given.kind = kind;
        }
        arguments
    }

    /// The kind of their text, if they were written as a string.
    pub fn text_kind(&self) -> Option<TextKind> {
        match &self.storage {
            Storage::Text(given) => Some(given.kind),
            _ => None,
        }
    }

    /// How the arguments were written.
    pub fn source(&self) -> ArgumentSource<'_> {
        match &self.storage {
            Storage::Absent => ArgumentSource::Absent,
            Storage::Json(json) => ArgumentSource::Json(json),
            Storage::OwnedJson(json) => ArgumentSource::Json(json),
            Storage::Text(given) => ArgumentSource::Text {
                text: given.text.reborrow(),
                json: given.json(),
            },
        }
    }

    /// True if there are none.
    pub fn is_absent(&self) -> bool {
        matches!(self.storage, Storage::Absent)
    }

    /// The arguments' text, if they were written as a string.
    pub fn text(&self) -> Option<&Text<'a>> {
        match &self.storage {
            Storage::Text(given) => Some(&given.text),
            _ => None,
        }
    }

    /// True if they were [read](Self::read) as an object with few members, all scalar, and no repeated key.
    pub fn is_plain(&self) -> bool {
        self.is_value() && self.fingerprint.is_some()
    }

    /// True if they were written as the value null.
    pub(crate) fn is_null(&self) -> bool {
        self.value_json() == Some("null")
    }

    /// True if they were written as a JSON value, not as a string.
    pub(crate) fn is_value(&self) -> bool {
        self.value_json().is_some()
    }

    /// Their JSON text, if they were written as a JSON value.
    pub(crate) fn value_json(&self) -> Option<&str> {
        match &self.storage {
            Storage::Json(json) => Some(json),
            Storage::OwnedJson(json) => Some(json),
            Storage::Absent | Storage::Text(_) => None,
        }
    }

    /// The JSON text to compare: of the value, or of the plain object in a text. `None` if only the decoded values can be compared.
    pub(crate) fn compared_json(&self) -> Option<&str> {
        let in_text = || self.fingerprint.and(self.text()?.as_str());
        self.value_json().or_else(in_text)
    }

    /// The decoded arguments; `None` if there are none. A string that holds an object, as JSON or as a Python literal, becomes that object.
    pub fn to_value(&self) -> Option<Value<'_>> {
        match &self.storage {
            Storage::Text(given) => Some(argument_text(&given.text).0),
            // The reader has already checked the text.
            _ => self
                .value_json()
                .map(|json| decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null)),
        }
    }

    /// A hash that equal arguments share, if it was computed.
    pub(crate) fn fingerprint(&self) -> Option<Fingerprint> {
        self.fingerprint
    }

    /// The digest of arguments with a [text to compare](Self::compared_json).
    pub(crate) fn digest<'s>(&'s self, digester: &mut Digester<'s>) -> Option<Digest> {
        self.compared_json()
            .map(|json| self.digest.of(json, digester))
    }
}

/// The tool calls of one run of an agent, in order.
#[derive(Clone, Debug, Default)]
pub struct Trajectory<'a> {
    /// The calls.
    pub calls: Vec<Call<'a>>,
    /// The spans that the calls were read from, for presets that evaluate spans; empty if there are none.
    pub spans: Vec<Span<'a>>,
}

/// Splits calls into runs of consecutive calls that belong together, as ranges.
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

/// True for two calls requested in parallel.
pub(crate) fn are_parallel(left: &Call<'_>, right: &Call<'_>) -> bool {
    left.metadata().group.is_some() && left.metadata().group == right.metadata().group
}

/// Ranges of consecutive calls that were requested in parallel.
pub(crate) fn groups(calls: &[Call<'_>]) -> Vec<Range<usize>> {
    let runs = runs(calls, are_parallel);
    runs.filter(|run| run.len() > 1).collect()
}

/// A span of a trace, with its attributes not yet parsed.
#[derive(Clone, Debug, Default)]
pub struct Span<'a> {
    /// The attributes: a JSON object as text.
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
