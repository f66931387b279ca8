//! An unjudged run is not a success: thresholds, gates and comparisons that judge no case, and rules on tools that do not exist.

use crate::{Place, good};

#[test]
#[expect(clippy::too_many_lines, reason = "a table of commands")]
fn deciding_evaluator_without_a_judged_case_is_an_error() {
    let lone = r#"{"id":"a","expected":["find"]}"#;
    // A misspelt column: the shape is not recognized, and no evaluator applies.
    let misspelt = r#"{"prompt":"price?","referenc_trajectory":[{"tool_name":"price_of","tool_input":{"item":"lamp"}}],"predicted_trajectory":[{"tool_name":"price_of","tool_input":{"item":"lamp"}}]}"#;
    let suite = |more: &str| format!("cases: cases.jsonl\nevaluators: {more}\n");
    for (case, line, suite, judge) in [
        (
            lone,
            "score cases.jsonl -e tool-call-order,threshold=1",
            String::new(),
            "uipath/tool-call-order",
        ),
        (
            lone,
            "score cases.jsonl -q -e tool-call-order,threshold=0 --format jsonl",
            String::new(),
            "uipath/tool-call-order",
        ),
        (
            lone,
            "score cases.jsonl -e agentevals/trajectory-match",
            String::new(),
            "agentevals/trajectory-match",
        ),
        (
            misspelt,
            "score cases.jsonl -e vertex/trajectory-exact-match,threshold=1",
            String::new(),
            "vertex/trajectory-exact-match",
        ),
        (
            misspelt,
            "run suite.yaml",
            suite("[{evaluator: vertex/trajectory-exact-match, threshold: 1}]"),
            "vertex/trajectory-exact-match",
        ),
        (
            misspelt,
            "run suite.yaml",
            suite("[trajectory]\ngates: [{trajectory: {mean: '>= 0'}}]"),
            "the gate on trajectory",
        ),
        (
            misspelt,
            "run suite.yaml",
            suite("[trajectory]\ngates: [{trajectory: {errors: '= 0'}}]"),
            "the gate on trajectory",
        ),
        (
            misspelt,
            "run suite.yaml",
            suite("[trajectory]\ngates: [{trajectory: {not_applicable: '>= 0'}}]"),
            "the gate on trajectory",
        ),
        (
            misspelt,
            "run suite.yaml",
            suite("[trajectory]\ngates: [{trajectory: {mean: '>= 0', applicable: '>= 0%'}}]"),
            "the gate on trajectory",
        ),
        (
            misspelt,
            "run suite.yaml",
            suite("[trajectory]\ngates: [{score: {min: '>= 0'}}]"),
            "the gate on score",
        ),
        (
            misspelt,
            "run suite.yaml",
            suite("[{evaluator: trajectory, threshold: 1}]\ngates: [{passed: '>= 0%'}]"),
            "the gate on passed",
        ),
    ] {
        let place = Place::with_cases(&[case.to_owned()]).with("suite.yaml", &suite);
        let told = format!("error: {judge} judged no case (exit code 2)");
        let said = place.check(line, &[], 2, &[&told]);
        assert!(!said.stdout.contains("hold"), "{suite}\n{}", said.stdout);
        // A second evaluator that judges the case does not help.
        if case == lone && !line.contains("-q") {
            let both = format!("{line} -e trajectory");
            place.check(&both, &[], 2, &[&told]);
        }
    }
    // Without a threshold or gate, or with one judged case, the exit code is as usual.
    let place = Place::with_cases(&[lone.to_owned(), good("b")]);
    place.check(
        "score cases.jsonl -e tool-call-order,threshold=1",
        &[],
        0,
        &[],
    );
    let place = Place::with_cases(&[misspelt.to_owned()]);
    place.check("score cases.jsonl -e trajectory", &[], 0, &[]);
}

