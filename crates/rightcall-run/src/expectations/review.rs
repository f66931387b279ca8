//! Expectations beside today's runs: what today's behaviour would change in them, and the file with the changes that a person
//! accepted.
//!
//! An expectation that a run meets is left as it is, byte for byte; of one that it does not meet, only the parts that fail are
//! written anew, and calls that are still made stay as they were written.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::io::{self, Write as _};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;

use rightcall::call::{Call, Case};
use rightcall::value::{Integer, Kind, Reader, Syntax, SyntaxError, Text, ValueEquality};
use rightcall_formats::join::TraceIndex;
use rightcall_formats::{CaseError, Limits, ReadOptions, case_text, read_bytes, read_case};

use super::recorder::{Ignored, Keep, Recorder, counted, ignored_of, order_text};
use crate::case_label::Labelled;
use crate::plan::Unread;
use crate::run::pieces;
use crate::{Observer, OutputFile, Plan, RunError};

/// What today's run would change in the expectation of a case.
#[derive(Clone, Debug)]
pub struct Change {
    /// Id of the case.
    pub label: String,
    /// The line of its expectation; `None` for a run that has none yet.
    pub line: Option<u64>,
    /// The line as it would be.
    pub text: String,
    /// The expectation with today's calls, as the text of a case: what a person has to see.
    pub shown: String,
    /// Evaluators that show what differs, each an argument of `-e`.
    pub by: Vec<&'static str>,
}

/// A comparison of expectations with runs.
#[derive(Debug, Default)]
pub struct Review {
    /// What would change, in the order of the file; runs without an expectation come last.
    pub changes: Vec<Change>,
    /// Expectations that today's run meets.
    pub met: u64,
    /// Cases that no run was found for.
    pub without_run: Vec<String>,
    /// Expectations with several runs, of which the first was taken.
    pub trials: u64,
    /// Records that could not be read.
    pub unreadable: u64,
}

/// Compares the expectations in the inputs of a plan with its traces; `ignored` adds to what the cases themselves say.
///
/// # Errors
/// An input that cannot be opened. What cannot be read is told to the observer and counted.
pub fn review(
    plan: &Plan,
    ignored: &[Ignored],
    observer: &mut dyn Observer,
) -> Result<Review, RunError> {
    let mut review = Review::default();
    let mut inputs = pieces(plan, &plan.inputs, &plan.reading);
    while let Some(piece) = inputs.next_piece()? {
        let (file, before) = (Arc::clone(&piece.file), piece.records_before);
        piece.each_block(|block| {
            let block = match block {
                Ok(block) => block,
                Err(broken) => {
                    review.unreadable += 1;
                    observer.problem(&crate::Problem::BrokenInput(broken));
                    return;
                }
            };
            for (number, record) in (before..).zip(block.records()) {
                let read = match &record.text {
                    Ok(text) => review.record(plan, ignored, text, (&file, record.line, number)),
                    Err(error) => Err(error.clone().into()),
                };
                if let Err(unread) = read {
                    review.unreadable += 1;
                    observer.problem(&unread.at(&file, &record));
                }
            }
        });
    }
    Ok(review)
}

impl Review {
    fn record(
        &mut self,
        plan: &Plan,
        ignored: &[Ignored],
        text: &str,
        at: (&Arc<str>, u64, u64),
    ) -> Result<(), Unread> {
        let case = read_case(text, &plan.reading)?;
        let label = case.label(at.0, at.1);
        let runs = plan.runs_of(
            &Case {
                trial: None,
                ..case.clone()
            },
            at.2,
        )?;
        let Some(run) = runs.first() else {
            if let (true, Some(traces)) = (plan.joins_by_order(), &plan.traces) {
                let id = case.id.as_ref().map(ToString::to_string);
                return Err(Unread::WithoutRun {
                    id,
                    number: at.2,
                    runs: traces.index.records(),
                });
            }
            self.without_run.push(label);
            return Ok(());
        };
        self.trials += u64::from(runs.len() > 1);
        let run = read_case(
            run,
            &ReadOptions {
                format: None,
                ..plan.reading
            },
        )?;
        let Some(today) = &run.actual else {
            self.without_run.push(label);
            return Ok(());
        };
        let ignored = [&ignored_of(&case)[..], ignored].concat();
        match Comparison::new(text, &case, ignored)?.change(text, &case, &today.calls) {
            None => self.met += 1,
            Some(change) => self.changes.push(Change {
                label,
                line: Some(at.1),
                ..change
            }),
        }
        Ok(())
    }

