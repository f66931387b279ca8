//! Properties of all message formats: evidence that no call was made, and leftovers.

mod calls;

use crate::tests::check_gaps;

const SILENT: &str = "nothing of the agent's own turn was read";
const CUT: &str = "a reply that broke off inside a call";

/// Replies that only show that they contain no call.
const REPLIES: &[(&str, &str)] = &[
    (
        "openai-chat",
        r#"[{"role":"user","content":"q"},{"role":"assistant","content":"a"}]"#,
    ),
    (
        "openai-chat",
        r#"{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"a","tool_calls":[]},"finish_reason":"stop"}]}"#,
    ),
    (
        "openai-chat",
        r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
    ),
    (
        "openai-responses",
        r#"{"object":"response","status":"completed","output":[]}"#,
    ),
    (
        "openai-responses",
        "{\"type\":\"response.output_text.delta\",\"output_index\":0,\"delta\":\"a\"}\n{\"type\":\"response.output_text.done\",\"output_index\":0,\"text\":\"a\"}",
    ),
    (
        "anthropic",
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"end_turn"}"#,
    ),
    (
        "anthropic",
        "{\"type\":\"message_start\",\"message\":{\"content\":[]}}\n{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n{\"type\":\"message_stop\"}",
    ),
    (
        "gemini",
        r#"{"candidates":[{"content":{"parts":[{"text":"a"}]},"finishReason":"STOP"}]}"#,
    ),
    ("gemini", r#"{"candidates":[{"finishReason":"SAFETY"}]}"#),
    (
        "gemini-interactions",
        r#"{"object":"interaction","status":"completed","steps":[{"type":"model_output","content":[]}]}"#,
    ),
    (
        "bedrock",
        r#"{"output":{"message":{"role":"assistant","content":[{"text":"a"},{"reasoningContent":{"text":"t"}}]}},"stopReason":"end_turn"}"#,
    ),
    (
        "bedrock",
        "{\"messageStart\":{\"role\":\"assistant\"}}\n{\"contentBlockDelta\":{\"delta\":{\"text\":\"a\"},\"contentBlockIndex\":0}}\n{\"messageStop\":{\"stopReason\":\"end_turn\"}}",
    ),
    (
        "cohere",
        r#"{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}"#,
    ),
    (
        "langchain",
        r#"{"messages":[{"type":"human","content":"q"},{"type":"ai","content":"a","tool_calls":[]}]}"#,
    ),
    (
        "vercel",
        r#"{"text":"a","toolCalls":[],"finishReason":"stop"}"#,
    ),
    (
        "vercel",
        "{\"type\":\"start\",\"messageId\":\"m\"}\n{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"a\"}\n{\"type\":\"finish\"}",
    ),
    (
        "pydantic-ai",
        r#"[{"kind":"response","parts":[{"part_kind":"text","content":"a"}],"finish_reason":"stop"}]"#,
    ),
    (
        "sharegpt",
        r#"{"conversations":[{"from":"human","value":"q"},{"from":"gpt","value":"a"}]}"#,
    ),
    (
        "autogen",
        r#"{"llm_context":{"messages":[{"type":"UserMessage","source":"user","content":"q"},{"type":"AssistantMessage","source":"shop","content":"a"}]}}"#,
    ),
    (
        "semantic-kernel",
        r#"[{"Role":{"Label":"user"},"Items":[{"$type":"FunctionResultContent","CallId":"a"}]},{"Role":{"Label":"assistant"},"Items":[{"$type":"TextContent","Text":"a"}]}]"#,
    ),
    // Messages with only text, media and thoughts look the same in all formats.
    (
        "openai-chat",
        r#"{"contents":[{"role":"user","parts":[{"text":"q"},{"inlineData":{"mimeType":"image/png","data":""}}]},{"role":"model","parts":[{"text":"a"}]}]}"#,
    ),
    (
        "openai-chat",
        r#"[{"role":"user","content":[{"text":"q"}]},{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"t"}}},{"text":"a"}]}]"#,
    ),
    (
        "openai-chat",
        r#"[{"role":"user","content":[{"type":"image_url","image_url":{"url":"u"}}]},{"role":"assistant","content":[{"type":"thinking","thinking":"t"},{"type":"text","text":"a"}]}]"#,
    ),
    (
        "openai-chat",
        r#"[{"role":"user","parts":[{"type":"text","text":"q"}]},{"role":"assistant","parts":[{"type":"step-start"},{"type":"data-plot","data":{"x":1}},{"type":"text","text":"a"}]}]"#,
    ),
    (
        "openai-chat",
        r#"[{"role":"assistant","additional_kwargs":{},"blocks":[{"block_type":"text","text":"a"}]}]"#,
    ),
    (
        "autogen",
        r#"[{"source":"user","models_usage":null,"content":"q","type":"TextMessage"},{"source":"shop","models_usage":null,"content":"a","type":"TextMessage"}]"#,
    ),
];

