//! The straight way of the data: bytes, records, cases, evaluations, sinks.

use std::fmt;
use std::fs;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;

use rightcall::PreparedCase;
use rightcall::call::Case;
use rightcall_formats::join::Join;
use rightcall_formats::{
    Block, Input, Inputs, Location, OpenError, Piece, ReadError, ReadOptions, in_order,
};

use crate::duplicates::{Place, Seen};
use crate::plan::Unread;
use crate::scored::{RecordPlace, ScoredBlock};
use crate::summary::Summing;
use crate::{Plan, Sink, Summary};

/// Scores what the plan says.
///
/// Sinks and observer hear of everything in input order, so what they get does not depend on the number of threads.
///
/// # Errors
/// An input that cannot be opened, or a sink that cannot be written to. Everything else is told to the observer and counted
/// in the summary, and the run goes on.
pub fn run(
    plan: &Plan,
    sinks: &mut [Box<dyn Sink + '_>],
    observer: &mut dyn Observer,
) -> Result<Summary, RunError> {
    // A wrong path fails before the work. Pipes are left alone: what is read of them now would be missing later.
    for path in plan.inputs.iter().filter(|path| {
        fs::metadata(path).map_or(path.as_os_str() != "-", |it| it.is_file() || it.is_dir())
    }) {
        Input::open(path, plan.limits, &plan.reading)?;
    }
    score(
        plan,
        pieces(plan, &plan.inputs, &plan.reading),
        sinks,
        observer,
    )
}

/// Scores an input that is open already, before the inputs of the plan.
///
/// # Errors
/// See [`run`].
pub fn run_opened(
    plan: &Plan,
    input: Input,
    sinks: &mut [Box<dyn Sink + '_>],
    observer: &mut dyn Observer,
) -> Result<Summary, RunError> {
    score(
        plan,
        pieces(plan, &plan.inputs, &plan.reading).after(input),
        sinks,
        observer,
    )
}

fn score(
    plan: &Plan,
    cases: Inputs<'_>,
    sinks: &mut [Box<dyn Sink + '_>],
    observer: &mut dyn Observer,
) -> Result<Summary, RunError> {
    let mut pass = Pass {
        plan,
        sinks,
        observer,
        seen: SeenCases::default(),
        summing: Summing::new(plan),
    };
    pass.over(cases, Records::Cases)?;
    if let (Some(traces), false) = (&plan.traces, plan.expected.is_empty()) {
        // Which runs belong to no case is known only now.
        pass.over(
            pieces(plan, &traces.files, &traces.reading),
            Records::LoneRuns,
        )?;
    }
    pass.finish()
}

/// What the records of an input are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Records {
    Cases,
    /// Runs; those that belong to a case are scored with it.
    LoneRuns,
}

impl Records {
    /// Reads a record of this file with so many before it, and gives `each` the cases in it.
    pub(crate) fn read(
        self,
        plan: &Plan,
        text: &str,
        (file, number): (&str, u64),
        each: &mut dyn FnMut(&Case<'_>),
    ) -> Result<(), Unread> {
        match self {
            Self::Cases => plan.read(text, number, each),
            Self::LoneRuns => plan.read_lone_run(text, (file, number), each),
        }
    }
}

/// A pass over inputs, and what has come of it.
struct Pass<'p, 's> {
    plan: &'p Plan,
    sinks: &'p mut [Box<dyn Sink + 's>],
    observer: &'p mut dyn Observer,
    seen: SeenCases,
    summing: Summing<'p>,
}

impl Pass<'_, '_> {
    fn over(&mut self, mut inputs: Inputs<'_>, records: Records) -> Result<(), RunError> {
        let Self {
            plan,
            sinks,
            observer,
            seen,
            summing,
        } = self;
        let plan: &Plan = plan;
        in_order(
            plan.threads,
            // Bytes to pieces, on this thread.
            || Ok::<_, RunError>(inputs.next_piece()?),
            // Pieces to records to cases to evaluations, on any thread.
            |piece: Piece| {
                let (file, bytes_read, before) = (
                    Arc::clone(&piece.file),
                    piece.bytes_read,
                    piece.records_before,
                );
                let score = |block: Result<Block, ReadError>| {
                    let mut scored = ScoredBlock::new(&file, bytes_read);
                    for (number, record) in (before..).zip(block.iter().flat_map(Block::records)) {
                        let place = RecordPlace::of(&record, number);
                        let mut score = |case: &Case<'_>| {
                            plan.shown(case, &mut |shown| {
                                let Some(mut results) = scored.admit(plan, (case, shown), place)
                                else {
                                    return;
                                };
                                let prepared = PreparedCase::new(case);
                                for (index, configured) in plan.evaluators.iter().enumerate() {
                                    let mut evaluation =
                                        plan.evaluate(configured, &prepared, shown, plan.ask());
                                    if let (Some(investigation), Ok(view)) =
                                        (&plan.investigation, configured.view(shown))
                                    {
                                        investigation.look(
                                            results.findings(&view),
                                            index,
                                            configured,
                                            &view,
                                            &evaluation,
                                        );
                                    }
                                    scored.add(plan, &mut results, configured, &mut evaluation);
                                }
                                scored.close(plan, &mut results, shown);
                                scored.cases.push(results.case);
                            });
                        };
                        let read = match &record.text {
                            Ok(text) => records.read(plan, text, (&file, number), &mut score),
                            Err(error) => Err(error.clone().into()),
                        };
                        // What is wrong with a run has been told when the runs were located.
                        if let (Err(unread), Records::Cases) = (read, records) {
                            scored.problems.push(unread.at(&file, &record));
                        }
                    }
                    match block {
                        Ok(block) => scored.block = Some(block),
                        Err(error) => scored.problems.push(Problem::BrokenInput(error)),
                    }
                    scored
                };
                let mut all = Vec::new();
                piece.each_block(|block| all.push(score(block)));
                all
            },
            // Evaluations to sums and sinks, on this thread, in input order again.
            |all: Vec<ScoredBlock>| {
                all.into_iter().try_for_each(|mut scored| {
                    let duplicates = seen.remove_duplicates(&mut scored, plan.evaluators.len());
                    scored.problems.extend(duplicates);
                    for problem in &scored.problems {
                        observer.problem(problem);
                    }
                    // What was left out of runs has been told when they were located.
                    let report = scored
                        .block
                        .as_ref()
                        .and_then(Block::report)
                        .filter(|_| records == Records::Cases);
                    if let Some(report) = report {
                        summing.add_report(report);
                    }
                    summing.add(&scored);
                    for sink in sinks.iter_mut() {
                        sink.block(&scored)?;
                    }
                    observer.progress(scored.bytes_read, scored.cases.len());
                    Ok(())
                })
            },
        )
    }

    fn finish(self) -> Result<Summary, RunError> {
        let summary = self.summing.finish();
        for sink in self.sinks {
            sink.finish(&summary)?;
        }
        Ok(summary)
    }
}

/// Hears of a run while it goes on.
pub trait Observer {
    /// Something that could not be scored.
    fn problem(&mut self, problem: &Problem);

    /// So many bytes of all inputs have been read, and so many more cases have been scored.
    fn progress(&mut self, bytes_read: u64, more_cases: usize) {
        let _ = (bytes_read, more_cases);
    }
}

/// Something that could not be scored.
#[derive(Clone, Debug)]
pub enum Problem {
    /// A record that is no case.
    Unreadable(ReadError),
    /// An input that cannot be read to its end.
    BrokenInput(ReadError),
    /// A case and trial that has come before; the first is scored.
    Duplicate {
        /// Id of the case.
        id: String,
        /// Its trial as JSON text.
        trial: Option<String>,
        /// The case that is scored; `None` beyond the four thousand millionth line.
        first: Option<Location>,
        /// The case that is left out.
        again: Location,
    },
    /// Cases and runs are joined by their places, and in that of this case there is no run.
    WithoutRun {
        /// Id of the case.
        id: Option<String>,
        /// Cases before it.
        number: u64,
        /// Runs of all files.
        runs: u64,
        /// The case.
        at: Location,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(error) | Self::BrokenInput(error) => error.fmt(f),
            Self::Duplicate {
                id,
                trial,
                first,
                again,
            } => {
                write!(f, "{again}: case `{id}`")?;
                if let Some(trial) = trial {
                    write!(f, ", trial {trial},")?;
                }
                match first {
                    Some(first) => write!(f, " is already at {first}"),
                    None => f.write_str(" has come before"),
                }
            }
            Self::WithoutRun {
                id,
                number,
                runs,
                at,
            } => {
                let place = number + 1;
                write!(f, "{at}: ")?;
                match id {
                    Some(id) => write!(f, "case `{id}`, number {place} in order, ")?,
                    None => write!(f, "case number {place} ")?,
                }
                if place > *runs {
                    write!(f, "has no run: there are {runs}")
                } else {
                    f.write_str("has a run that could not be read")
                }
            }
        }
    }
}

