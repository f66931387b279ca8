//! Serializes types that derive `Serialize` as JSON text, so that the type of a document is its only definition.
//!
//! `serde_json` doesn't fit: embedded values may be `NaN` or hold lone surrogates, which it neither reads nor writes.

use std::fmt;

use rightcall_python_values::Text;
use serde::ser::{self, Impossible, Serialize, Serializer};

use crate::writer::{JsonText, JsonWriter};

/// The newtype name that marks text that is already JSON.
pub(crate) const RAW: &str = "rightcall_json::RawJson";

/// JSON text inside a document, kept as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RawJson<'t>(pub &'t str);

impl Serialize for RawJson<'_> {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_newtype_struct(RAW, self.0)
    }
}

impl Serialize for JsonText {
    #[inline]
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        RawJson(self.as_str()).serialize(serializer)
    }
}

/// Serializes text that is already JSON; for `serialize_with` on a field.
///
/// # Errors
/// Only the serializer's own.
pub fn serialize_raw<S: Serializer>(json: &str, serializer: S) -> Result<S::Ok, S::Error> {
    RawJson(json).serialize(serializer)
}

/// [`serialize_raw`] for an optional text.
///
/// # Errors
/// Only the serializer's own.
pub fn serialize_raw_option<S: Serializer>(
    json: &Option<String>,
    serializer: S,
) -> Result<S::Ok, S::Error> {
    json.as_deref().map(RawJson).serialize(serializer)
}

impl JsonText {
    /// Serializes a value to text.
    pub fn from_type(value: &(impl Serialize + ?Sized)) -> Self {
        let mut writer = JsonWriter::with_room();
        writer.serialize(value);
        writer.finish()
    }
}

impl JsonWriter {
    /// Writes a serializable value.
    ///
    /// # Panics
    /// If the type can't be JSON: an externally tagged variant with values, or a map with keys that are not strings.
    #[inline]
    pub fn serialize(&mut self, value: &(impl Serialize + ?Sized)) -> &mut Self {
        let written = value.serialize(TypeWriter {
            writer: self,
            is_raw: false,
        });
        written.expect("types of our own documents are JSON");
        self
    }

    /// Writes a member if there is a value.
    ///
    /// # Panics
    /// As [`serialize`](Self::serialize).
    pub fn optional(&mut self, key: &str, value: Option<impl Serialize>) -> &mut Self {
        match value {
            Some(value) => self.key(key).serialize(&value),
            None => self,
        }
    }
}

/// Writes the values that serde passes.
struct TypeWriter<'w> {
    writer: &'w mut JsonWriter,
    /// True if the next string is already JSON.
    is_raw: bool,
}

impl TypeWriter<'_> {
    #[inline]
    fn next(&mut self) -> TypeWriter<'_> {
        TypeWriter {
            writer: self.writer,
            is_raw: false,
        }
    }
}

/// Defines serializer methods that call one method of the writer.
macro_rules! write_by {
    ($($method:ident($type:ty) $by:ident $as:ty),* $(,)?) => {$(
        #[inline]
        fn $method(self, value: $type) -> fmt::Result {
            self.writer.$by(<$as>::from(value));
            Ok(())
        }
    )*};
}

