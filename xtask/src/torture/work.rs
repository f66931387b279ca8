//! A folder with suites to run, and the invariants that must hold at any time.

use std::collections::hash_map::RandomState;
use std::fs;
use std::hash::{BuildHasher as _, Hasher as _};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Output, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use rightcall_store::{CaseFilter, CaseOrder, History, PageRange, RunFilter, RunRow, StoreError};

use crate::files::write;
use crate::process;

/// The maximum duration of a command.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs a suite that is recorded in one transaction.
pub(super) const RUN_FEW: &str = "run few.yaml --threads 1";
/// Runs a suite with long cases, which is staged in parts.
pub(super) const RUN_MANY: &str = "run many.yaml --threads 1";

const CASE: &str = r#"{"id":"ID","input":"LONG","expected":[{"name":"find","args":{"id":7}}],"actual":[{"name":"find","args":{"id":7}}]}"#;
const SUITE: &str = "cases: CASES\nevaluators:\n  - {evaluator: uipath/tool-call-order, threshold: 0.5}\n  - axion/tool-correctness\n";

pub(super) struct Work<'a> {
    pub(super) command: &'a Path,
    pub(super) folder: &'a Path,
}

impl<'a> Work<'a> {
    /// Writes the cases and suites.
    pub(super) fn begin(command: &'a Path, folder: &'a Path) -> Result<Self, String> {
        let work = Self::begin_small(command, folder)?;
        work.write_suite("many", 900, 16 << 10)?;
        Ok(work)
    }

    /// Writes only the short suite.
    pub(super) fn begin_small(command: &'a Path, folder: &'a Path) -> Result<Self, String> {
        let work = Self { command, folder };
        work.write_suite("few", 100, 10)?;
        Ok(work)
    }

    fn write_suite(&self, name: &str, number: usize, length: usize) -> Result<(), String> {
        let case = |id: usize| {
            CASE.replace("ID", &id.to_string())
                .replace("LONG", &"x".repeat(length))
                + "\n"
        };
        let cases = format!("{name}.jsonl");
        let text: String = (0..number).map(case).collect();
        write(&self.folder.join(&cases), text)?;
        let suite = SUITE.replace("CASES", &cases);
        write(&self.folder.join(format!("{name}.yaml")), suite)
    }

    /// The parent folder. The search for a history stops here, because other tests use the folders above.
    pub(super) fn above(&self) -> &Path {
        self.folder.parent().unwrap_or(self.folder)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(self.command);
        command
            .current_dir(self.folder)
            .args(arguments.split(' '))
            .env("GIT_CEILING_DIRECTORIES", self.above());
        command
    }

    pub(super) fn start(&self, arguments: &str) -> Result<Child, String> {
        let mut command = self.command(arguments);
        command.stdin(Stdio::null()).stdout(Stdio::null());
        let child = command.stderr(Stdio::null()).spawn();
        child.map_err(|error| error.to_string())
    }

    pub(super) fn output(&self, arguments: &str) -> Result<Output, String> {
        process::output(&mut self.command(arguments))
    }

    /// Runs a command that must exit with code 0.
    pub(super) fn succeed(&self, arguments: &str) -> Result<(), String> {
        process::succeed(&mut self.command(arguments))
            .map_err(|error| format!("`rightcall {arguments}`: {error}"))
    }

    pub(super) fn history(&self) -> Result<History, String> {
        History::open_to_read(&self.folder.join(rightcall_store::HISTORY))
            .map_err(|error| error.to_string())
    }

    /// Checks that every finished run is complete. Returns the number of finished and of unfinished runs.
    pub(super) fn whole(&self) -> Result<(usize, usize), String> {
        if !self.folder.join(rightcall_store::HISTORY).exists() {
            return Ok((0, 0));
        }
        let history = match self.history() {
            // The history is being created.
            Err(error) if error.ends_with("is no history of rightcall") => return Ok((0, 0)),
            history => history?,
        };
        let broken = |run: &RunRow| -> Result<bool, StoreError> {
            let (cases, first) = (CaseFilter::default(), PageRange::first(1));
            let page = history.cases(run.number, &cases, CaseOrder::Input, first)?;
            let last = history.case(run.number, run.cases)?;
            let evaluations = last.map_or(Vec::new(), |case| case.evaluations.clone());
            let explained = evaluations.iter().filter(|it| it.explanation.is_some());
            let evaluators = history.evaluators(run.number)?.len();
            let found = (page.total, run.kept, explained.count(), evaluators);
            Ok(found != (run.cases, run.cases, 2, 2))
        };
        let failed = |error: StoreError| error.to_string();
        let runs = history.runs(&RunFilter::default(), PageRange::ALL);
        let runs = runs.map_err(failed)?;
        for run in &runs {
            if broken(run).map_err(failed)? {
                return Err("a run is in the history that is not whole".to_owned());
            }
        }
        let unfinished = history.unfinished().map_err(failed)?.len();
        let checked = rusqlite::Connection::open(history.path()).and_then(|it| {
            it.query_row("PRAGMA integrity_check", [], |row| row.get::<_, String>(0))
        });
        match checked {
            Ok(said) if said == "ok" => Ok((runs.len(), unfinished)),
            Ok(said) => Err(format!("the history is damaged: {said}")),
            Err(error) => Err(format!("the history cannot be checked: {error}")),
        }
    }

    /// Names of unfinished files that were left behind.
    pub(super) fn leftovers(&self) -> Vec<String> {
        let of = |folder: &Path| -> Vec<String> {
            let names = fs::read_dir(folder).into_iter().flatten().flatten();
            names
                .map(|it| it.file_name().to_string_lossy().into_owned())
                .collect()
        };
        let mut left = of(self.folder);
        left.retain(|name| name.starts_with(".rightcall-"));
        left.extend(
            of(&self.folder.join(".rightcall"))
                .into_iter()
                .filter(|name| name.contains("-run-")),
        );
        left
    }
}

/// Waits for a command to end, with a time limit.
pub(super) fn ended(child: &mut Child) -> Result<ExitStatus, String> {
    let begun = Instant::now();
    loop {
        match child.try_wait().map_err(|error| error.to_string())? {
            Some(status) => return Ok(status),
            None if begun.elapsed() < PATIENCE => thread::sleep(Duration::from_millis(5)),
            None => {
                _ = child.kill();
                return Err(format!("it did not end in {} seconds", PATIENCE.as_secs()));
            }
        }
    }
}

/// A random moment within this time or slightly later.
pub(super) fn moment_of(time: Duration) -> Duration {
    let random = RandomState::new().build_hasher().finish();
    time.mul_f64(1.1 * (random % 10_000) as f64 / 10_000.0)
}
