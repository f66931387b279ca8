//! What to score, and how.

use std::hash::{BuildHasher, Hasher, RandomState};
use std::path::PathBuf;
use std::sync::Arc;

use rightcall::call::Case;
use rightcall::value::HashKey;
use rightcall::{Ask, Evaluation, EvaluationError, Outcome, PreparedCase};
use rightcall_formats::join::{Join, join_actual};
use rightcall_formats::{CaseError, Limits, Location, ReadError, ReadOptions, Record, read_case};
use rightcall_results::{EvaluationResult, EvaluatorHead, GateSubject, RunHead, TrialRule};

use crate::case_key::of_id;
use crate::case_rule::mean_of;
use crate::redaction::shown;
use crate::select::meta_value;
use crate::{
    Baseline, CaseRule, Configured, ExpectationRule, FailedCases, Filter, FoundCase, Gate,
    Grouping, Investigation, Problem, Redaction, Traces,
};

/// What to score, and how.
#[derive(Debug)]
pub struct Plan {
    /// The files of cases, in order.
    pub inputs: Vec<PathBuf>,
    /// How records are read.
    pub reading: ReadOptions,
    /// What inputs may ask of memory.
    pub limits: Limits,
    /// Runs that stand in other files.
    pub traces: Option<Traces>,
    /// What is expected of trajectories that have no expectation of their own. Where there are any, a trajectory that none is
    /// meant for is left out.
    pub expected: Vec<ExpectationRule>,
    /// The evaluators, in the order of the results of a case.
    pub evaluators: Vec<Configured>,
    /// What is made of all evaluations of a case; `None` where nobody asks for one score and one verdict.
    pub case_rule: Option<CaseRule>,
    /// The meta key that trials of a case share; `None` where they share the id.
    pub trial_group: Option<String>,
    /// What the summary shows apart.
    pub by: Option<Grouping>,
    /// Meta keys that tell runs of one case apart, beside `model` and those that the summary is grouped by.
    pub identity: Vec<String>,
    /// The gates, which alone decide where there is a list of them, even an empty one; `None` where verdicts decide.
    pub gates: Option<Vec<Gate>>,
    /// What the run is compared with, for gates on what changed. The results of the cases are then kept in memory.
    pub baseline: Option<Baseline>,
    /// Which cases count.
    pub selection: Selection,
    /// How to look for findings, if anybody will read them.
    pub investigation: Option<Investigation>,
    /// What may not be seen of the cases.
    pub redaction: Redaction,
    /// Low cases, failures and reasons of each list that are kept for people to read; all are counted.
    pub listed: usize,
    /// Number of threads that score.
    pub threads: usize,
}

/// Members of each list that are kept, where nobody asks for more.
const LISTED: usize = 10;

