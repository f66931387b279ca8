use crate::tests::check;

fn spans(attributes: &[&str]) -> String {
    let spans: Vec<_> = attributes
        .iter()
        .enumerate()
        .map(|(place, attributes)| {
            format!(
                r#"{{"trace_id":"t","span_id":"{place}","name":"s","start_time":{place},"end_time":{},"attributes":{{{attributes}}}}}"#,
                place + 1
            )
        })
        .collect();
    spans.join("\n")
}

fn answers(result: &str) -> String {
    format!(
        r#""gen_ai.input.messages":[{{"role":"tool","parts":[{{"type":"tool_call_response",{result}}}]}}],"gen_ai.output.messages":[{{"role":"assistant","parts":[{{"type":"text","content":"x"}}]}}]"#
    )
}

const RAN: &str = r#""gen_ai.tool.name":"find","gen_ai.tool.call.id":"a""#;

#[test]
fn a_result_in_a_history_finds_the_tool_span_of_its_id_before_or_after() {
    let answer = answers(r#""id":"a","response":"x""#);
    let found = [r#"find(?) a -> "x""#];
    check("flat-spans", &spans(&[RAN, &answer]), &found);
    check("flat-spans", &spans(&[&answer, RAN]), &found);
    // The span has its own result.
    let told = format!(r#"{RAN},"gen_ai.tool.call.result":"y""#);
    check(
        "flat-spans",
        &spans(&[&told, &answer]),
        &[r#"find(?) a -> "y""#],
    );
    let flattened = r#""openinference.span.kind":"LLM","llm.input_messages.0.message.role":"tool","llm.input_messages.0.message.tool_call_id":"a","llm.input_messages.0.message.content":"x""#;
    check("flat-spans", &spans(&[RAN, flattened]), &found);
}

#[test]
fn a_result_is_recorded_before_the_model_span_that_asked() {
    let asked = r#""gen_ai.output.messages":[{"role":"assistant","parts":[{"type":"tool_call","id":"a","name":"find","arguments":{}}]}]"#;
    let answer = answers(r#""id":"a","response":"x""#);
    check(
        "flat-spans",
        &spans(&[&answer, asked]),
        &[r#"find({}) a @0 -> "x""#],
    );
}

#[test]
fn a_result_without_a_call_that_names_its_tool_shows_that_the_tool_was_called() {
    let named = answers(r#""id":"b","name":"look","response":"y""#);
    check(
        "flat-spans",
        &spans(&[RAN, &named]),
        &["find(?) a", r#"look(?) b -> "y""#, "1 orphans"],
    );
    let nameless = answers(r#""id":"b","response":"y""#);
    check(
        "flat-spans",
        &spans(&[RAN, &nameless]),
        &["find(?) a", "1 orphans"],
    );
    let by_name = answers(r#""name":"find","response":"y""#);
    check(
        "flat-spans",
        &spans(&[RAN, &by_name]),
        &[r#"find(?) a -> "y""#],
    );
}

#[test]
fn a_second_instrumentation_beside_the_first_repeats_its_requests() {
    let span = |id: &str, times: &str, call: &str| {
        format!(
            r#"{{"trace_id":"t","span_id":"{id}","parent_id":"0","name":"m",{times},"attributes":{{"gen_ai.output.messages":[{{"role":"assistant","parts":[{{"type":"tool_call",{call}"name":"find","arguments":{{"id":7}}}}]}}]}}}}"#
        )
    };
    let outer = span("1", r#""start_time":0,"end_time":9"#, "");
    let inner = span("2", r#""start_time":1,"end_time":8"#, r#""id":"a","#);
    let found = [r#"find({"id":7}) a @0"#, "1 recorded twice"];
    check("flat-spans", &format!("{outer}\n{inner}"), &found);
    // Without ids, and one after the other, they are two.
    let other = span("2", r#""start_time":1,"end_time":8"#, "");
    let twice = [r#"find({"id":7}) @1"#, r#"find({"id":7}) @0"#];
    check("flat-spans", &format!("{outer}\n{other}"), &twice);
    let later = span("2", r#""start_time":10,"end_time":11"#, r#""id":"a","#);
    let twice = [r#"find({"id":7}) @0"#, r#"find({"id":7}) a @1"#];
    check("flat-spans", &format!("{outer}\n{later}"), &twice);
}
