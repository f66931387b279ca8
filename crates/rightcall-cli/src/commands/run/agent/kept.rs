//! The finished runs of an agent, in a file next to the history. `--resume` continues from them.
//!
//! Each line is a run as a canonical case, redacted as the suite requires, with a mark: a hash of
//! the case, its expectation and the command. A line with a wrong mark is never resumed, so a
//! changed case runs again. A line with redacted values has no mark, because scores need the real
//! values.
//!
//! Scoring reads the real values from [`Traces`].

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, Write};
use std::path::{Path, PathBuf};

use rightcall_core::call::Case;
use rightcall_core::value::{JsonText, Text, Value};
use rightcall_formats::{ReadOptions, case_text, read_case};
use rightcall_run::Redaction;

use super::traces::Traces;

/// The meta key of the mark.
const MARK: &str = "rightcall_run_of";

/// The runs that `--resume` looks for: their numbers and marks by name, and the redaction, since
/// redacted runs cannot be resumed.
pub(super) struct Wanted<'w> {
    pub(super) marks: BTreeMap<RunName, (usize, &'w str)>,
    pub(super) redaction: &'w Redaction,
}

/// Identifies a run: the id of its case, and its trial as JSON text.
pub(super) type RunName = (String, Option<String>);

/// Writes each run twice: to the kept file, and to the traces for scoring.
pub(super) struct AgentRuns {
    kept: File,
    /// The kept file.
    pub(super) path: PathBuf,
    traces: Traces,
    /// True once a run has a trace.
    pub(super) has_trace: bool,
}

/// The runs of an earlier process.
pub(super) struct Resumed {
    /// Runs that can be reused.
    pub(super) runs: Vec<RunName>,
    /// Runs with a changed case or command, or with redacted values.
    pub(super) changed: u64,
    /// Lines that could not be parsed.
    pub(super) broken: u64,
}

impl AgentRuns {
    /// Opens the first of `NAME.jsonl`, `NAME.2.jsonl` and so on that no other process is writing
    /// to. To resume, opens the file with the most reusable runs: wanted runs with the right mark.
    /// All other lines are removed from it.
    pub(super) fn begin(
        folder: &Path,
        name: &str,
        wanted: Option<&Wanted<'_>>,
    ) -> io::Result<(Self, Resumed)> {
        let mut traces = Traces::make(folder)?;
        let resumed = wanted.map(|wanted| most_reusable(folder, name, wanted));
        let ((path, mut kept), resumed) = match resumed.transpose()?.flatten() {
            Some((opened, found)) => {
                for (number, trace) in &found.traces {
                    traces.add(*number, trace)?;
                }
                (opened, found)
            }
            None => (open_free(folder, name)?, KeptLines::default()),
        };
        retain_lines(&mut kept, &resumed.kept)?;
        let runs = Self {
            kept,
            path,
            traces,
            has_trace: !resumed.traces.is_empty(),
        };
        Ok((runs, resumed.resumed()))
    }

    /// Adds the run with this number, and its mark.
    pub(super) fn add(
        &mut self,
        run: &Case<'_>,
        (number, mark): (usize, &str),
        redaction: &Redaction,
    ) -> io::Result<()> {
        let trace = case_text(run);
        let redacted = redacted(run, &trace, redaction);
        let kept = redacted.unwrap_or_else(|| marked(run, mark));
        self.traces.add(number, &trace)?;
        self.has_trace = true;
        self.kept.write_all((kept + "\n").as_bytes())
    }

    /// Adds a run that failed: it has no trace, and `--resume` makes it again.
    pub(super) fn add_failed(&mut self, run: &Case<'_>, number: usize) -> io::Result<()> {
        self.traces.add(number, &case_text(run))
    }

    /// The traces in the order of the runs.
    pub(super) fn into_traces(self) -> io::Result<Traces> {
        self.traces.in_order()
    }
}

/// The redacted run; `None` if redaction does not change its text.
fn redacted(run: &Case<'_>, text: &str, redaction: &Redaction) -> Option<String> {
    let is_redacted = |redacted: &String| redacted != text;
    (!redaction.is_empty())
        .then(|| redaction.apply(run))
        .filter(is_redacted)
}

/// The run as text, with its mark.
fn marked(run: &Case<'_>, mark: &str) -> String {
    let json = json_text(mark);
    let mut run: Case<'_> = run.clone();
    run.meta.push((Text::from(MARK), &json));
    case_text(&run)
}

/// The lines of a file that can be reused.
#[derive(Default)]
struct KeptLines {
    /// The wanted runs in the file; true if the mark is right.
    found: BTreeMap<RunName, bool>,
    kept: Vec<u8>,
    /// The reusable runs without their marks, with their numbers.
    traces: Vec<(usize, String)>,
    broken: u64,
}

