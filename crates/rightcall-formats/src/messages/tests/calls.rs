//! Calls in all places: maps, texts, model messages, complete and streamed.

use crate::tests::{check, shown};
use crate::{Choices, Input, Limits, ReadOptions};

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
        r#"{"a":{"function":{"name":"find","arguments":"{}"}}}"#.to_owned(),
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

/// A call in a notation of open models, left in the text by the server.
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
            "langchain",
            r#"{"type":"AIMessageChunk","content":"TEXT","id":"r"}"#,
        ),
        (
            "vercel",
            "{\"type\":\"start-step\"}\n{\"type\":\"text-delta\",\"id\":\"t\",\"delta\":\"TEXT\"}",
        ),
    ] {
        let text = [first, second].map(|piece| template.replace("TEXT", piece));
        // A new step begins a new message.
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
        let mut found = shown(
            format,
            &template.replace("TEXT", IN_TEXT),
            Choices::default(),
        );
        found.iter_mut().for_each(|call| {
            let length = call.find(" @").unwrap_or(call.len());
            call.truncate(length);
        });
        assert_eq!(found, [r#"find({"id":7})"#], "{format}");
    }
}

/// Calls with a placeholder for the name.
const NAMED: &[(&str, &str)] = &[
    (
        "openai-chat",
        r#"[{"role":"assistant","tool_calls":[{"id":"c","function":{"name":NAME,"arguments":"{}"}}]}]"#,
    ),
    (
        "openai-chat",
        r#"[{"role":"assistant","tool_calls":[{"id":"c","custom":{"name":NAME,"input":""}}]}]"#,
    ),
    (
        "openai-chat",
        r#"{"object":"chat.completion.chunk","choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"c","function":{"name":NAME,"arguments":"{}"}}]}}]}"#,
    ),
    (
        "openai-responses",
        r#"[{"type":"function_call","call_id":"c","name":NAME,"arguments":"{}"}]"#,
    ),
    (
        "anthropic",
        r#"[{"role":"assistant","content":[{"type":"tool_use","id":"c","name":NAME,"input":{}}]}]"#,
    ),
    (
        "gemini",
        r#"[{"role":"model","parts":[{"functionCall":{"name":NAME,"args":{}}}]}]"#,
    ),
    (
        "gemini-interactions",
        r#"{"object":"interaction","steps":[{"type":"function_call","id":"a","name":NAME,"arguments":{}}]}"#,
    ),
    (
        "bedrock",
        r#"[{"role":"assistant","content":[{"toolUse":{"toolUseId":"c","name":NAME,"input":{}}}]}]"#,
    ),
    (
        "cohere",
        r#"{"type":"tool-call-start","index":0,"delta":{"message":{"tool_calls":{"id":"a","function":{"name":NAME,"arguments":"{}"}}}}}"#,
    ),
    (
        "langchain",
        r#"[{"type":"ai","content":"","tool_calls":[{"name":NAME,"args":{},"id":"c"}]}]"#,
    ),
    (
        "langchain",
        r#"{"type":"AIMessageChunk","content":"","id":"r","tool_call_chunks":[{"name":NAME,"args":"{}","id":"c","index":0}]}"#,
    ),
    (
        "vercel",
        r#"[{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c","toolName":NAME,"input":{}}]}]"#,
    ),
    (
        "vercel",
        r#"[{"role":"assistant","parts":[{"type":"dynamic-tool","toolCallId":"c","toolName":NAME,"input":{}}]}]"#,
    ),
    (
        "azure",
        r#"[{"role":"assistant","content":[{"type":"tool_call","tool_call_id":"c","name":NAME,"arguments":{}}]}]"#,
    ),
    (
        "semantic-kernel",
        r#"[{"role":"assistant","items":[{"content_type":"function_call","id":"c","name":NAME,"arguments":{}}]}]"#,
    ),
    (
        "agent-framework",
        r#"[{"role":"assistant","contents":[{"type":"function_call","call_id":"c","name":NAME,"arguments":{}}]}]"#,
    ),
    (
        "llamaindex",
        r#"[{"role":"assistant","blocks":[{"block_type":"tool_call","tool_call_id":"c","tool_name":NAME,"tool_kwargs":{}}]}]"#,
    ),
    (
        "pydantic-ai",
        r#"[{"kind":"response","parts":[{"part_kind":"tool-call","tool_call_id":"c","tool_name":NAME,"args":{}}]}]"#,
    ),
    (
        "managed-agents",
        r#"[{"id":"a","type":"agent.tool_use","name":NAME,"input":{}}]"#,
    ),
    (
        "opencode",
        r#"[{"info":{"role":"assistant"},"parts":[{"type":"tool","callID":"c","tool":NAME,"state":{"input":{}}}]}]"#,
    ),
    (
        "autogen",
        r#"[{"type":"ToolCallRequestEvent","source":"a","content":[{"id":"c","name":NAME,"arguments":"{}"}]}]"#,
    ),
];

#[test]
fn a_name_is_a_text() {
    for &(format, template) in NAMED {
        for name in [r#"{"text":"find"}"#, "7", "null", r#""""#] {
            let text = template.replace("NAME", name);
            assert!(is_refused(&text), "{format}: {text}");
        }
    }
}

/// True if the format of a file is unknown, or its run cannot be read.
fn is_refused(text: &str) -> bool {
    let options = ReadOptions::default();
    let bytes = text.as_bytes().to_vec();
    let Ok(mut input) = Input::from_bytes("text", bytes, Limits::default(), &options) else {
        return true;
    };
    match input.next_traces() {
        Ok(Some(traces)) => traces.iter().any(|(_, trace)| trace.is_err()),
        Ok(None) => false,
        Err(_) => true,
    }
}
