//! Arguments from the values of another language.

use std::ops::Range;

use crate::value::{Fingerprint, JsonWriter, Plain, PlainFingerprint, PlainKey};

/// Writes the arguments of a call as a JSON object, member by member, and looks at them on the way as a reader of the text would.
///
/// ```
/// use rightcall::call::{Arguments, ArgumentsWriter};
/// use rightcall::value::JsonWriter;
///
/// let mut json = JsonWriter::new();
/// let mut writer = ArgumentsWriter::new(&mut json);
/// writer.key("order_id");
/// writer.string("A-1");
/// writer.key("copies");
/// writer.integer(2);
/// let written = writer.finish();
/// let text = json.finish();
/// assert_eq!(text.as_str(), r#"{"order_id":"A-1","copies":2}"#);
/// let arguments = Arguments::written(text.as_str(), written);
/// # assert!(!arguments.is_absent());
/// ```
#[derive(Debug)]
pub struct ArgumentsWriter<'w> {
    json: &'w mut JsonWriter,
    key: PlainKey,
    fingerprint: PlainFingerprint,
}

/// A key that an [`ArgumentsWriter`] wrote, to be written again into the same text.
#[derive(Clone, Debug)]
pub struct WrittenKey {
    place: Range<usize>,
    key: PlainKey,
}

/// What was seen of arguments while they were written.
#[derive(Clone, Copy, Debug)]
pub struct WrittenArguments {
    pub(super) fingerprint: Option<Fingerprint>,
}

impl<'w> ArgumentsWriter<'w> {
    /// Begins the object.
    pub fn new(json: &'w mut JsonWriter) -> Self {
        json.begin_object();
        Self {
            json,
            key: PlainKey::new(b""),
            fingerprint: PlainFingerprint::default(),
        }
    }

    /// Names the value that is written next.
    pub fn key(&mut self, key: &str) -> WrittenKey {
        let start = self.json.next_start();
        self.json.key(key);
        self.key = PlainKey::new(key.as_bytes());
        WrittenKey {
            place: start..self.json.len(),
            key: self.key,
        }
    }

    /// Names the value that is written next as one before it, here or in arguments that stand before these in the text.
    pub fn key_again(&mut self, key: &WrittenKey) {
        self.json.key_again(key.place.clone());
        self.key = key.key;
    }

    /// Writes a string.
    pub fn string(&mut self, value: &str) {
        self.json.str(value);
        self.fingerprint(Plain::String(value.as_bytes()));
    }

    /// Writes an integer.
    pub fn integer(&mut self, value: i64) {
        self.json.integer(value);
        self.fingerprint(Plain::Number(value as f64));
    }

    /// Writes a float, also one that only Python's JSON can hold: `NaN`, `Infinity` and `-Infinity`.
    pub fn float(&mut self, value: f64) {
        self.json.python_float(value);
        if value.is_nan() {
            self.fingerprint.spoil();
        } else {
            self.fingerprint(Plain::Number(value));
        }
    }

    /// Writes a boolean.
    pub fn bool(&mut self, value: bool) {
        self.json.bool(value);
        self.fingerprint(Plain::Number(f64::from(u8::from(value))));
    }

    /// Writes a null.
    pub fn null(&mut self) {
        self.json.null();
        self.fingerprint(Plain::Null);
    }

    fn fingerprint(&mut self, value: Plain<'_>) {
        self.fingerprint.add_member(self.key, value);
    }

    /// For a value of any kind, or for members with their keys.
    pub fn any(&mut self) -> &mut JsonWriter {
        self.fingerprint.spoil();
        self.json
    }

    /// Ends the object.
    pub fn finish(self) -> WrittenArguments {
        self.json.end_object();
        WrittenArguments {
            fingerprint: self.fingerprint.finish(),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;
    use crate::value::{Fingerprinter, Syntax, Text, Value, ValueEquality, decode_with};

    #[derive(Clone, Debug)]
    enum Member {
        String(String),
        Integer(i64),
        Float(f64),
        Bool(bool),
        Null,
        List,
    }

    fn member() -> impl Strategy<Value = Member> {
        prop_oneof![
            "[a-z\"\\\\\u{1}é]{0,20}".prop_map(Member::String),
            any::<i64>().prop_map(Member::Integer),
            any::<f64>().prop_map(Member::Float),
            any::<bool>().prop_map(Member::Bool),
            Just(Member::Null),
            Just(Member::List),
        ]
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn what_is_written_has_the_fingerprint_of_its_text(members in prop::collection::vec(("[a-c\"]{1,3}|__proto__", member()), 0..10)) {
            let mut json = JsonWriter::new();
            let mut writer = ArgumentsWriter::new(&mut json);
            let mut keys = HashMap::new();
            for (key, member) in &members {
                match keys.get(key) {
                    Some(written) => writer.key_again(written),
                    None => _ = keys.insert(key, writer.key(key)),
                }
                match member {
                    Member::String(text) => writer.string(text),
                    Member::Integer(integer) => writer.integer(*integer),
                    Member::Float(float) => writer.float(*float),
                    Member::Bool(bool) => writer.bool(*bool),
                    Member::Null => writer.null(),
                    Member::List => _ = writer.any().begin_list().end_list(),
                }
            }
            let written = writer.finish();
            let text = json.finish();
            let decoded = decode_with(text.as_str(), Syntax::PYTHON).unwrap();
            let Value::Object(object) = decoded else { return Err(TestCaseError::fail("no object")) };
            prop_assert!(members.iter().all(|(key, _)| object.get(&Text::new(key)).is_some()), "{}", text);
            let mut fingerprinter = Fingerprinter::new(ValueEquality::Python);
            let fingerprint = fingerprinter.of_text(text.as_str());
            prop_assert!(written.fingerprint.is_none_or(|written| written == fingerprint && !fingerprinter.saw_nan), "{}", text);
        }
    }

    #[test]
    fn plain_members_have_a_fingerprint() {
        let mut json = JsonWriter::new();
        let mut writer = ArgumentsWriter::new(&mut json);
        writer.key("a");
        writer.string("x");
        writer.key("b");
        writer.float(f64::NEG_INFINITY);
        let written = writer.finish();
        assert_eq!(json.finish().as_str(), r#"{"a":"x","b":-Infinity}"#);
        assert!(written.fingerprint.is_some());
    }
}
