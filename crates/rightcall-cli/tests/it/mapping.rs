//! A log in a custom format: `rightcall map` drafts its map, at most two lines are edited, and `inspect` reads the log.

use super::{Place, said};

#[test]
fn long_run_is_shown_in_part() {
    let calls: Vec<_> = (0..60)
        .map(|page| format!(r#"{{"kind":"call","session":"s","tool":"read","input":{{"page":{page}}},"result":"ok"}}"#))
        .collect();
    let place = Place::new().with("log.jsonl", calls.join("\n"));
    place.check("map log.jsonl -o map.yaml", &[], 0, &[]);
    let said = place.run("map log.jsonl", &[]);
    assert!(
        said.stderr.contains("… and 40 more calls"),
        "{}",
        said.stderr
    );
    let said = place.run("inspect log.jsonl --map map.yaml", &[]);
    assert!(
        said.stdout.contains("… and 20 more calls"),
        "{}",
        said.stdout
    );
    let said = place.run("inspect log.jsonl --map map.yaml --all", &[]);
    assert!(!said.stdout.contains("more calls"), "{}", said.stdout);
}

/// A log, the edits to its draft, and the resulting counts.
struct Journey {
    file: &'static str,
    log: &'static str,
    /// Lines of the draft, each with its replacement.
    edits: &'static [(&'static str, &'static str)],
    counted: &'static str,
}

const JOURNEYS: [Journey; 3] = [
    // Events of one service, with the run's id under `ticket`.
    Journey {
        file: "desk.jsonl",
        log: r#"{"ticket":"T-1","at":"2026-03-01T09:00:00Z","event":"question","text":"Is room 4 free?"}
{"ticket":"T-1","at":"2026-03-01T09:00:01Z","event":"tool.request","body":{"request_id":"q1","tool_name":"rooms_free","parameters":{"day":"today"}}}
{"ticket":"T-2","at":"2026-03-01T09:00:01Z","event":"tool.request","body":{"request_id":"q2","tool_name":"weather","parameters":{"city":"Oslo"}}}
{"ticket":"T-1","at":"2026-03-01T09:00:02Z","event":"tool.response","body":{"request_id":"q1","response":["4"]}}
{"ticket":"T-2","at":"2026-03-01T09:00:03Z","event":"tool.response","body":{"request_id":"q2","error":"timeout"}}
{"ticket":"T-2","at":"2026-03-01T09:00:04Z","event":"tool.request","body":{"request_id":"q3","tool_name":"weather","parameters":{"city":"Bergen"}}}
{"ticket":"T-2","at":"2026-03-01T09:00:05Z","event":"tool.response","body":{"request_id":"q3","response":{"rain":true}}}
"#,
        edits: &[("run: $file", "run: ticket")],
        counted: r#""trajectories":2,"calls":3,"expected_calls":0,"names":{"rooms_free":1,"weather":2},"with_result":2,"failed":1"#,
    },
    // One document for an evaluation. Its rounds hold plans as well as calls.
    Journey {
        file: "evaluation.json",
        log: r#"{"started":"2026-03-01","sessions":[
{"session":"a","prompt":"Book two seats.","rounds":[{"plan":[{"tool":"book","args":{"seats":9}}],"actions":[{"tool":"find_train","args":{"to":"Bergen"},"result":{"id":"R7"}},{"tool":"book","args":{"train":"R7","seats":2},"result":"ok"}]}]},
{"session":"b","prompt":"Cancel it.","rounds":[{"plan":[],"actions":[{"tool":"cancel","args":{"train":"R7"},"result":null}]}]}]}"#,
        edits: &[],
        counted: r#""trajectories":2,"calls":3,"expected_calls":0,"names":{"book":1,"cancel":1,"find_train":1},"with_result":2,"failed":0"#,
    },
    // A table with unordered rows.
    Journey {
        file: "rows.csv",
        log: "conversation,seq,tool,arguments,output\nk1,2,send_mail,\"{\"\"to\"\": \"\"ada\"\"}\",sent\nk1,1,find_order,\"{\"\"id\"\": 7}\",shipped\nk2,1,find_order,\"{\"\"id\"\": 8}\",lost\n",
        edits: &[],
        counted: r#""trajectories":2,"calls":3,"expected_calls":0,"names":{"find_order":2,"send_mail":1},"with_result":3,"failed":0"#,
    },
];

#[test]
fn draft_map_reads_a_log_after_at_most_two_edits() {
    for journey in JOURNEYS {
        assert!(journey.edits.len() <= 2);
        let place = Place::new().with(journey.file, journey.log);
        let draft = format!("map {} -o log.yaml", journey.file);
        place.check(&draft, &[], 0, &[]);
        let mut map = place.read("log.yaml");
        for (before, after) in journey.edits {
            let is_line = |line: &&str| line.starts_with(before);
            let line = map.lines().find(is_line).unwrap_or_else(|| panic!("{map}"));
            map = map.replace(line, after);
        }
        let place = place.with("log.yaml", &map);
        let inspect = format!("inspect {} --map log.yaml --format json", journey.file);
        let said = place.check(&inspect, &[], 0, &[]);
        assert!(
            said.stdout.contains(journey.counted),
            "{map}\n{}",
            said.stdout
        );
    }
}