#[test]
fn a_reply_without_calls_is_a_run_without_calls() {
    for &(format, text) in REPLIES {
        let gaps = if format == "semantic-kernel" {
            "1 result without a call"
        } else {
            ""
        };
        check_gaps(format, text, &[gaps]);
    }
}

#[test]
fn what_the_user_says_is_no_evidence() {
    for (format, text) in [
        ("langchain", r#"[{"type":"human","content":"q"}]"#),
        (
            "pydantic-ai",
            r#"[{"kind":"request","parts":[{"part_kind":"user-prompt","content":"q"}]}]"#,
        ),
        (
            "gemini-interactions",
            r#"[{"type":"user_input","content":[{"type":"text","text":"q"}]}]"#,
        ),
    ] {
        check_gaps(format, text, &[SILENT]);
    }
}

/// Replies that ended for a call but contain none, with their end reason.
const PROMISES: &[(&str, &str, &str)] = &[
    (
        "openai-chat",
        r#"{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"a"},"finish_reason":"tool_calls"}]}"#,
        "tool_calls",
    ),
    (
        "openai-chat",
        r#"[{"object":"chat.completion","choices":[{"message":{"role":"assistant","content":"a"},"finish_reason":"function_call"}]}]"#,
        "function_call",
    ),
    (
        "openai-chat",
        "{\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}\n{\"object\":\"chat.completion.chunk\",\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"tool_calls\"}]}",
        "tool_calls",
    ),
    (
        "anthropic",
        r#"{"type":"message","role":"assistant","content":[{"type":"text","text":"a"}],"stop_reason":"tool_use"}"#,
        "tool_use",
    ),
    (
        "anthropic",
        "{\"type\":\"message_start\",\"message\":{\"content\":[]}}\n{\"type\":\"ping\"}\n{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"tool_use\"}}\n{\"type\":\"message_stop\"}",
        "tool_use",
    ),
    (
        "gemini",
        r#"{"candidates":[{"content":{"role":"model","parts":[]},"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#,
        "MALFORMED_FUNCTION_CALL",
    ),
    (
        "gemini",
        r#"data: {"candidates":[{"finishReason":"UNEXPECTED_TOOL_CALL"}]}"#,
        "UNEXPECTED_TOOL_CALL",
    ),
    (
        "gemini-interactions",
        r#"{"object":"interaction","status":"requires_action","steps":[]}"#,
        "requires_action",
    ),
    (
        "gemini-interactions",
        r#"{"event_type":"interaction.completed","interaction":{"id":"v","status":"requires_action"}}"#,
        "requires_action",
    ),
    (
        "bedrock",
        r#"{"output":{"message":{"role":"assistant","content":[{"text":"a"}]}},"stopReason":"tool_use"}"#,
        "tool_use",
    ),
    (
        "bedrock",
        "{\"messageStart\":{\"role\":\"assistant\"}}\n{\"messageStop\":{\"stopReason\":\"tool_use\"}}",
        "tool_use",
    ),
    (
        "cohere",
        r#"{"type":"message-end","delta":{"finish_reason":"TOOL_CALL"}}"#,
        "TOOL_CALL",
    ),
    (
        "langchain",
        r#"[{"type":"ai","content":"a","response_metadata":{"finish_reason":"tool_calls"}}]"#,
        "tool_calls",
    ),
    (
        "langchain",
        r#"{"type":"AIMessageChunk","content":"","id":"r","tool_call_chunks":[],"response_metadata":{"stop_reason":"tool_use"}}"#,
        "tool_use",
    ),
    (
        "vercel",
        r#"{"toolCalls":[],"steps":[{"toolCalls":[],"finishReason":"tool-calls"},{"toolCalls":[],"finishReason":"stop"}]}"#,
        "tool-calls",
    ),
    (
        "vercel",
        "{\"type\":\"start-step\"}\n{\"type\":\"finish-step\",\"finishReason\":\"tool-calls\"}\n{\"type\":\"finish\",\"finishReason\":\"tool-calls\"}",
        "tool-calls",
    ),
    (
        "pydantic-ai",
        r#"[{"kind":"response","parts":[{"part_kind":"text","content":"a"}],"finish_reason":"tool_call"}]"#,
        "tool_call",
    ),
    (
        "pi",
        r#"{"type":"session","id":"s","cwd":"/"}
{"type":"message","message":{"role":"assistant","content":[{"type":"text","text":"a"}],"stopReason":"toolUse"}}"#,
        "toolUse",
    ),
    (
        "opencode",
        r#"{"messages":[{"info":{"role":"assistant"},"parts":[{"type":"step-start"},{"type":"tool","callID":"a","tool":"read","state":{"status":"completed","input":{}}},{"type":"step-finish","reason":"tool-calls"},{"type":"step-start"},{"type":"step-finish","reason":"tool-calls"}]}]}"#,
        "tool-calls",
    ),
    (
        "managed-agents",
        r#"[{"id":"a","type":"agent.tool_use","name":"find","input":{}},{"type":"session.status_idle","stop_reason":{"type":"requires_action","event_ids":["b"]}}]"#,
        "requires_action",
    ),
];

#[test]
fn a_reply_that_says_that_it_called_a_tool_holds_a_call() {
    for &(format, text, reason) in PROMISES {
        check_gaps(
            format,
            text,
            &[&format!("finish reason `{reason}` without a call")],
        );
    }
}

#[test]
fn a_reply_with_a_call_may_say_so_and_so_may_one_with_calls_in_its_text() {
    let reply = |message: &str| {
        format!(
            r#"{{"object":"chat.completion","choices":[{{"message":{{"role":"assistant",{message}}},"finish_reason":"tool_calls"}}]}}"#
        )
    };
    let call = r#""tool_calls":[{"function":{"name":"find"}}]"#;
    check_gaps("openai-chat", &reply(call), &[""]);
    let text = r#""content":"<tool_call>{\"name\": \"find\", \"arguments\": {}}</tool_call>""#;
    check_gaps("sharegpt", &reply(text), &[""]);
    // Each of several alternatives is a reply.
    let several = format!(
        r#"{{"object":"chat.completion","choices":[{{"message":{{"role":"assistant",{call}}},"finish_reason":"tool_calls"}},{{"message":{{"role":"assistant","content":"a"}},"finish_reason":"tool_calls"}}]}}"#
    );
    check_gaps(
        "openai-chat",
        &several,
        &[
            "2 alternatives of one reply: keep one of them; finish reason `tool_calls` without a call",
        ],
    );
}

#[test]
fn choices_of_one_reply_are_alternatives_in_every_library() {
    let kernel = |choice: u32, name: &str| {
        format!(
            r#"{{"role":"assistant","choice_index":{choice},"items":[{{"content_type":"function_call","id":"{name}","name":"{name}","arguments":"{{}}","index":0}}]}}"#
        )
    };
    let haystack = |index: u32, name: &str| {
        format!(
            r#"{{"role":"assistant","meta":{{"index":{index}}},"content":[{{"tool_call":{{"tool_name":"{name}","arguments":{{}},"id":"{name}"}}}}]}}"#
        )
    };
    let alternatives = "2 alternatives of one reply: keep one of them";
    let kernel = format!("{}\n{}", kernel(0, "a"), kernel(1, "b"));
    check_gaps("semantic-kernel", &kernel, &[alternatives]);
    let replies = format!(
        r#"{{"replies":[{},{}]}}"#,
        haystack(0, "a"),
        haystack(1, "b")
    );
    check_gaps("haystack", &replies, &[alternatives]);
    check_gaps("haystack", &format!("[{}]", haystack(0, "a")), &[""]);
    let span = |count: u32| {
        let call = |name: &str| {
            format!(
                r#"{{\"role\":\"assistant\",\"parts\":[{{\"type\":\"tool_call\",\"id\":\"{name}\",\"name\":\"{name}\",\"arguments\":{{}}}}]}}"#
            )
        };
        let (first, second) = (call("a"), call("b"));
        format!(
            r#"{{"trace_id":"t","span_id":"0","name":"chat","start_time":0,"end_time":1,"attributes":{{"gen_ai.operation.name":"chat","gen_ai.request.choice.count":{count},"gen_ai.output.messages":"[{first},{second}]"}}}}"#
        )
    };
    check_gaps("flat-spans", &span(2), &[alternatives]);
    check_gaps("flat-spans", &span(1), &[""]);
}

#[test]
fn a_stream_that_breaks_off_inside_a_call_is_incomplete() {
    for (format, text) in [
        (
            "openai-chat",
            r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":"find","arguments":"{\"a"}}]}}]}"#,
        ),
        (
            "anthropic",
            r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"c","name":"find","input":{}}}"#,
        ),
        (
            "bedrock",
            r#"{"contentBlockStart":{"contentBlockIndex":0,"start":{"toolUse":{"toolUseId":"a","name":"find"}}}}"#,
        ),
        (
            "cohere",
            r#"{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"a","function":{"name":"find","arguments":""}}}}}"#,
        ),
        (
            "gemini",
            r#"data: {"candidates":[{"content":{"parts":[{"functionCall":{"name":"find","willContinue":true}}]}}]}"#,
        ),
        (
            "gemini-interactions",
            r#"{"event_type":"step.start","index":0,"step":{"type":"function_call","id":"a","name":"find","arguments":{}}}"#,
        ),
        (
            "langchain",
            r#"{"type":"AIMessageChunk","content":"","id":"r","tool_call_chunks":[{"name":"find","args":"{\"a","id":"c","index":0}]}"#,
        ),
        (
            "openai-responses",
            r#"{"type":"response.output_item.added","output_index":0,"item":{"type":"function_call","call_id":"c","name":"find","arguments":""}}"#,
        ),
        (
            "opencode",
            r#"{"type":"message.part.updated","properties":{"part":{"type":"tool","callID":"a","tool":"read","state":{"status":"pending","input":{}}}}}"#,
        ),
    ] {
        check_gaps(format, text, &[CUT]);
    }
}

