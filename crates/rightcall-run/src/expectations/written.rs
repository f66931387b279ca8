//! An expectation as text in a line of a file, and the change that a run would make to it.

use std::ops::Range;

use rightcall_core::call::{Call, Case, Count};
use rightcall_core::expectation::{ProcessTree, Repair};
use rightcall_core::value::{
    Integer, JsonWriter, RawJson, Syntax, SyntaxError, Text, ValueEquality, decode_with,
    on_one_line,
};
use rightcall_core::{Ask, CallAlignment, Explanation};
use rightcall_formats::CaseError;

use super::ignored::IgnoredArguments;
use super::places::{ExpectationPlaces, members};
use super::recorder::{ExpectationRecorder, RecordedPart, counted, order_text};
use super::redacted::with_any_redacted;
use crate::{Configured, EvaluatorArgument, Redaction};

/// The change of a case's expectation for today's run.
#[derive(Clone, Debug)]
pub struct ExpectationChange {
    /// Id of the case.
    pub label: String,
    /// The line of its expectation; `None` for a run without an expectation.
    pub line: Option<u64>,
    /// The new line. It accepts today's run and, if a repair is possible, all runs accepted before.
    pub text: String,
    /// The new line that expects only today's run, if it differs from `text`.
    pub replaced: Option<String>,
    /// The old expectation with today's calls as the text of a case, for display.
    pub shown: String,
    /// Arguments of `-e` for evaluators that show the difference.
    pub by: Vec<&'static str>,
    /// The repair, one step per line; empty if the expectation is replaced.
    pub repair: Vec<String>,
}

impl ExpectationChange {
    /// The explanations of the evaluators that show the difference, for the case in `shown`.
    pub fn explanations(&self, case: &Case<'_>) -> Vec<Explanation> {
        let explanations = self.by.iter().filter_map(|argument| {
            let configured =
                Configured::new(EvaluatorArgument::parse(argument).ok()?, None).ok()?;
            let evaluation = configured.evaluator.evaluate(case, Ask::EXPLANATION);
            evaluation.explanation.map(|it| *it)
        });
        explanations.collect()
    }
}

/// The evaluators that show changed calls, names, outputs, order and counts.
pub(super) const CALLS: &str = "trajectory,align=lcs";
const NAMES: &str = "trajectory,align=lcs,match={\"args\":\"ignore\"}";
const OUTPUTS: &str = "trajectory,align=lcs,match={\"outputs\":\"exact\"}";
const ORDER: &str = "uipath/tool-call-order,edition=package";
/// The evaluator that shows why an expectation in blocks rejects a run.
const FITNESS: &str = "fitness";
const COUNTS: &str = "uipath/tool-call-count,edition=package";

/// An expectation with the text of its line.
pub(super) struct WrittenExpectation<'t> {
    text: &'t str,
    case: &'t Case<'t>,
    recorder: ExpectationRecorder,
    places: ExpectationPlaces,
    /// The evaluator that shows changed calls.
    shown_by: &'static str,
}