#[test]
fn comparison_without_a_judged_case_is_an_error() {
    let lone = |id: &str| format!("{{\"id\":\"{id}\",\"expected\":[\"find\"]}}");
    let place = Place::with_cases(&[lone("a")])
        .with("other.jsonl", lone("a"))
        .with("good.jsonl", good("a"));
    let none = "no case was judged both in ";
    for files in [
        "cases.jsonl other.jsonl",
        "cases.jsonl good.jsonl",
        "good.jsonl cases.jsonl good.jsonl",
    ] {
        for format in ["", "--format json"] {
            let line = format!("compare {files} -e trajectory {format}");
            place.check(&line, &[], 2, &[none]);
        }
    }
    for file in ["cases", "other"] {
        let line = format!("score {file}.jsonl -e trajectory -q -o {file}-results.jsonl");
        place.check(&line, &[], 0, &[]);
    }
    place.check(
        "compare cases-results.jsonl other-results.jsonl",
        &[],
        2,
        &[none],
    );
    let line = "compare good.jsonl good.jsonl -e trajectory";
    place.check(line, &[], 0, &[]);
    // A gate on an unjudged evaluator does not pass.
    let line = "compare good.jsonl cases.jsonl -e trajectory --gate";
    place.check(line, &["worse = 0"], 2, &[none]);
}

