//! Tool name patterns: `*` matches any characters, `?` matches one.

use std::fmt;

use smallvec::SmallVec;

use super::fits;
use crate::value::Text;

/// A name, or a pattern of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct NamePattern {
    text: String,
    /// The characters of a pattern; `None` for a plain name.
    pattern: Option<Vec<u32>>,
}

impl NamePattern {
    /// Parses a name or pattern.
    pub(crate) fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        Self {
            pattern: (text.contains(['*', '?'])).then(|| text.chars().map(u32::from).collect()),
            text,
        }
    }

    /// True if the pattern matches the whole name.
    pub(crate) fn matches(&self, name: &Text<'_>) -> bool {
        let Some(pattern) = &self.pattern else {
            return name.as_bytes() == self.text.as_bytes();
        };
        let name: SmallVec<[u32; 32]> = name.code_points().collect();
        fits(pattern, &name, |_| true)
    }
}

impl fmt::Display for NamePattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn matches(pattern: &str, name: &str) -> bool {
        NamePattern::new(pattern).matches(&Text::new(name))
    }

    #[test]
    fn patterns_match_whole_names() {
        for (pattern, name, expected) in [
            ("find", "find", true),
            ("find", "find_order", false),
            ("find_*", "find_order", true),
            ("find_*", "find_", true),
            ("*_order*", "find_order", true),
            ("*a*b", "aab", true),
            ("*a*b", "aba", false),
            ("?nd", "end", true),
            ("?nd", "nd", false),
            ("工?", "工具", true),
            ("*", "", true),
            ("", "", true),
            ("", "a", false),
            ("a**", "a", true),
        ] {
            assert_eq!(matches(pattern, name), expected, "{pattern} {name}");
        }
    }

    /// The definition of `*` and `?`, written without regard to speed.
    fn by_definition(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], name) => name.is_empty(),
            (['*', rest @ ..], _) => {
                (0..=name.len()).any(|skip| by_definition(rest, &name[skip..]))
            }
            ([it, rest @ ..], [first, more @ ..]) => {
                (*it == '?' || it == first) && by_definition(rest, more)
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn the_matcher_equals_the_definition(pattern in "[ab*?]{0,7}", name in "[ab]{0,8}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(matches(&pattern, &name), by_definition(&chars(&pattern), &chars(&name)));
        }
    }
}
