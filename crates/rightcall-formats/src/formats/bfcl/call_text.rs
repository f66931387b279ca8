//! Calls in Python syntax, `cd(folder='x')`, `[f(a=1), g('b')]`, `f(a=1), g('b')`, optionally in a code fence.

use rightcall_core::value::Text;

use super::python::{Expression, parse, statements};
use crate::json::quoted;

/// A call parsed from text.
#[derive(Debug, PartialEq)]
pub(super) struct CallText {
    pub(super) name: Text<'static>,
    /// A JSON object; positional arguments have keys of `*` and their position.
    pub(super) arguments: String,
    pub(super) has_positions: bool,
    /// True if all arguments are literals.
    pub(super) is_literal: bool,
}

/// Language tags that an answer's code fence may have.
pub(crate) const LANGUAGES: [&str; 4] = ["python", "json", "tool_code", "tool_call"];

/// An answer without its code fence.
pub(super) fn without_fence(text: &str) -> &str {
    let tagged = text
        .split_once("<TOOLCALL>")
        .and_then(|(_, rest)| rest.split_once("</TOOLCALL>"));
    let text = tagged.map_or(text, |(inside, _)| inside);
    let is_fence = |letter: char| letter == '`' || letter.is_ascii_whitespace();
    let inner = text.trim_matches(is_fence);
    let is_fenced = text.trim_start().starts_with('`');
    let after = |language: &str| {
        inner
            .strip_prefix(language)
            .filter(|rest| rest.starts_with(|next: char| next.is_ascii_whitespace()))
    };
    let inside = LANGUAGES.into_iter().find_map(after).filter(|_| is_fenced);
    inside.unwrap_or(inner).trim()
}

/// The calls of an answer; `None` if the text isn't one. Brackets are optional, as in the leaderboard.
pub(super) fn calls(text: &str) -> Option<Vec<CallText>> {
    let answer = without_fence(text);
    let inner = answer.strip_prefix('[').unwrap_or(answer);
    let inner = inner.strip_suffix(']').unwrap_or(inner);
    if inner.trim().is_empty() {
        return answer.starts_with('[').then(Vec::new);
    }
    match parse(&format!("[{inner}]")) {
        Some(Expression::List(items)) => items.iter().map(of).collect(),
        Some(_) => None,
        // Some models end each call with a semicolon.
        None => statements(answer)?.iter().map(of).collect(),
    }
}

impl CallText {
    /// True for an object of a Python program as its `repr` shows it, such as `ToolCallPart(tool_name='find')`: the name of a class, with
    /// objects or fields of records as arguments.
    pub(super) fn is_repr(&self) -> bool {
        const FIELDS: [&str; 8] = [
            "type",
            "subtype",
            "kind",
            "event_kind",
            "part_kind",
            "call_id",
            "tool_call_id",
            "tool",
        ];
        let name = self.name.to_display();
        let is_class = name.starts_with(|first: char| first.is_ascii_uppercase())
            && name.chars().all(char::is_alphanumeric)
            && name.contains(char::is_lowercase);
        let has_field = |key: &&str| self.arguments.contains(&format!("{}:", quoted(key)));
        is_class && (!self.is_literal || FIELDS.iter().any(has_field))
    }
}

/// One call; `None` if the text isn't one.
pub(super) fn call(text: &str) -> Option<CallText> {
    of(&parse(text.trim())?)
}

