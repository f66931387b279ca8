//! The places of runs on disk.

use std::fs::File;
use std::hash::Hasher;
use std::io::{self, Read, Seek, SeekFrom};
use std::ops::Range;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use rightcall_core::call::{Case, Trajectory};
use rightcall_core::value::{HashKey, Text};
use siphasher::sip128::{Hasher128, SipHasher13};

use super::identity::{MODEL, RunIdentity};
use crate::case::case_text;
use crate::error::{Location, ReadError};
use crate::messages::json_text;
use crate::options::ReadOptions;
use crate::read_case::read_case;
use crate::trace::Report;

/// The places of runs on disk.
#[derive(Debug)]
pub struct TraceIndex {
    /// Sorted by case; runs of one case in input order.
    pub(super) runs: Vec<RunPlace>,
    pub(super) files: Vec<Store>,
    /// The texts of runs from inputs without random access.
    pub(super) spool: Option<Mutex<File>>,
    pub(super) hash_key: HashKey,
    pub(super) identity: RunIdentity,
    /// For each run, true once a case has requested it.
    pub(super) used: Vec<AtomicBool>,
    /// True once a case has found a run with its id, but another trial or identity.
    pub(super) differing: AtomicBool,
    /// Records of all inputs, including unreadable ones.
    pub(super) records: u64,
    pub(super) report: Report,
    /// One part of each divided run, sorted by the id of the whole run. Used for agents without calls, which have no part.
    pub(super) wholes: Vec<RunPlace>,
    /// The meta key of a part's name.
    pub(super) part_key: Option<&'static str>,
}

impl TraceIndex {
    /// Number of runs.
    pub fn len(&self) -> usize {
        self.runs.len()
    }

    /// True if there are no runs.
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Number of records of all inputs, including unreadable ones.
    pub fn records(&self) -> u64 {
        self.records
    }

    /// The report on parts left out of the traces behind the runs.
    pub fn report(&self) -> &Report {
        &self.report
    }

    /// The texts of the runs of the case with this id, in input order, limited to its trial and its model if it has these.
    /// The model of a case's own run only decides between runs: without a run of that model, runs of other models replace it.
    ///
    /// # Errors
    /// A text has changed or moved since it was read.
    pub fn find(&self, id: &Text<'_>, case: &Case<'_>) -> Result<Vec<String>, ReadError> {
        let found = self.find_fitting(id, case)?;
        if !found.is_empty() || case.actual.is_none() {
            return Ok(found);
        }
        let mut of_any_model = case.clone();
        of_any_model.meta.retain(|(key, _)| *key != *MODEL);
        self.find_fitting(id, &of_any_model)
    }

    /// The texts of the runs with this id that have no other trial and no other identity than the case.
    fn find_fitting(&self, id: &Text<'_>, case: &Case<'_>) -> Result<Vec<String>, ReadError> {
        let trial = case.trial.map(|it| hash_of_trial(self.hash_key, Some(it)));
        let is_stated = self.identity.is_stated(case);
        let mut found = Vec::new();
        for place in self.of_case(id) {
            if trial.is_some_and(|trial| self.runs[place].trial != trial) {
                self.differing.store(true, Ordering::Relaxed);
                continue;
            }
            let text = self.text(&self.runs[place])?;
            if !is_stated || self.identity.fits(case, &text) {
                self.used[place].store(true, Ordering::Relaxed);
                found.push(text);
            } else {
                self.differing.store(true, Ordering::Relaxed);
            }
        }
        if found.is_empty() && !self.wholes.is_empty() {
            return self.find_absent(id, case);
        }
        Ok(found)
    }

    /// Runs without calls, for an agent, node or turn that is not in its run.
    fn find_absent(&self, id: &Text<'_>, case: &Case<'_>) -> Result<Vec<String>, ReadError> {
        let trial = case.trial.map(|it| hash_of_trial(self.hash_key, Some(it)));
        let name = id.to_display();
        for (end, _) in name.rmatch_indices('/') {
            let whole = hash_of_id(self.hash_key, &Text::new(&name[..end]));
            let from = self.wholes.partition_point(|run| run.id() < whole);
            let runs = self.wholes[from..]
                .iter()
                .take_while(|run| run.id() == whole);
            let runs = runs.filter(|run| trial.is_none_or(|trial| run.trial == trial));
            let mut found = Vec::new();
            for run in runs {
                let other = self.text(run)?;
                let text = self.without_calls(&other, id, &name[end + 1..]);
                // All parts of a run yield the same text.
                found.extend(text.filter(|text| {
                    !found.contains(text)
                        && (!self.identity.is_stated(case) || self.identity.fits(case, text))
                }));
            }
            if !found.is_empty() {
                return Ok(found);
            }
        }
        Ok(Vec::new())
    }

