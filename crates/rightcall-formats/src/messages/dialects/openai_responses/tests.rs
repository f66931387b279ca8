//! Items and streams.

use crate::tests::{check, error_of};

#[test]
fn items_are_paired_by_call_id() {
    check(
        "openai-responses",
        r#"[{"role":"user","content":"q"},
            {"type":"reasoning","id":"r"},
            {"type":"function_call","id":"f1","call_id":"c","name":"find","arguments":"{\"id\":7}"},
            {"type":"function_call","id":"f2","call_id":"d","name":"look","arguments":""},
            {"type":"function_call_output","call_id":"d","output":[{"type":"input_text","text":"x"}]},
            {"type":"function_call_output","call_id":"c","output":"y"},
            {"type":"custom_tool_call","call_id":"e","name":"sql","input":"SELECT 1"},
            {"type":"function_call_output","call_id":"gone","output":"y"}]"#,
        &[
            r#"find("{\"id\":7}") c @1 group-1 -> "y""#,
            r#"look("") d @1 group-1 -> "x""#,
            r#"sql(free "SELECT 1") e @2"#,
            "1 orphans",
        ],
    );
}

#[test]
fn what_the_provider_runs_holds_both_halves() {
    check(
        "openai-responses",
        r#"{"object":"response","output":[
            {"type":"mcp_list_tools","tools":[]},
            {"type":"mcp_call","id":"m","name":"ask","arguments":"{}","output":"x","error":null},
            {"type":"web_search_call","id":"w","action":{"type":"search","query":"q"}},
            {"type":"code_interpreter_call","id":"i","code":"1","outputs":[]},
            {"type":"tool_search_call","call_id":null,"execution":"server","arguments":{"paths":[]}},
            {"type":"tool_search_output","call_id":null,"tools":[1]},
            {"type":"message","content":[]}]}"#,
        &[
            r#"ask("{}") m @1 group-1 by provider -> "x""#,
            r#"web_search({"type":"search","query":"q"}) w @1 group-1 by provider"#,
            r#"code_interpreter({"code":"1"}) i @1 group-1 by provider -> []"#,
            r#"tool_search({"paths":[]}) @1 group-1 by provider -> [1]"#,
        ],
    );
}

#[test]
fn a_stream_gives_each_item_once_and_the_last_may_be_cut_off() {
    let item = r#"{"type":"function_call","id":"f","call_id":"c","name":"find","arguments":"{}"}"#;
    let begun = r#"{"type":"function_call","id":"g","call_id":"d","name":"look","arguments":""}"#;
    check(
        "openai-responses",
        &format!(
            r#"{{"type":"response.created","response":{{}}}}
{{"type":"response.output_item.added","output_index":0,"item":{item}}}
{{"type":"response.output_item.done","output_index":0,"item":{item}}}
{{"type":"response.completed","response":{{"output":[{item}]}}}}
{{"type":"response.created","response":{{}}}}
{{"type":"response.completed","response":{{"output":[{item}]}}}}
{{"type":"response.output_item.added","output_index":1,"item":{begun}}}
{{"type":"response.function_call_arguments.delta","output_index":1,"delta":"{{\"a\""}}
"#
        ),
        &[
            r#"find("{}") c @0"#,
            r#"find("{}") c @1 group-2"#,
            r#"look("{\"a\"") d @1 group-2"#,
        ],
    );
}

#[test]
fn events_of_the_realtime_api_tell_each_call_once() {
    let call = |id: &str, status: &str, arguments: &str| {
        format!(
            r#"{{"id":"item_{id}","object":"realtime.item","type":"function_call","status":"{status}","call_id":"{id}","name":"find","arguments":"{arguments}"}}"#
        )
    };
    let event = |kind: &str, rest: &str| format!(r#"{{"type":"{kind}","event_id":"e",{rest}}}"#);
    let begun = call("a", "in_progress", "");
    let whole = call("a", "completed", r#"{\"id\":7}"#);
    let answer = r#""item":{"type":"function_call_output","call_id":"a","output":"x"}"#;
    let of_another = call("b", "completed", "{}");
    let cut = call("c", "in_progress", "");
    let events = [
        event("session.created", r#""session":{}"#),
        event(
            "response.created",
            r#""response":{"object":"realtime.response","output":[]}"#,
        ),
        event(
            "response.output_item.added",
            &format!(r#""output_index":0,"item":{begun}"#),
        ),
        event("conversation.item.created", &format!(r#""item":{begun}"#)),
        event(
            "response.function_call_arguments.delta",
            r#""output_index":0,"delta":"{}""#,
        ),
        event("rate_limits.updated", r#""rate_limits":[]"#),
        event(
            "response.output_item.done",
            &format!(r#""output_index":0,"item":{whole}"#),
        ),
        event(
            "response.done",
            &format!(r#""response":{{"object":"realtime.response","output":[{whole}]}}"#),
        ),
        event("conversation.item.create", answer),
        event("conversation.item.created", answer),
        // Only the last event of the response was kept.
        event(
            "response.done",
            &format!(r#""response":{{"output":[{of_another}]}}"#),
        ),
        event("conversation.item.done", &format!(r#""item":{cut}"#)),
    ];
    let found = [
        r#"find("{\"id\":7}") a @0 -> "x""#,
        r#"find("{}") b @1 group-2"#,
        r#"find("") c @1 group-2"#,
    ];
    check("openai-responses", &events.join("\n"), &found);
    check(
        "openai-responses",
        &format!("[{}]", events.join(",")),
        &found,
    );
}

#[test]
fn another_item_under_the_same_index_is_another_call() {
    let added = |id: &str| {
        format!(
            r#"{{"type":"response.output_item.added","output_index":0,"item":{{"type":"function_call","id":"f{id}","call_id":"{id}","name":"find","arguments":""}}}}"#
        )
    };
    let done = |id: &str| {
        format!(
            r#"{{"type":"response.function_call_arguments.done","item_id":"f{id}","arguments":"{{\"id\":7}}"}}"#
        )
    };
    let lines = [added("a"), done("a"), added("b"), done("b")];
    check(
        "openai-responses",
        &lines.join("\n"),
        &[
            r#"find("{\"id\":7}") a @0 group-1"#,
            r#"find("{\"id\":7}") b @0 group-1"#,
        ],
    );
}

#[test]
fn a_name_is_not_made_from_a_type_that_is_not_known() {
    let error = |item: &str| {
        let text = format!(r#"{{"object":"response","output":[{item}]}}"#);
        error_of("openai-responses", &text, crate::Choices::default())
    };
    let nameless = error(r#"{"type":"function_call","call_id":"c","arguments":"{}"}"#);
    assert_eq!(nameless.expected, "the name of a tool in each call");
    let unknown = error(r#"{"type":"backend_tool_call","kind":{"action":{"query":"a"}}}"#);
    assert!(
        unknown.found.contains("backend_tool_call"),
        "{}",
        unknown.found
    );
    check(
        "openai-responses",
        r#"{"object":"response","output":[{"type":"other_call","id":"c","name":"find","arguments":"{}"}]}"#,
        &[r#"find("{}") c @0 by provider"#],
    );
    // A result without its call doesn't belong to a tool named `function`.
    check(
        "openai-responses",
        r#"[{"type":"function_call_output","call_id":"gone","output":"x"}]"#,
        &["1 orphans"],
    );
}