    /// Adds the runs of an index that no case has asked for, as the recorder would write them.
    ///
    /// # Errors
    /// A run that can no longer be read.
    pub fn add_new(
        &mut self,
        index: &TraceIndex,
        recorder: &Recorder,
        reading: &ReadOptions,
    ) -> Result<(), CaseError> {
        for (text, file) in index.unused_texts() {
            let mut run = read_case(
                &text,
                &ReadOptions {
                    format: None,
                    ..*reading
                },
            )?;
            run.id = reading.join.of(&run, file);
            let (Some(line), Some(actual)) = (recorder.line(&run), &run.actual) else {
                continue;
            };
            let mut shown = run.clone();
            shown.expected.calls = Some(Vec::new());
            shown.actual = Some(actual.clone());
            self.changes.push(Change {
                label: run.id.as_ref().map(ToString::to_string).unwrap_or_default(),
                line: None,
                text: line,
                shown: case_text(&shown),
                by: vec![CALLS],
            });
        }
        Ok(())
    }
}

/// How changes of calls, of calls by name alone, of an order and of counts are shown.
const CALLS: &str = "trajectory,align=lcs";
const NAMES: &str = "trajectory,align=lcs,match={\"args\":\"ignore\"}";
const OUTPUTS: &str = "trajectory,align=lcs,match={\"outputs\":\"exact\"}";
const ORDER: &str = "uipath/tool-call-order,edition=package";
const COUNTS: &str = "uipath/tool-call-count,edition=package";

/// An expectation as it stands in its line.
struct Comparison {
    recorder: Recorder,
    places: Places,
    has_outputs: bool,
    has_args: bool,
}

/// Where the parts of an expectation stand in the text of a case.
#[derive(Debug, Default)]
struct Places {
    expected: Range<usize>,
    calls: Vec<Range<usize>>,
    /// The list of calls, the order, the counts.
    list: Option<Range<usize>>,
    order: Option<Range<usize>>,
    counts: Option<Range<usize>>,
}

impl Places {
    fn of(text: &str) -> Result<Self, SyntaxError> {
        let mut places = Self::default();
        let reader = &mut Reader::new(text, Syntax::PYTHON);
        let mut first = reader.enter_object()?;
        while let Some(key) = reader.next_key(&mut first)? {
            if key != *"expected" {
                reader.raw()?;
                continue;
            }
            places = Self::default();
            let kind = reader.peek()?;
            let from = reader.offset();
            match kind {
                Kind::List => {
                    places.calls = items(reader)?;
                    places.list = Some(from..reader.offset());
                }
                Kind::Object => {
                    let mut first = reader.enter_object()?;
                    while let Some(key) = reader.next_key(&mut first)? {
                        let kind = reader.peek()?;
                        let from = reader.offset();
                        if key == *"calls" && kind == Kind::List {
                            places.calls = items(reader)?;
                        } else {
                            reader.raw()?;
                        }
                        let place = Some(from..reader.offset()).filter(|_| kind != Kind::Null);
                        match key.as_str() {
                            Some("calls") => places.list = place,
                            Some("order") => places.order = place,
                            Some("counts") => places.counts = place,
                            _ => {}
                        }
                    }
                }
                _ => _ = reader.raw()?,
            }
            places.expected = from..reader.offset();
        }
        Ok(places)
    }
}

/// The places of the items of a list.
fn items(reader: &mut Reader<'_>) -> Result<Vec<Range<usize>>, SyntaxError> {
    let mut items = Vec::new();
    let mut first = reader.enter_list()?;
    while reader.next_item(&mut first)? {
        reader.peek()?;
        let from = reader.offset();
        reader.raw()?;
        items.push(from..reader.offset());
    }
    Ok(items)
}

impl Comparison {
    fn new(text: &str, case: &Case<'_>, ignored: Vec<Ignored>) -> Result<Self, CaseError> {
        let other_shape = |found: &str| CaseError {
            pointer: "/expected".to_owned(),
            expected: "an expectation in rightcall's own form".into(),
            found: found.to_owned(),
            help: Some("`rightcall convert FILE -o cases.jsonl` writes it so".into()),
        };
        let places = Places::of(text).map_err(|_| other_shape("another text"))?;
        let calls = case.expected.calls.as_deref().unwrap_or_default();
        if case.expected.is_empty() {
            return Err(CaseError {
                help: Some("`rightcall record` makes expectations of runs".into()),
                ..other_shape("none")
            });
        }
        if case.native.is_some() || places.calls.len() != calls.len() || places.expected.is_empty()
        {
            return Err(other_shape("one in another form"));
        }
        let has_args = calls.is_empty() || calls.iter().any(|call| !call.arguments.is_absent());
        let has_outputs = calls.iter().any(|call| call.output.is_some());
        let mut keep = vec![if has_args { Keep::Args } else { Keep::Names }];
        keep.extend(has_outputs.then_some(Keep::Outputs));
        Ok(Self {
            recorder: Recorder::new(keep, ignored),
            places,
            has_outputs,
            has_args,
        })
    }

