//! Published files by others, if present: written again in their own format, they have the same contents.

#![expect(clippy::unwrap_used, reason = "a test ends where anything goes wrong")]

use std::env;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use rightcall_core::call::{Case, Expectation};
use rightcall_formats::{
    CaseFile, Input, Limits, ReadOptions, Writer, WrittenCase, case_text, read_case,
};

/// The folder named by `RIGHTCALL_DATA`, else the one next to the project.
fn folder() -> Option<PathBuf> {
    let named = env::var_os("RIGHTCALL_DATA").map(PathBuf::from);
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = named.unwrap_or_else(|| root.join("../shared/data"));
    Some(data).filter(|data| data.is_dir())
}

/// The cases of a file as canonical text.
fn cases(path: &Path) -> Vec<String> {
    let mut input = Input::open(path, Limits::default(), &ReadOptions::default()).unwrap();
    let mut cases = Vec::new();
    while let Some(block) = input.next_block(1 << 20).unwrap() {
        let texts = block
            .records()
            .map(|record| record.content.unwrap().text().unwrap().into_owned());
        cases.extend(texts);
    }
    cases
}

/// The parts of a case that the format can hold: calls without lost parts, and the expectation.
fn kept(case: &Case<'_>, has_times: bool) -> String {
    let mut case = case.clone();
    for call in case.actual.iter_mut().flat_map(|run| &mut run.calls) {
        let known = call.metadata_mut();
        // Messages are renumbered.
        (known.turn, known.group) = (None, None);
        if !has_times {
            (known.start, known.end) = (None, None);
        }
    }
    let mut calls = case.expected.calls;
    let mut turns = Vec::new();
    for call in calls.iter_mut().flatten() {
        if let Some(turn) = call.metadata().turn {
            if turns.last() != Some(&turn) {
                turns.push(turn);
            }
            call.metadata_mut().turn = Some(turns.len() as u64);
        }
    }
    let expected = Expectation {
        calls,
        ..Expectation::default()
    };
    case_text(&Case {
        id: case.id,
        trial: case.trial,
        actual: case.actual,
        expected,
        ..Case::default()
    })
}

/// Writes the cases of a file in this format and reads them again; returns their number after checking that they are unchanged.
fn come_back(path: &Path, to: &str) -> usize {
    let (writer, options) = (Writer::find(to).unwrap(), ReadOptions::default());
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let has_times = writer.lacks.iter().all(|lack| lack.what != "times");
    let mut out = CaseFile::new(writer, Vec::new());
    let mut wanted = Vec::new();
    for text in cases(path) {
        let case = read_case(&text, &options).unwrap();
        let lost: Vec<_> = writer
            .lacks
            .iter()
            .filter(|it| it.count(&case) > 0)
            .collect();
        let written: Option<WrittenCase> = writer.write(&case);
        let lost: Vec<_> = lost
            .iter()
            .map(|lack| lack.what)
            .filter(|it| !NOT_COMPARED.contains(it))
            .collect();
        assert!(lost.is_empty(), "{}: {lost:?} {text}", path.display());
        if let Some(written) = written {
            assert!(out.add(&written).unwrap(), "{}", path.display());
            wanted.push(kept(&case, has_times));
        }
    }
    file.write_all(&out.finish().unwrap()).unwrap();
    let found: Vec<_> = cases(file.path())
        .iter()
        .map(|text| kept(&read_case(text, &options).unwrap(), has_times))
        .collect();
    assert_eq!(found, wanted, "{}", path.display());
    found.len()
}

/// Not compared: a benchmark's facts about its own runs, which aren't part of its cases.
const NOT_COMPARED: [&str; 6] = [
    "calls of no known message, which get one",
    "meta: what else is known",
    "answers of the agent",
    "times",
    "what the user says in later invocations, which is empty",
    "questions that are no text, which become JSON text",
];

#[test]
fn files_of_others_come_back_in_their_own_format() {
    let Some(folder) = folder() else { return };
    for (name, to, count) in [
        ("tau2-bench/gpt-4.1_airline.json", "tau2-bench", 20),
        ("tau2-bench/gpt-4.1_telecom.json.gz", "tau2-bench", 40),
        ("tau2-bench/gpt-4.1_retail.json.gz", "tau2-bench", 40),
        (
            "bfcl/possible_answer/BFCL_v4_simple_python.json",
            "bfcl",
            400,
        ),
        ("bfcl/possible_answer/BFCL_v4_parallel.json", "bfcl", 200),
        ("bfcl/possible_answer/BFCL_v4_multiple.json", "bfcl", 200),
        (
            "bfcl/possible_answer/BFCL_v4_multi_turn_base.json",
            "bfcl",
            200,
        ),
        ("bfcl/possible_answer/BFCL_v4_simple_java.json", "bfcl", 100),
        (
            "adk-evals/home_automation_agent/simple_test.test.json",
            "adk-eval-sets",
            1,
        ),
        (
            "adk-evals/hello_world_agent/roll_die.test.json",
            "adk-eval-sets",
            1,
        ),
        (
            "more/google__python_agents_brand-search-optimization_eval_data_eval_data1.evalset.json",
            "adk-eval-sets",
            1,
        ),
        (
            "more/google__python_agents_travel-concierge_eval_data_inspire.test.json",
            "adk-eval-sets",
            1,
        ),
        (
            "more/METR__tests_core_importer_data_fixtures_eval_logs_small.eval",
            "inspect",
            6,
        ),
        (
            "more/TransluceAI__tests_integration_data_ctf.json",
            "inspect",
            2,
        ),
        (
            "inspect-logs/2025-05-12T20-27-36-04-00_browser.json",
            "inspect",
            1,
        ),
    ] {
        let path = folder.join(name);
        assert!(fs::exists(&path).unwrap(), "{name}");
        assert_eq!(come_back(&path, to), count, "{name}");
    }
}
