//! `convert`: the output is equivalent to the input, and losses are reported.

use std::fs;

use rightcall_formats::WRITERS;

use super::{GOOD, Place};
use crate::readme::root;

/// A conversation with the result of a call that is missing.
const CHAT: &str = r#"{"id":"a","messages":[{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"id\":7}"}}]},{"role":"tool","tool_call_id":"c1","content":"x"},{"role":"tool","tool_call_id":"c9","content":"y"}]}"#;

/// A conversation with a call for each result.
const COMPLETE: &str = r#"{"id":"a","messages":[{"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"find","arguments":"{\"id\":7}"}}]},{"role":"tool","tool_call_id":"c1","content":"x"},{"role":"assistant","content":"Found."}]}"#;

#[test]
fn trace_becomes_a_case_and_the_report_goes_to_stderr() {
    let place = Place::new().with("runs.jsonl", CHAT);
    let messages = [
        "1 trajectory, 1 call, 1 result without a call",
        "not recorded: times",
        "1 case written as cases",
    ];
    let said = place.check("convert runs.jsonl", &[], 0, &messages);
    assert_eq!(
        said.stdout,
        "{\"id\":\"a\",\"actual\":[{\"name\":\"find\",\"args\":\"{\\\"id\\\":7}\",\"id\":\"c1\",\"output\":\"x\",\"turn\":0}],\"incomplete\":\"1 result without a call\"}\n"
    );
    let quiet = place.check("convert runs.jsonl --quiet", &[], 0, &[]);
    // `--quiet` does not suppress warnings.
    assert_eq!(quiet.stdout, said.stdout);
    assert!(
        quiet
            .stderr
            .starts_with("warning: runs.jsonl: 1 result without a call")
    );
}

#[test]
fn converted_cases_are_inspected_and_scored_the_same() {
    let place = Place::new().with("runs.jsonl", COMPLETE).with(
        "cases.jsonl",
        r#"{"id":"a","expected":[{"name":"find","args":{"id":7}}],"tags":["t"],"model":"m"}"#,
    );
    let direct = place.check(
        "score cases.jsonl -e trajectory --traces runs.jsonl --format jsonl",
        &[],
        0,
        &[],
    );
    for to in ["cases", "openai-chat", "anthropic"] {
        place.check(
            &format!("convert runs.jsonl --to {to} -o again-{to}.jsonl"),
            &[],
            0,
            &[&format!("1 case written to again-{to}.jsonl")],
        );
        let again = place.check(
            &format!("score cases.jsonl -e trajectory --traces again-{to}.jsonl --format jsonl"),
            &[],
            0,
            &[],
        );
        assert_eq!(again.stdout, direct.stdout, "{to}");
    }
    place.check(
        "convert cases.jsonl --traces runs.jsonl -o joined.jsonl",
        &[],
        0,
        &[],
    );
    let joined = place.check(
        "score joined.jsonl -e trajectory --format jsonl",
        &[],
        0,
        &[],
    );
    assert_eq!(joined.stdout, direct.stdout);
    assert!(
        place
            .read("joined.jsonl")
            .ends_with("\"tags\":[\"t\"],\"meta\":{\"model\":\"m\"}}\n"),
        "{}",
        place.read("joined.jsonl")
    );
}

/// The counts of `inspect`, up to those that canonical calls cannot represent: free text and invalid arguments look alike.
fn counted(place: &Place, file: &str) -> String {
    let said = place.check(&format!("inspect {file} --format json"), &[], 0, &[]);
    let (_, counts) = said.stdout.split_once("\"trajectories\"").unwrap();
    counts.split("\"invalid_args\"").next().unwrap().to_owned()
}

#[test]
fn every_format_of_traces_is_converted_without_loss() {
    let folder = root().join("crates/rightcall-formats/tests/traces");
    let place = Place::new();
    let mut files: Vec<_> = fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    assert!(files.len() >= 30);
    for file in files {
        let name = file.to_str().unwrap();
        place.check(&format!("convert {name} -o out.jsonl --quiet"), &[], 0, &[]);
        assert_eq!(
            counted(&place, "out.jsonl"),
            counted(&place, name),
            "{name}"
        );
        let once = place.read("out.jsonl");
        assert_eq!(
            place.check("convert out.jsonl --quiet", &[], 0, &[]).stdout,
            once,
            "{name}: written once more"
        );
    }
}

