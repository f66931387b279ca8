//! No output overwrites another file: neither an input of the command, nor a history, nor a file of another kind.

use std::fs;

use crate::{Place, good, low};

const SUITE: &str = "cases: cases.jsonl\nevaluators: [{evaluator: trajectory, threshold: 1}]\n";

/// A place with one file of each kind.
fn place() -> Place {
    let place = Place::with_cases(&[good("a"), low("b")])
        .with("suite.yaml", SUITE)
        .with("other.jsonl", good("other") + "\n")
        .with(
            "traces.json",
            r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"c","type":"function","function":{"name":"find","arguments":"{}"}}]}]}"#,
        )
        .with("expect.yaml", "- find\n- look\n")
        .with("README.md", "# A project\n\nIts words.\n")
        .with("agent.py", "import sys\nprint(sys.argv)\n")
        .with("index.html", "<!doctype html>\n<title>Ours</title>\n")
        .with("photo.png", b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR")
        .with("empty", "");
    let lines = [
        ("run suite.yaml", 1),
        ("run suite.yaml", 1),
        ("history export 1 run-1.db", 0),
        (
            "score cases.jsonl -e trajectory -q -o results.jsonl --report json=results.json --report csv=results.csv --report html=page.html --report junit=junit.xml --report markdown=report.md --report tools=tools.txt --report parquet=results.parquet --report arrow=results.arrow",
            0,
        ),
        (
            "score cases.jsonl -e trajectory -q -o screen.txt --format table",
            0,
        ),
        ("score other.jsonl -e trajectory -q -o earlier.jsonl", 0),
        ("compare results.jsonl --accept baseline.jsonl", 0),
        (
            "compare results.jsonl earlier.jsonl results.jsonl -o compared.txt --format table",
            2,
        ),
    ];
    for (line, code) in lines {
        place.check(line, &[], code, &[]);
    }
    place
}

/// All files of the place.
const FILES: [&str; 24] = [
    "cases.jsonl",
    "suite.yaml",
    "other.jsonl",
    "traces.json",
    "expect.yaml",
    "README.md",
    "agent.py",
    "index.html",
    "photo.png",
    "run-1.db",
    ".rightcall/history.db",
    "results.jsonl",
    "results.json",
    "results.csv",
    "page.html",
    "junit.xml",
    "report.md",
    "tools.txt",
    "results.parquet",
    "results.arrow",
    "screen.txt",
    "earlier.jsonl",
    "baseline.jsonl",
    ".rightcall/.gitignore",
];

/// Command lines that write files, each with the files of the same kind, which it may replace.
const DOORS: [(&str, &[&str]); 18] = [
    (
        "score cases.jsonl -e trajectory -o FILE --format table",
        &["screen.txt"],
    ),
    (
        "score cases.jsonl -e trajectory -o FILE --format jsonl",
        &["results.jsonl", "earlier.jsonl"],
    ),
    (
        "score cases.jsonl -e trajectory -o FILE --format csv",
        &["results.csv"],
    ),
    (
        "score cases.jsonl -e trajectory --report json=FILE",
        &["results.json"],
    ),
    (
        "score cases.jsonl -e trajectory --report html=FILE",
        &["page.html"],
    ),
    (
        "score cases.jsonl -e trajectory --report parquet=FILE",
        &["results.parquet"],
    ),
    (
        "score cases.jsonl -e trajectory --report arrow=FILE",
        &["results.arrow"],
    ),
    (
        "run suite.yaml -o FILE --format jsonl",
        &["results.jsonl", "earlier.jsonl"],
    ),
    ("run suite.yaml --report junit=FILE", &["junit.xml"]),
    ("run suite.yaml --report markdown=FILE", &["report.md"]),
    ("run suite.yaml --report tools=FILE", &["tools.txt"]),
    ("compare 1 2 --report html=FILE", &["page.html"]),
    ("compare 1 2 -o FILE --format json", &["results.json"]),
    (
        "compare 1 --accept FILE",
        &[
            "results.jsonl",
            "earlier.jsonl",
            "baseline.jsonl",
            "results.json",
        ],
    ),
    ("report 1 -o FILE --format html", &["page.html"]),
    ("history export 1 FILE", &["run-1.db"]),
    ("convert cases.jsonl -o FILE", &["other.jsonl"]),
    ("record cases.jsonl --force -o FILE", &["other.jsonl"]),
];

#[test]
fn output_replaces_only_earlier_output_of_its_kind() {
    let place = place();
    for (door, own) in DOORS {
        for file in FILES {
            let path = place.path(file);
            let before = fs::read(&path).unwrap();
            let names = fs::read_dir(place.path("")).unwrap().count();
            let said = place.run(&door.replace("FILE", file), &[]);
            if own.contains(&file) {
                assert!(said.code < 2, "{door} {file}\n{}", said.stderr);
            } else {
                assert_eq!(said.code, 2, "{door} {file}\n{}", said.stderr);
                let told = format!("error: {file} is ");
                assert!(
                    said.stderr.starts_with(&told),
                    "{door} {file}\n{}",
                    said.stderr
                );
                assert!(said.stderr.contains("  help: "), "{}", said.stderr);
                assert!(fs::read(&path).unwrap() == before, "{door} {file}");
                assert_eq!(fs::read_dir(place.path("")).unwrap().count(), names);
            }
            fs::write(&path, before).unwrap();
        }
    }
}

