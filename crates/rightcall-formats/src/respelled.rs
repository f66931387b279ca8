//! Values whose keys are in another word style than their format's, as libraries of other languages write them: `ToolUseId` for
//! `toolUseId`, `toolCallId` for `tool_call_id`.

use rightcall_core::value::{JsonWriter, Text};

use crate::json::written;
use crate::node::Node;

/// The style of the keys in a format.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum WordStyle {
    /// `tool_call_id`
    Snake,
    /// `toolCallId`
    Camel,
}

impl WordStyle {
    /// The value with its keys, types and roles in this style; `None` if that changes nothing. Arguments and results are not changed.
    pub(crate) fn respelled(self, value: &Node<'_>) -> Option<String> {
        if !self.changes(value) {
            return None;
        }
        Some(written(|writer| self.write(value, true, writer)))
    }

    /// True if a key of the first record is in another style.
    fn changes(self, value: &Node<'_>) -> bool {
        let first = value.first_record();
        let members = first.entries().iter().filter(|(key, _)| !is_foreign(key));
        let mut records = [first]
            .into_iter()
            .chain(members.map(|(_, it)| it.first_record()));
        records.any(|record| {
            record.entries().iter().any(|(key, value)| {
                let word = value.str().filter(|_| is_kind(key));
                key.as_str().is_some_and(|key| self.changes_word(key))
                    || word.is_some_and(|word| self.changes_word(word))
            })
        })
    }

    /// True if [`of`](Self::of) changes the text.
    fn changes_word(self, text: &str) -> bool {
        let mut letters = match self {
            Self::Snake => text.bytes(),
            Self::Camel => text.get(..1).unwrap_or_default().bytes(),
        };
        letters.any(|letter| letter.is_ascii_uppercase())
    }

    /// The text in this style.
    fn of(self, text: &str) -> String {
        match self {
            Self::Snake => snake(text),
            Self::Camel => {
                let mut letters = text.chars();
                let first = letters.next().map(|first| first.to_ascii_lowercase());
                first.into_iter().chain(letters).collect()
            }
        }
    }

    /// `is_outer` is true outside of messages and their members.
    fn write(self, value: &Node<'_>, is_outer: bool, writer: &mut JsonWriter) {
        if value.is_list() {
            writer.begin_list();
            value
                .items()
                .iter()
                .for_each(|item| self.write(item, is_outer, writer));
            writer.end_list();
        } else if value.is_object() {
            let is_outer = is_outer && !value.entries().iter().any(|(key, _)| is_kind(key));
            writer.begin_object();
            for (key, member) in value.entries() {
                let spelled = key.as_str().map(|key| match key {
                    // The role in Spring AI.
                    "messageType" => "role".to_owned(),
                    key => self.of(key),
                });
                match &spelled {
                    Some(spelled) => writer.key(spelled),
                    None => writer.key_text(key),
                };
                match member.str().filter(|_| is_kind(key)) {
                    Some(word) => _ = writer.str(&self.of(word)),
                    None if is_foreign(key) && !(is_outer && holds_messages(member)) => {
                        _ = writer.raw(member.raw());
                    }
                    None => self.write(member, is_outer && holds_messages(member), writer),
                }
            }
            writer.end_object();
        } else {
            writer.raw(value.raw());
        }
    }
}

/// Words in lower case with underscores between them; capitals in a row are one word.
fn snake(text: &str) -> String {
    let letters: Vec<char> = text.chars().collect();
    let mut snake = String::new();
    for (place, letter) in letters.iter().enumerate() {
        let is_upper = |at: usize| letters.get(at).is_some_and(char::is_ascii_uppercase);
        let begins = place > 0
            && is_upper(place)
            && letters[place - 1] != '_'
            && (!is_upper(place - 1)
                || letters.get(place + 1).is_some_and(char::is_ascii_lowercase));
        if begins {
            snake.push('_');
        }
        snake.push(letter.to_ascii_lowercase());
    }
    snake
}

/// True for a key whose text is a word of the format.
fn is_kind(key: &Text<'_>) -> bool {
    let is = |word: &str| {
        key.as_str()
            .is_some_and(|key| key.eq_ignore_ascii_case(word))
    };
    is("type") || is("role") || is("messageType")
}

/// True for a key with data of tools, whose own keys have a meaning.
fn is_foreign(key: &Text<'_>) -> bool {
    const KEYS: [&str; 15] = [
        "args",
        "arguments",
        "functionarguments",
        "input",
        "json",
        "metadata",
        "output",
        "parameters",
        "properties",
        "rawinput",
        "response",
        "result",
        "schema",
        "toolargs",
        "toolinput",
    ];
    let letters: String = key.to_display().chars().filter(|it| *it != '_').collect();
    KEYS.iter().any(|known| letters.eq_ignore_ascii_case(known))
}

/// True for messages, items or parts, or for an object around a message.
fn holds_messages(value: &Node<'_>) -> bool {
    let first = value.first_record();
    let mut keys = first.entries().iter().map(|(key, _)| key);
    keys.any(|key| {
        is_kind(key)
            || key
                .as_str()
                .is_some_and(|key| key.eq_ignore_ascii_case("message"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn words_are_respelled() {
        for (text, snake) in [
            ("toolCallId", "tool_call_id"),
            ("ToolCallID", "tool_call_id"),
            ("TOOL_USE", "tool_use"),
            ("toolUse", "tool_use"),
            ("role", "role"),
        ] {
            assert_eq!(WordStyle::Snake.of(text), snake);
            assert_eq!(WordStyle::Snake.changes_word(text), text != snake);
        }
        assert_eq!(WordStyle::Camel.of("ToolUseId"), "toolUseId");
        assert!(WordStyle::Camel.changes_word("ToolUseId"));
        assert!(!WordStyle::Camel.changes_word("toolUseId"));
    }

    #[test]
    fn messages_of_libraries_of_other_languages_are_read() {
        check(
            "openai-chat",
            r#"[{"role":"assistant","content":"","toolCalls":[{"id":"a","function":{"name":"find","arguments":{"orderId":7}}}]},{"role":"tool","toolCallId":"a","content":"x"}]"#,
            &[r#"find({"orderId":7}) a @0 -> "x""#],
        );
        check(
            "bedrock",
            r#"{"Messages":[{"Role":"assistant","Content":[{"ToolUse":{"ToolUseId":"a","Name":"find","Input":{"OrderId":7}}}]},{"Role":"user","Content":[{"ToolResult":{"ToolUseId":"a","Content":[{"Text":"x"}],"Status":"success"}}]}]}"#,
            &[r#"find({"OrderId":7}) a @0 -> "x""#],
        );
        check(
            "anthropic",
            r#"[{"role":"ASSISTANT","content":[{"type":"TOOL_USE","id":"a","name":"find","input":{"orderId":7}}]}]"#,
            &[r#"find({"orderId":7}) a @0"#],
        );
    }
}
