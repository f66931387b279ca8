//! A disk that fills up at any moment: existing files stay intact, and one error gives advice.
//!
//! A file size limit simulates the full disk. Each test tries limits from zero to enough.

use std::collections::BTreeMap;
use std::fs;
use std::process::Command;

use crate::history::{SUITE, history, runs};
use crate::{Place, STILL, Said, good, low};

/// Runs a command that can write at most this many blocks of 512 bytes to a file.
fn run(place: &Place, line: &str, blocks: usize) -> Said {
    let limited = format!("trap '' XFSZ; ulimit -f {blocks}; exec \"$RIGHTCALL\" \"$@\"");
    let mut command = Command::new("sh");
    command
        .current_dir(place.0.path())
        .args(["-c", &limited, "sh"])
        .args(line.split(' '))
        .envs(STILL);
    command
        .env("RIGHTCALL", env!("CARGO_BIN_EXE_rightcall"))
        .env("GIT_CEILING_DIRECTORIES", place.0.path());
    // `output` uses pipes, so the limit does not apply to standard output.
    let output = command.output().unwrap();
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
    Said {
        code: output.status.code().unwrap_or(-1),
        stdout: text(output.stdout),
        stderr: text(output.stderr),
    }
}

/// The files in the place, without the history.
fn files(place: &Place) -> BTreeMap<String, Vec<u8>> {
    let entries = fs::read_dir(place.path(""))
        .unwrap()
        .map(Result::unwrap)
        .filter(|it| it.path().is_file());
    entries
        .map(|it| {
            (
                it.file_name().to_string_lossy().into_owned(),
                fs::read(it.path()).unwrap(),
            )
        })
        .collect()
}

fn cases() -> Vec<String> {
    (0..400)
        .map(|number| {
            if number % 9 == 0 {
                low(&number.to_string())
            } else {
                good(&number.to_string())
            }
        })
        .collect()
}

#[test]
#[expect(clippy::too_many_lines, reason = "a table of commands")]
fn whatever_is_written_is_there_whole_or_as_it_was() {
    let runs: Vec<_> = (0..400)
        .map(|number| good(&number.to_string()).replace("\"id\":7", "\"id\":8"))
        .collect();
    for (line, output, fine) in [
        (
            "score cases.jsonl -e tool-call-order -o out.jsonl",
            "out.jsonl",
            0,
        ),
        (
            "score cases.jsonl -e tool-call-order -o out.json",
            "out.json",
            0,
        ),
        (
            "score cases.jsonl -e tool-call-order -o out.csv",
            "out.csv",
            0,
        ),
        (
            "score cases.jsonl -e tool-call-order -q --report html=out.html",
            "out.html",
            0,
        ),
        (
            "score cases.jsonl -e tool-call-order -q --report junit=out.xml",
            "out.xml",
            0,
        ),
        (
            "score cases.jsonl -e tool-call-order -q --report csv=out.csv",
            "out.csv",
            0,
        ),
        (
            "score cases.jsonl -e tool-call-order -q --report parquet=out.parquet",
            "out.parquet",
            0,
        ),
        (
            "score cases.jsonl -e tool-call-order -q --report arrow=out.arrow",
            "out.arrow",
            0,
        ),
        (
            "report results.jsonl --format html -o out.html",
            "out.html",
            0,
        ),
        (
            "report results.jsonl --format arrow -o out.arrow",
            "out.arrow",
            0,
        ),
        (
            "convert cases.jsonl --to openai-chat -o out.jsonl",
            "out.jsonl",
            0,
        ),
        ("record runs.jsonl --force -o out.jsonl", "out.jsonl", 0),
        (
            "review recorded.jsonl --traces runs.jsonl --accept-all",
            "recorded.jsonl",
            0,
        ),
        ("compare results.jsonl --accept out.jsonl", "out.jsonl", 0),
    ] {
        let prepared = |place: Place| {
            for line in [
                "record cases.jsonl --force -q -o recorded.jsonl",
                "score cases.jsonl -e tool-call-order -q -o results.jsonl",
            ] {
                place.check(line, &[], 0, &[]);
            }
            place
        };
        // The existing output is of the same kind and has fewer cases.
        let place = prepared(Place::with_cases(&cases()[..9]).with("runs.jsonl", &runs[0]));
        place.check(line, &[], fine, &[]);
        let place = place
            .with("cases.jsonl", cases().join("\n") + "\n")
            .with("runs.jsonl", runs.join("\n") + "\n");
        let place = prepared(place);
        let before = files(&place);
        for blocks in [0, 1, 4, 7] {
            let said = run(&place, line, blocks);
            assert_eq!(said.code, 2, "{line} with {blocks} blocks: {}", said.stderr);
            assert_eq!(
                said.stderr.matches("error: ").count(),
                1,
                "{line} with {blocks} blocks: {}",
                said.stderr
            );
            let told = said.stderr.contains(&format!("error: {output}: "))
                && said.stderr.contains("help: what was there before");
            assert!(told, "{line} with {blocks} blocks: {}", said.stderr);
            assert!(
                files(&place) == before,
                "{line} with {blocks} blocks leaves something else"
            );
        }
        let said = run(&place, line, 1 << 20);
        assert_eq!(said.code, fine, "{line}: {}", said.stderr);
        assert!(files(&place)[output] != before[output], "{line}");
    }
}

