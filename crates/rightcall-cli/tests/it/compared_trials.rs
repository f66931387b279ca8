//! Compares the output of `compare` for runs with trials with the causes of each trial.

use std::collections::{BTreeMap, BTreeSet};

use rightcall_store::History;
use serde_json::Value;

use crate::Place;
use crate::history::{history, runs};
use crate::viewing::Running;

/// Pseudorandom numbers that are the same in every run of the tests.
struct Numbers(u64);

impl Numbers {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self
            .0
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

/// Cases with a few trials each; most calls are right.
fn cases(numbers: &mut Numbers) -> String {
    let tools = ["find", "refund", "mail"];
    let mut lines = Vec::new();
    for case in 0..5 {
        let expected = tools.map(|tool| format!(r#"{{"name":"{tool}","args":{{"id":{case}}}}}"#));
        for trial in 0..=numbers.below(3) {
            let mut calls = Vec::new();
            for tool in tools {
                let id = case + u64::from(numbers.below(4) == 0);
                match numbers.below(6) {
                    0 => {}
                    1 => calls.push(format!(r#"{{"name":"look","args":{{"id":{id}}}}}"#)),
                    _ => calls.push(format!(r#"{{"name":"{tool}","args":{{"id":{id}}}}}"#)),
                }
            }
            let (expected, actual) = (expected.join(","), calls.join(","));
            lines.push(format!(
                r#"{{"id":"case-{case}","trial":{trial},"expected":[{expected}],"actual":[{actual}]}}"#
            ));
        }
    }
    lines.join("\n")
}

/// The causes of each trial of each case, from the alignments.
fn causes(history: &History, run: i64) -> BTreeMap<String, Vec<BTreeSet<String>>> {
    let mut causes: BTreeMap<String, Vec<BTreeSet<String>>> = BTreeMap::new();
    let each = |case: &std::sync::Arc<rightcall_results::CaseResult>| {
        let of_trial = case.causes.iter().map(|it| it.cause.to_string());
        causes
            .entry(case.label.clone())
            .or_default()
            .push(of_trial.collect());
        Ok::<_, rightcall_store::StoreError>(())
    };
    history.each_case(run, each).unwrap();
    causes
}

/// The causes marked as new in a list of changes.
fn new_causes(changes: &Value) -> BTreeSet<String> {
    let changes = changes.as_array().unwrap().iter();
    let new = changes.filter_map(|it| it.as_str().unwrap().strip_prefix("now "));
    new.map(|it| {
        it.split_once(" (")
            .map_or(it, |(cause, _)| cause)
            .to_owned()
    })
    .collect()
}

#[test]
fn new_causes_of_random_trials_are_new_and_reported() {
    let suite = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 0.9}]\n";
    let mut all = 0;
    for seed in 0..16 {
        let mut numbers = Numbers(seed);
        let mut place = Place::new().with("suite.yaml", suite);
        for _ in 0..2 {
            place = place.with("cases.jsonl", cases(&mut numbers));
            place.run("run suite.yaml --quiet", &[]);
        }
        let history = history(&place);
        let [before, after] = [1, 2].map(|run| causes(&history, run));
        let said = place.check("compare 1 2 --format json", &[], 0, &[]).stdout;
        let said: Value = serde_json::from_str(&said).unwrap();
        let page = Running::start(&place, &["--port", "0"], None);
        for moved in said["moved"].as_array().unwrap() {
            let case = moved["case"].as_str().unwrap();
            let known: BTreeSet<_> = before[case].iter().flatten().collect();
            let now: BTreeSet<_> = after[case].iter().flatten().cloned().collect();
            let new: BTreeSet<_> = now.into_iter().filter(|it| !known.contains(it)).collect();
            assert_eq!(
                new_causes(&moved["changes"]),
                new,
                "seed {seed}, {case}: {moved}"
            );
            all += new.len();
            // The page shows a trial with a new cause next to one without it.
            let shown = page.get(&format!("/compare?run=1&run=2&case={case}"));
            assert!(shown.contains("class=\"three\""), "{shown}");
        }
        numbers_are_those_of_the_document(&page.get("/compare?run=1&run=2"), &said);
        cases_of_a_cause_are_counted(&history, &said);
    }
    assert!(all > 50, "{all}");
}

/// The numbers of the page match the document: moved cases, means before and after, and the cases of each cause.
fn numbers_are_those_of_the_document(page: &str, said: &Value) {
    let moved = said["moved"].as_array().unwrap();
    let rows = page.matches("data-open").count();
    assert_eq!(rows, moved.len(), "{page}");
    let overall = &said["evaluators"][0];
    for side in ["before", "after"] {
        let mean = overall["score"][side].as_f64().unwrap();
        assert!(
            page.contains(&format!("data-head=\"{side}\">{mean:.3}</td>")),
            "{mean}\n{page}"
        );
        let share = overall["passed"][side].as_f64().unwrap();
        assert!(
            page.contains(&format!("{:.1} %", 100.0 * share)),
            "{share}\n{page}"
        );
    }
    for case in moved {
        let [before, after] = ["before", "after"].map(|side| case[side].as_f64().unwrap());
        let cells = format!(
            "data-head=\"before\">{before:.3}</td><td class=\"number\" data-head=\"after\">{after:.3}</td>"
        );
        assert!(page.contains(&cells), "{case}\n{page}");
    }
    for cause in said["causes"].as_array().unwrap() {
        let (name, rest) = (cause["cause"].as_str().unwrap(), page);
        let row = rest
            .split("<bdi dir=\"ltr\">")
            .find(|part| part.starts_with(&format!("{name}</bdi></th><td")));
        let row = row.unwrap_or_else(|| panic!("{name}\n{page}"));
        for side in ["before", "after"] {
            let number = &cause[side];
            assert!(row.contains(&format!(">{number}<")), "{cause}\n{row}");
        }
    }
}

/// The number for each cause is its number of cases in each run.
fn cases_of_a_cause_are_counted(history: &History, said: &Value) {
    for (run, side) in runs(history).iter().rev().zip(["before", "after"]) {
        let counted: BTreeMap<String, u64> = history
            .cause_counts(run.number)
            .unwrap()
            .into_iter()
            .collect();
        let causes = said["causes"].as_array().unwrap().iter();
        let told = causes.map(|it| {
            (
                it["cause"].as_str().unwrap().to_owned(),
                it[side].as_u64().unwrap(),
            )
        });
        let told: BTreeMap<_, _> = told.filter(|(_, number)| *number > 0).collect();
        assert_eq!(told, counted, "run {}", run.number);
    }
}
