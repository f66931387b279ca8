use super::*;

/// The call-like values of a text, each with its place.
fn found(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    each_suspect(&Node::parse(text, 512).unwrap(), &mut |it| {
        let piece = if it.doubt == Doubt::Piece {
            " (piece)"
        } else {
            ""
        };
        found.push(format!("{} {}{piece}", it.place, it.looks));
    });
    found
}

#[test]
fn calls_in_any_spelling_look_like_calls() {
    for (text, looks) in [
        (
            r#"{"toolName":"f","args":{"a":1}}"#,
            " `toolName` with `args`",
        ),
        (
            r#"{"tool":"f","tool_input":"x"}"#,
            " `tool` with `tool_input`",
        ),
        (
            r#"{"name":"f","arguments":"{}"}"#,
            " `name` with `arguments`",
        ),
        (
            r#"{"id":"c","name":"f","parameters":{"a":1}}"#,
            " `name` with `parameters`",
        ),
        (
            r#"{"a":[{"function":"f","kwargs":{}}]}"#,
            "/a/0 `function` with `kwargs`",
        ),
        (
            r#"{"content":[{"type":"text"},{"type":"tool_use_block","id":"c"}]}"#,
            "/content/1 `type: tool_use_block`",
        ),
        (
            r#"{"type":"function_call","callee":"f"}"#,
            " `type: function_call`",
        ),
        (
            r#"{"type":"toolCall","name":"f","input":{}}"#,
            " `type: toolCall`, `name` with `input`",
        ),
        (
            r#"{"tool_calls":[{"id":"c","call":{"target":"f"}}]}"#,
            "/tool_calls/0 the value of `tool_calls`",
        ),
        (
            r#"{"a":"\"[{\\\"name\\\":\\\"f\\\",\\\"arguments\\\":{}}]\""}"#,
            "/a/0 `name` with `arguments`",
        ),
        (
            r#"{"functionCall":{"name":"f"}}"#,
            "/functionCall the value of `functionCall`",
        ),
        (
            r#"{"type":"tool-input-delta","delta":"{"}"#,
            " `type: tool-input-delta` (piece)",
        ),
    ] {
        assert_eq!(found(text), [looks], "{text}");
    }
}

#[test]
fn definitions_schemas_results_and_talk_do_not() {
    for text in [
        r#"{"tools":[{"type":"function","function":{"name":"f","parameters":{"type":"object","properties":{}}}}]}"#,
        r#"[{"name":"f","description":"d","parameters":{}},{"name":"g","input_schema":{"type":"object"}}]"#,
        r#"{"type":"function","name":"f","parameters":{"type":"dict","properties":{}}}"#,
        r#"{"tool_choice":{"type":"tool","name":"f"},"tool_calls":null,"function_call":{}}"#,
        r#"{"role":"tool","tool_call_id":"c","content":[{"name":"f","arguments":{}}]}"#,
        r#"{"type":"tool_result","tool_use_id":"c","content":[{"type":"tool_reference","tool_name":"f"}]}"#,
        r#"{"type":"tool","content":"x","name":"f","tool_call_id":"c"}"#,
        r#"{"role":"user","content":"{\"name\":\"f\",\"arguments\":{}}"}"#,
        r#"{"expected":[{"name":"f","args":{}}],"question":[[{"role":"user","content":"q"}]]}"#,
        r#"{"name":"server","command":"npx","args":["-y"]}"#,
        r#"{"type":"mcp_list_tools","tools":[{"name":"f","input_schema":{}}]}"#,
        r#"{"finish_reason":"tool_calls","usage":{"tool_tokens":7},"toolUsePromptTokensDetails":[{"modality":"TEXT"}]}"#,
        r#"{"usageMetadata":{"tool_calls":[{"n":1}]},"tool_call_stats":{"n":1},"tool_use_ids":["c"]}"#,
        r#"{"type":"mcp_approval_request","name":"f","arguments":"{}"}"#,
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}
