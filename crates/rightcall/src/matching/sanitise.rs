//! UiPath's safe names.

use std::borrow::Cow;

use crate::value::{Text, python};

/// The bytes that may stand in a safe name.
const IS_SAFE: [bool; 256] = {
    let mut is_safe = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        is_safe[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'-');
        byte += 1;
    }
    is_safe
};

/// True if [`sanitise`] leaves a name as it is.
pub(super) fn is_safe(name: &[u8]) -> bool {
    // Without a branch for each byte.
    name.len() <= LONGEST
        && name
            .iter()
            .fold(true, |all, byte| all & IS_SAFE[usize::from(*byte)])
}

/// The length of the longest safe name.
const LONGEST: usize = 64;

/// UiPath's safe form of a name: white space to `_`, everything but ASCII letters, digits, `_` and `-` dropped, at most 64.
///
/// Source: semantics, section 2.1.
pub(crate) fn sanitise<'t>(name: &'t Text<'_>) -> Cow<'t, [u8]> {
    if is_safe(name.as_bytes()) {
        return Cow::Borrowed(name.as_bytes());
    }
    let mut safe = Vec::with_capacity(LONGEST);
    let (mut seen_word, mut gap) = (false, false);
    for point in name.code_points() {
        if python::is_space(point) {
            gap = seen_word;
            continue;
        }
        if std::mem::take(&mut gap) {
            safe.push(b'_');
        }
        seen_word = true;
        if let Some(byte) = u8::try_from(point)
            .ok()
            .filter(|byte| IS_SAFE[usize::from(*byte)])
        {
            safe.push(byte);
        }
    }
    safe.truncate(LONGEST);
    Cow::Owned(safe)
}

/// A name without white space around it, as Python's `str.strip` leaves it.
pub(crate) fn stripped<'t>(name: &'t Text<'_>) -> Text<'t> {
    name.trimmed(python::is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_stripped_at_the_ends() {
        for (name, bare) in [
            ("\u{3000} a b\t", "a b"),
            ("a", "a"),
            (" \n", ""),
            ("", ""),
            ("\u{200b}a", "\u{200b}a"),
        ] {
            assert_eq!(stripped(&Text::new(name)), *bare);
        }
    }

    #[test]
    fn names_are_sanitised_as_documented() {
        let long = "x".repeat(70);
        for (name, safe) in [
            ("  a \t b", "a_b"),
            ("工具", ""),
            ("my-tool.v2", "my-toolv2"),
            ("", ""),
            ("a  工 b", "a__b"),
            (&long, &long[..64]),
        ] {
            assert_eq!(sanitise(&Text::new(name)), safe.as_bytes(), "{name}");
        }
    }
}
