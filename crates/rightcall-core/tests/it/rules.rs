//! Rules with arguments: the golden cases, run with the core crate alone, on whole runs and call by call.

#![expect(
    clippy::unwrap_used,
    reason = "a golden that cannot be read ends the test"
)]

use std::fs;
use std::path::Path;
use std::sync::Mutex;

use proptest::prelude::*;
use rightcall_core::call::{Arguments, Call, Case, Trajectory};
use rightcall_core::monitor::{
    Admission, Guard, GuardMode, GuardOptions, Monitor, MonitorError, ResultOfCall,
};
use rightcall_core::value::{RawJson, from_json};
use rightcall_core::{Ask, Evaluation, Evaluator};
use serde::Deserialize;

#[derive(Deserialize)]
struct Line<'a> {
    id: String,
    #[serde(borrow)]
    rules: RawJson<'a>,
    #[serde(borrow)]
    calls: Vec<GoldenCall<'a>>,
    result: GoldenResult,
}

#[derive(Deserialize)]
struct GoldenCall<'a> {
    name: String,
    #[serde(borrow, default)]
    args: Option<RawJson<'a>>,
    #[serde(
        borrow,
        default,
        deserialize_with = "rightcall_core::value::deserialize_present"
    )]
    output: Option<RawJson<'a>>,
    #[serde(borrow, default)]
    error: Option<RawJson<'a>>,
    group: Option<String>,
}

#[derive(Debug, Deserialize, PartialEq)]
struct GoldenResult {
    held: Vec<Option<bool>>,
    vacuous: Vec<bool>,
    verdicts: Vec<Vec<Option<String>>>,
    may: Vec<bool>,
}

impl<'a> GoldenCall<'a> {
    /// The call before its result.
    fn asked(&self) -> Call<'a> {
        let mut call = Call {
            name: self.name.clone().into(),
            ..Call::default()
        };
        if let Some(RawJson(json)) = self.args {
            call.arguments = Arguments::json(json);
        }
        if let Some(group) = &self.group {
            call.metadata_mut().group = Some(group.clone().into());
        }
        call
    }

    /// Its result; `None` if nothing was recorded.
    fn result(&self) -> Option<ResultOfCall<'a>> {
        let result = ResultOfCall {
            output: self.output.map(|RawJson(json)| json),
            failed: self.error.map(|RawJson(error)| error != "false"),
        };
        (result != ResultOfCall::default()).then_some(result)
    }

    fn whole(&self) -> Call<'a> {
        let mut call = self.asked();
        let Some(result) = self.result() else {
            return call;
        };
        let metadata = call.metadata_mut();
        metadata.has_null_output = result.output == Some("null");
        metadata.output = result.output.filter(|it| *it != "null").map(Into::into);
        metadata.error = result.failed.map(|failed| failed.to_string().into());
        call
    }
}

fn lines() -> Vec<String> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/rules.jsonl");
    let text = fs::read_to_string(file).unwrap();
    text.lines().map(str::to_owned).collect()
}

