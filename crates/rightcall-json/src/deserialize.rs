//! Deserializes JSON text into types that derive `Deserialize`. Errors include their location.

use std::borrow::Cow;
use std::fmt;

use rightcall_python_values::{Integer, Text};
use serde::de::value::{CowStrDeserializer, StrDeserializer};
use serde::de::{
    self, Deserialize, DeserializeSeed, Deserializer, Expected, IntoDeserializer, MapAccess,
    SeqAccess, Unexpected, Visitor,
};
use serde::forward_to_deserialize_any;

use crate::pointer;
use crate::reader::{First, Reader};
use crate::serialize::{RAW, RawJson};
use crate::syntax::{JsonNumber, Kind, Syntax, SyntaxError};
use crate::writer::JsonText;

/// An error in a document, and its location.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct DocumentError {
    /// Byte offset into the text.
    pub offset: usize,
    /// JSON pointer to the value; empty for the whole document.
    pub pointer: String,
    /// The message.
    pub message: String,
}

impl From<SyntaxError> for DocumentError {
    fn from(error: SyntaxError) -> Self {
        Self {
            offset: error.offset,
            ..de::Error::custom(error)
        }
    }
}

impl de::Error for DocumentError {
    fn custom<T: fmt::Display>(message: T) -> Self {
        Self {
            offset: 0,
            pointer: String::new(),
            message: message.to_string(),
        }
    }

    fn invalid_type(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::custom(format_args!("expected {expected}, found {found}"))
    }

    fn unknown_variant(variant: &str, expected: &'static [&'static str]) -> Self {
        let expected = expected.join(", ");
        Self::custom(format_args!(
            "expected one of {expected}, found `{variant}`"
        ))
    }

    fn invalid_value(found: Unexpected<'_>, expected: &dyn Expected) -> Self {
        Self::invalid_type(found, expected)
    }
}

impl DocumentError {
    /// The same error with its location prefixed by this key or index.
    #[must_use]
    pub fn under(mut self, step: &str) -> Self {
        self.pointer = format!("/{}{}", pointer::escaped(step), self.pointer);
        self
    }

    /// The same error, located at `offset` unless it already has a more exact location.
    fn placed_at(self, offset: usize) -> Self {
        Self {
            offset: self.offset.max(offset),
            ..self
        }
    }
}

/// Reads one of rightcall's own documents, which may hold `NaN` and infinities. The whole text must
/// be one document. Unknown members are ignored.
///
/// # Errors
/// The first offset that is not JSON, or not a value of the expected kind.
pub fn from_json<'t, T: Deserialize<'t>>(text: &'t str) -> Result<T, DocumentError> {
    let mut reader = Reader::new(text, Syntax::PYTHON);
    let value = T::deserialize(&mut reader)?;
    reader.end()?;
    Ok(value)
}

/// Deserializes a value that may itself be `null`; for `deserialize_with` on a field that may be missing.
///
/// # Errors
/// The value's own errors.
pub fn deserialize_present<'t, D: Deserializer<'t>, T: Deserialize<'t>>(
    deserializer: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(deserializer).map(Some)
}

struct RawVisitor;

impl<'t> Visitor<'t> for RawVisitor {
    type Value = RawJson<'t>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON text")
    }

    fn visit_borrowed_str<E: de::Error>(self, text: &'t str) -> Result<Self::Value, E> {
        Ok(RawJson(text))
    }
}

impl<'de: 't, 't> Deserialize<'de> for RawJson<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_newtype_struct(RAW, RawVisitor)
    }
}

impl<'t> Deserialize<'t> for JsonText {
    fn deserialize<D: Deserializer<'t>>(deserializer: D) -> Result<Self, D::Error> {
        RawJson::deserialize(deserializer).map(|json| Self::from_checked(json.0))
    }
}

impl<'t> Deserializer<'t> for &mut Reader<'t> {
    type Error = DocumentError;

    fn deserialize_any<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        match self.peek()? {
            Kind::Null => {
                self.null()?;
                visitor.visit_unit()
            }
            Kind::Bool => visitor.visit_bool(self.bool()?),
            Kind::Number => match self.number()? {
                JsonNumber::Integer(Integer::Small(small)) => visitor.visit_i64(small),
                JsonNumber::Integer(big) => visitor.visit_f64(big.to_f64()),
                JsonNumber::Float(float) => visitor.visit_f64(float),
            },
            Kind::String => visitor.visit_str(&self.string()?.to_display()),
            Kind::List => {
                let first = self.enter_list()?;
                visitor.visit_seq(ListAccess {
                    reader: self,
                    first,
                    number: 0,
                })
            }
            Kind::Object => self.deserialize_map(visitor),
        }
    }

    fn deserialize_map<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        let first = self.enter_object()?;
        visitor.visit_map(ObjectAccess {
            reader: self,
            first,
            key: Text::default(),
        })
    }

    /// Rejects a list where a struct is expected.
    fn deserialize_struct<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DocumentError> {
        self.deserialize_map(visitor)
    }

    fn deserialize_option<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        if self.peek()? == Kind::Null {
            self.null()?;
            return visitor.visit_none();
        }
        visitor.visit_some(self)
    }

    /// Reads `null` as NaN: the writer writes floats that are not finite as `null`.
    fn deserialize_f64<V: Visitor<'t>>(self, visitor: V) -> Result<V::Value, DocumentError> {
        if self.peek()? == Kind::Null {
            self.null()?;
            return visitor.visit_f64(f64::NAN);
        }
        self.deserialize_any(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'t>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, DocumentError> {
        if name == RAW {
            return visitor.visit_borrowed_str(self.raw()?);
        }
        visitor.visit_newtype_struct(self)
    }

    /// Reads a string as an enum variant.
    fn deserialize_enum<V: Visitor<'t>>(
        self,
        _: &'static str,
        _: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, DocumentError> {
        let word = self.string()?;
        let word: CowStrDeserializer<'_, DocumentError> = word.to_display().into_deserializer();
        visitor.visit_enum(word)
    }

    fn deserialize_ignored_any<V: Visitor<'t>>(
        self,
        visitor: V,
    ) -> Result<V::Value, DocumentError> {
        self.raw()?;
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'t>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 char str string bytes byte_buf unit unit_struct seq tuple
        tuple_struct identifier
    }
}

