//! Expectations and runs that stand in different files.
//!
//! The runs are read once, and of each only the place of its text is kept, 40 bytes; the text stays on disk. Runs that cannot
//! be found again where they were read, because the input is packed, a stream or a trace of its own shape, pass through a temporary
//! file.

use std::fs::File;
use std::hash::Hasher;
use std::io::{self, BufWriter, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rightcall::call::Case;
use rightcall::value::{HashKey, Text};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::error::{CaseError, Location, OpenError, ReadError};
use crate::in_order::in_order;
use crate::input::{Inputs, Piece, Record};
use crate::options::{Limits, ReadOptions};
use crate::read_case::read_case;
use crate::trace::Report;

pub use crate::trace::Join;

/// Where the runs of cases are on disk.
#[derive(Debug)]
pub struct TraceIndex {
    /// Sorted by case; runs of one case in input order.
    runs: Vec<Run>,
    files: Vec<Store>,
    /// The texts of the runs that cannot be found again in their inputs.
    spool: Option<Mutex<File>>,
    hash_key: HashKey,
    /// Which runs a case has asked for.
    used: Vec<AtomicBool>,
    /// Records of all inputs, those that could not be read among them.
    records: u64,
    report: Report,
}

/// The place of one run.
#[derive(Clone, Copy, Debug)]
struct Run {
    /// Hash of the case's id; where runs are found by their places, the number of records before it.
    id: (u64, u64),
    offset: u64,
    length: u32,
    line: u32,
    file: u32,
    /// Hash of the trial.
    trial: u32,
}

/// Where the texts of the runs of one input are.
#[derive(Debug)]
struct Store {
    name: Arc<str>,
    /// The input, where they stand in it as they are.
    file: Option<Mutex<File>>,
}

/// What was found in a record.
enum Found {
    /// A run, with its text where that cannot be found again in the input.
    Run(Run, Option<String>),
    LeftOut(LeftOut),
}

/// An index in the making.
struct Builder<'p> {
    paths: &'p [PathBuf],
    join: Join,
    index: TraceIndex,
    spool: Option<Spool>,
}

/// What a [`TraceIndex`] left out.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum LeftOut {
    /// The same case and trial twice; the first is kept.
    Duplicate {
        /// Id of the case.
        id: String,
        /// The run that is kept.
        first: Location,
        /// The run that is left out.
        again: Location,
    },
    /// A record that could not be read.
    Unreadable(ReadError),
    /// A record without id.
    WithoutId(Location),
}

/// Why there is no index.
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

/// How much is read of an input at a time.
const BLOCK: usize = 1 << 20;

impl TraceIndex {
    /// Reads all inputs once, on so many threads; `left_out` hears of every record that cannot be found later.
    ///
    /// # Errors
    /// An input that cannot be opened or read to its end, or a temporary file that cannot be written.
    pub fn build(
        paths: &[PathBuf],
        limits: Limits,
        options: &ReadOptions,
        threads: usize,
        mut left_out: impl FnMut(LeftOut),
    ) -> Result<Self, IndexError> {
        let index = Self {
            runs: Vec::new(),
            files: Vec::new(),
            spool: None,
            hash_key: options.hash_key,
            used: Vec::new(),
            records: 0,
            report: Report::default(),
        };
        let mut builder = Builder {
            paths,
            join: options.join,
            index,
            spool: None,
        };
        let mut inputs = Inputs::new(paths, limits, options, threads, BLOCK);
        in_order(
            threads,
            || Ok::<_, IndexError>(inputs.next_piece()?),
            |piece| locate(piece, options),
            |located| builder.add(located, &mut left_out),
        )?;
        let mut index = builder.finish()?;
        index.runs.sort_by_key(|run| run.id);
        index.drop_duplicates(options, &mut left_out);
        index
            .used
            .resize_with(index.runs.len(), AtomicBool::default);
        Ok(index)
    }

    /// Number of runs.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// True without runs.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Number of records of all inputs, those that could not be read among them.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// What was left out of the traces that the runs were made of.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The text of the run of this case and trial; `trial` is JSON text, `None` a run that names none.
    ///
    /// # Errors
    /// The text is no longer where it was read.
    pub fn find(&self, id: &Text<'_>, trial: Option<&str>) -> Result<Option<String>, ReadError> {
        self.place_of(id, trial)
            .map(|place| self.take(place))
            .transpose()
    }

    /// The texts of all runs of this case, in input order.
    ///
    /// # Errors
    /// A text is no longer where it was read.
    pub fn find_all(&self, id: &Text<'_>) -> Result<Vec<String>, ReadError> {
        self.of_case(id).map(|place| self.take(place)).collect()
    }

    /// The text of the run with so many records before it, where runs are found by their places.
    ///
    /// # Errors
    /// The text is no longer where it was read.
    pub fn find_nth(&self, number: u64) -> Result<Option<String>, ReadError> {
        self.nth(number).map(|place| self.take(place)).transpose()
    }

    /// True if the run with so many records before it is here, and no case has asked for it.
    pub fn is_nth_unused(&self, number: u64) -> bool {
        self.nth(number)
            .is_some_and(|place| !self.used[place].load(Ordering::Relaxed))
    }