#[test]
fn init_writes_all_of_its_files_or_none() {
    for (folder, blocks) in [
        ("new", 0),
        ("new", 1),
        ("there", 0),
        ("there", 1),
        ("there", 2),
    ] {
        let place = Place::new();
        fs::create_dir(place.path("there")).unwrap();
        let said = run(&place, &format!("init {folder}"), blocks);
        if said.code == 0 {
            continue;
        }
        assert!(
            said.code == 2 && said.stderr.contains(&format!("error: {folder}/")),
            "{}",
            said.stderr
        );
        assert_eq!(fs::read_dir(place.path("there")).unwrap().count(), 0);
        assert!(!place.path("new").exists());
    }
    assert_eq!(
        run(&Place::new(), "init .", 1).code,
        2,
        "the suite is longer than a block"
    );
}

#[test]
fn a_run_for_which_there_is_no_room_leaves_the_history_as_it_was() {
    let place = Place::with_cases(&cases())
        .with("suite.yaml", SUITE)
        .with("few.jsonl", good("a") + "\n");
    fs::write(
        place.path("few.yaml"),
        SUITE.replace("cases.jsonl", "few.jsonl"),
    )
    .unwrap();
    place.check("run few.yaml", &[], 0, &[]);
    let (mut warned, mut recorded) = (0, 0);
    for blocks in (0..1600).step_by(73) {
        let said = run(&place, "run suite.yaml", blocks);
        assert_eq!(said.code, 1, "the run itself goes on: {}", said.stderr);
        let whole = runs(&history(&place));
        let check = rusqlite::Connection::open(place.path(".rightcall/history.db")).unwrap();
        let ok: String = check
            .query_row("PRAGMA integrity_check", [], |row| row.get(0))
            .unwrap();
        assert_eq!(ok, "ok", "{blocks} blocks");
        drop(check);
        assert!(history(&place).unfinished().unwrap().is_empty());
        if said.stderr.contains("warning: ") {
            warned += 1;
            let told = said
                .stderr
                .contains("this run could not be recorded: .rightcall/history.db: ")
                && said.stderr.contains("is the disk full?");
            assert!(
                told && said.stderr.matches("warning: ").count() == 1,
                "{blocks} blocks: {}",
                said.stderr
            );
        } else {
            recorded += 1;
        }
        assert_eq!(
            whole.len(),
            1 + recorded,
            "{blocks} blocks: {}",
            said.stderr
        );
        // The history remains readable on the full disk.
        assert_eq!(run(&place, "history", blocks).code, 0, "{blocks} blocks");
        assert_eq!(
            run(&place, "report 1 --format csv", blocks).code,
            0,
            "{blocks} blocks"
        );
    }
    assert!(warned > 3 && recorded > 0, "{warned} {recorded}");
}

#[test]
fn an_export_or_import_for_which_there_is_no_room_leaves_everything_as_it_was() {
    let place = Place::with_cases(&cases()).with("suite.yaml", SUITE);
    place.check("run suite.yaml", &[], 1, &[]);
    place.check("history export 1 run.db", &[], 0, &[]);
    let before = fs::read(place.path("run.db")).unwrap();
    for blocks in [0, 1, 50, 200] {
        let said = run(&place, "history export 1 run.db", blocks);
        assert!(
            said.code == 2 && said.stderr.contains("error: run.db: "),
            "{blocks} blocks: {}",
            said.stderr
        );
        assert!(fs::read(place.path("run.db")).unwrap() == before);
        assert_eq!(files(&place).len(), 3, "{blocks} blocks");
    }
    place.check("history export 1 run.db", &[], 0, &[]);
    for blocks in [0, 1, 50, 200] {
        let said = run(&place, "history import run.db --history other.db", blocks);
        assert!(
            said.code == 2 && said.stderr.contains("error: other.db: "),
            "{blocks} blocks: {}",
            said.stderr
        );
        if place.path("other.db").exists() {
            let list = place.run("history --history other.db", &[]).stdout;
            assert!(
                list.is_empty() || list.starts_with("no run"),
                "{blocks} blocks: {list}"
            );
        }
    }
    assert_eq!(
        place
            .check("history import run.db --history other.db", &[], 0, &[])
            .stdout,
        "imported as run 1\n"
    );
}
