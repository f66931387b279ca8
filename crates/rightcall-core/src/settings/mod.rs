//! Settings of evaluators. Each is declared once, with its kind and default; parsing, validation, help, pages and schemas use the
//! declaration.

mod declared;
mod error;
mod given;

pub(crate) use declared::{Choice, Flag, Group, Number, any, map, rules, text, texts};
pub use error::{ConfigError, describe, did_you_mean, folded, nearest};
pub(crate) use given::{Settings, expected_number, is_spelling};
use given::{camel_case, snake_case};

/// Keys that all evaluators accept, besides their own settings.
pub const RESERVED: [&str; 2] = ["edition", "threshold"];

/// One documented setting.
#[derive(Clone, Copy, Debug)]
pub struct Setting {
    /// Its name in the original. The camelCase and `snake_case` spellings are the same setting.
    pub name: &'static str,
    /// The accepted values.
    pub kind: SettingKind,
    /// The default, as JSON.
    pub default: &'static str,
    /// A description of its effect.
    pub doc: &'static str,
}

impl Setting {
    /// Both spellings of its name: `name_only` and `nameOnly`.
    pub fn spellings(&self) -> [String; 2] {
        [snake_case(self.name), camel_case(self.name)]
    }
}

/// The kind of values that a setting accepts.
#[derive(Clone, Copy, Debug)]
pub enum SettingKind {
    /// `true` or `false`, or a text or number that the original accepts as a boolean.
    Bool,
    /// A finite number.
    Number,
    /// One of these texts.
    Choice(&'static [&'static str]),
    /// Any text.
    Text,
    /// An object with these settings.
    Object(&'static [Setting]),
    /// An object with any keys.
    Map,
    /// A list of texts.
    Texts,
    /// A list of rules: sentences and objects.
    Rules,
    /// Several kinds of values, described in `doc`.
    Any,
}

impl SettingKind {
    /// A short name of the kind, for tables.
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
            Self::Rules => "list of rules".to_owned(),
            Self::Any => "any".to_owned(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_setting_has_two_spellings() {
        for (name, spellings) in [
            ("name_only", ["name_only", "nameOnly"]),
            ("nameOnly", ["name_only", "nameOnly"]),
            ("strict", ["strict", "strict"]),
        ] {
            assert_eq!(texts(name, "").spellings(), spellings);
        }
    }
}
