//! Writes JSON text: one writer for results, details and explanations.

use std::io::Write as _;
use std::ops::Range;

use memchr::memchr2;
use rightcall_python_values::{Object, PythonValue, Text, Value, is_plain, plain_prefix, repr};

use crate::decode::decode;
use crate::javascript;

/// JSON text written by this crate, so it is known to be well formed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct JsonText(String);

impl JsonText {
    /// The text of a value.
    pub fn from_value(value: &Value<'_>) -> Self {
        let mut writer = JsonWriter::new();
        writer.value(value);
        writer.finish()
    }

    /// The text of a value, with `NaN` and infinities as in Python's `json`.
    pub fn from_python_value(value: &Value<'_>) -> Self {
        let mut writer = JsonWriter::new();
        writer.python_value(value);
        writer.finish()
    }

    /// A text that a reader has already checked.
    pub(crate) fn from_checked(json: &str) -> Self {
        Self(json.to_owned())
    }

    /// The text.
    #[inline]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text, without copying it.
    #[inline]
    pub fn into_string(self) -> String {
        self.0
    }

    /// The value that the text encodes.
    pub fn to_value(&self) -> Value<'_> {
        decode(&self.0).unwrap_or(Value::Null)
    }
}

impl From<JsonText> for String {
    fn from(json: JsonText) -> Self {
        json.0
    }
}

/// JSON text on one line. Line breaks become spaces, which is safe: JSON allows them only between tokens.
pub fn on_one_line(json: impl Into<String>) -> String {
    let json = json.into();
    match memchr2(b'\n', b'\r', json.as_bytes()) {
        Some(_) => json.replace(['\n', '\r'], " "),
        None => json,
    }
}

impl std::fmt::Display for JsonText {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// Writes JSON text, including the commas. The caller opens and closes lists and objects and writes keys and values.
#[derive(Debug, Default)]
pub struct JsonWriter {
    /// UTF-8: checked once, at the end.
    out: Vec<u8>,
}

impl JsonWriter {
    /// An empty writer.
    #[inline]
    pub fn new() -> Self {
        Self::default()
    }

    /// An empty writer with room for this number of bytes.
    #[inline]
    pub fn with_capacity(bytes: usize) -> Self {
        Self {
            out: Vec::with_capacity(bytes),
        }
    }

    /// An empty writer with room for the details or the explanation of a typical case.
    #[inline]
    pub fn with_room() -> Self {
        Self::with_capacity(1 << 10)
    }

    /// Number of bytes written.
    #[inline]
    pub fn len(&self) -> usize {
        self.out.len()
    }

    /// True if nothing has been written.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.out.is_empty()
    }

    /// The offset where the next value will start, after any comma.
    #[inline]
    pub fn next_start(&self) -> usize {
        self.out.len() + usize::from(self.needs_comma())
    }

    /// Appends the value that `write` writes to a text, on one line. The text must end where a
    /// value is expected.
    pub fn write_on(out: &mut Vec<u8>, write: impl FnOnce(&mut Self)) {
        let start = out.len();
        let mut writer = Self {
            out: std::mem::take(out),
        };
        write(&mut writer);
        *out = writer.out;
        let mut rest = &mut out[start..];
        while let Some(at) = memchr2(b'\n', b'\r', rest) {
            rest[at] = b' ';
            rest = &mut rest[at + 1..];
        }
    }

    /// The written text.
    #[expect(clippy::missing_panics_doc, reason = "only UTF-8 is written")]
    pub fn finish(self) -> JsonText {
        JsonText(String::from_utf8(self.out).expect("only UTF-8 is written"))
    }

    /// Opens an object.
    #[inline]
    pub fn begin_object(&mut self) -> &mut Self {
        self.separate();
        self.out.push(b'{');
        self
    }

    /// Closes an object.
    #[inline]
    pub fn end_object(&mut self) -> &mut Self {
        self.out.push(b'}');
        self
    }

    /// Opens a list.
    #[inline]
    pub fn begin_list(&mut self) -> &mut Self {
        self.separate();
        self.out.push(b'[');
        self
    }

    /// Closes a list.
    #[inline]
    pub fn end_list(&mut self) -> &mut Self {
        self.out.push(b']');
        self
    }

