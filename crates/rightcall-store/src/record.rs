//! Records a run while it is in progress.

use std::io;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use rightcall_core::value::JsonText;
use rightcall_results::{CaseResult, RunSummary};
use rightcall_run::{Narrowing, Output, Rank, Recording, Wants, rank_of};
use rusqlite::{Connection, TransactionBehavior, params};

use crate::counts::insert_counts;
use crate::error::Result;
use crate::unfinished::{Mark, delete_abandoned};
use crate::{History, NewRun, StoreError};

/// Size of the buffer in bytes, and the longest time between writes in milliseconds. Frequent writes make the progress of a long run
/// visible.
const MAX_PENDING: usize = 8 << 20;
const WRITE_INTERVAL: i64 = 1000;

/// Records a run. Data is staged under a hidden run; the last transaction completes it and makes it visible.
///
/// A short run is written in one transaction. If the history cannot be written, the run continues, since its results matter more;
/// [`outcome`](Self::outcome) reports the error.
#[derive(Debug)]
pub struct RunSink {
    path: PathBuf,
    run: NewRun,
    recording: Arc<Recording>,
    narrowing: Narrowing,
    pending: Vec<(i64, Arc<CaseResult>)>,
    pending_bytes: usize,
    /// Number of cases so far.
    cases: i64,
    staged: Option<Staged>,
    /// Time of the last write, at first the start of the run.
    written: i64,
    clock: fn() -> i64,
    outcome: RunOutcome,
}

/// A run that is being written.
#[derive(Debug)]
struct Staged {
    history: History,
    /// Its number; `None` before the first transaction.
    run: Option<i64>,
    /// Marks the run as being recorded, if one transaction is not enough.
    mark: Option<Mark>,
}

/// The outcome of a recording, shared because the output itself is moved into the run.
pub type RunOutcome = Arc<Mutex<Option<std::result::Result<i64, StoreError>>>>;

impl RunSink {
    /// Records a run to the history in this file. The plan of the run must use the same recording. The clock returns
    /// milliseconds since 1970, UTC.
    pub fn new(path: PathBuf, run: NewRun, recording: Arc<Recording>, clock: fn() -> i64) -> Self {
        Self {
            path,
            written: run.started,
            run,
            narrowing: Narrowing::new(Arc::clone(&recording)),
            recording,
            pending: Vec::new(),
            pending_bytes: 0,
            cases: 0,
            staged: None,
            clock,
            outcome: RunOutcome::default(),
        }
    }

    /// After the run, its number in the history, or the error; `None` if no case was scored.
    pub fn outcome(&self) -> RunOutcome {
        Arc::clone(&self.outcome)
    }

    /// Announces the run before anything is scored, with the number of cases that are ready to score. So a run is visible while its agent
    /// is still being called.
    pub fn announce(&mut self, cases: u64) {
        let is_due = self.staged.is_none() || (self.clock)() - self.written >= WRITE_INTERVAL;
        if !is_due || self.has_failed() {
            return;
        }
        // Store the announced number only: the run's own count starts at 0.
        self.cases = i64::try_from(cases).unwrap_or(i64::MAX);
        let done = self.write(None);
        self.cases = 0;
        if let Err(error) = done {
            self.delete_staged();
            self.set_outcome(Err(error));
        }
    }

    fn has_failed(&self) -> bool {
        self.outcome.lock().is_ok_and(|outcome| outcome.is_some())
    }

    fn set_outcome(&self, done: std::result::Result<i64, StoreError>) {
        if let Ok(mut outcome) = self.outcome.lock() {
            *outcome = Some(done);
        }
    }

    fn add_case(&mut self, case: &Arc<CaseResult>) -> Result<()> {
        self.cases += 1;
        let kept = case.case.as_ref().map(|_| (rank(case), case.failed()));
        // Cases stored for other outputs may be outside the sample.
        let kept = kept.filter(|(rank, failed)| self.recording.admits(*rank, *failed));
        if kept.is_some() {
            self.pending_bytes += bytes_of(case);
            self.pending.push((self.cases, Arc::clone(case)));
        }
        if self.narrowing.note(kept) {
            self.drop_unsampled();
        }
        if self.pending_bytes > MAX_PENDING || (self.clock)() - self.written >= WRITE_INTERVAL {
            self.write(None).map(drop)
        } else {
            Ok(())
        }
    }

    /// Drops pending cases that are no longer in the sample.
    fn drop_unsampled(&mut self) {
        let recording = &self.recording;
        self.pending
            .retain(|(_, case)| recording.admits(rank(case), case.failed()));
        self.pending_bytes = self.pending.iter().map(|(_, case)| bytes_of(case)).sum();
    }