#[test]
fn existing_file_is_named_in_the_error() {
    let place = place();
    for (file, what) in [
        ("other.jsonl", "a file of canonical cases"),
        ("traces.json", "a file of OpenAI Chat Completions"),
        ("suite.yaml", "a suite"),
        ("baseline.jsonl", "a baseline"),
        ("results.jsonl", "a file of results"),
        ("run-1.db", "a history"),
        (".rightcall/history.db", "a history"),
        ("index.html", "an HTML page"),
        ("results.parquet", "a Parquet file"),
        ("README.md", "a text file"),
        ("photo.png", "a file of another kind"),
    ] {
        let line = format!("score cases.jsonl -e trajectory --report html={file}");
        place.check(&line, &[], 2, &[&format!("error: {file} is {what}")]);
    }
}

#[test]
#[cfg(unix)]
fn outputs_over_links_to_inputs_or_histories_are_errors() {
    let place = place();
    fs::create_dir(place.path("links")).unwrap();
    for (name, of) in [
        ("soft", "results.jsonl"),
        ("history", ".rightcall/history.db"),
    ] {
        std::os::unix::fs::symlink(place.path(of), place.path(&format!("links/{name}"))).unwrap();
    }
    fs::hard_link(place.path("results.jsonl"), place.path("links/hard")).unwrap();
    let before = place.read("results.jsonl");
    for (line, file) in [
        ("report results.jsonl --format jsonl -o", "links/soft"),
        ("report results.jsonl --format jsonl -o", "links/hard"),
        ("report links/hard --format jsonl -o", "./results.jsonl"),
        ("compare results.jsonl --accept", "links/hard"),
        (
            "run suite.yaml --history new.db --report html=page.html -o",
            "new.db",
        ),
        ("run suite.yaml --history new.db -o", "./new.db-wal"),
        (
            "score cases.jsonl -e trajectory --report csv=./both.jsonl --format jsonl -o",
            "both.jsonl",
        ),
        ("run suite.yaml -o", "links/history"),
    ] {
        place.check(&format!("{line} {file}"), &[], 2, &[&format!("{file} is ")]);
        for file in ["new.db", "new.db-wal", "both.jsonl"] {
            assert!(!place.path(file).exists(), "{line} {file}");
        }
    }
    assert_eq!(place.read("results.jsonl"), before);
    let runs = place.check("history --format json", &[], 0, &[]).stdout;
    assert_eq!(runs.matches("\"run\":").count(), 2);
}

#[test]
fn accept_does_not_overwrite_files_of_the_suite() {
    for file in [
        "cases.jsonl",
        "suite.yaml",
        "traces.json",
        ".rightcall/history.db",
    ] {
        let place = place().with("suite.yaml", format!("{SUITE}baseline: {file}\n"));
        let before = fs::read(place.path(file)).unwrap();
        place.check("run suite.yaml --accept", &[], 2, &[&format!("{file} is ")]);
        assert!(fs::read(place.path(file)).unwrap() == before, "{file}");
    }
    let place = place().with("suite.yaml", format!("{SUITE}baseline: baseline.jsonl\n"));
    place.check(
        "run suite.yaml --accept",
        &[],
        1,
        &["baseline.jsonl is the baseline now"],
    );
}

#[test]
fn if_one_output_fails_nothing_is_written() {
    let place = place();
    for line in [
        "score cases.jsonl -e trajectory --report html=new.html --report junit=cases.jsonl",
        "compare 1 2 --report html=new.html --report junit=cases.jsonl",
        "run suite.yaml -o new.html --report junit=suite.yaml",
    ] {
        place.check(line, &[], 2, &["jsonl: is ", "error: "][1..]);
        assert!(!place.path("new.html").exists(), "{line}");
    }
    // The agent must not run if the results cannot be written.
    let line = "run suite.yaml --report junit=cases.jsonl --agent touch called";
    place.check(line, &[], 2, &["cases.jsonl is also an input"]);
    assert!(!place.path("called").exists());
}

#[test]
fn export_does_not_overwrite_other_runs() {
    let place = place();
    place.check("history export 1 run.db", &[], 0, &[]);
    place.check("history export 1 run.db", &[], 0, &[]);
    for file in ["run.db", ".rightcall/history.db"] {
        let line = format!("history export 2 {file}");
        place.check(&line, &[], 2, &[&format!("{file} is ")]);
    }
    let both = "history import run.db --history both.db";
    place.check(both, &[], 0, &[]);
    place.check(
        "history import .rightcall/history.db --history both.db",
        &[],
        0,
        &[],
    );
    place.check(
        "history export 1 both.db",
        &[],
        2,
        &["both.db is a history, not an earlier export"],
    );
}

#[test]
fn review_does_not_change_its_traces() {
    let place = place();
    let line = "review cases.jsonl --traces cases.jsonl --accept-all";
    place.check(
        line,
        &[],
        2,
        &["cases.jsonl is both the expectations and the traces"],
    );
}

#[test]
fn fetch_does_not_overwrite_a_file_of_another_kind() {
    let place = place();
    for file in ["cases.jsonl", "README.md", ".rightcall/history.db"] {
        let line = format!("fetch langfuse -o {file}");
        place.check(
            &line,
            &[],
            2,
            &[&format!("{file} is "), "not an earlier langfuse file"],
        );
    }
}

#[test]
fn conversion_replaces_an_earlier_one() {
    let place = Place::with_cases(&[good("a"), low("b")]);
    for writer in rightcall_formats::WRITERS {
        let line = format!("convert cases.jsonl --to {} -o out.json", writer.name);
        for _ in 0..2 {
            place.check(&line, &[], 0, &[]);
        }
        fs::remove_file(place.path("out.json")).unwrap();
    }
}
