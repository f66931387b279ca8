//! Files that try to exhaust the resources of their reader. For each, the command must end in time with its own exit code and use less than
//! a gigabyte of memory.
//!
//! `cargo test -p rightcall-cli --test it bombs -- --ignored` makes them longer, and runs more commands on them.

mod made;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use wait4::Wait4 as _;

use self::made::{
    anchors, any_order, archive, archive_of_nothing, attributes, begun, calls, claimed, deep_cases,
    document, fill, gzip, laughs, list, long_laughs, one_item, pairs, patterns, resource, wrapped,
    zstandard,
};
use crate::Place;

/// The memory limit.
const MOST_MEMORY: u64 = 1 << 30;

/// The time limit. It is generous, because a slow machine is not an error of the command.
const MOST_TIME: Duration = Duration::from_secs(300);

/// A file with its sizes: the first one is for a short run.
struct Bomb {
    name: &'static str,
    sizes: [u64; 2],
    make: fn(&mut dyn Write, u64) -> io::Result<()>,
    /// The commands to run; `FILE` is replaced by its path.
    commands: &'static [&'static str],
}

impl Bomb {
    /// A file for all commands that read files of this kind.
    const fn new(
        name: &'static str,
        sizes: [u64; 2],
        make: fn(&mut dyn Write, u64) -> io::Result<()>,
    ) -> Self {
        Self {
            name,
            sizes,
            make,
            commands: ALL,
        }
    }
}

const SCORE: &str = "score FILE -e trajectory --format jsonl";
const INSPECT: &str = "inspect FILE";
const CONVERT: &str = "convert FILE --to cases";
const ALL: &[&str] = &[SCORE, INSPECT, CONVERT];

const MEGA: u64 = 1 << 20;
const GIGA: u64 = 1 << 30;

