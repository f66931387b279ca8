//! Every output of a live run is the output of the same run from the history.

use std::fs;
use std::path::Path;

use rightcall_report::OUTPUTS;

use crate::{Place, good, low};

/// Runs a suite with all outputs, writes them again from the history, and compares them byte for byte.
///
/// The history does not keep the originals' details and what was left out beside the run; so details are left out of both.
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
            live == kept,
            "{name}:\n{}\n---- from the history\n{}",
            text(&live),
            text(&kept)
        );
    }
}

#[test]
fn of_scores_errors_and_cases_without_a_run() {
    let tagged = low("b").replacen('{', r#"{"tags":["slow"],"model":"m","trial":2,"#, 1);
    let cases = [
        good("a"),
        tagged,
        good("b").replacen('{', r#"{"trial":1,"#, 1),
        r#"{"id":"no run","expected":["find"]}"#.to_owned(),
        r#"{"id":"not applicable","expected":{"order":[]},"actual":["find"]}"#.to_owned(),
    ];
    let suite = "cases: cases.jsonl
evaluators:
  - {evaluator: tool-call-order, threshold: 0.5}
  - {evaluator: axion/tool-correctness, name: calls}
gates:
  - calls: {mean: '>= 0.9'}
    by: model
  - passed: '>= 95%'
  - passed: '>= 50%'
    trials: all
  - tool-call-order: {applicable: '>= 0.5', p50: '> 0.2', errors: '= 0'}
";
    let place = Place::with_cases(&cases).with("suite.yaml", suite);
    check(&place, 1);
    // With a run before it, and cases that are chosen.
    check(&place, 1);
}

/// What is expected is an empty list, which this evaluator calls an error: live and kept, as report and as result.
#[test]
fn of_an_error_that_one_table_called_not_applicable() {
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

/// The example, and real runs where they are present.
#[test]
fn of_the_example_and_of_real_runs() {
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
}
