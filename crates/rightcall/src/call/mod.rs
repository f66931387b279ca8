//! What is judged: tool calls, trajectories, expectations, cases.
//!
//! All of it borrows from the text it was read from; arguments stay the JSON text they came as, until an evaluator needs
//! more than their hash.

mod argument_text;
mod arguments_writer;
mod case;
mod expectation;
mod time;

pub use argument_text::{ArgumentText, argument_text};
pub use arguments_writer::{ArgumentsWriter, WrittenArguments, WrittenKey};
pub use case::{Case, Native, Shape};
pub use expectation::{Count, Expectation, ExpectedOutput, Operator};
pub use time::nanoseconds;

use std::ops::{Deref, DerefMut};

use crate::value::{Digest, Digester, KnownDigest, Reader, Sketch, Syntax, SyntaxError, Text, Value, decode_with};

/// One tool call, asked for by an agent or expected of it.
///
/// Cases are lists of calls, and most calls have little more than a name and arguments. What only some have stands behind a pointer, and
/// is read and written as if it were part of the call: `call.turn`.
#[derive(Clone, Debug, Default)]
pub struct Call<'a> {
    /// The tool's name, as the model wrote it.
    pub name: Text<'a>,
    /// The arguments.
    pub arguments: Arguments<'a>,
    /// Id of this call; ids may come up again in one trajectory.
    pub id: Option<Text<'a>>,
    /// What the tool returned, as JSON text; `None` where it was not recorded.
    pub output: Option<&'a str>,
    /// What only some calls have.
    pub circumstances: Option<Box<Circumstances<'a>>>,
}

/// What only some calls have beside name, arguments and output.
#[derive(Clone, Debug, Default)]
pub struct Circumstances<'a> {
    /// Id of the tool, which a renaming leaves as it is (`tool.id` of UiPath).
    pub tool_id: Option<Text<'a>>,
    /// The error of the call, as JSON text: `true` or a message, or `false` where the call is known to have succeeded; `None` where
    /// nothing was recorded. See [`Call::failed`].
    pub error: Option<&'a str>,
    /// When the call began, as JSON text: nanoseconds or ISO 8601.
    pub start: Option<&'a str>,
    /// When the call ended, as JSON text.
    pub end: Option<&'a str>,
    /// The assistant message that asked for the call.
    pub turn: Option<u64>,
    /// Calls of one group were asked for in parallel; their order means nothing.
    pub group: Option<Text<'a>>,
    /// Who called: an agent, a sub-agent, the user.
    pub actor: Option<Text<'a>>,
    /// The call inside which this one was made, by its place in the list.
    pub parent: Option<u32>,
    /// How the call ran.
    pub run: Run,
    /// The keys of an expected call's arguments that are compared, a list as JSON text, for evaluators that can compare some alone;
    /// `None` leaves that to the evaluator.
    pub compare_args: Option<&'a str>,
}

impl Circumstances<'_> {
    /// Those of a call of which nothing more is known.
    const NONE: Circumstances<'static> = Circumstances {
        tool_id: None,
        error: None,
        start: None,
        end: None,
        turn: None,
        group: None,
        actor: None,
        parent: None,
        run: Run::ByAgent,
        compare_args: None,
    };
}

impl<'a> Deref for Call<'a> {
    type Target = Circumstances<'a>;

    fn deref(&self) -> &Circumstances<'a> {
        self.circumstances.as_deref().unwrap_or(const { &Circumstances::NONE })
    }
}

impl<'a> DerefMut for Call<'a> {
    fn deref_mut(&mut self) -> &mut Circumstances<'a> {
        self.circumstances.get_or_insert_default()
    }
}

/// How a call ran.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Run {
    /// By the agent's side, as far as is known.
    #[default]
    ByAgent,
    /// By the provider of the model.
    ByProvider,
    /// The model asked for it, and nobody ran it.
    Not,
}

impl Call<'_> {
    /// Whether the call ended in an error; `None` where that was not recorded.
    pub fn failed(&self) -> Option<bool> {
        self.error.map(|error| !matches!(error, "false" | "\"\""))
    }
}

/// The arguments of a call, as they came.
#[derive(Clone, Debug, Default)]
pub struct Arguments<'a> {
    source: ArgumentSource<'a>,
    digest: KnownDigest,
    /// Of a plain object, if it was sketched in passing.
    sketch: Option<Sketch>,
}

/// How arguments were given.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum ArgumentSource<'a> {
    /// Not recorded, or in an expected call: nothing is demanded of them.
    #[default]
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
    /// Arguments from where they were read.
    pub fn new(source: ArgumentSource<'a>) -> Self {
        Self { source, digest: KnownDigest::default(), sketch: None }
    }

    /// Reads arguments of any kind but a string in place of these, and keeps their text.
    ///
    /// # Errors
    /// What is no JSON.
    pub fn read(&mut self, reader: &mut Reader<'a>) -> Result<(), SyntaxError> {
        let (text, sketch) = reader.raw_sketched()?;
        // One by one, since arguments are large to move.
        self.source = ArgumentSource::Json(text);
        self.digest = KnownDigest::default();
        self.sketch = sketch;
        Ok(())
    }

    /// Arguments given as well-formed JSON text of an object, list, number, boolean or null.
    pub fn json(text: &'a str) -> Self {
        Self::new(ArgumentSource::Json(text))
    }

    /// Arguments that an [`ArgumentsWriter`] wrote as this text.
    pub fn written(text: &'a str, written: WrittenArguments) -> Self {
        Self { sketch: written.sketch, ..Self::json(text) }
    }

    /// How the arguments were given.
    pub fn source(&self) -> &ArgumentSource<'a> {
        &self.source
    }

    /// True if there are none.
    pub fn is_absent(&self) -> bool {
        self.source == ArgumentSource::Absent
    }

    /// The arguments as people see them; `None` if there are none. A text that holds an object, as JSON or as a Python literal, is
    /// that object.
    pub fn to_value(&self) -> Option<Value<'a>> {
        match self.source() {
            ArgumentSource::Absent => None,
            // The reader has checked the text.
            ArgumentSource::Json(json) => Some(decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null)),
            ArgumentSource::Text { text, .. } => Some(argument_text(text).0),
        }
    }

    /// What equal arguments share, if it is known.
    pub(crate) fn sketch(&self) -> Option<Sketch> {
        self.sketch
    }

    /// The digest of arguments given as JSON.
    pub(crate) fn digest(&self, digester: &mut Digester<'a>) -> Option<Digest> {
        match &self.source {
            ArgumentSource::Json(json) => Some(self.digest.of(json, digester)),
            _ => None,
        }
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

/// A span of a trace, its attributes not yet interpreted.
#[derive(Clone, Debug, Default)]
pub struct Span<'a> {
    /// The attributes, an object as JSON text.
    pub attributes: Option<&'a str>,
}
