//! JSON pointers (RFC 6901).

/// The pointer to a member.
pub(crate) fn child(pointer: &str, key: &str) -> String {
    format!("{pointer}/{}", key.replace('~', "~0").replace('/', "~1"))
}

/// The pointer to an item.
pub(crate) fn item(pointer: &str, index: usize) -> String {
    format!("{pointer}/{index}")
}
