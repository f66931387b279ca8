//! Runs of several agents, each judged as a separate case, in all commands that read them.

use crate::Place;

/// Two sessions with a desk, a billing agent and a mailer; the second one never reaches the billing agent.
const SESSIONS: &str = include_str!("../../../../examples/several-agents/sessions.json");
const CASES: &str = include_str!("../../../../examples/several-agents/cases.yaml");
const SUITE: &str = include_str!("../../../../examples/several-agents/suite.yaml");

fn place() -> Place {
    Place::new()
        .with("sessions.json", SESSIONS)
        .with("cases.yaml", CASES)
        .with("suite.yaml", SUITE)
}

/// The scores of `trajectory` by case.
fn scores(jsonl: &str) -> Vec<(String, String)> {
    let field = |line: &str, key: &str| {
        let (_, rest) = line.split_once(&format!("\"{key}\":"))?;
        let end = rest.find([',', '}'])?;
        Some(rest[..end].trim_matches('"').to_owned())
    };
    let of_line = |line: &str| Some((field(line, "case")?, field(line, "score")?));
    let lines = jsonl.lines().filter(|line| line.contains("\"evaluator\""));
    lines.filter_map(of_line).collect()
}

const SCORE: &str = "score cases.yaml --traces sessions.json -e trajectory --format jsonl";

