//! The settings given to an evaluator, by a user or through a package's constructor.

use super::{ConfigError, RESERVED, Setting, SettingKind, describe, nearest};
use crate::value::{Object, Text, Value};

/// The settings given to one evaluator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings<'s> {
    pub(crate) evaluator: &'static str,
    given: Option<&'s Object<'s>>,
    /// The setting that contains this object.
    prefix: &'static str,
    /// True for a user's settings; false to follow the original's constructor.
    pub(crate) strict: bool,
}

impl<'s> Settings<'s> {
    /// A user's settings: unknown keys and invalid values are errors.
    pub(crate) fn strict(
        evaluator: &'static str,
        given: &'s Object<'s>,
        table: &[Setting],
    ) -> Result<Self, ConfigError> {
        let settings = Self {
            evaluator,
            given: Some(given),
            prefix: "",
            strict: true,
        };
        settings.check(table)?;
        Ok(settings)
    }

    /// Settings as the original's constructor accepts them, including unknown keys.
    pub(crate) fn lenient(evaluator: &'static str, given: &'s Object<'s>) -> Self {
        Self {
            evaluator,
            given: Some(given),
            prefix: "",
            strict: false,
        }
    }

    fn check(&self, table: &[Setting]) -> Result<(), ConfigError> {
        for (place, (key, value)) in self.given.into_iter().flatten().enumerate() {
            let key = key.to_display();
            let Some(setting) = table.iter().find(|setting| is_spelling(setting.name, &key)) else {
                let reserved: &[&str] = if self.prefix.is_empty() {
                    &RESERVED
                } else {
                    &[]
                };
                return Err(ConfigError::UnknownSetting {
                    evaluator: self.evaluator,
                    setting: self.dotted(&key),
                    nearest: nearest(
                        &key,
                        table
                            .iter()
                            .map(|setting| setting.name)
                            .chain(reserved.iter().copied()),
                    ),
                });
            };
            let given = self.given.into_iter().flatten();
            let mut before = given.take(place).map(|(key, _)| key.to_display());
            if let Some(other) = before.find(|other| is_spelling(setting.name, other)) {
                let message = format!("`{other}` and `{key}` are one setting: remove one of them");
                return Err(self.conflict(message));
            }
            match (setting.kind, value) {
                (SettingKind::Choice(choices), Value::String(text))
                    if !choices.iter().any(|choice| *text == **choice) =>
                {
                    return Err(self.bad(
                        setting.name,
                        format!("one of {}", choices.join(", ")),
                        value,
                    ));
                }
                // `match=subset` is short for `match.args=subset`.
                (SettingKind::Object(inner), Value::String(text)) => {
                    let name = setting.name;
                    let accepts = |it: &&Setting| match it.kind {
                        SettingKind::Choice(choices) => choices.iter().any(|it| *text == **it),
                        _ => false,
                    };
                    let inner: Vec<_> = inner
                        .iter()
                        .filter(accepts)
                        .map(|it| format!("`{name}.{}={}`", it.name, text.to_display()))
                        .collect();
                    if !inner.is_empty() {
                        let expected = format!("an object (write {})", inner.join(" or "));
                        return Err(self.bad(name, expected, value));
                    }
                }
                (SettingKind::Object(inner), Value::Object(object)) => {
                    Self {
                        evaluator: self.evaluator,
                        given: Some(object),
                        prefix: setting.name,
                        strict: true,
                    }
                    .check(inner)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    /// Checks that an object setting has no member other than `known`.
    pub(crate) fn require_known(
        &self,
        name: &str,
        members: &Object<'_>,
        known: &'static str,
    ) -> Result<(), ConfigError> {
        let mut keys = members.iter().map(|(key, _)| key.to_display());
        match keys.find(|key| !is_spelling(known, key)) {
            None => Ok(()),
            Some(key) => Err(ConfigError::UnknownSetting {
                evaluator: self.evaluator,
                setting: format!("{name}.{key}"),
                nearest: nearest(&key, [known]),
            }),
        }
    }

    /// The given value of a setting. If both spellings are given, the camelCase one wins.
    pub(crate) fn value(&self, name: &str) -> Option<&'s Value<'s>> {
        let given = self.given?;
        let snake = || {
            let snake = Some(snake_case(name)).filter(|_| self.strict)?;
            given.get_str(&snake)
        };
        given
            .get_str(&camel_case(name))
            .or_else(|| given.get_str(name))
            .or_else(snake)
    }

    /// A boolean in any form that Pydantic accepts.
    ///
    /// Source: semantics of lenient booleans, package `pydantic`.
    pub(crate) fn bool(&self, name: &str, default: bool) -> Result<bool, ConfigError> {
        let Some(value) = self.value(name) else {
            return Ok(default);
        };
        let read = match value {
            Value::Bool(it) => Some(*it),
            Value::Integer(_) | Value::Float(_) => match value.as_f64() {
                Some(0.0) => Some(false),
                Some(1.0) => Some(true),
                _ => None,
            },
            Value::String(text) => match text.to_display().to_ascii_lowercase().as_str() {
                "1" | "true" | "t" | "yes" | "y" | "on" => Some(true),
                "0" | "false" | "f" | "no" | "n" | "off" => Some(false),
                _ => None,
            },
            _ => None,
        };
        read.ok_or_else(|| self.bad(name, "true or false".to_owned(), value))
    }

    /// A finite number; `null` counts as missing.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, ConfigError> {
        match self.value(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) if number.is_finite() => Ok(Some(number)),
                _ => Err(self.bad(name, expected_number(name).to_owned(), value)),
            },
        }
    }

    /// A list of texts, or a single text, each parsed by `parse`; `null` counts as missing. `expected` describes the texts.
    pub(crate) fn list<T>(
        &self,
        name: &str,
        expected: &str,
        parse: impl Fn(&str) -> Option<T>,
    ) -> Result<Vec<T>, ConfigError> {
        let texts = match self.value(name) {
            None | Some(Value::Null) => return Ok(Vec::new()),
            Some(Value::List(texts)) => &texts[..],
            Some(text @ Value::String(_)) => std::slice::from_ref(text),
            Some(other) => return Err(self.bad(name, format!("a list of {expected}"), other)),
        };
        let item = |text: &Value<'_>| {
            let read = text
                .as_text()
                .filter(|text| !text.is_empty())
                .and_then(|text| parse(&text.to_display()));
            read.ok_or_else(|| self.bad(name, expected.to_owned(), text))
        };
        texts.iter().map(item).collect()
    }

