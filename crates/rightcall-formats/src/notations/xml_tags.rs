//! The tags of XML-like blocks.

use super::markers::{Form, Marker};

/// The tags of a function in one dialect.
#[derive(Debug)]
pub(super) struct Tags {
    pub(super) notation: &'static str,
    /// The start of a parameter tag, before its name.
    pub(super) parameter: &'static str,
    pub(super) parameter_end: &'static str,
    pub(super) end: &'static str,
    /// End tags of wrappers, which also end a function.
    pub(super) wrapper_ends: &'static [&'static str],
    /// True if there is no wrapper.
    pub(super) is_alone: bool,
    /// Start tags of functions and wrappers.
    pub(super) begins: &'static [&'static str],
}

impl Tags {
    /// The tags of a function with this marker, with or without a wrapper.
    pub(super) fn new(marker: &Marker, wrapper: Option<&Marker>) -> Self {
        let tags = match (marker.form, marker.begin.contains("DSML")) {
            (Form::Function, _) => Self {
                notation: "Qwen3-Coder",
                parameter: "<parameter",
                parameter_end: "</parameter>",
                end: "</function>",
                wrapper_ends: &["</tool_call>", "</seed:tool_call>"],
                is_alone: true,
                begins: &["<function=", "<tool_call>", "<seed:tool_call>"],
            },
            (_, false) => Self {
                notation: "Anthropic",
                parameter: "<parameter",
                parameter_end: "</parameter>",
                end: "</invoke>",
                wrapper_ends: &["</function_calls>", "</minimax:tool_call>"],
                is_alone: true,
                begins: &["<invoke", "<function_calls>", "<minimax:tool_call>"],
            },
            (_, true) => Self {
                notation: "DeepSeek V3.2",
                parameter: "<｜DSML｜parameter",
                parameter_end: "</｜DSML｜parameter>",
                end: "</｜DSML｜invoke>",
                wrapper_ends: &["</｜DSML｜function_calls>"],
                is_alone: true,
                begins: &["<｜DSML｜invoke", "<｜DSML｜function_calls>"],
            },
        };
        match wrapper {
            Some(wrapper) => Self {
                notation: match wrapper.form {
                    Form::Wrapper => wrapper.notation,
                    _ => tags.notation,
                },
                wrapper_ends: wrapper.ends,
                is_alone: false,
                ..tags
            },
            None => tags,
        }
    }
}

/// The content of the tag at the start of a text, and its length including `>`; `None` if it is unclosed.
pub(super) fn tag(text: &str) -> Option<(&str, usize)> {
    let length = text.find(['<', '>', '\n'])?;
    let is_closed = text[length..].starts_with('>');
    is_closed.then(|| (&text[..length], length + 1))
}

/// The value of an attribute in a tag.
pub(super) fn attribute<'t>(tag: &'t str, key: &str) -> Option<&'t str> {
    let (at, _) = tag.match_indices(key).find(|(at, _)| {
        let is_word = tag[..*at].ends_with(char::is_whitespace);
        is_word && tag[at + key.len()..].trim_start().starts_with('=')
    })?;
    let value = tag[at + key.len()..]
        .trim_start()
        .strip_prefix('=')?
        .trim_start();
    for quote in ['"', '\''] {
        if let Some(inside) = value.strip_prefix(quote) {
            return inside.split_once(quote).map(|(value, _)| value);
        }
    }
    let end = value.find(|letter: char| letter.is_whitespace() || letter == '/');
    Some(&value[..end.unwrap_or(value.len())])
}

/// The tag of a parameter.
#[derive(Debug, PartialEq)]
pub(super) struct ParameterTag<'t> {
    pub(super) key: &'t str,
    /// True if the value is a string; `None` if the schema decides.
    pub(super) is_text: Option<bool>,
    pub(super) is_empty: bool,
    /// The length of the tag.
    pub(super) length: usize,
}

/// Parses the rest of a parameter tag, `=k>` or ` name="k">`, at the start of the text.
pub(super) fn parameter_tag(text: &str) -> Option<ParameterTag<'_>> {
    let (tag, length) = tag(text)?;
    let key = match tag.strip_prefix('=') {
        Some(key) => key,
        None => attribute(tag, "name")?,
    };
    let key = key.trim();
    let is_text = match attribute(tag, "string") {
        Some("true") => Some(true),
        Some("false") => Some(false),
        _ => None,
    };
    (!key.is_empty()).then_some(ParameterTag {
        key,
        is_text,
        is_empty: !tag.starts_with('=') && tag.ends_with('/'),
        length,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_with_and_without_quotes_are_read() {
        for tag in [
            " name=\"f\"",
            " name='f' x",
            " id=\"1\" name = f",
            "\tname=f/",
        ] {
            assert_eq!(attribute(tag, "name"), Some("f"), "{tag}");
        }
        for tag in [" filename=\"f\"", " name", " name=\"f", ""] {
            assert_eq!(attribute(tag, "name"), None, "{tag}");
        }
    }

    #[test]
    fn parameter_tags_are_read() {
        let key = |text| parameter_tag(text).map(|it| (it.key, it.is_text, it.length));
        assert_eq!(key("=k>v"), Some(("k", None, 3)));
        assert_eq!(
            key(" name=\"k\" string=\"false\">v"),
            Some(("k", Some(false), 25))
        );
        for text in ["=>", ">", "=k\n>", " name=\"\">", "s"] {
            assert_eq!(key(text), None, "{text}");
        }
    }
}
