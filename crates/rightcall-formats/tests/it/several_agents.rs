//! Runs of several agents and of graphs: recorded ones, and files of others if present. The calls of each part were counted without
//! rightcall: by the nearest span around a tool span that names an agent, and by distinct visits named in spans.

use std::path::{Path, PathBuf};

use rightcall_core::call::Case;
use rightcall_formats::{Choices, Input, Limits, ReadOptions};

use crate::{calls_of, with_whole_input};

/// For each agent its name, and the names of its calls.
type AgentCalls<'a> = &'a [(&'a str, &'a [&'a str])];

fn opened(path: &Path, key: &str, value: &str) -> (Input, ReadOptions) {
    let mut choices = Choices::default();
    choices.set(key, value).expect("a choice that there is");
    let options = ReadOptions {
        choices,
        ..ReadOptions::default()
    };
    let input = Input::open(path, Limits::default(), &options);
    (input.expect("a file"), options)
}

/// The cases of a file, each with the part of its id after the first `/`, and the names of its calls.
fn cases(path: &Path, (key, value): (&str, &str)) -> Vec<(String, Vec<String>)> {
    let (input, options) = opened(path, key, value);
    let case = |case: &Case<'_>| {
        let id = case.id.as_ref().map(ToString::to_string);
        let id = id.unwrap_or_default();
        let part = id.split_once('/').map_or("", |(_, part)| part).to_owned();
        let names = calls_of(case).iter().map(|call| call.name.to_string());
        (part, names.collect())
    };
    with_whole_input(input, &options, |input| {
        assert!(input.error.is_none(), "a file that is read to its end");
        let cases = input.cases.iter();
        cases.map(|it| case(it.as_ref().expect("a case"))).collect()
    })
}

fn recorded(file: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../../examples/recorders")
        .join(file)
}

#[test]
fn all_calls_of_recorded_agents_are_of_the_one_agent() {
    for file in [
        "google-adk/trace.otlp.jsonl",
        "google-adk/session.json",
        "openai-agents/trace.jsonl",
        "openai-agents/trace.otlp.jsonl",
        "pydantic-ai/trace.otlp.jsonl",
    ] {
        let all = cases(&recorded(file), ("scope", "run"));
        let of_agents = cases(&recorded(file), ("scope", "agent"));
        let calls = |cases: &[(String, Vec<String>)]| -> Vec<Vec<String>> {
            cases.iter().map(|(_, calls)| calls.clone()).collect()
        };
        assert_eq!(calls(&of_agents), calls(&all), "{file}");
        assert!(
            of_agents.iter().all(|(agent, _)| agent == "shop"),
            "{file}: {of_agents:?}"
        );
    }
}

#[test]
fn graphs_go_through_the_nodes_that_their_spans_name() {
    for file in ["langgraph/trace.otlp.jsonl", "openllmetry/trace.otlp.jsonl"] {
        let visits = cases(&recorded(file), ("calls", "nodes"));
        let count = |name: &str| {
            let all = visits.iter().flat_map(|(_, calls)| calls);
            all.filter(|call| *call == name).count()
        };
        assert_eq!((count("agent"), count("tools")), (7, 4), "{file}");
        for (_, calls) in visits {
            let alternates =
                |(place, name): (usize, &String)| *name == ["agent", "tools"][place % 2];
            assert!(
                calls.iter().enumerate().all(alternates),
                "{file}: {calls:?}"
            );
        }
    }
}

#[test]
fn calls_in_files_of_others_are_of_the_agents_around_them() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let data = std::env::var_os("RIGHTCALL_DATA").map(PathBuf::from);
    let data = data.unwrap_or_else(|| root.join("../shared/data"));
    let expected: [(&str, AgentCalls<'_>); 2] = [
        (
            "strands-evals-spans/openai_agents_genai_live_spans.json",
            &[
                (
                    "coordinator",
                    &["ask_research_specialist", "ask_math_specialist"],
                ),
                ("research_specialist", &["lookup_stock_price"]),
                ("math_specialist", &["multiply_numbers", "multiply_numbers"]),
            ],
        ),
        (
            "langfuse-traces/pydantic-ai-tools-2025-12-04.trace.json",
            &[
                (
                    "joke_agent",
                    &[
                        "get_pun_suggestion",
                        "get_dad_joke_suggestion",
                        "get_one_liner_suggestion",
                    ],
                ),
                ("evaluator_agent", &["final_result"]),
            ],
        ),
    ];
    for (file, expected) in expected {
        let path = data.join(file);
        if !path.is_file() {
            continue;
        }
        let found = cases(&path, ("scope", "agent"));
        let expected: Vec<_> = expected
            .iter()
            .map(|(agent, calls)| {
                (
                    (*agent).to_owned(),
                    calls.iter().map(|&call| call.to_owned()).collect(),
                )
            })
            .collect();
        assert_eq!(found, expected, "{file}");
    }
}

/// The names of all calls in each run of a file; `None` if a run cannot be divided.
fn names(path: &Path, scope: &str) -> Option<Vec<String>> {
    let (input, options) = opened(path, "scope", scope);
    with_whole_input(input, &options, |input| {
        assert!(input.error.is_none(), "a file that is read to its end");
        let mut names = Vec::new();
        for case in input.cases {
            match case {
                Ok(case) => names.extend(calls_of(&case).iter().map(|it| it.name.to_string())),
                Err(_) if scope != "run" => return None,
                Err(error) => panic!("{}: {error}", path.display()),
            }
        }
        names.sort_unstable();
        Some(names)
    })
}

#[test]
fn no_call_of_any_format_is_lost_where_runs_are_divided() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/traces");
    let (mut files, mut divided) = (0, [0; 3]);
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        // Column tables need a feature.
        let is_table = |ending: &str| path.extension().is_some_and(|it| it == ending);
        if ["parquet", "arrows", "feather"].into_iter().any(is_table) {
            continue;
        }
        files += 1;
        let all = names(&path, "run");
        for (scope, number) in ["agent", "node", "turn"].into_iter().zip(&mut divided) {
            if let Some(found) = names(&path, scope) {
                *number += 1;
                assert_eq!(Some(found), all, "{}: {scope}", path.display());
            }
        }
    }
    let [agents, nodes, turns] = divided;
    assert!(
        files > 100 && agents >= 10 && nodes >= 2 && turns >= 20,
        "{files}: {divided:?}"
    );
}
