//! Builds the index of runs in one pass over their inputs.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::PathBuf;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};

use super::identity::RunIdentity;
use super::index::{CaseId, RunPlace, Store, TraceIndex, hash_of_id, hash_of_trial};
use crate::error::{CaseError, Location, OpenError, ReadError};
use crate::in_order::in_order;
use crate::input::{Input, Inputs, Piece, Record};
use crate::options::{Limits, ReadOptions};
use crate::read_case::read_case;
use crate::trace::{CaseScope, Join, Report};

/// A record that [`TraceIndex`] left out.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum LeftOutRun {
    /// A repeated case and trial; the first is kept.
    #[error("{again}: the run of case `{id}` is already at {first}")]
    Duplicate {
        /// Id of the case.
        id: String,
        /// The run that is kept.
        first: Location,
        /// The run left out.
        again: Location,
    },
    /// A record that could not be read.
    #[error(transparent)]
    Unreadable(ReadError),
    /// A record without the join key.
    #[error("{at}: a run without `{join}` belongs to no case")]
    WithoutId {
        /// The record.
        at: Location,
        /// The missing key.
        join: Join,
    },
}

impl LeftOutRun {
    /// The place of the run left out.
    pub fn at(&self) -> &Location {
        match self {
            Self::Duplicate { again: at, .. } | Self::WithoutId { at, .. } => at,
            Self::Unreadable(error) => &error.at,
        }
    }

    /// An explanation or a hint.
    pub fn help(&self) -> Option<String> {
        match self {
            Self::Duplicate { .. } => Some("the first is scored".to_owned()),
            Self::Unreadable(error) => error.help.as_ref().map(ToString::to_string),
            Self::WithoutId { .. } => {
                Some("use --join to choose the key that matches runs to cases".to_owned())
            }
        }
    }
}

/// Why the index could not be built.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum IndexError {
    /// An input cannot be opened.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// An input cannot be read to its end.
    #[error(transparent)]
    Read(#[from] Box<ReadError>),
    /// The temporary file cannot be written.
    #[error("the temporary file for packed traces cannot be written")]
    Spool(#[from] io::Error),
}

impl TraceIndex {
    /// Reads all inputs once, on the given number of threads. `left_out` is called for every record that cannot be found later. Runs of
    /// one case and trial by different models are different runs.
    ///
    /// # Errors
    /// An input cannot be opened or read to its end, or a temporary file cannot be written.
    pub fn build(
        paths: &[PathBuf],
        limits: Limits,
        options: &ReadOptions,
        threads: usize,
        left_out: impl FnMut(LeftOutRun),
    ) -> Result<Self, IndexError> {
        let identity = RunIdentity::default();
        Self::build_with(paths, limits, options, &identity, threads, left_out)
    }

    /// [`TraceIndex::build`] with more facts than the model to distinguish runs.
    ///
    /// # Errors
    /// As [`TraceIndex::build`].
    pub fn build_with(
        paths: &[PathBuf],
        limits: Limits,
        options: &ReadOptions,
        identity: &RunIdentity,
        threads: usize,
        mut left_out: impl FnMut(LeftOutRun),
    ) -> Result<Self, IndexError> {
        let index = Self {
            runs: Vec::new(),
            files: Vec::new(),
            spool: None,
            hash_key: options.hash_key,
            identity: identity.clone(),
            used: Vec::new(),
            differing: AtomicBool::default(),
            records: 0,
            report: Report::default(),
            wholes: Vec::new(),
            part_key: options.choices.scope.key(),
        };
        let mut builder = Builder {
            paths,
            join: options.join,
            index,
            spool: None,
        };
        let mut inputs = Inputs::new(paths, limits, options, threads, Input::BLOCK);
        in_order(
            threads,
            || Ok::<_, IndexError>(inputs.next_piece()?),
            |piece| locate(piece, options, identity),
            |located| builder.add(located, &mut left_out),
        )?;
        let mut index = builder.finish()?;
        index.runs.sort_by_key(RunPlace::id);
        index.drop_duplicates(options, &mut left_out);
        let whole = |run: &RunPlace| (run.id(), run.trial, run.identity);
        index.wholes.sort_by_key(whole);
        index.wholes.dedup_by_key(|run| whole(run));
        index
            .used
            .resize_with(index.runs.len(), AtomicBool::default);
        Ok(index)
    }

    fn drop_duplicates(&mut self, options: &ReadOptions, left_out: &mut impl FnMut(LeftOutRun)) {
        let mut kept: Vec<RunPlace> = Vec::with_capacity(self.runs.len());
        let mut of_case = 0;
        for run in &self.runs {
            if kept.last().is_some_and(|last| last.id() != run.id()) {
                of_case = kept.len();
            }
            // Runs of the same question are trials of it, regardless of their ids.
            let is_trial = options.join == Join::Input && run.trial == 0;
            let is_again = |first: &&RunPlace| {
                !is_trial && (first.trial, first.identity) == (run.trial, run.identity)
            };
            match kept[of_case..].iter().find(is_again) {
                None => kept.push(*run),
                Some(first) => {
                    let text = self.text(run).unwrap_or_default();
                    let file = &self.files[run.file as usize].name;
                    let id = read_case(&text, options)
                        .ok()
                        .and_then(|case| Some(options.name_of(&case, file)?.to_string()));
                    left_out(LeftOutRun::Duplicate {
                        id: id.unwrap_or_default(),
                        first: self.place(first),
                        again: self.place(run),
                    });
                }
            }
        }
        self.runs = kept;
    }
}

/// The contents of a record.
enum FoundRecord {
    /// A run, with its text if the input has no random access, and with the id of the whole run if it is a part.
    Run(RunPlace, Option<String>, Option<CaseId>),
    LeftOutRun(LeftOutRun),
}

/// A run's place and text, and the id of the whole run if it is a part.
type LocatedRun<'r> = (RunPlace, Cow<'r, str>, Option<CaseId>);

