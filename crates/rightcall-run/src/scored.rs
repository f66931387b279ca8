//! A scored block: the bytes of its result lines, and its scores in the form that sums need.

use std::collections::BTreeMap;
use std::hash::Hasher;
use std::ops::Range;
use std::sync::Arc;

use rightcall::call::Case;
use rightcall::{Evaluation, NotApplicable, Outcome};
use rightcall_formats::{Block, Record};
use siphasher::sip128::{Hasher128, SipHasher13};

use crate::case_label::Labelled;
use crate::duplicates::CaseKey;
use crate::findings::CaseFindings;
use crate::line::{CaseFields, Lines};
use crate::recording::meta_of;
use crate::redaction::without_number;
use crate::scores::{Mark, Marked};
use crate::{CaseRecord, Configured, Plan, Problem, Unmatched};

/// The results of consecutive records of one input.
#[derive(Debug)]
pub struct ScoredBlock {
    pub(crate) file: Arc<str>,
    /// The records; `None` where the input broke off.
    pub(crate) block: Option<Block>,
    pub(crate) bytes_read: u64,
    pub(crate) cases: Vec<ScoredCase>,
    /// What the evaluators made of the cases: all of the first case, then all of the second.
    pub(crate) marks: Vec<Mark>,
    pub(crate) problems: Vec<Problem>,
    /// Cases without a run that were left out.
    pub(crate) without_run: u64,
    /// Trajectories of which nothing is expected.
    pub(crate) without_expectation: u64,
    /// Keys of cases that are nearly others, each with the one that may be meant and the number of cases.
    pub(crate) near_keys: NearKeys,
    labels: String,
    lines: Lines,
}

/// Keys that are nearly others, each with the one that may be meant and the number of cases that have it.
pub type NearKeys = BTreeMap<String, (&'static str, u64)>;

/// Where a record is.
#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordPlace {
    /// Where it begins in its input, in bytes.
    pub(crate) offset: u64,
    pub(crate) length: usize,
    pub(crate) line: u64,
    /// Records before it, where they are counted.
    pub(crate) number: u64,
}

impl RecordPlace {
    pub(crate) fn of(record: &Record<'_>, number: u64) -> Self {
        let length = record.text.as_ref().map_or(0, |text| text.len());
        Self {
            offset: record.offset,
            length,
            line: record.line,
            number,
        }
    }
}

#[derive(Debug)]
pub(crate) struct ScoredCase {
    pub(crate) record: RecordPlace,
    /// `None` for a case without id, which no other can be a duplicate of.
    pub(crate) key: Option<CaseKey>,
    /// Gates that do not look at this case.
    pub(crate) other_gates: Vec<usize>,
    /// The groups it belongs to: those of the summary first, then those of each gate that looks at groups.
    pub(crate) groups: Vec<Vec<String>>,
    /// What its trials have in common, hashed; `None` where it is no trial of anything.
    pub(crate) trials: Option<u64>,
    /// What pairs the case with one of the baseline, where there is one.
    pub(crate) pairing: Option<Box<str>>,
    /// False where a run is missing, and that matters.
    pub(crate) has_run: bool,
    label: Range<usize>,
    trial: Option<Range<usize>>,
    /// The same, as people call it.
    trial_group: Option<Range<usize>>,
    /// What the case shows, where somebody will read it.
    pub(crate) findings: Option<Box<CaseFindings>>,
    /// Everything about the case, where it is kept.
    record_of_case: Option<Arc<CaseRecord>>,
    lines: (Range<usize>, Range<usize>),
}

/// The results of one case, in the making.
pub(crate) struct CaseResults<'c> {
    pub(crate) case: ScoredCase,
    fields: CaseFields<'c>,
    evaluated: usize,
}

impl CaseResults<'_> {
    /// What the case shows so far.
    pub(crate) fn findings(&mut self, case: &Case<'_>) -> &mut CaseFindings {
        self.case
            .findings
            .get_or_insert_with(|| Box::new(CaseFindings::of(case)))
    }
}

/// A block mostly has some hundred cases: growing would move them.
const USUAL_CASES: usize = 192;

