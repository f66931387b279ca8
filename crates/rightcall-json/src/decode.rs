//! Decodes JSON text into a tree.

use rightcall_python_values::{Object, Value};

use crate::reader::Reader;
use crate::syntax::{JsonNumber, Kind, Result, Syntax, SyntaxError};

/// Decodes one JSON text. The syntax's maximum depth bounds the recursion.
///
/// # Errors
/// The first offset that is not strict JSON.
pub fn decode(text: &str) -> std::result::Result<Value<'_>, SyntaxError> {
    decode_with(text, Syntax::JSON)
}

/// Decodes one JSON text with the extensions of `syntax`.
///
/// # Errors
/// The first offset that the syntax does not allow.
pub fn decode_with(text: &str, syntax: Syntax) -> std::result::Result<Value<'_>, SyntaxError> {
    let mut reader = Reader::new(text, syntax);
    let value = reader.value()?;
    reader.end()?;
    Ok(value)
}

/// True for one JSON text, with the extensions of `syntax`.
pub fn is_json(text: &str, syntax: Syntax) -> bool {
    let mut reader = Reader::new(text, syntax);
    reader.raw().and_then(|_| reader.end()).is_ok()
}

impl<'a> Reader<'a> {
    /// Reads one value of any kind as a tree.
    pub fn value(&mut self) -> Result<Value<'a>> {
        Ok(match self.peek()? {
            Kind::Null => {
                self.null()?;
                Value::Null
            }
            Kind::Bool => Value::Bool(self.bool()?),
            Kind::Number => match self.number()? {
                JsonNumber::Integer(integer) => Value::Integer(integer),
                JsonNumber::Float(float) => Value::Float(float),
            },
            Kind::String => Value::String(self.string()?),
            Kind::List => {
                let mut items = Vec::new();
                let mut first = self.enter_list()?;
                while self.next_item(&mut first)? {
                    items.push(self.value()?);
                }
                Value::List(items)
            }
            Kind::Object => {
                let mut entries = Vec::new();
                let mut first = self.enter_object()?;
                while let Some(key) = self.next_key(&mut first)? {
                    entries.push((key, self.value()?));
                }
                Value::Object(Object::new(entries))
            }
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_keep_their_kind_and_size() {
        let list =
            decode("[1, 1.0, 1e0, -0, 12345678901234567890123, 9007199254740993.0, 1e400, 1e-400]")
                .unwrap();
        let shown: Vec<_> = list
            .as_list()
            .unwrap()
            .iter()
            .map(|value| format!("{value:?}"))
            .collect();
        assert_eq!(shown[0], "Integer(Small(1))");
        assert_eq!(shown[1..3], ["Float(1.0)", "Float(1.0)"]);
        assert_eq!(shown[3], "Integer(Small(0))");
        assert!(shown[4].starts_with("Integer(Big("));
        assert_eq!(
            shown[5..],
            ["Float(9007199254740992.0)", "Float(inf)", "Float(0.0)"]
        );
    }

    #[test]
    fn integers_above_pythons_digit_limit_are_errors() {
        assert!(decode(&"9".repeat(4300)).is_ok());
        assert!(decode(&format!("-{}", "9".repeat(4300))).is_ok());
        assert!(decode(&"9".repeat(4301)).is_err());
    }
}