/// Messages with a part of an unknown kind next to a call.
const PARTS: &[(&str, &str)] = &[
    (
        "openai-chat",
        r#"{"role":"ROLE","content":[PART],"tool_calls":[{"id":"c","function":{"name":"find","arguments":"{}"}}]}"#,
    ),
    (
        "anthropic",
        r#"{"role":"ROLE","content":[{"type":"tool_use","id":"c","name":"find","input":{}},PART]}"#,
    ),
    (
        "azure",
        r#"{"role":"ROLE","content":[{"type":"tool_call","tool_call_id":"c","name":"find","arguments":{}},PART]}"#,
    ),
    (
        "vercel",
        r#"{"role":"ROLE","content":[{"type":"tool-call","toolCallId":"c","toolName":"find","input":{}},PART]}"#,
    ),
    (
        "vercel",
        r#"{"role":"ROLE","parts":[{"type":"dynamic-tool","toolCallId":"c","toolName":"find","input":{}},PART]}"#,
    ),
    (
        "langchain",
        r#"{"role":"ROLE","content":[PART],"tool_calls":[{"id":"c","name":"find","args":{}}]}"#,
    ),
    (
        "agent-framework",
        r#"{"role":"ROLE","contents":[{"type":"function_call","call_id":"c","name":"find","arguments":{}},PART]}"#,
    ),
    (
        "semantic-kernel",
        r#"{"role":"ROLE","items":[{"content_type":"function_call","id":"c","name":"find","arguments":{}},PART]}"#,
    ),
    (
        "llamaindex",
        r#"{"role":"ROLE","blocks":[{"block_type":"tool_call","tool_call_id":"c","tool_name":"find","tool_kwargs":{}},PART]}"#,
    ),
    (
        "openai-responses",
        r#"{"type":"function_call","call_id":"c","name":"find","arguments":"{}"},{"role":"ROLE","content":[PART]}"#,
    ),
];