impl Serializer for TypeWriter<'_> {
    type Ok = ();
    type Error = fmt::Error;
    type SerializeSeq = Self;
    type SerializeTuple = Self;
    type SerializeTupleStruct = Impossible<(), fmt::Error>;
    type SerializeTupleVariant = Impossible<(), fmt::Error>;
    type SerializeMap = Self;
    type SerializeStruct = Self;
    type SerializeStructVariant = Impossible<(), fmt::Error>;

    write_by!(
        serialize_bool(bool) bool bool, serialize_i8(i8) integer i64, serialize_i16(i16) integer i64,
        serialize_i32(i32) integer i64, serialize_i64(i64) integer i64, serialize_u8(u8) whole u64,
        serialize_u16(u16) whole u64, serialize_u32(u32) whole u64, serialize_u64(u64) whole u64,
        serialize_f32(f32) float f64, serialize_f64(f64) float f64,
    );

    fn serialize_char(self, value: char) -> fmt::Result {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    #[inline]
    fn serialize_str(self, text: &str) -> fmt::Result {
        if self.is_raw {
            self.writer.raw(text);
        } else {
            self.writer.str(text);
        }
        Ok(())
    }

    /// How [`Text`] serializes a string that isn't valid UTF-8.
    fn serialize_bytes(self, text: &[u8]) -> fmt::Result {
        self.writer.text(&Text::from_bytes(text));
        Ok(())
    }

    #[inline]
    fn serialize_none(self) -> fmt::Result {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> fmt::Result {
        value.serialize(self)
    }

    #[inline]
    fn serialize_unit(self) -> fmt::Result {
        self.writer.null();
        Ok(())
    }

    fn serialize_unit_struct(self, _: &'static str) -> fmt::Result {
        self.serialize_unit()
    }

    #[inline]
    fn serialize_unit_variant(self, _: &'static str, _: u32, word: &'static str) -> fmt::Result {
        self.serialize_str(word)
    }

    #[inline]
    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        value: &T,
    ) -> fmt::Result {
        value.serialize(TypeWriter {
            is_raw: name == RAW,
            writer: self.writer,
        })
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: &T,
    ) -> fmt::Result {
        Err(fmt::Error)
    }

    #[inline]
    fn serialize_seq(self, _: Option<usize>) -> Result<Self, fmt::Error> {
        self.writer.begin_list();
        Ok(self)
    }

    fn serialize_tuple(self, members: usize) -> Result<Self, fmt::Error> {
        self.serialize_seq(Some(members))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleStruct, fmt::Error> {
        Err(fmt::Error)
    }

    fn serialize_tuple_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, fmt::Error> {
        Err(fmt::Error)
    }

    #[inline]
    fn serialize_map(self, _: Option<usize>) -> Result<Self, fmt::Error> {
        self.writer.begin_object();
        Ok(self)
    }

    #[inline]
    fn serialize_struct(self, _: &'static str, members: usize) -> Result<Self, fmt::Error> {
        self.serialize_map(Some(members))
    }

    fn serialize_struct_variant(
        self,
        _: &'static str,
        _: u32,
        _: &'static str,
        _: usize,
    ) -> Result<Self::SerializeStructVariant, fmt::Error> {
        Err(fmt::Error)
    }
}

impl ser::SerializeSeq for TypeWriter<'_> {
    type Ok = ();
    type Error = fmt::Error;

    #[inline]
    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        value.serialize(self.next())
    }

    #[inline]
    fn end(self) -> fmt::Result {
        self.writer.end_list();
        Ok(())
    }
}

impl ser::SerializeTuple for TypeWriter<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_element<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        value.serialize(self.next())
    }

    fn end(self) -> fmt::Result {
        ser::SerializeSeq::end(self)
    }
}

impl ser::SerializeMap for TypeWriter<'_> {
    type Ok = ();
    type Error = fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> fmt::Result {
        key.serialize(self.next())?;
        self.writer.name_last().ok_or(fmt::Error)
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> fmt::Result {
        value.serialize(self.next())
    }

    #[inline]
    fn end(self) -> fmt::Result {
        self.writer.end_object();
        Ok(())
    }
}

impl ser::SerializeStruct for TypeWriter<'_> {
    type Ok = ();
    type Error = fmt::Error;

    #[expect(
        clippy::inline_always,
        reason = "a key that is known in place is written in a few instructions"
    )]
    #[inline(always)]
    fn serialize_field<T: Serialize + ?Sized>(
        &mut self,
        key: &'static str,
        value: &T,
    ) -> fmt::Result {
        self.writer.word(key);
        value.serialize(self.next())
    }

    #[inline]
    fn end(self) -> fmt::Result {
        self.writer.end_object();
        Ok(())
    }
}