impl ScoredBlock {
    pub(crate) fn new(file: &Arc<str>, bytes_read: u64) -> Self {
        Self {
            file: Arc::clone(file),
            block: None,
            bytes_read,
            cases: Vec::with_capacity(USUAL_CASES),
            marks: Vec::with_capacity(4 * USUAL_CASES),
            problems: Vec::new(),
            without_run: 0,
            without_expectation: 0,
            near_keys: NearKeys::new(),
            labels: String::new(),
            lines: Lines::default(),
        }
    }

    /// The results as JSON, one object a line; empty unless wanted.
    pub fn json(&self) -> &[u8] {
        &self.lines.json
    }

    /// The results as CSV rows; empty unless wanted.
    pub fn csv(&self) -> &[u8] {
        &self.lines.csv
    }

    /// The cases in input order, with everything about those that are kept.
    pub fn records(&self) -> impl Iterator<Item = Option<&Arc<CaseRecord>>> {
        self.cases.iter().map(|case| case.record_of_case.as_ref())
    }

    /// Begins the results of a case, if it is selected: as it is, and as it may be seen.
    pub(crate) fn admit<'c>(
        &mut self,
        plan: &Plan,
        (case, shown): (&Case<'_>, &Case<'c>),
        record: RecordPlace,
    ) -> Option<CaseResults<'c>> {
        for (key, meant) in &case.near_keys {
            self.near_keys
                .entry(key.to_display().into_owned())
                .or_insert((meant, 0))
                .1 += 1;
        }
        let label = case.label(&self.file, record.line);
        if !plan.selection.admits(case, &label) {
            return None;
        }
        if !plan.expected.is_empty() && case.expected.is_empty() && case.native.is_none() {
            self.without_expectation += 1;
            return None;
        }
        let has_run = case.actual.is_some() || plan.case_rule.is_none();
        if !has_run
            && plan
                .case_rule
                .as_ref()
                .is_some_and(|rule| rule.unmatched == Unmatched::Ignore)
        {
            self.without_run += 1;
            return None;
        }
        let end = (self.lines.json.len(), self.lines.csv.len());
        let scored = ScoredCase {
            record,
            key: case
                .id
                .as_ref()
                .map(|id| case_key(plan, id.as_bytes(), case.trial)),
            other_gates: plan
                .gates()
                .iter()
                .enumerate()
                .filter(|(_, gate)| !gate.looks_at(case))
                .map(|(number, _)| number)
                .collect(),
            groups: plan
                .groupings()
                .map(|grouping| grouping.of(shown).into_iter().map(without_number).collect())
                .collect(),
            trials: plan
                .is_trial(case)
                .then(|| trials_key(plan, &plan.trial_group_of(case, &label))),
            pairing: plan.baseline.as_ref().map(|baseline| {
                let key = baseline
                    .key
                    .of(&label, case.trial, meta_of(shown).as_deref());
                key.unwrap_or_else(|| label.clone()).into()
            }),
            has_run,
            label: 0..0,
            trial: None,
            trial_group: None,
            findings: None,
            record_of_case: None,
            lines: (end.0..end.0, end.1..end.1),
        };
        Some(CaseResults {
            case: scored,
            fields: CaseFields::new(shown, label, plan.wanted),
            evaluated: 0,
        })
    }

    /// Adds what an evaluator made of the case.
    pub(crate) fn add(
        &mut self,
        plan: &Plan,
        results: &mut CaseResults<'_>,
        configured: &Configured,
        evaluation: &mut Evaluation,
    ) {
        if !results.case.has_run {
            let evaluator = results.evaluated;
            evaluation.passed = plan
                .case_rule
                .as_ref()
                .and_then(|rule| rule.is_decisive(evaluator).then_some(false));
        }
        results.evaluated += 1;
        self.lines
            .add(plan.wanted, &results.fields, configured, evaluation);
        results.case.lines.0.end = self.lines.json.len();
        results.case.lines.1.end = self.lines.csv.len();
        self.marks.push(mark(evaluation));
    }

    /// Ends the results of the case.
    pub(crate) fn close(&mut self, plan: &Plan, results: &mut CaseResults<'_>, read: &Case<'_>) {
        let CaseResults {
            case,
            fields,
            evaluated,
        } = results;
        let marks = &self.marks[self.marks.len() - *evaluated..];
        if plan.recording.is_some() {
            let mark = plan.case_mark(marks, case.has_run);
            let place = (&*self.file, case.record.line);
            case.record_of_case =
                CaseRecord::of(plan, read, place, &fields.label, marks, &mark, case.has_run)
                    .map(Arc::new);
        }
        if let Some(rule) = &plan.case_rule {
            let mark = rule.mark(marks, case.has_run);
            self.lines.add_case(plan.wanted, fields, &mark);
            case.lines.0.end = self.lines.json.len();
            case.lines.1.end = self.lines.csv.len();
        }
        case.label = self.keep(&fields.label);
        case.trial = fields.trial.map(|trial| self.keep(trial));
        case.trial_group = case
            .trials
            .map(|_| self.keep(&plan.trial_group_of(read, &fields.label)));
    }

    fn keep(&mut self, text: &str) -> Range<usize> {
        let start = self.labels.len();
        self.labels.push_str(text);
        start..self.labels.len()
    }

    pub(crate) fn label(&self, case: &ScoredCase) -> &str {
        &self.labels[case.label.clone()]
    }

    /// `refund-7 (trial 2)`.
    pub(crate) fn label_with_trial(&self, case: &ScoredCase) -> String {
        let trial = self
            .trial(case)
            .map_or_else(String::new, |trial| format!(" (trial {trial})"));
        format!("{}{trial}", self.label(case))
    }

    pub(crate) fn trial(&self, case: &ScoredCase) -> Option<&str> {
        case.trial.clone().map(|trial| &self.labels[trial])
    }

    /// What the trials of the case have in common, as people call it.
    pub(crate) fn trial_group(&self, case: &ScoredCase) -> &str {
        case.trial_group
            .clone()
            .map_or_else(|| self.label(case), |group| &self.labels[group])
    }

    /// The cases with their marks.
    pub(crate) fn marked(&self, evaluators: usize) -> impl Iterator<Item = (&ScoredCase, &[Mark])> {
        self.cases.iter().zip(self.marks.chunks(evaluators.max(1)))
    }

    /// Takes these cases out, the results with them.
    pub(crate) fn remove(&mut self, unwanted: &[usize], evaluators: usize) {
        if unwanted.is_empty() {
            return;
        }
        let lines = std::mem::take(&mut self.lines);
        let marks = std::mem::take(&mut self.marks);
        let mut marks = marks.into_iter();
        let mut number = 0;
        self.cases.retain(|case| {
            let of_case = marks.by_ref().take(evaluators);
            let keep = !unwanted.contains(&number);
            number += 1;
            if keep {
                self.marks.extend(of_case);
                self.lines
                    .json
                    .extend_from_slice(&lines.json[case.lines.0.clone()]);
                self.lines
                    .csv
                    .extend_from_slice(&lines.csv[case.lines.1.clone()]);
            } else {
                of_case.for_each(drop);
            }
            keep
        });
    }
}

