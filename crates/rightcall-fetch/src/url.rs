//! Builds URLs, and shows them without their query.

use form_urlencoded::Serializer;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// One path segment, with special characters written as `%XX`.
pub(crate) fn segment(text: &str) -> String {
    const OUTSIDE: &AsciiSet = &NON_ALPHANUMERIC
        .remove(b'-')
        .remove(b'.')
        .remove(b'_')
        .remove(b'~');
    utf8_percent_encode(text, OUTSIDE).to_string()
}

/// `path?key=value&…`.
pub(crate) fn with_query(path: &str, pairs: &[(&str, String)]) -> String {
    let mut query = Serializer::new(String::new());
    query.extend_pairs(pairs);
    let query = query.finish();
    if query.is_empty() {
        path.to_owned()
    } else {
        format!("{path}?{query}")
    }
}

/// The `https://host:port` of a URL; `None` if it is not an http or https URL.
pub(crate) fn origin(url: &str) -> Option<&str> {
    let scheme = ["http://", "https://"]
        .into_iter()
        .find(|scheme| url.starts_with(scheme))?;
    let rest = &url[scheme.len()..];
    let end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    (end > 0).then_some(&url[..scheme.len() + end])
}

/// The URL without its query, which may hold secrets.
pub(crate) fn shown(url: &str) -> &str {
    url.split(['?', '#']).next().unwrap_or(url)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_made_of_parts_and_shown_without_what_was_asked() {
        assert_eq!(segment("a b/é"), "a%20b%2F%C3%A9");
        assert_eq!(
            with_query(
                "/x",
                &[("name", "a&b".to_owned()), ("name", "c d".to_owned())]
            ),
            "/x?name=a%26b&name=c+d"
        );
        assert_eq!(with_query("/x", &[]), "/x");
        assert_eq!(origin("https://h:1/a?b"), Some("https://h:1"));
        assert_eq!(origin("https://h"), Some("https://h"));
        assert_eq!(
            (origin("h/a"), origin("http://"), origin("ftp://h")),
            (None, None, None)
        );
        assert_eq!(shown("https://h/a?key=secret"), "https://h/a");
    }
}