    /// Writes pending cases in one transaction, and completes the run if there is a summary. Returns the number of the run.
    fn write(&mut self, summary: Option<&RunSummary>) -> Result<i64> {
        let staged = match &mut self.staged {
            Some(staged) => staged,
            none => none.insert(Staged {
                history: History::open(&self.path)?,
                run: None,
                mark: None,
            }),
        };
        let (now, of) = ((self.clock)(), StoreError::sqlite(&self.path));
        let transaction = staged
            .history
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)
            .map_err(&of)?;
        // A run in several transactions needs a mark, created while this transaction holds the lock of the database.
        if summary.is_none() && staged.mark.is_none() {
            staged.mark =
                Some(Mark::make(&self.path, &self.run.key).map_err(StoreError::io(&self.path))?);
        }
        let mut write = |staged: Option<i64>| {
            let run = if let Some(run) = staged {
                run
            } else {
                delete_abandoned(&transaction, &self.path, now)?;
                insert_run(&transaction, &self.run)?
            };
            for (number, record) in self.pending.drain(..) {
                insert_case(&transaction, run, number, &record)?;
            }
            delete_unkept(&transaction, run, &self.recording)?;
            transaction.execute(
                "UPDATE runs SET cases = ?2 WHERE number = ?1",
                [run, self.cases],
            )?;
            if let Some(summary) = summary {
                finish_run(&transaction, run, summary, now, &self.recording)?;
            }
            Ok(run)
        };
        let run = write(staged.run).map_err(&of)?;
        transaction.commit().map_err(&of)?;
        self.pending_bytes = 0;
        self.written = now;
        staged.run = Some(run);
        Ok(run)
    }

    /// Deletes the staged data of a run that will not be completed.
    fn delete_staged(&mut self) {
        if let Some(Staged {
            history,
            run: Some(run),
            ..
        }) = &self.staged
        {
            // If this fails too, the next run deletes the data. Don't wait for locks a second time.
            _ = history.connection.busy_timeout(Duration::ZERO);
            _ = history.change(
                "DELETE FROM runs WHERE number = ?1 AND finished IS NULL",
                [run],
            );
        }
        self.staged = None;
    }
}

impl Drop for RunSink {
    fn drop(&mut self) {
        self.delete_staged();
    }
}

impl Output for RunSink {
    fn wants(&self) -> Wants {
        Wants {
            sample: Some(Arc::clone(&self.recording)),
            ..Wants::default()
        }
    }

    fn case(&mut self, case: &Arc<CaseResult>, _: &[u8]) -> io::Result<()> {
        if !self.has_failed()
            && let Err(error) = self.add_case(case)
        {
            self.delete_staged();
            self.set_outcome(Err(error));
        }
        Ok(())
    }

    fn finish(&mut self, summary: &RunSummary) -> io::Result<()> {
        if !self.has_failed() && summary.cases > 0 {
            let done = self.write(Some(summary));
            match done {
                Ok(_) => self.staged = None,
                Err(_) => self.delete_staged(),
            }
            self.set_outcome(done);
        }
        Ok(())
    }
}

fn rank(case: &CaseResult) -> Rank {
    rank_of(&case.label, case.trial.as_deref())
}

/// The approximate size of a stored case in bytes.
fn bytes_of(case: &CaseResult) -> usize {
    const PAIR: usize = 96;
    let pairs = case
        .evaluations
        .iter()
        .filter_map(|it| it.explanation.as_ref());
    let pairs = pairs.map(|it| PAIR * (it.pairs.len() + it.missed.len() + it.extra.len()));
    case.case.as_ref().map_or(0, |case| case.json.len()) + pairs.sum::<usize>() + 512
}

/// SQLite has only signed integers.
fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

/// SQLite has only signed integers; a rank has 63 bits, so it fits.
fn rank_column(rank: Rank) -> i64 {
    i64::try_from(rank).unwrap_or(i64::MAX)
}

pub(crate) fn insert_run(connection: &Connection, run: &NewRun) -> rusqlite::Result<i64> {
    connection.execute(
        "INSERT INTO runs (key, started, suite, profile, suite_hash, selection, settings, version, git_commit, git_branch, git_dirty)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
        params![
            run.key,
            run.started,
            run.suite,
            run.profile,
            run.suite_hash,
            run.selection,
            run.settings,
            run.version,
            run.git_commit,
            run.git_branch,
            run.git_dirty
        ],
    )?;
    Ok(connection.last_insert_rowid())
}