fn case_key(plan: &Plan, id: &[u8], trial: Option<&str>) -> CaseKey {
    let mut hasher = SipHasher13::new_with_keys(plan.reading.hash_key.0, plan.reading.hash_key.1);
    hasher.write(id);
    // No text holds this byte, so an id and a trial never run into each other.
    hasher.write_u8(0xFF);
    hasher.write(trial.unwrap_or_default().as_bytes());
    CaseKey::new(hasher.finish128().as_u128())
}

/// The key of what the trials of a case share.
fn trials_key(plan: &Plan, group: &str) -> u64 {
    let mut hasher = SipHasher13::new_with_keys(plan.reading.hash_key.0, plan.reading.hash_key.1);
    hasher.write(group.as_bytes());
    hasher.finish128().h1
}

fn mark(evaluation: &Evaluation) -> Mark {
    let outcome = match &evaluation.outcome {
        Outcome::Scored(score) => Marked::Score(score.get()),
        Outcome::NotApplicable(reason) => Marked::NotApplicable(kind_of(reason)),
        Outcome::Failed(error) => Marked::Error(error.to_string()),
    };
    Mark {
        outcome,
        passed: evaluation.passed,
    }
}

/// The reason without what belongs to one case alone, so that equal reasons can be counted.
fn kind_of(reason: &NotApplicable) -> String {
    match reason {
        NotApplicable::ExpectedOpen { field, .. } => {
            format!("an expected call has no `{field}`, and this evaluator compares it")
        }
        NotApplicable::NotRecorded { field, .. } => {
            format!("a call was recorded without `{field}`")
        }
        other => other.to_string(),
    }
}
