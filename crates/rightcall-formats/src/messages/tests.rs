//! What holds for the messages of all formats: what is evidence that nothing was called, and what is left over.

use crate::tests::{check, check_gaps};

const SILENT: &str = "nothing of the agent's own turn was read";
const CUT: &str = "a stream that broke off inside a call";

#[test]
fn a_reply_without_calls_is_a_run_without_calls() {
    for (format, text) in [
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
            r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"a"}}]}"#,
        ),
        (
            "openai-responses",
            r#"{"object":"response","status":"completed","output":[]}"#,
        ),
        (
            "openai-responses",
            r#"{"type":"response.output_text.delta","output_index":0,"delta":"a"}"#,
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
    ] {
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

#[test]
fn a_reply_that_says_that_it_called_a_tool_holds_a_call() {
    for (format, text, reason) in [
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
    ] {
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
    // Of several alternatives each is a reply.
    let several = format!(
        r#"{{"object":"chat.completion","choices":[{{"message":{{"role":"assistant",{call}}},"finish_reason":"tool_calls"}},{{"message":{{"role":"assistant","content":"a"}},"finish_reason":"tool_calls"}}]}}"#
    );
    check_gaps(
        "openai-chat",
        &several,
        &["finish reason `tool_calls` without a call"],
    );
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

#[test]
fn an_unknown_part_of_the_agent_is_left_over_and_one_of_the_user_is_not() {
    let part = r#"{"type":"screen_act","details":{"x":1}}"#;
    let left_over = "a part of the type `screen_act`";
    for (format, message) in [
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
    ] {
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

#[test]
fn calls_are_read_from_maps_objects_and_texts() {
    let call = |id: &str| {
        format!(
            r#"{{"id":"{id}","type":"function","function":{{"name":"find","arguments":"{{}}"}}}}"#
        )
    };
    let text = |json: &str| serde_json::Value::from(json).to_string();
    let found = [r#"find("{}") a @0"#];
    for calls in [
        call("a"),
        format!(r#"{{"a":{}}}"#, call("a")),
        format!(r#"{{"a":{{"function":{{"name":"find","arguments":"{{}}"}}}}}}"#),
        text(&format!("[{}]", call("a"))),
        text(&call("a")),
        format!("[{}]", text(&call("a"))),
    ] {
        let message = format!(r#"[{{"role":"assistant","content":null,"tool_calls":{calls}}}]"#);
        check("openai-chat", &message, &found);
    }
    let message = format!(
        r#"{{"message":{{"role":"assistant","content":""}},"tool_calls":[{}]}}"#,
        call("a")
    );
    check("openai-chat", &message, &[r#"find("{}") a @1"#]);
    let reply = format!(
        r#"{{"object":"chat.completion","choices":[{{"message":{{"role":"assistant","content":""}},"tool_calls":[{}]}}]}}"#,
        call("a")
    );
    check("openai-chat", &reply, &[r#"find("{}") a @1"#]);
    check(
        "langchain",
        r#"[{"type":"ai","content":"","tool_calls":"[{\"name\": \"find\", \"args\": {}, \"id\": \"a\"}]"}]"#,
        &["find({}) a @0"],
    );
    check(
        "vercel",
        r#"{"toolCalls":"[{\"toolCallId\": \"a\", \"toolName\": \"find\", \"input\": {}}]"}"#,
        &["find({}) a @0"],
    );
}

/// A call in a notation of open models, as a server writes it that does not take it out of the text.
const IN_TEXT: &str = r#"<tool_call>{\"name\": \"find\", \"arguments\": {\"id\":7}}</tool_call>"#;

#[test]
fn calls_in_the_text_of_a_stream_are_read_as_in_a_whole_message() {
    let (first, second) = IN_TEXT.split_at(20);
    for (format, template) in [
        (
            "openai-chat",
            r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"content":"TEXT"}}]}"#,
        ),
        (
            "anthropic",
            r#"{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"TEXT"}}"#,
        ),
        (
            "bedrock",
            r#"{"contentBlockDelta":{"delta":{"text":"TEXT"},"contentBlockIndex":0}}"#,
        ),
        (
            "cohere",
            r#"{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"TEXT"}}}}"#,
        ),
        (
            "gemini",
            r#"data: {"candidates":[{"content":{"role":"model","parts":[{"text":"TEXT"}]}}]}"#,
        ),
        (
            "langchain",
            r#"{"type":"AIMessageChunk","content":"TEXT","id":"r","tool_call_chunks":[]}"#,
        ),
        (
            "vercel",
            "{\"type\":\"start-step\"}\n{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"TEXT\"}",
        ),
    ] {
        let text = [first, second].map(|piece| template.replace("TEXT", piece));
        // A step that begins is another.
        let text = text.join("\n").replace("}\n{\"type\":\"start-step\"}", "}");
        check(format, &text, &[r#"find({"id":7}) @0"#]);
    }
}

#[test]
fn calls_in_text_are_read_wherever_the_text_of_a_message_is() {
    for (format, template) in [
        (
            "openai-responses",
            r#"{"type":"response.output_item.done","output_index":0,"item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"TEXT"}]}}"#,
        ),
        (
            "sharegpt",
            r#"{"conversations":[{"from":"gpt","value":"TEXT"}]}"#,
        ),
        (
            "pydantic-ai",
            r#"[{"kind":"response","parts":[{"part_kind":"text","content":"TEXT"}]}]"#,
        ),
        (
            "gemini-interactions",
            r#"{"event_type":"step.start","index":0,"step":{"type":"model_output","content":[{"type":"text","text":"TEXT"}]}}"#,
        ),
        (
            "autogen",
            r#"{"llm_context":{"messages":[{"type":"AssistantMessage","source":"a","content":"TEXT"}]}}"#,
        ),
        (
            "claude-code",
            r#"{"type":"assistant","uuid":"u","parentUuid":null,"sessionId":"s","message":{"id":"m","role":"assistant","content":[{"type":"text","text":"TEXT"}]}}"#,
        ),
        (
            "codex",
            r#"{"timestamp":"2025-01-01T00:00:00Z","type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"TEXT"}]}}"#,
        ),
        (
            "copilot-cli",
            r#"{"type":"assistant.message","data":{"content":"TEXT","toolRequests":[]},"timestamp":"2026-01-01T00:00:00Z"}"#,
        ),
        (
            "cursor",
            r#"{"role":"assistant","message":{"content":[{"type":"text","text":"TEXT"}]}}"#,
        ),
        (
            "gemini-cli",
            r#"{"id":"m","timestamp":"2025-01-01T00:00:00Z","type":"gemini","content":"TEXT"}"#,
        ),
        (
            "atif",
            r#"{"schema_version":"ATIF-v1.5","steps":[{"step_id":1,"source":"agent","message":"TEXT"}]}"#,
        ),
    ] {
        let mut found = crate::tests::shown(
            format,
            &template.replace("TEXT", IN_TEXT),
            crate::Choices::default(),
        );
        found.iter_mut().for_each(|call| {
            let length = call.find(" @").unwrap_or(call.len());
            call.truncate(length);
        });
        assert_eq!(found, [r#"find({"id":7})"#], "{format}");
    }
}
