//! Arguments as recorded in a trace. A text is not decoded here; see [`Understood`] for its interpretation.

use rightcall_core::call::{ArgumentText, argument_text};
use rightcall_core::value::{JsonWriter, Syntax, Text, Value, ValueEquality, decode_with};
use serde::{Deserialize, Serialize};

use crate::case::CallField;
use crate::node::Node;

/// The arguments of a call.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub(crate) enum TraceArguments {
    /// Not recorded.
    #[default]
    Absent,
    /// JSON text of any kind but a string.
    Json(String),
    /// A text that should hold JSON.
    Text(Text<'static>),
    /// A text that is the whole argument, for tools with free-form input.
    Free(Text<'static>),
}

/// The interpretation of arguments.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Understood {
    /// Not recorded.
    NotRecorded,
    /// An object, or a text that contains one.
    Object,
    /// Another value: a list, a number, free text.
    OtherValue,
    /// A text without a value: cut off, or never one.
    Invalid,
}

impl TraceArguments {
    /// Arguments from a value: an object, or a text that contains one.
    pub(crate) fn from_node(value: &Node<'_>) -> Self {
        match value.text() {
            Some(text) => Self::Text(text.clone().into_owned()),
            None => Self::Json(value.raw().to_owned()),
        }
    }

    /// The arguments of a complete call, under one of these keys or another that plainly means them. If there are none, the call has no
    /// arguments, unless they may be under an unknown key.
    pub(crate) fn from_call(call: &Node<'_>, keys: &[&str]) -> Self {
        match call.any(keys).or_else(|| field(call, CallField::Arguments)) {
            Some(value) => Self::from_node(value),
            None if call
                .entries()
                .iter()
                .any(|(key, value)| may_be_arguments(key, value)) =>
            {
                Self::Absent
            }
            None => Self::none(),
        }
    }

    /// The free-form input under this key of a complete call.
    pub(crate) fn free(call: &Node<'_>, key: &str) -> Self {
        match call.get(key).and_then(Node::text) {
            Some(text) => Self::Free(text.clone().into_owned()),
            None if call.get(key).is_some_and(Node::is_object) => Self::from_call(call, &[key]),
            None if Self::from_call(call, &[key]) == Self::Absent => Self::Absent,
            None => Self::Free(Text::default()),
        }
    }

    /// An object of the members that exist; if none does, the arguments were not recorded.
    pub(crate) fn from_members(node: &Node<'_>, keys: &[&str]) -> Self {
        let member = |key: &&str| Some(format!("\"{key}\":{}", node.get(key)?.raw()));
        let members: Vec<_> = keys.iter().filter_map(member).collect();
        if members.is_empty() {
            return Self::Absent;
        }
        Self::Json(format!("{{{}}}", members.join(",")))
    }

    /// An empty object, for a call without arguments.
    pub(crate) fn none() -> Self {
        Self::Json("{}".to_owned())
    }

    /// Their value, or the value in their text; `None` if they were not recorded.
    pub(crate) fn value(&self) -> Option<Value<'static>> {
        let text = match self {
            Self::Absent => return None,
            Self::Json(json) => match decode_with(json, Syntax::PYTHON).ok()? {
                Value::String(text) => text,
                value => return Some(value.into_owned()),
            },
            Self::Text(text) | Self::Free(text) => text.clone(),
        };
        Some(argument_text(&text).0)
    }

    /// True if these have equal values, regardless of their notation.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        fn value(arguments: &TraceArguments) -> Option<Value<'_>> {
            match arguments {
                TraceArguments::Absent => None,
                TraceArguments::Json(json) => decode_with(json, Syntax::PYTHON).ok(),
                TraceArguments::Text(text) | TraceArguments::Free(text) => {
                    Some(argument_text(text).0)
                }
            }
        }
        self == other
            || match (value(self), value(other)) {
                (Some(one), Some(other)) => ValueEquality::Json.equal(&one, &other),
                (None, None) => true,
                _ => false,
            }
    }

    /// Their interpretation.
    pub(crate) fn understood(&self) -> Understood {
        match self {
            Self::Absent => Understood::NotRecorded,
            Self::Json(json) if json.starts_with('{') => Understood::Object,
            Self::Json(_) | Self::Free(_) => Understood::OtherValue,
            Self::Text(text) => match argument_text(text).1 {
                ArgumentText::Invalid => Understood::Invalid,
                ArgumentText::OtherJson => Understood::OtherValue,
                _ => Understood::Object,
            },
        }
    }

    /// Writes the member `args` of a canonical call; a value other than an object is written as a string.
    pub(crate) fn write(&self, writer: &mut JsonWriter) {
        match self {
            Self::Absent => {}
            Self::Json(json) if json.starts_with('{') => _ = writer.key("args").raw(json),
            Self::Json(json) => _ = writer.key("args").str(json),
            Self::Text(text) | Self::Free(text) => _ = writer.key("args").text(text),
        }
    }
}