    /// What today's calls would change; `None` where they are what is expected.
    fn change(&self, text: &str, case: &Case<'_>, today: &[Call<'_>]) -> Option<Change> {
        let mut edits: Vec<(Range<usize>, String)> = Vec::new();
        let mut by = Vec::new();
        if let (Some(list), Some(expected)) = (&self.places.list, &case.expected.calls) {
            let today =
                in_the_order_of(expected, today, |expected, call| self.meets(expected, call));
            if expected.len() != today.len()
                || !expected
                    .iter()
                    .zip(&today)
                    .all(|(expected, call)| self.meets(expected, call))
            {
                edits.push((list.clone(), self.calls_text(text, expected, &today)));
                by.push(if self.has_outputs {
                    OUTPUTS
                } else if self.has_args {
                    CALLS
                } else {
                    NAMES
                });
            }
        }
        if let (Some(place), Some(expected)) = (&self.places.order, &case.expected.order) {
            let named: Vec<_> = expected
                .iter()
                .map(|name| Call {
                    name: name.clone(),
                    ..Call::default()
                })
                .collect();
            let today = in_the_order_of(&named, today, |expected, call| expected.name == call.name);
            if !expected.iter().eq(today.iter().map(|call| &call.name)) {
                let today: Vec<Call<'_>> = today.into_iter().cloned().collect();
                edits.push((place.clone(), order_text(&today)));
                by.push(ORDER);
            }
        }
        if let (Some(place), Some(expected)) = (&self.places.counts, &case.expected.counts) {
            let found = |name: &Text<'_>| {
                counted(today)
                    .into_iter()
                    .find(|(other, _)| **other == *name)
                    .map_or(0, |(_, number)| number)
            };
            let holds = |number: usize, count: &rightcall::call::Count<'_>| {
                count
                    .operator
                    .holds(&Integer::from(number as i64), &count.count)
                    == Some(true)
            };
            if !expected
                .iter()
                .all(|count| holds(found(&count.name), count))
            {
                let raw = text.get(place.clone()).unwrap_or_default();
                let kept = |index: usize| {
                    let count = &expected[index];
                    let number = found(&count.name);
                    (!holds(number, count)).then(|| format!("[\"=\",{number}]"))
                };
                edits.push((
                    place.clone(),
                    with_members(raw, kept).unwrap_or_else(|_| raw.to_owned()),
                ));
                by.push(COUNTS);
            }
        }
        if edits.is_empty() {
            return None;
        }
        let mut line = text.to_owned();
        edits.sort_by_key(|(place, _)| std::cmp::Reverse(place.start));
        for (place, new) in edits {
            line.replace_range(place, &new);
        }
        // What stands around the object belongs to the line, not to the case.
        let line = line.trim().to_owned();
        Some(Change {
            label: String::new(),
            line: None,
            text: line,
            shown: self.shown(text, case, today),
            by,
        })
    }

    /// True if a call is what is expected: what the expectation leaves open, it does not ask for.
    fn meets(&self, expected: &Call<'_>, call: &Call<'_>) -> bool {
        let same = |left: &str, right: &str| {
            let decoded = |json| rightcall::value::decode_with(json, Syntax::PYTHON);
            matches!((decoded(left), decoded(right)), (Ok(left), Ok(right)) if ValueEquality::Json.equal(&left, &right))
        };
        let arguments = || match (
            self.recorder.arguments(expected),
            self.recorder.arguments(call),
        ) {
            (Some(expected), Some(found)) => same(&expected, &found),
            (expected, found) => expected.is_none() == found.is_none(),
        };
        let output = || {
            call.output
                .zip(expected.output)
                .is_some_and(|(found, expected)| same(expected, found))
        };
        expected.name == call.name
            && (expected.arguments.is_absent() || arguments())
            && (expected.output.is_none() || output())
    }

    /// Today's calls as a list; those that were expected stay as they were written.
    fn calls_text(&self, text: &str, expected: &[Call<'_>], today: &[&Call<'_>]) -> String {
        let kept = self.kept(expected, today);
        // As the list has its calls apart.
        let places = &self.places.calls;
        let between = places
            .first()
            .zip(places.get(1))
            .and_then(|(first, second)| text.get(first.end..second.start))
            .unwrap_or(",");
        let mut list = String::from("[");
        for (index, call) in today.iter().enumerate() {
            if index > 0 {
                list.push_str(between);
            }
            match kept[index].and_then(|place| text.get(self.places.calls[place].clone())) {
                Some(written) => list.push_str(written),
                None => list.push_str(&self.recorder.call(call).replace(['\n', '\r'], " ")),
            }
        }
        list.push(']');
        list
    }

    /// For each of today's calls the expected one that it meets, by a longest common subsequence.
    fn kept(&self, expected: &[Call<'_>], today: &[&Call<'_>]) -> Vec<Option<usize>> {
        let width = today.len() + 1;
        let mut kept = vec![None; today.len()];
        // Lists so long are written anew as a whole.
        if (expected.len() + 1).saturating_mul(width) > MOST_CELLS {
            return kept;
        }
        let meets: Vec<bool> = expected
            .iter()
            .flat_map(|it| today.iter().map(|call| self.meets(it, call)))
            .collect();
        let meets = |row: usize, column: usize| meets[row * today.len() + column];
        let mut lengths = vec![0_u32; (expected.len() + 1) * width];
        for row in (0..expected.len()).rev() {
            for column in (0..today.len()).rev() {
                lengths[row * width + column] = if meets(row, column) {
                    lengths[(row + 1) * width + column + 1] + 1
                } else {
                    lengths[(row + 1) * width + column].max(lengths[row * width + column + 1])
                };
            }
        }
        let (mut row, mut column) = (0, 0);
        while row < expected.len() && column < today.len() {
            if meets(row, column) {
                kept[column] = Some(row);
                (row, column) = (row + 1, column + 1);
            } else if lengths[(row + 1) * width + column] >= lengths[row * width + column + 1] {
                row += 1;
            } else {
                column += 1;
            }
        }
        kept
    }

    /// A case with the old expectation and what of today's calls is compared with it.
    fn shown(&self, text: &str, case: &Case<'_>, today: &[Call<'_>]) -> String {
        let mut shown = String::from("{");
        if let Some(input) = case.input {
            _ = write!(shown, "\"input\":{input},");
        }
        _ = write!(
            shown,
            "\"expected\":{},\"actual\":[",
            text.get(self.places.expected.clone()).unwrap_or("[]")
        );
        for (index, call) in today.iter().enumerate() {
            if index > 0 {
                shown.push(',');
            }
            let arguments = self
                .recorder
                .arguments(call)
                .unwrap_or_else(|| "{}".to_owned());
            let mut writer = rightcall::value::JsonWriter::new();
            writer
                .begin_object()
                .key("name")
                .text(&call.name)
                .key("args")
                .raw(&arguments);
            if let Some(output) = call.output {
                writer.key("output").raw(output);
            }
            if let Some(group) = &call.group {
                writer.key("group").text(group);
            }
            writer.end_object();
            shown.push_str(writer.finish().as_str());
        }
        shown.push_str("]}");
        shown
    }
}

