//! A call in the source text of Java or JavaScript: `[Intro.step(w=800, name="x")]`.
//!
//! The leaderboard's decoder keeps each argument as its source text, without the quotes of a
//! string; the checker converts it. A text has one call. Java's decoder removes blanks from most
//! expressions.

use rightcall_core::value::Text;

use super::call_text::{CallText, without_fence};
use crate::json::quoted;

/// The language of an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Language {
    Java,
    JavaScript,
}

impl Language {
    /// The language in the id of a question: `simple_java_7`, `simple_javascript_7`.
    pub(super) fn from_id(id: &Text<'_>) -> Option<Self> {
        match id.to_display().strip_prefix("simple_")?.split_once('_')?.0 {
            "java" => Some(Self::Java),
            "javascript" => Some(Self::JavaScript),
            _ => None,
        }
    }

    /// Parses the call in an answer; `None` if there is none.
    pub(super) fn call(self, answer: &str) -> Option<CallText> {
        let answer = without_fence(answer);
        // Brackets are optional.
        let inner = answer.strip_prefix('[').unwrap_or(answer);
        let inner = inner.strip_suffix(']').unwrap_or(inner).trim();
        let (name, rest) = inner.trim_end_matches(';').split_once('(')?;
        let is_name = |text: &str| {
            let is_letter = |it: char| it.is_alphanumeric() || matches!(it, '_' | '$' | '.');
            !text.is_empty() && text.chars().all(is_letter)
        };
        let (arguments, end) = arguments(rest)?;
        if !is_name(name.trim()) || !end.trim().is_empty() {
            return None;
        }
        let mut members: Vec<(String, String)> = Vec::new();
        for (place, argument) in arguments.into_iter().enumerate() {
            let named = argument.split_once('=').filter(|(name, value)| {
                is_name(name.trim()) && !name.contains('.') && !value.starts_with(['=', '>'])
            });
            let (name, value) = match named {
                Some((name, value)) => (name.trim().to_owned(), value.trim()),
                None => (format!("*{place}"), argument.trim()),
            };
            // The decoder rejects two arguments of one name.
            if members.iter().any(|(known, _)| *known == name) {
                return None;
            }
            members.push((name, self.value(value)));
        }
        let has_positions = members.iter().any(|(name, _)| name.starts_with('*'));
        let members = members.iter();
        let members: Vec<_> = members
            .map(|(name, value)| format!("{}:{}", quoted(name), quoted(value)))
            .collect();
        Some(CallText {
            name: Text::from(name.trim().to_owned()),
            arguments: format!("{{{}}}", members.join(",")),
            has_positions,
            is_literal: true,
        })
    }

    fn value(self, source: &str) -> String {
        let inside = ['"', '\''].into_iter().find_map(|quote| {
            let inside = source.strip_prefix(quote)?.strip_suffix(quote)?;
            // In Java, a sum of strings also begins and ends with a quote.
            (self == Self::JavaScript || end_of_string(source, quote) == Some(source.len()))
                .then_some(inside)
        });
        match (self, inside) {
            (_, Some(inside)) => inside.to_owned(),
            (Self::JavaScript, None) => source.to_owned(),
            (Self::Java, None) => compact_expression(source),
        }
    }
}

/// The offset after the string literal at the start of a text.
fn end_of_string(text: &str, quote: char) -> Option<usize> {
    let mut letters = text.char_indices().skip(1);
    while let Some((at, letter)) = letters.next() {
        if letter == '\\' {
            letters.next();
        } else if letter == quote {
            return Some(at + letter.len_utf8());
        }
    }
    None
}

/// The arguments before the closing bracket, and the text after it.
fn arguments(text: &str) -> Option<(Vec<&str>, &str)> {
    let (mut arguments, mut start, mut depth, mut at) = (Vec::new(), 0, 0_usize, 0);
    // Open brackets of types, such as `Map<String, Object>`.
    let mut angles = 0_usize;
    while let Some(letter) = text[at..].chars().next() {
        match letter {
            '"' | '\'' | '`' => {
                at += end_of_string(&text[at..], letter)?;
                continue;
            }
            '(' | '[' | '{' => depth += 1,
            '<' if text[..at].ends_with(char::is_alphanumeric) => angles += 1,
            '>' => angles = angles.saturating_sub(1),
            ')' if depth == 0 => {
                let last = &text[start..at];
                if !last.trim().is_empty() || !arguments.is_empty() {
                    arguments.push(last);
                }
                let is_any_empty = arguments.iter().any(|it| it.trim().is_empty());
                return (!is_any_empty).then_some((arguments, &text[at + 1..]));
            }
            ')' | ']' | '}' => depth = depth.checked_sub(1)?,
            ',' if depth + angles == 0 => {
                arguments.push(&text[start..at]);
                start = at + 1;
            }
            _ => {}
        }
        at += letter.len_utf8();
    }
    None
}