    /// A text; `null` counts as missing.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'s Text<'s>>, ConfigError> {
        match self.value(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.bad(name, "a text".to_owned(), other)),
        }
    }

    /// The settings inside an object setting; empty if it is missing.
    pub(crate) fn inner(&self, name: &'static str) -> Result<Self, ConfigError> {
        let given = match self.value(name) {
            None | Some(Value::Null) => None,
            Some(Value::Object(given)) => Some(given),
            Some(other) => return Err(self.bad(name, "an object".to_owned(), other)),
        };
        Ok(Self {
            given,
            prefix: name,
            ..*self
        })
    }

    /// A setting's name, prefixed with the enclosing object's.
    fn dotted(&self, name: &str) -> String {
        match self.prefix {
            "" => name.to_owned(),
            outer => format!("{outer}.{name}"),
        }
    }

    /// The error for settings that exclude each other.
    pub(crate) fn conflict(&self, message: impl Into<String>) -> ConfigError {
        ConfigError::Conflict {
            evaluator: self.evaluator,
            message: message.into(),
        }
    }

    /// The error for an invalid value.
    pub(crate) fn bad(&self, name: &str, expected: String, found: &Value<'_>) -> ConfigError {
        self.bad_because(name, expected, describe(found))
    }

    /// The error for a value that can't be used for this reason.
    pub(crate) fn bad_because(&self, name: &str, expected: String, found: String) -> ConfigError {
        ConfigError::BadValue {
            evaluator: self.evaluator,
            setting: self.dotted(name),
            expected,
            found,
        }
    }
}

