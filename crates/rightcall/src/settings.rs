//! Settings of evaluators: one table each, from which reading, checking, help, pages and schemas come.

use crate::evaluator::RESERVED;
use crate::value::{JsonWriter, Object, Text, Value};

/// One documented setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name in the original; camelCase and `snake_case` spellings of it are the same setting.
    pub name: &'static str,
    /// What it takes.
    pub kind: SettingKind,
    /// The default, as JSON.
    pub default: &'static str,
    /// What it does.
    pub doc: &'static str,
}

/// What a setting takes.
#[derive(Clone, Copy, Debug)]
pub enum SettingKind {
    /// `true` or `false`; the texts and numbers that the original takes for these too.
    Bool,
    /// A finite number.
    Number,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
    /// An object with these settings.
    Object(&'static [Setting]),
    /// An object with free keys.
    Map,
    /// A list of texts.
    Texts,
    /// Any of several kinds, which `doc` describes.
    Any,
}

impl SettingKind {
    /// The kind in a word or two, for tables.
    pub fn describe(&self) -> String {
        match self {
            Self::Bool => "boolean".to_owned(),
            Self::Number => "number".to_owned(),
            Self::Choice(choices) => choices.join(" \\| "),
            Self::Text => "text".to_owned(),
            Self::Object(inner) => {
                format!(
                    "object of {}",
                    inner
                        .iter()
                        .map(|setting| setting.name)
                        .collect::<Vec<_>>()
                        .join(", ")
                )
            }
            Self::Map => "object".to_owned(),
            Self::Texts => "list of texts".to_owned(),
            Self::Any => "any".to_owned(),
        }
    }
}

/// Why an evaluator cannot be made.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ConfigError {
    /// No evaluator has this id.
    #[error("no evaluator is called `{id}`{}", did_you_mean(.nearest))]
    UnknownEvaluator {
        /// What was asked for.
        id: String,
        /// The nearest ids.
        nearest: Vec<&'static str>,
    },
    /// The metrics of several systems go by this name.
    #[error("several evaluators are called `{id}`: write {}", quoted(.ids))]
    AmbiguousEvaluator {
        /// What was asked for.
        id: String,
        /// The ids that it may mean.
        ids: Vec<&'static str>,
    },
    /// The evaluator has no such setting.
    #[error("{evaluator} has no setting `{setting}`{}", did_you_mean(.nearest))]
    UnknownSetting {
        /// The evaluator.
        evaluator: &'static str,
        /// What was given, dotted.
        setting: String,
        /// The nearest settings.
        nearest: Vec<&'static str>,
    },
    /// A setting has a value that it does not take.
    #[error("{evaluator}: `{setting}` takes {expected}, found {found}")]
    BadValue {
        /// The evaluator.
        evaluator: &'static str,
        /// The setting, dotted.
        setting: String,
        /// What it takes.
        expected: String,
        /// What was given.
        found: String,
    },
    /// The evaluator has no such edition.
    #[error("{evaluator} has no `{edition}` edition; it has {available}")]
    NoSuchEdition {
        /// The evaluator.
        evaluator: &'static str,
        /// What was asked for.
        edition: String,
        /// Those it has.
        available: String,
    },
    /// Settings that exclude each other.
    #[error("{evaluator}: {message}")]
    Conflict {
        /// The evaluator.
        evaluator: &'static str,
        /// Which, and what to do.
        message: String,
    },
}

/// `; did you mean …?` with the nearest names, or nothing where there is none.
pub fn did_you_mean(nearest: &[&str]) -> String {
    if nearest.is_empty() {
        String::new()
    } else {
        format!("; did you mean {}?", quoted(nearest))
    }
}

/// `a` or `b`.
fn quoted(names: &[&str]) -> String {
    names
        .iter()
        .map(|name| format!("`{name}`"))
        .collect::<Vec<_>>()
        .join(" or ")
}

