//! Messages in the API's own form, recognized by their keys alone: the most frequent form of a side needs no test of other formats.

use crate::node::Node;

/// True for a list of messages with a call and no key that the API lacks. No other format has such messages.
pub(crate) fn are_of_api(messages: &Node<'_>) -> bool {
    let mut has_call = false;
    let mut is_of_api = |message: &Node<'_>| {
        let calls = message.get("tool_calls");
        has_call |= calls.is_some_and(|calls| !calls.items().is_empty());
        message.has_only(&["role", "content", "tool_calls", "tool_call_id"])
            && message
                .str_at("role")
                .is_some_and(|role| ["system", "user", "assistant", "tool"].contains(&role))
            && message.get("content").is_none_or(|it| it.text().is_some())
            && calls.is_none_or(|calls| calls.is_list() && calls.items().iter().all(is_call))
    };
    messages.items().iter().all(&mut is_of_api) && has_call
}

fn is_call(call: &Node<'_>) -> bool {
    let is_function = |function: &Node<'_>| {
        function.has_only(&["name", "arguments"])
            && function.str_at("name").is_some()
            && function.str_at("arguments").is_some()
    };
    call.has_only(&["id", "type", "function"]) && call.get("function").is_some_and(is_function)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::detect::recognise;
    use crate::format::Recognition;
    use crate::formats::FORMATS;

    #[test]
    fn no_other_format_has_such_messages() {
        let call = r#"{"id":"a","type":"function","function":{"name":"find","arguments":"{}"}}"#;
        let asks = format!(r#"{{"role":"assistant","content":null,"tool_calls":[{call}]}}"#);
        for others in [
            "",
            r#",{"role":"tool","tool_call_id":"a","content":"x"}"#,
            r#",{"role":"user","content":"x"},{"role":"assistant","content":"y"}"#,
            r#",{"role":"tool","content":"x"},{"role":"assistant","content":"","tool_calls":[]}"#,
            r#",{"role":"system","content":"{\"role\":\"user\"}"}"#,
        ] {
            let text = format!("[{asks}{others}]");
            let node = Node::parse(&text, 512).expect("valid");
            assert!(are_of_api(&node), "{text}");
            let formats = FORMATS.iter().filter(|format| format.holds_traces());
            let certain = formats.filter(|it| recognise(it, &node) == Recognition::Certain);
            let names: Vec<_> = certain.map(|format| format.name).collect();
            assert_eq!(names, ["openai-chat"], "{text}");
        }
    }

    #[test]
    fn any_other_key_needs_a_look_at_other_formats() {
        let call = r#"{"id":"a","type":"function","function":{"name":"find","arguments":"{}"}}"#;
        for text in [
            format!(r#"[{{"role":"assistant","tool_calls":[{call}],"type":"ai"}}]"#),
            format!(r#"[{{"role":"model","tool_calls":[{call}]}}]"#),
            format!(r#"[{{"role":"assistant","content":[],"tool_calls":[{call}]}}]"#),
            r#"[{"role":"assistant","content":"x"}]"#.to_owned(),
            r#"[{"role":"assistant","tool_calls":[{"name":"find","args":{}}]}]"#.to_owned(),
            "[]".to_owned(),
        ] {
            let node = Node::parse(&text, 512).expect("valid");
            assert!(!are_of_api(&node), "{text}");
        }
    }
}