impl Problem {
    /// What the user can do.
    pub fn help(&self) -> Option<&str> {
        match self {
            Self::Unreadable(error) | Self::BrokenInput(error) => error.help.as_deref(),
            Self::Duplicate { .. } => {
                Some("the first is scored; give repetitions of a case a `trial` each, or other ids")
            }
            Self::WithoutRun { number, runs, .. } => (number >= runs).then_some(BY_ORDER),
        }
    }
}

/// What must hold where cases and runs are joined by their places.
pub const BY_ORDER: &str = "by order there must be as many runs as cases: where one is missing, all behind it stand beside another case";

/// What ends a run.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// An input cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// Results cannot be written, or no thread can be started.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// A block of records is about this long: far more than one record, far less than memory.
const BLOCK: usize = 1 << 18;

/// The pieces of some inputs.
pub(crate) fn pieces<'p>(
    plan: &Plan,
    inputs: &'p [PathBuf],
    reading: &'p ReadOptions,
) -> Inputs<'p> {
    let pieces = Inputs::new(inputs, plan.limits, reading, plan.threads, BLOCK);
    if reading.join == Join::Order {
        pieces.counted()
    } else {
        pieces
    }
}

/// The cases of all inputs so far, and where their lines begin when all lines are counted as one.
#[derive(Default)]
struct SeenCases {
    seen: Seen,
    files: Vec<(Arc<str>, u64)>,
    lines: u64,
}