fn of(call: &Expression<'_>) -> Option<CallText> {
    let Expression::Call(called, arguments) = call else {
        return None;
    };
    let members: Option<Vec<_>> = (0..)
        .zip(arguments)
        .map(|(place, (name, value)): (usize, _)| {
            Some(if name.is_position() {
                format!("\"*{place}\":{}", value.json_or_text())
            } else {
                format!("{}:{}", quoted(name.text()), value.json()?)
            })
        })
        .collect();
    Some(CallText {
        name: Text::from(called.dotted()?),
        arguments: format!("{{{}}}", members?.join(",")),
        has_positions: arguments.iter().any(|(name, _)| name.is_position()),
        is_literal: arguments.iter().all(|(_, value)| value.is_literal()),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_read_as_literals() {
        for (text, name, arguments) in [
            ("ls()", "ls", "{}"),
            (" a.b ( x = 1 , ) ", "a.b", r#"{"x":1}"#),
            (
                r#"f("a, b)", k='it\'s = x', l=[1, (2,)], d={'z': None, 'y': True})"#,
                "f",
                r#"{"*0":"a, b)","k":"it's = x","l":[1,[2]],"d":{"z":null,"y":true}}"#,
            ),
            ("f(x=-1.5, y='ü')", "f", r#"{"x":-1.5,"y":"ü"}"#),
        ] {
            let found = call(text).unwrap_or_else(|| panic!("{text}"));
            assert_eq!(
                (found.name.to_string().as_str(), found.arguments.as_str()),
                (name, arguments),
                "{text}"
            );
            assert!(found.is_literal, "{text}");
        }
        let mixed = call("f('a', k=2)").unwrap();
        assert_eq!(
            (mixed.arguments.as_str(), mixed.has_positions),
            (r#"{"*0":"a","k":2}"#, true)
        );
        let calculated = call("f(x=y, n=2*5, c=g())").unwrap();
        assert_eq!(
            (calculated.arguments.as_str(), calculated.is_literal),
            (r#"{"x":"y","n":10,"c":"g()"}"#, false)
        );
    }

    #[test]
    fn objects_of_a_program_are_no_calls() {
        for text in [
            "FunctionToolCallEvent(part=ToolCallPart(tool_name='add', args='{}'), event_kind='x')",
            "ResponseFunctionToolCall(arguments='{}', call_id='c', name='add', type='function_call')",
            "AgentAction(tool='add', tool_input={'a': 1}, log='')",
            "SystemMessage(subtype='init', data={'session_id': 's'})",
        ] {
            assert!(call(text).is_some_and(|it| it.is_repr()), "{text}");
        }
        for text in [
            "GetWeather(city='Oslo')",
            "find(type='x', n=g())",
            "Movies_1_Find(type='x')",
            "Math.Add(kind='x')",
        ] {
            assert!(call(text).is_some_and(|it| !it.is_repr()), "{text}");
        }
    }

    #[test]
    fn what_is_no_call_is_none() {
        for text in [
            "",
            "I cannot do that.",
            "f(x",
            "f(x=y.z)",
            "f)x(",
            "1f()",
            "f('a)",
            "f(x=[1)",
            "f",
            "f(x)(y)",
            "lambda",
        ] {
            assert_eq!(call(text), None, "{text}");
        }
    }

    #[test]
    fn an_answer_may_lack_brackets_and_stand_in_a_fence() {
        let names = |text: &str| {
            let found = calls(text)?
                .iter()
                .map(|call| call.name.to_string())
                .collect::<Vec<_>>();
            Some(found.join(" "))
        };
        for text in [
            "[f(), g(x=1)]",
            "f(), g(x=1)",
            "[f(),\n g(x=1)",
            "```python\n[f(), g(x=1)]\n```",
            "```\nf(), g(x=1)\n```",
            " `[f(), g(x=1)]` ",
            "I will. <TOOLCALL>[f(), g(x=1)]</TOOLCALL>",
            "f(); g(x=1);",
            "f();\ng(x=1)",
        ] {
            assert_eq!(names(text).as_deref(), Some("f g"), "{text}");
        }
        assert_eq!(names("[]").as_deref(), Some(""));
        for text in [
            "",
            "json",
            "I cannot [f()]",
            "[f(), 7]",
            "[{\"f\": {}}]",
            "f()\ng()",
            "f(); 7;",
            "f();; g();",
            ";",
        ] {
            assert_eq!(names(text), None, "{text}");
        }
    }
}
