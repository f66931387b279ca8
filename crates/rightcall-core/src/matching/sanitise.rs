//! UiPath's safe names.

use std::borrow::Cow;

use crate::value::{Text, python};

/// The bytes allowed in a safe name.
const IS_SAFE: [bool; 256] = {
    let mut is_safe = [false; 256];
    let mut byte = 0;
    while byte < 128 {
        is_safe[byte] = (byte as u8).is_ascii_alphanumeric() || matches!(byte as u8, b'_' | b'-');
        byte += 1;
    }
    is_safe
};

/// True if [`sanitise`] doesn't change a name.
pub(super) fn is_safe(name: &[u8]) -> bool {
    // Written without a branch per byte, for speed.
    name.len() <= LONGEST
        && name
            .iter()
            .fold(true, |all, byte| all & IS_SAFE[usize::from(*byte)])
}

/// The maximum length of a safe name.
const LONGEST: usize = 64;

/// UiPath's safe form of a name: white space becomes `_`, all characters except ASCII letters, digits, `_` and `-` are dropped, and the
/// result is cut to 64.
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

/// A name without leading and trailing white space, as from Python's `str.strip`.
pub(crate) fn stripped<'t>(name: &'t Text<'_>) -> Text<'t> {
    name.trimmed(python::is_space)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_is_stripped_at_both_ends() {
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
