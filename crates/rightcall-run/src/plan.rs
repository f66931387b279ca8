//! The configuration of a run: what to score, and how.

use std::borrow::Cow;
use std::collections::HashSet;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;

use rightcall_core::call::Case;
use rightcall_core::value::{HashKey, Text};
use rightcall_core::{Ask, Evaluation, EvaluationError, Outcome, PreparedCase};
use rightcall_formats::join::{Join, join_actual, without_actual};
use rightcall_formats::{
    CaseError, Limits, Location, ReadError, ReadOptions, Record, RecordContent, read_case,
};
use rightcall_results::{EvaluationResult, EvaluatorHead, GateSubject, RunHead, TrialRule};
use rightcall_stats::{RunScores, TrialScores};

use crate::case_key::of_id;
use crate::case_rule::mean_of;
use crate::redaction::shown;
use crate::select::meta_value;
use crate::{
    Baseline, CaseRule, Configured, ExpectationRule, FailedCases, Filter, FoundCase, Gate,
    Grouping, Investigation, Problem, RUN_ID, Redaction, Traces,
};

/// What to score, and how.
#[derive(Debug)]
pub struct Plan {
    /// The files of cases, in order.
    pub inputs: Vec<PathBuf>,
    /// How records are read.
    pub reading: ReadOptions,
    /// Memory limits for inputs.
    pub limits: Limits,
    /// Runs in other files.
    pub traces: Option<Traces>,
    /// Expectations for trajectories without one. If there are any, a trajectory that no rule
    /// applies to is left out.
    pub expected: Vec<ExpectationRule>,
    /// The evaluators, in the order of the results of a case.
    pub evaluators: Vec<Configured>,
    /// How to combine the evaluations of a case; `None` if no output needs one score and one verdict.
    pub case_rule: Option<CaseRule>,
    /// The meta key that trials of a case share; `None` if they share the id.
    pub trial_group: Option<String>,
    /// Groups that the summary shows separately.
    pub by: Option<Grouping>,
    /// Meta keys that distinguish the runs of a case, in addition to `model` and the keys of `by`.
    pub identity: Vec<String>,
    /// The gates. If set, even to an empty list, only gates decide whether the run passes; with `None`, verdicts do.
    pub gates: Option<Vec<Gate>>,
    /// The baseline for gates on changes. If set, the results of all cases are kept in memory.
    pub baseline: Option<Baseline>,
    /// The number of gates on changes that are left out because this run becomes the baseline.
    pub unjudged_changes: u64,
    /// True if all cases with the same id and trial count, as rows of trainers do. Otherwise only
    /// the first counts, and the others are errors.
    pub counts_repeats: bool,
    /// Which cases count.
    pub selection: Selection,
    /// Which findings to collect, if any output reports them.
    pub investigation: Option<Investigation>,
    /// Values to hide in the cases.
    pub redaction: Redaction,
    /// Length limit of the lists of low cases, failures and reasons; all are counted.
    pub listed: usize,
    /// Number of threads that score.
    pub threads: usize,
}

/// Default length limit of lists.
const LISTED: usize = 10;

/// Selects the cases to score.
#[derive(Debug, Default)]
pub struct Selection {
    /// Only cases with this text in their id (or `FILE:LINE` without an id), ignoring case.
    pub text: Option<String>,
    /// Only cases that pass the filter.
    pub only: Filter,
    /// Only cases with one of these names, if the list is not empty.
    pub cases: Vec<String>,
    /// Only cases that failed in an earlier run.
    pub failed: Option<FailedCases>,
}

impl Selection {
    /// True if everything is selected.
    pub fn is_everything(&self) -> bool {
        self.text.is_none()
            && self.only.is_everything()
            && self.cases.is_empty()
            && self.failed.is_none()
    }

    pub(crate) fn admits(&self, case: &Case<'_>, label: &str) -> bool {
        let text = self
            .text
            .as_ref()
            .is_none_or(|text| label.to_lowercase().contains(&text.to_lowercase()));
        let failed = self
            .failed
            .as_ref()
            .is_none_or(|failed| failed.contains(label, case.trial));
        let named = self.cases.is_empty() || self.cases.iter().any(|case| case == label);
        text && failed && named && self.only.admits(case)
    }
}

