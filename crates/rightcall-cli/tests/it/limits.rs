//! Input that is too large, too deep or endless.

use std::fmt::Write as _;
use std::io::Write as _;

use super::{GOOD, Place};

const SCORE: &str = "score cases.jsonl --format jsonl -e";

/// A case with this many calls on each side, all of one tool and all different.
fn pairs(calls: usize) -> String {
    let list = |from: usize| {
        let calls: Vec<_> = (from..from + calls)
            .map(|number| format!(r#"{{"name":"f","args":{{"id":"word {number}"}}}}"#))
            .collect();
        calls.join(",")
    };
    format!(
        r#"{{"id":"a","expected":[{}],"actual":[{}]}}"#,
        list(0),
        list(calls)
    )
}

#[test]
fn long_details_are_cut() {
    let said = Place::with_cases(&[pairs(700)]).check(
        &format!("{SCORE} uipath/tool-call-args"),
        &[],
        0,
        &[],
    );
    assert!(said.stdout.len() < 2 << 20, "{}", said.stdout.len());
    assert!(
        said.stdout.contains(r#""_left_out":"4"#),
        "{}",
        &said.stdout[said.stdout.len() - 200..]
    );
}

#[test]
fn comparisons_have_a_configurable_limit() {
    let place = Place::with_cases(&[pairs(100)]);
    let line = format!("{SCORE} trajectory,align=lcs,match.args=fuzzy --max-comparisons");
    let said = place.check(&format!("{line} 9999"), &[], 2, &[]);
    let told =
        "more than 9999 pairs of calls would have to be compared; --max-comparisons allows more";
    assert!(said.stdout.contains(told), "{}", said.stdout);
    // Ten thousand pairs, and some more for calls that are not paired at first.
    place.check(&format!("{line} 20000"), &[], 0, &[]);
    place.check(&format!("{line} 0"), &[], 2, &["0 is not in"]);
}

#[test]
fn whole_documents_have_a_size_limit() {
    let place = Place::with_cases(&[GOOD.to_owned()]).with(
        "suite.yaml",
        "cases: cases.jsonl\nevaluators: [trajectory]\n",
    );
    place.check(
        "score cases.jsonl -e trajectory -o results.jsonl",
        &[],
        0,
        &[],
    );
    let told = "larger than 20 bytes, which is the most that is read as a whole";
    place.check(
        "run suite.yaml --max-document 20",
        &[],
        2,
        &[told, "--max-document allows larger files"],
    );
    place.check(
        "compare results.jsonl results.jsonl --max-document 20",
        &[],
        2,
        &[told],
    );
    place.check(
        "review cases.jsonl --traces cases.jsonl --check --max-document 20",
        &[],
        2,
        &[told],
    );
    let packed = |content: &[u8]| zstd::encode_all(content, 1).unwrap();
    let place = place.with("table.zst", packed(&[b"PAR1", &[0; 5000][..]].concat()));
    place.check(
        "inspect table.zst --max-document 4096",
        &[],
        2,
        &["a table of more than 4096 bytes"],
    );
    let place = place.with("log.zst", packed(&[b"PK\x03\x04", &[0; 5000][..]].concat()));
    place.check(
        "inspect log.zst --max-document 4096",
        &[],
        2,
        &["an archive of more than 4096 bytes"],
    );
}

#[test]
fn decompression_bombs_are_not_unpacked_in_memory() {
    let mut document = b"{\n\"a\": [".to_vec();
    document.resize(70 << 20, b'0');
    let place = Place::new().with("bomb.json.zst", zstd::encode_all(&document[..], 1).unwrap());
    place.check(
        "inspect bomb.json.zst",
        &[],
        2,
        &[
            "expected a document of at most 67108864 bytes, found a larger one",
            "unpack it first",
        ],
    );
}

#[test]
fn yaml_aliases_are_limited_by_their_expanded_size() {
    let mut laughs = format!("- id: a\n  input: &x '{}'\n  meta: [", "x".repeat(100_000));
    (0..1000).for_each(|_| laughs.push_str("*x,"));
    write!(laughs, "*x]\n  expected: []\n  actual: []\n").unwrap();
    let place = Place::new().with("cases.yaml", laughs);
    place.check(
        "score cases.yaml -e trajectory",
        &[],
        2,
        &["cases.yaml:3", "aliases that copy more than 67108864 bytes"],
    );
}

#[cfg(unix)]
mod unix {
    use std::os::unix::fs::symlink;
    use std::thread;

    use super::*;

    fn pipe(place: &Place, name: &str) {
        assert!(
            std::process::Command::new("mkfifo")
                .arg(place.path(name))
                .status()
                .unwrap()
                .success()
        );
    }

    /// Writes to a pipe as soon as a reader opens it.
    fn write_later(place: &Place, name: &str, bytes: String) -> thread::JoinHandle<()> {
        let path = place.path(name);
        thread::spawn(move || {
            std::fs::OpenOptions::new()
                .write(true)
                .open(path)
                .unwrap()
                .write_all(bytes.as_bytes())
                .unwrap();
        })
    }

    #[test]
    fn devices_are_rejected_and_pipes_are_read() {
        let place = Place::new();
        for line in [
            "score /dev/zero -e trajectory",
            "inspect /dev/zero",
            "run /dev/zero",
            "compare /dev/zero /dev/zero",
            "report /dev/zero --format html",
        ] {
            place.check(line, &[], 2, &["/dev/zero", "it is a device, not a file"]);
        }
        pipe(&place, "pipe");
        for (line, bytes) in [
            ("score pipe -e trajectory", format!("{GOOD}\n")),
            (
                "run pipe",
                "cases: cases.jsonl\nevaluators: [trajectory]\n".to_owned(),
            ),
            (
                "report pipe --format html",
                "{\"case\":\"a\",\"evaluator\":\"trajectory\",\"score\":1.0}\n".to_owned(),
            ),
        ] {
            std::fs::write(place.path("cases.jsonl"), GOOD).unwrap();
            let writer = write_later(&place, "pipe", bytes);
            place.check(line, &[], 0, &[]);
            writer.join().unwrap();
        }
    }

    #[test]
    fn globs_skip_link_cycles_and_pipes() {
        let place = Place::with_cases(&[GOOD.to_owned()]);
        std::fs::create_dir(place.path("folder")).unwrap();
        for name in ["folder/one", "folder/two", "three"] {
            symlink(place.0.path(), place.path(name)).unwrap();
        }
        let place = place.with(
            "suite.yaml",
            "cases: '**/*.jsonl'\nevaluators: [trajectory]\n",
        );
        let said = place.check("run suite.yaml --format jsonl", &[], 0, &[]);
        assert_eq!(
            said.stdout.matches("\"evaluator\"").count(),
            1,
            "{}",
            said.stdout
        );
        pipe(&place, "folder/pipe.jsonl");
        place.check(
            "run suite.yaml",
            &[],
            2,
            &[
                "suite.yaml:1 /cases: `**/*.jsonl` matches",
                "folder/pipe.jsonl, which is a pipe or a device",
            ],
        );
    }
}
