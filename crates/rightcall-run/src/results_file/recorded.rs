//! Results of a file, by case.

use std::collections::BTreeMap;
use std::sync::Arc;

use rightcall_core::value::{JsonWriter, on_one_line};
use rightcall_results::{
    CaseResult, EvaluationResult, EvaluatorHead, EvaluatorSummary, KeptCase, ResultLine, RunHead,
    RunSummary, Scores,
};
use rightcall_stats::{RunScores, TrialCounts, TrialStatistics};

use super::ResultsOptions;
use crate::CaseKey;
use crate::case_rule::mean_of;

/// Results of a file, with everything that reports show except the calls.
#[derive(Clone, Debug, Default)]
pub struct RecordedResults {
    /// The evaluators, and whether the file has results of whole cases.
    pub head: RunHead,
    /// The cases in their order.
    pub cases: Vec<CaseResult>,
    /// The summary of the cases.
    pub summary: RunSummary,
}

/// Collects results; the lines of a case are consecutive.
pub(super) struct ResultsBuilder {
    file: Arc<str>,
    /// True to keep everything that reports show, not only scores.
    is_whole: bool,
    head: RunHead,
    pub(super) cases: Vec<CaseResult>,
    /// The evaluators with results for the current case, and true if it has a result as a whole.
    added: (Vec<bool>, bool),
}

/// The result of an evaluator with lines for other cases but not for this one.
fn no_line() -> EvaluationResult {
    EvaluationResult::not_applicable("the file has no result of it for this case")
}

impl ResultsBuilder {
    pub(super) fn new(file: &str, is_whole: bool) -> Self {
        Self {
            file: file.into(),
            is_whole,
            head: RunHead::default(),
            cases: Vec::new(),
            added: (Vec::new(), false),
        }
    }

    pub(super) fn add(&mut self, line: &ResultLine<'_>) {
        let result = line.result(self.is_whole);
        let trial = line.trial.map(|json| on_one_line(json.0));
        let position = line
            .evaluator
            .clone()
            .map(|id| self.position(id, line.name.clone()));
        let is_last = |last: &CaseResult| last.label == line.label() && last.trial == trial;
        // A second result of the same evaluator belongs to another run of the case, for example of
        // another model.
        let is_added = match position {
            Some(position) => self.added.0.get(position) == Some(&true),
            None => self.added.1,
        };
        if is_added || !self.cases.last().is_some_and(is_last) {
            let case = self.case_of(line, trial);
            self.cases.push(case);
            self.added = (Vec::new(), false);
        }
        let Some(case) = self.cases.last_mut() else {
            return;
        };
        let Some(position) = position else {
            self.head.has_whole_cases = true;
            self.added.1 = true;
            case.whole = result;
            return;
        };
        if case.evaluations.len() <= position {
            case.evaluations.resize_with(position + 1, no_line);
        }
        if self.added.0.len() <= position {
            self.added.0.resize(position + 1, false);
        }
        self.added.0[position] = true;
        case.evaluations[position] = result;
    }

    /// The index of an evaluator in the file; added if new.
    fn position(&mut self, id: String, name: Option<String>) -> usize {
        let known = |it: &EvaluatorHead| it.id == id && it.name == name;
        let position = self.head.evaluators.iter().position(known);
        position.unwrap_or_else(|| {
            self.head.evaluators.push(EvaluatorHead {
                label: name.clone().unwrap_or_else(|| id.clone()),
                id,
                name,
            });
            self.head.evaluators.len() - 1
        })
    }

    fn case_of(&self, line: &ResultLine<'_>, trial: Option<String>) -> CaseResult {
        let mut json = JsonWriter::new();
        if self.is_whole {
            json.begin_object().key("id").str(line.label());
            let beside = line.beside();
            beside.for_each(|(key, text)| _ = json.key(key).raw(text));
            json.end_object();
        }
        CaseResult {
            label: line.label().to_owned(),
            trial,
            variant: Vec::new(),
            file: Arc::clone(&self.file),
            line: line.number,
            tags: line.tags(),
            evaluations: Vec::new(),
            whole: no_line(),
            causes: Vec::new(),
            case: Some(Arc::new(KeptCase {
                meta: line.meta.map(|json| on_one_line(json.0)),
                json: json.finish().into_string(),
                ..KeptCase::default()
            })),
        }
    }

    /// Fills in missing results: evaluators without a line, and whole cases.
    pub(super) fn finish(mut self) -> RecordedResults {
        for case in &mut self.cases {
            case.evaluations
                .resize_with(self.head.evaluators.len(), no_line);
            if !self.head.has_whole_cases {
                case.whole = mean_of(&case.evaluations);
            }
        }
        RecordedResults {
            head: self.head,
            cases: self.cases,
            summary: RunSummary::default(),
        }
    }
}

impl RecordedResults {
    /// The summary. Totals are computed from the cases, everything else is from the summary in the
    /// file.
    pub(super) fn summarise(&self, summary: RunSummary) -> RunSummary {
        let totals = |of: &dyn Fn(&CaseResult) -> &EvaluationResult| {
            let mut scores = Scores::default();
            self.cases.iter().map(of).for_each(|it| scores.add(it));
            scores.totals()
        };
        let evaluators = self.head.evaluators.iter().enumerate();
        RunSummary {
            cases: self.cases.len() as u64,
            evaluators: evaluators
                .map(|(position, it)| EvaluatorSummary {
                    id: it.id.clone(),
                    name: it.name.clone(),
                    label: it.label.clone(),
                    totals: totals(&|case| &case.evaluations[position]),
                    ..Default::default()
                })
                .collect(),
            whole_cases: self
                .head
                .has_whole_cases
                .then(|| totals(&|case| &case.whole)),
            trials: summary.trials.clone().or_else(|| self.trials()),
            ..summary
        }
    }

    /// The statistics of the trials.
    fn trials(&self) -> Option<TrialStatistics> {
        let mut trials: BTreeMap<String, TrialCounts> = BTreeMap::new();
        for case in self.cases.iter().filter(|case| case.trial.is_some()) {
            let key = CaseKey::default().of(&case.label, case.trial.as_deref(), None);
            let of = trials
                .entry(key.unwrap_or_else(|| case.label.clone()))
                .or_default();
            let verdict = case.whole.verdict();
            of.trials += u64::from(verdict.is_some());
            of.passed += u64::from(verdict == Some(true));
        }
        let trials: Vec<_> = trials.into_iter().collect();
        TrialStatistics::from_cases(&trials).filter(|found| found.most_trials > 1)
    }

    /// The scores for a comparison.
    pub(super) fn scores(self, options: &ResultsOptions) -> RunScores {
        let labels = self.head.evaluators.into_iter().map(|it| it.label);
        RunScores {
            measures: labels.collect(),
            cases: self
                .cases
                .iter()
                .filter_map(|case| options.scores(case))
                .collect(),
            ..RunScores::default()
        }
    }
}