/// Which of the cases are scored.
#[derive(Debug, Default)]
pub struct Selection {
    /// Those whose id, or `FILE:LINE` without one, has this in it, upper and lower case alike.
    pub text: Option<String>,
    /// Those of the filter.
    pub only: Filter,
    /// Those with one of these names, if there are any.
    pub cases: Vec<String>,
    /// Those that failed in an earlier run.
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
    /// Cases of these inputs with nothing asked of them, on one thread: what else is wanted is set on it.
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
            selection: Selection::default(),
            investigation: None,
            redaction: Redaction::default(),
            listed: LISTED,
            threads: 1,
        }
    }

    /// The gates, none where verdicts decide.
    pub fn gates(&self) -> &[Gate] {
        self.gates.as_deref().unwrap_or_default()
    }

    /// True if the case is a trial that counts together with others, for the summary or for a gate.
    pub(crate) fn is_trial(&self, case: &Case<'_>) -> bool {
        let counts_together = |gate: &Gate| matches!(gate.subject, GateSubject::Passed(rule) if rule != TrialRule::Each);
        case.trial.is_some()
            || self.trial_group.is_some()
            || self.gates().iter().any(counts_together)
    }

    /// What tells the runs of a case apart, in addition to id and trial: the JSON texts of its model and of the keys of the identity.
    pub(crate) fn identity_of<'c>(&'c self, case: &'c Case<'_>) -> impl Iterator<Item = &'c str> {
        self.identity_keys().filter_map(|wanted| {
            let found = case.meta.iter().find(|(key, _)| *key == *wanted);
            found.map(|(_, json)| *json)
        })
    }

    /// The same as the values that `--where` takes, each with its key; empty where values are redacted.
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

    /// What the trials of the case have in common: the value of a meta key, or the id without the trial.
    pub(crate) fn trial_group_of(&self, case: &Case<'_>, label: &str) -> String {
        let of_key = self.trial_group.as_deref();
        of_key
            .and_then(|key| meta_value(case, key))
            .unwrap_or_else(|| of_id(label, case.trial, None))
    }

    /// What all evaluators together made of a case.
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

    /// What outputs say of the run before its first case.
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

    /// Reads a record with so many before it and gives `each` the case in it, or one case for each run of it that the traces hold.
    pub(crate) fn read(
        &self,
        text: &str,
        number: u64,
        each: &mut dyn FnMut(&Case<'_>),
    ) -> Result<(), Unread> {
        let case = read_case(text, &self.reading)?;
        if self.traces.is_none() && self.expected.is_empty() {
            each(&case);
            return Ok(());
        }
        let runs = self.runs_of(&case, number)?;
        for (run, place) in runs.iter().zip(1..) {
            let run = read_case(run, &self.reading.of_any_format())?;
            let mut joined = join_actual(case.clone(), run);
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
        each(&self.complete(case));
        missing.map_or(Ok(()), Err)
    }

    /// The texts of the runs of a case with so many records before it.
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

    /// True if the runs of a question are its trials.
    fn joins_by_question(&self) -> bool {
        let traces = self.traces.as_ref();
        traces.is_some_and(|traces| traces.reading.join == Join::Input)
    }

    /// True if the first run is the first case's, the second the second's.
    pub fn joins_by_order(&self) -> bool {
        self.traces
            .as_ref()
            .is_some_and(|traces| traces.reading.join == Join::Order)
    }

    /// Runs beyond the last case, where both are joined by their places.
    pub(crate) fn runs_out_of_place(&self) -> u64 {
        self.traces
            .as_ref()
            .filter(|_| self.joins_by_order())
            .map_or(0, |traces| traces.index.unused(0).0)
    }

    /// Reads a run that may belong to no case, and gives it to `each` if that is so.
    pub(crate) fn read_lone_run(
        &self,
        text: &str,
        (file, number): (&str, u64),
        each: &mut dyn FnMut(&Case<'_>),
    ) -> Result<(), Unread> {
        let Some(Traces { index, reading, .. }) = &self.traces else {
            return Ok(());
        };
        let case = read_case(text, reading)?;
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

    /// The case with what is expected of it.
    fn complete<'a>(&'a self, case: Case<'a>) -> Case<'a> {
        if self.expected.is_empty() {
            case
        } else {
            ExpectationRule::complete(&self.expected, case, &self.reading)
        }
    }

    /// Reads a record with so many before it again, and gives the case with this trial to `look`: as it is, and as it may be seen.
    pub fn look_again<T>(
        &self,
        found: &FoundCase,
        look: impl Fn(&Case<'_>, &Case<'_>) -> T,
    ) -> Option<T> {
        let mut looked = None;
        // Its errors have been reported.
        _ = self.read(&found.text, found.number, &mut |case| {
            if looked.is_none() && found.is(self, case) {
                looked = Some(
                    case.with_resolved(|case| self.shown(case, &mut |shown| look(case, shown))),
                );
            }
        });
        looked
    }

    /// Gives the case as it may be seen to `look`.
    pub(crate) fn shown<T>(&self, case: &Case<'_>, look: &mut dyn FnMut(&Case<'_>) -> T) -> T {
        if self.redaction.is_empty() {
            return look(case);
        }
        let text = self.redaction.apply(case);
        shown(&text, case).with_resolved(look)
    }

    /// Evaluates a case. The score and the verdict are those of the case as it is, all words those of the case as it may be seen.
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
        let words = configured.evaluate(shown, ask);
        let outcome = match (found.outcome, words.outcome) {
            (Outcome::Failed(_), Outcome::Failed(words)) => Outcome::Failed(words),
            (Outcome::Failed(_), _) => Outcome::Failed(EvaluationError::Raised(
                "the reason may hold redacted values".to_owned(),
            )),
            (found, _) => found,
        };
        Evaluation {
            outcome,
            passed: found.passed,
            ..words
        }
    }
}

/// What is wrong with a record: itself, or the trace that belongs to it.
pub(crate) enum Unread {
    Record(CaseError),
    Trace(ReadError),
    /// There is no run in the place of the case.
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
            other => other.in_place(Location::on_line(file, record.line)),
        }
    }

    /// The same of a case in memory.
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

    /// Why, without the place.
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

/// What people call each evaluator: its name, else its id; where several share that, with the settings.
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

/// A hash key that nobody outside of this process can know.
pub fn fresh_hash_key() -> HashKey {
    let random = || RandomState::new().build_hasher().finish();
    HashKey(random(), random())
}
