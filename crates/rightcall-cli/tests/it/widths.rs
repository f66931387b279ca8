//! Screens fit terminals of any width: no line is wider than the screen, except commands to copy. The expected screens at three widths are
//! in `tests/screens`; `UPDATE_DOCS=1` updates them.

use std::env;
use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use console::measure_text_width;

use crate::{Place, Said, said};

const SUITE: &str = "cases: cases.jsonl
evaluators:
  - {evaluator: trajectory, name: right calls in any order, threshold: 0.9}
  - uipath/tool-call-order
  - axion/tool-correctness
gates:
  - right calls in any order: {mean: '>= 0.9'}
  - passed: '>= 95%'
";

fn cases(every: usize) -> String {
    let case = |at: usize| {
        let reason = if at.is_multiple_of(every) {
            "arrived broken, and the box too"
        } else {
            "does not fit"
        };
        format!(
            r#"{{"id":"refund-of-an-order/{at}","model":"m","input":"Please send order {at} back, it does not fit, and tell me when the money is there.","expected":["find_order",{{"name":"refund","args":{{"order":{at},"reason":"does not fit"}}}}],"actual":[{{"name":"find_order","args":{{}}}},{{"name":"refund","args":{{"order":{at},"reason":"{reason}"}}}}]}}"#
        ) + "\n"
    };
    (1..=12).map(case).collect()
}

fn place() -> Place {
    let place = Place::new()
        .with("suite.yaml", SUITE)
        .with("cases.jsonl", cases(20));
    place.check("run --quiet", &[], 0, &[]);
    place.check(
        "run --format jsonl -o one.jsonl --no-history --quiet",
        &[],
        0,
        &[],
    );
    let place = place.with("cases.jsonl", cases(3));
    place.check("run --quiet", &[], 1, &[]);
    place.check(
        "run --format jsonl -o two.jsonl --no-history --quiet",
        &[],
        1,
        &[],
    );
    place
}

const COMMANDS: [&str; 12] = [
    "run --no-history",
    "score cases.jsonl -e trajectory -e uipath/tool-call-order",
    "compare 1 2",
    "compare 1 2 one.jsonl",
    "explain latest",
    "inspect cases.jsonl",
    "history",
    "coverage suite.yaml",
    "score cases.jsonl --format tools -e trajectory",
    "rescore cases.jsonl --with trajectory --with axion/tool-correctness",
    "explain cases.jsonl -e constraints,forbidden=find_order,max_calls=1,max_repeats=0 --case refund-of-an-order/3",
    "evaluators",
];

fn at(place: &Place, line: &str, columns: &str) -> Said {
    said(
        place
            .command()
            .env("COLUMNS", columns)
            .args(line.split_whitespace()),
    )
}

#[test]
fn no_screen_is_wider_than_its_terminal() {
    let place = place();
    for columns in [60, 80, 100, 120, 200] {
        for line in COMMANDS {
            let shown = at(&place, line, &columns.to_string()).stdout;
            for row in shown.lines().filter(|row| !row.starts_with("  rightcall ")) {
                assert!(
                    measure_text_width(row) <= columns,
                    "{line} at {columns}:\n{row}\n{shown}"
                );
            }
        }
    }
}

#[test]
fn many_tools_with_long_names_fit_too() {
    let name = |at: usize| format!("get_the_details_of_a_reservation_{at}");
    let case = |at: usize| {
        let (one, other) = (name(at % 20), name(at % 7));
        format!(
            r#"{{"id":"{at}","expected":["{one}","{other}"],"actual":["{other}","{one}","{one}"]}}"#
        )
    };
    let cases: Vec<_> = (0..200).map(case).collect();
    let place = Place::with_cases(&cases);
    for columns in [60, 80, 100, 140] {
        let line = "score cases.jsonl -e trajectory --format tools";
        let shown = at(&place, line, &columns.to_string()).stdout;
        for tool in 0..20 {
            assert!(
                shown.contains(&name(tool)) || columns == 60,
                "{columns}\n{shown}"
            );
        }
        assert!(
            shown.contains("called tools in columns"),
            "{columns}\n{shown}"
        );
        for row in shown.lines() {
            assert!(
                measure_text_width(row) <= columns,
                "{columns}:\n{row}\n{shown}"
            );
        }
    }
}

#[test]
fn pipes_have_a_hundred_columns() {
    let place = place();
    for line in COMMANDS {
        assert_eq!(
            at(&place, line, "").stdout,
            at(&place, line, "100").stdout,
            "{line}"
        );
        assert_eq!(
            at(&place, line, "40").stdout,
            at(&place, line, "60").stdout,
            "{line}"
        );
    }
}

#[test]
fn screens_match_the_reviewed_ones() {
    let place = place();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens");
    for columns in ["60", "80", "120"] {
        let mut shown = String::new();
        for line in &COMMANDS[..COMMANDS.len() - 1] {
            _ = writeln!(
                shown,
                "$ rightcall {line}\n{}",
                at(&place, line, columns).stdout
            );
        }
        let file = folder.join(format!("{columns}.txt"));
        if env::var_os("UPDATE_DOCS").is_some() {
            fs::create_dir_all(&folder).unwrap();
            fs::write(&file, &shown).unwrap();
        }
        assert_eq!(
            shown,
            fs::read_to_string(&file).unwrap(),
            "{}",
            file.display()
        );
    }
}

#[test]
fn colour_variables_are_followed() {
    let place = place();
    let with =
        |name: &str, value: &str| said(place.command().env(name, value).arg("history")).stdout;
    assert!(with("FORCE_COLOR", "1").contains('\u{1b}'));
    assert!(with("CLICOLOR_FORCE", "1").contains('\u{1b}'));
    for (name, value) in [("FORCE_COLOR", "0"), ("FORCE_COLOR", ""), ("NO_COLOR", "1")] {
        assert!(!with(name, value).contains('\u{1b}'), "{name}={value}");
    }
}

#[test]
fn junit_has_reasons_and_can_omit_passed_cases() {
    let place = place();
    let all = place
        .check("run --no-history --format junit", &[], 1, &[])
        .stdout;
    let failures = place
        .check(
            "run --no-history --format junit --failures-only",
            &[],
            1,
            &[],
        )
        .stdout;
    assert_eq!(all.matches("<testcase").count(), 3 * 12 + 2);
    assert_eq!(
        failures.matches("<testcase").count(),
        all.matches("<failure").count()
    );
    for part in ["cases.jsonl:3", "precision = 1 / 2 = 0.500"] {
        assert!(failures.contains(part), "{part}\n{failures}");
    }
}
