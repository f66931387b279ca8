//! Keys that identify the same case across trials, models and runs.

use rightcall_core::value::{Kind, Reader, Syntax, Value, decode_with};
use rightcall_stats::MissingKeys;

/// How to identify the same case in two runs.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum CaseKey {
    /// By id, without path segments that equal the meta value `model` and without a last segment
    /// that equals the trial: `retail/gpt-4o/17/0` is the case `retail/17`.
    #[default]
    Id,
    /// By these meta values.
    Meta(Vec<String>),
}

impl CaseKey {
    /// Parses `id` or a comma-separated list of meta keys.
    pub fn parse(text: &str) -> Option<Self> {
        if text.trim() == "id" {
            return Some(Self::Id);
        }
        let keys: Vec<_> = text.split(',').map(|key| key.trim().to_owned()).collect();
        keys.iter()
            .all(|key| !key.is_empty())
            .then_some(Self::Meta(keys))
    }

    /// The key of a case. `trial` and `meta` are JSON texts. `None` if a meta value is missing.
    pub fn of(&self, label: &str, trial: Option<&str>, meta: Option<&str>) -> Option<String> {
        match self {
            Self::Id => Some(of_id(label, trial, meta)),
            Self::Meta(keys) => {
                let values: Option<Vec<_>> = keys.iter().map(|key| meta_text(meta?, key)).collect();
                Some(values?.join(", "))
            }
        }
    }
}

impl CaseKey {
    /// The missing meta keys of a case and its existing ones; `None` if none is missing. `meta` is
    /// a JSON text.
    pub fn missing(&self, meta: Option<&str>) -> Option<MissingKeys> {
        let Self::Meta(keys) = self else { return None };
        let lacks = |key: &&String| meta.and_then(|meta| meta_text(meta, key)).is_none();
        let missing: Vec<String> = keys.iter().filter(lacks).cloned().collect();
        (!missing.is_empty()).then(|| MissingKeys {
            missing,
            present: meta.and_then(meta_keys).unwrap_or_default(),
        })
    }
}

/// The keys of an object.
fn meta_keys(meta: &str) -> Option<Vec<String>> {
    let mut reader = Reader::new(meta, Syntax::PYTHON);
    let mut first = reader.enter_object().ok()?;
    let mut keys = Vec::new();
    while let Some(key) = reader.next_key(&mut first).ok()? {
        keys.push(key.to_display().into_owned());
        reader.raw().ok()?;
    }
    Some(keys)
}

/// The id without model and trial.
pub(crate) fn of_id(label: &str, trial: Option<&str>, meta: Option<&str>) -> String {
    if !label.contains('/') {
        return label.to_owned();
    }
    let mut parts: Vec<&str> = label.split('/').collect();
    let trial = trial.map(plain);
    if parts.len() > 1 && trial.is_some_and(|trial| parts.last() == Some(&trial.as_str())) {
        parts.pop();
    }
    if let Some(model) = meta.and_then(|meta| meta_text(meta, "model"))
        && parts.len() > 1
    {
        let others: Vec<&str> = parts
            .iter()
            .copied()
            .filter(|part| *part != model)
            .collect();
        parts = if others.is_empty() { parts } else { others };
    }
    parts.join("/")
}

/// The content of a JSON string; any other JSON text unchanged.
pub(crate) fn plain(json: &str) -> String {
    let mut reader = Reader::new(json, Syntax::PYTHON);
    match reader.peek() {
        Ok(Kind::String) => reader
            .string()
            .map_or_else(|_| json.to_owned(), |text| text.to_display().into_owned()),
        _ => json.to_owned(),
    }
}

pub(crate) fn meta_text(meta: &str, key: &str) -> Option<String> {
    json_in_meta(meta, key).map(plain)
}

/// A meta value as JSON text.
pub(crate) fn json_in_meta<'a>(meta: &'a str, wanted: &str) -> Option<&'a str> {
    let mut reader = Reader::new(meta, Syntax::PYTHON);
    let mut first = reader.enter_object().ok()?;
    while let Some(key) = reader.next_key(&mut first).ok()? {
        let json = reader.raw().ok()?;
        if key == wanted {
            return Some(json);
        }
    }
    None
}

/// A meta value as a number. Accepts numbers, texts of a number, `true` and `false`. A path such as
/// `info/reward` leads into objects.
pub fn meta_number(meta: &str, path: &str) -> Option<f64> {
    let mut found = meta;
    match json_in_meta(meta, path) {
        Some(value) => found = value,
        None => {
            for step in path.split('/') {
                found = json_in_meta(found, step)?;
            }
        }
    }
    match decode_with(found, Syntax::PYTHON).ok()? {
        Value::Bool(yes) => Some(f64::from(u8::from(yes))),
        Value::String(text) => {
            let number = text.to_display().trim().parse().ok();
            number.filter(|number: &f64| number.is_finite())
        }
        value => value.as_f64().filter(|number| number.is_finite()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn case_key_excludes_model_and_trial() {
        let of = |label: &str, trial: Option<&str>, meta: Option<&str>| {
            CaseKey::Id.of(label, trial, meta).unwrap()
        };
        let meta = Some(r#"{"model":"gpt-4o","domain":"retail","n":2}"#);
        assert_eq!(of("retail/gpt-4o/17/0", Some("0"), meta), "retail/17");
        assert_eq!(of("retail/gpt-4o/17/0", None, meta), "retail/17/0");
        assert_eq!(
            of("retail/gpt-4o/17/0", Some("\"0\""), None),
            "retail/gpt-4o/17"
        );
        assert_eq!(of("gpt-4o", None, meta), "gpt-4o");
        assert_eq!(of("gpt-4o/gpt-4o", None, meta), "gpt-4o/gpt-4o");
        assert_eq!(of("3", Some("3"), None), "3");
        let by = CaseKey::parse("domain, n").unwrap();
        assert_eq!(
            (by.of("x", None, meta), by.of("x", None, None)),
            (Some("retail, 2".into()), None)
        );
        let lacks = |keys: &str, meta| CaseKey::parse(keys).unwrap().missing(meta);
        assert_eq!(lacks("domain,n", meta), None);
        assert_eq!(lacks("id", None), None);
        let missing = lacks("domain,task", meta).unwrap();
        assert_eq!(missing.missing, ["task"]);
        assert_eq!(missing.present, ["model", "domain", "n"]);
        assert_eq!(lacks("domain", None).unwrap().present, [""; 0]);
        assert_eq!(
            (CaseKey::parse("id"), CaseKey::parse("a,")),
            (Some(CaseKey::Id), None)
        );
    }

    #[test]
    fn numbers_in_objects_are_found() {
        let meta =
            r#"{"reward":0.5,"ok":true,"info":{"reward":1},"text":"1.0","word":"one","a/b":2}"#;
        let of = |path| meta_number(meta, path);
        assert_eq!(
            (of("reward"), of("ok"), of("info/reward"), of("a/b")),
            (Some(0.5), Some(1.0), Some(1.0), Some(2.0))
        );
        assert_eq!(of("text"), Some(1.0));
        assert_eq!(
            (of("word"), of("none"), of("info/none")),
            (None, None, None)
        );
    }
}