#[test]
fn an_unknown_part_of_the_agent_is_left_over_and_one_of_the_user_is_not() {
    let part = r#"{"type":"screen_act","details":{"x":1}}"#;
    let left_over = "a part of the type `screen_act`";
    for &(format, message) in PARTS {
        let of = |role: &str| format!("[{}]", message.replace("ROLE", role).replace("PART", part));
        check_gaps(format, &of("assistant"), &[left_over]);
        let of_user = if format == "langchain" { SILENT } else { "" };
        check_gaps(format, &of("user"), &[of_user]);
    }
    for (format, text, left_over) in [
        (
            "bedrock",
            r#"[{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":"find","input":{}}},{"screenAct":{"x":1}}]}]"#,
            "a part with `screenAct`",
        ),
        (
            "gemini",
            r#"[{"role":"model","parts":[{"functionCall":{"name":"find"}},{"screenAct":{"x":1}}]}]"#,
            "a part with `screenAct`",
        ),
        (
            "openai-responses",
            r#"[{"type":"function_call","call_id":"c","name":"find","arguments":"{}"},{"type":"screen_act","details":{"x":1}}]"#,
            left_over,
        ),
        (
            "pydantic-ai",
            r#"[{"kind":"response","parts":[{"part_kind":"screen_act","details":{"x":1}}]}]"#,
            left_over,
        ),
        (
            "gemini-interactions",
            r#"[{"type":"model_output"},{"type":"screen_act","details":{"x":1}}]"#,
            left_over,
        ),
        (
            "managed-agents",
            r#"[{"type":"agent.tool_use","id":"a","name":"find","input":{}},{"type":"agent.screen_act","details":{"x":1}}]"#,
            "a part of the type `agent.screen_act`",
        ),
        (
            "openai-chat",
            r#"[{"role":"assistant","content":"a"},{"role":"function_output","content":"x"}]"#,
            "a message of the role `function_output`",
        ),
    ] {
        check_gaps(format, text, &[left_over]);
    }
}

#[test]
fn text_media_and_thoughts_are_no_left_overs() {
    let parts = [
        r#"{"type":"text","text":"a","citations":[{"url":"u"}]}"#,
        r#"{"type":"thinking","thinking":"t","signature":"s"}"#,
        r#"{"type":"image","source":{"type":"base64","data":"x"}}"#,
        r#"{"type":"image_url","image_url":{"url":"u"}}"#,
        r#"{"type":"input_audio","input_audio":{"data":"x"}}"#,
        r#"{"type":"document","source":{"data":"x"}}"#,
        r#"{"type":"container_upload","file_id":"f"}"#,
        r#"{"type":"other","text":"x","cache_control":{"type":"ephemeral"}}"#,
    ];
    let call = r#"{"type":"tool_use","id":"c","name":"find","input":{}}"#;
    let message = format!(
        r#"[{{"role":"assistant","content":[{call},{}]}}]"#,
        parts.join(",")
    );
    check_gaps("anthropic", &message, &[""]);
}