fn judged(rules: &str, calls: &[GoldenCall<'_>]) -> Evaluation {
    let case = Case {
        actual: Some(Trajectory {
            calls: calls.iter().map(GoldenCall::whole).collect(),
            ..Trajectory::default()
        }),
        ..Case::default()
    };
    let settings = format!("{{\"rules\":{rules}}}");
    let evaluator = Evaluator::new("constraints", &settings, None).unwrap();
    evaluator.evaluate(&case, Ask::ALL)
}

fn words(monitor: &Monitor) -> Vec<Option<String>> {
    let verdicts = monitor.verdicts().into_iter();
    verdicts
        .map(|it| it.map(|it| it.as_str().to_owned()))
        .collect()
}

#[test]
fn every_golden_holds_on_the_whole_run_and_call_by_call() {
    let (mut lines_failed, mut said) = (0, Vec::new());
    let lines = lines();
    assert!(lines.len() > 1200);
    for line in &lines {
        let line: Line<'_> = from_json(line).unwrap();
        let whole = judged(line.rules.0, &line.calls);
        let mut monitor = Monitor::new(line.rules.0).unwrap();
        let count = line.result.held.len();
        let checks = whole.explanation.as_ref().map(|it| &it.checks);
        let check = |rule: usize| checks.and_then(|checks| checks.get(rule));
        let mut found = GoldenResult {
            held: (0..count).map(|rule| check(rule)?.held).collect(),
            vacuous: (0..count)
                .map(|rule| check(rule).is_some_and(|it| it.vacuous))
                .collect(),
            verdicts: vec![words(&monitor)],
            may: Vec::new(),
        };
        for call in &line.calls {
            let asked = call.asked();
            found.may.push(monitor.may(&asked).unwrap().is_empty());
            let number = monitor.observe(&asked).unwrap();
            if let Some(result) = call.result() {
                monitor.result(number, result).unwrap();
            }
            found.verdicts.push(words(&monitor));
        }
        let finished = monitor.finish().unwrap();
        if found != line.result || finished.result != whole.result {
            lines_failed += 1;
            said.push(format!(
                "{}\n  wanted {:?}\n  found  {found:?}",
                line.id, line.result
            ));
        }
    }
    said.truncate(5);
    assert_eq!(lines_failed, 0, "{}", said.join("\n"));
}

#[test]
fn errors_name_their_place_and_what_to_write() {
    for (rules, wanted) in [
        (
            r#"["verify befor refund"]"#,
            "`rules/0` takes a sentence such as `verify before refund` or `at most 1 refund`, found `verify befor refund`; did you mean `verify before refund`?",
        ),
        (
            r#"[{"call":"a","neds":"b"}]"#,
            "found the key `neds`; did you mean `needs`?",
        ),
        (
            r#"[{"call":"a","needs":"b","never":true}]"#,
            "`rules/0/never`",
        ),
        (r#"[{"needs":"b"}]"#, "`rules/0/call` takes `call`"),
        (r#"[{"call":"a","first":"b"}]"#, "`rules/0/call`"),
        (r#"[{"call":"a"}]"#, "`rules/0`"),
        (
            r#"[{"call":"a","never":false}]"#,
            "`rules/0/never` takes true",
        ),
        (
            r#"[{"call":"a","never":true,"same":"k"}]"#,
            "`rules/0/same`",
        ),
        (
            r#"[{"call":"a","at_most":1,"same":{"k":"j"}}]"#,
            "`rules/0/same`",
        ),
        (r#"[{"call":"a","needs":"b","same":[]}]"#, "`rules/0/same`"),
        (
            r#"[{"call":"a","needs":"b","same":["k",1]}]"#,
            "`rules/0/same/1`",
        ),
        (
            r#"[{"call":"a","at_most":1.5}]"#,
            "`rules/0/at_most` takes an integer of 0 or more",
        ),
        (r#"[{"call":"a","at_least":-1}]"#, "`rules/0/at_least`"),
        (r#"[{"call":["a",[]],"needs":"b"}]"#, "`rules/0/call/1`"),
        (
            r#"[{"call":{"name":"a","failed":1},"needs":"b"}]"#,
            "`rules/0/call/failed`",
        ),
        (
            r#"[{"call":"a","needs":{"name":"b","args":{"k":{"$var":"x"}}}}]"#,
            "`rules/0/needs/args/k/$var` takes a value or another matcher, found a variable; a rule has no variables: name the arguments that two calls must share under `same`",
        ),
        (
            r#"[{"call":"a","call":"b","never":true}]"#,
            "/rules/0/call: expected each key once",
        ),
        (r#"{"call":"a"}"#, "no setting `call`"),
        ("7", "not an object"),
    ] {
        let said = Monitor::new(rules).unwrap_err().to_string();
        assert!(said.contains(wanted), "{rules}\n{said}");
    }
}

fn call(name: &'static str, arguments: &'static str) -> Call<'static> {
    Call {
        name: name.into(),
        arguments: Arguments::json(arguments),
        ..Call::default()
    }
}

#[test]
fn of_two_parallel_calls_exactly_one_is_admitted() {
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
fn events_in_a_wrong_order_are_errors() {
    let mut monitor = Monitor::new("[]").unwrap();
    let result = ResultOfCall::default();
    let said = |error: MonitorError| error.to_string();
    assert_eq!(
        said(monitor.result(0, result).unwrap_err()),
        "call 0 was not observed; 0 calls were: observe a call before its result"
    );
    let number = monitor.observe(&call("a", "{}")).unwrap();
    monitor.result(number, result).unwrap();
    assert!(matches!(
        monitor.result(number, result),
        Err(MonitorError::SecondResult { call: 0 })
    ));
    monitor.finish().unwrap();
    assert_eq!(
        monitor.observe(&call("a", "{}")),
        Err(MonitorError::Finished)
    );
    let mut again = Monitor::restore(monitor.snapshot().as_str()).unwrap();
    assert!(matches!(again.finish(), Err(MonitorError::Finished)));
    assert!(Monitor::restore("{}").is_err() && Monitor::restore("[").is_err());
}

#[test]
fn a_restored_run_goes_on_as_the_one_it_was_taken_of() {
    for line in &lines() {
        let line: Line<'_> = from_json(line).unwrap();
        let mut monitor = Monitor::new(line.rules.0).unwrap();
        for call in &line.calls {
            let number = monitor.observe(&call.asked()).unwrap();
            if let Some(result) = call.result() {
                monitor.result(number, result).unwrap();
            }
            let snapshot = monitor.snapshot();
            let again = Monitor::restore(snapshot.as_str()).unwrap();
            assert_eq!(words(&again), words(&monitor), "{}", line.id);
            assert_eq!(again.snapshot().as_str(), snapshot.as_str());
            monitor = again;
        }
        let whole = judged(line.rules.0, &line.calls);
        assert_eq!(monitor.finish().unwrap().result, whole.result);
    }
}

#[test]
fn a_snapshot_tells_null_from_what_was_not_recorded() {
    let rules = r#"[{"call":{"name":"a","args":{"k":1}},"never":true}]"#;
    for (arguments, wanted) in [
        (Some("null"), Some("satisfied_so_far".to_owned())),
        (None, None),
    ] {
        let mut monitor = Monitor::new(rules).unwrap();
        let mut asked = call("a", "{}");
        asked.arguments = arguments.map(Arguments::json).unwrap_or_default();
        asked.metadata_mut().start = Some("null".into());
        monitor.observe(&asked).unwrap();
        assert_eq!(words(&monitor), std::slice::from_ref(&wanted));
        let snapshot = monitor.snapshot();
        let again = Monitor::restore(snapshot.as_str()).unwrap();
        assert_eq!(words(&again), [wanted]);
        assert_eq!(again.snapshot().as_str(), snapshot.as_str());
    }
}

#[test]
fn a_guard_stops_a_run_that_insists() {
    let mut guard = Guard::new(r#"["never refund"]"#, GuardOptions::default()).unwrap();
    for (order, is_stopped) in [("1", false), ("2", false), ("1", false), ("1", true)] {
        let asked = Call {
            name: "refund".into(),
            arguments: Arguments::owned_json(format!("{{\"order\":{order}}}")),
            ..Call::default()
        };
        let decision = guard.admit(&asked).unwrap();
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

/// Checks the verdicts on each constraint after calls such as `a`, `a!` (failed) and `a?` (result missing).
#[track_caller]
fn check_verdicts(settings: &str, run: &str, wanted: &str) {
    let mut monitor = Monitor::new(settings).unwrap();
    for word in run.split_whitespace() {
        let name = word.trim_end_matches(['!', '?']).to_owned();
        let asked = Call {
            name: name.into(),
            arguments: Arguments::json("{}"),
            ..Call::default()
        };
        let number = monitor.observe(&asked).unwrap();
        if !word.ends_with('?') {
            let result = ResultOfCall {
                output: Some("1"),
                failed: Some(word.ends_with('!')),
            };
            monitor.result(number, result).unwrap();
        }
    }
    let found: Vec<_> = words(&monitor)
        .into_iter()
        .map(Option::unwrap_or_default)
        .collect();
    assert_eq!(found.join(" "), wanted, "{settings} {run}");
}

#[test]
fn every_other_constraint_has_verdicts_too() {
    for (settings, run, wanted) in [
        (r#"{"max_calls":1}"#, "a", "satisfied_so_far"),
        (r#"{"max_calls":1}"#, "a a", "violated"),
        (r#"{"counts":{"a":2}}"#, "a", "open"),
        (r#"{"counts":{"a":">= 1"}}"#, "a", "satisfied"),
        (r#"{"counts":{"a":"1..2"}}"#, "a a a", "violated"),
        (
            r#"{"required":["a"],"forbidden":["b"]}"#,
            "",
            "open satisfied_so_far",
        ),
        (
            r#"{"required":["a"],"forbidden":["b"]}"#,
            "a b",
            "satisfied violated",
        ),
        (r#"{"order":["a before b"]}"#, "", "satisfied_so_far"),
        (r#"{"order":["a before b"]}"#, "a b", "satisfied"),
        (r#"{"order":["a before b"]}"#, "b a", "violated"),
        (r#"{"relations":["a == b"]}"#, "a", "open"),
        (r#"{"max_errors":1}"#, "a! a?", "open"),
        (r#"{"max_errors":1}"#, "a! a", "satisfied_so_far"),
        (r#"{"max_errors":1}"#, "a! a!", "violated"),
        (
            r#"{"max_repeats":0,"max_retries":0}"#,
            "a a",
            "violated satisfied_so_far",
        ),
        (
            r#"{"max_repeats":0,"max_retries":0}"#,
            "a! a",
            "satisfied_so_far violated",
        ),
        (r#"{"max_repeats":0,"max_retries":0}"#, "a? a", "open open"),
        (
            r#"{"loops":{"same_tool":2,"alternating":2,"same_result":2}}"#,
            "a b a b",
            "satisfied_so_far violated violated",
        ),
        (r#"{"loops":{"same_result":2}}"#, "a a?", "open"),
    ] {
        check_verdicts(settings, run, wanted);
    }
}

/// Checks the verdict on the expected calls after some calls, and the possible next calls.
#[track_caller]
fn check_expected(settings: &str, run: &[(&'static str, &'static str)], wanted: &str, next: &str) {
    let mut monitor = Monitor::new(settings).unwrap();
    for (name, arguments) in run {
        monitor.observe(&call(name, arguments)).unwrap();
    }
    assert_eq!(words(&monitor).join(), wanted, "{settings} {run:?}");
    let shown = monitor
        .next()
        .into_iter()
        .map(|it| format!("{}{}", it.name, it.arguments.unwrap_or_default()));
    assert_eq!(
        shown.collect::<Vec<_>>().join(" "),
        next,
        "{settings} {run:?}"
    );
    assert_eq!(monitor.labels(), ["the expected calls"]);
    let again = Monitor::restore(monitor.snapshot().as_str()).unwrap();
    assert_eq!(words(&again), words(&monitor));
}

trait Join {
    fn join(self) -> String;
}

impl Join for Vec<Option<String>> {
    fn join(self) -> String {
        let words: Vec<_> = self.into_iter().map(Option::unwrap_or_default).collect();
        words.join(" ")
    }
}

#[test]
fn expected_calls_are_watched_too() {
    let tree = r#"{"expected":[{"name":"find","args":{"order":{"$var":"o"}}},{"any_order":["verify","mail"]},{"name":"refund","args":{"order":{"$var":"o"}}},{"optional":"bye"}]}"#;
    let find = ("find", r#"{"order":7}"#);
    let open = r#"find{"order":{"$var":"o"}}"#;
    check_expected(tree, &[], "open", open);
    check_expected(tree, &[find], "open", "verify mail");
    let half = [find, ("mail", "{}")];
    check_expected(tree, &half, "open", "verify");
    let most = [find, ("mail", "{}"), ("verify", "{}")];
    check_expected(tree, &most, "open", r#"refund{"order":7}"#);
    let whole = [
        find,
        ("mail", "{}"),
        ("verify", "{}"),
        ("refund", r#"{"order":7}"#),
    ];
    check_expected(tree, &whole, "satisfied_so_far", "bye");
    let other = [
        find,
        ("mail", "{}"),
        ("verify", "{}"),
        ("refund", r#"{"order":8}"#),
    ];
    check_expected(tree, &other, "violated", "");
    check_expected(tree, &[find, ("look", "{}")], "violated", "");
    let others = tree.replacen('{', r#"{"extra":"others","#, 1);
    check_expected(&others, &[find, ("look", "{}")], "open", "verify mail");
}

#[test]
fn expected_calls_are_satisfied_if_nothing_can_break_them() {
    let others = |tree: &str| format!(r#"{{"extra":"others","expected":{tree}}}"#);
    let any = r#"[{"repeat":{"one_of":["look","find"]},"min":0}]"#;
    check_expected(&others("[]"), &[], "satisfied", "");
    check_expected(&others(any), &[], "satisfied", "look find");
    check_expected(&others(any), &[("pay", "{}")], "satisfied", "look find");
    // A call of another tool breaks it.
    let none = format!(r#"{{"expected":{any}}}"#);
    check_expected(&none, &[], "satisfied_so_far", "look find");
    let after = r#"["look",{"repeat":"look","min":0}]"#;
    check_expected(&others(after), &[], "open", "look");
    check_expected(&others(after), &[("look", "{}")], "satisfied", "look");
    let at_most = r#"[{"repeat":"look","min":0,"max":2}]"#;
    check_expected(
        &others(at_most),
        &[("look", "{}")],
        "satisfied_so_far",
        "look",
    );
    // Whatever output comes, one of the two matches.
    let output = r#"[{"repeat":{"one_of":[{"name":"look","output":1},"look"]},"min":0}]"#;
    check_expected(&others(output), &[("look", "{}")], "satisfied", "look look");
    let demands = r#"[{"repeat":{"name":"look","args":{"id":1}},"min":0}]"#;
    check_expected(&others(demands), &[], "satisfied_so_far", r#"look{"id":1}"#);
}

/// The verdict on the expected calls after a run of tools of one letter.
fn verdict_after(settings: &str, run: &str) -> String {
    let mut monitor = Monitor::new(settings).unwrap();
    for letter in run.chars() {
        let name = letter.to_string().into();
        let made = Call {
            name,
            ..Call::default()
        };
        monitor.observe(&made).unwrap();
    }
    words(&monitor).join()
}

/// Random blocks over calls of two tools.
fn small_trees() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![Just(r#""a""#.to_owned()), Just(r#""b""#.to_owned())];
    leaf.prop_recursive(2, 6, 2, |inner| {
        let pair = (inner.clone(), inner.clone());
        prop_oneof![
            pair.clone()
                .prop_map(|(a, b)| format!(r#"{{"sequence":[{a},{b}]}}"#)),
            pair.clone()
                .prop_map(|(a, b)| format!(r#"{{"one_of":[{a},{b}]}}"#)),
            pair.prop_map(|(a, b)| format!(r#"{{"any_order":[{a},{b}]}}"#)),
            inner
                .clone()
                .prop_map(|it| format!(r#"{{"optional":{it}}}"#)),
            (inner.clone(), 0..2).prop_map(|(it, min)| format!(r#"{{"repeat":{it},"min":{min}}}"#)),
            inner.prop_map(|it| format!(r#"{{"repeat":{it},"min":0,"max":2}}"#)),
        ]
    })
}

proptest! {
    /// Beside a check of all continuations up to eight calls.
    #[test]
    fn satisfied_means_that_no_continuation_breaks_it(tree in small_trees(), run in "[ab]{0,3}") {
        let settings = format!(r#"{{"extra":"others","expected":[{tree}]}}"#);
        let all_hold = runs("ab", 8)
            .iter()
            .all(|more| verdict_after(&settings, &format!("{run}{more}")).starts_with("satisfied"));
        prop_assert_eq!(verdict_after(&settings, &run) == "satisfied", all_hold);
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
    assert_eq!(words(guard.monitor()).join(), "satisfied_so_far violated");
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
        let said = Monitor::new(settings).unwrap_err().to_string();
        assert!(said.contains(wanted), "{said}");
    }
}

/// All words over these letters, up to this length.
fn runs(letters: &str, longest: usize) -> Vec<String> {
    let mut all = vec![String::new()];
    let mut last = all.clone();
    for _ in 0..longest {
        let longer = last
            .iter()
            .flat_map(|run| letters.chars().map(move |name| format!("{run}{name}")));
        last = longer.collect();
        all.extend(last.iter().cloned());
    }
    all
}

#[test]
fn what_may_be_called_next_is_what_is_admitted() {
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
                let asked = Call {
                    name: name.to_string().into(),
                    ..Call::default()
                };
                monitor.observe(&asked).unwrap();
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

/// `cargo test --profile dist -p rightcall-core --test it cost_of_a_call -- --ignored --nocapture` prints the time of `admit` and `result`.
#[test]
#[ignore = "it measures, and decides nothing"]
fn cost_of_a_call() {
    let rules = r#"{"call":"refund","needs_before":"verify","same":"order"},{"call":"refund","at_most":1,"same":"order"},"no send after read_secret","first find",{"call":{"name":"refund","args":{"amount":{"$not":{"$lte":100}}}},"never":true}"#;
    let sequence = r#"["t0","t1","t2","t3","t4","t5","t6","t7","t8","t9"]"#;
    let five = format!("[{rules}]");
    let names = ["find", "verify", "refund"];
    measure("5 rules", &five, 10_200, |number| {
        (names[number % 3].to_owned(), number / 3)
    });
    let expected = format!(
        r#"{{"expected":{sequence},"rules":[{}]}}"#,
        rules.replace("first find", "first t0")
    );
    measure("5 rules and a sequence of 10", &expected, 10, |number| {
        (format!("t{number}"), 1)
    });
    let any_order = expected.replacen(sequence, &format!(r#"[{{"any_order":{sequence}}}]"#), 1);
    measure("5 rules and any_order of 10", &any_order, 10, |number| {
        (format!("t{number}"), 1)
    });
    let repeat = expected.replacen(sequence, &format!(r#"[{{"repeat":{sequence}}}]"#), 1);
    measure("5 rules and an open repeat", &repeat, 1_000, |number| {
        (format!("t{}", number % 10), 1)
    });
}

#[expect(clippy::print_stdout, reason = "the figures are all that it is for")]
fn measure(what: &str, settings: &str, calls: usize, call: impl Fn(usize) -> (String, usize)) {
    let mut best: Vec<u128> = vec![u128::MAX; calls];
    for _ in 0..5 {
        let mut monitor = Monitor::new(settings).unwrap();
        for (number, best) in best.iter_mut().enumerate() {
            let (name, order) = call(number);
            let asked = Call {
                name: name.into(),
                arguments: Arguments::owned_json(format!(r#"{{"order":{order},"amount":5}}"#)),
                ..Call::default()
            };
            let begun = std::time::Instant::now();
            let Admission::Admitted(number) = monitor.admit(&asked).unwrap() else {
                panic!("{what}: refused at {number}");
            };
            let result = ResultOfCall {
                output: Some("\"ok\""),
                failed: Some(false),
            };
            monitor.result(number, result).unwrap();
            *best = (*best).min(begun.elapsed().as_nanos());
        }
    }
    let median = |part: &[u128]| {
        let mut sorted = part.to_vec();
        sorted.sort_unstable();
        sorted[sorted.len() / 2] as f64 / 1e3
    };
    let (first, last) = (&best[..calls.min(20)], &best[calls.saturating_sub(20)..]);
    println!(
        "{what}: {:.1} µs at first, {:.1} µs after {calls} calls",
        median(first),
        median(last)
    );
}
