//! Calls that a monitor or a guard admits or refuses.

use std::sync::Mutex;

use rightcall_core::call::{Arguments, Call};
use rightcall_core::monitor::{Admission, Guard, GuardMode, GuardOptions, Monitor, ResultOfCall};

use super::verdicts::runs;
use super::{call, joined, words};

#[test]
fn a_refusal_by_a_budget_states_the_limit() {
    let mut guard = Guard::new(r#"{"max_calls":0}"#, GuardOptions::default()).unwrap();
    let call = Call {
        name: "find".into(),
        ..Call::default()
    };
    assert_eq!(
        guard.admit(&call).unwrap().sentence,
        "`find` may not be called now: it breaks the rule \"calls\" (<= 0)."
    );
}

#[test]
fn only_one_of_two_parallel_calls_is_admitted() {
    for round in 0..1_000_u32 {
        let rules = r#"[{"call":"refund","at_most":1,"same":"order"}]"#;
        let monitor = Mutex::new(Monitor::new(rules).unwrap());
        let admit = |number: u32| {
            if (round + number).is_multiple_of(3) {
                std::thread::yield_now();
            }
            let admission = monitor
                .lock()
                .unwrap()
                .admit(&call("refund", r#"{"order":7}"#));
            matches!(admission.unwrap(), Admission::Admitted(_))
        };
        let admitted = std::thread::scope(|scope| {
            let other = scope.spawn(|| admit(1));
            [admit(0), other.join().unwrap()]
        });
        assert_eq!(admitted.iter().filter(|it| **it).count(), 1);
    }
}

#[test]
fn a_broken_rule_still_guards() {
    let mut monitor = Monitor::new(r#"["never refund", "verify before pay"]"#).unwrap();
    monitor.observe(&call("refund", "{}")).unwrap();
    assert!(monitor.may(&call("refund", "{}")).unwrap().is_empty());
    let Admission::Refused(refusals) = monitor.admit(&call("refund", "{}")).unwrap() else {
        panic!("the second one is admitted");
    };
    assert_eq!(
        (refusals[0].calls.as_slice(), refusals[0].is_violated),
        (&[0, 1][..], true)
    );
    assert_eq!(
        refusals[0].sentence,
        "`refund` may not be called now: it breaks the rule \"never refund\"."
    );
    let admitted = monitor.admit(&call("verify", "{}")).unwrap();
    assert_eq!(admitted, Admission::Admitted(1));
}

#[test]
fn a_guard_stops_a_run_after_repeated_refusals() {
    let mut guard = Guard::new(r#"["never refund"]"#, GuardOptions::default()).unwrap();
    for (order, is_stopped) in [("1", false), ("2", false), ("1", false), ("1", true)] {
        let request = Call {
            name: "refund".into(),
            arguments: Arguments::owned_json(format!("{{\"order\":{order}}}")),
            ..Call::default()
        };
        let decision = guard.admit(&request).unwrap();
        assert_eq!((decision.call, decision.is_stopped), (None, is_stopped));
        guard = Guard::restore(guard.snapshot().as_str()).unwrap();
    }
    let last = guard.admit(&call("find", "{}")).unwrap();
    assert!(last.is_stopped && last.call.is_none());
    let stop = "The run is stopped: `refund` was refused 3 times with the same arguments. Do not call any more tools.";
    assert_eq!(
        (last.sentence.as_str(), guard.stopped()),
        (stop, Some(stop))
    );
    assert!(guard.monitor().calls().is_empty());
}

#[test]
fn a_guard_that_does_not_block_lets_calls_pass() {
    for (mode, sentence) in [
        (
            GuardMode::Warn,
            "`refund` may not be called now: it breaks the rule \"never refund\".",
        ),
        (GuardMode::Observe, ""),
    ] {
        let options = GuardOptions {
            mode,
            ..GuardOptions::default()
        };
        let mut guard = Guard::new(r#"["never refund", "last bye"]"#, options).unwrap();
        for number in 0..5 {
            let decision = guard.admit(&call("refund", "{}")).unwrap();
            assert_eq!(decision.call, Some(number));
            assert_eq!(decision.sentence, sentence);
        }
        let reminder = "The rule \"last bye\" does not hold yet.";
        assert_eq!(guard.reminder().as_deref(), Some(reminder));
        assert_eq!(guard.reminder(), None);
        assert!(!guard.finish().unwrap().details.unwrap().as_str().is_empty());
    }
}

#[test]
fn a_guard_refuses_calls_that_are_not_expected_next() {
    let settings = r#"{"expected":["find",{"name":"pay","output":{"ok":true}},"bye"],"rules":["at most 1 find"]}"#;
    let mut guard = Guard::new(settings, GuardOptions::default()).unwrap();
    let refused = guard.admit(&call("pay", "{}")).unwrap();
    assert_eq!(
        refused.sentence,
        "`pay` may not be called now: it is not expected here. Expected next: `find`."
    );
    assert_eq!(guard.admit(&call("find", "{}")).unwrap().call, Some(0));
    // The results of both calls are missing.
    assert_eq!(guard.admit(&call("pay", "{}")).unwrap().call, Some(1));
    assert_eq!(guard.reminder().as_deref(), Some("Expected next: `bye`."));
    let failed = ResultOfCall {
        output: Some(r#"{"ok":false}"#),
        failed: Some(false),
    };
    guard.result(1, failed).unwrap();
    assert_eq!(joined(guard.monitor()), "satisfied_so_far violated");
    for (settings, wanted) in [
        (r#"{"expected":[{"any_ordr":[]}]}"#, "`expected/0"),
        (
            r#"{"extra":"others"}"#,
            "`expected` takes calls if there is `extra`",
        ),
        (
            r#"{"expected":["a"],"extra":"some"}"#,
            "`extra` takes `none` or `others`",
        ),
    ] {
        let message = Monitor::new(settings).unwrap_err().to_string();
        assert!(message.contains(wanted), "{message}");
    }
}

#[test]
fn the_possible_next_calls_are_the_admitted_ones() {
    for tree in [
        r#"["a","b","c"]"#,
        r#"[{"any_order":["a",["b","c"]]},{"optional":"a"}]"#,
        r#"[{"one_of":[["a","b"],"c"]},{"repeat":["b"],"min":1,"max":2}]"#,
        r#"[{"repeat":[{"one_of":["a","b"]}]},"c"]"#,
        r#"[{"repeat":[{"optional":"a"},{"optional":"b"}],"min":2,"max":3},"c"]"#,
        r#"[{"any_order":[{"repeat":["a"],"min":0},["b",{"optional":"c"}]]}]"#,
        r#"[{"any_order":["a","a","b"]},{"optional":["c","a"]}]"#,
        r#"[{"repeat":[{"repeat":["a"],"min":0,"max":2},"b"],"min":1}]"#,
        r#"[{"one_of":[{"any_order":["a",{"repeat":["b"]}]},["a","c"],["a","a"]]}]"#,
    ] {
        let settings = format!(r#"{{"expected":{tree}}}"#);
        let whole = rightcall_core::expectation::ProcessTree::read(tree).unwrap();
        for run in runs("abc", 4) {
            let mut monitor = Monitor::new(&settings).unwrap();
            for name in run.chars() {
                let request = Call {
                    name: name.to_string().into(),
                    ..Call::default()
                };
                monitor.observe(&request).unwrap();
            }
            let violated = words(&monitor)[0].as_deref() == Some("violated");
            let calls: Vec<_> = monitor.calls().iter().map(Call::for_expectation).collect();
            assert_eq!(
                violated,
                whole.prefix_cost(&calls).unwrap() > 0,
                "{tree} {run}"
            );
            let accepted = words(&monitor)[0].as_deref() == Some("satisfied_so_far");
            assert_eq!(
                accepted,
                whole.align(&calls).unwrap().cost == 0,
                "{tree} {run}"
            );
            let next: Vec<_> = monitor
                .next()
                .iter()
                .map(|it| it.name.to_string())
                .collect();
            for name in ["a", "b", "c"] {
                let is_next = next.iter().any(|it| it == name);
                let may = monitor.may(&call(name, "{}")).unwrap().is_empty();
                assert_eq!(is_next, may && !violated, "{tree} {run} {name}");
            }
        }
    }
}