    /// Writes a list; `write` writes one item.
    pub fn list<T>(
        &mut self,
        items: impl IntoIterator<Item = T>,
        mut write: impl FnMut(&mut Self, T),
    ) -> &mut Self {
        self.begin_list();
        items.into_iter().for_each(|item| write(self, item));
        self.end_list()
    }

    /// Writes a list of strings.
    pub fn strs(&mut self, texts: impl IntoIterator<Item = impl AsRef<str>>) -> &mut Self {
        self.list(texts, |writer, text| _ = writer.str(text.as_ref()))
    }

    /// Writes the key of the next value.
    #[inline]
    pub fn key(&mut self, key: &str) -> &mut Self {
        self.key_text(&Text::new(key))
    }

    /// Writes the key of the next value.
    #[inline]
    pub fn key_text(&mut self, key: &Text<'_>) -> &mut Self {
        self.text(key);
        self.out.push(b':');
        self
    }

    /// Writes the key of the next value: a constant that needs no escapes.
    #[expect(
        clippy::inline_always,
        reason = "writing a constant compiles to a few instructions"
    )]
    #[inline(always)]
    pub fn word(&mut self, word: &'static str) -> &mut Self {
        debug_assert!(!word.bytes().any(is_special), "{word}");
        self.separate();
        self.out.push(b'"');
        self.out.extend_from_slice(word.as_bytes());
        self.out.extend_from_slice(b"\":");
        self
    }

    /// Uses the string written last as the key of the next value; `None` if it isn't a string.
    pub(crate) fn name_last(&mut self) -> Option<()> {
        let is_text = self.out.last() == Some(&b'"');
        is_text.then(|| self.out.push(b':'))
    }

    /// Writes a string.
    #[inline]
    pub fn str(&mut self, text: &str) -> &mut Self {
        self.text(&Text::new(text))
    }

    /// Writes the text at `place` again: a key and the text after it.
    #[inline]
    pub fn key_again(&mut self, place: Range<usize>) {
        self.separate();
        self.out.extend_from_within(place);
    }

    /// Writes a string. A lone surrogate is written as its escape.
    pub fn text(&mut self, text: &Text<'_>) -> &mut Self {
        let mut rest = text.as_bytes();
        self.out.reserve(rest.len() + 3);
        self.separate();
        self.out.push(b'"');
        // Most texts are ASCII without escapes.
        if is_plain(rest, *b"\"\\") {
            self.out.extend_from_slice(rest);
            self.out.push(b'"');
            return self;
        }
        loop {
            let (plain, special) = rest.split_at(plain_prefix(rest, is_special));
            self.out.extend_from_slice(plain);
            rest = match *special {
                [] => break,
                // These three bytes encode U+D800 to U+DFFF.
                [0xED, second @ 0xA0..=0xBF, third, ref rest @ ..] => {
                    let point = 0xD000 | u32::from(second & 0x3F) << 6 | u32::from(third & 0x3F);
                    self.escaped(format_args!("\\u{point:04x}"));
                    rest
                }
                [0xED, ref rest @ ..] => {
                    self.out.push(0xED);
                    rest
                }
                [byte, ref rest @ ..] => {
                    self.escape(byte);
                    rest
                }
            };
        }
        self.out.push(b'"');
        self
    }

    fn escape(&mut self, byte: u8) {
        match byte {
            b'"' => self.out.extend_from_slice(b"\\\""),
            b'\\' => self.out.extend_from_slice(b"\\\\"),
            b'\n' => self.out.extend_from_slice(b"\\n"),
            b'\r' => self.out.extend_from_slice(b"\\r"),
            b'\t' => self.out.extend_from_slice(b"\\t"),
            other => self.escaped(format_args!("\\u{other:04x}")),
        }
    }

    fn escaped(&mut self, escape: std::fmt::Arguments<'_>) {
        self.out
            .write_fmt(escape)
            .expect("memory can be written to");
    }

    /// Writes a boolean.
    #[inline]
    pub fn bool(&mut self, value: bool) -> &mut Self {
        self.raw(if value { "true" } else { "false" })
    }

    /// Writes `null`.
    #[inline]
    pub fn null(&mut self) -> &mut Self {
        self.raw("null")
    }

    /// Writes a count.
    #[inline]
    pub fn count(&mut self, count: usize) -> &mut Self {
        self.whole(count as u64)
    }

    /// Writes an unsigned integer.
    #[inline]
    pub(crate) fn whole(&mut self, number: u64) -> &mut Self {
        // Most are small indices of calls.
        if number < 10 {
            self.separate();
            self.out.push(b'0' + number as u8);
            return self;
        }
        self.raw(itoa::Buffer::new().format(number))
    }

    /// Writes an integer.
    #[inline]
    pub fn integer(&mut self, integer: i64) -> &mut Self {
        self.raw(itoa::Buffer::new().format(integer))
    }

    /// Writes a float with the fewest digits that parse back to it; `null` if it is not finite.
    #[inline]
    pub fn float(&mut self, float: f64) -> &mut Self {
        match float {
            // Most scores are 1.
            1.0 => self.raw("1.0"),
            _ if float.is_finite() => self.raw(zmij::Buffer::new().format_finite(float)),
            _ => self.null(),
        }
    }

    /// Writes a float as Python's `json` does, including `NaN`, `Infinity` and `-Infinity`.
    pub fn python_float(&mut self, float: f64) -> &mut Self {
        match float {
            _ if float.is_finite() => self.float(float),
            _ if float.is_nan() => self.raw("NaN"),
            f64::INFINITY => self.raw("Infinity"),
            _ => self.raw("-Infinity"),
        }
    }

    /// Writes text that is already JSON.
    #[inline]
    pub fn raw(&mut self, json: &str) -> &mut Self {
        self.separate();
        self.out.extend_from_slice(json.as_bytes());
        self
    }

    /// Writes a value. Python values that JSON lacks are written as the string of their `repr`.
    pub fn value(&mut self, value: &Value<'_>) -> &mut Self {
        self.value_with(value, &|writer, number| match number {
            Value::Integer(integer) => _ = writer.raw(&integer.to_digits()),
            number => _ = writer.float(number.as_f64().unwrap_or(f64::NAN)),
        })
    }

    /// Writes a value with floats as in Python's `json`; see [`python_float`](Self::python_float).
    pub fn python_value(&mut self, value: &Value<'_>) -> &mut Self {
        self.value_with(value, &|writer, number| match number {
            Value::Float(float) => _ = writer.python_float(*float),
            number => _ = writer.value(number),
        })
    }

    /// Writes a value as `JSON.stringify` would: numbers are f64.
    pub fn javascript_value(&mut self, value: &Value<'_>) -> &mut Self {
        self.value_with(value, &|writer, number| {
            writer.raw(&javascript::number_to_json(
                number.as_f64().unwrap_or(f64::NAN),
            ));
        })
    }

    fn value_with(
        &mut self,
        value: &Value<'_>,
        number: &dyn Fn(&mut Self, &Value<'_>),
    ) -> &mut Self {
        match value {
            Value::Null => self.null(),
            Value::Bool(it) => self.bool(*it),
            Value::Integer(_) | Value::Float(_) => {
                number(self, value);
                self
            }
            Value::String(text) => self.text(text),
            Value::List(items) => {
                self.begin_list();
                items
                    .iter()
                    .for_each(|item| _ = self.value_with(item, number));
                self.end_list()
            }
            Value::Object(object) => self.object_with(object, number),
            Value::Python(python) => match &**python {
                PythonValue::Tuple(items) | PythonValue::Set(items) => {
                    self.begin_list();
                    items
                        .iter()
                        .for_each(|item| _ = self.value_with(item, number));
                    self.end_list()
                }
                _ => self.text(&repr(value)),
            },
        }
    }

    fn object_with(
        &mut self,
        object: &Object<'_>,
        number: &dyn Fn(&mut Self, &Value<'_>),
    ) -> &mut Self {
        self.begin_object();
        for (key, value) in object {
            self.key_text(key).value_with(value, number);
        }
        self.end_object()
    }

    /// Writes a comma if the text so far ends with a value.
    #[inline]
    fn separate(&mut self) {
        if self.needs_comma() {
            self.out.push(b',');
        }
    }

    #[inline]
    fn needs_comma(&self) -> bool {
        !matches!(self.out.last(), None | Some(b'{' | b'[' | b':'))
    }
}

/// True for bytes that must be escaped in a string, and for the byte that starts a surrogate.
#[expect(
    clippy::needless_bitwise_bool,
    reason = "without branches, eight bytes are checked at once"
)]
fn is_special(byte: u8) -> bool {
    (byte < 0x20) | (byte == b'"') | (byte == b'\\') | (byte == 0xED)
}

#[cfg(test)]
mod tests;