#[test]
fn matcher_name_as_text_is_a_warning() {
    let case = |value: &str| {
        format!(
            r#"{{"expected":[{{"name":"a","args":{{"q":{value}}}}}],"actual":[{{"name":"a","args":{{"q":"x"}}}}]}}"#
        )
    };
    let place = Place::with_cases(&[case(r#""$any""#), case(r#"{"$one_of":["$any"]}"#)]);
    let warning = "warning: an expected value is the text \"$any\", which is the name of a matcher (2 cases)\n  help: a matcher is an object: {\"$any\": …}";
    place.check("score cases.jsonl -e trajectory", &[], 0, &[warning]);
}

#[test]
fn expected_failure_is_a_warning() {
    let case = |outcome: &str| {
        format!(
            r#"{{"expected":[{{"name":"a","args":{{}},{outcome}}}],"actual":[{{"name":"a","args":{{}}}}]}}"#
        )
    };
    for (outcome, key) in [
        (r#""error":"boom""#, "error"),
        (r#""is_error":true"#, "is_error"),
        (r#""status":"error""#, "status"),
        (r#""run":"not""#, "run"),
    ] {
        let place = Place::with_cases(&[case(outcome), case(outcome)]);
        let warning = format!(
            "warning: an expected call has `{key}` (2 cases): whether a call fails is not compared\n  help: leave it out;"
        );
        place.check("score cases.jsonl -e trajectory", &[], 0, &[&warning]);
    }
    let place = Place::with_cases(&[case(r#""error":null,"turn":1"#)]);
    let output = place.run("score cases.jsonl -e trajectory", &[]);
    assert!(!output.stderr.contains("warning"), "{}", output.stderr);
}

#[test]
fn misspelled_tool_in_a_rule_is_a_warning() {
    let case = |rules: &str| {
        format!("{{\"id\":\"a\",\"expected\":{{{rules}}},\"actual\":[\"delete_all\",\"find\"]}}")
    };
    let warning = "warning: a rule names `delete_al`, which no run calls and no case expects\n  help: did you mean `delete_all`?";
    // The run violates two of these rules.
    for (settings, exit) in [
        ("forbidden=delete_al", 0),
        ("forbidden=[\"delete_al\"]", 0),
        ("required=delete_al", 1),
        ("counts={\"delete_al\":0}", 0),
        ("order=delete_al before find", 1),
        ("relations=delete_al <= find", 0),
    ] {
        let place = Place::with_cases(&[case("")]);
        place.check(
            "score cases.jsonl -e",
            &[&format!("constraints,{settings}")],
            exit,
            &[warning],
        );
    }
    for rules in [
        r#""constraints":{"forbidden":["delete_al"]}"#,
        r#""counts":{"delete_al":0}"#,
    ] {
        let place = Place::with_cases(&[case(rules)]);
        place.check(
            "score cases.jsonl --format jsonl -e constraints",
            &[],
            0,
            &[warning],
        );
    }
    // No warning for known names, for names unlike any other, for patterns, and for rules that no evaluator uses.
    for (settings, rules, exit) in [
        ("constraints,forbidden=delete_all", "", 1),
        ("constraints,forbidden=send_mail", "", 0),
        ("constraints,forbidden=delete_al*", "", 1),
        (
            "constraints,forbidden=delete_al",
            r#""calls":["delete_al"]"#,
            0,
        ),
        (
            "trajectory",
            r#""calls":["find"],"constraints":{"forbidden":["delete_al"]}"#,
            0,
        ),
    ] {
        let place = Place::with_cases(&[case(rules)]);
        let said = place.check("score cases.jsonl -e", &[settings], exit, &[]);
        assert!(
            !said.stderr.contains("a rule names"),
            "{settings}: {}",
            said.stderr
        );
    }
    // The tools of unselected cases count as known.
    let other = good("b").replace("find", "delete_al");
    let place = Place::with_cases(&[case(""), other]);
    let said = place.check(
        "score cases.jsonl -k a -e constraints,forbidden=delete_al",
        &[],
        0,
        &[],
    );
    assert!(!said.stderr.contains("a rule names"), "{}", said.stderr);
}

#[test]
fn same_key_that_no_call_has_is_a_warning() {
    let refund = r#"{"name":"refund","args":{"order":1,"amount":5}}"#;
    let place = Place::with_cases(&[format!(
        r#"{{"id":"a","actual":[{{"name":"verify","args":{{"order":1}}}},{refund},{refund}]}}"#
    )]);
    let compared = |key: &str| {
        format!(
            "warning: a rule compares `{key}` of `refund` (`same`), which no call has, so it compares nothing\n  help: "
        )
    };
    let at_most = |key: &str| {
        format!(r#"constraints,rules=[{{"call":"refund","at_most":1,"same":"{key}"}}]"#)
    };
    for (key, exit, help) in [
        ("ordr", 0, Some("did you mean `order`?")),
        ("/item/id", 0, Some("its arguments are amount, order")),
        ("order", 1, None),
    ] {
        let line = "score cases.jsonl -e";
        let said = place.check(line, &[&at_most(key)], exit, &[]);
        let wanted = help.map(|help| compared(key) + help);
        let is_warned = wanted.as_ref().is_some_and(|it| said.stderr.contains(it));
        assert_eq!(is_warned, help.is_some(), "{key}: {}", said.stderr);
        assert_eq!(said.stderr.contains("a rule compares"), help.is_some());
    }
    // A tool that no run calls has no arguments to compare.
    let never = r#"constraints,rules=[{"call":"pay","at_most":1,"same":"order"}]"#;
    let said = place.check("score cases.jsonl -e", &[never], 0, &[]);
    assert!(!said.stderr.contains("a rule compares"), "{}", said.stderr);
    // Each of the two calls agrees with itself alone.
    let line = "explain cases.jsonl --case a -e";
    let found = place.check(line, &[&at_most("ordr")], 0, &[]).stdout;
    let row = found
        .lines()
        .find(|it| it.contains("same ordr   "))
        .unwrap();
    let words: Vec<_> = row.split_whitespace().collect();
    assert!(words.ends_with(&["<=", "1", "1", "2,", "3"]), "{found}");
}

#[test]
fn unjudged_rules_are_listed_with_the_reason() {
    let run = |id: &str, more: &str| {
        format!(r#"{{"id":"{id}","actual":[{{"name":"find","args":{{}}{more}}}]}}"#)
    };
    let runs = [run("a", ""), run("b", ""), run("c", r#","error":false"#)].join("\n");
    let suite = "traces: runs.jsonl\nevaluators: [{evaluator: constraints, max_errors: 0, max_calls: 3, max_run_seconds: 9}]\n";
    let place = Place::new()
        .with("runs.jsonl", runs)
        .with("suite.yaml", suite);
    let listed = "
  rules that were not judged
    3 of 3 runs   whole run   `start` was not recorded
    2 of 3 runs   failed calls   `error` was not recorded
";
    let score = "score runs.jsonl -e";
    let rules = [r#"{"evaluator":"constraints","max_errors":0,"max_calls":3,"max_run_seconds":9}"#];
    for (line, more) in [("run suite.yaml", &[][..]), (score, &rules[..])] {
        let said = place.check(line, more, 0, &[]).stdout;
        assert!(said.contains(listed), "{line}\n{said}");
    }
    // Six rules: five are listed.
    let seconds = "max_call_seconds: 1, max_run_seconds: 9, max_calls_per_minute: 9, max_errors: 0, max_retries: 0";
    let suite = suite.replace("max_errors: 0, max_calls: 3, max_run_seconds: 9", &format!("{seconds}, rules: [{{call: {{name: find, failed: true}}, never: true}}, at most 3 find]"));
    let place = place.with("suite.yaml", suite);
    let said = place.check("run suite.yaml", &[], 0, &[]).stdout;
    assert_eq!(said.matches(" of 3 runs ").count(), 5, "{said}");
    assert!(said.contains("\n    … and 1 more rule\n"), "{said}");
}
