use std::fmt::Write as _;

use rightcall_formats::{ReadOptions, ToolCatalogue, read_case};

use super::{
    ArgumentCoverage, Coverage, CoverageCounter, ToolCoverage, UncoveredPair, ValueCoverage,
};

const TOOLS: &str = r##"[
    {"name": "find", "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}}},
    {"name": "refund", "parameters": {"type": "object", "properties": {
        "id": {"type": "integer"}, "reason": {"$ref": "#/$defs/reason"}},
        "$defs": {"reason": {"type": "string", "enum": ["late", "broken", "lost"]}}}},
    {"name": "delete", "parameters": {"type": "object", "properties": {"all": {"type": "boolean"}}}}]"##;

fn coverage(tools: &str, cases: &[&str]) -> Coverage {
    let catalogue = ToolCatalogue::from_json(tools).unwrap();
    let mut counter = CoverageCounter::new(&catalogue);
    for text in cases {
        let case = read_case(text, &ReadOptions::default()).unwrap();
        counter.add_case(&case);
        counter.add_run(&case);
    }
    counter.finish()
}

fn lines(coverage: &Coverage) -> String {
    let mut out = String::new();
    for tool in &coverage.tools {
        let ToolCoverage {
            name, cases, runs, ..
        } = tool;
        _ = writeln!(out, "{name} {cases} {runs} {:?}", tool.failed_runs);
        for ArgumentCoverage {
            name,
            pinned,
            seen,
            values,
        } in &tool.arguments
        {
            let value = |it: &ValueCoverage| {
                let marks = [(it.is_pinned, "p"), (it.is_seen, "s")];
                let marks = marks.iter().filter(|it| it.0).map(|it| it.1);
                format!(" {}:{}", it.json, marks.collect::<String>())
            };
            let values: String = values.iter().map(value).collect();
            _ = writeln!(out, "  {name} {pinned} {seen}{values}");
        }
    }
    for pair in &coverage.pairs {
        let UncoveredPair {
            before,
            after,
            runs,
            first,
        } = pair;
        _ = writeln!(out, "{before} > {after} {runs} {first}");
    }
    out
}

#[test]
fn tools_arguments_values_and_pairs_are_counted() {
    let coverage = coverage(
        TOOLS,
        &[
            r#"{"id":"a","expected":[{"name":"find","args":{"id":7}},{"name":"refund","args":{"id":7,"reason":{"$one_of":["late","broken"]}}}],
                "actual":[{"name":"find","args":{"id":7},"error":"timeout"},{"name":"find","args":{"id":7},"error":false},{"name":"refund","args":{"id":7,"reason":"lost"}}]}"#,
            r#"{"id":"b","expected":["find"],"actual":[{"name":"find","args":{"id":8}},{"name":"look","args":{"deep":true}}]}"#,
            r#"{"id":"c","expected":[]}"#,
        ],
    );
    assert_eq!(
        lines(&coverage),
        "find 2 2 Some(1)\n  id 1 2\n\
         refund 1 1 None\n  id 1 1\n  reason 1 1 \"late\":p \"broken\":p \"lost\":s\n\
         delete 0 0 None\n  all 0 0\n\
         look 0 1 None\n  deep 0 1\n\
         find > find 1 a\nfind > look 1 b\n"
    );
    assert_eq!((coverage.cases, coverage.runs), (3, 2));
    assert_eq!(coverage.covered(), (2, 3));
    assert_eq!(coverage.without_case().next().unwrap().name, "delete");
}

#[test]
fn trials_are_one_case_with_several_runs() {
    let trial = r#"{"id":"a","trial":1,"expected":["find"],"actual":["find"]}"#;
    let other = r#"{"id":"a","trial":2,"expected":["find"],"actual":["find"]}"#;
    let coverage = coverage("[]", &[trial, other]);
    assert_eq!((coverage.cases, coverage.runs), (1, 2));
    assert_eq!(lines(&coverage), "find 1 2 None\n");
}

#[test]
fn parallel_calls_are_not_a_pair() {
    let run =
        r#"{"id":"a","actual":[{"name":"a","group":"1"},{"name":"b","group":"1"},{"name":"c"}]}"#;
    let pairs = coverage("[]", &[run]).pairs;
    assert_eq!(pairs.len(), 1);
    assert_eq!((&*pairs[0].before, &*pairs[0].after), ("b", "c"));
}

#[test]
fn unrecorded_run_is_not_a_run() {
    let coverage = coverage("[]", &[r#"{"id":"a","expected":["find"]}"#]);
    assert_eq!((coverage.runs, coverage.percent()), (0, None));
}

#[test]
fn rules_cover_their_tools_and_suite_rules_are_one_case() {
    let tools = ToolCatalogue::from_json(
        r#"[{"name":"find","parameters":{"type":"object"}},{"name":"delete_all","parameters":{"type":"object"}},{"name":"pay","parameters":{"type":"object"}}]"#,
    );
    let mut counter = CoverageCounter::new(&tools.unwrap());
    counter.add_rules(Vec::new());
    counter.add_rules(["find", "delete_*", "refund"].map(str::to_owned));
    for case in [
        r#"{"id":"a","expected":["find"]}"#,
        // Its own rules are of the same case.
        r#"{"id":"b","expected":{"calls":["find"],"constraints":{"forbidden":["delete_*"],"rules":["find before pay"]}}}"#,
    ] {
        counter.add_case(&read_case(case, &ReadOptions::default()).unwrap());
    }
    let coverage = counter.finish();
    let cases: Vec<_> = coverage
        .tools
        .iter()
        .map(|it| (&*it.name, it.cases))
        .collect();
    assert_eq!(
        cases,
        [("find", 3), ("delete_all", 2), ("pay", 1), ("refund", 1)]
    );
    assert_eq!(coverage.cases, 3);
}
