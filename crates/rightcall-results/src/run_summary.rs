//! What a run came to, in memory that does not grow with it.

use std::collections::BTreeMap;

use rightcall::{NotApplicable, Outcome};
use rightcall_stats::TrialStatistics;
use serde::{Deserialize, Serialize};

use crate::{CaseResult, GateResult, GateSubject, ToolTotals, Totals, Worst};

/// What a run came to: as `summary` in a document of results, and as the history keeps it.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct RunSummary {
    /// Cases that were scored.
    pub cases: u64,
    /// Records that could not be read.
    pub unreadable: u64,
    /// Errors of evaluators that are no more than cases in memory which could not be read.
    #[serde(skip)]
    pub unread_errors: u64,
    /// Cases left out, since there was one of that name before.
    pub duplicates: u64,
    /// Cases without a run: those that count as failed.
    pub no_run: u64,
    /// Inputs that broke off.
    #[serde(skip_serializing_if = "is_zero")]
    pub broken_inputs: u64,
    /// Cases and runs without each other, where they are joined by their places.
    #[serde(skip_serializing_if = "is_zero")]
    pub unpaired: u64,
    /// There were to be runs in files of their own, and not one of them belongs to a case.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub nothing_joined: bool,
    /// The weighted scores of the cases and the verdicts on them; `None` where nobody asked for these.
    #[serde(rename = "score", skip_serializing_if = "Option::is_none")]
    pub whole_cases: Option<Totals>,
    /// By evaluator, in the run's order.
    pub evaluators: Vec<EvaluatorSummary>,
    /// What the trials come to, where cases have several and verdicts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub trials: Option<TrialStatistics>,
    /// The groups that were asked for, by name.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub groups: Vec<GroupSummary>,
    /// The gates, in the suite's order.
    pub gates: Vec<GateResult>,
    /// What the run shows beside its scores, where that was looked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub findings: Option<Findings>,
    /// The tools of all cases, where an output asks for them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tools: Option<ToolTotals>,
    /// The first cases without a run.
    #[serde(skip)]
    pub first_no_run: Vec<Failure>,
    /// Cases without a run that were left out.
    #[serde(skip)]
    pub ignored: u64,
    /// Trajectories that were left out, since nothing is expected of them.
    #[serde(skip)]
    pub without_expectation: u64,
    /// Runs that belong to no case.
    #[serde(skip)]
    pub unused_runs: u64,
    /// Where the first of these are.
    #[serde(skip)]
    pub first_unused_runs: Vec<String>,
    /// Keys of cases that are nearly others.
    #[serde(skip)]
    pub near_keys: NearKeys,
    /// Tools that rules name and no run and no case knows, each with a near one that is known.
    #[serde(skip)]
    pub near_rules: Vec<NearName>,
    /// Names that were expected and never called, where findings were not looked for.
    #[serde(skip)]
    pub near_names: Vec<NearName>,
    /// Groups beyond those that are kept.
    #[serde(skip)]
    pub more_groups: bool,
    /// The lowest cases by what all evaluators together made of them.
    #[serde(skip)]
    pub lowest: Worst<CaseResult>,
    /// What decides whether the run is good enough.
    #[serde(skip)]
    pub decides: Decides,
}

/// Keys that are nearly others, each with the one that may be meant and the number of cases that have it.
pub type NearKeys = BTreeMap<String, (&'static str, u64)>;

/// What one evaluator made of the cases.
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
    /// What people call it: the name, else the id; where several evaluators share that, with the settings.
    #[serde(skip)]
    pub label: String,
    /// The threshold that the user wrote.
    #[serde(skip)]
    pub threshold: Option<f64>,
    /// Whether its verdicts are the user's will.
    #[serde(skip)]
    pub is_decisive: bool,
    /// The lowest cases.
    #[serde(skip)]
    pub lowest: Worst<CaseResult>,
    /// Why it did not apply, in order of first appearance, with the number of cases.
    #[serde(skip)]
    pub reasons: Vec<(String, u64)>,
    /// Paths under which arguments are compared and that name none, with the names that there are, and the number of cases.
    #[serde(skip)]
    pub idle_paths: Option<IdlePaths>,
    /// The first evaluations that ended in an error.
    #[serde(skip)]
    pub failures: Vec<Failure>,
}

