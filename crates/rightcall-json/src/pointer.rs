//! JSON pointers (RFC 6901): `/calls/0/args`.

use std::borrow::Cow;

/// The pointer of a member of the object at `pointer`.
pub fn child(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", escaped(key))
}

/// The pointer of an item of the list at `pointer`.
pub fn item(pointer: &str, index: usize) -> String {
    format!("{pointer}/{index}")
}

/// A key as a step of a pointer: `~` is written `~0` and `/` is written `~1`.
pub fn escaped(key: &str) -> Cow<'_, str> {
    if key.contains(['~', '/']) {
        Cow::Owned(key.replace('~', "~0").replace('/', "~1"))
    } else {
        Cow::Borrowed(key)
    }
}

/// The key that a step of a pointer names.
pub fn unescaped(step: &str) -> Cow<'_, str> {
    if step.contains('~') {
        Cow::Owned(step.replace("~1", "/").replace("~0", "~"))
    } else {
        Cow::Borrowed(step)
    }
}

/// The keys and indices that lead from the whole value to the place.
pub fn steps(pointer: &str) -> impl Iterator<Item = Cow<'_, str>> {
    pointer.split('/').skip(1).map(unescaped)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_with_tildes_and_slashes_round_trip() {
        let pointer = item(&child(&child("", "a/b"), "~1"), 3);
        assert_eq!(pointer, "/a~1b/~01/3");
        assert_eq!(steps(&pointer).collect::<Vec<_>>(), ["a/b", "~1", "3"]);
        assert_eq!(steps("").count(), 0);
    }
}
