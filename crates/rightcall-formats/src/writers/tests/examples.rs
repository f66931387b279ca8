//! Single cases, and their written form.

use std::fs;
use std::path::Path;

use super::super::lacks::{ERRORS, NO_ARGUMENTS, TIMES};
use super::super::*;
use super::{comes_back, read_back, written};
use crate::writers::parts::calls;
use crate::{ReadOptions, read_case};

/// Cases that use everything formats may hold.
const CASES: [&str; 2] = [
    r#"{"id":"refund-7","input":"Please refund order 7.","expected":[{"name":"find_order","args":{"id":7}},{"name":"refund","args":{"id":7,"items":[{"sku":"a"}]}}],"actual":[{"name":"find_order","args":"{\"id\":7}","id":"c1","group":"g","output":"shipped","start":1700000000000000000,"end":1700000001000000000,"turn":1},{"name":"get_policy","args":{},"id":"c2","group":"g","output":"no such order","error":true,"start":1700000000000000000,"turn":1},{"name":"refund","args":{"id":7},"id":"c3","turn":4}],"output":"Done.","trial":1,"tags":["refund"],"meta":{"model":"m"}}"#,
    r#"{"id":"hello","input":"Hello","expected":[],"actual":[],"trial":1}"#,
];

/// The expected files are in `tests/written`; `UPDATE_WRITTEN=1` rewrites them.
#[test]
fn examples_are_written_as_they_stand_in_their_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/written");
    let options = ReadOptions::default();
    let cases: Vec<_> = CASES
        .iter()
        .map(|text| read_case(text, &options).unwrap())
        .collect();
    for writer in WRITERS.iter().copied() {
        let path = folder.join(format!("{}.json", writer.name));
        let found = written(writer, &cases);
        if std::env::var_os("UPDATE_WRITTEN").is_some() {
            fs::write(&path, &found).unwrap();
        }
        assert_eq!(
            found,
            fs::read_to_string(&path).unwrap(),
            "{}",
            path.display()
        );
        assert_eq!(read_back(writer.name, &found).len(), 2, "{}", writer.name);
    }
}