/// The names nearest to a misspelt one, best first, at most three; none if none is near.
pub fn nearest<'n>(name: &str, among: impl IntoIterator<Item = &'n str>) -> Vec<&'n str> {
    let folded = fold(name);
    let mut near: Vec<_> = among
        .into_iter()
        .map(|candidate| {
            let tail = candidate.rsplit('/').next().unwrap_or(candidate);
            let likeness =
                |other: &str| strsim::normalized_damerau_levenshtein(&folded, &fold(other));
            (likeness(candidate).max(likeness(tail)), candidate)
        })
        .filter(|(likeness, _)| *likeness >= 0.6)
        .collect();
    near.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(b.1)));
    near.dedup_by_key(|(_, candidate)| *candidate);
    // What is clearly less like the name than the best is no help.
    let best = near.first().map_or(0.0, |(likeness, _)| *likeness);
    near.into_iter()
        .take_while(|(likeness, _)| *likeness >= best - 0.02)
        .take(3)
        .map(|(_, candidate)| candidate)
        .collect()
}

/// What names that differ in case and underscores only have in common.
fn fold(name: &str) -> String {
    name.chars()
        .filter(|character| !matches!(character, '_' | '-'))
        .flat_map(char::to_lowercase)
        .collect()
}

/// The settings given to one evaluator.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Settings<'s> {
    pub(crate) evaluator: &'static str,
    given: &'s Object<'s>,
    /// Dotted path of an inner object, with its dot.
    prefix: &'static str,
    /// Strict settings are a user's; lenient ones follow the original's constructor.
    pub(crate) strict: bool,
}

impl<'s> Settings<'s> {
    /// A user's settings: unknown keys and implausible values are errors.
    pub(crate) fn strict(
        evaluator: &'static str,
        given: &'s Object<'s>,
        table: &[Setting],
    ) -> Result<Self, ConfigError> {
        let settings = Self {
            evaluator,
            given,
            prefix: "",
            strict: true,
        };
        settings.check(table)?;
        Ok(settings)
    }

    /// Settings as the original's constructor takes them, unknown keys included.
    pub(crate) fn lenient(evaluator: &'static str, given: &'s Object<'s>) -> Self {
        Self {
            evaluator,
            given,
            prefix: "",
            strict: false,
        }
    }

    fn check(&self, table: &[Setting]) -> Result<(), ConfigError> {
        for (place, (key, value)) in self.given.iter().enumerate() {
            let key = key.to_display();
            let Some(setting) = table.iter().find(|setting| is_spelling(setting.name, &key)) else {
                let reserved: &[&str] = if self.prefix.is_empty() {
                    &RESERVED
                } else {
                    &[]
                };
                return Err(ConfigError::UnknownSetting {
                    evaluator: self.evaluator,
                    setting: format!("{}{key}", self.prefix),
                    nearest: nearest(
                        &key,
                        table
                            .iter()
                            .map(|setting| setting.name)
                            .chain(reserved.iter().copied()),
                    ),
                });
            };
            let mut before = self
                .given
                .iter()
                .take(place)
                .map(|(key, _)| key.to_display());
            if let Some(other) = before.find(|other| is_spelling(setting.name, other)) {
                let message =
                    format!("`{other}` and `{key}` are one setting: take one of them out");
                return Err(ConfigError::Conflict {
                    evaluator: self.evaluator,
                    message,
                });
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
                (SettingKind::Object(inner), Value::Object(object)) => {
                    Self {
                        evaluator: self.evaluator,
                        given: object,
                        prefix: setting.name,
                        strict: true,
                    }
                    .check_inner(inner)?;
                }
                _ => {}
            }
        }
        Ok(())
    }

    fn check_inner(&self, table: &[Setting]) -> Result<(), ConfigError> {
        self.check(table).map_err(|error| match error {
            ConfigError::UnknownSetting {
                evaluator,
                setting,
                nearest,
            } => ConfigError::UnknownSetting {
                evaluator,
                setting: format!(
                    "{}.{}",
                    self.prefix,
                    setting.trim_start_matches(self.prefix)
                ),
                nearest,
            },
            other => other,
        })
    }

    /// An object setting that takes one member alone.
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

    /// The value given for a setting; of two spellings the camelCase one wins.
    pub(crate) fn value(&self, name: &str) -> Option<&'s Value<'s>> {
        let camel = camel_case(name);
        self.given
            .get_str(&camel)
            .or_else(|| self.given.get_str(name))
            .or_else(|| {
                let snake = Some(snake_case(name)).filter(|_| self.strict)?;
                self.given.get_str(&snake)
            })
    }

    /// A boolean in any of the spellings that Pydantic takes.
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

