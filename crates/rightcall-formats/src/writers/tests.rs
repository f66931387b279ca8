use std::io::Write as _;

use proptest::prelude::*;
use rightcall::call::{ArgumentSource, Call, Case};

use super::writer::{ERRORS, NO_ARGUMENTS, PARENTS, TIMES, calls, nanoseconds};
use super::*;
use crate::{Input, Limits, ReadOptions, case_text, read_case};

/// What one call may hold, before its place in a run is known.
#[derive(Clone)]
struct Sketch {
    members: Vec<(&'static str, &'static str)>,
    begins_message: bool,
    is_inside_the_first: bool,
}

impl std::fmt::Debug for Sketch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}", case_of(std::slice::from_ref(self), false))
    }
}

fn sketch() -> impl Strategy<Value = Sketch> {
    let of = |key: &'static str, values: &'static [&'static str]| {
        prop::sample::select(values)
            .prop_map(move |value| (key, value))
            .boxed()
    };
    // An empty text leaves the member out.
    let members = vec![
        of("name", &[r#""find""#, r#""look it up""#, r#""é\"\ud83d""#]),
        of(
            "args",
            &[
                "",
                "{}",
                r#"{"id":7}"#,
                r#"{"n":1e2,"n":1.0,"t":"\u0000 \"x\"\n"}"#,
                r#""{\"id\": 7""#,
                r#""{\"id\":7, \"s\":\"\\ud83d\"}""#,
                r#""{'a': True}""#,
                r#""""#,
            ],
        ),
        of("id", &["", r#""c1""#, r#""c2""#, r#""c3""#]),
        of(
            "output",
            &[
                "",
                "",
                r#""shipped""#,
                r#""""#,
                r#"{"a":[1.0]}"#,
                "[]",
                "7",
                r#""{\"a\":1}""#,
                r#""7""#,
            ],
        ),
        of("error", &["", "", "", "true", "false", r#""timeout""#]),
        of("tool_id", &["", "", "", r#""t""#]),
        of("actor", &["", "", "", r#""user""#]),
        of("run", &["", "", "", "", r#""not""#, r#""provider""#]),
    ];
    (members, any::<bool>(), prop::bool::weighted(0.2)).prop_map(
        |(members, begins_message, is_inside_the_first)| Sketch {
            members,
            begins_message,
            is_inside_the_first,
        },
    )
}

/// A case with these calls, as text; `keep` chooses among them.
fn case_of(sketches: &[Sketch], has_times: bool) -> String {
    let mut turn = 0;
    let mut calls = Vec::new();
    for (index, sketch) in sketches.iter().enumerate() {
        turn += usize::from(sketch.begins_message && index > 0);
        let mut members: Vec<String> = sketch
            .members
            .iter()
            .filter(|(_, json)| !json.is_empty())
            .map(|(key, json)| format!("\"{key}\":{json}"))
            .collect();
        members.push(format!("\"turn\":{turn},\"group\":\"g{turn}\""));
        if has_times {
            members.push(format!(
                "\"start\":{},\"end\":{}",
                1_700_000_000_000_000_000 + index as u64,
                1_700_000_000_000_001_000_u64
            ));
        }
        if sketch.is_inside_the_first && index > 0 {
            members.push("\"parent\":0".to_owned());
        }
        calls.push(format!("{{{}}}", members.join(",")));
    }
    let id = "0af7651916cd43dd8448eb211c80319c";
    format!(
        r#"{{"id":"{id}","input":"q","actual":[{}],"output":"a"}}"#,
        calls.join(",")
    )
}

/// Calls so that two runs with the same calls have the same lines, however turns and groups are named.
fn lines(case: &Case<'_>) -> Vec<String> {
    let calls = calls(case);
    let mut turns: Vec<_> = calls.iter().map(|call| call.metadata().turn).collect();
    turns.dedup();
    let line = |(index, call): (usize, &Call<'_>)| {
        let arguments = match call.arguments.source() {
            ArgumentSource::Absent => "not recorded".to_owned(),
            ArgumentSource::Json(json) => (*json).to_owned(),
            ArgumentSource::Text { text, .. } => text.to_string(),
        };
        let metadata = call.metadata();
        let turn = turns.iter().position(|turn| *turn == metadata.turn);
        let group = calls
            .iter()
            .position(|other| metadata.group.is_some() && other.metadata().group == metadata.group)
            .unwrap_or(index);
        let times = [nanoseconds(metadata.start), nanoseconds(metadata.end)];
        let (error, run) = (metadata.error, metadata.executor);
        format!(
            "{:?} {arguments:?} {:?} {:?} {:?} {error:?} {times:?} {turn:?} {group} {:?} {run:?} {:?}",
            call.name,
            metadata.id,
            metadata.tool_id,
            metadata.output,
            metadata.parent,
            metadata.actor
        )
    };
    calls.iter().enumerate().map(line).collect()
}

/// The cases that reading a line gives, as canonical text; it must be recognised as of this format.
fn read_back(format: &str, line: &str) -> Vec<String> {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    writeln!(file, "{line}").unwrap();
    let options = ReadOptions::default();
    let mut input = Input::open(file.path(), Limits::default(), &options).unwrap();
    assert_eq!(
        input.format().unwrap().map(|format| format.name),
        Some(format),
        "{line}"
    );
    let mut cases = Vec::new();
    while let Some(block) = input.next_block(1 << 20).unwrap() {
        cases.extend(
            block
                .records()
                .map(|record| record.text.unwrap().to_owned()),
        );
    }
    cases
}

#[track_caller]
fn comes_back(writer: &Writer, text: &str) {
    let options = ReadOptions::default();
    let case = read_case(text, &options).unwrap();
    let line = writer.line(&case).unwrap();
    assert!(!line.contains('\n'), "{line}");
    let found = read_back(writer.name, &line);
    assert_eq!(found.len(), 1, "{line}");
    let again = read_case(&found[0], &options).unwrap();
    assert_eq!(lines(&again), lines(&case), "{}: {line}", writer.name);
    assert_eq!(again.id, case.id, "{line}");
}

proptest! {
    #[test]
    fn what_a_format_has_a_place_for_comes_back(sketches in prop::collection::vec(sketch(), 1..8), has_times in any::<bool>()) {
        for writer in WRITERS {
            let has_times = has_times && !writer.lacks.iter().any(|lack| lack.what == TIMES.what);
            let mut sketches = sketches.clone();
            if writer.lacks.iter().any(|lack| lack.what == PARENTS.what) {
                sketches.iter_mut().for_each(|sketch| sketch.is_inside_the_first = false);
            }
            // A call inside another one of the same name looks like a second record of it.
            let first = sketches[0].members[0];
            sketches.iter_mut().for_each(|sketch| sketch.is_inside_the_first &= sketch.members[0] != first);
            sketches.retain(|sketch| {
                let text = case_of(std::slice::from_ref(sketch), has_times);
                let case = read_case(&text, &ReadOptions::default()).unwrap();
                writer.lost(&case).all(|count| count == 0)
            });
            if sketches.first().is_none_or(|sketch| sketch.members[0] != first) {
                sketches.iter_mut().for_each(|sketch| sketch.is_inside_the_first = false);
            }
            // Ids that come again are made up anew where they must be one of a kind.
            if writer.name == "anthropic" {
                let mut seen = Vec::new();
                sketches.retain(|sketch| { let id = sketch.members[2].1; let is_new = !seen.contains(&id); seen.push(id); is_new });
            }
            let text = case_of(&sketches, has_times);
            if !sketches.is_empty() {
                comes_back(writer, &text);
            }
        }
    }

    #[test]
    fn names_and_their_number_come_back_whatever_else_is_lost(sketches in prop::collection::vec(sketch(), 1..8), has_times in any::<bool>()) {
        let text = case_of(&sketches, has_times);
        let options = ReadOptions::default();
        let case = read_case(&text, &options).unwrap();
        for writer in WRITERS {
            let found = read_back(writer.name, &writer.line(&case).unwrap());
            let again = read_case(&found[0], &options).unwrap();
            let names = |case: &Case<'_>| {
                let mut names: Vec<_> = calls(case).iter().map(|call| call.name.to_string()).collect();
                // Spans stand by time, and what was not run has none.
                if writer.name == "otlp" { names.sort(); }
                names
            };
            if writer.name != "otlp" || !sketches.iter().any(|sketch| sketch.is_inside_the_first) {
                prop_assert_eq!(names(&again), names(&case), "{}", writer.name);
            }
            prop_assert_eq!(case_text(&read_case(&case_text(&case), &options).unwrap()), case_text(&case));
        }
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
    let line = anthropic::WRITER.line(&case.unwrap()).unwrap();
    let found = read_back("anthropic", &line);
    let again = read_case(&found[0], &ReadOptions::default()).unwrap();
    let pairs: Vec<_> = calls(&again)
        .iter()
        .map(|call| {
            (
                call.metadata().id.as_ref().unwrap().to_string(),
                call.metadata().output,
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
    let found = read_back("otlp", &otlp::WRITER.line(&case.unwrap()).unwrap());
    assert!(
        found[0].contains(r#""meta":{"conversation":"refund-7"}"#),
        "{}",
        found[0]
    );

    let id = |text: &str| {
        let line = otlp::WRITER
            .line(&read_case(text, &ReadOptions::default()).unwrap())
            .unwrap();
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
fn a_case_without_a_run_has_a_line_among_cases_alone() {
    let case = read_case(r#"{"id":"a","expected":["b"]}"#, &ReadOptions::default()).unwrap();
    for writer in WRITERS {
        assert_eq!(
            writer.line(&case).is_some(),
            writer.holds_cases,
            "{}",
            writer.name
        );
    }
}
