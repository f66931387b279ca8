//! Settings of evaluators: each is declared once, with its kind and default; reading, checking, help, pages and schemas come from it.

mod declared;
mod error;
mod given;

pub(crate) use declared::{Choice, Flag, Group, Number, any, map, rules, text, texts};
pub use error::{ConfigError, describe, did_you_mean, folded, nearest};
pub(crate) use given::{Settings, is_spelling};
use given::{camel_case, snake_case};

/// Keys that belong to every evaluator, beside its own settings.
pub const RESERVED: [&str; 2] = ["edition", "threshold"];

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

impl Setting {
    /// Both spellings of its name: `name_only` and `nameOnly`.
    pub fn spellings(&self) -> [String; 2] {
        [snake_case(self.name), camel_case(self.name)]
    }
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
    /// A list of rules: sentences and objects.
    Rules,
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
