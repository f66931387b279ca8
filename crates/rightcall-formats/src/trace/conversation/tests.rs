use super::super::{Choices, TraceArguments};
use super::*;

fn call(id: &'static str, name: &'static str) -> TraceCall {
    TraceCall {
        id: Some(Text::new(id)),
        name: Text::new(name),
        ..TraceCall::default()
    }
}

fn result(id: &'static str, output: &str) -> CallResult {
    CallResult {
        id: Some(Text::new(id)),
        output: Some(output.to_owned()),
        ..CallResult::default()
    }
}

fn conversation(choices: Choices) -> Conversation {
    Conversation::new(Scope {
        choices,
        ..Scope::default()
    })
}

#[test]
fn calls_of_one_message_are_a_turn_and_a_group() {
    let mut run = conversation(Choices::default());
    run.message();
    run.call(call("a", "find"));
    run.call(call("b", "look"));
    run.message();
    run.result(result("b", "2"));
    run.message();
    run.call(call("a", "find"));
    run.result(result("a", "1"));
    run.result(result("x", "3"));
    let trace = run.finish();
    assert_eq!(
        trace.calls.iter().map(|call| call.turn).collect::<Vec<_>>(),
        [Some(0), Some(0), Some(2)]
    );
    assert_eq!(
        trace
            .calls
            .iter()
            .map(|call| call.group.is_some())
            .collect::<Vec<_>>(),
        [true, true, false]
    );
    assert_eq!(
        trace
            .calls
            .iter()
            .map(|call| call.output.as_deref())
            .collect::<Vec<_>>(),
        [Some("1"), Some("2"), None]
    );
    assert_eq!(trace.report.orphans, 1);
}

#[test]
fn what_is_left_out_is_counted_and_its_result_is_no_orphan() {
    let choices = Choices {
        provider: Keep::Drop,
        ..Choices::default()
    };
    let mut run = conversation(choices);
    run.message();
    run.call(TraceCall {
        executor: Executor::Provider,
        ..call("a", "web_search")
    });
    run.call(TraceCall {
        actor: Some(Text::new("user")),
        ..call("b", "reboot")
    });
    run.result(result("a", "1"));
    run.result(result("b", "2"));
    let trace = run.finish();
    assert!(trace.calls.is_empty());
    assert_eq!(trace.report.orphans, 0);
    assert_eq!(
        trace.report.dropped().collect::<Vec<_>>(),
        [(LeftOut::ProviderExecuted, 1), (LeftOut::OtherActor, 1)]
    );
}

#[test]
fn a_wrapper_becomes_its_calls_unless_it_is_to_be_kept() {
    let wrapper = || TraceCall {
        arguments: TraceArguments::Json(
            r#"{"tool_uses":[{"recipient_name":"functions.a"},{"recipient_name":"b"}]}"#.into(),
        ),
        ..call("w", "parallel")
    };
    let mut run = conversation(Choices::default());
    run.message();
    run.call(wrapper());
    run.result(result("w", "[1,2]"));
    let trace = run.finish();
    assert_eq!(
        trace
            .calls
            .iter()
            .map(|call| call.name.to_string())
            .collect::<Vec<_>>(),
        ["a", "b"]
    );
    assert_eq!(
        (trace.report.orphans, trace.calls[0].output.as_deref()),
        (0, None)
    );

    let mut run = conversation(Choices {
        wrappers: Keep::Keep,
        ..Choices::default()
    });
    run.call(wrapper());
    assert_eq!(run.finish().calls.len(), 1);
}

#[test]
fn results_that_name_their_tools_stand_for_calls_where_they_came() {
    let mut run = conversation(Choices::default());
    let named = |id, name| CallResult {
        name: Some(Text::new(name)),
        ..result(id, "1")
    };
    run.message();
    run.result(named("x", "first"));
    run.result(named("y", "second"));
    run.result(result("z", "no name"));
    run.result(named("late", "find"));
    run.call(call("a", "find"));
    run.message();
    run.call(call("late", "look"));
    run.call(TraceCall {
        parent: Some(1),
        ..call("c", "open")
    });
    run.result(named("w", "last"));
    let trace = run.finish();
    let read: Vec<_> = trace
        .calls
        .iter()
        .map(|call| format!("{} {:?} {:?}", call.name, call.turn, call.parent))
        .collect();
    assert_eq!(
        read,
        [
            "first Some(0) None",
            "second Some(0) None",
            "find Some(0) None",
            "look Some(1) None",
            "open Some(1) Some(3)",
            "last Some(1) None"
        ]
    );
    assert_eq!(trace.report.orphans, 4);
    assert_eq!(trace.calls[3].output.as_deref(), Some("1"));
}

/// The outputs of nameless calls in messages of their own, after these results without ids.
fn outputs_of_spread_calls(calls: &[&'static str], results: &[&str]) -> Vec<Option<String>> {
    let mut run = conversation(Choices::default());
    for name in calls {
        run.message();
        run.call(TraceCall {
            id: None,
            ..call("", name)
        });
    }
    for output in results {
        run.message();
        run.result(CallResult {
            id: None,
            ..result("", output)
        });
    }
    let calls = run.finish().calls.into_iter();
    calls.map(|call| call.output).collect()
}

#[test]
fn results_of_calls_in_several_messages_are_in_their_order() {
    let some = |output: &str| Some(output.to_owned());
    assert_eq!(
        outputs_of_spread_calls(&["find", "find", "look"], &["1", "2", "3"]),
        [some("1"), some("2"), some("3")]
    );
    // The first call was never answered.
    assert_eq!(
        outputs_of_spread_calls(&["find", "look"], &["2"]),
        [None, some("2")]
    );
    assert_eq!(outputs_of_spread_calls(&["find"], &["1", "2"]), [some("1")]);
}

#[test]
fn a_result_without_an_id_may_tell_the_arguments_of_its_call() {
    let mut run = conversation(Choices::default());
    run.message();
    let json = |json: &str| TraceArguments::Json(json.to_owned());
    for arguments in [r#"{"id":7}"#, r#"{"id":8}"#] {
        run.call(TraceCall {
            id: None,
            arguments: json(arguments),
            ..call("", "find")
        });
    }
    run.message();
    for (arguments, output) in [(r#"{"id": 8}"#, "8"), (r#"{"id": 7}"#, "7")] {
        run.result(CallResult {
            id: Some(Text::default()),
            name: Some(Text::new("find")),
            arguments: Some(json(arguments)),
            ..result("", output)
        });
    }
    let calls = run.finish().calls.into_iter();
    let outputs: Vec<_> = calls.filter_map(|call| call.output).collect();
    assert_eq!(outputs, ["7", "8"]);
}