/// Cells of the table that finds what two lists of calls have in common.
const MOST_CELLS: usize = 4_000_000;

/// Calls in the order of a trace, but for those that were asked for together: they have none, and stand as they are expected.
fn in_the_order_of<'c, 'a>(
    expected: &[Call<'_>],
    calls: &'c [Call<'a>],
    meets: impl Fn(&Call<'_>, &Call<'a>) -> bool,
) -> Vec<&'c Call<'a>> {
    let mut ordered = Vec::with_capacity(calls.len());
    let mut from = 0;
    while from < calls.len() {
        let group = &calls[from].group;
        let together = calls[from..]
            .iter()
            .take_while(|call| group.is_some() && call.group == *group)
            .count()
            .max(1);
        let mut left: Vec<_> = calls[from..from + together].iter().collect();
        for place in from..from + together {
            let wanted = expected
                .get(place)
                .and_then(|expected| left.iter().position(|call| meets(expected, call)));
            ordered.push(wanted.map(|at| left.remove(at)));
        }
        let mut left = left.into_iter();
        for call in &mut ordered[from..] {
            if call.is_none() {
                *call = left.next();
            }
        }
        from += together;
    }
    ordered.into_iter().flatten().collect()
}

/// The text of an object with other values where there are such; `new` gives them by the place of the member.
fn with_members(
    object: &str,
    new: impl Fn(usize) -> Option<String>,
) -> Result<String, SyntaxError> {
    let reader = &mut Reader::new(object, Syntax::PYTHON);
    let mut places = Vec::new();
    let mut first = reader.enter_object()?;
    while reader.next_key(&mut first)?.is_some() {
        reader.peek()?;
        let from = reader.offset();
        reader.raw()?;
        places.push(from..reader.offset());
    }
    let mut text = object.to_owned();
    for (index, place) in places.into_iter().enumerate().rev() {
        if let Some(value) = new(index) {
            text.replace_range(place, &value);
        }
    }
    Ok(text)
}