#[test]
fn parts_that_a_format_cannot_hold_are_counted() {
    let case = r#"{"id":"a","expected":["find"],"actual":[{"name":"find","start":1,"error":"no"},{"name":"look","args":{}}]}"#;
    let place = Place::with_cases(&[case.to_owned(), r#"{"id":"b","expected":[]}"#.to_owned()]);
    place.check(
        "convert cases.jsonl --to openai-chat",
        &[],
        0,
        &[
            "cannot represent times (1 call)",
            "errors, whose messages stand as results (1 call)",
            "cannot represent expectations (1 case)",
            "1 case without a run left out",
        ],
    );
}

#[test]
fn a_gap_that_a_format_cannot_show_is_counted() {
    let place = Place::new().with("runs.jsonl", CHAT);
    for to in ["openai-chat", "anthropic", "otlp"] {
        let message =
            format!("{to} cannot represent what is missing in runs, which look complete (1 case)");
        place.check(
            &format!("convert runs.jsonl --to {to}"),
            &[],
            0,
            &[&message],
        );
    }
    let said = place.check("convert runs.jsonl --to cases", &[], 0, &[]);
    assert!(!said.stderr.contains("cannot represent"), "{}", said.stderr);
}

const PARTLY: &str =
    r#"{"id":"a","expected":[{"name":"find","args":{"id":7}},{"name":"refund","args":{"id":7}}]}"#;

/// The score of the only case, by `trajectory`.
fn score(place: &Place, files: &str) -> String {
    let command = format!("score {files} -e trajectory --format jsonl");
    let said = place.check(&command, &[], 0, &[]);
    let (_, score) = said.stdout.split_once("\"score\":").unwrap();
    score.split([',', '}']).next().unwrap().to_owned()
}

#[test]
fn converted_files_of_other_tools_are_scored_the_same() {
    let place = Place::new()
        .with("runs.jsonl", COMPLETE)
        .with("cases.jsonl", PARTLY);
    let direct = score(&place, "cases.jsonl --traces runs.jsonl");
    assert_eq!(&direct[..5], "0.666");
    for writer in WRITERS {
        let to = writer.name;
        let command = format!("convert cases.jsonl --traces runs.jsonl --to {to} -o again.json");
        place.check(&command, &[], 0, &["1 case written to again.json"]);
        let files = match to {
            // A trace has its own id, not the id of the conversation.
            "otlp" => {
                fs::remove_file(place.path("again.json")).unwrap();
                continue;
            }
            "adk-eval-sets" | "promptfoo" => "again.json --traces runs.jsonl",
            "openai-chat" | "anthropic" | "atif" | "inspect" => "cases.jsonl --traces again.json",
            _ => "again.json",
        };
        assert_eq!(score(&place, files), direct, "{to}");
        fs::remove_file(place.path("again.json")).unwrap();
    }
}

#[test]
fn document_is_complete_despite_unreadable_records() {
    let place = Place::new().with("good.jsonl", CHAT).with(
        "broken.json",
        r#"[{"id":"b","actual":["find"]},{"id":"c","actual":[7]},{"id":"#,
    );
    for to in ["inspect", "tau2-bench", "deepeval"] {
        let command = format!("convert good.jsonl broken.json good.jsonl --to {to}");
        let said = place.check(&command, &[], 2, &["broken.json"]);
        let document: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
        let cases = match to {
            "inspect" => &document["samples"],
            "tau2-bench" => &document["simulations"],
            _ => &document,
        };
        // The first case of the broken file was converted.
        assert_eq!(cases.as_array().unwrap().len(), 3, "{to}");
    }
}

#[test]
fn missing_requirements_of_a_format_are_reported() {
    let place = Place::new()
        .with("runs.jsonl", CHAT)
        .with("cases.jsonl", PARTLY)
        .with(
            "blocks.jsonl",
            r#"{"id":"a","expected":[{"any_order":["find","look"]}],"actual":[]}"#,
        );
    for to in ["promptfoo", "adk-eval-sets"] {
        let help = ["no case has a plain list of expected calls; write them as `--to cases`"];
        place.check(&format!("convert runs.jsonl --to {to}"), &[], 2, &help);
        place.check(&format!("convert blocks.jsonl --to {to}"), &[], 2, &help);
    }
    let help = ["no case has a run and a plain list of expected calls; join runs with --traces"];
    place.check("convert cases.jsonl --to ragas", &[], 2, &help);
    place.check(
        "convert blocks.jsonl --to deepeval",
        &[],
        0,
        &["deepeval cannot represent expectations in blocks or with matchers (1 case)"],
    );
    place.check(
        "convert runs.jsonl cases.jsonl --to adk-eval-sets",
        &[],
        0,
        &[
            "1 case written as adk-eval-sets",
            "1 case without a plain list of expected calls left out",
        ],
    );
}

#[test]
fn contradictory_task_with_the_same_id_is_left_out() {
    let other = r#"{"id":"a","trial":2,"expected":["look"],"actual":[]}"#;
    let one = r#"{"id":"a","trial":1,"expected":["find"],"actual":[]}"#;
    let place = Place::with_cases(&[one.to_owned(), other.to_owned()]);
    let messages = [
        "1 case written",
        "1 case left out: another of the same id expects something else",
    ];
    place.check("convert cases.jsonl --to tau2-bench", &[], 0, &messages);
}

#[test]
fn page_and_help_name_all_written_formats() {
    let page = fs::read_to_string(root().join("docs/commands/convert.md")).unwrap();
    let help = Place::new().check("convert --help", &[], 0, &[]).stdout;
    for writer in WRITERS {
        assert!(
            page.contains(&format!("| `{}` |", writer.name)),
            "{}",
            writer.name
        );
        assert!(help.contains(writer.name), "{}", writer.name);
    }
}

#[test]
fn many_threads_write_the_same_bytes() {
    let cases: Vec<_> = (0..4000)
        .map(|number| GOOD.replace("ID", &format!("case-{number}")))
        .collect();
    let place = Place::with_cases(&cases);
    let one = place.run("convert cases.jsonl --threads 1", &[]);
    let four = place.run("convert cases.jsonl --threads 4", &[]);
    assert_eq!(one.stdout.lines().count(), 4000);
    assert!(one.stdout == four.stdout && one.stderr == four.stderr);
    let one = place.run("convert cases.jsonl --to deepeval --threads 1", &[]);
    let four = place.run("convert cases.jsonl --to deepeval --threads 4", &[]);
    assert_eq!(one.stdout.lines().count(), 4002);
    assert!(one.stdout == four.stdout && one.stderr == four.stderr);
}

#[test]
fn conversion_is_atomic_and_overwrites_no_input() {
    let place = Place::new()
        .with("runs.jsonl", CHAT)
        .with("broken.jsonl", "{\"id\":\"a\",\"expected\":[7]}\n")
        .with("empty.jsonl", "");
    place.check(
        "convert runs.jsonl -o runs.jsonl",
        &[],
        2,
        &["is also an input"],
    );
    place.check(
        "convert broken.jsonl --traces runs.jsonl -o runs.jsonl",
        &[],
        2,
        &["is also an input"],
    );
    place.check(
        "convert broken.jsonl -o out.jsonl",
        &[],
        2,
        &["broken.jsonl:1 /expected/0", "nothing to write"],
    );
    place.check(
        "convert empty.jsonl -o out.jsonl",
        &[],
        2,
        &["the inputs hold no case"],
    );
    place.check(
        "convert missing.jsonl -o out.jsonl",
        &[],
        2,
        &["missing.jsonl"],
    );
    assert!(!place.path("out.jsonl").exists());
    place.check(
        "convert broken.jsonl runs.jsonl -o out.jsonl",
        &[],
        2,
        &["1 record could not be read (exit code 2"],
    );
    assert_eq!(place.read("out.jsonl").lines().count(), 1);
    place.check(
        "convert broken.jsonl runs.jsonl -o out.jsonl --skip-invalid",
        &[],
        0,
        &[],
    );
    place.check(
        "convert runs.jsonl -o no/such/out.jsonl",
        &[],
        2,
        &["no/such"],
    );
}

#[test]
fn unwritable_format_lists_the_writable_ones() {
    let place = Place::new().with("runs.jsonl", CHAT);
    place.check(
        "convert runs.jsonl --to openai-chta",
        &[],
        2,
        &["did you mean `openai-chat`?"],
    );
    place.check(
        "convert runs.jsonl --to gemini",
        &[],
        2,
        &["openai-chat, anthropic, otlp"],
    );
    place.check("convert broken.jsonl --traces", &[], 2, &[]);
}