#[test]
fn each_agent_is_scored_separately() {
    let expected = [
        ("refund-7/front_desk", "1.0"),
        ("refund-7/billing", "1.0"),
        ("refund-7/mailer", "1.0"),
        ("refund-8/front_desk", "0.666"),
        ("refund-8/billing", "0.0"),
        ("refund-8/mailer", "1.0"),
    ];
    let place = place();
    let of_score = place.check(&format!("{SCORE} --read scope=agent"), &[], 0, &[]);
    let by = place.check(
        &format!("{SCORE} --read scope=agent --by agent"),
        &[],
        0,
        &[],
    );
    let of_suite = place.check("run suite.yaml --format jsonl", &[], 0, &[]);
    for said in [of_score, by, of_suite] {
        let found = scores(&said.stdout);
        assert_eq!(found.len(), expected.len(), "{}", said.stdout);
        for ((id, score), (wanted, begins)) in found.iter().zip(expected) {
            assert!(
                id == wanted && score.starts_with(begins),
                "{id}: {score}, not {wanted}: {begins}"
            );
        }
    }
    // One case a line gives the same results.
    let lines: Vec<_> = expected
        .iter()
        .map(|(id, _)| format!(r#"{{"id":"{id}","expected":[]}}"#))
        .collect();
    let place = place.with("cases.yaml", format!("[{}]", lines.join(",\n")));
    let said = place.check(&format!("{SCORE} --read scope=agent"), &[], 0, &[]);
    assert_eq!(
        scores(&said.stdout).len(),
        expected.len(),
        "{}",
        said.stdout
    );
}

#[test]
fn unexpected_agent_is_a_run_without_a_case() {
    let case = r#"{"id":"refund-7","agents":{"billing":{"expected":["get_policy","refund"]}}}"#;
    let place = place().with("cases.yaml", case);
    let said = place.check(&format!("{SCORE} --read scope=agent"), &[], 0, &[]);
    assert_eq!(scores(&said.stdout).len(), 1, "{}", said.stdout);
    assert!(said.stderr.contains("4 runs"), "{}", said.stderr);
}

#[test]
fn expectations_per_agent_require_scope_agent() {
    let place = place();
    let messages = ["what is expected of each agent", "--read scope=agent"];
    place.check(SCORE, &[], 2, &messages);
    let messages = ["and no node that they are of", "scope=agent"];
    place.check("inspect sessions.json --read scope=node", &[], 2, &messages);
}

#[test]
fn calls_without_an_agent_are_counted() {
    let place = place().with(
        "runs.jsonl",
        r#"{"id":"r","messages":[{"role":"assistant","tool_calls":[{"id":"a","function":{"name":"find","arguments":"{}"}}]},{"role":"assistant","name":"planner","tool_calls":[{"id":"b","function":{"name":"look","arguments":"{}"}}]}]}"#,
    );
    let said = place.check("inspect runs.jsonl --read scope=agent", &[], 0, &[]);
    for part in [
        "2 trajectories, 2 calls, 1 of no known part",
        "conversation r/planner",
    ] {
        assert!(said.stdout.contains(part), "{}", said.stdout);
    }
    let said = place.check("convert runs.jsonl --read scope=agent", &[], 0, &[]);
    let found: Vec<_> = said.stdout.lines().collect();
    assert_eq!(found.len(), 2, "{}", said.stdout);
    assert!(
        found[0].starts_with(r#"{"id":"r","actual":[{"name":"find""#),
        "{}",
        found[0]
    );
    assert!(
        found[1].ends_with(r#""meta":{"agent":"planner"}}"#),
        "{}",
        found[1]
    );
    // Converted cases hold one agent each; converting them again changes nothing.
    let place = place.with("parts.jsonl", found[1]);
    let again = place.check("convert parts.jsonl --read scope=agent", &[], 0, &[]);
    assert_eq!(again.stdout.trim_end(), found[1]);
}

#[test]
fn suggested_command_keeps_the_read_options() {
    let line = "score cases.yaml --traces sessions.json -e trajectory --read scope=agent";
    let said = place().check(line, &[], 0, &[]);
    let mut lines = said.stdout.lines().map(str::trim);
    let shown = lines.find(|line| line.starts_with("rightcall explain"));
    let shown = shown.unwrap_or_default();
    assert!(shown.ends_with("--read scope=agent"), "{shown}");
    let command = shown.strip_prefix("rightcall ").unwrap();
    let said = place().check(command, &[], 0, &[]);
    assert!(
        said.stdout.starts_with("refund-8/billing"),
        "{}",
        said.stdout
    );
}

/// Runs of graphs, and the result of `graph_trajectory_strict_match` from agentevals 0.0.9.
const GRAPHS: [(&str, &str, bool); 6] = [
    (r#"["__start__","a","b"]"#, r#"["__start__","a","b"]"#, true),
    (
        r#"["__start__","a","b"]"#,
        r#"["__start__","b","a"]"#,
        false,
    ),
    (r#"["__start__","a","a"]"#, r#"["__start__","a"]"#, false),
    (
        r#"["__start__","a","__interrupt__"],["b"]"#,
        r#"["__start__","a","__interrupt__"],["b"]"#,
        true,
    ),
    (
        r#"["__start__","a"],["__start__","b"]"#,
        r#"["__start__","a"]"#,
        false,
    ),
    ("", "", true),
];

#[test]
fn graphs_match_like_agentevals() {
    let case = |(number, (run, reference, _)): (usize, &(&str, &str, bool))| {
        format!(
            r#"{{"id":"{number}","outputs":{{"results":[],"steps":[{run}]}},"reference_outputs":{{"results":[],"steps":[{reference}]}}}}"#
        )
    };
    let cases: Vec<_> = GRAPHS.iter().enumerate().map(case).collect();
    let line = "score cases.jsonl -e agentevals/trajectory-match --format jsonl";
    let said = Place::with_cases(&cases).check(line, &[], 1, &[]);
    let found: Vec<_> = scores(&said.stdout)
        .into_iter()
        .map(|(_, score)| score == "1.0")
        .collect();
    assert_eq!(found, GRAPHS.map(|(_, _, matches)| matches));
}

#[test]
fn active_agents_are_read_as_calls() {
    let cases = "- {id: refund-7, expected: [front_desk, billing, mailer]}
- {id: refund-8, expected: [front_desk, billing, mailer]}";
    let place = place().with("cases.yaml", cases);
    let said = place.check(&format!("{SCORE} --read calls=agents"), &[], 0, &[]);
    let found = scores(&said.stdout);
    assert_eq!(found[0].1, "1.0");
    assert!(found[1].1.starts_with("0.8"), "{}", said.stdout);
}

#[test]
fn multi_turn_dataset_is_scored_per_turn() {
    let answers = r#"{"id":"m_0","ground_truth":[["cd(folder='x')"],["ls()"],[]]}"#;
    let results = r#"{"id":"m_0","result":[["[cd(folder='x')]"],["[pwd()]"],[]]}"#;
    let place = Place::new()
        .with("answers.jsonl", answers)
        .with("results.jsonl", results);
    let score =
        "score answers.jsonl --traces results.jsonl --read scope=turn -e trajectory --format csv";
    let said = place.check(score, &[], 0, &[]).stdout;
    let scores: Vec<_> = said
        .lines()
        .skip(1)
        .map(|row| row.split(',').next().unwrap())
        .collect();
    assert_eq!(scores, ["m_0/1", "m_0/2", "m_0/3"], "{said}");
    let of = |case: &str| said.lines().find(|row| row.starts_with(case)).unwrap();
    assert!(
        of("m_0/1").contains(",1.0,") && of("m_0/3").contains(",1.0,"),
        "{said}"
    );
    assert!(of("m_0/2").contains(",0.0,"), "{said}");
}
