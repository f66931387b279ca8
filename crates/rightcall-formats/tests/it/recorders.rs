//! Traces of real frameworks with their instrumentation: each contains exactly the calls that the tools logged when they ran.
//!
//! `cargo xtask record-traces` records them again. Facts missing from a trace are listed here, so that a new gap is noticed.

use std::fs;
use std::path::{Path, PathBuf};

use rightcall_core::call::{Call, Executor, TextKind, argument_text};
use rightcall_core::value::{Syntax, Value, ValueEquality, decode_with};
use rightcall_formats::{Input, Limits, ReadOptions};
use serde_json::Value as Json;

use crate::{WholeInput, calls_of, with_whole_input};

/// How a trace records the results of tools.
#[derive(Clone, Copy, PartialEq)]
enum Outputs {
    /// As the JSON value, or as its JSON text.
    Json,
    /// As the text from Python's `str`.
    Python,
    /// Values other than objects become `{"result": …}`.
    InResult,
    NotRecorded,
}

#[derive(PartialEq)]
enum Fact {
    Arguments,
    Ids,
    Groups,
    Times,
}

/// A recorded file, and the facts missing from it.
struct Recording {
    file: &'static str,
    format: &'static str,
    lacks: &'static [Fact],
    outputs: Outputs,
    /// The recorded error of the failed call.
    error: Option<&'static str>,
    /// True if each run of the agent is a separate trace; else one trace has the whole conversation.
    is_split: bool,
}

const SPANS: Recording = Recording {
    file: "",
    format: "otlp",
    lacks: &[],
    outputs: Outputs::Json,
    error: Some("the payment service is away"),
    is_split: true,
};
const MESSAGES: Recording = Recording {
    lacks: &[Fact::Times],
    is_split: false,
    ..SPANS
};
/// ADK records only the class of an error.
const ADK: Recording = Recording {
    outputs: Outputs::InResult,
    error: Some("TOOL_ERROR"),
    ..SPANS
};
const ADK_NAMES: Recording = Recording {
    lacks: &[Fact::Arguments, Fact::Groups],
    outputs: Outputs::NotRecorded,
    ..ADK
};

const RECORDINGS: &[Recording] = &[
    Recording {
        file: "google-adk/legacy-names.otlp.jsonl",
        ..ADK_NAMES
    },
    Recording {
        file: "google-adk/legacy.otlp.jsonl",
        ..ADK
    },
    Recording {
        file: "google-adk/names.otlp.jsonl",
        ..ADK_NAMES
    },
    Recording {
        file: "google-adk/session.json",
        format: "adk-sessions",
        lacks: &[],
        outputs: Outputs::InResult,
        ..MESSAGES
    },
    Recording {
        file: "google-adk/trace.otlp.jsonl",
        ..ADK
    },
    Recording {
        file: "langgraph/state.json",
        format: "langchain",
        error: Some("true"),
        ..MESSAGES
    },
    Recording {
        file: "langgraph/trace.otlp.jsonl",
        ..SPANS
    },
    // The items have the message for the model, without marking it as an error.
    Recording {
        file: "openai-agents/items.json",
        format: "openai-responses",
        outputs: Outputs::Python,
        error: None,
        ..MESSAGES
    },
    Recording {
        file: "openai-agents/trace.jsonl",
        format: "openai-agents",
        lacks: &[Fact::Ids, Fact::Groups],
        outputs: Outputs::Python,
        error: Some("Tool execution failed. Error details are redacted."),
        ..SPANS
    },
    Recording {
        file: "openai-agents/trace.otlp.jsonl",
        outputs: Outputs::Python,
        error: Some("Error details are redacted."),
        ..SPANS
    },
    Recording {
        file: "openllmetry/trace.otlp.jsonl",
        ..SPANS
    },
    Recording {
        file: "pydantic-ai/console.txt",
        format: "flat-spans",
        error: Some("true"),
        ..SPANS
    },
    Recording {
        file: "pydantic-ai/messages.json",
        format: "pydantic-ai",
        lacks: &[],
        ..MESSAGES
    },
    Recording {
        file: "pydantic-ai/trace.otlp.jsonl",
        error: Some("true"),
        ..SPANS
    },
    Recording {
        file: "vercel-ai/messages.json",
        format: "vercel",
        error: Some("true"),
        ..MESSAGES
    },
    Recording {
        file: "vercel-ai/results.json",
        format: "vercel",
        is_split: true,
        ..MESSAGES
    },
    Recording {
        file: "vercel-ai/trace.otlp.jsonl",
        ..SPANS
    },
];

