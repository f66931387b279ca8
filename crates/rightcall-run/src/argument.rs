//! The grammar of `-e`: `EVALUATOR[,key=value…]`, or a JSON object as in a suite.
//!
//! The first `=` ends the key. A value is JSON if it parses as JSON, otherwise text; commas inside
//! brackets or double quotes belong to it. A text setting takes the value unparsed (`name=7` is the
//! text `7`), without double quotes around the whole value. A dot descends into a setting only if
//! the setting is an object with documented settings.

use std::fmt::Write as _;

use rightcall_core::value::{
    JsonText, JsonWriter, Kind, Reader, Syntax, SyntaxError, Value, decode_with,
};
use rightcall_core::{ConfigError, Edition, Setting, SettingKind, find};

use rightcall_core::folded;

/// A requested evaluator: its id, the user's name for it, and its settings as a JSON object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EvaluatorArgument {
    /// Id or alias.
    pub id: String,
    /// The user's name for it.
    pub name: Option<String>,
    /// All other keys, a JSON object.
    pub settings: String,
}

/// Why an argument of `-e` is invalid.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ArgumentError {
    /// The evaluator or its settings are invalid.
    #[error(transparent)]
    Config(#[from] ConfigError),
    /// A part without `=`.
    #[error("`{0}` has no value: write `{0}=VALUE`")]
    NoValue(String),
    /// The same key twice.
    #[error("`{0}` is given twice")]
    Twice(String),
    /// A bracket or quote that is not closed.
    #[error("`{0}` is opened and never closed")]
    Unclosed(char),
    /// An object that is not JSON.
    #[error("not a JSON object: {0}")]
    Syntax(#[from] SyntaxError),
    /// A member of the object that has the wrong type.
    #[error("`{key}` takes a text, found {found}")]
    NotText {
        /// The key.
        key: String,
        /// The type found.
        found: &'static str,
    },
    /// An object without evaluator.
    #[error("`evaluator` is missing")]
    NoEvaluator,
}

impl EvaluatorArgument {
    /// Reads the argument of `-e`.
    ///
    /// # Errors
    /// A missing evaluator, a duplicate or malformed part, or settings that the evaluator rejects.
    pub fn parse(text: &str) -> Result<Self, ArgumentError> {
        if text.trim_start().starts_with('{') {
            Self::from_object(text)
        } else {
            Self::from_list(text)
        }
    }

    fn from_object(text: &str) -> Result<Self, ArgumentError> {
        let mut reader = Reader::new(text, Syntax::PYTHON);
        let mut first = reader.enter_object()?;
        let mut fields = SettingFields::default();
        while let Some(key) = reader.next_key(&mut first)? {
            let key = key.to_display().into_owned();
            if matches!(key.as_str(), "evaluator" | "name") {
                let found = reader.peek()?;
                if found != Kind::String {
                    return Err(ArgumentError::NotText {
                        key,
                        found: kind_name(found),
                    });
                }
            }
            fields.add(&key, None, reader.raw()?.to_owned())?;
        }
        reader.end()?;
        fields.into_argument()
    }

    fn from_list(text: &str) -> Result<Self, ArgumentError> {
        let mut parts = split_at_commas(text)?.into_iter();
        let id = parts.next().unwrap_or_default().trim();
        let entry = find(id)?;
        let mut fields = SettingFields::default();
        fields.add("evaluator", None, json_text(id))?;
        for part in parts {
            let (key, value) = part
                .split_once('=')
                .ok_or_else(|| ArgumentError::NoValue(part.trim().to_owned()))?;
            let (key, value) = (key.trim(), value.trim());
            if let Some((outer, inner, table)) = descend(key, entry.settings) {
                fields.add(outer, Some(inner), json_value(value, setting(table, inner)))?;
            } else if matches!(key, "name" | "edition") {
                fields.add(key, None, text_value(value))?;
            } else {
                fields.add(key, None, json_value(value, setting(entry.settings, key)))?;
            }
        }
        fields.into_argument()
    }

    /// The argument of `-e` that selects the same evaluator.
    pub(crate) fn to_argument(&self, id: &str) -> String {
        let members = self.members();
        let plain = |value: &Value<'_>| match value {
            Value::String(text) => {
                let text = text.to_display();
                let safe = !text.is_empty()
                    && text.chars().all(|it| {
                        it.is_alphanumeric() || matches!(it, '-' | '_' | '/' | ' ' | '.')
                    });
                // Text that parses as JSON would become a number or a boolean.
                (safe && decode_with(&text, Syntax::PYTHON).is_err()).then(|| text.into_owned())
            }
            Value::Bool(_) | Value::Integer(_) | Value::Float(_) => {
                Some(JsonText::from_value(value).into_string())
            }
            _ => None,
        };
        let mut argument = id.to_owned();
        for (key, value) in self
            .name
            .as_deref()
            .map(|name| ("name".to_owned(), Value::from(name)))
            .into_iter()
            .chain(members)
        {
            let value = plain(&value).unwrap_or_else(|| JsonText::from_value(&value).into_string());
            _ = write!(argument, ",{key}={value}");
        }
        argument
    }

    /// True if the settings name an edition.
    pub(crate) fn names_edition(&self) -> bool {
        self.members().iter().any(|(key, _)| key == "edition")
    }

    /// The same argument with this edition.
    pub(crate) fn with_edition(&self, edition: Edition) -> Self {
        let mut writer = JsonWriter::new();
        writer.begin_object();
        for (key, value) in self.members() {
            if key != "edition" {
                writer.key(&key).value(&value);
            }
        }
        writer.key("edition").str(edition.as_str());
        writer.end_object();
        Self {
            settings: writer.finish().into_string(),
            ..self.clone()
        }
    }

    fn members(&self) -> Vec<(String, Value<'_>)> {
        members(&self.settings)
    }

    /// The settings, and the settings of another JSON object that are missing in them.
    pub(crate) fn settings_over(&self, defaults: &str) -> String {
        let mut all = self.members();
        for (key, value) in members(defaults) {
            if !all.iter().any(|(given, _)| folded(given) == folded(&key)) {
                all.push((key, value));
            }
        }
        let mut writer = JsonWriter::new();
        writer.begin_object();
        for (key, value) in &all {
            writer.key(key).value(value);
        }
        writer.end_object();
        writer.finish().into_string()
    }
}