impl SeenCases {
    fn remove_duplicates(&mut self, scored: &mut ScoredBlock, evaluators: usize) -> Vec<Problem> {
        if self
            .files
            .last()
            .is_none_or(|(file, _)| !Arc::ptr_eq(file, &scored.file))
        {
            self.files.push((Arc::clone(&scored.file), self.lines));
        }
        let before = self.files.last().map_or(0, |(_, before)| *before);
        let mut duplicates = Vec::new();
        let mut problems = Vec::new();
        self.seen
            .expect(scored.cases.iter().filter_map(|case| case.key));
        for (number, case) in scored.cases.iter().enumerate() {
            self.lines = before + case.record.line;
            let place = Place::try_from(self.lines).unwrap_or(Place::MAX);
            let Some(first) = case.key.and_then(|key| self.seen.insert(key, place)) else {
                continue;
            };
            duplicates.push(number);
            problems.push(Problem::Duplicate {
                id: scored.label(case).to_owned(),
                trial: scored.trial(case).map(ToOwned::to_owned),
                first: self.location(first),
                again: Location {
                    file: Arc::clone(&scored.file),
                    line: Some(case.record.line),
                    pointer: String::new(),
                },
            });
        }
        scored.remove(&duplicates, evaluators);
        problems
    }

    fn location(&self, place: Place) -> Option<Location> {
        let line = u64::from(place);
        let file = self
            .files
            .partition_point(|(_, before)| *before < line)
            .checked_sub(1)?;
        let (file, before) = &self.files[file];
        let location = Location {
            file: Arc::clone(file),
            line: Some(line - before),
            pointer: String::new(),
        };
        (place < Place::MAX).then_some(location)
    }
}
