//! The table of published metrics says how to get each metric, and `rightcall evaluators` lists those of a system.

use std::fs;

use rightcall_core::value::{Syntax, Value, decode_with};
use rightcall_core::{EVALUATORS, Entry};

use crate::Place;
use crate::readme::root;

/// The cells of each row in the tables of `docs/metrics.md`.
fn rows() -> Vec<Vec<String>> {
    let page = fs::read_to_string(root().join("docs/metrics.md")).unwrap();
    let rows = page.lines().filter(|line| line.starts_with("| "));
    let cells = |row: &str| -> Vec<String> {
        row.trim_matches('|')
            .split(" | ")
            .map(|cell| cell.trim().to_owned())
            .collect()
    };
    rows.map(cells).collect()
}

fn link(entry: &Entry) -> String {
    format!(
        "[`{}`](evaluators/{}.md)",
        entry.id,
        entry.id.replace('/', "-")
    )
}

#[test]
fn table_of_metrics_has_every_evaluator() {
    let rows = rows();
    for entry in EVALUATORS {
        let link = link(entry);
        assert!(
            rows.iter()
                .any(|cells| cells.iter().any(|it| it.contains(&link))),
            "docs/metrics.md has no row with {link}"
        );
    }
}

/// The version in a row is the version on the evaluator's page.
#[test]
fn versions_in_the_table_of_metrics_match_the_pages() {
    let mut compared = 0;
    for cells in rows() {
        let [_, version, _, here, _] = &cells[..] else {
            continue;
        };
        let presets = EVALUATORS
            .iter()
            .filter(|entry| entry.system().is_some() && here.contains(&link(entry)));
        for entry in presets.filter(|_| version.contains(|it: char| it.is_ascii_digit())) {
            let number = version.split(' ').next_back().unwrap();
            assert!(
                entry.page.source.contains(number),
                "{}: docs/metrics.md says {version}, the page {}",
                entry.id,
                entry.page.source
            );
            compared += 1;
        }
    }
    assert!(compared >= 10, "{compared}");
}

/// A metric is computed or judged, and no cell of its row is empty.
#[test]
fn rows_in_the_table_of_metrics_are_complete() {
    let rows = rows();
    let of_metrics = rows.iter().filter(|cells| cells.len() == 5);
    let mut seen = 0;
    for cells in of_metrics {
        assert!(cells.iter().all(|cell| !cell.is_empty()), "{cells:?}");
        let is_kind = ["kind", "---", "computed", "judged", "computed in part"];
        assert!(is_kind.contains(&&*cells[2]), "{cells:?}");
        seen += 1;
    }
    assert!(seen >= 50, "{seen}");
}

/// A number as pages write it: `14,682`.
fn with_commas(number: usize) -> String {
    let digits = number.to_string();
    let groups = digits.as_bytes().rchunks(3).rev();
    let groups: Vec<_> = groups.map(String::from_utf8_lossy).collect();
    groups.join(",")
}

#[test]
fn golden_counts_in_the_pages_are_current() {
    let systems: Vec<_> = EVALUATORS.iter().filter_map(|it| it.system()).collect();
    let (mut all, mut published) = (0, 0);
    for file in fs::read_dir(root().join("conformance")).unwrap() {
        let path = file.unwrap().path();
        if path.extension().is_none_or(|it| it != "jsonl") {
            continue;
        }
        for line in fs::read_to_string(path).unwrap().lines() {
            let golden = decode_with(line, Syntax::PYTHON).unwrap();
            let golden = golden.as_object().unwrap();
            let system = golden.get_str("system").and_then(Value::as_text);
            let system = system.map(ToString::to_string);
            all += 1;
            published += usize::from(system.is_some_and(|it| systems.contains(&&*it)));
        }
    }
    let page = |file: &str| fs::read_to_string(root().join(file)).unwrap();
    let (all, published) = (with_commas(all), with_commas(published));
    let claim = format!("| golden cases | {all}: {published} of the ");
    assert!(page("docs/testing.md").contains(&claim), "{claim}");
    let claim = format!("with {published} golden cases");
    assert!(page("README.md").contains(&claim), "{claim}");
}

#[test]
fn id_prefix_lists_a_family() {
    let place = Place::new();
    let list = place.run("evaluators uipath", &[]);
    assert_eq!(list.code, 0, "{}", list.stderr);
    for entry in EVALUATORS {
        assert_eq!(
            list.stdout.contains(&format!("  {} ", entry.id)),
            entry.system() == Some("uipath"),
            "{}",
            list.stdout
        );
    }
    let json = place.run("evaluators deepeval --format json", &[]).stdout;
    assert!(
        json.starts_with("[{\"evaluator\":\"deepeval/"),
        "a family of one is a list too: {json}"
    );
    assert!(!json.contains("\"evaluator\":\"ragas/"), "{json}");
    place.check(
        "evaluators deepeva",
        &[],
        2,
        &["no evaluator is called `deepeva`"],
    );
}
