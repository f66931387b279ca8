//! Every output of a live run equals the output of the same run from the history.

use std::fs;
use std::path::Path;

use rightcall_report::OUTPUTS;
use rightcall_results::CaseResult;
use rightcall_store::{CaseFilter, CaseOrder, CaseRow, History, PageRange, RunFilter};

use crate::{Place, good, low};

/// Runs a suite with all outputs, writes them again from the history, and compares them byte for byte.
///
/// The history does not keep the originals' details and the list of skipped parts, so details are left out of both.
#[track_caller]
fn check(place: &Place, code: i32) {
    let of = |kind: &str, name: &str| format!("{kind}.{name}");
    let reports: Vec<_> = OUTPUTS
        .iter()
        .map(|it| format!("--report={}={}", it.name, of("live", it.name)))
        .collect();
    let mut arguments: Vec<_> = reports.iter().map(String::as_str).collect();
    arguments.extend(["--no-details", "--explain"]);
    place.check("run suite.yaml", &arguments, code, &[]);
    for format in OUTPUTS {
        let name = format.name;
        let kept = of("kept", name);
        place.check(
            &format!("report latest --format {name} -o {kept}"),
            &[],
            0,
            &[],
        );
        let read = |file: &str| fs::read(place.path(file)).unwrap();
        let (live, kept) = (read(&of("live", name)), read(&kept));
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        assert!(
            without_explained(&live) == without_explained(&kept),
            "{name}:\n{}\n---- from the history\n{}",
            text(&live),
            text(&kept)
        );
    }
}

/// A report without what `rightcall explain` explains: the suite in a live run, the number of the run in the history.
fn without_explained(report: &[u8]) -> Vec<u8> {
    let command = b"rightcall explain ";
    let mut rest = report;
    let mut kept = Vec::new();
    while let Some(at) = rest.windows(command.len()).position(|it| it == command) {
        let (before, after) = rest.split_at(at + command.len());
        kept.extend_from_slice(before);
        let end = after.iter().position(|byte| *byte == b' ');
        rest = &after[end.unwrap_or(after.len())..];
    }
    kept.extend_from_slice(rest);
    kept
}

