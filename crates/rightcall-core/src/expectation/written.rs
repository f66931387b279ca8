//! Parses the JSON of an expectation into values; repeated keys in an object are an error.

use crate::value::{JsonNumber, Kind, Object, Reader, Syntax, Text, Value};

use super::error::{ExpectationError, Result, Under};

/// Maximum nesting depth: deeper than real expectations, but shallow enough that recursion can't exhaust the stack.
const MAX_NESTING: usize = 128;

/// Parses the JSON text of an expectation.
///
/// # Errors
/// The text is not JSON, is nested too deeply, or has a repeated key in an object.
pub(crate) fn written(text: &str) -> Result<Value<'static>> {
    let syntax = Syntax {
        max_depth: MAX_NESTING,
        ..Syntax::PYTHON
    };
    let reader = &mut Reader::new(text, syntax);
    let value = value(reader)?;
    reader.end().map_err(|error| syntax_error(&error))?;
    Ok(value)
}

#[cold]
fn syntax_error(error: &crate::value::SyntaxError) -> ExpectationError {
    let read = ExpectationError::new(
        error.expected,
        format!("{} at byte {}", error.found, error.offset),
    );
    match error.expected {
        "less nesting" => read.help(format!(
            "an expectation with blocks or matchers may nest {MAX_NESTING} levels deep"
        )),
        _ => read,
    }
}

fn value(reader: &mut Reader<'_>) -> Result<Value<'static>> {
    let read = |error| syntax_error(&error);
    Ok(match reader.peek().map_err(read)? {
        Kind::Null => {
            reader.null().map_err(read)?;
            Value::Null
        }
        Kind::Bool => Value::Bool(reader.bool().map_err(read)?),
        Kind::Number => match reader.number().map_err(read)? {
            JsonNumber::Integer(integer) => Value::Integer(integer),
            JsonNumber::Float(float) => Value::Float(float),
        },
        Kind::String => Value::String(reader.string().map_err(read)?.into_owned()),
        Kind::List => {
            let mut items = Vec::new();
            let mut first = reader.enter_list().map_err(read)?;
            while reader.next_item(&mut first).map_err(read)? {
                items.push(value(reader).under_item(items.len())?);
            }
            Value::List(items)
        }
        Kind::Object => Value::Object(object(reader)?),
    })
}

fn object(reader: &mut Reader<'_>) -> Result<Object<'static>> {
    let read = |error| syntax_error(&error);
    let mut members: Vec<(Text<'static>, Value<'static>)> = Vec::new();
    let mut first = reader.enter_object().map_err(read)?;
    while let Some(key) = reader.next_key(&mut first).map_err(read)? {
        let key = key.into_owned();
        let name = key.to_display().into_owned();
        members.push((key, value(reader).under(&name)?));
    }
    let count = members.len();
    let mut keys: Vec<_> = members.iter().map(|(key, _)| key.clone()).collect();
    let object = Object::new(members);
    if object.len() < count {
        keys.sort();
        let repeated = keys.windows(2).find(|pair| pair[0] == pair[1]);
        let name = repeated.map_or_else(String::new, |pair| pair[0].to_display().into_owned());
        let error = ExpectationError::new("each key once", format!("the key `{name}` twice"));
        return Err(error).under(&name);
    }
    Ok(object)
}
