//! Cases with other keys than ours: which are accepted, which are rejected, and which cause a note.

use crate::{Place, good};

/// A call of `find` with other arguments than those of the run, in a given notation.
fn expecting(call: &str) -> Place {
    let run = r#"[{"name":"find","args":{"id":7}}]"#;
    Place::with_cases(&[format!(
        r#"{{"id":"a","expected":[{call}],"actual":{run}}}"#
    )])
}

const JUDGED: [&str; 3] = [
    "axion/tool-correctness,check_parameters=true",
    "trajectory",
    "evalite/tool-call-accuracy,mode=flexible",
];

#[test]
fn arguments_under_another_key_are_compared() {
    for name in ["name", "toolName", "tool", "tool_name", "function_name"] {
        for arguments in [
            "args",
            "arg",
            "arguments",
            "params",
            "parameters",
            "kwargs",
            "tool_input",
            "tool_args",
            "input_parameters",
        ] {
            let place = expecting(&format!(r#"{{"{name}":"find","{arguments}":{{"id":8}}}}"#));
            for evaluator in JUDGED {
                let said = place.check("score cases.jsonl --format jsonl -e", &[evaluator], 0, &[]);
                assert!(
                    !said.stdout.contains("\"score\":1.0"),
                    "{name} {arguments} {evaluator}: {}",
                    said.stdout
                );
            }
        }
    }
}

#[test]
fn unreadable_parts_of_a_call_are_errors() {
    for (call, messages) in [
        (
            r#"{"name":"find","argz":{"id":8}}"#,
            [
                "cases.jsonl:1 /expected/0: ",
                "the key `argz`",
                "did you mean `args`?",
            ],
        ),
        (
            r#"{"name":"find","args":{"id":7},"input":{"id":8}}"#,
            [
                "cases.jsonl:1 /expected/0: ",
                "`args` and `input`",
                "leave one of the two out",
            ],
        ),
        (
            r#"{"name":"find","with":{"id":8}}"#,
            [
                "cases.jsonl:1 /expected/0: ",
                "under the key `with`",
                "write them under `args`",
            ],
        ),
        (
            r#""find(id=8)""#,
            [
                "cases.jsonl:1 /expected/0: ",
                "the text \"find(id=8)\"",
                r#"write {"name":"find","args":{"id":8}}"#,
            ],
        ),
    ] {
        expecting(call).check(
            "score cases.jsonl -e axion/tool-correctness",
            &[],
            2,
            &messages,
        );
    }
}

#[test]
fn if_nothing_was_judged_the_reason_comes_first() {
    let place = Place::new()
        .with(
            "col.csv",
            "id,expectd,actual\na,\"[\"\"find\"\"]\",\"[\"\"find\"\"]\"\n",
        )
        .with("none.jsonl", r#"{"id":"a","actual":["find"]}"#);
    let first = "warning: nothing was judged: no evaluator applies to any case\n  help: ";
    for (file, help) in [
        (
            "col.csv",
            "`expectd` is no key of a case: did you mean `expected`?\n",
        ),
        (
            "none.jsonl",
            "1 case: no expectation: the case has no expected calls\n",
        ),
    ] {
        let line = format!("score {file} -e trajectory");
        let said = place.check(&line, &[], 0, &[]);
        assert!(
            said.stderr.starts_with(&format!("{first}{help}")),
            "{}",
            said.stderr
        );
        assert!(
            !said.stderr.contains("its value is not judged"),
            "{}",
            said.stderr
        );
        assert!(
            said.stdout.contains("trajectory applies to no case"),
            "{}",
            said.stdout
        );
        // A threshold makes it an error.
        let line = format!("score {file} -e trajectory,threshold=1");
        let said = place.check(&line, &[], 2, &["trajectory judged no case (exit code 2)"]);
        assert!(
            !said.stderr.contains("nothing was judged"),
            "{}",
            said.stderr
        );
        let line = format!("score {file} -e trajectory -q");
        assert_eq!(place.check(&line, &[], 0, &[]).stderr, "");
    }
}

#[test]
fn misspelled_case_keys_are_reported_once_with_a_count() {
    let slip = |id: &str| good(id).replacen('{', r#"{"tag":"x","acutal":[],"#, 1);
    let suite = "cases: cases.jsonl\nevaluators: [trajectory]\n";
    let place = Place::with_cases(&[slip("a"), good("b"), slip("c")]).with("suite.yaml", suite);
    let told = |cases: &str| {
        [
            format!(
                "warning: `acutal` is not a key of a case ({cases}): its value is not judged\n  help: did you mean `actual`?\n"
            ),
            format!(
                "warning: `tag` is not a key of a case ({cases}): its value is not judged\n  help: did you mean `tags`?\n"
            ),
        ]
    };
    for (line, cases) in [
        ("score cases.jsonl -e trajectory", "2 cases"),
        (
            "score cases.jsonl -e trajectory --format jsonl --threads 2",
            "2 cases",
        ),
        ("run suite.yaml", "2 cases"),
        ("inspect cases.jsonl", "2 cases"),
        ("explain suite.yaml --case a", "1 case"),
    ] {
        let told = told(cases);
        let said = place.check(line, &[], 0, &[&told[0], &told[1]]);
        assert_eq!(
            said.stderr.matches("is not a key of a case").count(),
            2,
            "{line}: {}",
            said.stderr
        );
    }
    let said = place.check("score cases.jsonl -e trajectory -q", &[], 0, &[]);
    assert_eq!(said.stderr, "");
}

/// The input of tau2-bench's check, as a line of a case file.
const TAU2: &str = r#"{"id":"t","expected":[{"action_id":"a","requestor":"user","name":"reboot","arguments":{},"compare_args":null}],"actual":[{"role":"user","content":null,"tool_calls":[{"id":"u","name":"reboot","arguments":{},"requestor":"user"}]},{"role":"tool","id":"u","content":"ok","requestor":"user","error":false}]}"#;

#[test]
fn calls_of_a_simulated_user_count_and_are_reported() {
    let place = Place::with_cases(&[TAU2.to_owned()]);
    let said = place.check(
        "score cases.jsonl -e tau2/action-check --format jsonl",
        &[],
        0,
        &[],
    );
    assert!(said.stdout.contains("\"score\":1.0"), "{}", said.stdout);
    let said = place.check("inspect cases.jsonl", &[], 0, &[]);
    for line in [
        "cases.jsonl · canonical cases · 1 trajectory, 1 call, 1 expected\n",
        "  kept: 1 call of another actor, user (other-actors=detect)\n",
        "  not judged: the key action_id of 1 call\n",
    ] {
        assert!(said.stdout.contains(line), "{line}\n{}", said.stdout);
    }
    let said = place.check("inspect cases.jsonl --format json", &[], 0, &[]);
    for part in [
        r#""calls":1,"expected_calls":1,"#,
        r#""kept":{"user":1},"other_keys":{"action_id":1},"#,
    ] {
        assert!(said.stdout.contains(part), "{part}\n{}", said.stdout);
    }
}

#[test]
fn unknown_call_keys_are_counted_and_do_not_change_scores() {
    let call = r#"{"name":"find","args":{"id":7},"raw_args":"{\"id\": 7}"}"#;
    let case =
        |id: &str| format!(r#"{{"id":"{id}","expected":["find"],"actual":[{call},{call}]}}"#);
    let place = Place::with_cases(&[case("a"), case("b")]);
    let said = place.check("inspect cases.jsonl --format json", &[], 0, &[]);
    assert!(
        said.stdout.contains(r#""expected_calls":2,"#)
            && said.stdout.contains(r#""other_keys":{"raw_args":4}"#),
        "{}",
        said.stdout
    );
    let said = place.check(
        "score cases.jsonl -e uipath/tool-call-order -e trajectory --format jsonl",
        &[],
        0,
        &[],
    );
    assert!(
        !said.stderr.contains("warning") && !said.stderr.contains("error"),
        "{}",
        said.stderr
    );
}

#[test]
fn expected_calls_of_a_benchmark_are_counted() {
    let results = r#"{"tasks":[{"id":"0","evaluation_criteria":{"actions":[{"requestor":"assistant","name":"find","arguments":{}},{"requestor":"user","name":"reboot","arguments":{}}]}}],"simulations":[{"id":"s","task_id":"0","trial":0,"messages":[{"role":"user","tool_calls":[{"id":"u","name":"reboot","arguments":{},"requestor":"user"}]}]}]}"#;
    let place = Place::new().with("results.json", results);
    let said = place.check("inspect results.json", &[], 0, &[]);
    assert!(
        said.stdout
            .starts_with("results.json · tau2-bench results · 1 trajectory, 1 call, 2 expected\n"),
        "{}",
        said.stdout
    );
    assert!(
        said.stdout
            .contains("kept: 1 call of another actor, user (other-actors=detect)"),
        "{}",
        said.stdout
    );
    let said = place.check("inspect results.json --read other-actors=drop", &[], 0, &[]);
    assert!(
        said.stdout.contains("1 dropped") && !said.stdout.contains("kept:"),
        "{}",
        said.stdout
    );
}
