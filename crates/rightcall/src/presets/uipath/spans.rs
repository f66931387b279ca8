//! From spans to calls, by UiPath's rules.
//!
//! Source: semantics, section 2.1.

use std::borrow::Cow;

use crate::call::{Arguments, Span};
use crate::evaluation::{EvaluationError, Outcome};
use crate::matching::{Item, Items};
use crate::presets::Source;
use crate::presets::reading::{At, run, side};
use crate::value::python::is_falsy;
use crate::value::{Object, Syntax, Text, Value, decode_with, python};

/// A call as the evaluators see it.
#[derive(Debug)]
pub(super) struct SpanCall<'c> {
    pub(super) name: Text<'c>,
    pub(super) id: Option<Text<'c>>,
    /// Attribute `input.value`.
    pub(super) input: Attribute<'c>,
    /// Attribute `output.value`.
    pub(super) output: Attribute<'c>,
}

/// An attribute, as it came.
#[derive(Debug)]
pub(super) enum Attribute<'c> {
    Absent,
    Tree(Value<'c>),
    /// The arguments of a canonical call.
    Arguments(&'c Arguments<'c>),
    /// JSON text of a canonical output.
    Json(&'c str),
}

impl<'c> Attribute<'c> {
    fn of(attributes: &Object<'c>, key: &str) -> Self {
        attributes
            .get_str(key)
            .map_or(Self::Absent, |value| Self::Tree(value.clone()))
    }

    /// The attribute's value; `None` if it is missing.
    pub(super) fn to_value(&self) -> Option<Cow<'_, Value<'c>>> {
        match self {
            Self::Absent => None,
            Self::Tree(value) => Some(Cow::Borrowed(value)),
            Self::Json(json) => Some(Cow::Owned(
                decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null),
            )),
            Self::Arguments(arguments) => match arguments.source() {
                crate::call::ArgumentSource::Absent => None,
                crate::call::ArgumentSource::Json(json)
                | crate::call::ArgumentSource::Text { json, .. } => Some(Cow::Owned(
                    decode_with(json, Syntax::PYTHON).unwrap_or(Value::Null),
                )),
            },
        }
    }
}

/// The calls of a run, through either door.
pub(super) fn calls<'c>(source: &Source<'c>) -> Result<Vec<SpanCall<'c>>, Outcome> {
    match source {
        Source::Case(case) => {
            let run = run(case)?;
            if !run.spans.is_empty() {
                return Ok(run
                    .spans
                    .iter()
                    .map(of_span)
                    .collect::<Result<Vec<_>, _>>()?
                    .into_iter()
                    .flatten()
                    .collect());
            }
            let of_call = |call: &'c crate::call::Call<'c>| SpanCall {
                name: call.name.reborrow(),
                id: call.tool_id.as_ref().map(Text::reborrow),
                input: if call.arguments.is_absent() {
                    Attribute::Absent
                } else {
                    Attribute::Arguments(&call.arguments)
                },
                output: call.output.map_or(Attribute::Absent, Attribute::Json),
            };
            let mut calls = Vec::with_capacity(run.calls.len());
            // A span without a name is no call.
            calls.extend(
                run.calls
                    .iter()
                    .filter(|call| !call.name.is_empty())
                    .map(of_call),
            );
            Ok(calls)
        }
        Source::Native { actual, .. } => {
            let at = At::root("actual");
            let spans = side("actual", actual)?;
            let mut calls = Vec::new();
            for (index, span) in at.list(&spans)?.iter().enumerate() {
                let at = at.index(index);
                match at.object(span)?.get_str("attributes") {
                    None | Some(Value::Null) => {}
                    Some(attributes) => {
                        calls.extend(of_attributes(at.key("attributes").object(attributes)?))
                    }
                }
            }
            Ok(calls)
        }
    }
}

/// The calls of a run as items to be matched by name or id.
pub(super) fn items<'c>(source: &Source<'c>) -> Result<Items<'c>, Outcome> {
    if let Source::Case(case) = source
        && let run = run(case)?
        && run.spans.is_empty()
        && run
            .calls
            .iter()
            .all(|call| !call.name.is_empty() && call.tool_id.is_none())
    {
        return Ok(case.actual_items());
    }
    let item = |call: SpanCall<'c>| Item::of_name(call.name).with_tool_id(call.id);
    Ok(Items::Own(calls(source)?.into_iter().map(item).collect()))
}

fn of_span<'c>(span: &'c Span<'c>) -> Result<Option<SpanCall<'c>>, EvaluationError> {
    let Some(json) = span.attributes else {
        return Ok(None);
    };
    let attributes = side("actual", json)?;
    Ok(attributes.as_object().and_then(of_attributes))
}

/// The call of a span, unless the span is none.
fn of_attributes<'c>(attributes: &Object<'c>) -> Option<SpanCall<'c>> {
    let name = attributes
        .get_str("tool.name")
        .filter(|name| !is_falsy(name))?;
    if attributes
        .get_str("tool.synthesized")
        .is_some_and(|it| !is_falsy(it))
    {
        return None;
    }
    let id = attributes.get_str("tool.id").filter(|id| !id.is_null());
    Some(SpanCall {
        name: text(name),
        id: id.map(text),
        input: Attribute::of(attributes, "input.value"),
        output: Attribute::of(attributes, "output.value"),
    })
}

/// Python's `str`.
pub(super) fn text<'c>(value: &Value<'c>) -> Text<'c> {
    match value {
        Value::String(text) => text.clone(),
        other => python::str(other),
    }
}