/// New text for a range of the line, and the evaluator that shows the difference.
type Edit = (Range<usize>, String, &'static str);

impl<'t> WrittenExpectation<'t> {
    pub(super) fn new(
        text: &'t str,
        case: &'t Case<'t>,
        ignored: Vec<IgnoredArguments>,
        redaction: &Redaction,
    ) -> Result<Self, CaseError> {
        let other_shape = |found: &str| CaseError {
            pointer: "/expected".to_owned(),
            expected: "an expectation in rightcall's own form".into(),
            found: found.to_owned(),
            help: Some("`rightcall convert FILE -o cases.jsonl` writes it so".into()),
        };
        let places = ExpectationPlaces::new(text).map_err(|_| other_shape("another text"))?;
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
        let has_outputs = calls.iter().any(|call| call.metadata().output.is_some());
        let mut keep = vec![if has_args {
            RecordedPart::Args
        } else {
            RecordedPart::Names
        }];
        keep.extend(has_outputs.then_some(RecordedPart::Outputs));
        Ok(Self {
            text,
            case,
            recorder: ExpectationRecorder::new(keep, ignored).redacting(redaction.clone()),
            places,
            shown_by: match (has_outputs, has_args) {
                (true, _) => OUTPUTS,
                (false, true) => CALLS,
                (false, false) => NAMES,
            },
        })
    }

    /// The change for today's calls; `None` if they meet the expectation. `hidden` are the same
    /// calls without redacted values.
    pub(super) fn change(
        &self,
        label: String,
        line: u64,
        today: &[Call<'t>],
        hidden: &[Call<'_>],
    ) -> Option<ExpectationChange> {
        let mut edits: Vec<Edit> = [
            self.calls_edit(today, hidden),
            self.order_edit(today),
            self.counts_edit(today),
        ]
        .into_iter()
        .flatten()
        .collect();
        if edits.is_empty() {
            return None;
        }
        let by = edits.iter().map(|(.., by)| *by).collect();
        // Replace from the end, so the other ranges stay valid.
        edits.sort_by_key(|(place, ..)| std::cmp::Reverse(place.start));
        let replaced = edited(self.text, &edits);
        let repair = self.repair(today, hidden);
        for (place, new, _) in &mut edits {
            if let Some(repair) = repair
                .as_ref()
                .filter(|_| self.places.list.as_ref() == Some(place))
            {
                *new = with_any_redacted(repair.expected.as_str());
            }
        }
        Some(ExpectationChange {
            label,
            line: Some(line),
            text: edited(self.text, &edits),
            replaced: repair.is_some().then_some(replaced),
            shown: shown(self.text, self.case, &self.places, &self.recorder, hidden),
            by,
            repair: repair.as_ref().map_or_else(Vec::new, steps),
        })
    }

    /// Repairs a list of calls so that it accepts today's calls too. `None` if that is impossible,
    /// or if arguments are ignored, which blocks can't express.
    fn repair(&self, today: &[Call<'t>], hidden: &[Call<'_>]) -> Option<Repair> {
        let (place, expected) = self
            .places
            .list
            .clone()
            .zip(self.case.expected.calls.as_ref())?;
        if self.recorder.ignores_arguments() {
            return None;
        }
        let aligned = CallAlignment::new(expected, today, |one, other| self.meets(one, other));
        let kept = |index: &usize| self.recorder.kept(&hidden[*index]);
        let calls = aligned.order.iter().map(kept);
        // A list with a key that blocks don't allow is rebuilt from its parsed calls.
        let tree = ProcessTree::read(&self.text[place]);
        let tree = tree.unwrap_or_else(|_| ProcessTree::from_calls(expected));
        let repair = tree.repair(&calls.collect::<Vec<_>>()).ok()?;
        (!aligned.is_same && repair.cost > 0).then_some(repair)
    }

    fn calls_edit(&self, today: &[Call<'t>], hidden: &[Call<'_>]) -> Option<Edit> {
        let (place, expected) = self
            .places
            .list
            .clone()
            .zip(self.case.expected.calls.as_ref())?;
        let aligned = CallAlignment::new(expected, today, |one, other| self.meets(one, other));
        let text = || self.calls_text(&aligned, hidden);
        (!aligned.is_same).then(|| (place, text(), self.shown_by))
    }

    fn order_edit(&self, today: &[Call<'t>]) -> Option<Edit> {
        let (place, expected) = self
            .places
            .order
            .clone()
            .zip(self.case.expected.order.as_ref())?;
        let named = |name: &Text<'t>| Call {
            name: name.clone(),
            ..Call::default()
        };
        let expected: Vec<_> = expected.iter().map(named).collect();
        let aligned = CallAlignment::new(&expected, today, |one, other| one.name == other.name);
        let today = aligned.order.iter().map(|&index| &today[index]);
        (!aligned.is_same).then(|| (place, order_text(today), ORDER))
    }

    fn counts_edit(&self, today: &[Call<'t>]) -> Option<Edit> {
        let (place, expected) = self
            .places
            .counts
            .clone()
            .zip(self.case.expected.counts.as_ref())?;
        let today = counted(today);
        let found = |count: &Count<'_>| {
            let mut of_name = today.iter().filter(|(name, _)| **name == count.name);
            of_name.next().map_or(0, |(_, number)| *number)
        };
        let holds = |count: &Count<'_>| {
            let found = Integer::from(found(count) as i64);
            count.operator.holds(&found, &count.count) == Some(true)
        };
        if expected.iter().all(holds) {
            return None;
        }
        let new = |count: &Count<'_>| (!holds(count)).then(|| format!("[\"=\",{}]", found(count)));
        let raw = &self.text[place.clone()];
        let text = with_members(raw, &expected.iter().map(new).collect::<Vec<_>>());
        Some((place, text.unwrap_or_else(|_| raw.to_owned()), COUNTS))
    }

    /// True if a call meets the expected one. Fields that the expectation omits are not compared.
    fn meets(&self, expected: &Call<'_>, call: &Call<'_>) -> bool {
        let same = |left: &str, right: &str| {
            let decoded = |json| decode_with(json, Syntax::PYTHON);
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
            call.metadata()
                .output
                .as_deref()
                .zip(expected.metadata().output.as_deref())
                .is_some_and(|(found, expected)| same(expected, found))
        };
        expected.name == call.name
            && (expected.arguments.is_absent() || arguments())
            && (expected.metadata().output.is_none() || output())
    }

    /// Today's calls as a list. Calls that were already expected keep their text.
    fn calls_text(&self, aligned: &CallAlignment, today: &[Call<'_>]) -> String {
        // Separate calls as the existing list does.
        let places = &self.places.calls;
        let between = match &places[..] {
            [first, second, ..] => &self.text[first.end..second.start],
            _ => ",",
        };
        let call = |(&index, answer): (&usize, &Option<usize>)| match answer {
            Some(expected) => self.text[places[*expected].clone()].to_owned(),
            None => on_one_line(self.recorder.call(&today[index])),
        };
        let calls: Vec<_> = aligned
            .order
            .iter()
            .zip(&aligned.answers)
            .map(call)
            .collect();
        format!("[{}]", calls.join(between))
    }
}

/// The line with these edits, which are sorted from its end. Whitespace around the object belongs to the line, not to the case.
fn edited(line: &str, edits: &[Edit]) -> String {
    let mut text = line.to_owned();
    for (place, new, _) in edits {
        text.replace_range(place.clone(), new);
    }
    text.trim().to_owned()
}

/// The steps of a repair, as sentences.
fn steps(repair: &Repair) -> Vec<String> {
    let changes = repair.changes.iter().map(ToString::to_string);
    let doubt = "a smaller repair was not ruled out".to_owned();
    changes
        .chain((!repair.is_smallest()).then_some(doubt))
        .collect()
}

/// The change of an expectation in blocks by a repair that accepts today's calls too.
pub(super) fn repaired(
    text: &str,
    case: &Case<'_>,
    repair: &Repair,
    today: &[Call<'_>],
) -> Result<ExpectationChange, SyntaxError> {
    let places = ExpectationPlaces::new(text)?;
    let recorder = ExpectationRecorder::new(vec![RecordedPart::Args], Vec::new());
    let shown = shown(text, case, &places, &recorder, today);
    let place = places.list.clone().unwrap_or(places.expected.clone());
    let calls = today.iter().map(|call| on_one_line(recorder.call(call)));
    let calls = format!("[{}]", calls.collect::<Vec<_>>().join(","));
    let replaced = [(place.clone(), with_any_redacted(&calls), FITNESS)];
    let edit = [(place, with_any_redacted(repair.expected.as_str()), FITNESS)];
    Ok(ExpectationChange {
        label: String::new(),
        line: None,
        text: edited(text, &edit),
        replaced: Some(edited(text, &replaced)),
        shown,
        by: vec![FITNESS],
        repair: steps(repair),
    })
}

/// The old expectation with the compared parts of today's calls, as a case.
fn shown(
    text: &str,
    case: &Case<'_>,
    places: &ExpectationPlaces,
    recorder: &ExpectationRecorder,
    today: &[Call<'_>],
) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object();
    writer.optional("input", case.input.map(RawJson));
    writer.key("expected").raw(&text[places.expected.clone()]);
    writer.key("actual").list(today, |writer, call| {
        let arguments = recorder.arguments(call);
        let arguments = arguments.as_deref().unwrap_or("{}");
        writer.begin_object().key("name").text(&call.name);
        writer.key("args").raw(arguments);
        let metadata = call.metadata();
        writer.optional("output", metadata.output.as_deref().map(RawJson));
        writer.optional("group", metadata.group.as_ref());
        writer.end_object();
    });
    writer.end_object();
    writer.finish().into_string()
}

/// The text of an object, with some values replaced by the position of their member.
fn with_members(object: &str, new: &[Option<String>]) -> Result<String, SyntaxError> {
    let places = members(object, 0..object.len())?;
    let mut text = object.to_owned();
    for ((_, place), value) in places.into_iter().zip(new).rev() {
        if let Some(value) = value {
            text.replace_range(place, value);
        }
    }
    Ok(text)
}
