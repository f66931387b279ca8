//! The result of a run, in memory that does not grow with the number of cases.

use std::collections::BTreeMap;

use rightcall_core::{NotApplicable, Outcome};
use rightcall_stats::TrialStatistics;
use serde::{Deserialize, Serialize};

use crate::{CaseResult, GateResult, GateSubject, ToolTotals, Totals, Worst};

/// The result of a run: `summary` in a document of results, also stored in the history.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSummary {
    /// Cases that were scored.
    pub cases: u64,
    /// Records that could not be parsed.
    pub unreadable: u64,
    /// Evaluator errors that only repeat a parse error of a case in memory.
    #[serde(skip)]
    pub unread_errors: u64,
    /// Duplicate cases, which were left out.
    pub duplicates: u64,
    /// Cases without a run that count as failed.
    pub no_run: u64,
    /// Inputs that could not be read to the end.
    #[serde(skip_serializing_if = "is_zero")]
    pub broken_inputs: u64,
    /// Cases without a run and runs without a case, if both are matched by position.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpaired: u64,
    /// True if runs come from separate files and none matches a case.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub nothing_joined: bool,
    /// Weighted scores and verdicts of the cases; `None` if they were not requested.
    #[serde(rename = "score", skip_serializing_if = "Option::is_none")]
    pub whole_cases: Option<Totals>,
    /// The evaluators in the order of the run.
    pub evaluators: Vec<EvaluatorSummary>,
    /// Statistics over trials, if cases have several trials and verdicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<TrialStatistics>,
    /// The requested groups, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupSummary>,
    /// The gates in the order of the suite.
    pub gates: Vec<GateResult>,
    /// The number of gates on changes that were left out because this run becomes the baseline.
    #[serde(skip_serializing_if = "is_zero")]
    pub unjudged_changes: u64,
    /// Findings in addition to scores, if they were requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<Findings>,
    /// The tools of all cases, if an output needs them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolTotals>,
    /// The first cases without a run.
    #[serde(skip)]
    pub first_no_run: Vec<Failure>,
    /// Cases without a run that were left out.
    #[serde(skip)]
    pub ignored: u64,
    /// Trajectories that were skipped because they have no expectation.
    #[serde(skip)]
    pub without_expectation: u64,
    /// Runs without a case.
    #[serde(skip)]
    pub unused_runs: u64,
    /// The locations of the first runs without a case.
    #[serde(skip)]
    pub first_unused_runs: Vec<String>,
    /// Misspelled keys of cases.
    #[serde(skip)]
    pub near_keys: NearKeys,
    /// Matcher names that expectations contain as plain text.
    #[serde(skip)]
    pub matcher_texts: MatcherTexts,
    /// Keys of expected calls that state whether the call fails.
    #[serde(skip)]
    pub stated_outcomes: StatedOutcomes,
    /// Tools in rules that occur in no run and no case, each with a similar known name.
    #[serde(skip)]
    pub near_rules: Vec<NearName>,
    /// Keys of `same` in rules that are missing in every call.
    #[serde(skip)]
    pub unshared_keys: Vec<UnsharedKey>,
    /// Expected names without a call, if findings were not requested.
    #[serde(skip)]
    pub near_names: Vec<NearName>,
    /// True if there were more groups than the limit.
    #[serde(skip)]
    pub more_groups: bool,
    /// The cases with the lowest combined results.
    #[serde(skip)]
    pub lowest: Worst<CaseResult>,
    /// Which results decide whether the run passes.
    #[serde(skip)]
    pub decides: Decides,
}