/// An index under construction.
struct Builder<'p> {
    paths: &'p [PathBuf],
    join: Join,
    index: TraceIndex,
    spool: Option<Spool>,
}

/// The records of a piece of an input.
#[derive(Default)]
struct LocatedPiece {
    name: Arc<str>,
    number: usize,
    is_in_place: bool,
    found: Vec<FoundRecord>,
    report: Report,
    broken: Option<ReadError>,
}

/// The places of the runs in a piece.
fn locate(piece: Piece, options: &ReadOptions, identity: &RunIdentity) -> LocatedPiece {
    let mut located = LocatedPiece {
        name: Arc::clone(&piece.file),
        number: piece.number,
        ..LocatedPiece::default()
    };
    piece.each_block(|block| match block {
        Ok(block) => {
            located.is_in_place = block.is_in_place;
            for record in block.records() {
                let found = match place(&record, &located.name, options, identity) {
                    Ok(Some((run, text, whole))) => {
                        let text = (!block.is_in_place).then(|| text.into_owned());
                        FoundRecord::Run(run, text, whole)
                    }
                    Ok(None) => FoundRecord::LeftOutRun(LeftOutRun::WithoutId {
                        at: Location::on_line(&located.name, record.place.line),
                        join: options.join,
                    }),
                    Err(error) => FoundRecord::LeftOutRun(LeftOutRun::Unreadable(
                        error.in_record(&located.name, &record),
                    )),
                };
                located.found.push(found);
            }
            if let Some(report) = block.report() {
                located.report.add(report);
            }
        }
        Err(error) => located.broken = Some(error),
    });
    located
}

/// The place of a record, its text, and the id of the whole run if it is a part; `None` without an id.
fn place<'r>(
    record: &Record<'r>,
    file: &str,
    options: &ReadOptions,
    identity: &RunIdentity,
) -> Result<Option<LocatedRun<'r>>, CaseError> {
    let content = record.content.clone()?;
    let case = content.case(options)?;
    let id = match options.join {
        // The number is known only after all earlier runs.
        Join::Order => (0, 0),
        _ => match options.name_of(&case, file) {
            Some(id) => hash_of_id(options.hash_key, &id),
            None => return Ok(None),
        },
    };
    let text = content.text_of(&case);
    let length = u32::try_from(text.len())
        .map_err(|_| CaseError::new("a trace of less than 4 GiB", "a larger one"))?;
    let line = u32::try_from(record.place.line).unwrap_or(u32::MAX);
    let whole = match options.choices.scope {
        CaseScope::Run => None,
        _ => options.name_of_whole(&case, file),
    };
    let run = RunPlace {
        identity: identity.of(options.hash_key, &case),
        offset: record.offset,
        length,
        line,
        trial: hash_of_trial(options.hash_key, case.trial),
        ..RunPlace::default()
    };
    let run = run.with_id(id);
    Ok(Some((
        run,
        text,
        whole.map(|name| hash_of_id(options.hash_key, &name)),
    )))
}

impl Builder<'_> {
    /// Adds the records of the next piece.
    fn add(
        &mut self,
        located: LocatedPiece,
        left_out: &mut impl FnMut(LeftOutRun),
    ) -> Result<(), IndexError> {
        self.index.report.add(&located.report);
        let files = &mut self.index.files;
        if files
            .last()
            .is_none_or(|store| !Arc::ptr_eq(&store.name, &located.name))
        {
            let path = &self.paths[located.number];
            let again = |cause| OpenError {
                path: path.clone(),
                reason: "cannot be opened again".into(),
                help: None,
                cause: Some(cause),
            };
            // Texts are read from the input itself later, if that allows random access.
            let file = if located.is_in_place {
                Some(Mutex::new(File::open(path).map_err(again)?))
            } else {
                None
            };
            let name = located.name;
            files.push(Store { name, file });
        }
        let file = files.len() as u32 - 1;
        for found in located.found {
            let number = self.index.records;
            self.index.records += 1;
            match found {
                FoundRecord::Run(mut run, text, whole) => {
                    if self.join == Join::Order {
                        run = run.with_id((number, 0));
                    }
                    if let Some(text) = text {
                        let spool = match &mut self.spool {
                            Some(spool) => spool,
                            none => none.insert(Spool::new()?),
                        };
                        run.offset = spool.add(&text)?;
                    }
                    run.file = file;
                    self.index.runs.push(run);
                    let whole = whole.map(|whole| run.with_id(whole));
                    self.index.wholes.extend(whole);
                }
                FoundRecord::LeftOutRun(it) => left_out(it),
            }
        }
        located
            .broken
            .map_or(Ok(()), |error| Err(Box::new(error).into()))
    }

    fn finish(mut self) -> io::Result<TraceIndex> {
        if let Some(spool) = self.spool {
            let file = spool
                .writer
                .into_inner()
                .map_err(io::IntoInnerError::into_error)?;
            self.index.spool = Some(Mutex::new(file));
        }
        Ok(self.index)
    }
}

/// A temporary file for texts.
struct Spool {
    writer: BufWriter<File>,
    length: u64,
}

impl Spool {
    fn new() -> io::Result<Self> {
        Ok(Self {
            writer: BufWriter::new(tempfile::tempfile()?),
            length: 0,
        })
    }

    /// Writes the text and returns its offset.
    fn add(&mut self, text: &str) -> io::Result<u64> {
        let offset = self.length;
        self.writer.write_all(text.as_bytes())?;
        self.length += text.len() as u64;
        Ok(offset)
    }
}
