//! Conditions of maps: tests on the values at paths.

use rightcall_core::fits_pattern;
use rightcall_core::value::{Syntax, ValueEquality, decode_with};

use super::path::Path;
use super::place::{Memory, Place};
use crate::node::Node;

/// Conditions; at least one group must hold.
#[derive(Clone, Debug)]
pub(super) struct Conditions(pub(super) Vec<Vec<(Path, Test)>>);

/// The required value.
#[derive(Clone, Debug)]
pub(super) enum Test {
    /// A text that matches this glob.
    Glob(String),
    /// This number or boolean, as JSON text.
    Json(String),
    /// One of these tests.
    Either(Vec<Self>),
    /// The opposite of the test.
    Not(Box<Self>),
    /// Any value.
    Any,
    /// No value, or null.
    None,
}

impl Conditions {
    /// True if the conditions hold for a record or item.
    pub(super) fn hold<'r>(&self, place: &Place<'r>, memory: &Memory<'r>) -> bool {
        let holds = |(path, test): &(Path, Test)| test.holds(memory.find(path, place));
        self.0.iter().any(|group| group.iter().all(holds))
    }

    pub(super) fn paths(&self) -> impl Iterator<Item = &Path> {
        self.0.iter().flatten().map(|(path, _)| path)
    }
}

impl Test {
    fn holds(&self, found: Option<&Node<'_>>) -> bool {
        match self {
            Self::Any => found.is_some(),
            Self::None => found.is_none(),
            Self::Not(test) => !test.holds(found),
            Self::Either(tests) => tests.iter().any(|test| test.holds(found)),
            Self::Glob(glob) => found
                .and_then(Node::text)
                .is_some_and(|text| matches_glob(&text.to_display(), glob)),
            Self::Json(json) => found.is_some_and(|node| {
                let is_plain = node.text().is_none() && !node.is_object() && !node.is_list();
                is_plain && (node.raw() == json || is_same_number(node.raw(), json))
            }),
        }
    }
}

/// True for two numbers of the same value.
fn is_same_number(one: &str, other: &str) -> bool {
    let is_number = |json: &str| !matches!(json, "true" | "false" | "null");
    if !is_number(one) || !is_number(other) {
        return false;
    }
    let values = (
        decode_with(one, Syntax::PYTHON),
        decode_with(other, Syntax::PYTHON),
    );
    matches!(values, (Ok(one), Ok(other)) if ValueEquality::Json.equal(&one, &other))
}

/// True if the glob matches the whole text: `*` is any text, `?` one character.
fn matches_glob(text: &str, glob: &str) -> bool {
    if !glob.contains(['*', '?']) {
        return text == glob;
    }
    let (text, glob): (Vec<char>, Vec<char>) = (text.chars().collect(), glob.chars().collect());
    fits_pattern(&glob, &text, |_| true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_match_whole_texts() {
        for (text, glob, matches) in [
            ("tool", "tool", true),
            ("tool_end", "tool", false),
            ("tool_end", "tool*", true),
            ("a-b-c", "*-*c", true),
            ("a-b-c", "*-?", true),
            ("Å", "?", true),
            ("", "*", true),
            ("", "?", false),
            ("Tool", "tool", false),
            ("aab", "a*ab*", true),
        ] {
            assert_eq!(matches_glob(text, glob), matches, "{text} {glob}");
        }
    }

    #[test]
    fn numbers_compare_by_value_and_texts_are_never_numbers() {
        let holds = |json: &str, test: &Test| test.holds(Some(&Node::parse(json, 8).unwrap()));
        let one = Test::Json("1".to_owned());
        for (json, expected) in [
            ("1", true),
            ("1.0", true),
            ("10e-1", true),
            ("true", false),
            ("\"1\"", false),
            ("2", false),
        ] {
            assert_eq!(holds(json, &one), expected, "{json}");
        }
        assert!(!holds("1", &Test::Json("true".to_owned())));
        assert!(holds(
            "18446744073709551617",
            &Test::Json("18446744073709551617".to_owned())
        ));
        assert!(!holds(
            "18446744073709551616",
            &Test::Json("18446744073709551617".to_owned())
        ));
    }
}
