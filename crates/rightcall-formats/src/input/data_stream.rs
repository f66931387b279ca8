//! Data streams of the AI SDK before version 5: lines of a code, a colon and JSON. Each becomes the stream part that it abbreviates.

use std::fmt::Write as _;

/// The codes with the type of their part, and the key for a value that isn't an object.
const CODES: [(char, &str, &str); 20] = [
    ('0', "text-delta", "textDelta"),
    ('2', "data-parts", "data"),
    ('3', "error", "error"),
    ('8', "data-annotations", "data"),
    ('9', "tool-call", ""),
    ('a', "tool-result", ""),
    ('b', "tool-call-streaming-start", ""),
    ('c', "tool-call-delta", ""),
    ('d', "finish", ""),
    ('e', "finish-step", ""),
    ('f', "start-step", ""),
    ('g', "reasoning-delta", "textDelta"),
    ('h', "source", ""),
    ('i', "reasoning-redacted", ""),
    ('j', "reasoning-signature", ""),
    ('k', "file", ""),
    ('1', "data-function-call", "data"),
    ('4', "data-assistant-message", "data"),
    ('5', "data-assistant-control", "data"),
    ('6', "data-message", "data"),
];

/// The code of a line and its value.
fn split(line: &str) -> Option<((char, &'static str, &'static str), &str)> {
    let code = line.chars().next()?;
    let value = line[code.len_utf8()..].strip_prefix(':')?;
    let known = CODES.into_iter().find(|(known, ..)| *known == code)?;
    let is_json = value.starts_with(['{', '[', '"']);
    (is_json && (!known.2.is_empty() || value.starts_with('{'))).then_some((known, value))
}

/// True if an input with this beginning may be a data stream.
pub(super) fn may_begin_with(head: &[u8]) -> bool {
    let head = head.trim_ascii_start();
    let line = head.split(|byte| *byte == b'\n').next().unwrap_or(head);
    let start = line[..line.len().min(8)].utf8_chunks().next();
    start.is_some_and(|chunk| split(chunk.valid()).is_some())
}

/// The parts as JSON Lines, each on its line; `None` for other texts.
pub(super) fn on_lines(text: &str) -> Option<String> {
    let mut lines = String::with_capacity(text.len() * 2);
    for line in text.lines().map(str::trim) {
        if !line.is_empty() {
            let ((_, kind, key), value) = split(line)?;
            let members = value.strip_prefix('{').map(str::trim_start);
            _ = match members.filter(|_| key.is_empty()) {
                Some(members) if members.starts_with('}') => {
                    write!(lines, r#"{{"type":"{kind}"{members}"#)
                }
                Some(members) => write!(lines, r#"{{"type":"{kind}",{members}"#),
                None => write!(lines, r#"{{"type":"{kind}","{key}":{value}}}"#),
            };
        }
        lines.push('\n');
    }
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::check;

    #[test]
    fn lines_become_parts() {
        assert_eq!(
            on_lines("f:{\"messageId\":\"m\"}\n\n0:\"a\"\ni:{}\n").as_deref(),
            Some(
                "{\"type\":\"start-step\",\"messageId\":\"m\"}\n\n{\"type\":\"text-delta\",\"textDelta\":\"a\"}\n{\"type\":\"reasoning-redacted\"}\n"
            )
        );
        for text in [
            "x:{}",
            "0:{}\nhello",
            "9:[]",
            "é:{}",
            "{\"a\":1}",
            "0: hello",
        ] {
            assert_eq!(
                on_lines(text).filter(|_| may_begin_with(text.as_bytes())),
                None,
                "{text}"
            );
        }
    }

    #[test]
    fn a_stream_holds_calls_and_results() {
        let deltas = "b:{\"toolCallId\":\"c\",\"toolName\":\"find\"}\nc:{\"toolCallId\":\"c\",\"argsTextDelta\":\"{}\"}\n";
        let call = "9:{\"toolCallId\":\"c\",\"toolName\":\"find\",\"args\":{}}\na:{\"toolCallId\":\"c\",\"result\":\"x\"}\n";
        let ended = "e:{\"finishReason\":\"tool-calls\",\"usage\":{}}\nf:{\"messageId\":\"n\"}\n0:\"Done.\"\ne:{\"finishReason\":\"stop\"}\nd:{\"finishReason\":\"stop\"}\n";
        for stream in [
            format!("f:{{\"messageId\":\"m\"}}\n{call}{ended}"),
            format!("f:{{\"messageId\":\"m\"}}\n{deltas}{call}{ended}"),
        ] {
            check("vercel", &stream, &[r#"find({}) c @0 -> "x""#]);
        }
        check("vercel", &deltas.replace("{}", "{"), &["1 unfinished"]);
    }
}
