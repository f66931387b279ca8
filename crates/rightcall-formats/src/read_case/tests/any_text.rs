//! Every record is either a case or an error, and its keys may be in any order.

use proptest::prelude::*;

use super::*;

fn json() -> impl Strategy<Value = serde_json::Value> {
    let leaf = prop_oneof![
        Just(serde_json::Value::Null),
        any::<bool>().prop_map(serde_json::Value::from),
        any::<i64>().prop_map(serde_json::Value::from),
        ".{0,6}".prop_map(serde_json::Value::from),
    ];
    leaf.prop_recursive(3, 12, 4, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(serde_json::Value::from),
            prop::collection::vec((key(), inner), 0..4)
                .prop_map(|entries| entries.into_iter().collect()),
        ]
    })
}

/// Mostly known keys.
fn key() -> impl Strategy<Value = String> {
    const KEYS: &[&str] = &[
        "id",
        "expected",
        "actual",
        "calls",
        "order",
        "counts",
        "outputs",
        "name",
        "args",
        "arguments",
        "tool",
        "toolName",
        "input",
        "attributes",
        "tool.name",
        "tool.id",
        "input.value",
        "role",
        "type",
        "content",
        "tool_calls",
        "tool_call_id",
        "function",
        "intermediate_data",
        "tool_uses",
        "tools_called",
        "expected_tools",
        "actualCalls",
        "expectedCalls",
        "user_input",
        "reference_tool_calls",
        "reference_outputs",
        "toolCallsOrder",
        "tool_calls_count",
        "messages",
        "tags",
        "meta",
        "turn",
        "start_time",
        "input_parameters",
    ];
    prop_oneof![9 => prop::sample::select(KEYS).prop_map(str::to_owned), 1 => ".{0,4}"]
}

proptest! {
    #[test]
    fn any_text_is_a_case_or_an_error(text in r#"[\[\]{}":,a-z0-9\\ ]{0,40}"#) {
        let _ = read_case(&text, &ReadOptions::default());
    }

    #[test]
    fn any_json_is_a_case_or_an_error(
        entries in prop::collection::vec((key(), json()), 0..5),
        format in prop::option::of(prop::sample::select(crate::FORMATS)),
    ) {
        let text = serde_json::Value::from_iter(entries).to_string();
        let _ = read_case(&text, &ReadOptions { format, ..ReadOptions::default() });
    }

    #[test]
    fn keys_may_stand_in_any_order(
        (keys, call_keys) in (Just(vec![0, 1, 2, 3, 4]).prop_shuffle(), Just(vec![0, 1, 2, 3]).prop_shuffle()),
        (name, args) in (".{0,8}", prop::collection::vec((".{0,4}", json()), 0..4)),
    ) {
        let name_json = serde_json::to_string(&name).unwrap();
        let args = serde_json::Value::from_iter(args).to_string();
        // Keys that begin with a dollar sign are matchers in expectations.
        prop_assume!(!args.contains("\"$"));
        let members = [format!("\"name\":{name_json}"), format!("\"args\":{args}"), "\"turn\": 4".into(), "\"x\":[{}]".into()];
        let call = format!("{{{}}}", call_keys.iter().map(|&at: &usize| members[at].as_str()).collect::<Vec<_>>().join(" , "));
        let members = [
            format!("\"id\":{name_json}"),
            format!("\"expected\": [{call}]"),
            format!("\"actual\":[{call},{call}]"),
            "\"trial\":0".into(),
            "\"more\":{}".into(),
        ];
        let text = format!("{{{}}}", keys.iter().map(|&at: &usize| members[at].as_str()).collect::<Vec<_>>().join(","));
        let case = read(&text);
        prop_assert_eq!(case.id.map(|id| id.to_string()), Some(name.clone()));
        prop_assert_eq!((case.trial, case.meta), (Some("0"), vec![(Text::new("more"), "{}")]));
        let calls: Vec<_> = case.expected.calls.unwrap().into_iter().chain(case.actual.unwrap().calls).collect();
        prop_assert_eq!(calls.len(), 3);
        for call in calls {
            prop_assert_eq!(call.name.to_string(), name.clone());
            prop_assert_eq!(call.arguments.source(), ArgumentSource::Json(&args));
            prop_assert_eq!(call.metadata().turn, Some(4));
        }
    }
}
