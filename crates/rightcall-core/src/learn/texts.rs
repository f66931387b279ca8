//! The common form of texts: a date, a time, a UUID, or an id with a prefix.

use std::sync::LazyLock;

use regex::Regex;

use crate::value::Value;

/// Maximum length of a text that counts as a word, not prose.
const SHORT: usize = 40;

/// Known forms.
const FORMS: [&str; 3] = [
    r"^\d{4}-\d{2}-\d{2}$",
    r"^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d+)?)?(Z|[+-]\d{2}:?\d{2})?$",
    r"^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$",
];

/// The facts about the texts at one location.
#[derive(Debug, Default)]
pub(super) enum SurveyedTexts {
    /// No value so far.
    #[default]
    Nothing,
    /// All values are texts.
    Known {
        /// True if any is longer than a word.
        is_long: bool,
        /// For each known form, whether all have it.
        has_form: [bool; FORMS.len()],
        ids: SurveyedIds,
    },
    /// True if a value is not a text.
    NotTexts,
}

/// Facts about texts that show whether they are ids with a common prefix. Lengths and positions are in bytes.
#[derive(Debug)]
pub(super) struct SurveyedIds {
    /// The common prefix of all texts.
    shared: Vec<u8>,
    /// The length of the shortest text.
    shortest: usize,
    /// The position from which all texts have only ASCII letters and digits.
    plain_from: usize,
    /// The position from which all texts have only digits.
    digits_from: usize,
    /// No text has its last digit before this position; `None` if one has no digit.
    last_digit: Option<usize>,
}

impl SurveyedTexts {
    pub(super) fn add(&mut self, value: &Value<'_>) {
        let text = match value {
            Value::String(text) => text.as_str(),
            _ => None,
        };
        match (&mut *self, text) {
            (_, None) | (Self::NotTexts, _) => *self = Self::NotTexts,
            (Self::Nothing, Some(text)) => {
                *self = Self::Known {
                    is_long: is_long(text),
                    has_form: std::array::from_fn(|form| has_form(form, text)),
                    ids: SurveyedIds::new(text),
                }
            }
            (
                Self::Known {
                    is_long: any_is_long,
                    has_form: all_have_form,
                    ids,
                },
                Some(text),
            ) => {
                *any_is_long = *any_is_long || is_long(text);
                for (form, all_have) in all_have_form.iter_mut().enumerate() {
                    *all_have = *all_have && has_form(form, text);
                }
                ids.add(text);
            }
        }
    }

    /// True if all values are texts and one is longer than a word.
    pub(super) fn are_prose(&self) -> bool {
        matches!(self, Self::Known { is_long: true, .. })
    }

    /// The common form of all values, as a regular expression.
    pub(super) fn form(&self) -> Option<String> {
        let Self::Known { has_form, ids, .. } = self else {
            return None;
        };
        let known = has_form.iter().position(|has_form| *has_form);
        known.map_or_else(|| ids.form(), |form| Some(FORMS[form].to_owned()))
    }
}

fn is_long(text: &str) -> bool {
    text.chars().count() > SHORT
}

fn has_form(form: usize, text: &str) -> bool {
    static READ: LazyLock<[Option<Regex>; FORMS.len()]> =
        LazyLock::new(|| FORMS.map(|form| Regex::new(form).ok()));
    READ[form].as_ref().is_some_and(|form| form.is_match(text))
}

impl SurveyedIds {
    fn new(text: &str) -> Self {
        let bytes = text.as_bytes();
        Self {
            shared: bytes.to_vec(),
            shortest: bytes.len(),
            plain_from: after_last(bytes, |byte| !byte.is_ascii_alphanumeric()),
            digits_from: after_last(bytes, |byte| !byte.is_ascii_digit()),
            last_digit: bytes.iter().rposition(u8::is_ascii_digit),
        }
    }

    fn add(&mut self, text: &str) {
        // Without a common prefix, no form can be learned.
        if self.shared.is_empty() {
            return;
        }
        let bytes = text.as_bytes();
        let pairs = self.shared.iter().zip(bytes);
        let same = pairs.take_while(|(one, other)| one == other).count();
        self.shared.truncate(same);
        self.shortest = self.shortest.min(bytes.len());
        let plain_from = after_last(bytes, |byte| !byte.is_ascii_alphanumeric());
        self.plain_from = self.plain_from.max(plain_from);
        let digits_from = after_last(bytes, |byte| !byte.is_ascii_digit());
        self.digits_from = self.digits_from.max(digits_from);
        let digits = self
            .last_digit
            .zip(bytes.iter().rposition(u8::is_ascii_digit));
        self.last_digit = digits.map(|(one, other)| one.min(other));
    }

    /// The form of ids such as `ord_17` and `#W12`: a common prefix, then digits, or letters and digits.
    fn form(&self) -> Option<String> {
        let shared = str::from_utf8(&self.shared).ok()?;
        let prefix = match shared.rfind(|it: char| !it.is_ascii_alphanumeric()) {
            // Letters after a separator may be part of the id.
            Some(at) => shared.get(..=at)?,
            None => shared.trim_end_matches(|it: char| it.is_ascii_digit()),
        };
        let length = prefix.len();
        let has_digits = self.last_digit.is_some_and(|last| last >= length);
        let class = if self.digits_from <= length {
            "[0-9]+"
        } else if self.plain_from <= length && has_digits {
            "[0-9A-Za-z]+"
        } else {
            return None;
        };
        let is_id = !prefix.is_empty() && self.shortest > length;
        is_id.then(|| format!("^{}{class}$", regex::escape(prefix)))
    }
}

/// The position after the last of these bytes; 0 if there is none.
fn after_last(bytes: &[u8], is_one: fn(&u8) -> bool) -> usize {
    bytes.iter().rposition(is_one).map_or(0, |last| last + 1)
}