    /// A finite number; `null` counts as not given.
    pub(crate) fn number(&self, name: &str) -> Result<Option<f64>, ConfigError> {
        match self.value(name) {
            None | Some(Value::Null) => Ok(None),
            Some(value) => match value.as_f64() {
                Some(number) if number.is_finite() => Ok(Some(number)),
                _ => Err(self.bad(name, "a finite number".to_owned(), value)),
            },
        }
    }

    /// A text; `null` counts as not given.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&'s Text<'s>>, ConfigError> {
        match self.value(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::String(text)) => Ok(Some(text)),
            Some(other) => Err(self.bad(name, "a text".to_owned(), other)),
        }
    }

    /// One of the choices by its text; `None` where nothing is given, an error for any other text.
    pub(crate) fn choice<T: Copy>(
        &self,
        name: &str,
        choices: &[(&'static str, T)],
    ) -> Result<Option<T>, ConfigError> {
        let Some(text) = self.text(name)? else {
            return Ok(None);
        };
        let found = choices.iter().find(|(choice, _)| *text == **choice);
        found.map(|(_, value)| Some(*value)).ok_or_else(|| {
            let names: Vec<_> = choices.iter().map(|(choice, _)| *choice).collect();
            self.bad(
                name,
                format!("one of {}", names.join(", ")),
                &Value::String(text.clone()),
            )
        })
    }

    /// The settings inside an object setting; `None` where it is not given.
    pub(crate) fn inner(&self, name: &'static str) -> Result<Option<Self>, ConfigError> {
        match self.value(name) {
            None | Some(Value::Null) => Ok(None),
            Some(Value::Object(given)) => Ok(Some(Self {
                given,
                prefix: name,
                ..*self
            })),
            Some(other) => Err(self.bad(name, "an object".to_owned(), other)),
        }
    }

    /// The error for a value that a setting does not take.
    pub(crate) fn bad(&self, name: &str, expected: String, found: &Value<'_>) -> ConfigError {
        let setting = if self.prefix.is_empty() {
            name.to_owned()
        } else {
            format!("{}.{name}", self.prefix)
        };
        ConfigError::BadValue {
            evaluator: self.evaluator,
            setting,
            expected,
            found: describe(found),
        }
    }
}

/// True for the name of a setting, and for what it is called in the other spelling.
pub(crate) fn is_spelling(name: &str, key: &str) -> bool {
    key == name || key == camel_case(name) || key == snake_case(name)
}

fn snake_case(name: &str) -> String {
    let mut snake = String::with_capacity(name.len() + 2);
    for character in name.chars() {
        if character.is_uppercase() {
            snake.push('_');
        }
        snake.extend(character.to_lowercase());
    }
    snake
}

fn camel_case(name: &str) -> String {
    let mut words = name.split('_');
    let mut camel = words.next().unwrap_or_default().to_owned();
    for word in words {
        let mut characters = word.chars();
        camel.extend(characters.next().map(|first| first.to_ascii_uppercase()));
        camel.push_str(characters.as_str());
    }
    camel
}

/// A value in a few words, for messages: `the number 7`, `an object`.
pub fn describe(value: &Value<'_>) -> String {
    let json = || {
        let mut writer = JsonWriter::new();
        writer.value(value);
        let json = writer.finish();
        let short: String = json.as_str().chars().take(40).collect();
        if short.len() < json.as_str().len() {
            format!("{short}…")
        } else {
            short
        }
    };
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(it) => it.to_string(),
        Value::Float(float) if float.is_nan() => "NaN".to_owned(),
        Value::Float(float) if float.is_infinite() => "an infinite number".to_owned(),
        Value::Integer(_) | Value::Float(_) => format!("the number {}", json()),
        Value::String(_) => format!("the text {}", json()),
        Value::List(_) => "a list".to_owned(),
        Value::Object(_) => "an object".to_owned(),
        Value::Python(_) => "a Python value".to_owned(),
    }
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
    fn a_setting_is_given_in_one_spelling() {
        let twice = "`match_mode` and `matchMode` are one setting: take one of them out";
        assert_eq!(
            error(r#"{"match_mode": "exact", "matchMode": "ignore"}"#),
            format!("x/y: {twice}")
        );
        let weights = error(r#"{"weights": {"nameOnly": 1, "name_only": 0}}"#);
        assert_eq!(
            weights,
            "x/y: `nameOnly` and `name_only` are one setting: take one of them out"
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