/// The members of a JSON object.
fn members(object: &str) -> Vec<(String, Value<'_>)> {
    match decode_with(object, Syntax::PYTHON) {
        Ok(Value::Object(object)) => object
            .iter()
            .map(|(key, value)| (key.to_display().into_owned(), value.clone()))
            .collect(),
        _ => Vec::new(),
    }
}

/// Keys with JSON texts. The fields of nested objects are separate until the end.
#[derive(Default)]
pub(crate) struct SettingFields(Vec<(String, SettingField)>);

enum SettingField {
    Whole(String),
    Parts(Vec<(String, String)>),
}

impl SettingFields {
    /// Adds `key` or `key.inner`.
    pub(crate) fn add(
        &mut self,
        key: &str,
        inner: Option<&str>,
        json: String,
    ) -> Result<(), ArgumentError> {
        let same = self
            .0
            .iter_mut()
            .find(|(name, _)| folded(name) == folded(key));
        match (same, inner) {
            (None, None) => self.0.push((key.to_owned(), SettingField::Whole(json))),
            (None, Some(inner)) => self.0.push((
                key.to_owned(),
                SettingField::Parts(vec![(inner.to_owned(), json)]),
            )),
            (Some((_, SettingField::Parts(parts))), Some(inner))
                if parts.iter().all(|(name, _)| folded(name) != folded(inner)) =>
            {
                parts.push((inner.to_owned(), json));
            }
            (Some(_), Some(inner)) => return Err(ArgumentError::Twice(format!("{key}.{inner}"))),
            (Some(_), None) => return Err(ArgumentError::Twice(key.to_owned())),
        }
        Ok(())
    }