/// A call logged by its tool, with its id from the scripted model.
struct Noted {
    run: u64,
    message: u64,
    id: String,
    name: String,
    arguments: Json,
    output: Option<Json>,
    error: Option<String>,
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/recorders")
}

fn json(path: &Path) -> Json {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).expect("JSON")
}

/// The calls logged by a recorder's tools, in order.
fn noted(recorder: &str) -> Vec<Noted> {
    let scenario = json(&folder().join("scenario.json"));
    let calls = json(&folder().join(recorder).join("calls.json"));
    let mut noted: Vec<Noted> = Vec::new();
    for call in calls.as_array().expect("a list") {
        let number = |key: &str| call[key].as_u64().expect("a number");
        let (run, message) = (number("run"), number("message"));
        let place = noted
            .iter()
            .filter(|it| (it.run, it.message) == (run, message))
            .count();
        let asked = &scenario[run as usize]["replies"][message as usize]["calls"][place];
        noted.push(Noted {
            run,
            message,
            id: asked["id"].as_str().expect("a text").to_owned(),
            name: call["name"].as_str().expect("a text").to_owned(),
            arguments: call["args"].clone(),
            output: call.get("output").cloned(),
            error: call
                .get("error")
                .map(|error| error.as_str().expect("a text").to_owned()),
        });
    }
    noted
}

fn with_runs(recording: &Recording, look: impl FnOnce(WholeInput<'_>)) {
    let options = ReadOptions::default();
    let mut input =
        Input::open(&folder().join(recording.file), Limits::default(), &options).expect("a file");
    assert_eq!(
        input.format().expect("a format").map(|format| format.name),
        Some(recording.format),
        "{}",
        recording.file
    );
    with_whole_input(input, &options, look);
}

fn value(json: &str) -> Value<'_> {
    decode_with(json, Syntax::PYTHON).expect("JSON")
}

fn are_same(a: &Value<'_>, b: &Json) -> bool {
    ValueEquality::Json.equal(a, &value(&b.to_string()))
}