/// The items of a list.
struct ListAccess<'r, 't> {
    reader: &'r mut Reader<'t>,
    first: First,
    number: usize,
}

impl<'t> SeqAccess<'t> for ListAccess<'_, 't> {
    type Error = DocumentError;

    fn next_element_seed<T: DeserializeSeed<'t>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, DocumentError> {
        if !self.reader.next_item(&mut self.first)? {
            return Ok(None);
        }
        let offset = self.reader.offset();
        let read = seed.deserialize(&mut *self.reader);
        let item = read.map_err(|error| {
            let step = self.number.to_string();
            error.placed_at(offset).under(&step)
        })?;
        self.number += 1;
        Ok(Some(item))
    }
}

/// The members of an object.
struct ObjectAccess<'r, 't> {
    reader: &'r mut Reader<'t>,
    first: First,
    key: Text<'t>,
}

impl<'t> MapAccess<'t> for ObjectAccess<'_, 't> {
    type Error = DocumentError;

    fn next_key_seed<K: DeserializeSeed<'t>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, DocumentError> {
        let Some(key) = self.reader.next_key(&mut self.first)? else {
            return Ok(None);
        };
        self.key = key;
        let key: Cow<'_, str> = self.key.to_display();
        let key: StrDeserializer<'_, DocumentError> = (*key).into_deserializer();
        seed.deserialize(key).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'t>>(
        &mut self,
        seed: T,
    ) -> Result<T::Value, DocumentError> {
        let offset = self.reader.offset();
        let read = seed.deserialize(&mut *self.reader);
        read.map_err(|error| {
            let step = self.key.to_display();
            error.placed_at(offset).under(&step)
        })
    }
}

#[cfg(test)]
mod tests {
    use serde::{Deserialize, Serialize};

    use super::*;

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct Document<'t> {
        name: String,
        #[serde(skip_serializing_if = "Option::is_none")]
        score: Option<f64>,
        infinite: f64,
        #[serde(
            borrow,
            deserialize_with = "deserialize_present",
            skip_serializing_if = "Option::is_none"
        )]
        value: Option<RawJson<'t>>,
        words: Vec<Word>,
        #[serde(flatten)]
        more: More,
    }

    #[derive(Debug, PartialEq, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    enum Word {
        First,
        NameOnly,
    }

    #[derive(Debug, Default, PartialEq, Serialize, Deserialize)]
    #[serde(default)]
    struct More {
        places: Vec<(usize, bool)>,
    }

    #[test]
    fn documents_round_trip_with_values_that_strict_json_lacks() {
        let document = Document {
            name: "a \"b\"\u{8}".into(),
            score: Some(0.1 + 0.2),
            infinite: f64::INFINITY,
            value: Some(RawJson(r#"[NaN,"\ud800",1.10,12345678901234567890123]"#)),
            words: vec![Word::NameOnly, Word::First],
            more: More {
                places: vec![(7, true)],
            },
        };
        let json = JsonText::from_type(&document);
        assert_eq!(
            json.as_str(),
            r#"{"name":"a \"b\"\u0008","score":0.30000000000000004,"infinite":null,"value":[NaN,"\ud800",1.10,12345678901234567890123],"words":["name_only","first"],"places":[[7,true]]}"#
        );
        let read: Document<'_> = from_json(json.as_str()).unwrap();
        assert!(read.infinite.is_nan());
        let infinite = document.infinite;
        assert_eq!(Document { infinite, ..read }, document);
        let null: Document<'_> = from_json(r#"{"value":null,"score":null,"else":[{}]}"#).unwrap();
        assert_eq!((null.value, null.score), (Some(RawJson("null")), None));
    }

    #[test]
    fn a_text_keeps_its_lone_surrogates() {
        let text = crate::decode(r#""a\ud800\n""#).unwrap();
        let text = text.as_text().unwrap();
        assert_eq!(JsonText::from_type(text).as_str(), r#""a\ud800\n""#);
        let keys = std::collections::BTreeMap::from([(text, 1)]);
        assert_eq!(JsonText::from_type(&keys).as_str(), r#"{"a\ud800\n":1}"#);
    }

    #[test]
    fn errors_have_their_location() {
        for (text, pointer, offset, message) in [
            ("[]", "", 0, "expected an object, found `[`"),
            (
                r#"{"words":["first", 7]}"#,
                "/words/1",
                19,
                "expected a string, found `7`",
            ),
            (
                r#"{"words":["second"]}"#,
                "/words/0",
                10,
                "expected one of first, name_only, found `second`",
            ),
            (
                r#"{"score": "high"}"#,
                "/score",
                9,
                "expected f64, found string \"high\"",
            ),
            (
                r#"{"name":"a","#,
                "",
                12,
                "expected a string as key, found the end of the text",
            ),
        ] {
            let error = from_json::<Document<'_>>(text).unwrap_err();
            assert_eq!(
                (error.pointer.as_str(), &*error.message),
                (pointer, message),
                "{text}"
            );
            assert_eq!(error.offset, offset, "{text}");
        }
    }
}