    /// Removes `evaluator` and `name`; all other fields are settings.
    pub(crate) fn into_argument(self) -> Result<EvaluatorArgument, ArgumentError> {
        let (mut id, mut name) = (None, None);
        let mut settings = JsonWriter::new();
        settings.begin_object();
        for (key, field) in self.0 {
            match (key.as_str(), field) {
                ("evaluator", SettingField::Whole(json)) => id = text_of(&json),
                ("name", SettingField::Whole(json)) => name = text_of(&json),
                (_, SettingField::Whole(json)) => _ = settings.key(&key).raw(&json),
                (_, SettingField::Parts(parts)) => {
                    settings.key(&key).begin_object();
                    for (inner, json) in parts {
                        settings.key(&inner).raw(&json);
                    }
                    settings.end_object();
                }
            }
        }
        settings.end_object();
        let id = id.ok_or(ArgumentError::NoEvaluator)?;
        Ok(EvaluatorArgument {
            id,
            name,
            settings: settings.finish().as_str().to_owned(),
        })
    }
}

/// Splits at commas outside brackets and double quotes.
fn split_at_commas(text: &str) -> Result<Vec<&str>, ArgumentError> {
    let (mut parts, mut start, mut open) = (Vec::new(), 0, Vec::new());
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        match (character, open.last()) {
            ('\\', Some('"')) => _ = characters.next(),
            ('"', Some('"')) | (']', Some('[')) | ('}', Some('{')) => _ = open.pop(),
            (_, Some('"')) => {}
            ('"' | '[' | '{', _) => open.push(character),
            (',', None) => {
                parts.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
    }
    if let Some(&bracket) = open.last() {
        return Err(ArgumentError::Unclosed(bracket));
    }
    parts.push(&text[start..]);
    Ok(parts)
}

/// Splits `weights.exact` into `weights`, `exact` and the settings of `weights`, if that is an object with documented settings.
fn descend<'k>(
    key: &'k str,
    table: &'static [Setting],
) -> Option<(&'k str, &'k str, &'static [Setting])> {
    let (outer, inner) = key.split_once('.')?;
    match setting(table, outer)?.kind {
        SettingKind::Object(settings) => Some((outer, inner, settings)),
        _ => None,
    }
}

