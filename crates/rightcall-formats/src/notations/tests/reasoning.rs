//! Ends of texts, reasoning, quotations.

use super::*;

const CALL: &str = r#"<tool_call>{"name": "a", "arguments": {}}</tool_call>"#;

#[test]
fn end_tokens_and_tokens_around_answers_are_no_text() {
    check("Hi.<|im_end|>\n<|endoftext|> ", "| Hi.");
    check("a </s> b", "_");
    check("Hi <|START_TEXT|>there<|END_TEXT|>", "| Hi there");
    check(
        r#"<|START_RESPONSE|>{"name": "a", "parameters": {}}<|END_RESPONSE|>"#,
        "a{}",
    );
}

#[test]
fn reasoning_is_not_read() {
    for (open, close) in [
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<seed:think>", "</seed:think>"),
        ("<scratch_pad>", "</scratch_pad>"),
        ("<|START_THINKING|>", "<|END_THINKING|>"),
        ("[THINK]", "[/THINK]"),
    ] {
        check(&format!("{open}x {CALL}{close}Hi"), "| Hi");
        check(&format!("x {CALL}{close}\nHi"), "| Hi");
        check(&format!("{open}x {CALL}"), "quoted");
        check(&format!("{open}x"), "");
    }
    check(
        &format!("<think>x</think>\n{CALL}\n<think>y</think>{CALL} z"),
        "a{} a{} | z",
    );
}

#[test]
fn an_opening_tag_starts_a_line_or_follows_a_block() {
    check("b\n<think>c</think>\nd", "| b\nd");
    check(&format!("{CALL} <think>c</think> d"), "a{} | d");
    check("b <think>c</think> d", "_");
    check("I use <think> and </think>.", "_");
}

#[test]
fn a_closing_tag_alone_ends_reasoning() {
    check("a</think>b", "| b");
    check("a</think>b</think>c", "| b</think>c");
    check("The </think> tag ends it.", "_");
    check("</think> a", "| a");
    // Blocks may contain text similar to tags.
    check(
        r#"<tool_call>{"name": "a", "arguments": {"x": "</think>"}}</tool_call>"#,
        r#"a{"x": "</think>"}"#,
    );
    // A broken block does not hide the end of reasoning.
    check(
        &format!("I could <tool_call>\n{{\"name\": \"x\", no.\n</think>\n{CALL}"),
        "a{}",
    );
}

#[test]
fn quotations_are_not_read() {
    check(&format!("So:\n```\n{CALL}\n```\nOk?"), "quoted _");
    check(&format!("So `{CALL}` it is"), "quoted _");
    check("So `[f(k=1)]`, `f(k=1)` or `{\"name\": \"a\"}`", "quoted _");
    check("So `<tool_call>`, `[f(1)]` and `{\"name\": \"a\"}`", "_");
    check(
        &format!("{CALL}\nAs in `{CALL}`"),
        &format!("a{{}} quoted | As in `{CALL}`"),
    );
    check(&format!("```\n{CALL}\n```\n```\n{CALL}\n```"), "quoted _");
    check(
        &format!("So `{CALL}`.\nThen {{\"name\": \"b\", \"arguments\": {{}}}}"),
        "unread _",
    );
}

#[test]
fn a_quotation_that_is_the_answer_is_read() {
    check(&format!("`{CALL}`"), "a{}");
    check(
        &format!("<think>x</think>\n```xml\n{CALL}\n```<|im_end|>"),
        "a{}",
    );
    check(&format!("```\nHi {CALL}\n```"), "a{} | Hi");
    check("```json\n{\"name\": \"Ann\", \"age\": 41}\n```", "_");
    check("```json\n{\"name\": \"a\", \"args\": {}}\n```", "unread _");
    check("```\nThought: x\nAction: f\nAction Input: {}\n```", "f{}");
    // An unclosed quotation is plain text, but it is read if it starts the answer.
    check("```json\n{\"name\": \"a\", \"arguments\": {}}", "a{}");
    check("```json\n{\"name\": \"a\", \"arguments\": {}}```", "a{}");
    check(&format!("So:\n```\n{CALL}"), "a{} | So:\n```");
}

#[test]
fn the_end_of_reasoning_begins_a_line() {
    for space in ["", " ", "\n"] {
        for (text, expected) in [
            ("```tool_code\nf(q=1)\n```", "f{\"q\":1}"),
            ("Action: f\nAction Input: {}", "f{}"),
            ("```json\n{\"name\": \"a\", \"arguments\": {}}\n```", "a{}"),
        ] {
            check(&format!("<think>x</think>{space}{text}"), expected);
        }
    }
    // A mention of the tag.
    check("It ends with </think> Action: f\nthen", "_");
}