/// Misspelled keys, each with the probable key and its number of cases.
pub type NearKeys = BTreeMap<String, (&'static str, u64)>;

/// For each matcher, the number of cases that expect its name as plain text.
pub type MatcherTexts = BTreeMap<&'static str, u64>;

/// The number of cases for each key that states whether an expected call fails.
pub type StatedOutcomes = BTreeMap<&'static str, u64>;

/// The results of one evaluator on all cases.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct EvaluatorSummary {
    /// The id.
    #[serde(rename = "evaluator")]
    pub id: String,
    /// The user's name for it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// The scores.
    #[serde(flatten)]
    pub totals: Totals,
    /// The display name: name, else id; with settings if several evaluators share the name.
    #[serde(skip)]
    pub label: String,
    /// The user's threshold.
    #[serde(skip)]
    pub threshold: Option<f64>,
    /// True if its verdicts decide whether the run passes.
    #[serde(skip)]
    pub is_decisive: bool,
    /// The lowest cases.
    #[serde(skip)]
    pub lowest: Worst<CaseResult>,
    /// The reasons for not applying, in order of first appearance, each with its number of cases.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub reasons: Vec<(String, u64)>,
    /// For each reason, the data that the run of its first case lacks.
    #[serde(skip)]
    pub reason_details: Vec<Option<String>>,
    /// Argument paths in the settings that match no argument.
    #[serde(skip)]
    pub idle_paths: Option<IdlePaths>,
    /// The first evaluations that ended in an error.
    #[serde(skip)]
    pub failures: Vec<Failure>,
}

/// The results of the evaluators on a group of cases.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupSummary {
    /// The values that its cases share.
    #[serde(rename = "group")]
    pub name: String,
    /// Number of cases.
    pub cases: u64,
    /// The evaluators in the order of the run.
    pub evaluators: Vec<EvaluatorSummary>,
    /// The weighted scores of the cases, if requested.
    #[serde(skip)]
    pub whole_cases: Option<Totals>,
}

/// Argument paths in an evaluator's settings that match no argument on one side or both, with the affected cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdlePaths {
    /// The paths.
    pub paths: String,
    /// The arguments in the first of these cases.
    pub arguments: String,
    /// Number of cases.
    pub cases: u64,
}

impl IdlePaths {
    /// Counts a case if the evaluator doesn't apply because of idle paths.
    pub fn count(counted: &mut Option<Self>, reason: &NotApplicable) {
        if let NotApplicable::NothingNamed { paths, arguments } = reason {
            let known = counted.get_or_insert_with(|| Self {
                paths: paths.clone(),
                arguments: arguments.clone(),
                cases: 0,
            });
            known.cases += 1;
        }
    }
}

/// A case without a result because of an error.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Id of the case, or `FILE:LINE`.
    pub case: String,
    /// `FILE:LINE` of the case.
    pub place: String,
    /// Why.
    pub reason: String,
}

/// Findings of a run in addition to its scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Findings {
    /// Cases that failed any evaluator. Without verdicts, a score below 1 fails.
    pub fell_short: u64,
    /// Causes, most frequent first, then in order of first appearance. A case may have several causes.
    pub causes: Vec<CauseCount>,
    /// Number of causes that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_causes: u64,
    /// True if the number of different causes exceeded the counting limit.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncounted_causes: bool,
    /// Rules that could not be judged in some runs, most frequent first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub unjudged_rules: Vec<UnjudgedRule>,
    /// Expected names without a call, each with a similar name that was called.
    pub near_names: Vec<NearName>,
    /// Number of names that are not listed.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_near_names: u64,
    /// Evaluators with different results in their editions, in the order of the run.
    #[serde(skip)]
    pub editions: Vec<EditionsDiffer>,
}

/// The number of cases with a cause.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct CauseCount {
    /// The cause, in plain words.
    pub why: String,
    /// Number of cases.
    pub cases: u64,
    /// The first of them.
    pub first: String,
}

/// A rule that could not be judged in some runs.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct UnjudgedRule {
    /// The rule: its name, or its sentence.
    pub rule: String,
    /// The reason: the data that the runs lack.
    pub why: String,
    /// Number of runs.
    pub runs: u64,
}

/// An expected name without a call.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NearName {
    /// The name.
    pub expected: String,
    /// The most similar name that was called.
    pub called: String,
    /// Number of calls of that name.
    pub calls: u64,
}

/// A key of `same` in a rule that is missing in every call, so the rule compares nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnsharedKey {
    /// The calls, as readable text.
    pub calls: String,
    /// The key or the JSON pointer.
    pub key: String,
    /// The most similar key of their arguments.
    pub near: Option<String>,
    /// The keys of their arguments.
    pub others: Vec<String>,
}

