//! Properties of arbitrary texts.

use proptest::prelude::*;

use super::goldens::goldens;
use super::*;
use crate::notations::may_hold_calls;

/// Parts of notations, and other characters.
const PARTS: [&str; 44] = [
    "<tool_call>",
    "</tool_call>",
    "<function=f>",
    "<function=",
    "<parameter=a>",
    "</parameter>",
    "</function>",
    "<invoke name=\"f\">",
    "<invoke>",
    "<tool_name>f</tool_name>",
    "<arg_key>k</arg_key>",
    "<arg_value>",
    "[TOOL_CALLS]",
    "[ARGS]",
    "<|python_tag|>",
    "<|python_start|>",
    "<function_calls>",
    "<|tool_call_begin|>",
    "<|tool_call_argument_begin|>",
    "<｜tool▁call▁begin｜>",
    "<｜tool▁sep｜>",
    "<functioncall> {\"name\": \"f\", \"arguments\": '",
    "functools[",
    "<|channel|>final",
    "<|message|>",
    "<|start|>assistant",
    "\nAction: f\n",
    "\nAction Input: ",
    "\nFinal Answer: ",
    "```tool_code\n",
    "\n```\n",
    "`",
    "<think>",
    "</think>",
    "{\"name\": \"a\", ",
    "\"arguments\": {",
    "}",
    "]",
    "[f(x=",
    "'",
    "\"",
    "\\",
    "é",
    "\n",
];

/// A golden text with changes in some places.
fn changed() -> impl Strategy<Value = String> {
    let change = (
        any::<prop::sample::Index>(),
        0..4_u8,
        prop::sample::select(&PARTS[..]),
        0..20_usize,
    );
    let texts: Vec<_> = goldens().into_iter().map(|golden| golden.text).collect();
    (
        prop::sample::select(texts),
        prop::collection::vec(change, 1..4),
    )
        .prop_map(|(mut text, changes)| {
            for (place, kind, part, length) in changes {
                let places: Vec<_> = text
                    .char_indices()
                    .map(|(at, _)| at)
                    .chain([text.len()])
                    .collect();
                let index = place.index(places.len());
                let (at, end) = (
                    places[index],
                    places[(index + length).min(places.len() - 1)],
                );
                match kind {
                    0 => text.truncate(at),
                    1 => text.replace_range(at..end, ""),
                    2 => {
                        let copied = text[at..end].to_owned();
                        text.insert_str(at, &copied);
                    }
                    _ => text.insert_str(at, part),
                }
            }
            text
        })
}

fn assembled() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PARTS[..]), 0..12).prop_map(|parts| parts.concat())
}

/// The properties of every text.
fn holds(text: &str) {
    for tools in ["[]", TOOLS] {
        let tools = ToolCatalogue::from_json(tools).unwrap();
        let found = read_notations(text, &tools);
        for call in &found.calls {
            if let TextArguments::Json(json) = &call.arguments {
                let value = rightcall_core::value::decode(json).unwrap();
                assert!(value.as_object().is_some(), "{text:?}: {json}");
            }
            assert!(!call.name.is_empty(), "{text:?}");
        }
        assert!(found.unread || !found.quoted, "{text:?}");
        assert_eq!(found.text.trim(), found.text, "{text:?}");
        let is_empty = found.calls.is_empty() && !found.unread;
        assert!(may_hold_calls(text) || is_empty, "{text:?}: {found:?}");
    }
}

#[test]
fn every_beginning_of_a_golden_text_is_read() {
    for golden in goldens() {
        let ends = golden.text.char_indices().map(|(at, _)| at);
        ends.for_each(|end| _ = read_notations(&golden.text[..end], &golden.tools));
        holds(&golden.text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn changed_texts_are_read(text in changed()) {
        holds(&text);
    }

    #[test]
    fn assembled_texts_are_read(text in assembled()) {
        holds(&text);
    }

    #[test]
    fn any_text_is_read(text in "[<>|\\[\\](){}`'\",:=a-c \n\\\\/]{0,40}") {
        holds(&text);
    }
}

/// A reader that scans such a text more than a few times would take hours.
#[test]
fn long_texts_of_one_part_are_read() {
    let tools = ToolCatalogue::default();
    let read =
        |part: &str, length: usize| read_notations(&part.repeat(length / part.len()), &tools);
    for part in [
        "<tool_call>",
        "[",
        "{",
        "<",
        "`",
        "[f(",
        "{\"name\":",
        "<tool_call>{\"a\":\"",
    ] {
        read(part, 1 << 20);
    }
    PARTS.into_iter().for_each(|part| _ = read(part, 1 << 16));
}