fn setting(table: &'static [Setting], key: &str) -> Option<&'static Setting> {
    table
        .iter()
        .find(|setting| folded(setting.name) == folded(key))
}

fn json_value(value: &str, setting: Option<&Setting>) -> String {
    match setting.map(|setting| setting.kind) {
        Some(SettingKind::Text | SettingKind::Choice(_)) => text_value(value),
        _ if decode_with(value, Syntax::PYTHON).is_ok() => value.to_owned(),
        _ => json_text(value),
    }
}

/// The value of a text setting, without double quotes around it.
fn text_value(value: &str) -> String {
    match decode_with(value, Syntax::PYTHON) {
        Ok(Value::String(_)) => value.to_owned(),
        _ => json_text(value),
    }
}

fn json_text(text: &str) -> String {
    JsonText::from_value(&Value::from(text)).into_string()
}

fn text_of(json: &str) -> Option<String> {
    let value = decode_with(json, Syntax::PYTHON).ok()?;
    value.as_text().map(|text| text.to_display().into_owned())
}

fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Null => "null",
        Kind::Bool => "a boolean",
        Kind::Number => "a number",
        Kind::String => "a text",
        Kind::List => "a list",
        Kind::Object => "an object",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn settings(text: &str) -> String {
        EvaluatorArgument::parse(text).unwrap().settings
    }

    fn error(text: &str) -> String {
        EvaluatorArgument::parse(text).unwrap_err().to_string()
    }

    #[test]
    fn an_id_alone_has_no_settings() {
        let argument = EvaluatorArgument::parse("uipath/tool-call-order").unwrap();
        assert_eq!(
            (
                argument.id.as_str(),
                argument.name,
                argument.settings.as_str()
            ),
            ("uipath/tool-call-order", None, "{}")
        );
    }

    #[test]
    fn values_are_json_where_they_parse_as_json_else_text() {
        let all = "axion/tool-correctness,check_parameters=true,threshold=0.8,edition=package,unheard=of,list=[1,2],text=\"a,b\"";
        assert_eq!(
            settings(all),
            r#"{"check_parameters":true,"threshold":0.8,"edition":"package","unheard":"of","list":[1,2],"text":"a,b"}"#
        );
    }

    #[test]
    fn the_first_equals_sign_ends_the_key() {
        assert_eq!(settings("axion/tool-correctness,x=a=b"), r#"{"x":"a=b"}"#);
        assert_eq!(settings("axion/tool-correctness,x="), r#"{"x":""}"#);
    }

    #[test]
    fn text_setting_takes_the_value_unchanged() {
        assert_eq!(
            settings("axion/tool-correctness,parameterMatchingStrategy=true"),
            r#"{"parameterMatchingStrategy":"true"}"#
        );
        let named = EvaluatorArgument::parse("axion/tool-correctness,name=7").unwrap();
        assert_eq!(named.name.as_deref(), Some("7"));
        let quoted =
            EvaluatorArgument::parse(r#"axion/tool-correctness,name="calls, any order""#).unwrap();
        assert_eq!(quoted.name.as_deref(), Some("calls, any order"));
    }

    #[test]
    fn a_dot_descends_only_into_a_documented_object() {
        assert_eq!(
            settings("evalite/tool-call-accuracy,weights.nameOnly=0.25"),
            r#"{"weights":{"nameOnly":0.25}}"#
        );
        assert_eq!(
            settings("evalite/tool-call-accuracy,weights.nameOnly=NaN"),
            r#"{"weights":{"nameOnly":NaN}}"#
        );
        assert_eq!(
            settings("evalite/tool-call-accuracy,mode.x=1"),
            r#"{"mode.x":1}"#
        );
    }

    #[test]
    fn repeated_key_is_an_error_in_any_spelling() {
        assert_eq!(
            error("axion/tool-correctness,check_parameters=1,checkParameters=1"),
            "`checkParameters` is given twice"
        );
        assert_eq!(
            error("evalite/tool-call-accuracy,weights={},weights.nameOnly=1"),
            "`weights.nameOnly` is given twice"
        );
        assert_eq!(
            error("evalite/tool-call-accuracy,weights.nameOnly=1,weights.name_only=1"),
            "`weights.name_only` is given twice"
        );
        assert_eq!(
            error(r#"{"evaluator":"x","evaluator":"y"}"#),
            "`evaluator` is given twice"
        );
    }

    #[test]
    fn invalid_arguments_have_a_specific_error() {
        assert_eq!(
            error("axion/tool-correctness,strict"),
            "`strict` has no value: write `strict=VALUE`"
        );
        assert_eq!(
            error("axion/tool-correctness,x=[1,2"),
            "`[` is opened and never closed"
        );
        assert_eq!(
            error(r#"axion/tool-correctness,x="a"#),
            "`\"` is opened and never closed"
        );
        assert_eq!(
            error("axion/tool-correctnes"),
            "no evaluator is called `axion/tool-correctnes`; did you mean `axion/tool-correctness`?"
        );
        assert_eq!(error(r#"{"name":"x"}"#), "`evaluator` is missing");
        assert_eq!(
            error(r#"{"evaluator":7}"#),
            "`evaluator` takes a text, found a number"
        );
        assert!(error(r#"{"evaluator":"#).starts_with("not a JSON object: expected "));
    }

    #[test]
    fn object_is_parsed_like_in_a_suite() {
        let argument = EvaluatorArgument::parse(
            r#" {"evaluator":"a/b","name":"n","weights":{"x":1},"threshold":1} "#,
        )
        .unwrap();
        assert_eq!(
            (argument.id.as_str(), argument.name.as_deref()),
            ("a/b", Some("n"))
        );
        assert_eq!(argument.settings, r#"{"weights":{"x":1},"threshold":1}"#);
    }

    #[test]
    fn argument_round_trips() {
        for text in [
            "axion/tool-correctness",
            "axion/tool-correctness,check_parameters=true,threshold=0.5",
            "axion/tool-correctness,name=any order,parameter_matching_strategy=fuzzy",
            r#"evalite/tool-call-accuracy,name="a,b",weights={"nameOnly":0.25}"#,
        ] {
            let argument = EvaluatorArgument::parse(text).unwrap();
            let written = argument.to_argument(&argument.id);
            assert_eq!(written, text);
            assert_eq!(EvaluatorArgument::parse(&written).unwrap(), argument);
        }
    }
}
