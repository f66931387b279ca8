//! Converts spans to calls by UiPath's rules.
//!
//! Source: semantics, section 2.1.

use crate::call::{Arguments, Call, Case, Span};
use crate::presets::prelude::*;
use crate::recipe::trajectory;
use crate::value::Object;
use crate::value::python::{self, is_falsy};

/// A call in the form that the evaluators use.
#[derive(Debug)]
pub(super) struct SpanCall<'c> {
    pub(super) name: Text<'c>,
    pub(super) id: Option<Text<'c>>,
    /// Attribute `input.value`.
    pub(super) input: Attribute<'c>,
    /// Attribute `output.value`.
    pub(super) output: Attribute<'c>,
}

/// An attribute, not yet decoded.
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
    fn from_attributes(attributes: &Object<'c>, key: &str) -> Self {
        attributes
            .get_str(key)
            .map_or(Self::Absent, |value| Self::Tree(value.clone()))
    }
}

/// The calls of a case's run.
pub(super) fn calls<'c>(case: &'c Case<'c>) -> Result<Vec<SpanCall<'c>>, Outcome> {
    let run = trajectory(case)?;
    if !run.spans.is_empty() {
        let calls: Vec<_> = run.spans.iter().map(of_span).collect::<Result<_, _>>()?;
        return Ok(calls.into_iter().flatten().collect());
    }
    // A span without a name is not a call.
    let named = run.calls.iter().filter(|call| !call.name.is_empty());
    let of_call = |call: &'c Call<'c>| SpanCall {
        name: call.name.reborrow(),
        id: call.metadata().tool_id.as_ref().map(Text::reborrow),
        input: if call.arguments.is_absent() {
            Attribute::Absent
        } else {
            Attribute::Arguments(&call.arguments)
        },
        output: call
            .metadata()
            .output
            .as_deref()
            .map_or(Attribute::Absent, Attribute::Json),
    };
    Ok(named.map(of_call).collect())
}

/// The calls of spans in the original's own shape.
pub(super) fn calls_of_native<'c>(actual: &'c str) -> Result<Vec<SpanCall<'c>>, Outcome> {
    let spans = side("actual", actual)?;
    let of_span = |at: At<'_>, span: &Value<'c>| -> Result<_, EvaluationError> {
        match at.object(span)?.get_str("attributes") {
            None | Some(Value::Null) => Ok(None),
            Some(attributes) => Ok(call_in_attributes(at.key("attributes").object(attributes)?)),
        }
    };
    let calls = At::root("actual").each(&spans, of_span)?;
    Ok(calls.into_iter().flatten().collect())
}

/// The calls of a case's run as items, matched by name or id.
pub(super) fn items<'c>(prepared: &'c PreparedCase<'c>) -> Result<Items<'c>, Outcome> {
    let run = trajectory(prepared.case())?;
    let is_plain = |call: &Call<'_>| !call.name.is_empty() && call.metadata().tool_id.is_none();
    if run.spans.is_empty() && run.calls.iter().all(is_plain) {
        return Ok(prepared.actual_items());
    }
    Ok(named(calls(prepared.case())?))
}

/// The calls of spans in the original's own shape as items, matched by name or id.
pub(super) fn items_of_native(actual: &str) -> Result<Items<'_>, Outcome> {
    Ok(named(calls_of_native(actual)?))
}

fn named<'c>(calls: Vec<SpanCall<'c>>) -> Items<'c> {
    let item = |call: SpanCall<'c>| Item::from_name(call.name).with_tool_id(call.id);
    Items::Own(calls.into_iter().map(item).collect())
}

fn of_span<'c>(span: &'c Span<'c>) -> Result<Option<SpanCall<'c>>, EvaluationError> {
    let Some(json) = span.attributes else {
        return Ok(None);
    };
    let attributes = side("actual", json)?;
    Ok(attributes.as_object().and_then(call_in_attributes))
}

/// The call in a span, if it is one.
fn call_in_attributes<'c>(attributes: &Object<'c>) -> Option<SpanCall<'c>> {
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
        input: Attribute::from_attributes(attributes, "input.value"),
        output: Attribute::from_attributes(attributes, "output.value"),
    })
}

/// Python's `str`.
pub(super) fn text<'c>(value: &Value<'c>) -> Text<'c> {
    match value {
        Value::String(text) => text.clone(),
        other => python::str(other),
    }
}