/// What the evaluators made of a group of cases.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct GroupSummary {
    /// The values that its cases share.
    #[serde(rename = "group")]
    pub name: String,
    /// Cases in it.
    pub cases: u64,
    /// The scores by evaluator, in the run's order.
    pub evaluators: Vec<EvaluatorSummary>,
    /// The weighted scores of the cases, where these are asked for.
    #[serde(skip)]
    pub whole_cases: Option<Totals>,
}

/// Paths under which an evaluator compares arguments, and that name none on either side of some cases.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IdlePaths {
    /// The paths.
    pub paths: String,
    /// Names of arguments of the first of these cases.
    pub arguments: String,
    /// How many cases.
    pub cases: u64,
}

impl IdlePaths {
    /// Counts a case to which an evaluator does not apply for this reason, if it is such.
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

/// A case that came to nothing.
#[derive(Clone, Debug)]
pub struct Failure {
    /// Id of the case, or `FILE:LINE`.
    pub case: String,
    /// `FILE:LINE` of the case.
    pub place: String,
    /// Why.
    pub reason: String,
}

/// What a run shows beside its scores.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Findings {
    /// Cases that fell short for any evaluator: by its verdict where it has one, else by a score below 1.
    pub fell_short: u64,
    /// Why, most frequent first, then in order of first appearance; a case may have several causes.
    pub causes: Vec<CauseCount>,
    /// Causes beyond those.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_causes: u64,
    /// Whether there were more different causes than are told apart.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub uncounted_causes: bool,
    /// Names that were expected and never called beside a near one that was.
    pub near_names: Vec<NearName>,
    /// Names beyond those.
    #[serde(skip_serializing_if = "is_zero")]
    pub more_near_names: u64,
    /// Evaluators whose editions differ on some cases, in the run's order.
    #[serde(skip)]
    pub editions: Vec<EditionsDiffer>,
}

/// How many cases have a cause.
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

/// A name that was expected and never called.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct NearName {
    /// The name.
    pub expected: String,
    /// The name nearest to it that was called.
    pub called: String,
    /// How often that was called.
    pub calls: u64,
}

/// An evaluator whose editions differ on some cases.
#[derive(Clone, Debug, PartialEq)]
pub struct EditionsDiffer {
    /// The evaluator's place in the run.
    pub evaluator: usize,
    /// Number of cases.
    pub cases: u64,
    /// The first of them, with the outcome of the edition in use and that of the other.
    pub first: Vec<(String, Outcome, Outcome)>,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde hands it so")]
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// What decides whether a run is good enough.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decides {
    /// Verdicts of evaluators, if they are the user's will, and whether each case has a run.
    #[default]
    Verdicts,
    /// The gates alone.
    Gates,
    /// Nothing: the list of gates is empty.
    Nothing,
}

/// How good a run was.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ending {
    /// Nothing is missed.
    Fine,
    /// A gate of the suite is missed; in a run without gates a threshold that the user wrote, or a run, or an evaluator that judges
    /// by itself said no.
    Missed,
    /// Something could not be read or scored, there was nothing to score, no run belongs to a case, or what decides judged no case.
    /// This goes before [`Ending::Missed`]: what was not scored cannot have been judged.
    Incomplete,
}

impl RunSummary {
    /// How good the run was; `skip_invalid` accepts records that could not be read.
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

    /// What decides and judged no case: evaluators with a threshold that the user wrote or a verdict of their own, and gates. Nothing
    /// judged is no success.
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

