//! Notations that structure the whole text: harmony and `ReAct`.

use super::*;

#[test]
fn harmony_messages_with_a_recipient_are_calls() {
    let call = "<|channel|>commentary to=functions.a.b <|constrain|>json<|message|>";
    check(&format!("{call}{{\"x\": 1}}<|call|>"), r#"a.b{"x": 1}"#);
    check(
        &format!("{call}{{\"x\": \"<|end|>\"}}<|call|>"),
        r#"a.b{"x": "<|end|>"}"#,
    );
    check(&format!("{call}<|end|>"), "a.b{}");
    check(call, "unread");
    check(&format!("{call}{{\"x"), r#"a.b?({"x)"#);
    check("<|channel|>commentary to=functions.a", "unread");
    check(
        "<|channel|>analysis to=python code<|message|>print(1)<|call|>",
        "python?(print(1))",
    );
    check(
        "<|start|>assistant to=a<|channel|>final<|message|>{}<|call|>",
        "a{}",
    );
    check("to=functions.a<|channel|>commentary<|message|>{}", "a{}");
    check(
        "<|start|>assistant<|channel|>final to=user<|message|>Hi<|return|>",
        "| Hi",
    );
}

#[test]
fn harmony_messages_without_one_are_text_or_reasoning() {
    let call = r#"{"name": "a", "arguments": {}}"#;
    check(
        &format!(
            "<|channel|>analysis<|message|>{call}<|end|><|start|>assistant<|channel|>commentary<|message|>Wait.<|end|><|start|>assistant<|channel|>final<|message|>Hi"
        ),
        "| Wait.\nHi",
    );
    check(
        &format!("<|channel|>final<|message|>So {call}<|return|>"),
        &format!("unread | So {call}"),
    );
    check(
        &format!("<|channel|>final<|message|>So `{call}`<|return|>"),
        &format!("quoted | So `{call}`"),
    );
    check(&format!("<|channel|>analysis<|message|>{call}"), "quoted");
    check(
        "<|start|>user<|message|>a<|end|><|start|>assistant<|message|>b<|end|>",
        "| b",
    );
    check(
        "<|channel|>commentary to=functions.a<|message|>{}<|call|><|start|>functions.a to=assistant<|channel|>commentary<|message|>{}<|end|>",
        "a{}",
    );
    check(
        "Hi<|end|><|start|>assistant<|channel|>final<|message|>you",
        "| Hi\nyou",
    );
    check(
        "The <|channel|> token names it and <|message|> begins it.",
        "_",
    );
    check(
        "So `<|channel|>commentary to=functions.a<|message|>{}<|call|>` it is",
        "quoted _",
    );
}

#[test]
fn react_has_labels() {
    check(
        "Thought: x\nAction: f\nAction Input: {\"a\": 1}\nObservation: y\nThought: z",
        r#"f{"a": 1}"#,
    );
    check(
        "Hi.\nAction: f\nAction Input: {'a': 1}",
        r#"f{"a":1} | Hi."#,
    );
    check(
        "Action: `f`\nAction Input: ```json\n{}\n```\nFinal Answer: a\nb",
        "f{} | a\nb",
    );
    check("Hi\nThought: x\nFinal Answer: 42", "| 42");
    check("<think>x</think>\nAction: [f]\nAction Input:\n", "f{}");
    check("Action: \"f\"\nAction Input: None", "f{}");
    check("Action: None\nAction Input: None\nFinal Answer: 1", "| 1");
    check("Thought: x\nAction: f", "unread");
    check("Thought: x\nAction: f\nFinal Answer: 1", "unread | 1");
    check(
        "Thought: x\nFinal Answer: {\"name\": \"a\", \"arguments\": {}}",
        "unread | {\"name\": \"a\", \"arguments\": {}}",
    );
    check(
        "Thought: x\nAction Input: {\"a\": 1}\nFinal Answer: 1",
        "unread | 1",
    );
    check(
        "Action: f\nAction Input: {\"a\": \"<tool_call>{}</tool_call>\"}",
        r#"f{"a": "<tool_call>{}</tool_call>"}"#,
    );
    check(
        "Action: f\nAction Input: {}\nAction:\n```\n{\"action\": \"Final Answer\", \"action_input\": \"a\"}\n```",
        "f{} | a",
    );
}

#[test]
fn react_types_a_text_by_the_only_parameter() {
    check_typed(
        "Action: search\nAction Input: fjords",
        r#"search{"query":"fjords"}"#,
    );
    check_typed(
        "Action: search\nAction Input: {\"query",
        r#"search?({"query)"#,
    );
    check_typed(
        "Action: get_weather\nAction Input: Oslo",
        "get_weather?(Oslo)",
    );
    let tools = r#"[{"type":"function","function":{"name":"f","parameters":{"properties":{"a":{"type":"integer"},"b":{}},"required":["a"]}}}]"#;
    check_with(tools, "Action: f\nAction Input: 7", r#"f{"a":7}"#);
}

#[test]
fn labels_in_other_text_are_no_react() {
    for text in [
        "Notes\nAction: call Ann.\nDue: Friday.",
        "Thought: I am done.",
        "Final Answer: 5",
        "See Action: f\nSee Action Input: {}",
        "```\nAction: f\n```\nAction Input: x",
    ] {
        check(text, "_");
    }
    check("<think>\nAction: f\nAction Input: {}\n</think>\nHi", "| Hi");
    check("So:\n```\nAction: f\nAction Input: {}\n```", "quoted _");
}
