//! A disk that fills up at any moment: existing files stay intact, and one error gives advice.
//!
//! A file size limit simulates the full disk: each test tries limits from zero to enough. Where a file system may be mounted, two tests fill
//! one.

use std::collections::BTreeMap;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::any_moment::whole;
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

/// Commands that write, and their output.
const WRITERS: [(&str, &str); 14] = [
    (
        "score cases.jsonl -e tool-call-order -o out.jsonl",
        "out.jsonl",
    ),
    (
        "score cases.jsonl -e tool-call-order -o out.json",
        "out.json",
    ),
    ("score cases.jsonl -e tool-call-order -o out.csv", "out.csv"),
    (
        "score cases.jsonl -e tool-call-order -q --report html=out.html",
        "out.html",
    ),
    (
        "score cases.jsonl -e tool-call-order -q --report junit=out.xml",
        "out.xml",
    ),
    (
        "score cases.jsonl -e tool-call-order -q --report csv=out.csv",
        "out.csv",
    ),
    (
        "score cases.jsonl -e tool-call-order -q --report parquet=out.parquet",
        "out.parquet",
    ),
    (
        "score cases.jsonl -e tool-call-order -q --report arrow=out.arrow",
        "out.arrow",
    ),
    ("report results.jsonl --format html -o out.html", "out.html"),
    (
        "report results.jsonl --format arrow -o out.arrow",
        "out.arrow",
    ),
    (
        "convert cases.jsonl --to openai-chat -o out.jsonl",
        "out.jsonl",
    ),
    ("record runs.jsonl --force -o out.jsonl", "out.jsonl"),
    (
        "review recorded.jsonl --traces runs.jsonl --accept-all",
        "recorded.jsonl",
    ),
    ("compare results.jsonl --accept out.jsonl", "out.jsonl"),
];

/// Writes the inputs of a command, after an earlier output of the same kind from fewer cases.
fn prepare(place: &Place, line: &str) {
    for number in [9, 400] {
        let cases = cases()[..number].join("\n") + "\n";
        let run = |number: usize| good(&number.to_string()).replace("\"id\":7", "\"id\":8");
        let runs: Vec<_> = (0..number).map(run).collect();
        fs::write(place.path("cases.jsonl"), cases).unwrap();
        fs::write(place.path("runs.jsonl"), runs.join("\n") + "\n").unwrap();
        for line in [
            "record cases.jsonl --force -q -o recorded.jsonl",
            "score cases.jsonl -e tool-call-order -q -o results.jsonl",
        ] {
            place.check(line, &[], 0, &[]);
        }
        if number == 9 {
            place.check(line, &[], 0, &[]);
        }
    }
}

/// Asserts that a command had no room for its output, and says so once.
fn assert_no_room(said: &Said, output: &str, what: &str) {
    assert_eq!(said.code, 2, "{what}: {}", said.stderr);
    let told = said.stderr.matches("error: ").count() == 1
        && said.stderr.contains(&format!("error: {output}: "))
        && said.stderr.contains("help: what was there before");
    assert!(told, "{what}: {}", said.stderr);
}

#[test]
fn outputs_are_complete_or_unchanged_without_disk_space() {
    for (line, output) in WRITERS {
        let place = Place::new();
        prepare(&place, line);
        let before = files(&place);
        for blocks in [0, 1, 4, 7] {
            let what = format!("{line} with {blocks} blocks");
            assert_no_room(&run(&place, line, blocks), output, &what);
            assert!(files(&place) == before, "{what} leaves something else");
        }
        let said = run(&place, line, 1 << 20);
        assert_eq!(said.code, 0, "{line}: {}", said.stderr);
        assert!(files(&place)[output] != before[output], "{line}");
    }
}

/// A file system of two megabytes over the folder of a place.
struct SmallDisk(Place);

impl SmallDisk {
    /// `None` without the right to mount one.
    fn mounted() -> Option<Self> {
        let place = Place::new();
        let mut mount = Command::new("mount");
        mount.args(["-t", "tmpfs", "-o", "size=2048k", "tmpfs"]);
        let status = mount.arg(place.0.path()).stderr(Stdio::null()).status();
        status.is_ok_and(|it| it.success()).then_some(Self(place))
    }

    fn filler(&self) -> PathBuf {
        self.0.path("filler")
    }

    /// Fills the disk up to this many free KiB.
    fn leave(&self, free: u64) {
        let mut file = fs::File::create(self.filler()).unwrap();
        let mut written = 0;
        while file.write_all(&[b'x'; 4096]).is_ok() {
            written += 4096;
        }
        file.set_len(written - free * 1024).unwrap();
    }
}

impl Drop for SmallDisk {
    fn drop(&mut self) {
        _ = Command::new("umount").arg(self.0.0.path()).status();
    }
}

/// A system reports a full disk in another way than a limit on the size of files.
#[test]
fn full_disk_changes_no_file() {
    for (line, output) in WRITERS {
        let Some(disk) = SmallDisk::mounted() else {
            return;
        };
        prepare(&disk.0, line);
        let before = files(&disk.0);
        disk.leave(0);
        assert_no_room(&disk.0.run(line, &[]), output, line);
        fs::remove_file(disk.filler()).unwrap();
        assert!(files(&disk.0) == before, "{line} leaves something else");
        disk.0.check(line, &[], 0, &[]);
    }
}

#[test]
fn run_on_a_full_disk_does_not_change_the_history() {
    let mut recorded = Vec::new();
    for free in [0, 8, 64, 512] {
        let Some(disk) = SmallDisk::mounted() else {
            return;
        };
        let cases: String = (0..100).map(|id| good(&id.to_string()) + "\n").collect();
        fs::write(disk.0.path("cases.jsonl"), cases).unwrap();
        fs::write(disk.0.path("suite.yaml"), SUITE).unwrap();
        disk.0.check("run suite.yaml", &[], 0, &[]);
        disk.leave(free);
        let said = disk.0.check("run suite.yaml", &[], 0, &[]);
        let is_recorded = !said.stderr.contains("this run could not be recorded: ");
        for line in ["history", "report latest --format csv"] {
            disk.0.check(line, &[], 0, &[]);
        }
        fs::remove_file(disk.filler()).unwrap();
        assert_eq!(whole(&disk.0), (1 + usize::from(is_recorded), 0), "{free}");
        recorded.push(is_recorded);
    }
    assert_eq!((recorded[0], recorded[3]), (false, true), "{recorded:?}");
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
fn run_without_disk_space_keeps_the_history_valid() {
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
fn export_or_import_without_disk_space_changes_nothing() {
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