/// The value in a text; the text itself if it has none.
fn in_text(found: Value<'_>) -> Value<'_> {
    match found.as_text() {
        Some(text) if matches!(text.as_bytes().first(), Some(b'{' | b'[')) => argument_text(text).0,
        _ => found,
    }
}

#[test]
fn every_recorded_trace_holds_exactly_the_calls_that_the_tools_noted() {
    for recording in RECORDINGS {
        let noted = noted(recording.file.split('/').next().unwrap());
        assert_eq!(
            noted.len(),
            6,
            "{}: the scenario has six calls",
            recording.file
        );
        let runs: Vec<Vec<&Noted>> = if recording.is_split {
            (0..3)
                .map(|run| noted.iter().filter(|call| call.run == run).collect())
                .collect()
        } else {
            vec![noted.iter().collect()]
        };
        with_runs(recording, |found| {
            assert!(found.error.is_none(), "{}", recording.file);
            assert_eq!(found.report.orphans, 0, "{}", recording.file);
            assert_eq!(found.cases.len(), runs.len(), "{}", recording.file);
            for (case, run) in found.cases.iter().zip(&runs) {
                check_run(recording, calls_of(case.as_ref().expect("a case")), run);
            }
        });
    }
}

fn check_run(recording: &Recording, calls: &[Call<'_>], run: &[&Noted]) {
    let found: Vec<_> = calls.iter().map(|call| call.name.to_string()).collect();
    let noted: Vec<_> = run.iter().map(|call| call.name.clone()).collect();
    assert_eq!(found, noted, "{}", recording.file);
    for (call, noted) in calls.iter().zip(run) {
        check(recording, call, noted);
    }
    check_groups(recording, calls, run);
}

fn check(recording: &Recording, call: &Call<'_>, noted: &Noted) {
    let metadata = call.metadata();
    let has_times = !recording.lacks.contains(&Fact::Times);
    let at = format!("{} {}", recording.file, noted.id);
    assert_ne!(
        call.arguments.text_kind(),
        Some(TextKind::Free),
        "{at}: a text without structure"
    );
    let arguments = call.arguments.to_value();
    assert_eq!(
        arguments.is_some(),
        !recording.lacks.contains(&Fact::Arguments),
        "{at}"
    );
    assert!(
        arguments.is_none_or(|found| are_same(&found, &noted.arguments)),
        "{at}: {:?}",
        call.arguments
    );
    assert_eq!(
        metadata.id.as_ref().map(ToString::to_string),
        (!recording.lacks.contains(&Fact::Ids)).then(|| noted.id.clone()),
        "{at}"
    );
    assert_eq!(
        (
            metadata.executor,
            metadata.start.is_some(),
            metadata.end.is_some()
        ),
        (Executor::Agent, has_times, has_times),
        "{at}"
    );
    match (
        &metadata.error,
        recording.error.filter(|_| noted.error.is_some()),
    ) {
        (None, None) => {}
        (Some(found), Some(told)) => assert!(found.contains(told), "{at}: {found}"),
        (found, told) => panic!("{at}: error {found:?}, not {told:?}"),
    }
    // The framework decides how to report an error to the model.
    if let Some(wanted) = &noted.output {
        let found = metadata.recorded_output().map(value);
        let is_same = |found: Value<'_>| match recording.outputs {
            Outputs::Json | Outputs::Python => are_same(&in_text(found), wanted),
            Outputs::InResult if wanted.is_object() => are_same(&found, wanted),
            Outputs::InResult => are_same(&found, &serde_json::json!({ "result": wanted })),
            Outputs::NotRecorded => false,
        };
        let is_wanted = found.map_or(recording.outputs == Outputs::NotRecorded, is_same);
        assert!(is_wanted, "{at}: {:?}, not {wanted}", metadata.output);
    }
}

/// Calls are in one group if the model requested them in one message.
fn check_groups(recording: &Recording, calls: &[Call<'_>], run: &[&Noted]) {
    let group = |call: &Call<'_>| call.metadata().group.as_ref().map(ToString::to_string);
    for (a, noted_a) in calls.iter().zip(run) {
        for (b, noted_b) in calls.iter().zip(run) {
            let are_together = noted_a.id != noted_b.id
                && (noted_a.run, noted_a.message) == (noted_b.run, noted_b.message);
            let are_grouped =
                noted_a.id != noted_b.id && group(a).is_some() && group(a) == group(b);
            assert_eq!(
                are_grouped,
                are_together && !recording.lacks.contains(&Fact::Groups),
                "{}: {} and {}",
                recording.file,
                noted_a.id,
                noted_b.id
            );
        }
    }
}

#[test]
fn every_recorded_file_is_listed() {
    let mut found = Vec::new();
    for recorder in fs::read_dir(folder())
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_dir())
    {
        for file in fs::read_dir(&recorder)
            .unwrap()
            .map(|entry| entry.unwrap().path())
        {
            let name = file.file_name().unwrap().to_str().unwrap().to_owned();
            let is_pinned = matches!(
                name.as_str(),
                "calls.json" | "package.json" | "package-lock.json" | "requirements.txt"
            );
            if !is_pinned && !name.starts_with("record.") {
                found.push(format!(
                    "{}/{name}",
                    recorder.file_name().unwrap().to_str().unwrap()
                ));
            }
        }
    }
    found.sort();
    assert_eq!(
        found,
        RECORDINGS
            .iter()
            .map(|it| it.file.to_owned())
            .collect::<Vec<_>>()
    );
}
