//! Removes secrets from the messages of a service.
//!
//! A service may repeat a key unchanged, escaped for JSON or a URL, or inside base64, as in a Basic
//! authorization header. All these forms are removed. In base64 the whole word is removed, since
//! the letters at its edges also encode parts of the neighboring bytes.

use std::cmp::Reverse;
use std::fmt::Write as _;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD_NO_PAD;

use crate::url::segment;

/// The secrets of a connection.
#[derive(Clone, Debug, Default)]
pub(crate) struct Secrets {
    /// The forms in which a secret may appear, the longest first.
    forms: Vec<String>,
    /// Parts of base64 words that contain a secret.
    in_base64: Vec<String>,
}

/// The minimum length of a base64 part, since shorter ones occur in many words.
const MIN_BASE64_LENGTH: usize = 6;

impl Secrets {
    pub(crate) fn add(&mut self, secret: &str) {
        if secret.is_empty() {
            return;
        }
        self.forms.extend(forms(secret));
        self.in_base64.extend(inside_base64(secret));
        self.forms
            .sort_by_key(|form| (Reverse(form.len()), form.clone()));
        self.forms.dedup();
    }

    /// The text without the secrets.
    pub(crate) fn redacted(&self, text: &str) -> String {
        let mut text = text.to_owned();
        for form in &self.forms {
            text = without(&text, form);
        }
        for part in &self.in_base64 {
            text = without_word(text, part);
        }
        text
    }
}

/// A secret unchanged, in JSON, and in a URL.
fn forms(secret: &str) -> Vec<String> {
    let json = |text: &str| {
        let quoted = serde_json::Value::from(text).to_string();
        quoted[1..quoted.len() - 1].to_owned()
    };
    let once = json(secret);
    let slashes = once.replace('/', "\\/");
    let ascii = once.chars().fold(String::new(), |mut out, letter| {
        if letter.is_ascii() {
            out.push(letter);
        } else {
            for unit in letter.encode_utf16(&mut [0; 2]) {
                _ = write!(out, "\\u{unit:04x}");
            }
        }
        out
    });
    let form = form_urlencoded::byte_serialize(secret.as_bytes()).collect();
    let html = secret.replace('&', "&amp;").replace('<', "&lt;");
    let html = html.replace('>', "&gt;").replace('"', "&quot;");
    vec![
        secret.to_owned(),
        json(&once),
        once,
        slashes,
        ascii,
        segment(secret),
        segment(&segment(secret)),
        form,
        encode_uri_component(secret),
        html,
    ]
}

/// Encodes a URL component as JavaScript does.
fn encode_uri_component(text: &str) -> String {
    let mut out = segment(text);
    for (plain, escaped) in [
        ("!", "%21"),
        ("'", "%27"),
        ("(", "%28"),
        (")", "%29"),
        ("*", "%2A"),
    ] {
        out = out.replace(escaped, plain);
    }
    out
}

/// The base64 letters of a secret for each of the three alignments, without the letters that depend on neighboring bytes; in both
/// alphabets, and as URLs and JSON escape them.
fn inside_base64(secret: &str) -> Vec<String> {
    let mut parts = Vec::new();
    for before in 0..3 {
        let bytes = [&[0; 3][..before], secret.as_bytes()].concat();
        let encoded = STANDARD_NO_PAD.encode(&bytes);
        let (start, end) = ((before * 8).div_ceil(6), bytes.len() * 8 / 6);
        if end >= start + MIN_BASE64_LENGTH {
            let part = &encoded[start..end];
            parts.extend(
                [
                    ("+", "/"),
                    ("-", "_"),
                    ("%2B", "%2F"),
                    ("%2b", "%2f"),
                    ("+", "\\/"),
                ]
                .map(|(plus, slash)| part.replace('+', plus).replace('/', slash)),
            );
        }
    }
    parts
}

/// Removes a form of a secret, ignoring case, since hex digits in URLs and names in headers occur
/// in both.
fn without(text: &str, form: &str) -> String {
    let lower = |text: &str| text.to_ascii_lowercase();
    let (in_text, wanted) = (lower(text), lower(form));
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for (start, _) in in_text.match_indices(&wanted) {
        out.push_str(&text[at..start]);
        out.push('…');
        at = start + wanted.len();
    }
    out.push_str(&text[at..]);
    out
}

/// Removes the base64 words that contain this part.
fn without_word(mut text: String, part: &str) -> String {
    let is_of_word = |letter: char| letter.is_ascii_alphanumeric() || "+/-_=%\\".contains(letter);
    while let Some(found) = text.find(part) {
        let start = text[..found]
            .rfind(|letter| !is_of_word(letter))
            .map_or(0, |at| {
                at + text[at..].chars().next().map_or(0, char::len_utf8)
            });
        let behind = found + part.len();
        let end = text[behind..]
            .find(|letter| !is_of_word(letter))
            .map_or(text.len(), |at| behind + at);
        text.replace_range(start..end, "…");
    }
    text
}

#[cfg(test)]
mod tests {
    use base64::engine::general_purpose::{STANDARD, URL_SAFE, URL_SAFE_NO_PAD};

    use super::*;

    const SECRET: &str = "sk-lf-1/2+3 \"ü\"&?";

    fn redacted(secret: &str, text: &str) -> String {
        let mut secrets = Secrets::default();
        secrets.add(secret);
        secrets.redacted(text)
    }

    #[test]
    fn secrets_are_removed_in_each_form() {
        let json = serde_json::Value::from(SECRET).to_string();
        let json = &json[1..json.len() - 1];
        let nested = serde_json::Value::from(json).to_string();
        for said in [
            SECRET.to_owned(),
            SECRET.to_uppercase().replace('Ü', "ü"),
            json.to_owned(),
            json.replace('/', "\\/"),
            json.replace('ü', "\\u00fc"),
            json.replace('ü', "\\u00FC"),
            nested[1..nested.len() - 1].to_owned(),
            segment(SECRET),
            segment(SECRET).to_lowercase(),
            segment(&segment(SECRET)),
            form_urlencoded::byte_serialize(SECRET.as_bytes()).collect(),
            "sk-lf-1/2+3 &quot;ü&quot;&amp;?".to_owned(),
        ] {
            let text = format!("the key {said} is wrong");
            assert_eq!(redacted(SECRET, &text), "the key … is wrong", "{text}");
        }
    }

    #[test]
    fn secrets_are_removed_from_base64_at_any_offset() {
        for before in ["", "a", "ab", "pk-lf-public:", "Bearer "] {
            for behind in ["", "x", "\n"] {
                let inside = format!("{before}{SECRET}{behind}");
                for said in [
                    STANDARD.encode(&inside),
                    STANDARD_NO_PAD.encode(&inside),
                    URL_SAFE.encode(&inside),
                    URL_SAFE_NO_PAD.encode(&inside),
                    segment(&STANDARD.encode(&inside)),
                    STANDARD.encode(&inside).replace('/', "\\/"),
                ] {
                    let text = format!("got \"Basic {said}\", and no more");
                    let wanted = "got \"Basic …\", and no more";
                    assert_eq!(redacted(SECRET, &text), wanted, "{inside}");
                }
            }
        }
    }

    #[test]
    fn other_words_are_kept() {
        let text = "no project `support` for the key pk-lf-public, é: YWJjZGVmZ2hp";
        assert_eq!(redacted(SECRET, text), text);
        assert_eq!(redacted("", text), text);
        assert_eq!(redacted("ab", "ab é abc"), "… é …c");
    }
}