    /// True if this run is here, and no case has asked for it.
    pub fn is_unused(&self, id: &Text<'_>, trial: Option<&str>) -> bool {
        self.place_of(id, trial)
            .is_some_and(|place| !self.used[place].load(Ordering::Relaxed))
    }

    /// True if some case has asked for a run that is here.
    pub fn is_asked(&self) -> bool {
        self.used.iter().any(|used| used.load(Ordering::Relaxed))
    }

    /// How many runs no case has asked for, and the first `shown` of them by file and line.
    pub fn unused(&self, shown: usize) -> (u64, Vec<Location>) {
        let unused = self
            .runs
            .iter()
            .zip(&self.used)
            .filter(|(_, used)| !used.load(Ordering::Relaxed));
        let mut unused: Vec<_> = unused.map(|(run, _)| (run.file, run.line)).collect();
        unused.sort_unstable();
        let count = unused.len() as u64;
        (
            count,
            unused
                .into_iter()
                .take(shown)
                .map(|(file, line)| self.location(file, line))
                .collect(),
        )
    }

    /// The texts of the runs that no case has asked for, each with its file, in input order; one that cannot be read any more is
    /// left out.
    pub fn unused_texts(&self) -> impl Iterator<Item = (String, &Arc<str>)> + '_ {
        let mut unused: Vec<_> = self
            .runs
            .iter()
            .zip(&self.used)
            .filter(|(_, used)| !used.load(Ordering::Relaxed))
            .collect();
        unused.sort_unstable_by_key(|(run, _)| (run.file, run.line, run.offset));
        unused.into_iter().filter_map(|(run, _)| {
            Some((self.text(run).ok()?, &self.files[run.file as usize].name))
        })
    }

    fn take(&self, place: usize) -> Result<String, ReadError> {
        self.used[place].store(true, Ordering::Relaxed);
        self.text(&self.runs[place])
    }

    fn place_of(&self, id: &Text<'_>, trial: Option<&str>) -> Option<usize> {
        let trial = hash_of_trial(self.hash_key, trial);
        self.of_case(id)
            .find(|&place| self.runs[place].trial == trial)
    }

    fn nth(&self, number: u64) -> Option<usize> {
        self.runs
            .binary_search_by_key(&(0, number), |run| run.id)
            .ok()
    }

    fn of_case(&self, id: &Text<'_>) -> Range<usize> {
        let id = hash_of_id(self.hash_key, id);
        let from = self.runs.partition_point(|run| run.id < id);
        from..from + self.runs[from..].partition_point(|run| run.id == id)
    }

    fn drop_duplicates(&mut self, options: &ReadOptions, left_out: &mut impl FnMut(LeftOut)) {
        let mut kept: Vec<Run> = Vec::with_capacity(self.runs.len());
        let mut of_case = 0;
        for run in &self.runs {
            if kept.last().is_some_and(|last| last.id != run.id) {
                of_case = kept.len();
            }
            match kept[of_case..]
                .iter()
                .find(|first| first.trial == run.trial)
            {
                None => kept.push(*run),
                Some(first) => {
                    let text = self.text(run).unwrap_or_default();
                    let file = &self.files[run.file as usize].name;
                    let id = read_case(&text, options)
                        .ok()
                        .and_then(|case| Some(options.join.of(&case, file)?.to_string()));
                    left_out(LeftOut::Duplicate {
                        id: id.unwrap_or_default(),
                        first: self.place(first),
                        again: self.place(run),
                    });
                }
            }
        }
        self.runs = kept;
    }

    fn place(&self, run: &Run) -> Location {
        self.location(run.file, run.line)
    }

    fn location(&self, file: u32, line: u32) -> Location {
        let file = Arc::clone(&self.files[file as usize].name);
        Location {
            file,
            line: Some(u64::from(line)),
            pointer: String::new(),
        }
    }

    fn text(&self, run: &Run) -> Result<String, ReadError> {
        let mut bytes = vec![0; run.length as usize];
        let read = || {
            let file = self.files[run.file as usize]
                .file
                .as_ref()
                .or(self.spool.as_ref())
                .ok_or(io::ErrorKind::NotFound)?;
            let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
            file.seek(SeekFrom::Start(run.offset))?;
            file.read_exact(&mut bytes)?;
            String::from_utf8(bytes).map_err(io::Error::other)
        };
        read().map_err(|error: io::Error| ReadError {
            at: self.place(run),
            expected: "the trace that was there before".into(),
            found: format!("an error: {error}").into(),
            help: Some("traces must not change while they are read".into()),
        })
    }
}

fn hash_of_id(key: HashKey, id: &Text<'_>) -> (u64, u64) {
    let mut hasher = SipHasher13::new_with_keys(key.0, key.1);
    hasher.write(id.as_bytes());
    let hash = hasher.finish128();
    (hash.h1, hash.h2)
}

