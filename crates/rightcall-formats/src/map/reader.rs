//! The trace reader driven by a map.

use std::collections::{HashMap, HashSet};

use rightcall_core::value::{MAX_DEPTH, Text};

use super::definition::{Map, RunRule};
use super::parser::stem;
use super::place::{Kept, Memory, Place};
use super::record::{Findings, FoundCall, RecordReader};
use super::run::Run;
use super::tally::Tally;
use crate::case::described;
use crate::error::CaseError;
use crate::format::{
    FoundTraces, Lists as ListsOfDocuments, MappedFormat, Recognition, TraceReader, ValuePlace,
};
use crate::node::Node;
use crate::place::PartLines;
use crate::trace::unread::{Seen, Suspects, each_left_over};
use crate::trace::{Choices, Keep, LeftOut, RepeatedRecords, Report, Scope, Trace, TraceCall};

/// Reads values as a map defines.
struct MapReader {
    map: &'static Map,
    scope: Scope,
    /// The scope for messages inside records.
    inner: Scope,
    /// The name of the file, without its extension.
    file: String,
    tally: Tally,
    /// Runs with records anywhere in the input, ordered by first record.
    runs: Vec<Run>,
    by_id: HashMap<Text<'static>, usize>,
    /// The records so far, of a built-in format.
    records: RepeatedRecords,
    /// The first record with a call but without a run: its line and its contents.
    outside: Option<(u64, String)>,
    /// The report on the whole input.
    report: Report,
    /// The last trace, held back to attach the notes known only at the end.
    last: Option<(u64, Trace)>,
}

impl MapReader {
    fn new(map: &'static Map, scope: Scope) -> Self {
        Self {
            map,
            scope,
            inner: Scope {
                choices: Choices {
                    // Skills are added to the whole run instead.
                    skills: Keep::Drop,
                    ..scope.choices
                },
                ..scope
            },
            file: String::new(),
            tally: Tally::new(map),
            runs: Vec::new(),
            by_id: HashMap::new(),
            records: RepeatedRecords::default(),
            outside: None,
            report: Report::default(),
            last: None,
        }
    }

    fn document(&mut self, value: &Node<'_>, line: u64, found: &mut FoundTraces) {
        let (texts, nodes) = (Kept::new(), Kept::new());
        let file = self.file.clone();
        let memory = Memory::new(&file, self.scope.max_depth, &texts, &nodes);
        let document = Place::document(value);
        self.tally
            .first
            .get_or_insert_with(|| (line, described(value)));
        let Some(path) = &self.map.records else {
            _ = self.record(&memory, &document, line, found);
            return;
        };
        let mut records = Vec::new();
        let lists = memory.each_item(path, &document, &mut |place| {
            records.push(place.into_level());
        });
        self.tally.records_found += lists.all + records.len();
        let mut seen = HashSet::new();
        let mut calls = Vec::new();
        let mut lines = PartLines::new(value, line);
        for record in &records {
            let (taken, read) = self.record(&memory, record, lines.line_of(record.node), found);
            seen.extend(taken);
            calls.extend(read);
            seen.insert(std::ptr::from_ref(record.node));
        }
        self.look_around(value, &seen, &calls, line);
    }