/// Removes blanks from a Java expression, except in strings, in method calls, and after `new` and
/// the commas of a constructor call.
fn compact_expression(source: &str) -> String {
    let is_word = |text: &str| {
        text.chars()
            .all(|it| it.is_alphanumeric() || matches!(it, '_' | '$' | '.'))
    };
    let head = source.split('(').next().unwrap_or_default();
    if is_word(head.trim_end()) {
        return source.to_owned();
    }
    let created = source.strip_prefix("new ");
    match created.and_then(|it| Some((it, it.find(['(', '{'])?))) {
        // The body of an anonymous class is left out.
        Some((created, at)) if created[at..].starts_with('(') => {
            let kind = without_blanks(&created[..at]);
            let Some((values, _)) = arguments(&created[at + 1..]) else {
                return source.to_owned();
            };
            let values: Vec<_> = values
                .iter()
                .map(|it| compact_expression(it.trim()))
                .collect();
            format!("new {kind}({})", values.join(", "))
        }
        Some((created, _)) => format!("new {}", without_blanks(created)),
        None => without_blanks(source),
    }
}

/// The source without blanks outside of strings.
fn without_blanks(source: &str) -> String {
    let (mut kept, mut at) = (String::new(), 0);
    while let Some(letter) = source[at..].chars().next() {
        let end = match letter {
            '"' | '\'' => end_of_string(&source[at..], letter).unwrap_or(letter.len_utf8()),
            _ => letter.len_utf8(),
        };
        if !letter.is_whitespace() {
            kept.push_str(&source[at..at + end]);
        }
        at += end;
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_keep_their_source_text() {
        for (language, text, name, arguments) in [
            (Language::JavaScript, "[B(t=5.0)]", "B", r#"{"t":"5.0"}"#),
            (
                Language::JavaScript,
                r#"[f(a=[1, 2], b={"k": 1}, c=5n, d="x, y", e=(a) => a + 1)]"#,
                "f",
                r#"{"a":"[1, 2]","b":"{\"k\": 1}","c":"5n","d":"x, y","e":"(a) => a + 1"}"#,
            ),
            (
                Language::Java,
                "[Intro.step(w=800, h=600L, s=\"a b\", c='x')]",
                "Intro.step",
                r#"{"w":"800","h":"600L","s":"a b","c":"x"}"#,
            ),
            (
                Language::Java,
                r#"[f(a=new int[]{1, 2}, l=Arrays.asList("a", "b"), n=-5, b=true, m)]"#,
                "f",
                r#"{"a":"new int[]{1,2}","l":"Arrays.asList(\"a\", \"b\")","n":"-5","b":"true","*4":"m"}"#,
            ),
            (
                Language::Java,
                r#"[f(m=new HashMap<String, Object>() {{ put("a", 1); }}, d=new Date( 1,"x y" ))]"#,
                "f",
                r#"{"m":"new HashMap<String,Object>()","d":"new Date(1, \"x y\")"}"#,
            ),
            (Language::Java, "[f()]", "f", "{}"),
        ] {
            let call = language.call(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(call.name.to_display(), name, "{text}");
            assert_eq!(call.arguments, arguments, "{text}");
        }
    }

    #[test]
    fn rejects_other_texts() {
        for text in [
            "[f(a=1, a=2)]",
            "[f(a='x)]",
            "[f(a=[1)]",
            "[f(a=1) + 2]",
            "[x]",
            "[f(,)]",
        ] {
            assert_eq!(Language::JavaScript.call(text), None, "{text}");
        }
    }

    #[test]
    fn finds_the_language_in_the_id() {
        let of = |id: &str| Language::from_id(&Text::new(id).into_owned());
        assert_eq!(of("simple_java_7"), Some(Language::Java));
        assert_eq!(of("simple_javascript_0"), Some(Language::JavaScript));
        assert_eq!(of("simple_python_0"), None);
    }
}
