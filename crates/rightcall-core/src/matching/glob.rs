//! Name patterns as JavaScript regular expressions: `*` is `.*`, `?` is `.`, and case is ignored.
//!
//! JavaScript matches UTF-16 units: `?` matches half of a character above U+FFFF, and `.` doesn't match line terminators. Two units are
//! equal ignoring case if their upper case is equal.

use crate::value::{Text, javascript};

/// A name pattern.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Glob {
    units: Vec<u16>,
    text: Text<'static>,
}

const WILD: [u16; 2] = [b'*' as u16, b'?' as u16];

impl Glob {
    /// Parses a pattern.
    pub(crate) fn new(text: &Text<'_>) -> Self {
        Self {
            units: text.utf16().map(upper).collect(),
            text: text.clone().into_owned(),
        }
    }

    /// True for an empty pattern.
    pub(crate) fn is_empty(&self) -> bool {
        self.units.is_empty()
    }

    /// True if the pattern matches the whole name, either unchanged or trimmed.
    pub(super) fn fits_name(&self, name: &Text<'_>) -> bool {
        let trimmed = name.trimmed(javascript::is_space);
        self.fits(name) || trimmed != *name && self.fits(&trimmed)
    }

    /// True if a key equals the text, or if the text is a pattern and matches the key.
    pub(super) fn fits_key(&self, key: &Text<'_>) -> bool {
        *key == self.text || self.units.iter().any(|unit| WILD.contains(unit)) && self.fits(key)
    }

    /// True if the pattern matches the whole text.
    pub(crate) fn fits(&self, text: &Text<'_>) -> bool {
        let text: Vec<u16> = text.utf16().map(upper).collect();
        fits(&self.units, &text, |unit| !is_end_of_line(unit))
    }
}

/// True if a pattern matches the whole text: `*` matches any units and `?` one, as long as they are `open`.
///
/// Backtracks only to the last `*`, so it takes at most `pattern × text` steps.
pub fn fits<U: Copy + PartialEq + From<u8>>(
    pattern: &[U],
    text: &[U],
    open: impl Fn(U) -> bool,
) -> bool {
    let [star, one] = [b'*', b'?'].map(U::from);
    let (mut at, mut from) = (0, 0);
    // The position of the last `*`, and how far its match extends.
    let mut last_star = None;
    while from < text.len() {
        match pattern.get(at) {
            Some(&unit) if unit == star => {
                last_star = Some((at, from));
                at += 1;
            }
            Some(&unit) if unit == one && open(text[from]) => (at, from) = (at + 1, from + 1),
            Some(&unit) if unit != one && unit == text[from] => (at, from) = (at + 1, from + 1),
            _ => {
                let reaches = |(_, reach): &(usize, usize)| open(text[*reach]);
                let Some((star_at, reach)) = last_star.filter(reaches) else {
                    return false;
                };
                last_star = Some((star_at, reach + 1));
                (at, from) = (star_at + 1, reach + 1);
            }
        }
    }
    pattern[at..].iter().all(|unit| *unit == star)
}

/// The unit's upper case, if that is a single unit and doesn't turn a non-ASCII unit into ASCII.
fn upper(unit: u16) -> u16 {
    let Some(character) = char::from_u32(unit.into()) else {
        return unit;
    };
    let mut upper = character.to_uppercase();
    match (
        upper.next().map(|it| u16::try_from(u32::from(it))),
        upper.next(),
    ) {
        (Some(Ok(upper)), None) if unit < 128 || upper >= 128 => upper,
        _ => unit,
    }
}

fn is_end_of_line(unit: u16) -> bool {
    matches!(unit, 0x0a | 0x0d | 0x2028 | 0x2029)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn fits(pattern: &str, name: &str) -> bool {
        Glob::new(&Text::new(pattern)).fits(&Text::new(name))
    }

    #[test]
    fn patterns_match_like_javascript_regular_expressions() {
        for (pattern, name, expected) in [
            ("find_*", "Find_Order", true),
            ("FIND", "find", true),
            ("find", "find_order", false),
            ("f?nd", "find", true),
            ("f?nd", "fnd", false),
            ("*", "", true),
            ("", "", true),
            ("a.c", "abc", false),
            ("É", "é", true),
            ("ß", "SS", false),
            // The Kelvin sign's upper case is not ASCII; that of a long s would be, so it is not used.
            ("k", "\u{212a}", false),
            ("s", "\u{17f}", false),
            ("?", "🙂", false),
            ("??", "🙂", true),
            ("a*b", "a\nb", false),
            ("a?b", "a\u{2028}b", false),
            ("a\nb", "A\nB", true),
            ("*a\n*b", "xa\nxb", true),
            ("?", "?", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern:?} {name:?}");
        }
    }

    #[test]
    fn keys_match_patterns_ignoring_case_and_texts_exactly() {
        let fits = |entry: &str, key: &str| Glob::new(&Text::new(entry)).fits_key(&Text::new(key));
        assert!(fits("id", "id") && !fits("id", "ID"));
        assert!(fits("*_id", "Order_ID"));
    }

    /// The definition of `*` and `?`, without optimisations.
    fn by_definition(pattern: &[char], name: &[char]) -> bool {
        match (pattern, name) {
            ([], name) => name.is_empty(),
            (['*', rest @ ..], _) => (0..=name.len())
                .take_while(|skip| !name[..*skip].contains(&'\n'))
                .any(|skip| by_definition(rest, &name[skip..])),
            (['?', rest @ ..], [first, more @ ..]) => *first != '\n' && by_definition(rest, more),
            ([it, rest @ ..], [first, more @ ..]) => {
                it.eq_ignore_ascii_case(first) && by_definition(rest, more)
            }
            _ => false,
        }
    }

    proptest! {
        #[test]
        fn the_matcher_equals_the_definition(pattern in "[aB*?\n]{0,7}", name in "[Ab\n]{0,8}") {
            let chars = |text: &str| text.chars().collect::<Vec<_>>();
            prop_assert_eq!(fits(&pattern, &name), by_definition(&chars(&pattern), &chars(&name)));
        }
    }
}