/// An evaluator with different results in its editions.
#[derive(Clone, Debug, PartialEq)]
pub struct EditionsDiffer {
    /// The index of the evaluator in the run.
    pub evaluator: usize,
    /// Number of cases.
    pub cases: u64,
    /// The first of them, with the outcomes of the edition in use and of the other edition.
    pub first: Vec<(String, Outcome, Outcome)>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "serde passes a reference"
)]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// Which results decide whether a run passes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decides {
    /// Verdicts of decisive evaluators, and whether each case has a run.
    #[default]
    Verdicts,
    /// Only the gates.
    Gates,
    /// None: the list of gates is empty.
    Nothing,
}

/// The overall result of a run, which determines the exit code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Success: no gate and no verdict failed.
    Fine,
    /// A gate failed. In a run without gates: a case has no run, or it failed the user's threshold
    /// or an evaluator with its own verdicts.
    Missed,
    /// An input, a record or an evaluation failed, no case was scored, no run belongs to a case, or a decisive evaluator or gate judged
    /// no case. Takes precedence over [`Ending::Missed`], since cases without a score have no verdict either.
    Incomplete,
}

impl RunSummary {
    /// The overall result; `skip_invalid` ignores records that could not be parsed.
    pub fn ending(&self, skip_invalid: bool) -> Ending {
        let unreadable = self.unreadable > 0 && !skip_invalid;
        let incomplete = unreadable
            || self.broken_inputs > 0
            || self.duplicates > 0
            || self.unpaired > 0
            || self.errors() > self.unread_errors;
        if incomplete || self.nothing_joined || self.is_empty() || !self.unjudged().is_empty() {
            return Ending::Incomplete;
        }
        let missed = match self.decides {
            Decides::Verdicts => {
                self.no_run > 0 || self.evaluators.iter().any(|it| it.failed() > 0)
            }
            Decides::Gates => self.gates.iter().any(|gate| !gate.held),
            Decides::Nothing => false,
        };
        if missed { Ending::Missed } else { Ending::Fine }
    }