#[test]
fn draft_goes_to_stdout_and_its_result_to_stderr() {
    let log = "{\"run\":\"r1\",\"tool\":\"find\",\"args\":{\"id\":7},\"output\":\"x\"}\n{\"run\":\"r1\",\"tool\":\"look\",\"args\":{}}\n";
    let place = Place::new().with("log.jsonl", log);
    let read = [
        "tools: find 1, look 1",
        "1 of 2 calls with a result; 0 lines to check",
    ];
    let said = place.check("map log.jsonl", &[], 0, &read);
    assert_eq!(
        said.stdout,
        "map: log\nrun: run\ncall:\n  name: tool\n  args: args\n  output: output\n"
    );
}

#[test]
fn file_without_calls_has_no_draft_and_no_file_is_overwritten() {
    let place = Place::new()
        .with("notes.json", r#"{"title":"Notes"}"#)
        .with("log.jsonl", r#"{"run":"r1","tool":"find","args":{"id":7}}"#);
    place.check(
        "map notes.json",
        &[],
        2,
        &["expected something that looks like a call"],
    );
    // A line that the draft cannot parse.
    let torn = place.read("log.jsonl") + "\nnot json\n";
    let place = place.with("torn.jsonl", torn);
    place.check(
        "map torn.jsonl",
        &[],
        2,
        &["torn.jsonl:2: expected a JSON value"],
    );
    place.check("map log.jsonl -o notes.json", &[], 2, &["notes.json"]);
    // A corrected map is not replaced, an equal draft is.
    let again = |code, said: &[&str]| place.check("map log.jsonl -o new.yaml", &[], code, said);
    again(0, &[]);
    again(0, &[]);
    let corrected = place.read("new.yaml") + "# mine\n";
    let place = place.with("new.yaml", &corrected);
    let said = ["not an earlier draft of this sample", "name another file"];
    place.check("map log.jsonl -o new.yaml", &[], 2, &said);
    assert_eq!(place.read("new.yaml"), corrected);
    place.check("map -", &[], 2, &["expected a file as the sample"]);
    place.check("map log.jsonl -o log.jsonl", &[], 2, &["is also an input"]);
    place.check("inspect notes.json", &[], 2, &["rightcall map FILE"]);
}

#[test]
fn file_in_a_known_format_needs_no_map() {
    let case = r#"{"id":"1","expected":[],"actual":[{"name":"find","args":{"id":7}}]}"#;
    let place = Place::new().with("cases.jsonl", case);
    let said = place.check(
        "map cases.jsonl",
        &[],
        2,
        &["cases.jsonl is read as canonical cases already; no map is needed"],
    );
    assert_eq!(said.stdout, "");
    // Its results are not read, so they need a map.
    let log = "{\"session\":\"a\",\"tool_calls\":[{\"name\":\"load\",\"args\":{\"p\":1}}],\"tool_results\":[{\"name\":\"load\",\"output\":\"A\"}]}\n";
    let place = place.with("log.jsonl", log.repeat(2));
    let read = ["2 calls, none with a result", "2 of 2 calls with a result"];
    place.check("map log.jsonl", &[], 0, &read);
}

#[test]
fn misspelled_key_of_a_map_has_a_suggestion() {
    let place = Place::new().with("log.jsonl", r#"{"run":"r1","tool":"find","args":{"id":7}}"#);
    std::fs::create_dir_all(place.path(".rightcall/maps")).unwrap();
    let place = place.with(
        ".rightcall/maps/mine.yaml",
        "map: mine\ncall: {name: tool, args: args}\n",
    );
    place.check("inspect log.jsonl --input-format mine", &[], 0, &[]);
    let error = "no format is called `mne`; did you mean `mine`?";
    place.check("inspect log.jsonl --input-format mne", &[], 2, &[error]);
}

#[test]
fn map_in_a_parent_folder_applies_to_tables() {
    let place = Place::new();
    for folder in [".git", ".rightcall/maps", "logs"] {
        std::fs::create_dir_all(place.path(folder)).unwrap();
    }
    let place = place
        .with(
            ".rightcall/maps/mine.yaml",
            "map: mine\nknown_by: {k: any}\nrun: s\ncall: {name: n, args: a}\n",
        )
        .with("logs/log.csv", "s,k,n,a\nr1,c,find,\"{\"\"id\"\": 7}\"\n")
        .with("logs/cases.csv", "id,expected,actual,k,n\nx,[],[],c,find\n");
    let inspect = |file: &str| {
        let mut command = place.command();
        let command = command.args(["inspect", file]);
        // The repository's root ends the search.
        let command = command.env_remove("GIT_CEILING_DIRECTORIES");
        let command = command.current_dir(place.path("logs"));
        said(command.write_stdin(std::fs::read(place.path("logs/log.csv")).unwrap()))
    };
    for file in ["log.csv", "-"] {
        let said = inspect(file);
        assert!(said.stdout.contains("find(id=7)"), "{}", said.stderr);
    }
    let both =
        "two that fit: the map mine (../.rightcall/maps/mine.yaml) and the built-in format cases";
    let said = inspect("cases.csv");
    assert!(
        said.code == 2 && said.stderr.contains(both),
        "{}",
        said.stderr
    );
}

#[test]
fn parts_that_a_map_does_not_find_are_reported_when_scoring() {
    let map = "run: run\nquestion: q\ncall: {name: tool, args: args}\n";
    let place = Place::new()
        .with("log.jsonl", r#"{"run":"r1","tool":"find","args":{"id":7}}"#)
        .with("log.yaml", map);
    place.check(
        "score log.jsonl --map log.yaml --evaluator deepeval/tool-correctness",
        &[],
        0,
        &["note: `question: q` of the map log (log.yaml:2) finds nothing"],
    );
}