#[test]
fn scores_errors_and_missing_runs_are_the_same() {
    let tagged = low("b").replacen('{', r#"{"tags":["slow"],"model":"m","trial":2,"#, 1);
    let cases = [
        good("a"),
        tagged,
        good("b").replacen('{', r#"{"trial":1,"#, 1),
        r#"{"id":"no run","expected":["find"]}"#.to_owned(),
        r#"{"id":"not applicable","expected":{"order":[]},"actual":["find"]}"#.to_owned(),
    ];
    let suite = "cases: cases.jsonl
trials: {passed: all}
evaluators:
  - {evaluator: tool-call-order, threshold: 0.5}
  - {evaluator: axion/tool-correctness, name: calls}
gates:
  - calls: {mean: '>= 0.9'}
    by: model
  - passed: '>= 95%'
  - tool-call-order: {applicable: '>= 0.5', p50: '> 0.2', errors: '= 0'}
";
    let place = Place::with_cases(&cases).with("suite.yaml", suite);
    check(&place, 2);
    // With an earlier run.
    check(&place, 2);
}

/// The expectation is an empty list, which this evaluator treats as an error, both live and from the history.
#[test]
fn error_of_an_empty_order_is_the_same() {
    let case = r#"{"id":"a","expected":{"order":[]},"actual":["find"]}"#.to_owned();
    let suite =
        "cases: cases.jsonl\nevaluators: [{evaluator: uipath/tool-call-order, threshold: 0.5}]\n";
    let place = Place::with_cases(&[case]).with("suite.yaml", suite);
    let outcomes = |csv: &str| -> Vec<String> {
        let rows = csv.lines().skip(1);
        rows.map(|row| row.split(',').nth(4).unwrap().to_owned())
            .collect()
    };
    let line = "run suite.yaml --format csv --report csv=live.csv --quiet";
    let said = place.run(line, &[]);
    let printed = outcomes(&said.stdout);
    let live = fs::read_to_string(place.path("live.csv")).unwrap();
    let kept = place.run("report latest --format csv", &[]).stdout;
    assert_eq!(printed.len(), 2, "{}", said.stdout);
    assert_eq!(
        printed[0], printed[1],
        "the case has the outcome of its only evaluator"
    );
    assert_eq!(outcomes(&live), printed);
    assert_eq!(outcomes(&kept), printed);
}

/// Cases with several right runs: one right run, one wrong run, one with repeats, and a plain list in between.
fn several_right_ways() -> [String; 4] {
    let expected = r#"[{"any_order":["get_policy",{"name":"find_order","args":{"id":7},"output":{"total":{"$var":"total"}}}]},{"one_of":[{"name":"refund","args":{"amount":{"$var":"total"}}},"escalate"]},{"optional":"send_email"}]"#;
    let find = r#"{"name":"find_order","args":{"id":7},"output":{"total":30}}"#;
    let case = |id: &str, actual: &str| {
        format!(
            r#"{{"id":"{id}","input":"What of {id}?","expected":{expected},"actual":[{actual}]}}"#
        )
    };
    [
        case("right", &format!(r#"{find},"get_policy",{{"name":"refund","args":{{"amount":30}}}}"#)),
        case("wrong", &format!(r#""get_policy",{find},{{"name":"refund","args":{{"amount":50}}}},"send_email""#)),
        r#"{"id":"polled","expected":["start",{"repeat":{"name":"poll","args":{"job":{"$var":"job"}}}}],"actual":["start",{"name":"poll","args":{"job":"j"}},{"name":"poll","args":{"job":"j"}}]}"#.to_owned(),
        low("plain"),
    ]
}

#[test]
fn expectations_in_blocks_are_the_same() {
    let suite = "cases: cases.jsonl
evaluators: [{evaluator: fitness}, {evaluator: trajectory, threshold: 0.8}, uipath/tool-call-order]
";
    let place = Place::with_cases(&several_right_ways()).with("suite.yaml", suite);
    check(&place, 1);
    let jsonl = fs::read_to_string(place.path("kept.jsonl")).unwrap();
    let wrong = jsonl
        .lines()
        .find(|it| it.contains(r#""case":"wrong""#))
        .unwrap();
    assert!(wrong.contains(r#""expectation":{"accepted":false,"cost":1,"choices":[{"pointer":"/1","alternative":0}"#), "{wrong}");
    let html = fs::read_to_string(place.path("kept.html")).unwrap();
    for part in [
        "one of: alternative 1",
        "optional: not taken",
        "repeated: 2 rounds",
        "$total = 30",
        "not accepted, cost 1",
        "refund used another amount than find_order returned",
    ] {
        assert!(html.contains(part), "{part}");
    }
}

/// Checks that the case list of the last run in a history agrees with the full cases; returns why each is low.
#[track_caller]
fn check_lists(history: &History) -> Vec<String> {
    let run = history
        .runs(&RunFilter::default(), PageRange::first(1))
        .unwrap()[0]
        .number;
    let list = history
        .cases(
            run,
            &CaseFilter::default(),
            CaseOrder::Input,
            PageRange::ALL,
        )
        .unwrap();
    assert!(list.total > 0);
    let told = |row: &CaseRow| {
        let whole = history.case(run, row.number).unwrap().unwrap();
        let words = |case: &CaseResult| {
            let kept = case.case.clone().unwrap();
            let mut tags = case.tags.clone();
            tags.sort();
            (
                kept.question.clone(),
                kept.expectation.clone(),
                kept.meta.clone(),
                tags,
            )
        };
        assert_eq!(words(&row.result), words(&whole), "{}", whole.label);
        assert_eq!(row.why, whole.why(), "{}", whole.label);
        format!("{}: {}", whole.label, row.why)
    };
    list.cases.iter().map(told).collect()
}

/// The history stores the list data of a case separately. For runs recorded by an earlier version, it is derived from the case.
#[test]
fn case_lists_agree_with_full_cases() {
    let mut cases = several_right_ways().to_vec();
    cases.push(low("tagged").replacen(
        '{',
        r#"{"tags":["z","a"],"description":"about it","model":"m","#,
        1,
    ));
    let place = Place::with_cases(&cases).with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 0.9}, fitness]\n",
    );
    // `--quiet`, so that no other output asks for findings.
    place.check("run suite.yaml --quiet", &[], 1, &[]);
    let open = |name: &str| History::open_to_read(&place.path(name)).unwrap();
    let live = check_lists(&open(".rightcall/history.db"));
    assert_eq!(
        live[1],
        "wrong: refund used another amount than find_order returned"
    );
    assert!(
        live[0].ends_with(": ") && live[3].len() > "plain: ".len(),
        "{live:?}"
    );
    place.check("history export latest run.db", &[], 0, &[]);
    assert_eq!(check_lists(&open("run.db")), live);
}

/// JSON output conforms to its schema.
#[test]
fn json_output_is_valid_by_its_schema() {
    let schema = Place::with_cases(&[])
        .check("schema results", &[], 0, &[])
        .stdout;
    let schema = jsonschema::validator_for(&serde_json::from_str(&schema).unwrap()).unwrap();
    let valid = |text: &str| {
        let value = serde_json::from_str(text).unwrap();
        let wrong: Vec<_> = schema
            .iter_errors(&value)
            .map(|it| it.to_string())
            .collect();
        assert!(wrong.is_empty(), "{text}\n{wrong:?}");
    };
    let [several, ..] = several_right_ways();
    let cases = [
        good("a"),
        low("b"),
        r#"{"id":"c","expected":["find"]}"#.to_owned(),
        several,
    ];
    let suite = "cases: cases.jsonl\nevaluators: [tool-call-order]\ngates: [{score: {mean: '>= 0'}, by: tag}]\n";
    let place = Place::with_cases(&cases).with("suite.yaml", suite);
    for line in ["run suite.yaml", "score cases.jsonl -e trajectory --by tag"] {
        let said = place.run(&format!("{line} --format json --explain"), &[]);
        valid(&said.stdout);
        let lines = place.run(&format!("{line} --format jsonl"), &[]).stdout;
        lines.lines().for_each(valid);
    }
    let none: serde_json::Value = serde_json::from_str(r#"{"case":"a"}"#).unwrap();
    assert!(!schema.is_valid(&none));
    let unknown =
        serde_json::from_str(r#"{"case":"a","score":1,"expectation":"accepted"}"#).unwrap();
    assert!(!schema.is_valid(&unknown));
}

/// The example, and real runs if they are available.
#[test]
fn example_and_real_runs_are_the_same() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let example = root.join("examples/support-agent");
    let place = Place::with_cases(&[]);
    for entry in fs::read_dir(&example).unwrap() {
        let path = entry.unwrap().path();
        if path.is_file() {
            fs::copy(
                &path,
                place.path(path.file_name().unwrap().to_str().unwrap()),
            )
            .unwrap();
        }
    }
    check(&place, 0);
    for set in ["tau-bench", "tau2-bench"] {
        let pairs = crate::paths::data().map(|data| data.join(set).join("pairs.jsonl"));
        if let Some(pairs) = pairs.filter(|pairs| pairs.is_file()) {
            let suite = "cases: cases.jsonl\ngates: []\nevaluators: [uipath/tool-call-order, trajectory, tau2/action-check]\n";
            let place = Place::with_cases(&[]).with("suite.yaml", suite);
            fs::copy(pairs, place.path("cases.jsonl")).unwrap();
            check(&place, 0);
        }
    }
}

/// Tool statistics cover the whole run, even if the history keeps only some of its cases.
#[test]
fn tool_counts_of_a_sampled_run_cover_all_cases() {
    let cases: Vec<_> = (0..60)
        .map(|number| match number % 20 {
            0 => low(&format!("c{number}")),
            _ => good(&format!("c{number}")),
        })
        .collect();
    let suite = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\nhistory: {max_cases: 5}\n";
    let place = Place::with_cases(&cases).with("suite.yaml", suite);
    place.check("run suite.yaml --report markdown=live.md", &[], 1, &[]);
    let kept = place
        .check("report latest --format markdown", &[], 0, &["are kept"])
        .stdout;
    let tools = |text: &str| -> Vec<String> {
        let rows = text
            .lines()
            .filter(|line| line.starts_with("| `find`") || line.starts_with("| `look`"));
        rows.map(ToOwned::to_owned).collect()
    };
    let live = tools(&place.read("live.md"));
    assert_eq!(
        live,
        [
            "| `find` | 60 | 57 | 57 | 0 | 3 | 0 | – |",
            "| `look` | 0 | 3 | 0 | 0 | 0 | 3 | – |",
            // Expected against called: `look` three times.
            "| `find` | 57 | 3 |",
        ]
    );
    assert_eq!(tools(&kept), live);
    let page = place
        .check("report latest --format html", &[], 0, &[])
        .stdout;
    assert!(
        page.contains(
            r#"<bdi>find</bdi></th><td data-head="expected" class="number">60</td><td data-head="called" class="number">57</td>"#
        )
    );
    // A table of cases says which cases it contains.
    place.check("report latest --format csv", &[], 0, &["of 60 cases "]);
}
