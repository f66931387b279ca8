//! The destination and the format of results.

use std::fs;

use crate::{Place, SCORE, good, low, said};

#[test]
fn output_does_not_depend_on_threads() {
    // Several blocks, with invalid lines, duplicates and cases without an id.
    let line = |number: usize| match number % 1000 {
        17 => "{broken".to_owned(),
        23 => good("0"),
        31 => good("x").replace("\"id\":\"x\",", ""),
        _ if number.is_multiple_of(3) => low(&number.to_string()),
        _ => good(&number.to_string()),
    };
    let cases: Vec<_> = (0..12_000).map(line).collect();
    let place = Place::with_cases(&cases);
    for format in ["jsonl", "json", "csv", "table"] {
        let run = |threads: &str| {
            let evaluators = [
                "-e",
                "uipath/tool-call-order",
                "-e",
                "axion/tool-correctness,check_parameters=true,threshold=0.8",
            ];
            let command = [
                "score",
                "cases.jsonl",
                "--threads",
                threads,
                "--format",
                format,
                "--skip-invalid",
            ];
            said(place.command().args(command).args(evaluators))
        };
        let one = run("1");
        assert!(one.stdout.len() > 500 && one.code == 2, "{}", one.stderr);
        for threads in ["2", "8"] {
            let many = run(threads);
            assert!(one.stdout == many.stdout, "{format} with {threads} threads");
            assert_eq!(one.stderr, many.stderr);
        }
    }
}