impl KeptLines {
    fn read(text: &[u8], wanted: &Wanted<'_>) -> Self {
        let mut lines = Self::default();
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            // A line without a line end was cut off by a killed process.
            let whole = line.strip_suffix(b"\n").map(str::from_utf8);
            let run = match whole {
                Some(Ok(line)) => read_case(line, &ReadOptions::default()).ok(),
                _ => None,
            };
            match run {
                Some(run) => lines.add(line, run, wanted),
                None => lines.broken += 1,
            }
        }
        lines
    }

    fn add(&mut self, line: &[u8], mut run: Case<'_>, wanted: &Wanted<'_>) {
        let Some(id) = &run.id else { return };
        let name = (id.to_string(), run.trial.map(ToOwned::to_owned));
        let Some((number, marked)) = wanted.marks.get(&name) else {
            return;
        };
        let mark = run.meta.iter().position(|(key, _)| *key == *MARK);
        let mark = mark.map(|at| run.meta.remove(at).1);
        let trace = case_text(&run);
        let is_same =
            mark == Some(&*json_text(marked)) && redacted(&run, &trace, wanted.redaction).is_none();
        let known = self.found.entry(name).or_insert(false);
        if is_same && !*known {
            *known = true;
            self.kept.extend_from_slice(line);
            self.traces.push((*number, trace));
        }
    }

    fn count(&self) -> usize {
        self.found.values().filter(|is_same| **is_same).count()
    }

    fn resumed(self) -> Resumed {
        let changed = (self.found.len() - self.count()) as u64;
        let same = self.found.into_iter().filter(|(_, is_same)| *is_same);
        Resumed {
            runs: same.map(|(name, _)| name).collect(),
            changed,
            broken: self.broken,
        }
    }
}

/// A file that this process has locked.
type HeldFile = (PathBuf, File);

/// `NAME.jsonl`, `NAME.2.jsonl`, `NAME.3.jsonl` and so on.
fn numbered(folder: &Path, name: &str) -> impl Iterator<Item = PathBuf> {
    let file = move |number: u64| match number {
        1 => format!("{name}.jsonl"),
        number => format!("{name}.{number}.jsonl"),
    };
    (1..).map(move |number| folder.join(file(number)))
}

/// The first file that no other process has locked.
fn open_free(folder: &Path, name: &str) -> io::Result<HeldFile> {
    for path in numbered(folder, name) {
        if let Some(file) = hold(&path, true)? {
            return Ok((path, file));
        }
    }
    Err(io::Error::other("too many processes run the agent"))
}

/// The file with the most reusable runs, among existing files that no other process has locked.
fn most_reusable(
    folder: &Path,
    name: &str,
    wanted: &Wanted<'_>,
) -> io::Result<Option<(HeldFile, KeptLines)>> {
    let mut best: Option<(HeldFile, KeptLines)> = None;
    for path in numbered(folder, name).take_while(|path| path.exists()) {
        let Some(mut file) = hold(&path, false)? else {
            continue;
        };
        let mut text = Vec::new();
        file.read_to_end(&mut text)?;
        let found = KeptLines::read(&text, wanted);
        let most = best.as_ref().map(|(_, most)| most.count());
        if most.is_none_or(|most| found.count() > most) {
            best = Some(((path, file), found));
        }
    }
    Ok(best)
}

/// Opens a file for this process and its user only. `None` if another process has locked it.
/// Without support for locks, several processes may write to one file; the marks still identify
/// each run.
fn hold(path: &Path, create: bool) -> io::Result<Option<File>> {
    if std::fs::symlink_metadata(path).is_ok_and(|it| it.is_symlink()) {
        return Err(io::Error::other("is a symbolic link"));
    }
    let mut options = OpenOptions::new();
    options.create(create).read(true).append(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    let file = options.open(path)?;
    if matches!(file.try_lock(), Err(TryLockError::WouldBlock)) {
        return Ok(None);
    }
    #[cfg(unix)]
    file.set_permissions(std::os::unix::fs::PermissionsExt::from_mode(0o600))?;
    Ok(Some(file))
}

/// Removes all lines but the reusable ones from a file.
fn retain_lines(file: &mut File, lines: &[u8]) -> io::Result<()> {
    let mut before = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut before)?;
    // If the lines are the beginning of the file, truncate it: a crash then loses nothing.
    if before.starts_with(lines) {
        return file.set_len(lines.len() as u64);
    }
    file.set_len(0)?;
    file.write_all(lines)
}

fn json_text(text: &str) -> String {
    JsonText::from_value(&Value::from(text)).into_string()
}