fn insert_case(
    connection: &Connection,
    run: i64,
    number: i64,
    result: &CaseResult,
) -> rusqlite::Result<()> {
    let Some(kept) = &result.case else {
        return Ok(());
    };
    let whole = &result.whole;
    connection
        .prepare_cached(
            "INSERT INTO cases (run, number, label, trial, file, line, score, reason, outcome, passed, failed, worst, rank, meta,
               why, question, expectation)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17)",
        )?
        .execute(params![
            run,
            number,
            result.label,
            result.trial,
            &*result.file,
            signed(result.line),
            whole.score(),
            whole.outcome.reason(),
            whole.outcome.name(),
            whole.passed,
            result.failed(),
            result.worth(),
            rank_column(rank(result)),
            kept.meta,
            result.why(),
            kept.question,
            kept.expectation
        ])?;
    let case = connection.last_insert_rowid();
    connection
        .prepare_cached("INSERT INTO texts VALUES (?1, ?2)")?
        .execute(params![case, kept.json])?;
    for (position, evaluation) in result.evaluations.iter().enumerate() {
        connection
            .prepare_cached("INSERT INTO evaluations VALUES (?1, ?2, ?3, ?4, ?5, ?6)")?
            .execute(params![
                case,
                position as i64,
                evaluation.outcome.name(),
                evaluation.score(),
                evaluation.passed,
                evaluation.outcome.reason()
            ])?;
        if let Some(alignment) = evaluation.alignment() {
            connection
                .prepare_cached("INSERT INTO alignments VALUES (?1, ?2, ?3)")?
                .execute(params![case, position as i64, alignment])?;
        }
    }
    for tag in &result.tags {
        connection
            .prepare_cached("INSERT OR IGNORE INTO case_tags VALUES (?1, ?2)")?
            .execute(params![case, tag])?;
    }
    for cause in &result.causes {
        connection
            .prepare_cached("INSERT OR IGNORE INTO case_causes VALUES (?1, ?2, ?3)")?
            .execute(params![case, cause.cause.to_string(), cause.counts])?;
    }
    for tool in &kept.tools {
        let name = |name: &Option<String>| name.clone().unwrap_or_default();
        connection
            .prepare_cached("INSERT OR IGNORE INTO tools VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7)")?
            .execute(params![
                case,
                name(&tool.expected),
                name(&tool.called),
                signed(tool.times),
                tool.other_arguments.map(signed),
                tool.failed.map(signed),
                tool.unstated
            ])?;
    }
    Ok(())
}

fn delete_unkept(connection: &Connection, run: i64, recording: &Recording) -> rusqlite::Result<()> {
    let (sample, failures) = recording.bounds();
    connection.execute(
        "DELETE FROM cases WHERE run = ?1 AND rank >= ?2 AND NOT (failed AND rank < ?3)",
        params![run, rank_column(sample), rank_column(failures)],
    )?;
    Ok(())
}

fn finish_run(
    connection: &Connection,
    run: i64,
    summary: &RunSummary,
    now: i64,
    recording: &Recording,
) -> rusqlite::Result<()> {
    // Failures outside the sample stay stored, but comparisons must not count them.
    connection.execute(
        "UPDATE cases SET sampled = 0 WHERE run = ?1 AND rank >= ?2",
        params![run, rank_column(recording.bounds().0)],
    )?;
    for (position, evaluator) in summary.evaluators.iter().enumerate() {
        let totals = &evaluator.totals;
        connection.execute(
            "INSERT INTO evaluators VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
            params![
                run,
                position as i64,
                evaluator.id,
                evaluator.name,
                evaluator.label,
                evaluator.threshold,
                totals.mean,
                totals.pass_rate,
                signed(totals.scored),
                signed(totals.passed),
                signed(totals.not_applicable),
                signed(totals.errors),
                JsonText::from_type(&totals.histogram).into_string()
            ],
        )?;
    }
    insert_counts(connection, run)?;
    let whole = summary.whole_cases.as_ref();
    let missed = summary.missed_gates().count();
    connection.execute(
        "UPDATE runs SET finished = ?2, cases = ?3, failed = ?4, mean = ?5, pass_rate = ?6, gates = ?7, gates_missed = ?8,
           summary = ?9, kept = (SELECT count(*) FROM cases WHERE run = ?1)
         WHERE number = ?1",
        params![
            run,
            now,
            signed(summary.cases),
            whole.map_or(0, |of| signed(of.not_passed())),
            whole.and_then(|of| of.mean),
            whole.and_then(|of| of.pass_rate),
            summary.gates.len() as i64,
            missed as i64,
            summary.to_json()
        ],
    )?;
    Ok(())
}
