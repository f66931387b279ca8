//! Declares settings with their defaults, and reads the given values.

use super::{ConfigError, Setting, SettingKind, Settings};
use crate::value::{Text, Value};

const fn setting(
    name: &'static str,
    kind: SettingKind,
    default: &'static str,
    doc: &'static str,
) -> Setting {
    Setting {
        name,
        kind,
        default,
        doc,
    }
}

/// A setting with any text.
pub(crate) const fn text(name: &'static str, default: &'static str, doc: &'static str) -> Setting {
    setting(name, SettingKind::Text, default, doc)
}

/// A setting with a list of texts, empty by default.
pub(crate) const fn texts(name: &'static str, doc: &'static str) -> Setting {
    setting(name, SettingKind::Texts, "[]", doc)
}

/// A setting with an object that may have any keys.
pub(crate) const fn map(name: &'static str, default: &'static str, doc: &'static str) -> Setting {
    setting(name, SettingKind::Map, default, doc)
}

/// A setting with a list of rules, empty by default.
pub(crate) const fn rules(name: &'static str, doc: &'static str) -> Setting {
    setting(name, SettingKind::Rules, "[]", doc)
}

/// A setting with several kinds of values.
pub(crate) const fn any(name: &'static str, default: &'static str, doc: &'static str) -> Setting {
    setting(name, SettingKind::Any, default, doc)
}

/// A setting that is true or false.
#[derive(Clone, Copy)]
pub(crate) struct Flag {
    pub(crate) setting: Setting,
    default: bool,
}

impl Flag {
    pub(crate) const fn new(name: &'static str, default: bool, doc: &'static str) -> Self {
        let json = if default { "true" } else { "false" };
        Self {
            setting: setting(name, SettingKind::Bool, json, doc),
            default,
        }
    }

    /// The given value, or the default.
    pub(crate) fn read(&self, given: &Settings<'_>) -> Result<bool, ConfigError> {
        given.bool(self.setting.name, self.default)
    }
}

/// A setting that is a finite number.
#[derive(Clone, Copy)]
pub(crate) struct Number {
    pub(crate) setting: Setting,
}

impl Number {
    /// `default` is JSON text.
    pub(crate) const fn new(name: &'static str, default: &'static str, doc: &'static str) -> Self {
        Self {
            setting: setting(name, SettingKind::Number, default, doc),
        }
    }

    /// The default; NaN if there is none.
    pub(crate) fn default(&self) -> f64 {
        self.setting.default.parse().unwrap_or(f64::NAN)
    }

    /// The given value, or the default.
    pub(crate) fn read(&self, given: &Settings<'_>) -> Result<f64, ConfigError> {
        Ok(given
            .number(self.setting.name)?
            .unwrap_or_else(|| self.default()))
    }
}

/// A setting with one of several texts, each with a value.
pub(crate) struct Choice<T: 'static> {
    pub(crate) setting: Setting,
    values: &'static [(&'static str, T)],
}

impl<T: Copy> Choice<T> {
    /// `names` must be [`names_of`](Self::names_of) these values; `default` is JSON text.
    pub(crate) const fn new(
        name: &'static str,
        values: &'static [(&'static str, T)],
        names: &'static [&'static str],
        default: &'static str,
        doc: &'static str,
    ) -> Self {
        Self {
            setting: setting(name, SettingKind::Choice(names), default, doc),
            values,
        }
    }

    /// The texts of all values.
    pub(crate) const fn names_of<const N: usize>(
        values: &[(&'static str, T); N],
    ) -> [&'static str; N] {
        let mut names = [""; N];
        let mut index = 0;
        while index < N {
            names[index] = values[index].0;
            index += 1;
        }
        names
    }

    /// The given value, if any.
    pub(crate) fn given(&self, given: &Settings<'_>) -> Result<Option<T>, ConfigError> {
        let name = self.setting.name;
        let Some(text) = given.text(name)? else {
            return Ok(None);
        };
        let found = self.find(text).ok_or_else(|| {
            let names: Vec<_> = self.values.iter().map(|(choice, _)| *choice).collect();
            let expected = format!("one of {}", names.join(", "));
            given.bad(name, expected, &Value::String(text.clone()))
        });
        found.map(Some)
    }

    /// The given value, or the default.
    pub(crate) fn read(&self, given: &Settings<'_>) -> Result<T, ConfigError> {
        Ok(self.given(given)?.unwrap_or_else(|| self.default()))
    }

    /// The given value, or the default. An unknown text also means the default, as in originals
    /// that accept any text.
    pub(crate) fn or_default(&self, given: &Settings<'_>) -> Result<T, ConfigError> {
        let text = given.text(self.setting.name)?;
        Ok(text
            .and_then(|text| self.find(text))
            .unwrap_or_else(|| self.default()))
    }

    /// The value of a text.
    pub(crate) fn find(&self, text: &Text<'_>) -> Option<T> {
        let found = self.values.iter().find(|(name, _)| *text == **name);
        found.map(|(_, value)| *value)
    }

    /// The default.
    pub(crate) fn default(&self) -> T {
        let name = Text::new(self.setting.default.trim_matches('"'));
        self.find(&name).expect("the default is one of the choices")
    }
}

/// A setting with an object of other settings.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub(crate) setting: Setting,
}

impl Group {
    pub(crate) const fn new(
        name: &'static str,
        members: &'static [Setting],
        doc: &'static str,
    ) -> Self {
        Self {
            setting: setting(name, SettingKind::Object(members), "{}", doc),
        }
    }

    /// The given members.
    pub(crate) fn read<'s>(&self, given: &Settings<'s>) -> Result<Settings<'s>, ConfigError> {
        given.inner(self.setting.name)
    }
}