    /// Gates and decisive evaluators that judged no case. A run with any of these is not a success.
    pub fn unjudged(&self) -> Vec<Unjudged<'_>> {
        match self.decides {
            Decides::Verdicts => {
                let evaluators = self.evaluators.iter();
                let unjudged = evaluators.filter(|it| it.is_decisive && !it.has_judged());
                unjudged.map(Unjudged::Evaluator).collect()
            }
            Decides::Gates => {
                let gates = self.gates.iter().filter(|gate| gate.unjudged);
                gates.map(Unjudged::Gate).collect()
            }
            Decides::Nothing => Vec::new(),
        }
    }

    /// True if no case was scored. Cases without a run that the user chose to ignore count as scored here.
    pub fn is_empty(&self) -> bool {
        self.cases + self.ignored == 0
    }

    /// The reason why no score can fail the run; `None` if one can.
    pub fn undecided(&self) -> Option<&'static str> {
        match self.decides {
            Decides::Verdicts if !self.evaluators.iter().any(|it| it.is_decisive) => {
                Some(match self.unjudged_changes {
                    0 => "no gate or threshold is set",
                    _ => "gates on changes are not judged for a new baseline",
                })
            }
            Decides::Nothing => Some("the list of gates is empty"),
            _ => None,
        }
    }

    /// Number of evaluations that ended in an error.
    pub fn errors(&self) -> u64 {
        self.evaluators.iter().map(|it| it.totals.errors).sum()
    }

    /// The gates that failed.
    pub fn missed_gates(&self) -> impl Iterator<Item = &GateResult> {
        self.gates.iter().filter(|gate| !gate.held)
    }

    /// The index of the evaluator of the first gate that failed.
    pub fn failed_evaluator(&self) -> Option<usize> {
        self.missed_gates().find_map(|gate| self.evaluator_of(gate))
    }

    /// The index of a gate's evaluator; `None` for a gate with another subject.
    pub fn evaluator_of(&self, gate: &GateResult) -> Option<usize> {
        let GateSubject::Evaluator { index, label } = &gate.subject else {
            return None;
        };
        let has_label = |it: &EvaluatorSummary| {
            let metric = it.id.rsplit('/').next();
            it.name.as_ref() == Some(label) || it.id == *label || metric == Some(label)
        };
        index.or_else(|| self.evaluators.iter().position(has_label))
    }

    /// The case to inspect first: the lowest of the evaluator with a failed gate, else the worst.
    pub fn first_case(&self) -> Option<&CaseResult> {
        let evaluator = self.failed_evaluator();
        let evaluator = evaluator.and_then(|at| self.evaluators.get(at));
        let lowest = evaluator.and_then(|it| it.lowest.iter().next());
        let has_failed_gate = self.missed_gates().next().is_some();
        let failed = || {
            self.lowest
                .iter()
                .find(|case| has_failed_gate && case.failed())
        };
        lowest.or_else(failed).or_else(|| self.lowest.iter().next())
    }

    /// Which cases count in the findings: failed cases or, for evaluators without verdicts, cases
    /// with a score below 1.
    pub fn shortfall_rule(&self) -> &'static str {
        let judged = self
            .evaluators
            .iter()
            .filter(|it| it.totals.pass_rate.is_some());
        let scored = self.evaluators.iter().filter(|it| it.totals.scored > 0);
        match (judged.count(), scored.count()) {
            (0, _) => "scored below 1",
            (judged, scored) if judged >= scored => "failed",
            _ => "failed or scored below 1",
        }
    }

    /// Reasons not to trust the run, each as a sentence.
    pub fn troubles(&self) -> Vec<String> {
        self.reasons(self.no_run)
    }

    /// Like [`troubles`](Self::troubles), without cases that have no run: those fail, but were
    /// judged.
    pub fn unjudged_reasons(&self) -> Vec<String> {
        self.reasons(0)
    }

    fn reasons(&self, no_run: u64) -> Vec<String> {
        let counted = [
            (self.unreadable, "record", "could not be read"),
            (self.broken_inputs, "input", "broke off"),
            (self.duplicates, "duplicate case", "{was} skipped"),
            (no_run, "case", "without a run, which {counts} as failed"),
            (self.errors(), "evaluation", "ended in an error"),
        ];
        let sentence = |(number, noun, what): (u64, &str, &str)| match number {
            0 => None,
            1 => Some(
                format!("1 {noun} {what}")
                    .replace("{was}", "was")
                    .replace("{counts}", "counts"),
            ),
            _ => Some(
                format!("{number} {noun}s {what}")
                    .replace("{was}", "were")
                    .replace("{counts}", "count"),
            ),
        };
        let unmatched = self
            .nothing_joined
            .then(|| "no run matches a case".to_owned());
        counted
            .into_iter()
            .filter_map(sentence)
            .chain(unmatched)
            .collect()
    }

    /// The summary as a JSON object.
    #[expect(
        clippy::missing_panics_doc,
        reason = "texts and numbers can be written"
    )]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a summary is made of texts and numbers")
    }

    /// Parses a summary. Fields that an older version did not write get their defaults.
    ///
    /// # Errors
    /// The text is not a summary.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// A gate or a decisive evaluator that judged no case.
#[derive(Clone, Copy, Debug)]
pub enum Unjudged<'s> {
    /// An evaluator with decisive verdicts.
    Evaluator(&'s EvaluatorSummary),
    /// A gate.
    Gate(&'s GateResult),
}

impl EvaluatorSummary {
    /// True if two runs have the same evaluators, and each skipped the same number of cases in
    /// both. Otherwise a changed mean over all evaluators may not come from the agent.
    pub fn apply_alike(before: &[Self], after: &[Self]) -> bool {
        fn key(it: &EvaluatorSummary) -> (&str, Option<&str>, u64) {
            (&it.id, it.name.as_deref(), it.totals.not_applicable)
        }
        before.iter().map(key).eq(after.iter().map(key))
    }

    /// True if it has a verdict or an error on any case, or a case failed because it has no run.
    fn has_judged(&self) -> bool {
        self.totals.judged + self.totals.no_run + self.totals.errors > 0
    }

    /// Cases with a failed verdict; 0 unless the evaluator's verdicts decide.
    pub fn failed(&self) -> u64 {
        if self.is_decisive {
            self.totals.judged - self.totals.passed
        } else {
            0
        }
    }

    /// Cases to which it did not apply for reasons that are not listed.
    pub fn other_reasons(&self) -> u64 {
        let listed: u64 = self.reasons.iter().map(|(_, cases)| cases).sum();
        self.totals.not_applicable.saturating_sub(listed)
    }
}