    /// The run of a part without calls, derived from another part.
    fn without_calls(&self, other: &str, id: &Text<'_>, part: &str) -> Option<String> {
        let mut run = read_case(other, &ReadOptions::default()).ok()?;
        let key = self.part_key?;
        let name = json_text(&Text::new(part));
        run.id = Some(id.reborrow());
        run.actual = Some(Trajectory::default());
        run.meta.retain(|(known, _)| *known != *key);
        run.meta.insert(0, (Text::new(key), &name));
        Some(case_text(&run))
    }

    /// The text of the run with this index, if runs are joined by order.
    ///
    /// # Errors
    /// The text has changed or moved since it was read.
    pub fn find_nth(&self, number: u64) -> Result<Option<String>, ReadError> {
        self.nth(number).map(|place| self.take(place)).transpose()
    }

    /// True if a run has this index and no case has requested it.
    pub fn is_nth_unused(&self, number: u64) -> bool {
        self.nth(number)
            .is_some_and(|place| !self.used[place].load(Ordering::Relaxed))
    }

    /// True if this run is in the index and no case has requested it.
    pub fn is_unused(&self, id: &Text<'_>, run: &Case<'_>) -> bool {
        let trial = hash_of_trial(self.hash_key, run.trial);
        let identity = self.identity.of(self.hash_key, run);
        let is_it = |run: &RunPlace| (run.trial, run.identity) == (trial, identity);
        self.of_case(id)
            .find(|&place| is_it(&self.runs[place]))
            .is_some_and(|place| !self.used[place].load(Ordering::Relaxed))
    }

    /// True if some case has requested a run in the index.
    pub fn is_asked(&self) -> bool {
        self.used.iter().any(|used| used.load(Ordering::Relaxed))
    }

    /// True if a case has found a run with its id, but another trial or identity.
    pub fn has_differing(&self) -> bool {
        self.differing.load(Ordering::Relaxed)
    }

    /// The number of runs that no case has requested, and the first `shown` of them by file and line.
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

    /// The texts of the runs that no case has requested, each with its file, in input order. Texts that have become unreadable are left
    /// out.
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

    fn nth(&self, number: u64) -> Option<usize> {
        self.runs
            .binary_search_by_key(&(number, 0), RunPlace::id)
            .ok()
    }

    fn of_case(&self, id: &Text<'_>) -> Range<usize> {
        let id = hash_of_id(self.hash_key, id);
        let from = self.runs.partition_point(|run| run.id() < id);
        from..from + self.runs[from..].partition_point(|run| run.id() == id)
    }

    pub(super) fn place(&self, run: &RunPlace) -> Location {
        self.location(run.file, run.line)
    }

    fn location(&self, file: u32, line: u32) -> Location {
        Location::on_line(&self.files[file as usize].name, u64::from(line))
    }

    pub(super) fn text(&self, run: &RunPlace) -> Result<String, ReadError> {
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

/// The place of one run.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct RunPlace {
    /// Hash of the case's id, in two parts; if runs are joined by order, the index of the run.
    pub(super) id: u64,
    pub(super) id_rest: u32,
    /// Hash of the values that distinguish the run from others of the same case and trial: its model, and further keys.
    pub(super) identity: u32,
    pub(super) offset: u64,
    pub(super) length: u32,
    pub(super) line: u32,
    pub(super) file: u32,
    /// Hash of the trial.
    pub(super) trial: u32,
}

impl RunPlace {
    pub(super) fn id(&self) -> CaseId {
        (self.id, self.id_rest)
    }

    /// Replaces the id.
    pub(super) fn with_id(self, (id, id_rest): CaseId) -> Self {
        Self {
            id,
            id_rest,
            ..self
        }
    }
}

/// Hash of a case's id, or the index of the run if runs are joined by order. With 96 bits, collisions are practically impossible.
pub(super) type CaseId = (u64, u32);

/// The texts of the runs of one input.
#[derive(Debug)]
pub(super) struct Store {
    pub(super) name: Arc<str>,
    /// The input, if the texts are in it unchanged.
    pub(super) file: Option<Mutex<File>>,
}

pub(super) fn hash_of_id(key: HashKey, id: &Text<'_>) -> CaseId {
    let mut hasher = SipHasher13::new_with_keys(key.0, key.1);
    hasher.write(id.as_bytes());
    let hash = hasher.finish128();
    (hash.h1, hash.h2 as u32)
}

pub(super) fn hash_of_trial(key: HashKey, trial: Option<&str>) -> u32 {
    let Some(trial) = trial else { return 0 };
    let mut hasher = SipHasher13::new_with_keys(key.0, key.1);
    hasher.write(trial.as_bytes());
    (hasher.finish128().h1 as u32).max(1)
}
