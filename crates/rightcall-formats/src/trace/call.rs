//! A call as a trace recorded it.

use std::borrow::Cow;
use std::mem;

use rightcall_core::call::{Arguments, Call, CallMetadata, Executor, TextKind};
use rightcall_core::value::{Reader, Syntax, Text};
use serde::{Deserialize, Serialize};

use super::arguments::{TraceArguments, field};
use crate::case::CallField;
use crate::node::Node;

/// One call as a trace recorded it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub(crate) struct TraceCall {
    /// The tool's name, as the model wrote it.
    pub(crate) name: Text<'static>,
    /// The arguments.
    pub(crate) arguments: TraceArguments,
    /// Id of the call; may be repeated.
    pub(crate) id: Option<Text<'static>>,
    /// Id of the tool.
    pub(crate) tool_id: Option<Text<'static>>,
    /// The result, as JSON text; `None` if there was none.
    pub(crate) output: Option<String>,
    /// The error, as JSON text: `true` or a message. `false` says that there was none.
    pub(crate) error: Option<String>,
    /// When it started, in nanoseconds since 1970.
    pub(crate) start: Option<i128>,
    /// When it ended, in nanoseconds since 1970.
    pub(crate) end: Option<i128>,
    /// The index of the message or model call that requested it, from 0.
    pub(crate) turn: Option<u64>,
    /// Calls of one group were requested together.
    pub(crate) group: Option<Text<'static>>,
    /// The caller, if it wasn't the agent itself.
    pub(crate) actor: Option<Text<'static>>,
    /// The index of the enclosing call.
    pub(crate) parent: Option<usize>,
    /// The party that ran it.
    #[serde(with = "ExecutorName")]
    pub(crate) executor: Executor,
    /// The agent, node or turn that it belongs to, if the chosen scope needs it; not written to cases.
    #[serde(skip)]
    pub(crate) part: Option<Text<'static>>,
    /// True for a whole text of the model without a marker, which is an answer if the agent lacks the tool.
    #[serde(skip)]
    pub(crate) is_unmarked: bool,
}

/// The `error` of a call that ended without one.
pub(crate) const NO_ERROR: &str = "false";

/// [`Executor`], for serde.
#[derive(Serialize, Deserialize)]
#[serde(remote = "Executor")]
enum ExecutorName {
    Agent,
    Provider,
    Nobody,
}

/// The tool name: a string under one of these keys, or under another that plainly means it.
fn name_of(call: &Node<'_>, keys: &[&str]) -> Option<Text<'static>> {
    let named = call.any(keys).or_else(|| field(call, CallField::Name))?;
    Some(named.text()?.clone().into_owned())
}

impl From<TraceCall> for Call<'static> {
    fn from(mut call: TraceCall) -> Self {
        let arguments = match mem::take(&mut call.arguments) {
            TraceArguments::Absent => Arguments::default(),
            TraceArguments::Json(json) if json.starts_with('{') => Arguments::owned_json(json),
            // Values other than objects are texts, as in canonical cases.
            TraceArguments::Json(json) => {
                Arguments::text_of_kind(Text::from(json), TextKind::OtherValue)
            }
            TraceArguments::Text(text) => Arguments::owned_text(text),
            TraceArguments::Free(text) => Arguments::text_of_kind(text, TextKind::Free),
        };
        let texts = [
            &mut call.id,
            &mut call.tool_id,
            &mut call.group,
            &mut call.actor,
        ];
        let texts = texts.map(Option::take);
        let jsons = [&mut call.output, &mut call.error].map(|it| it.take().map(Cow::Owned));
        Self {
            name: mem::take(&mut call.name),
            arguments,
            metadata: Some(Box::new(call.metadata(texts, jsons))),
        }
    }
}

impl<'a> From<&'a TraceCall> for Call<'a> {
    fn from(call: &'a TraceCall) -> Self {
        let arguments = match &call.arguments {
            TraceArguments::Absent => Arguments::default(),
            TraceArguments::Json(json) if json.starts_with('{') => {
                let read = Arguments::read(&mut Reader::new(json, Syntax::PYTHON));
                read.unwrap_or_else(|_| Arguments::json(json))
            }
            TraceArguments::Json(json) => {
                Arguments::text_of_kind(Text::new(json), TextKind::OtherValue)
            }
            TraceArguments::Text(text) => {
                Arguments::text_of_kind(text.reborrow(), TextKind::Encoded)
            }
            TraceArguments::Free(text) => Arguments::text_of_kind(text.reborrow(), TextKind::Free),
        };
        let texts = [&call.id, &call.tool_id, &call.group, &call.actor];
        let texts = texts.map(|it| it.as_ref().map(Text::reborrow));
        let jsons = [&call.output, &call.error].map(|it| it.as_deref().map(Cow::Borrowed));
        Self {
            name: call.name.reborrow(),
            arguments,
            metadata: Some(Box::new(call.metadata(texts, jsons))),
        }
    }
}

impl TraceCall {
    /// True if the other call has the same name and equal arguments.
    pub(crate) fn is_equal(&self, other: &Self) -> bool {
        self.name == other.name && self.arguments.is_same(&other.arguments)
    }

    /// Its facts besides name and arguments, with these texts and JSON texts.
    fn metadata<'a>(
        &self,
        [id, tool_id, group, actor]: [Option<Text<'a>>; 4],
        [output, error]: [Option<Cow<'a, str>>; 2],
    ) -> CallMetadata<'a> {
        let has_null_output = output.as_deref() == Some("null");
        let time = |time: Option<i128>| time.map(|time| time.to_string().into());
        CallMetadata {
            id,
            output: output.filter(|_| !has_null_output),
            has_null_output,
            tool_id,
            error: error.filter(|json| json != "null"),
            start: time(self.start),
            end: time(self.end),
            turn: self.turn,
            group,
            actor,
            parent: self.parent.and_then(|parent| u32::try_from(parent).ok()),
            executor: self.executor,
            ..CallMetadata::default()
        }
    }

    /// True if the call failed.
    pub(crate) fn has_failed(&self) -> bool {
        self.error.as_ref().is_some_and(|error| error != NO_ERROR)
    }

    /// A complete call, with its name, arguments and id under the first of these keys that exist.
    pub(crate) fn from_node(
        node: &Node<'_>,
        names: &[&str],
        arguments: &[&str],
        ids: &[&str],
    ) -> Self {
        Self {
            name: name_of(node, names).unwrap_or_default(),
            arguments: TraceArguments::from_call(node, arguments),
            id: node.label_at(ids),
            ..Self::default()
        }
    }

    /// Sets the executor: the provider of the model, or else the agent.
    pub(crate) fn by_provider_if(self, is_by_provider: bool) -> Self {
        let executor = if is_by_provider {
            Executor::Provider
        } else {
            Executor::Agent
        };
        Self { executor, ..self }
    }

    /// Marks a call that nobody ran, because a human refused it.
    pub(crate) fn by_nobody_if(mut self, is_refused: bool) -> Self {
        if is_refused {
            self.executor = Executor::Nobody;
        }
        self
    }
}