impl Plan {
    /// A plan for these inputs without evaluators, on one thread. Set the other fields as needed.
    pub fn new(inputs: Vec<PathBuf>, reading: ReadOptions, limits: Limits) -> Self {
        Self {
            inputs,
            reading,
            limits,
            traces: None,
            expected: Vec::new(),
            evaluators: Vec::new(),
            case_rule: None,
            trial_group: None,
            by: None,
            identity: Vec::new(),
            gates: None,
            baseline: None,
            unjudged_changes: 0,
            counts_repeats: false,
            selection: Selection::default(),
            investigation: None,
            redaction: Redaction::default(),
            listed: LISTED,
            threads: 1,
        }
    }

    /// The gates; empty if verdicts decide.
    pub fn gates(&self) -> &[Gate] {
        self.gates.as_deref().unwrap_or_default()
    }

    /// The baseline to compare these results with. If the run only has some trials, the baseline is
    /// reduced to them: a failed trial is not a regression of a case whose other trials passed.
    pub fn baseline_of(&self, after: &RunScores) -> Option<Cow<'_, RunScores>> {
        let before = self.baseline.as_ref()?.results.as_ref()?;
        if self.selection.failed.is_none() {
            return Some(Cow::Borrowed(before));
        }
        let trial = |case: &TrialScores| (case.key.clone(), case.trial.clone());
        let selected: HashSet<_> = after.cases.iter().map(trial).collect();
        let mut before = before.clone();
        before.cases.retain(|case| selected.contains(&trial(case)));
        Some(Cow::Owned(before))
    }

    /// True if the summary or a gate combines the case with other trials.
    pub(crate) fn is_trial(&self, case: &Case<'_>) -> bool {
        let counts_together = |gate: &Gate| matches!(gate.subject, GateSubject::Passed(rule) if rule != TrialRule::Each);
        case.trial.is_some()
            || self.trial_group.is_some()
            || self.gates().iter().any(counts_together)
    }

    /// The values that distinguish the runs of a case, in addition to id and trial: its model and
    /// identity keys, as JSON texts.
    pub(crate) fn identity_of<'c>(&'c self, case: &'c Case<'_>) -> impl Iterator<Item = &'c str> {
        self.identity_keys().filter_map(|wanted| {
            let found = case.meta.iter().find(|(key, _)| *key == *wanted);
            found.map(|(_, json)| *json)
        })
    }

    /// The distinguishing values as `--where` takes them, each with its key; empty if values are
    /// redacted.
    pub(crate) fn variant_of(&self, case: &Case<'_>) -> Vec<(String, String)> {
        let mut variant = Vec::new();
        if !self.redaction.is_empty() {
            return variant;
        }
        for key in self.identity_keys() {
            if let Some(value) = meta_value(case, key)
                && variant.iter().all(|(known, _)| known != key)
            {
                variant.push((key.to_owned(), value));
            }
        }
        variant
    }

    fn identity_keys(&self) -> impl Iterator<Item = &str> {
        let grouped = self.by.iter().flat_map(Grouping::keys);
        let keys = grouped.chain(&self.identity).map(String::as_str);
        std::iter::once("model").chain(keys)
    }

    /// The group of the case's trials: the value of a meta key, or the id without the trial.
    pub(crate) fn trial_group_of(&self, case: &Case<'_>, label: &str) -> String {
        let of_key = self.trial_group.as_deref();
        of_key
            .and_then(|key| meta_value(case, key))
            .unwrap_or_else(|| of_id(label, case.trial, None))
    }

    /// Combines the evaluations of a case.
    pub(crate) fn whole_case(
        &self,
        evaluations: &[EvaluationResult],
        has_run: bool,
    ) -> EvaluationResult {
        match &self.case_rule {
            Some(rule) => rule.whole(evaluations, has_run),
            None => mean_of(evaluations),
        }
    }

    /// The header of the run, for outputs.
    pub fn head(&self, title: &str) -> RunHead {
        let head = |(configured, label): (&Configured, String)| EvaluatorHead {
            label,
            ..configured.head()
        };
        let evaluators = self.evaluators.iter().zip(labels(&self.evaluators));
        RunHead {
            title: title.to_owned(),
            evaluators: evaluators.map(head).collect(),
            has_whole_cases: self.case_rule.is_some(),
            ..RunHead::default()
        }
    }

    /// Reads record `number` (from 0) and passes its case to `each`, or one case per run in the
    /// traces. With traces, a run in the record itself is ignored.
    pub(crate) fn read(
        &self,
        record: RecordContent<'_>,
        number: u64,
        each: &mut dyn FnMut(&Case<'_>),
    ) -> Result<(), Unread> {
        let case = record.case(&self.reading)?;
        if self.traces.is_none() && self.expected.is_empty() {
            each(&case);
            return Ok(());
        }
        let runs = self.runs_of(&case, number)?;
        for (run, place) in runs.iter().zip(1..) {
            let run = read_case(run, &self.reading.of_any_format())?;
            let traces = self.traces.as_ref();
            let run_id = traces.and_then(|it| it.other_id(&case, &run));
            let mut joined = join_actual(case.clone(), run);
            if let Some(id) = &run_id {
                joined.meta.push((Text::new(RUN_ID), id.as_str()));
            }
            let is_trial = runs.len() > 1 && self.joins_by_question();
            let trial = is_trial.then(|| place.to_string());
            joined.trial = joined.trial.or(trial.as_deref());
            each(&self.complete(joined));
        }
        if !runs.is_empty() {
            return Ok(());
        }
        let missing = self
            .traces
            .as_ref()
            .filter(|_| self.joins_by_order())
            .map(|traces| {
                let id = case.id.as_ref().map(ToString::to_string);
                Unread::WithoutRun {
                    id,
                    number,
                    runs: traces.index.records(),
                }
            });
        // If traces are given, a missing run is not silently replaced by the record's own run.
        let case = match self.traces {
            Some(_) => without_actual(case),
            None => case,
        };
        each(&self.complete(case));
        missing.map_or(Ok(()), Err)
    }

    /// The texts of the runs for the case of record `number`.
    pub(crate) fn runs_of(&self, case: &Case<'_>, number: u64) -> Result<Vec<String>, ReadError> {
        let Some(Traces { index, reading, .. }) = &self.traces else {
            return Ok(Vec::new());
        };
        if reading.join == Join::Order {
            return Ok(index.find_nth(number)?.into_iter().collect());
        }
        let name = reading.join.of_case(case);
        name.map_or(Ok(Vec::new()), |name| index.find(&name, case))
    }

    /// True if runs with the same question are trials of one case.
    fn joins_by_question(&self) -> bool {
        let traces = self.traces.as_ref();
        traces.is_some_and(|traces| traces.reading.join == Join::Input)
    }

    /// The question by which the case found its run.
    pub(crate) fn question_of(&self, case: &Case<'_>) -> Option<Text<'static>> {
        let has_run = self.joins_by_question() && case.actual.is_some();
        let question = has_run.then(|| Join::Input.of_case(case)).flatten();
        question.map(Text::into_owned)
    }

    /// True if runs and cases are matched by position.
    pub fn joins_by_order(&self) -> bool {
        self.traces
            .as_ref()
            .is_some_and(|traces| traces.reading.join == Join::Order)
    }

    /// The number of runs beyond the last case, if runs and cases are matched by position.
    pub(crate) fn runs_out_of_place(&self) -> u64 {
        self.traces
            .as_ref()
            .filter(|_| self.joins_by_order())
            .map_or(0, |traces| traces.index.unused(0).0)
    }

    /// Reads a run and passes it to `each` if no case has used it.
    pub(crate) fn read_lone_run(
        &self,
        record: RecordContent<'_>,
        (file, number): (&str, u64),
        each: &mut dyn FnMut(&Case<'_>),
    ) -> Result<(), Unread> {
        let Some(Traces { index, reading, .. }) = &self.traces else {
            return Ok(());
        };
        let case = record.case(reading)?;
        let is_unused = match reading.join {
            Join::Order => index.is_nth_unused(number),
            _ => reading
                .name_of(&case, file)
                .is_none_or(|id| index.is_unused(&id, &case)),
        };
        if is_unused {
            each(&self.complete(case));
        }
        Ok(())
    }

    /// The case, with an expectation from the rules if it has none.
    fn complete<'a>(&'a self, case: Case<'a>) -> Case<'a> {
        if self.expected.is_empty() {
            case
        } else {
            ExpectationRule::complete(&self.expected, case, &self.reading)
        }
    }

    /// Reads a record again and passes the case with this trial to `look`: the original, then its
    /// redacted copy.
    pub fn look_again<T>(
        &self,
        found: &FoundCase,
        look: impl Fn(&Case<'_>, &Case<'_>) -> T,
    ) -> Option<T> {
        let mut result = None;
        // Its errors were reported on the first read.
        let record = RecordContent::of_text(&found.text);
        _ = self.read(record, found.number, &mut |case| {
            if result.is_none() && found.is(self, case) {
                result = Some(
                    case.with_resolved(|case| self.shown(case, &mut |shown| look(case, shown))),
                );
            }
        });
        result
    }

    /// Passes the redacted case to `look`.
    pub(crate) fn shown<T>(&self, case: &Case<'_>, look: &mut dyn FnMut(&Case<'_>) -> T) -> T {
        if self.redaction.is_empty() {
            return look(case);
        }
        let text = self.redaction.apply(case);
        shown(&text, case).with_resolved(look)
    }

    /// Evaluates a case. Score and verdict come from the original case, all text from the redacted
    /// copy.
    pub fn evaluate(
        &self,
        configured: &Configured,
        case: &PreparedCase<'_>,
        shown: &Case<'_>,
        ask: Ask,
    ) -> Evaluation {
        if self.redaction.is_empty() {
            return configured.evaluate_prepared(case, ask);
        }
        let found = configured.evaluate_prepared(case, Ask::OUTCOME);
        let redacted = configured.evaluate(shown, ask);
        let outcome = match (found.outcome, redacted.outcome) {
            (Outcome::Failed(_), Outcome::Failed(redacted)) => Outcome::Failed(redacted),
            (Outcome::Failed(_), _) => Outcome::Failed(EvaluationError::Raised(
                "the reason may hold redacted values".to_owned(),
            )),
            (found, _) => found,
        };
        Evaluation {
            outcome,
            passed: found.passed,
            ..redacted
        }
    }
}

/// Why a record was not scored: an error in the record itself or in its trace, or no run.
pub(crate) enum Unread {
    Record(CaseError),
    Trace(ReadError),
    /// No run at the position of the case.
    WithoutRun {
        id: Option<String>,
        number: u64,
        runs: u64,
    },
}

impl Unread {
    pub(crate) fn at(self, file: &Arc<str>, record: &Record<'_>) -> Problem {
        match self {
            Self::Record(error) => Problem::Unreadable(error.in_record(file, record)),
            other => other.in_place(Location::on_line(file, record.place.line)),
        }
    }

    /// The same error for a case in memory.
    pub(crate) fn in_place(self, at: Location) -> Problem {
        match self {
            Self::Record(error) => Problem::Unreadable(error.at(&at.file, at.line)),
            Self::Trace(error) => Problem::Unreadable(error),
            Self::WithoutRun { id, number, runs } => Problem::WithoutRun {
                id,
                number,
                runs,
                at,
            },
        }
    }

    /// The reason without the location.
    pub(crate) fn reason(&self) -> String {
        match self {
            Self::Record(error) => error.to_string(),
            Self::Trace(error) => error.to_string(),
            Self::WithoutRun { .. } => "no run is in the place of the case".to_owned(),
        }
    }
}

impl From<CaseError> for Unread {
    fn from(error: CaseError) -> Self {
        Self::Record(error)
    }
}

impl From<ReadError> for Unread {
    fn from(error: ReadError) -> Self {
        Self::Trace(error)
    }
}

/// The display names of the evaluators: name, else id; with settings if several share the name.
pub fn labels(evaluators: &[Configured]) -> Vec<String> {
    let label = |configured: &Configured| {
        let is_namesake = |it: &&Configured| it.label() == configured.label();
        if evaluators.iter().filter(is_namesake).count() > 1 {
            configured.argument.clone()
        } else {
            configured.label().to_owned()
        }
    };
    evaluators.iter().map(label).collect()
}

/// A random hash key that never leaves the process.
pub fn fresh_hash_key() -> HashKey {
    let random = || RandomState::new().build_hasher().finish();
    HashKey(random(), random())
}