fn hash_of_trial(key: HashKey, trial: Option<&str>) -> u32 {
    let Some(trial) = trial else { return 0 };
    let mut hasher = SipHasher13::new_with_keys(key.0, key.1);
    hasher.write(trial.as_bytes());
    (hasher.finish128().h1 as u32).max(1)
}

/// What was found in a piece of an input.
struct Located {
    name: Arc<str>,
    number: usize,
    is_in_place: bool,
    found: Vec<Found>,
    report: Report,
    broken: Option<ReadError>,
}

/// The places of the runs in a piece.
fn locate(piece: Piece, options: &ReadOptions) -> Located {
    let (name, number) = (Arc::clone(&piece.file), piece.number);
    let mut located = Located {
        name,
        number,
        is_in_place: false,
        found: Vec::new(),
        report: Report::default(),
        broken: None,
    };
    piece.each_block(|block| match block {
        Ok(block) => {
            located.is_in_place = block.is_in_place;
            for record in block.records() {
                let found = match place(&record, &located.name, options) {
                    Ok(Some(run)) => {
                        let text = record.text.ok().filter(|_| !block.is_in_place);
                        Found::Run(run, text.map(ToOwned::to_owned))
                    }
                    Ok(None) => {
                        let file = Arc::clone(&located.name);
                        Found::LeftOut(LeftOut::WithoutId(Location {
                            file,
                            line: Some(record.line),
                            pointer: String::new(),
                        }))
                    }
                    Err(error) => {
                        Found::LeftOut(LeftOut::Unreadable(error.in_record(&located.name, &record)))
                    }
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

/// Place of a record, `None` without id.
fn place(record: &Record<'_>, file: &str, options: &ReadOptions) -> Result<Option<Run>, CaseError> {
    let text = record.text.clone()?;
    let case = read_case(text, options)?;
    let id = match options.join {
        // Its number is known when all runs before it are.
        Join::Order => (0, 0),
        join => match join.of(&case, file) {
            Some(id) => hash_of_id(options.hash_key, &id),
            None => return Ok(None),
        },
    };
    let length = u32::try_from(text.len())
        .map_err(|_| CaseError::new("a trace of less than 4 GiB", "a larger one"))?;
    Ok(Some(Run {
        id,
        offset: record.offset,
        length,
        line: u32::try_from(record.line).unwrap_or(u32::MAX),
        file: 0,
        trial: hash_of_trial(options.hash_key, case.trial),
    }))
}

impl Builder<'_> {
    /// Takes what was found in the next piece.
    fn add(
        &mut self,
        located: Located,
        left_out: &mut impl FnMut(LeftOut),
    ) -> Result<(), IndexError> {
        let Located {
            name,
            number,
            is_in_place,
            found,
            report,
            broken,
        } = located;
        self.index.report.add(&report);
        let files = &mut self.index.files;
        if files
            .last()
            .is_none_or(|store| !Arc::ptr_eq(&store.name, &name))
        {
            let path = &self.paths[number];
            let again = |cause| OpenError {
                path: path.clone(),
                reason: "cannot be opened again".into(),
                help: None,
                cause: Some(cause),
            };
            let file = if is_in_place {
                Some(Mutex::new(File::open(path).map_err(again)?))
            } else {
                None
            };
            files.push(Store { name, file });
        }
        let file = files.len() as u32 - 1;
        for found in found {
            let number = self.index.records;
            self.index.records += 1;
            match found {
                Found::Run(mut run, text) => {
                    if self.join == Join::Order {
                        run.id = (0, number);
                    }
                    if let Some(text) = text {
                        let spool = match &mut self.spool {
                            Some(spool) => spool,
                            none => none.insert(Spool::new()?),
                        };
                        run.offset = spool.add(&text)?;
                    }
                    self.index.runs.push(Run { file, ..run });
                }
                Found::LeftOut(it) => left_out(it),
            }
        }
        broken.map_or(Ok(()), |error| Err(Box::new(error).into()))
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

    /// Where the text has been written.
    fn add(&mut self, text: &str) -> io::Result<u64> {
        let offset = self.length;
        self.writer.write_all(text.as_bytes())?;
        self.length += text.len() as u64;
        Ok(offset)
    }
}

/// The case of an expectation and a run of it.
///
/// What was demanded, id, tags and description are the expectation's; what was done is the run's, as are its trial, and input
/// and output where the expectation has none. Other entries are those of both; where both have a key, the run's is left out.
pub fn join_actual<'a>(expectation: Case<'a>, run: Case<'a>) -> Case<'a> {
    let mut case = expectation;
    case.actual = run.actual;
    // An original's own sides stand in one record or not at all.
    case.native = None;
    case.trial = run.trial.or(case.trial);
    case.input = case.input.or(run.input);
    case.output = case.output.or(run.output);
    case.description = case.description.or(run.description);
    let own = case.meta.len();
    for entry in run.meta {
        if !case.meta[..own].iter().any(|(key, _)| *key == entry.0) {
            case.meta.push(entry);
        }
    }
    for tag in run.tags {
        if !case.tags.contains(&tag) {
            case.tags.push(tag);
        }
    }
    case
}

#[cfg(test)]
mod tests;