/// True for the name of a setting in either spelling.
pub(crate) fn is_spelling(name: &str, key: &str) -> bool {
    key == name || key == camel_case(name) || key == snake_case(name)
}

/// A description of the values that a numeric setting takes.
pub(crate) fn expected_number(name: &str) -> &'static str {
    if name == "threshold" {
        "a number from 0 to 1, such as 0.8"
    } else {
        "a finite number"
    }
}

pub(super) fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 2);
    for character in name.chars() {
        if character.is_uppercase() {
            snake.push('_');
        }
        snake.extend(character.to_lowercase());
    }
    snake
}

pub(super) fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut characters = word.chars();
        camel.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(characters.as_str());
    }
    camel
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::decode;

    const TABLE: &[Setting] = &[
        Setting {
            name: "strict",
            kind: SettingKind::Bool,
            default: "false",
            doc: "",
        },
        Setting {
            name: "match_mode",
            kind: SettingKind::Choice(&["exact", "ignore"]),
            default: "\"exact\"",
            doc: "",
        },
        Setting {
            name: "weights",
            kind: SettingKind::Object(&[Setting {
                name: "nameOnly",
                kind: SettingKind::Number,
                default: "0.5",
                doc: "",
            }]),
            default: "{}",
            doc: "",
        },
    ];

    fn error(json: &str) -> String {
        let given = decode(json).unwrap();
        Settings::strict("x/y", given.as_object().unwrap(), TABLE)
            .map(|_| ())
            .unwrap_err()
            .to_string()
    }

    #[test]
    fn errors_name_the_nearest_setting_and_the_choices() {
        assert_eq!(
            error(r#"{"strictt": true}"#),
            "x/y has no setting `strictt`; did you mean `strict`?"
        );
        assert_eq!(
            error(r#"{"matchMode": "exakt"}"#),
            "x/y: `match_mode` takes one of exact, ignore, found the text \"exakt\""
        );
        assert_eq!(
            error(r#"{"weights": {"name_onl": 1}}"#),
            "x/y has no setting `weights.name_onl`; did you mean `nameOnly`?"
        );
        assert_eq!(
            error(r#"{"weights": {"NameOnly": 1}}"#),
            "x/y has no setting `weights.NameOnly`; did you mean `nameOnly`?"
        );
        assert_eq!(
            error(r#"{"Strict": true}"#),
            "x/y has no setting `Strict`; did you mean `strict`?"
        );
        assert_eq!(
            error(r#"{"treshold": 1}"#),
            "x/y has no setting `treshold`; did you mean `threshold`?"
        );
        assert_eq!(error(r#"{"qqqqq": 1}"#), "x/y has no setting `qqqqq`");
    }

    #[test]
    fn a_setting_in_two_spellings_is_an_error() {
        let message = "`match_mode` and `matchMode` are one setting: remove one of them";
        assert_eq!(
            error(r#"{"match_mode": "exact", "matchMode": "ignore"}"#),
            format!("x/y: {message}")
        );
        let weights = error(r#"{"weights": {"nameOnly": 1, "name_only": 0}}"#);
        assert_eq!(
            weights,
            "x/y: `nameOnly` and `name_only` are one setting: remove one of them"
        );
    }

    #[test]
    fn both_spellings_work_and_camel_case_wins() {
        let given = decode(r#"{"match_mode":"a","matchMode":"b"}"#).unwrap();
        let settings = Settings::lenient("x/y", given.as_object().unwrap());
        assert_eq!(
            settings.text("match_mode").unwrap().unwrap(),
            &Text::new("b")
        );
    }

    #[test]
    fn booleans_are_lenient() {
        for (json, expected) in [
            ("true", Some(true)),
            ("0.0", Some(false)),
            ("\"YES\"", Some(true)),
            ("\" yes\"", None),
            ("null", None),
            ("2", None),
        ] {
            let text = format!("{{\"strict\":{json}}}");
            let given = decode(&text).unwrap();
            assert_eq!(
                Settings::lenient("x/y", given.as_object().unwrap())
                    .bool("strict", false)
                    .ok(),
                expected,
                "{json}"
            );
        }
    }
}
