//! Calls as shown on screens, `find_order(id=7, lang="en")`. Cases aren't written this way, but people paste it.

use rightcall_core::value::{Reader, Syntax};

use crate::json::quoted;

/// True for a text that can only be a call: a name followed at once by brackets up to the end.
pub(super) fn is_call(text: &str) -> bool {
    let is_part = |character: char| {
        character.is_alphanumeric() || matches!(character, '_' | '-' | '.' | '/' | ':')
    };
    text.strip_suffix(')')
        .and_then(|text| text.split_once('('))
        .is_some_and(|(name, _)| !name.is_empty() && name.chars().all(is_part))
}

/// The call as an object of a case, if its arguments are in screen notation.
pub(super) fn object(text: &str) -> Option<String> {
    let (name, rest) = text.strip_suffix(')')?.split_once('(')?;
    let mut rest = rest.trim();
    let mut arguments = Vec::new();
    while !rest.is_empty() {
        let (key, value) = rest.split_once('=')?;
        let mut reader = Reader::new(value, Syntax::JSON);
        let json = reader.raw().ok()?;
        rest = value.get(reader.offset()..)?.trim_start();
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None if rest.is_empty() => {}
            None => return None,
        }
        arguments.push(format!("{}:{json}", quoted(key.trim())));
    }
    let (name, arguments) = (quoted(name), arguments.join(","));
    Some(format!(r#"{{"name":{name},"args":{{{arguments}}}}}"#))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_screen_shows_is_known_for_a_call() {
        for text in [
            "find_order(id=7)",
            "find_order()",
            "a.b(x)",
            "f(g(1))",
            "shop:find(id=7)",
        ] {
            assert!(is_call(text), "{text}");
        }
        for text in ["find_order", "Search (beta)", "(x)", "f(x) y", "f)"] {
            assert!(!is_call(text), "{text}");
        }
    }

    #[test]
    fn arguments_as_screens_write_them_become_an_object() {
        assert_eq!(
            object("find()").as_deref(),
            Some(r#"{"name":"find","args":{}}"#)
        );
        let written = r#"find(id=7, q="a, b=(c)", on=true, o={"k":[1]})"#;
        let object_text =
            r#"{"name":"find","args":{"id":7,"q":"a, b=(c)","on":true,"o":{"k":[1]}}}"#;
        assert_eq!(object(written).as_deref(), Some(object_text));
        for text in ["find(7)", "find(id=x)", "find(id=7 8)", "find(id='a')"] {
            assert_eq!(object(text), None, "{text}");
        }
    }
}
