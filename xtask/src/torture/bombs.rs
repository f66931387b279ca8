//! Files that are made to exhaust whoever reads them, and what the command does with each: it ends in time, with a code of its own,
//! and its memory stays below a gigabyte.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use flate2::Compression;
use flate2::write::GzEncoder;
use wait4::Wait4 as _;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Memory that no bomb may take.
const MOST_MEMORY: u64 = 1 << 30;

/// How long a bomb may take; a slow machine is no fault of the command.
const MOST_TIME: Duration = Duration::from_secs(300);

/// A file, and how large it is made: the first size for a short run.
struct Bomb {
    name: &'static str,
    sizes: [u64; 2],
    make: fn(&mut dyn Write, u64) -> io::Result<()>,
    /// What is done with it; `FILE` stands for its path.
    commands: &'static [&'static str],
}

const SCORE: &str = "score FILE -e trajectory --format jsonl";
const INSPECT: &str = "inspect FILE";
const CONVERT: &str = "convert FILE --to cases";
const ALL: &[&str] = &[SCORE, INSPECT, CONVERT];

const MEGA: u64 = 1 << 20;
const GIGA: u64 = 1 << 30;

/// The corpus. Sizes are what is said, not what it takes on disk.
const BOMBS: [Bomb; 31] = [
    // Compression.
    Bomb {
        name: "one-line.jsonl.gz",
        sizes: [200 * MEGA, GIGA],
        make: |to, size| gzip(to, |to| fill(to, b"a", size)),
        commands: ALL,
    },
    Bomb {
        name: "one-line.jsonl.zst",
        sizes: [200 * MEGA, 2 * GIGA],
        make: |to, size| zstandard(to, |to| fill(to, b"a", size)),
        commands: ALL,
    },
    Bomb {
        name: "empty-lines.jsonl.zst",
        sizes: [100 * MEGA, GIGA],
        make: |to, size| zstandard(to, |to| fill(to, b"\n", size)),
        commands: ALL,
    },
    Bomb {
        name: "document.json.gz",
        sizes: [200 * MEGA, 2 * GIGA],
        make: |to, size| gzip(to, |to| document(to, "\"x\",", size)),
        commands: ALL,
    },
    Bomb {
        name: "document.json.zst",
        sizes: [200 * MEGA, 2 * GIGA],
        make: |to, size| zstandard(to, |to| document(to, "\"x\",", size)),
        commands: ALL,
    },
    Bomb {
        name: "list.json.zst",
        sizes: [100 * MEGA, 2 * GIGA],
        make: |to, size| zstandard(to, |to| list(to, "{},", size)),
        commands: ALL,
    },
    Bomb {
        name: "one-item.json.zst",
        sizes: [200 * MEGA, 2 * GIGA],
        make: |to, size| zstandard(to, |to| one_item(to, size)),
        commands: ALL,
    },
    Bomb {
        name: "gzip-in-gzip.gz",
        sizes: [100 * MEGA, 2 * GIGA],
        make: |to, size| gzip(to, |to| gzip(to, |to| fill(to, b"a", size))),
        commands: ALL,
    },
    Bomb {
        name: "archive.zst",
        sizes: [200 * MEGA, 2 * GIGA],
        make: |to, size| zstandard(to, |to| archive_of_nothing(to, size)),
        commands: ALL,
    },
    Bomb {
        name: "table.parquet.zst",
        sizes: [200 * MEGA, 2 * GIGA],
        make: |to, size| zstandard(to, |to| begun(to, b"PAR1", size)),
        commands: ALL,
    },
    Bomb {
        name: "stream.arrow.gz",
        sizes: [100 * MEGA, 2 * GIGA],
        make: |to, size| {
            gzip(to, |to| {
                begun(to, &[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0x70], size)
            })
        },
        commands: ALL,
    },
    // Archives.
    Bomb {
        name: "sample.eval",
        sizes: [200 * MEGA, 2 * GIGA],
        make: |to, size| archive(to, 1, size),
        commands: ALL,
    },
    Bomb {
        name: "samples.eval",
        sizes: [200 * MEGA, 2 * GIGA],
        make: |to, size| archive(to, 40, size / 40),
        commands: ALL,
    },
    // YAML.
    Bomb {
        name: "laughs.yaml",
        sizes: [9, 40],
        make: laughs,
        commands: ALL,
    },
    Bomb {
        name: "long-laughs.yaml",
        sizes: [MEGA, 4 * MEGA],
        make: long_laughs,
        commands: ALL,
    },
    Bomb {
        name: "anchors.yaml",
        sizes: [4 * MEGA, 30 * MEGA],
        make: anchors,
        commands: ALL,
    },
    Bomb {
        name: "items.yaml",
        sizes: [4 * MEGA, 40 * MEGA],
        make: |to, size| fill(to, b"- a\n", size),
        commands: ALL,
    },
    Bomb {
        name: "wide.yaml",
        sizes: [6 * MEGA, 60 * MEGA],
        make: |to, size| wrapped(to, "a: [", "0,", "]", size),
        commands: ALL,
    },
    Bomb {
        name: "packed.yaml.gz",
        sizes: [100 * MEGA, GIGA],
        make: |to, size| gzip(to, |to| fill(to, b"- a\n", size)),
        commands: ALL,
    },
    // Protobuf.
    Bomb {
        name: "spans.pb",
        sizes: [16 * MEGA, 60 * MEGA],
        make: |to, size| resource(to, &[0x12, 0x00], size),
        commands: ALL,
    },
    Bomb {
        name: "attributes.pb",
        sizes: [14 * MEGA, 15 * MEGA],
        make: attributes,
        commands: ALL,
    },
    Bomb {
        name: "claimed.pb",
        sizes: [MEGA, MEGA],
        make: claimed,
        commands: ALL,
    },
    Bomb {
        name: "packed.pb.zst",
        sizes: [200 * MEGA, 2 * GIGA],
        make: |to, size| zstandard(to, |to| resource(to, &[0x12, 0x00], size)),
        commands: ALL,
    },
    // Deep, wide and long.
    Bomb {
        name: "deep.jsonl",
        sizes: [10 * MEGA, 60 * MEGA],
        make: |to, size| fill(to, b"[", size),
        commands: ALL,
    },
    Bomb {
        name: "deep-cases.jsonl",
        sizes: [MEGA, 20 * MEGA],
        make: deep_cases,
        commands: ALL,
    },
    Bomb {
        name: "wide.json",
        sizes: [20 * MEGA, 60 * MEGA],
        make: |to, size| document(to, "0,", size),
        commands: ALL,
    },
    Bomb {
        name: "keys.jsonl",
        sizes: [20 * MEGA, 60 * MEGA],
        make: |to, size| wrapped(to, r#"{"id":"a","meta":{"#, r#""":0,"#, r#""":0}}"#, size),
        commands: ALL,
    },
    Bomb {
        name: "calls.jsonl",
        sizes: [12 * MEGA, 60 * MEGA],
        make: calls,
        commands: ALL,
    },
    Bomb {
        name: "line.jsonl",
        sizes: [100 * MEGA, 400 * MEGA],
        make: |to, size| wrapped(to, r#"{"id":""#, "x", "\"}\n", size),
        commands: ALL,
    },
    // Lists whose pairs are many.
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

/// Makes each bomb in the folder, gives it to the command, and tells what came of it.
pub(super) fn run(
    command: &Path,
    folder: &Path,
    short: bool,
    note: &mut dyn FnMut(&str, Result<String, String>),
) {
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
        // In a short run each file is read once.
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

/// Runs the command on a file; what it took, or what it did wrong.
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

/// Runs a command to its end, within the limits of time and memory.
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

/// How a process ended.
struct Ended {
    status: ExitStatus,
    /// Resident memory at its peak, in bytes.
    peak: u64,
}

/// Waits for a process; `None` where it takes too long, and is ended.
fn wait(child: &mut Child) -> io::Result<Option<Ended>> {
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let id = child.id();
    let guard = std::thread::spawn(move || {
        let is_late = receiver
            .recv_timeout(MOST_TIME)
            .is_err_and(|error| error == std::sync::mpsc::RecvTimeoutError::Timeout);
        // It has not been waited for, so its id is still its own.
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

/// What has no end, or is met in circles: devices, pipes without a writer, links.
#[cfg(unix)]
fn endless(command: &Path, folder: &Path, note: &mut dyn FnMut(&str, Result<String, String>)) {
    for device in ["/dev/zero", "/dev/urandom"] {
        note(
            &format!("{device}: score"),
            tried(command, SCORE, Path::new(device), folder),
        );
        note(
            &format!("{device}: run"),
            tried(command, "run FILE", Path::new(device), folder),
        );
        note(
            &format!("{device}: compare"),
            tried(command, "compare FILE FILE", Path::new(device), folder),
        );
    }
    let made = circles(&folder.join("circles"));
    let suite = match made {
        Ok(suite) => suite,
        Err(error) => {
            return note(
                "circles of links",
                Err(format!("they could not be made: {error}")),
            );
        }
    };
    note(
        "circles of links and a pipe: run",
        tried(command, "run FILE", &suite, folder),
    );
}

/// A suite whose glob goes through folders with links to each other, and to a pipe.
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

/// Repeats some bytes up to a size.
fn fill(to: &mut dyn Write, bytes: &[u8], size: u64) -> io::Result<()> {
    let block = bytes.repeat((1 << 16) / bytes.len());
    let mut left = size;
    while left > 0 {
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
        to.write_all(&block[..length])?;
        left -= length as u64;
    }
    Ok(())
}

/// Something, a part again and again, and an end.
fn wrapped(to: &mut dyn Write, begin: &str, part: &str, end: &str, size: u64) -> io::Result<()> {
    to.write_all(begin.as_bytes())?;
    let length = part.len() as u64;
    fill(to, part.as_bytes(), size / length * length)?;
    to.write_all(end.as_bytes())
}

/// An object over several lines with one long list.
fn document(to: &mut dyn Write, part: &str, size: u64) -> io::Result<()> {
    wrapped(to, "{\n\"a\": [", part, "0]}", size)
}

fn list(to: &mut dyn Write, part: &str, size: u64) -> io::Result<()> {
    wrapped(to, "[\n", part, "{}]", size)
}

/// A list of one conversation, of which one message has no end.
fn one_item(to: &mut dyn Write, size: u64) -> io::Result<()> {
    wrapped(
        to,
        "[\n{\"messages\":[{\"role\":\"user\",\"content\":\"",
        "x",
        "\"}]}]",
        size,
    )
}

fn gzip(
    to: &mut dyn Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = GzEncoder::new(to, Compression::fast());
    content(&mut encoder)?;
    encoder.finish().map(drop)
}

fn zstandard(
    to: &mut dyn Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = zstd::stream::write::Encoder::new(to, 1)?;
    content(&mut encoder)?;
    encoder.finish().map(drop)
}

/// Bytes that begin as something does, and then nothing.
fn begun(to: &mut dyn Write, mark: &[u8], size: u64) -> io::Result<()> {
    to.write_all(mark)?;
    fill(to, &[0], size)
}

fn archive_of_nothing(to: &mut dyn Write, size: u64) -> io::Result<()> {
    begun(to, b"PK\x03\x04", size)
}

/// A log of Inspect with samples of white space.
fn archive(to: &mut dyn Write, samples: u64, size: u64) -> io::Result<()> {
    let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    writer
        .start_file("header.json", options)
        .map_err(io::Error::other)?;
    writer.write_all(br#"{"version":2,"status":"success","eval":{"task":"t"}}"#)?;
    for number in 0..samples {
        writer
            .start_file(format!("samples/{number}.json"), options.large_file(true))
            .map_err(io::Error::other)?;
        fill(&mut writer, b" ", size)?;
    }
    to.write_all(&writer.finish().map_err(io::Error::other)?.into_inner())
}

/// Lists of nine aliases of lists of nine aliases, and so on.
fn laughs(to: &mut dyn Write, levels: u64) -> io::Result<()> {
    writeln!(to, "a0: &a0 [x,x,x,x,x,x,x,x,x]")?;
    for level in 1..levels {
        let below = format!("*a{}", level - 1);
        writeln!(to, "a{level}: &a{level} [{}]", [&*below; 9].join(","))?;
    }
    Ok(())
}

/// One long text, and many aliases of it.
fn long_laughs(to: &mut dyn Write, size: u64) -> io::Result<()> {
    wrapped(to, "a: &x '", "x", "'\nb: [", size)?;
    wrapped(to, "", "*x,", "*x]\n", 600_000)
}

/// Each list within another, and each with an anchor.
fn anchors(to: &mut dyn Write, size: u64) -> io::Result<()> {
    const LEVELS: usize = 400;
    let open: Vec<_> = (0..LEVELS).map(|level| format!("&a{level} [")).collect();
    wrapped(
        to,
        &open.concat(),
        "x,",
        &format!("x{}", "]".repeat(LEVELS)),
        size,
    )
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7F {
        bytes.push(number as u8 & 0x7F | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// The beginning of a field with a length.
fn field(tag: u8, length: u64) -> Vec<u8> {
    [vec![tag << 3 | 2], varint(length)].concat()
}

/// A request with one resource with one scope of such spans.
fn resource(to: &mut dyn Write, span: &[u8], size: u64) -> io::Result<()> {
    let length = size / span.len() as u64 * span.len() as u64;
    let scope = field(2, length);
    to.write_all(&field(1, length + scope.len() as u64))?;
    to.write_all(&scope)?;
    fill(to, span, length)
}

/// One span of empty attributes.
fn attributes(to: &mut dyn Write, size: u64) -> io::Result<()> {
    let size = size / 2 * 2;
    let span = field(2, size);
    let scope = field(2, size + span.len() as u64);
    to.write_all(&field(1, size + (span.len() + scope.len()) as u64))?;
    to.write_all(&scope)?;
    to.write_all(&span)?;
    fill(to, &[0x4A, 0x00], size)
}

/// A length that is not there.
fn claimed(to: &mut dyn Write, size: u64) -> io::Result<()> {
    to.write_all(&field(1, 1 << 62))?;
    fill(to, &[0], size)
}

/// Cases whose arguments are as deep as may be, and deeper.
fn deep_cases(to: &mut dyn Write, size: u64) -> io::Result<()> {
    let mut left = size;
    for depth in (400..).step_by(7).map(|depth| depth % 600 + 1) {
        let arguments = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        let calls = format!("[{{\"name\":\"f\",\"args\":{arguments}}}]");
        let case = format!("{{\"expected\":{calls},\"actual\":{calls}}}\n");
        to.write_all(case.as_bytes())?;
        match left.checked_sub(case.len() as u64) {
            Some(rest) => left = rest,
            None => break,
        }
    }
    Ok(())
}

/// One case of very short calls.
fn calls(to: &mut dyn Write, size: u64) -> io::Result<()> {
    wrapped(
        to,
        r#"{"id":"a","expected":["#,
        r#"{"name":"f"},"#,
        r#"{"name":"f"}],"#,
        size / 2,
    )?;
    wrapped(
        to,
        r#""actual":["#,
        r#"{"name":"f","args":{}},"#,
        "{\"name\":\"f\",\"args\":{}}]}\n",
        size / 2,
    )
}

/// One case of so many calls a side, all of one tool, none the same.
fn pairs(to: &mut dyn Write, calls: u64) -> io::Result<()> {
    let mut list = |begin: &str, from: u64| -> io::Result<()> {
        to.write_all(begin.as_bytes())?;
        for number in from..from + calls {
            let comma = if number > from { "," } else { "" };
            write!(
                to,
                r#"{comma}{{"name":"f","args":{{"id":{number},"limit":10}},"output":"order {number}"}}"#
            )?;
        }
        to.write_all(b"]")
    };
    list(r#"{"id":"a","expected":["#, 0)?;
    list(r#","actual":["#, calls)?;
    to.write_all(b"}\n")
}