#[test]
fn each_result_is_one_json_line() {
    let place = Place::with_cases(&[good("a"), good("x").replace("\"id\":\"x\",", "")]);
    let said = place.check(SCORE, &["--no-details"], 0, &[]);
    let lines: Vec<_> = said.stdout.lines().collect();
    assert_eq!(
        lines,
        [
            r#"{"case":"a","evaluator":"uipath/tool-call-order","score":1.0}"#,
            r#"{"case":"cases.jsonl:2","evaluator":"uipath/tool-call-order","score":1.0}"#
        ]
    );
    assert!(
        place
            .check(SCORE, &[], 0, &[])
            .stdout
            .contains(r#""details":{"#)
    );
    assert!(
        place
            .check(SCORE, &["--explain"], 0, &[])
            .stdout
            .contains(r#""alignment":{"pairs":["#)
    );
}

#[test]
fn explain_shows_fields_next_to_the_calls() {
    let case = good("a").replacen(
        '{',
        r#"{"input":"where?","tags":["t"],"description":"d","mine":[1, 2],"#,
        1,
    );
    let place = Place::with_cases(&[case]);
    let explained = place.check(SCORE, &["--explain"], 0, &[]).stdout;
    assert!(
        explained
            .contains(r#""input":"where?","description":"d","tags":["t"],"meta":{"mine":[1, 2]}}"#),
        "{explained}"
    );
    assert!(!place.check(SCORE, &[], 0, &[]).stdout.contains("where?"));
}

#[test]
fn csv_and_json_hold_the_same_results() {
    let place = Place::with_cases(&[good("a,b"), low("c")]);
    let csv = place
        .check(
            "score cases.jsonl -e tool-call-order,threshold=0.5 --format csv",
            &[],
            1,
            &[],
        )
        .stdout;
    assert_eq!(
        csv,
        "case,trial,evaluator,name,outcome,score,passed,reason,tags,file,line\n\
         \"a,b\",,uipath/tool-call-order,,scored,1.0,true,,,cases.jsonl,1\n\
         c,,uipath/tool-call-order,,scored,0.0,false,,,cases.jsonl,2\n"
    );
    let json = place
        .check(
            "score cases.jsonl -e tool-call-order,threshold=0.5 --format json --no-details",
            &[],
            1,
            &[],
        )
        .stdout;
    assert!(
        json.starts_with("{\"rightcall\":\"") && json.ends_with("}\n"),
        "{json}"
    );
    assert!(json.contains("\"results\":[\n{\"case\":\"a,b\",\"evaluator\":\"uipath/tool-call-order\",\"score\":1.0,\"passed\":true},\n{\"case\":\"c\","));
    assert!(json.contains("\"summary\":{\"cases\":2,\"unreadable\":0,\"duplicates\":0,"));
}

#[test]
fn csv_safe_escapes_formulas() {
    let cases = ["=HYPERLINK(\"http://x\")", "+1+1", "-1", "@a"]
        .map(|id| good(&id.replace('"', "\\\"")).replacen('{', r#"{"tags":["=t"],"#, 1));
    let place = Place::with_cases(&cases);
    let first_cells = |csv: &str| {
        csv.lines()
            .skip(1)
            .map(|line| line.split(",,uipath").next().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    let evaluator = "-e uipath/tool-call-order,name==n --format csv";
    let exact = place
        .check(&format!("score cases.jsonl {evaluator}"), &[], 0, &[])
        .stdout;
    assert_eq!(
        first_cells(&exact),
        ["\"=HYPERLINK(\"\"http://x\"\")\"", "+1+1", "-1", "@a"]
    );
    assert!(exact.contains(",=n,"));
    let safe = place
        .check(
            &format!("score cases.jsonl {evaluator} --csv-safe"),
            &[],
            0,
            &[],
        )
        .stdout;
    let defused = ["\"'=HYPERLINK(\"\"http://x\"\")\"", "'+1+1", "-1", "'@a"];
    assert_eq!(first_cells(&safe), defused);
    assert!(safe.contains(",'=n,"));

    place.check(
        "score cases.jsonl -e uipath/tool-call-order --csv-safe --report csv=report.csv",
        &[],
        0,
        &[],
    );
    assert!(
        place
            .read("report.csv")
            .lines()
            .skip(1)
            .all(|line| line.contains(",'=t,")),
        "{}",
        place.read("report.csv")
    );
    place.check(
        "score cases.jsonl -e uipath/tool-call-order -o results.jsonl --explain",
        &[],
        0,
        &[],
    );
    let report = |more: &[&str]| {
        place
            .check("report results.jsonl --format csv", more, 0, &[])
            .stdout
    };
    assert!(report(&[]).contains("\n@a,") && !report(&[]).contains("'@a"));
    assert!(
        report(&["--csv-safe"]).contains("\n'@a,") && report(&["--csv-safe"]).contains("\n-1,")
    );
}

#[test]
fn output_file_is_atomic_and_the_table_is_still_printed() {
    let place = Place::with_cases(&[good("a")]);
    let table = place
        .check(
            "score cases.jsonl -e tool-call-order -o out.jsonl",
            &[],
            0,
            &[],
        )
        .stdout;
    assert!(table.starts_with("rightcall ") && table.contains("uipath/tool-call-order"));
    assert!(place.read("out.jsonl").starts_with(r#"{"case":"a","#));
    let quiet = place.check(
        "score cases.jsonl -e tool-call-order -o out.csv --quiet",
        &[],
        0,
        &[],
    );
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    assert!(place.read("out.csv").starts_with("case,"));
    place.check(
        "score cases.jsonl -e tool-call-order -o out.txt",
        &[],
        0,
        &[],
    );
    assert!(place.read("out.txt").starts_with("rightcall "));
    assert_eq!(fs::read_dir(place.0.path()).unwrap().count(), 4);
}

#[test]
fn unknown_file_extension_is_an_error() {
    let place = Place::with_cases(&[good("a")]).with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [trajectory]\n",
    );
    place.check("run suite.yaml -q", &[], 0, &[]);
    for (line, known) in [
        (
            "score cases.jsonl -e trajectory -o x.docx",
            ".html, .xml, .md, .csv, .jsonl, .json, .parquet, .arrow, .ndjson, .txt; `--format`",
        ),
        ("run suite.yaml -o x.docx", ".ndjson, .txt; `--format`"),
        ("compare 1 1 -o x.docx", ".ndjson, .txt; `--format`"),
        ("report latest -o x.docx", ".arrow, .ndjson; `--format`"),
        ("convert cases.jsonl -o x.docx", ".jsonl, .json, .ndjson\n"),
    ] {
        let message = "error: x.docx: no format has the ending `.docx`\n  help: known endings: ";
        place.check(line, &[], 2, &[message, known]);
        assert!(!place.path("x.docx").exists(), "{line}");
        // No command but `fetch` compresses.
        let line = line.replace(".docx", ".json.gz");
        let message =
            "error: x.json.gz: this command does not compress files\n  help: leave `.gz` out";
        place.check(&line, &[], 2, &[message]);
        assert!(!place.path("x.json.gz").exists(), "{line}");
    }
    let line = "score cases.jsonl -e trajectory --report html=x.html.zst";
    place.check(
        line,
        &[],
        2,
        &["x.html.zst: this command does not compress"],
    );
    // The user's format needs no known ending.
    place.check(
        "score cases.jsonl -e trajectory --format csv -o x.data",
        &[],
        0,
        &[],
    );
    assert!(place.read("x.data").starts_with("case,"));
}

#[test]
fn unwritable_output_fails_before_scoring() {
    let place = Place::with_cases(&[good("a")]);
    let said = place.check(
        "score cases.jsonl -e tool-call-order -o missing/out.jsonl",
        &[],
        2,
        &["error: missing/out.jsonl: "],
    );
    assert_eq!(said.stdout, "");
    place.check(
        "score cases.jsonl -e tool-call-order -o ./cases.jsonl",
        &[],
        2,
        &["error: ./cases.jsonl is also an input"],
    );
    place.check(
        "score cases.jsonl -e tool-call-order -o . --format jsonl",
        &[],
        2,
        &["error: .: "],
    );
}

#[test]
fn dash_is_standard_input() {
    let place = Place::new();
    let said = said(
        place
            .command()
            .args("score - -e tool-call-order --format jsonl --no-details".split(' '))
            .write_stdin(good("a")),
    );
    assert_eq!(
        (said.code, said.stdout.as_str()),
        (
            0,
            "{\"case\":\"a\",\"evaluator\":\"uipath/tool-call-order\",\"score\":1.0}\n"
        )
    );
}

#[cfg(unix)]
#[test]
fn pipe_is_read_from_its_beginning() {
    let place = Place::with_cases(&[good("a")]);
    let line = "cat cases.jsonl | \"$RIGHTCALL\" score /dev/stdin -e tool-call-order --format csv";
    let mut command = std::process::Command::new("sh");
    let shell = command
        .args(["-c", line])
        .env("RIGHTCALL", env!("CARGO_BIN_EXE_rightcall"))
        .current_dir(place.0.path());
    let output = shell.output().unwrap();
    assert!(
        output.status.success() && String::from_utf8_lossy(&output.stdout).contains("\na,"),
        "{output:?}"
    );
}

#[test]
fn colour_is_for_terminals_unless_forced() {
    let place = Place::with_cases(&[good("a")]);
    let table = |name: &str, value: &str| {
        said(
            place
                .command()
                .args("score cases.jsonl -e tool-call-order".split(' '))
                .env(name, value),
        )
        .stdout
        .contains('\u{1b}')
    };
    assert!(!table("UNRELATED", "1"));
    assert!(!table("NO_COLOR", "1"));
    assert!(table("CLICOLOR_FORCE", "1"));
}

#[test]
fn suggested_command_in_the_last_line_works() {
    let place = Place::with_cases(&[good("a"), low("b'c d")]);
    let table = place
        .check(
            "score cases.jsonl -e",
            &["uipath/tool-call-order,name=calls or not,threshold=0.0"],
            0,
            &[],
        )
        .stdout;
    let last = table.lines().last().unwrap().trim();
    let shell = std::process::Command::new("sh")
        .args(["-c", &last.replacen("rightcall", "\"$RIGHTCALL\"", 1)])
        .env("RIGHTCALL", env!("CARGO_BIN_EXE_rightcall"))
        .current_dir(place.0.path())
        .output()
        .unwrap();
    let shown = String::from_utf8(shell.stdout).unwrap();
    assert!(
        shown.starts_with("b'c d · cases.jsonl:2\n"),
        "{last}\n{shown}{}",
        String::from_utf8_lossy(&shell.stderr)
    );
    assert!(
        shown.contains("\ncalls or not · uipath/tool-call-order · score 0.000"),
        "{shown}"
    );
}
