//! Helpers to read decoded trees.

use rightcall_core::value::{Object, Text, Value};

use crate::Stop;

/// The value under a key, if the value is an object and has it.
pub(crate) fn get<'v, 'a>(value: &'v Value<'a>, key: &str) -> Option<&'v Value<'a>> {
    value.as_object()?.get_str(key)
}

/// Like [`get`], with null treated as missing.
pub(crate) fn given<'v, 'a>(value: &'v Value<'a>, key: &str) -> Option<&'v Value<'a>> {
    get(value, key).filter(|value| !value.is_null())
}

/// A list; otherwise the original raises.
pub(crate) fn list<'v, 'a>(value: &'v Value<'a>) -> Result<&'v [Value<'a>], Stop> {
    value.as_list().ok_or(Stop::Raised)
}

/// A text; otherwise the original raises.
pub(crate) fn text<'v, 'a>(value: Option<&'v Value<'a>>) -> Result<&'v Text<'a>, Stop> {
    value.and_then(Value::as_text).ok_or(Stop::Raised)
}

/// An object; otherwise the original raises.
pub(crate) fn object<'v, 'a>(value: Option<&'v Value<'a>>) -> Result<&'v Object<'a>, Stop> {
    value.and_then(Value::as_object).ok_or(Stop::Raised)
}

/// A setting that is true, false, null or missing.
pub(crate) fn flag(config: &Value<'_>, key: &str) -> Result<bool, Stop> {
    match given(config, key) {
        None => Ok(false),
        Some(Value::Bool(flag)) => Ok(*flag),
        Some(_) => Err(Stop::Unknown),
    }
}

/// A setting that is a number, null or missing.
pub(crate) fn number(config: &Value<'_>, key: &str) -> Result<Option<f64>, Stop> {
    match given(config, key) {
        None => Ok(None),
        Some(value) => value.as_f64().map(Some).ok_or(Stop::Unknown),
    }
}

/// A setting that is a string, null or missing.
pub(crate) fn name(config: &Value<'_>, key: &str) -> Result<Option<String>, Stop> {
    match given(config, key) {
        None => Ok(None),
        Some(Value::String(name)) => Ok(Some(name.to_string())),
        Some(_) => Err(Stop::Unknown),
    }
}

/// JavaScript's truth value.
pub(crate) fn is_true_in_javascript(value: Option<&Value<'_>>) -> bool {
    match value {
        None | Some(Value::Null) => false,
        Some(Value::Bool(flag)) => *flag,
        Some(Value::Integer(integer)) => integer.to_string() != "0",
        Some(Value::Float(float)) => *float != 0.0 && !float.is_nan(),
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::List(_) | Value::Object(_) | Value::Python(_)) => true,
    }
}

/// A call with both a name and an object of arguments.
pub(crate) struct NamedCall<'v> {
    pub(crate) name: &'v Text<'v>,
    pub(crate) args: &'v Object<'v>,
}

impl<'v> NamedCall<'v> {
    /// Reads a call, with its arguments under this key.
    pub(crate) fn read(value: &'v Value<'_>, key: &str) -> Result<Self, Stop> {
        Ok(Self {
            name: text(get(value, "name"))?,
            args: object(get(value, key))?,
        })
    }
}
