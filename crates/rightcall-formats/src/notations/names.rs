//! Names of tools, and the placeholders for them in prompts.

use crate::catalogue::ToolCatalogue;

/// Example names in well-known prompt templates.
const TEMPLATE_NAMES: [&str; 2] = ["function-name", "example_function_name"];

/// The maximum number of characters of a name.
const MAX_NAME: usize = 256;

/// True for a valid name in a notation with unquoted names.
pub(super) fn is_name(text: &str) -> bool {
    text.contains(char::is_alphanumeric) && text.chars().all(is_name_letter)
}

/// True for a character allowed in such a name.
pub(super) fn is_name_letter(letter: char) -> bool {
    const OTHERS: &str = "<>{}()[]\"'$=,;`";
    !letter.is_whitespace() && !OTHERS.contains(letter)
}

/// The name at the start of a text; empty if it is too long.
pub(super) fn name_prefix(text: &str) -> &str {
    let mut letters = text.char_indices().take(MAX_NAME);
    let end = letters.find(|(_, letter)| !is_name_letter(*letter));
    match end {
        Some((end, _)) => &text[..end],
        None if text.chars().nth(MAX_NAME).is_none() => text,
        None => "",
    }
}

/// The name at the end of a text.
pub(super) fn name_suffix(text: &str) -> &str {
    let mut parts = text.rsplit(|letter| !is_name_letter(letter));
    parts.next().unwrap_or_default()
}

/// The length of a placeholder at the start of a text: `<words>`, `{words}`, `[words]`, `${words}` or `$WORD`.
pub(super) fn placeholder_length(text: &str) -> Option<usize> {
    let after_sign = text.strip_prefix('$');
    let rest = after_sign.unwrap_or(text);
    let close = match rest.chars().next()? {
        '{' => '}',
        '<' if after_sign.is_none() => '>',
        '[' if after_sign.is_none() => ']',
        _ => {
            let length = after_sign?.find(|letter| !is_word_letter(letter) || letter == ' ');
            let word = &rest[..length.unwrap_or(rest.len())];
            return has_letter(word).then_some(word.len() + 1);
        }
    };
    let words = &rest[1..];
    let length = words.find(|letter| !is_word_letter(letter))?;
    let is_closed = words[length..].starts_with(close) && has_letter(&words[..length]);
    is_closed.then_some(text.len() - words.len() + length + 1)
}

fn is_word_letter(letter: char) -> bool {
    letter.is_alphanumeric() || matches!(letter, ' ' | '-' | '_')
}

fn has_letter(words: &str) -> bool {
    words.contains(char::is_alphanumeric)
}

/// True if a name is a placeholder, or a template's example name and not a tool.
pub(super) fn is_placeholder(name: &str, tools: &ToolCatalogue) -> bool {
    let name = name.trim();
    placeholder_length(name) == Some(name.len())
        || TEMPLATE_NAMES.contains(&name) && !tools.has(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_a_letter_and_no_brackets_or_quotes() {
        for name in [
            "a",
            "get_weather",
            "a.b",
            "server-name.tool",
            "ns::f",
            "7",
            "Łódź",
        ] {
            assert!(is_name(name), "{name}");
        }
        for text in [
            "", "...", "a b", "f(x)", "<f", "{f}", "a=1", "\"f\"", "f`", "a,b", "$F", "f;",
        ] {
            assert!(!is_name(text), "{text}");
        }
    }

    #[test]
    fn placeholders_are_complete() {
        let tools = ToolCatalogue::default();
        for name in [
            "<function-name>",
            "{tool name}",
            "[name_1]",
            "${tool}",
            "$FUNCTION_NAME",
            "function-name",
            "example_function_name",
        ] {
            assert!(is_placeholder(name, &tools), "{name}");
        }
        for name in [
            "<func",
            "{}",
            "{...}",
            "<a.b>",
            "f",
            "$",
            "${a",
            "<a>b",
            "[ ]",
            "{\"name\"}",
            "$<a>",
        ] {
            assert!(!is_placeholder(name, &tools), "{name}");
        }
        assert_eq!(placeholder_length("{name} and more"), Some(6));
    }
}