/// The value of a field, if exactly one key plainly means that field.
pub(super) fn field<'n, 'a>(call: &'n Node<'a>, field: CallField) -> Option<&'n Node<'a>> {
    let is_field = |key: &Text<'_>| CallField::of(&key.to_display()) == Some(field);
    let mut values = call
        .entries()
        .iter()
        .filter(|(key, value)| is_field(key) && !value.is_null());
    match (values.next(), values.next()) {
        (Some((_, value)), None) => Some(value),
        _ => None,
    }
}

/// True for an object, or the text of one, under a key without another meaning.
fn may_be_arguments(key: &Text<'_>, value: &Node<'_>) -> bool {
    const OTHERS: [&str; 9] = [
        "metadata", "extra", "output", "result", "response", "error", "provider", "caller",
        "content",
    ];
    let is_object = !value.entries().is_empty()
        || value
            .str()
            .is_some_and(|text| text.trim_start().starts_with('{'));
    let is_text = value.text().is_some();
    (is_object || is_text) && {
        let key = key.to_display().to_ascii_lowercase();
        let is_spelled = ["arg", "input", "param"]
            .iter()
            .any(|word| key.contains(word));
        (is_object || is_spelled)
            && !key.starts_with('_')
            && !key.ends_with("meta")
            && !OTHERS.iter().any(|other| key.contains(other))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_under_an_unknown_key_are_not_recorded_and_none_are_none() {
        let of =
            |call: &str| TraceArguments::from_call(&Node::parse(call, 512).unwrap(), &["args"]);
        for lost in [
            r#"{"name":"f","argz":{"id":7}}"#,
            r#"{"name":"f","what":"{\"id\":7}"}"#,
            r#"{"name":"f","kwargs":{"id":7},"params":{}}"#,
        ] {
            assert_eq!(of(lost), TraceArguments::Absent, "{lost}");
        }
        for none in [
            r#"{"name":"f"}"#,
            r#"{"name":"f","argz":{}}"#,
            r#"{"name":"f","_meta":{"token":1},"result":{"n":1}}"#,
        ] {
            assert_eq!(of(none), TraceArguments::none(), "{none}");
        }
        assert_eq!(
            of(r#"{"args":{"id":7},"what":{"a":1}}"#),
            TraceArguments::Json(r#"{"id":7}"#.to_owned())
        );
    }

    #[test]
    fn text_is_understood_in_the_order_of_attempts() {
        let of = |text: &str| TraceArguments::Text(Text::new(text).into_owned()).understood();
        for object in [
            "",
            " ",
            "{}",
            r#"{"a":1}"#,
            r#""{\"a\":1}""#,
            "{'a': True, 'b': None}",
        ] {
            assert_eq!(of(object), Understood::Object, "{object}");
        }
        for other in ["[1]", "7", "\"x\"", "null"] {
            assert_eq!(of(other), Understood::OtherValue, "{other}");
        }
        for invalid in [r#"{"a": 1"#, "SELECT 1", "{'a': f(x)}"] {
            assert_eq!(of(invalid), Understood::Invalid, "{invalid}");
        }
        assert_eq!(
            TraceArguments::Free(Text::new("SELECT 1")).understood(),
            Understood::OtherValue
        );
        assert_eq!(TraceArguments::Absent.understood(), Understood::NotRecorded);
    }
}