    /// Looks for calls in a document outside its records.
    fn look_around(
        &mut self,
        document: &Node<'_>,
        seen: &HashSet<*const Node<'_>>,
        calls: &[TraceCall],
        line: u64,
    ) {
        let is_seen = |node: &Node<'_>| {
            if seen.contains(&std::ptr::from_ref(node).cast()) {
                Seen::Nothing
            } else {
                Seen::Whole
            }
        };
        let mut suspects = Suspects::default();
        each_left_over(document, &is_seen, &mut |it| {
            suspects.add(it.within(&format!(
                "outside of the records, in the document on line {line}"
            )));
        });
        suspects.tell(&mut self.report, calls.len(), |it| it.may_repeat(calls));
    }

    /// Reads a record. Returns the values that are completely read, and the ids and names of its calls.
    fn record<'r>(
        &mut self,
        memory: &Memory<'r>,
        record: &Place<'r>,
        line: u64,
        found: &mut FoundTraces,
    ) -> (HashSet<*const Node<'r>>, Vec<TraceCall>) {
        let map = self.map;
        let reader = RecordReader::new(map, memory, record, self.inner);
        if let Some(skipped) = reader.skipped_by() {
            self.tally.finds(skipped);
            self.report.drop(LeftOut::Skipped);
            return Default::default();
        }
        let again = map
            .is_built_in
            .then(|| self.records.again(record.node))
            .flatten();
        if let Some(calls) = again {
            (0..calls).for_each(|_| self.report.drop(LeftOut::RecordedTwice));
            return Default::default();
        }
        let (begins, id) = match &map.run {
            RunRule::EachRecord => (true, None),
            RunRule::Id(path) => (false, reader.label(path)),
            RunRule::Begins(conditions) => (reader.holds(conditions), None),
        };
        let (findings, taken) = match reader.read(&mut self.tally) {
            Ok((findings, taken)) => (Ok(findings), taken),
            Err(error) => (Err(error), HashSet::new()),
        };
        let calls = findings.iter().flat_map(|it| &it.calls);
        let known = calls.map(|FoundCall { call, .. }| TraceCall {
            id: call.id.clone(),
            name: call.name.clone(),
            ..TraceCall::default()
        });
        let known = known.collect();
        let run = match id {
            Some(id) => Some(*self.by_id.entry(id.clone()).or_insert_with(|| {
                self.runs.push(Run {
                    id: Some(id),
                    line,
                    ..Run::default()
                });
                self.runs.len() - 1
            })),
            None if begins => {
                self.end_runs(found);
                self.runs.push(Run {
                    line,
                    ..Run::default()
                });
                Some(0)
            }
            None => matches!(map.run, RunRule::Begins(_))
                .then(|| self.runs.len().checked_sub(1))
                .flatten(),
        };
        self.tally.in_runs += usize::from(run.is_some());
        match (run, findings) {
            (Some(run), Ok(findings)) => self.runs[run].records.push(findings),
            // A run with an unreadable record is an error.
            (Some(run), Err(error)) => _ = self.runs[run].error.get_or_insert((line, error)),
            (None, Ok(findings)) => self.outside(findings, record.node, line),
            (None, Err(error)) => self.error(line, error, found),
        }
        (taken, known)
    }

    /// A record without a run must not hold calls.
    fn outside(&mut self, findings: Findings, record: &Node<'_>, line: u64) {
        let holds_call = self.map.is_built_in && !findings.suspects.is_empty();
        if holds_call || !findings.calls.is_empty() || !findings.results.is_empty() {
            let first = || (line, described(record));
            self.outside.get_or_insert_with(first);
        }
        let mut suspects = Suspects::default();
        for suspect in findings.suspects {
            suspects.add(suspect.within(&format!(
                "in a record that belongs to no run, on line {line}"
            )));
        }
        suspects.tell(&mut self.report, 0, |_| false);
    }

    /// The errors of the map: required parts found nowhere, or found in the wrong place.
    fn errors(&mut self) -> Vec<(u64, CaseError)> {
        let line = self.tally.first.as_ref().map_or(1, |(line, _)| *line);
        let errors = if self.scope.is_growing {
            Vec::new()
        } else {
            self.tally.errors(self.map)
        };
        if !errors.is_empty() {
            return errors.into_iter().map(|error| (line, error)).collect();
        }
        let outside = self.outside.take().map(|(line, record)| {
            let run = format!(
                "a run for each call and result, by `run` of {}",
                self.map.at(self.map.run_line)
            );
            let error = CaseError::new(
                run,
                format!("one in a record that belongs to none: {record}"),
            );
            (line, error.help("`skip` says which records are ignored"))
        });
        outside.into_iter().collect()
    }

    fn error(&mut self, line: u64, error: CaseError, found: &mut FoundTraces) {
        self.tell(found);
        found.error(line, error);
    }

    /// Passes on the last trace.
    fn tell(&mut self, found: &mut FoundTraces) {
        if let Some((line, trace)) = self.last.take() {
            found.settled(line, trace);
        }
    }

    /// Ends the open runs: no more records belong to them.
    fn end_runs(&mut self, found: &mut FoundTraces) {
        for run in std::mem::take(&mut self.runs) {
            let line = run.line;
            match run.into_trace(self.map, self.scope) {
                Ok(trace) => {
                    self.tell(found);
                    self.last = Some((line, trace));
                }
                Err((line, error)) => self.error(line, error, found),
            }
        }
    }
}

impl TraceReader for MapReader {
    fn begin_file(&mut self, name: &str) {
        stem(name).clone_into(&mut self.file);
    }

    fn value(&mut self, value: &Node<'_>, place: ValuePlace, found: &mut FoundTraces) {
        self.document(value, place.line, found);
    }

    fn lists(&self) -> Option<ListsOfDocuments> {
        Some(&[])
    }

    fn finish(&mut self, found: &mut FoundTraces) -> bool {
        let errors = self.errors();
        if errors.is_empty() {
            self.end_runs(found);
        }
        if let Some((_, last)) = &mut self.last {
            // A file of a built-in format may lack any part.
            let notes = if self.map.is_built_in {
                Vec::new()
            } else {
                self.tally.notes(self.map)
            };
            notes
                .into_iter()
                .for_each(|note| last.report.note_of_map(note));
            last.report.add(&std::mem::take(&mut self.report));
        }
        self.tell(found);
        for (line, error) in errors {
            found.error(line, error);
        }
        false
    }
}

impl MappedFormat for Map {
    fn recognise(&self, value: &Node<'_>) -> Recognition {
        let Some(known_by) = &self.known_by else {
            return Recognition::No;
        };
        let (texts, nodes) = (Kept::new(), Kept::new());
        let memory = Memory::new("", MAX_DEPTH, &texts, &nodes);
        let document = Place::document(value.first_record());
        let mut first = None;
        match &self.records {
            None => first = Some(document),
            Some(path) => {
                _ = memory.each_item(path, &document, &mut |place| {
                    first.get_or_insert(place.into_level());
                });
            }
        }
        Recognition::certain_if(first.is_some_and(|record| known_by.hold(&record, &memory)))
    }

    fn reader(&'static self, scope: Scope) -> Box<dyn TraceReader> {
        Box::new(MapReader::new(self, scope))
    }

    fn text(&self) -> &str {
        &self.text
    }

    fn file(&self) -> Option<&str> {
        Some(&self.file)
    }

    fn reads(&self) -> Vec<(&'static str, String)> {
        self.reads()
    }
}