/// All files. Sizes are of the content, not on disk.
const BOMBS: [Bomb; 33] = [
    // Compression.
    Bomb::new("one-line.jsonl.gz", [80 * MEGA, GIGA], |to, size| {
        gzip(to, |to| fill(to, b"a", size))
    }),
    Bomb::new("one-line.jsonl.zst", [80 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| fill(to, b"a", size))
    }),
    Bomb::new("empty-lines.jsonl.zst", [30 * MEGA, GIGA], |to, size| {
        zstandard(to, |to| fill(to, b"\n", size))
    }),
    Bomb::new("document.json.gz", [80 * MEGA, 2 * GIGA], |to, size| {
        gzip(to, |to| document(to, "\"x\",", size))
    }),
    Bomb::new("document.json.zst", [80 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| document(to, "\"x\",", size))
    }),
    Bomb::new("list.json.zst", [80 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| list(to, "{},", size))
    }),
    Bomb::new("one-item.json.zst", [80 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| one_item(to, size))
    }),
    Bomb::new("gzip-in-gzip.gz", [80 * MEGA, 2 * GIGA], |to, size| {
        gzip(to, |to| gzip(to, |to| fill(to, b"a", size)))
    }),
    Bomb::new("archive.zst", [80 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| archive_of_nothing(to, size))
    }),
    Bomb::new("table.parquet.zst", [80 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| begun(to, b"PAR1", size))
    }),
    Bomb::new("stream.arrow.gz", [80 * MEGA, 2 * GIGA], |to, size| {
        gzip(to, |to| {
            begun(to, &[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x70], size)
        })
    }),
    // Archives.
    Bomb::new("sample.eval", [80 * MEGA, 2 * GIGA], |to, size| {
        archive(to, 1, size)
    }),
    Bomb::new("samples.eval", [80 * MEGA, 2 * GIGA], |to, size| {
        archive(to, 40, size / 40)
    }),
    // YAML.
    Bomb::new("laughs.yaml", [9, 40], laughs),
    Bomb::new("long-laughs.yaml", [MEGA, 4 * MEGA], long_laughs),
    Bomb::new("anchors.yaml", [MEGA, 30 * MEGA], anchors),
    Bomb::new("items.yaml", [MEGA, 40 * MEGA], |to, size| {
        fill(to, b"- a\n", size)
    }),
    Bomb::new("wide.yaml", [2 * MEGA, 60 * MEGA], |to, size| {
        wrapped(to, "a: [", "0,", "]", size)
    }),
    Bomb::new("packed.yaml.gz", [80 * MEGA, GIGA], |to, size| {
        gzip(to, |to| fill(to, b"- a\n", size))
    }),
    // Protobuf.
    Bomb::new("spans.pb", [8 * MEGA, 60 * MEGA], |to, size| {
        resource(to, &[0x12, 0x00], size)
    }),
    Bomb::new("attributes.pb", [14 * MEGA, 15 * MEGA], attributes),
    Bomb::new("claimed.pb", [MEGA, MEGA], claimed),
    Bomb::new("packed.pb.zst", [80 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| resource(to, &[0x12, 0x00], size))
    }),
    // Deep, wide and long.
    Bomb::new("deep.jsonl", [10 * MEGA, 60 * MEGA], |to, size| {
        fill(to, b"[", size)
    }),
    Bomb::new("deep-cases.jsonl", [MEGA, 20 * MEGA], deep_cases),
    Bomb::new("wide.json", [8 * MEGA, 60 * MEGA], |to, size| {
        document(to, "0,", size)
    }),
    Bomb::new("keys.jsonl", [8 * MEGA, 60 * MEGA], |to, size| {
        wrapped(to, r#"{"id":"a","meta":{"#, r#""":0,"#, r#""":0}}"#, size)
    }),
    Bomb::new("calls.jsonl", [12 * MEGA, 60 * MEGA], calls),
    Bomb::new("line.jsonl", [80 * MEGA, 400 * MEGA], |to, size| {
        wrapped(to, r#"{"id":""#, "x", "\"}\n", size)
    }),
    // Expectations in blocks.
    Bomb {
        name: "any-order.jsonl",
        sizes: [800, 5_000],
        make: any_order,
        commands: &["score FILE -e fitness --format jsonl"],
    },
    Bomb {
        name: "patterns.jsonl",
        sizes: [200, 2_000],
        make: patterns,
        commands: &["score FILE -e fitness --format jsonl"],
    },
    // Lists with a large number of pairs.
    Bomb {
        name: "pairs.jsonl",
        sizes: [1_000, 8_000],
        make: pairs,
        commands: &[
            "score FILE -e uipath/tool-call-args --format jsonl",
            "score FILE -e uipath/tool-call-output --format jsonl",
            "score FILE -e trajectory,align=lcs,match.args=subset --format jsonl --explain",
            "score FILE -e trajectory,align=best_fit,match.args=overlap --format jsonl",
            r#"score FILE -e deepeval/tool-correctness,evaluation_params=["input_parameters"],should_consider_ordering=true --format jsonl"#,
        ],
    },
    Bomb {
        name: "more-pairs.jsonl",
        sizes: [1_500, 20_000],
        make: pairs,
        commands: &[
            "score FILE -e tau2/action-check --format jsonl",
            "score FILE -e trajectory,align=first_fit,match.args=subset --format jsonl",
            "score FILE -e deepeval/tool-correctness,should_consider_ordering=true --format jsonl",
            "score FILE -e trajectory,align=first_fit,match.args=fuzzy --max-comparisons 100000 --format jsonl",
        ],
    },
];

/// Makes each file, runs the commands on it, and reports all failures.
fn explode(bombs: &[Bomb], is_short: bool) {
    let place = Place::new();
    let mut failures = Vec::new();
    for bomb in bombs {
        let path = place.path(bomb.name);
        let mut file = BufWriter::new(File::create(&path).unwrap());
        (bomb.make)(&mut file, bomb.sizes[usize::from(!is_short)]).unwrap();
        file.into_inner().unwrap();
        // A short test runs only one command for each file.
        let commands = if is_short && bomb.commands == ALL {
            &ALL[..1]
        } else {
            bomb.commands
        };
        for line in commands {
            if let Err(why) = judged(&place, line, bomb.name) {
                failures.push(format!("{}, {line}: {why}", bomb.name));
            }
        }
        fs::remove_file(path).unwrap();
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

/// Runs a command on a file to its end, within the time and memory limits.
fn judged(place: &Place, line: &str, file: &str) -> Result<(), String> {
    let (output, messages) = (place.path("output.txt"), place.path("messages.txt"));
    let mut child = Command::new(env!("CARGO_BIN_EXE_rightcall"))
        .args(
            line.split(' ')
                .map(|word| if word == "FILE" { file } else { word }),
        )
        .current_dir(place.0.path())
        .stdin(Stdio::null())
        .stdout(File::create(output).unwrap())
        .stderr(File::create(&messages).unwrap())
        .spawn()
        .unwrap();
    let (status, peak) = wait(&mut child).ok_or("it did not end")?;
    let said = fs::read(messages).unwrap();
    let said = String::from_utf8_lossy(&said[..said.len().min(300)]);
    match status.code() {
        Some(0..=2) if peak <= MOST_MEMORY => Ok(()),
        _ => Err(format!("{status}, {} MB of memory: {said}", peak >> 20)),
    }
}

/// Waits for a process. Returns its status and its peak memory in bytes. If it takes too long, kills it and returns `None`.
fn wait(child: &mut Child) -> Option<(ExitStatus, u64)> {
    let (sender, receiver) = mpsc::channel::<()>();
    let id = child.id().to_string();
    let guard = thread::spawn(move || {
        let is_late = receiver.recv_timeout(MOST_TIME) == Err(RecvTimeoutError::Timeout);
        // The process has not been reaped, so its id is still valid.
        is_late.then(|| Command::new("kill").args(["-9", &id]).status())
    });
    let used = child.wait4().unwrap();
    drop(sender);
    let was_late = guard.join().unwrap().is_some();
    (!was_late).then_some((used.status, used.rusage.maxrss))
}

/// The parts of the list run at the same time.
#[test]
fn no_file_exhausts_memory_or_time() {
    thread::scope(|scope| {
        for bombs in BOMBS.chunks(BOMBS.len().div_ceil(2)) {
            scope.spawn(|| explode(bombs, true));
        }
    });
}

#[test]
#[ignore = "takes a quarter of an hour"]
fn no_long_file_exhausts_memory_or_time() {
    explode(&BOMBS, false);
}
