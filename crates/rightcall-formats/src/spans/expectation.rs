//! The expectation for a run in a platform's data set, from a record next to the run's spans.

use rightcall_core::value::{MAX_DEPTH, Text};

use super::span::TraceSpan;
use crate::node::Node;
use crate::trace::each_suspect;
use crate::trace::words::is_condition;

/// Keys of expectations. Calls under them are not the run's calls.
pub(crate) const EXPECTATIONS: [&str; 6] = [
    "expected",
    "expected_output",
    "expectedOutput",
    "expectations",
    "reference_output",
    "reference_outputs",
];

/// Attributes with the expectation of an experiment.
const ATTRIBUTES: [&str; 2] = [
    "braintrust.expected",
    "langfuse.experiment.item.expected_output",
];

/// True for the key of such an attribute.
pub(super) fn is_expected(key: &Text<'_>) -> bool {
    ATTRIBUTES.iter().any(|expected| *key == **expected)
}

/// The expected calls in a record, as a case may have them; `None` if it expects an answer.
pub(crate) fn expectation_in(record: &Node<'_>) -> Option<String> {
    let mut keys = EXPECTATIONS.iter();
    keys.find_map(|key| expected_calls(record.get(key)?))
}

/// The calls in an expectation: messages, a list of calls, or a call alone, also inside an object or a text. An object with several such
/// members, or with conditions, is returned whole, so that the case is refused unless it states them in its own language.
pub(crate) fn expected_calls(value: &Node<'_>) -> Option<String> {
    if let Some(text) = value.str() {
        let value = Node::parse(text, MAX_DEPTH).ok()?;
        return expected_calls(&value);
    }
    let (mut has_any, mut is_call) = (false, false);
    each_suspect(value, &mut |it| {
        has_any = true;
        is_call |= it.place.is_empty();
    });
    if is_call {
        return Some(format!("[{}]", value.raw()));
    }
    if value.is_list() || value.has_any(&["role", "messages"]) {
        return has_any.then(|| value.raw().to_owned());
    }
    let members = value.entries().iter();
    let mut stated = members.filter_map(|(key, member)| Some((key, expected_calls(member)?)));
    let (key, calls) = stated.next()?;
    let is_alone = stated.next().is_none() && !is_condition(&key.to_display());
    Some(if is_alone {
        calls
    } else {
        value.raw().to_owned()
    })
}

/// The expectation of a span: what its carrier found, or that in an attribute.
pub(super) fn of_span(span: &TraceSpan<'_>) -> Option<String> {
    let attribute = || {
        span.attributes
            .any(&ATTRIBUTES)?
            .read(expected_calls)
            .flatten()
    };
    span.expected.clone().or_else(attribute)
}
