//! Files that try to exhaust the resources of their reader. For each, the command must end in time with its own exit code and use less than
//! a gigabyte of memory.

mod made;

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use wait4::Wait4 as _;

use self::made::{
    anchors, any_order, archive, archive_of_nothing, attributes, begun, calls, claimed, deep_cases,
    document, fill, gzip, laughs, list, long_laughs, one_item, pairs, patterns, resource, wrapped,
    zstandard,
};
use super::Note;

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

/// All files. Sizes are those of the content, not those on disk.
const BOMBS: [Bomb; 33] = [
    // Compression.
    Bomb::new("one-line.jsonl.gz", [200 * MEGA, GIGA], |to, size| {
        gzip(to, |to| fill(to, b"a", size))
    }),
    Bomb::new("one-line.jsonl.zst", [200 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| fill(to, b"a", size))
    }),
    Bomb::new("empty-lines.jsonl.zst", [100 * MEGA, GIGA], |to, size| {
        zstandard(to, |to| fill(to, b"\n", size))
    }),
    Bomb::new("document.json.gz", [200 * MEGA, 2 * GIGA], |to, size| {
        gzip(to, |to| document(to, "\"x\",", size))
    }),
    Bomb::new("document.json.zst", [200 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| document(to, "\"x\",", size))
    }),
    Bomb::new("list.json.zst", [100 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| list(to, "{},", size))
    }),
    Bomb::new("one-item.json.zst", [200 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| one_item(to, size))
    }),
    Bomb::new("gzip-in-gzip.gz", [100 * MEGA, 2 * GIGA], |to, size| {
        gzip(to, |to| gzip(to, |to| fill(to, b"a", size)))
    }),
    Bomb::new("archive.zst", [200 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| archive_of_nothing(to, size))
    }),
    Bomb::new("table.parquet.zst", [200 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| begun(to, b"PAR1", size))
    }),
    Bomb::new("stream.arrow.gz", [100 * MEGA, 2 * GIGA], |to, size| {
        gzip(to, |to| {
            begun(to, &[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x70], size)
        })
    }),
    // Archives.
    Bomb::new("sample.eval", [200 * MEGA, 2 * GIGA], |to, size| {
        archive(to, 1, size)
    }),
    Bomb::new("samples.eval", [200 * MEGA, 2 * GIGA], |to, size| {
        archive(to, 40, size / 40)
    }),
    // YAML.
    Bomb::new("laughs.yaml", [9, 40], laughs),
    Bomb::new("long-laughs.yaml", [MEGA, 4 * MEGA], long_laughs),
    Bomb::new("anchors.yaml", [4 * MEGA, 30 * MEGA], anchors),
    Bomb::new("items.yaml", [4 * MEGA, 40 * MEGA], |to, size| {
        fill(to, b"- a\n", size)
    }),
    Bomb::new("wide.yaml", [6 * MEGA, 60 * MEGA], |to, size| {
        wrapped(to, "a: [", "0,", "]", size)
    }),
    Bomb::new("packed.yaml.gz", [100 * MEGA, GIGA], |to, size| {
        gzip(to, |to| fill(to, b"- a\n", size))
    }),
    // Protobuf.
    Bomb::new("spans.pb", [16 * MEGA, 60 * MEGA], |to, size| {
        resource(to, &[0x12, 0x00], size)
    }),
    Bomb::new("attributes.pb", [14 * MEGA, 15 * MEGA], attributes),
    Bomb::new("claimed.pb", [MEGA, MEGA], claimed),
    Bomb::new("packed.pb.zst", [200 * MEGA, 2 * GIGA], |to, size| {
        zstandard(to, |to| resource(to, &[0x12, 0x00], size))
    }),
    // Deep, wide and long.
    Bomb::new("deep.jsonl", [10 * MEGA, 60 * MEGA], |to, size| {
        fill(to, b"[", size)
    }),
    Bomb::new("deep-cases.jsonl", [MEGA, 20 * MEGA], deep_cases),
    Bomb::new("wide.json", [20 * MEGA, 60 * MEGA], |to, size| {
        document(to, "0,", size)
    }),
    Bomb::new("keys.jsonl", [20 * MEGA, 60 * MEGA], |to, size| {
        wrapped(to, r#"{"id":"a","meta":{"#, r#""":0,"#, r#""":0}}"#, size)
    }),
    Bomb::new("calls.jsonl", [12 * MEGA, 60 * MEGA], calls),
    Bomb::new("line.jsonl", [100 * MEGA, 400 * MEGA], |to, size| {
        wrapped(to, r#"{"id":""#, "x", "\"}\n", size)
    }),
    // Expectations in blocks.
    Bomb {
        name: "any-order.jsonl",
        sizes: [2_000, 5_000],
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
        sizes: [3_000, 20_000],
        make: pairs,
        commands: &[
            "score FILE -e tau2/action-check --format jsonl",
            "score FILE -e trajectory,align=first_fit,match.args=subset --format jsonl",
            "score FILE -e deepeval/tool-correctness,should_consider_ordering=true --format jsonl",
            "score FILE -e trajectory,align=first_fit,match.args=fuzzy --max-comparisons 100000 --format jsonl",
        ],
    },
];

/// Creates each file in the folder, runs the commands on it, and reports the results.
pub(super) fn run(command: &Path, folder: &Path, short: bool, note: Note<'_>) {
    for bomb in &BOMBS {
        let path = folder.join(bomb.name);
        let size = bomb.sizes[usize::from(!short)];
        let made = File::create(&path)
            .map(BufWriter::new)
            .and_then(|mut file| {
                (bomb.make)(&mut file, size)?;
                file.flush()
            });
        if let Err(error) = made {
            note(bomb.name, Err(format!("it could not be made: {error}")));
            continue;
        }
        // A short run uses only one command for each file.
        let commands = if short && bomb.commands == ALL {
            &ALL[..1]
        } else {
            bomb.commands
        };
        for arguments in commands {
            let name = format!(
                "{}: {}",
                bomb.name,
                arguments.replace("FILE ", "").replace(" FILE", "")
            );
            note(&name, tried(command, arguments, &path, folder));
        }
        _ = fs::remove_file(&path);
    }
    #[cfg(unix)]
    endless(command, folder, note);
}

/// Runs the command on a file; returns its resource usage, or the error.
fn tried(command: &Path, arguments: &str, path: &Path, folder: &Path) -> Result<String, String> {
    let arguments = arguments.split(' ').map(|word| {
        if word == "FILE" {
            path.as_os_str()
        } else {
            word.as_ref()
        }
    });
    let mut command = Command::new(command);
    command
        .args(arguments)
        .current_dir(folder)
        .stdin(Stdio::null());
    judged(&mut command, folder)
}

/// Runs a command to its end, within the time and memory limits.
fn judged(command: &mut Command, folder: &Path) -> Result<String, String> {
    let failed = |error: io::Error| error.to_string();
    let messages = folder.join("messages.txt");
    let output = folder.join("output.txt");
    command
        .stdout(File::create(&output).map_err(failed)?)
        .stderr(File::create(&messages).map_err(failed)?);
    let start = Instant::now();
    let mut child = command.spawn().map_err(failed)?;
    let Some(ended) = wait(&mut child).map_err(failed)? else {
        return Err(format!("it had not ended after {} s", MOST_TIME.as_secs()));
    };
    let printed = fs::metadata(&output).map_or(0, |metadata| metadata.len());
    let took = format!(
        "{:.1} s, {} MB of memory, {} MB printed",
        start.elapsed().as_secs_f64(),
        ended.peak >> 20,
        printed >> 20
    );
    let told = fs::read(&messages).unwrap_or_default();
    let told = String::from_utf8_lossy(&told[..told.len().min(300)]).replace('\n', " ");
    _ = fs::remove_file(output);
    _ = fs::remove_file(messages);
    match ended.status.code() {
        Some(0..=2) if ended.peak <= MOST_MEMORY => Ok(took),
        Some(0..=2) => Err(format!("{took}: more memory than {} MB", MOST_MEMORY >> 20)),
        _ => Err(format!("{}, {took}: {told}", ended.status)),
    }
}

/// The end of a process.
struct Ended {
    status: ExitStatus,
    /// Peak resident memory, in bytes.
    peak: u64,
}

/// Waits for a process. If it takes too long, kills it and returns `None`.
fn wait(child: &mut Child) -> io::Result<Option<Ended>> {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let id = child.id();
    let guard = std::thread::spawn(move || {
        let is_late = receiver
            .recv_timeout(MOST_TIME)
            .is_err_and(|error| error == std::sync::mpsc::RecvTimeoutError::Timeout);
        // The process has not been reaped, so its id is still valid.
        is_late.then(|| Command::new("kill").args(["-9", &id.to_string()]).status())
    });
    let used = child.wait4()?;
    drop(sender);
    let is_late = guard.join().is_ok_and(|killed| killed.is_some());
    Ok((!is_late).then_some(Ended {
        status: used.status,
        peak: used.rusage.maxrss,
    }))
}

/// Endless or circular files: devices, pipes without a writer, links.
#[cfg(unix)]
fn endless(command: &Path, folder: &Path, note: Note<'_>) {
    for device in ["/dev/zero", "/dev/urandom"] {
        for (name, arguments) in [
            ("score", SCORE),
            ("run", "run FILE"),
            ("compare", "compare FILE FILE"),
        ] {
            let tried = tried(command, arguments, Path::new(device), folder);
            note(&format!("{device}: {name}"), tried);
        }
    }
    let made = circles(&folder.join("circles"))
        .map_err(|error| format!("they could not be made: {error}"));
    let tried = made.and_then(|suite| tried(command, "run FILE", &suite, folder));
    note("circles of links and a pipe: run", tried);
}

/// A suite with a glob over folders with circular links and a pipe.
#[cfg(unix)]
fn circles(folder: &Path) -> io::Result<PathBuf> {
    fs::create_dir_all(folder)?;
    for name in ["a", "b", "c", "d"] {
        let inner = folder.join(name);
        fs::create_dir_all(&inner)?;
        for other in ["a", "b", "c", "d"] {
            std::os::unix::fs::symlink(folder.join(other), inner.join(format!("to-{other}")))?;
        }
    }
    fs::write(
        folder.join("a/cases.jsonl"),
        "{\"id\":\"a\",\"expected\":[],\"actual\":[]}\n",
    )?;
    let pipe = Command::new("mkfifo")
        .arg(folder.join("d/pipe.jsonl"))
        .status()?;
    if !pipe.success() {
        return Err(io::Error::other(format!("mkfifo: {pipe}")));
    }
    let suite = folder.join("suite.yaml");
    fs::write(&suite, "cases: '**/*.jsonl'\nevaluators: [trajectory]\n")?;
    Ok(suite)
}
