//! A suite with several named runs: its reports hold the gates and the cases of each, and screens call the runs by their names.

use crate::Place;

fn place() -> Place {
    let run = |tool: &str| format!(r#"{{"id":"x","actual":["{tool}"]}}"#) + "\n";
    Place::new()
        .with("cases.jsonl", r#"{"id":"x","expected":["find"]}"#)
        .with("a.jsonl", run("look"))
        .with("b.jsonl", run("look"))
        .with(
            "suite.yaml",
            "cases: cases.jsonl\nruns: {one: a.jsonl, two: b.jsonl}\nevaluators: [trajectory]\n\
             gates: [trajectory: {mean: '>= 0.9'}]\n",
        )
}

#[test]
fn reports_hold_each_gate_and_each_case_of_all_runs() {
    let place = place();
    let line = "run suite.yaml --report junit=r.xml --report markdown=r.md --report html=r.html --report json=r.json";
    place.check(line, &[], 1, &[]);
    let wanted: [(&str, &[&str]); 3] = [
        (
            "r.xml",
            &[
                r#"failures="2""#,
                r#"<testsuite name="one · trajectory" tests="1""#,
                r#"<testsuite name="two · trajectory" tests="1""#,
                r#"<testcase name="two: trajectory mean &gt;= 0.900" classname="gates">"#,
                r#"<failure message="trajectory mean 0.000 &lt; 0.900"/>"#,
            ],
        ),
        (
            "r.md",
            &[
                "## ❌ 2 of 2 gates failed · no case worse than `one`",
                "| `one: trajectory mean >= 0.900` | 0.000 | ❌ failed |",
                "| `x` | 0.000 | 0.000 |",
            ],
        ),
        (
            "r.html",
            &[
                "<h1>2 of 2 gates failed · ",
                "two: trajectory mean &#62;= 0.900",
                "1 case of all runs",
            ],
        ),
    ];
    for (file, parts) in wanted {
        let text = place.read(file);
        for part in parts {
            assert!(text.contains(part), "{part}\n{text}");
        }
    }
    let json: serde_json::Value = serde_json::from_str(&place.read("r.json")).unwrap();
    for run in 0..2 {
        let run = &json["runs"][run];
        assert_eq!(run["gates"][0]["held"], false, "{run}");
        assert_eq!(run["scores"][0]["score"], 0.0, "{run}");
    }
}

#[test]
fn runs_that_pass_their_gates_exit_with_0() {
    let place = place().with("cases.jsonl", r#"{"id":"x","expected":["look"]}"#);
    place.check("run suite.yaml --report markdown=r.md", &[], 0, &[]);
    let text = place.read("r.md");
    assert!(text.starts_with("## ✅ 2 of 2 gates hold · "), "{text}");
    assert!(text.contains("| `x` | 1.000 | 1.000 |"), "{text}");
}

#[test]
fn comparisons_use_the_names_of_runs() {
    let place = place();
    place.check("run suite.yaml", &[], 1, &[]);
    let said = place.check("compare 1 2", &[], 0, &[]).stdout;
    let wanted = "run 1 · one (1 case) against run 2 · two (1 case)\n";
    assert!(said.starts_with(wanted), "{said}");
}

#[test]
fn change_of_a_large_run_names_the_counted_cases() {
    let case = |at: usize, tool: &str| {
        format!(r#"{{"id":"{at}","expected":["find"],"actual":["{tool}"]}}"#) + "\n"
    };
    let cases = |every: usize| -> String {
        let tool = |at: usize| {
            if at.is_multiple_of(every) {
                "look"
            } else {
                "find"
            }
        };
        (0..60).map(|at| case(at, tool(at))).collect()
    };
    let suite = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\nhistory: {max_cases: 20}\n";
    let place = Place::new()
        .with("suite.yaml", suite)
        .with("cases.jsonl", cases(20));
    place.check("run suite.yaml", &[], 1, &[]);
    let place = place.with("cases.jsonl", cases(10));
    let said = place.run("run suite.yaml", &[]);
    let told = said.stderr.lines().find(|it| it.contains("against run 1"));
    let told = told.unwrap_or_else(|| panic!("{}", said.stderr));
    assert!(told.contains(" kept in both): "), "{told}");
    // A run that is kept whole has no such note.
    let place = place.with("suite.yaml", suite.replace("20", "200"));
    place.run("run suite.yaml", &[]);
    let said = place.run("run suite.yaml", &[]).stderr;
    assert!(said.contains("against run 3: "), "{said}");
}