/// Why a file of expectations is not rewritten.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RewriteError {
    /// It is not JSON Lines, as they stand.
    #[error("only plain JSON Lines are rewritten")]
    NotLines,
    /// It was written to since it was read.
    #[error("line {0} is another one than before")]
    Changed(u64),
    /// It cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
}

/// Rewrites the lines of the changes with these numbers; all other bytes stay as they are. The file is replaced when it is whole.
///
/// # Errors
/// The file is no plain JSON Lines, has changed, or cannot be written; it is then as it was.
pub fn rewrite(
    path: &Path,
    changes: &[Change],
    accepted: &BTreeSet<usize>,
    originals: &Originals,
) -> Result<(), RewriteError> {
    let bytes = read_bytes(path, originals.limits.max_document)?;
    if bytes != originals.bytes {
        let before = originals.bytes.split(|byte| *byte == b'\n');
        let line = bytes
            .split(|byte| *byte == b'\n')
            .zip(before)
            .position(|(now, then)| now != then);
        return Err(RewriteError::Changed(line.unwrap_or_default() as u64 + 1));
    }
    let mut output = OutputFile::create(path)?;
    let mut lines: Vec<&[u8]> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
    let of = |line: u64| {
        accepted
            .iter()
            .map(|&it| &changes[it])
            .find(move |change| change.line == Some(line))
    };
    let last = lines.pop_if(|line| !line.ends_with(b"\n"));
    let mut number = 0;
    for line in lines.into_iter().chain(last) {
        number += 1;
        match of(number) {
            Some(change) => {
                let (head, _, tail) = around(line);
                output.write_all(head)?;
                output.write_all(change.text.as_bytes())?;
                output.write_all(tail)?;
            }
            None => output.write_all(line)?,
        }
    }
    let new: Vec<_> = accepted
        .iter()
        .map(|&it| &changes[it])
        .filter(|change| change.line.is_none())
        .collect();
    if !new.is_empty() && !bytes.is_empty() && !bytes.ends_with(b"\n") {
        output.write_all(b"\n")?;
    }
    for change in new {
        output.write_all(change.text.as_bytes())?;
        output.write_all(b"\n")?;
    }
    output.commit()?;
    Ok(())
}

const BYTE_ORDER_MARK: [u8; 3] = [0xEF, 0xBB, 0xBF];

/// What stands before the object of a line, the object, and what stands behind it.
fn around(line: &[u8]) -> (&[u8], &[u8], &[u8]) {
    let from = line
        .iter()
        .position(|&byte| byte == b'{')
        .unwrap_or(line.len());
    let to = line
        .iter()
        .rposition(|&byte| byte == b'}')
        .map_or(from, |at| at + 1)
        .max(from);
    (&line[..from], &line[from..to], &line[to..])
}

/// The bytes of a file as they were when it was compared.
#[derive(Debug)]
pub struct Originals {
    bytes: Vec<u8>,
    limits: Limits,
}

impl Originals {
    /// Reads the file, and checks that every change stands on a line of its own.
    ///
    /// # Errors
    /// It is no plain JSON Lines, or cannot be read.
    pub fn read(path: &Path, limits: Limits) -> io::Result<Self> {
        Ok(Self {
            bytes: read_bytes(path, limits.max_document)?,
            limits,
        })
    }

    /// True if each of these lines is an object of its own, so that it can be replaced.
    pub fn hold(&self, changes: &[Change]) -> bool {
        let lines: Vec<_> = self.bytes.split(|byte| *byte == b'\n').collect();
        let whole = |line: u64| {
            let Some(line) = usize::try_from(line)
                .ok()
                .and_then(|it| lines.get(it.checked_sub(1)?))
            else {
                return false;
            };
            let (head, object, tail) = around(line);
            let is_blank = |bytes: &[u8]| {
                bytes
                    .iter()
                    .all(|byte| byte.is_ascii_whitespace() || BYTE_ORDER_MARK.contains(byte))
            };
            let Ok(text) = std::str::from_utf8(object) else {
                return false;
            };
            let mut reader = Reader::new(
                text,
                Syntax {
                    max_depth: self.limits.max_depth,
                    ..Syntax::PYTHON
                },
            );
            !text.is_empty()
                && is_blank(head)
                && is_blank(tail)
                && reader.raw().is_ok()
                && reader.end().is_ok()
        };
        changes.iter().filter_map(|change| change.line).all(whole)
    }
}