#[test]
fn a_result_is_not_given_to_a_call_that_looks_the_same() {
    let calls =
        r#"{"name":"find","args":{},"turn":0},{"name":"find","args":{},"output":"b","turn":1}"#;
    comes_back(
        &openai_chat::WRITER,
        &format!(r#"{{"id":"a","actual":[{calls}]}}"#),
    );
    let calls = calls.replace("\"name\"", "\"id\":\"c\",\"name\"");
    comes_back(
        &openai_chat::WRITER,
        &format!(r#"{{"id":"a","actual":[{calls}]}}"#),
    );
}

#[test]
fn ids_that_come_again_are_made_up_anew() {
    let case = read_case(
        r#"{"actual":[{"name":"a","id":"c","output":"1","turn":0},{"name":"b","id":"c","output":"2","turn":1},{"name":"d","turn":2}]}"#,
        &ReadOptions::default(),
    );
    let line = written(&anthropic::WRITER, &[case.unwrap()]);
    let found = read_back("anthropic", &line);
    let again = read_case(&found[0], &ReadOptions::default()).unwrap();
    let pairs: Vec<_> = calls(&again)
        .iter()
        .map(|call| {
            (
                call.metadata().id.as_ref().unwrap().to_string(),
                call.metadata().output.as_deref(),
            )
        })
        .collect();
    assert_eq!(
        pairs,
        [
            ("c".to_owned(), Some("\"1\"")),
            ("toolu_1".to_owned(), Some("\"2\"")),
            ("toolu_2".to_owned(), None)
        ]
    );
}

#[test]
fn an_id_that_is_no_trace_id_names_the_conversation() {
    let case = read_case(
        r#"{"id":"refund-7","actual":[{"name":"a","args":{}}]}"#,
        &ReadOptions::default(),
    );
    let found = read_back("otlp", &written(&otlp::WRITER, &[case.unwrap()]));
    assert!(
        found[0].contains(r#""meta":{"conversation":"refund-7"}"#),
        "{}",
        found[0]
    );

    let id = |text: &str| {
        let case = read_case(text, &ReadOptions::default()).unwrap();
        let line = written(&otlp::WRITER, &[case]);
        line.split("\"traceId\":\"").nth(1).unwrap()[..32].to_owned()
    };
    assert_ne!(
        id(r#"{"id":"a","trial":1,"actual":["b"]}"#),
        id(r#"{"id":"a","trial":2,"actual":["b"]}"#)
    );
    assert_ne!(id(r#"{"actual":["b"]}"#), id(r#"{"actual":["c"]}"#));
}

#[test]
fn spans_tell_what_was_not_run() {
    let calls = r#"{"name":"a","args":{},"output":"x","turn":0},{"name":"stop","args":{"n":1},"turn":1,"run":"not"}"#;
    comes_back(
        &otlp::WRITER,
        &format!(r#"{{"id":"0af7651916cd43dd8448eb211c80319c","actual":[{calls}]}}"#),
    );
}

#[test]
fn what_is_lost_is_counted() {
    let case = read_case(
        r#"{"actual":[{"name":"a","args":{},"start":1,"turn":0},{"name":"b","error":"x","output":"y","turn":1}]}"#,
        &ReadOptions::default(),
    );
    let case = case.unwrap();
    let lost: Vec<_> = openai_chat::WRITER
        .lacks
        .iter()
        .zip(openai_chat::WRITER.lost(&case))
        .filter(|(_, count)| *count > 0)
        .collect();
    let lost: Vec<_> = lost
        .iter()
        .map(|(lack, count)| (lack.what, *count))
        .collect();
    assert_eq!(
        lost,
        [(TIMES.what, 1), (ERRORS.what, 1), (NO_ARGUMENTS.what, 1)]
    );
}

#[test]
fn a_case_without_a_run_is_written_where_expectations_are_held() {
    let case = read_case(r#"{"id":"a","expected":["b"]}"#, &ReadOptions::default()).unwrap();
    let holds = WRITERS
        .iter()
        .filter(|writer| writer.write(&case).is_some());
    assert_eq!(
        holds.map(|writer| writer.name).collect::<Vec<_>>(),
        ["cases", "bfcl", "adk-eval-sets", "promptfoo", "deepeval"]
    );
}

#[test]
fn matchers_become_lists_of_accepted_values_and_blocks_nothing() {
    let check = |expected: &str, truth: Option<&str>| {
        let text = format!(r#"{{"id":"a","expected":[{expected}]}}"#);
        let case = read_case(&text, &ReadOptions::default()).unwrap();
        let line = bfcl::WRITER.write(&case).map(|case| case.text);
        let wanted = truth.map(|truth| format!(r#"{{"id":"a","ground_truth":[{truth}]}}"#));
        assert_eq!(line, wanted);
        let lost: u64 = bfcl::WRITER.lost(&case).sum();
        assert_eq!(lost, u64::from(truth.is_none()), "{expected}");
    };
    check(
        r#"{"name":"f","args":{"id":{"$one_of":[7,{"n":1}]},"l":{"$optional":"en"},"m":{"$optional":{"$one_of":[1,2]}},"e":{"$eq":3},"o":{"in":{"$one_of":[1]}},"v":[1]}}"#,
        Some(
            r#"{"f":{"id":[7,{"n":[1]}],"l":["en",""],"m":[1,2,""],"e":[3],"o":[{"in":[1]}],"v":[[1]]}}"#,
        ),
    );
    check(
        r#"{"name":"f","args":{"q":{"$literal":{"$gt":1}}}}"#,
        Some(r#"{"f":{"q":[{"$gt":[1]}]}}"#),
    );
    for other in [
        r#"{"name":"f","args":{"id":{"$gt":7}}}"#,
        r#"{"name":"f","args":{"id":[[{"$any":true}]]}}"#,
        r#"{"name":"f","args":{"id":{"$one_of":[{"$gt":7}]}}}"#,
        r#"{"any_order":[{"name":"f","args":{}},{"name":"g","args":{}}]}"#,
        r#""f",{"optional":"g"}"#,
    ] {
        check(other, None);
    }
}

#[test]
fn accepted_answers_stay_as_they_were_read_unless_something_else_is_expected() {
    let record = r#"{"id":"p","function":[{"name":"f"}],"ground_truth":[{"f":{"id":[7,"7"],"l":["en",""]}}]}"#;
    let found = read_back("bfcl", &format!("{record}\n"));
    let case = read_case(&found[0], &ReadOptions::default()).unwrap();
    assert_eq!(bfcl::WRITER.write(&case).unwrap().text, record);
    let other = found[0].replace(r#""args":{"id":7}"#, r#""args":{"id":8}"#);
    let case = read_case(&other, &ReadOptions::default()).unwrap();
    let line = bfcl::WRITER.write(&case).unwrap().text;
    assert!(
        line.ends_with(r#""ground_truth":[{"f":{"id":[8]}}]}"#),
        "{line}"
    );
}

#[test]
fn a_task_stands_once_and_one_that_contradicts_it_is_left_out() {
    let options = ReadOptions::default();
    let of = |expected: &str, trial: u64| {
        format!(
            r#"{{"id":"t","trial":{trial},"expected":["{expected}"],"actual":[{{"name":"f","args":{{}},"turn":0}}]}}"#
        )
    };
    let texts = [of("f", 0), of("g", 1), of("f", 2)];
    let mut file = CaseFile::new(&tau2::WRITER, Vec::new());
    let added = texts.iter().map(|text| {
        let case = read_case(text, &options).unwrap();
        file.add(&tau2::WRITER.write(&case).unwrap()).unwrap()
    });
    assert_eq!(added.collect::<Vec<_>>(), [true, false, true]);
    assert_eq!(file.len(), 2);
    let text = String::from_utf8(file.finish().unwrap()).unwrap();
    assert_eq!(text.matches("\"evaluation_criteria\"").count(), 1, "{text}");
    assert_eq!(read_back("tau2-bench", &text).len(), 2);
}

#[test]
fn a_file_without_cases_is_empty() {
    for writer in WRITERS.iter().copied() {
        let file = CaseFile::new(writer, Vec::new());
        assert!(file.is_empty());
        assert_eq!(file.finish().unwrap(), b"", "{}", writer.name);
    }
}