    /// True if there was nothing to score. Cases that were left out because the user accepts that they have no run were something.
    pub fn is_empty(&self) -> bool {
        self.cases + self.ignored == 0
    }

    /// Why no score, however low, would have failed the run; `None` where one would have.
    pub fn undecided(&self) -> Option<&'static str> {
        match self.decides {
            Decides::Verdicts if !self.evaluators.iter().any(|it| it.is_decisive) => {
                Some("no gate or threshold is set")
            }
            Decides::Nothing => Some("the list of gates is empty"),
            _ => None,
        }
    }

    /// Evaluations that ended in an error.
    pub fn errors(&self) -> u64 {
        self.evaluators.iter().map(|it| it.totals.errors).sum()
    }

    /// The gates that are missed.
    pub fn missed_gates(&self) -> impl Iterator<Item = &GateResult> {
        self.gates.iter().filter(|gate| !gate.held)
    }

    /// The evaluator of the first gate that failed, by its position.
    pub fn failed_evaluator(&self) -> Option<usize> {
        self.missed_gates().find_map(|gate| self.evaluator_of(gate))
    }

    /// The evaluator of a gate, by its position; `None` for a gate on something else.
    pub fn evaluator_of(&self, gate: &GateResult) -> Option<usize> {
        let GateSubject::Evaluator { index, label } = &gate.subject else {
            return None;
        };
        let goes_by = |it: &EvaluatorSummary| {
            let metric = it.id.rsplit('/').next();
            it.name.as_ref() == Some(label) || it.id == *label || metric == Some(label)
        };
        index.or_else(|| self.evaluators.iter().position(goes_by))
    }

    /// The case that needs attention first: the lowest of the evaluator whose gate failed, else the worst.
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

    /// Which cases count in the findings: those that failed, and for evaluators without verdicts those that scored below 1.
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

    /// What stands in the way of trusting the run, each in a sentence.
    pub fn troubles(&self) -> Vec<String> {
        let counted = [
            (self.unreadable, "record", "could not be read"),
            (self.broken_inputs, "input", "broke off"),
            (
                self.duplicates,
                "case",
                "came a second time and {was} left out",
            ),
            (
                self.no_run,
                "case",
                "without a run, which {counts} as failed",
            ),
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
        let lone = self
            .nothing_joined
            .then(|| "no run matches a case".to_owned());
        counted
            .into_iter()
            .filter_map(sentence)
            .chain(lone)
            .collect()
    }

    /// The summary as a JSON object.
    #[expect(clippy::missing_panics_doc, reason = "all of it can be written")]
    pub fn to_json(&self) -> String {
        serde_json::to_string(self).expect("a summary is made of texts and numbers")
    }

    /// Reads a summary; what an older version did not write is as if it had not been looked for.
    ///
    /// # Errors
    /// Where the text is none.
    pub fn from_json(text: &str) -> Result<Self, serde_json::Error> {
        serde_json::from_str(text)
    }
}

/// What decides and judged no case.
#[derive(Clone, Copy, Debug)]
pub enum Unjudged<'s> {
    /// An evaluator whose verdicts decide.
    Evaluator(&'s EvaluatorSummary),
    /// A gate.
    Gate(&'s GateResult),
}

impl EvaluatorSummary {
    /// Whether it gave a verdict on any case, or a case failed for want of a run.
    fn has_judged(&self) -> bool {
        self.totals.judged + self.totals.no_run + self.totals.errors > 0
    }

    /// Cases that missed a threshold which the user wrote, or that an evaluator which judges by itself says no to.
    pub fn failed(&self) -> u64 {
        if self.is_decisive {
            self.totals.judged - self.totals.passed
        } else {
            0
        }
    }

    /// Cases to which it did not apply for other reasons than those that are kept.
    pub fn other_reasons(&self) -> u64 {
        let known: u64 = self.reasons.iter().map(|(_, cases)| cases).sum();
        self.totals.not_applicable.saturating_sub(known)
    }
}
