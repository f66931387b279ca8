//! What a run came to, as reports tell it: in sentences first, then in numbers.

use rightcall_run::{CaseRecord, CauseCount, Cells, GateResult, NearName, STEPS, Scores, Summary};
use rightcall_stats::TrialStatistics;

use crate::PassRate;
use crate::text::{count, printable};

/// What is known of a run before its first case.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Head {
    /// What was scored, in the user's words: the suite, or the files.
    pub title: String,
    /// What else is known of the run, such as its time or its commit, each with a label.
    pub facts: Vec<(String, String)>,
    /// The evaluators, in the order of the evaluations of each case.
    pub evaluators: Vec<EvaluatorHead>,
    /// The runs before it that the history has, the oldest first.
    pub earlier: Vec<PassRate>,
    /// How cells of CSV are written.
    pub cells: Cells,
}

/// An evaluator as reports name it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct EvaluatorHead {
    /// Its id.
    pub id: String,
    /// The user's name for it.
    pub name: Option<String>,
    /// What people call it: the name, else the id; where several evaluators share that, with the settings.
    pub label: String,
}

/// What a run came to.
#[derive(Clone, Debug, Default)]
pub struct Overview {
    /// What was known before.
    pub head: Head,
    /// Cases that were scored.
    pub cases: u64,
    /// By evaluator.
    pub evaluators: Vec<Totals>,
    /// The scores and verdicts of whole cases, where the run has them.
    pub together: Option<Totals>,
    /// What the trials of the cases come to, where they have several.
    pub trials: Option<TrialStatistics>,
    /// The gates.
    pub gates: Vec<GateLine>,
    /// Cases that fell short, where that was looked for.
    pub fell_short: Option<u64>,
    /// Why, most frequent first.
    pub causes: Vec<CauseLine>,
    /// How many causes there are besides, and whether not all were counted.
    pub more_causes: (u64, bool),
    /// What is likely to be a slip of whoever wrote the expectations.
    pub slips: Vec<String>,
    /// What stands in the way of trusting the run: cases that could not be read, and the like.
    pub troubles: Vec<String>,
    /// What else a reader should know.
    pub notes: Vec<String>,
}

/// Scores of many cases as a few numbers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Totals {
    /// The arithmetic mean.
    pub mean: Option<f64>,
    /// The share of the judged cases that passed.
    pub pass_rate: Option<f64>,
    /// Cases with a score.
    pub scored: u64,
    /// Cases to which the evaluator does not apply.
    pub not_applicable: u64,
    /// Cases on which it ended in an error.
    pub errors: u64,
    /// How many scores lie in each tenth of 0..=1.
    pub histogram: [u64; STEPS],
}

/// A cause that cases share.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CauseLine {
    /// In plain words.
    pub why: String,
    /// Number of cases.
    pub cases: u64,
    /// The first of them.
    pub first: String,
}

/// A gate and what it came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GateLine {
    /// What it looks at.
    pub label: String,
    /// The number that it looks at.
    pub statistic: String,
    /// What was found.
    pub found: String,
    /// What was wanted.
    pub wanted: String,
    /// Whether it holds.
    pub held: bool,
    /// Why it does not.
    pub missed_by: String,
}

impl From<&Scores> for Totals {
    fn from(scores: &Scores) -> Self {
        Self {
            mean: scores.mean(),
            pass_rate: scores.pass_rate(),
            scored: scores.scored,
            not_applicable: scores.not_applicable,
            errors: scores.errors,
            histogram: scores.histogram,
        }
    }
}

impl From<&GateResult> for GateLine {
    fn from(gate: &GateResult) -> Self {
        Self {
            label: printable(&gate.label()),
            statistic: gate.statistic(),
            found: gate.found(),
            wanted: gate.wanted(),
            held: gate.held,
            missed_by: if gate.held {
                String::new()
            } else {
                gate.missed_by()
            },
        }
    }
}

impl Overview {
    /// The overview of a run that has just ended.
    pub fn of_summary(head: Head, summary: &Summary) -> Self {
        let findings = summary.findings.as_ref();
        let troubles = [
            (summary.unreadable, "record", "could not be read"),
            (summary.broken_inputs, "input", "broke off"),
            (
                summary.duplicates,
                "case",
                "came a second time and was left out",
            ),
            (
                summary.no_run,
                "case",
                "without a run, which counts as failed",
            ),
            (summary.errors(), "evaluation", "ended in an error"),
        ];
        let several = |number: u64, what: &str| {
            if number == 1 {
                what.to_owned()
            } else {
                what.replace("was ", "were ").replace("counts", "count")
            }
        };
        Self {
            head,
            cases: summary.cases,
            evaluators: summary
                .evaluators
                .iter()
                .map(|evaluator| (&evaluator.scores).into())
                .collect(),
            together: summary.case_scores.as_ref().map(Into::into),
            trials: summary.trials.clone(),
            gates: summary.gates.iter().map(Into::into).collect(),
            fell_short: findings.map(|findings| findings.fell_short),
            causes: findings
                .iter()
                .flat_map(|findings| &findings.causes)
                .map(Into::into)
                .collect(),
            more_causes: (0, findings.is_some_and(|findings| findings.more_causes)),
            slips: findings
                .iter()
                .flat_map(|findings| &findings.near_names)
                .map(slip)
                .collect(),
            troubles: troubles
                .into_iter()
                .filter(|(number, ..)| *number > 0)
                .map(|(number, noun, what)| {
                    format!("{} {}", count(number, noun), several(number, what))
                })
                .chain(
                    summary
                        .nothing_joined
                        .then(|| "no run belongs to a case".to_owned()),
                )
                .collect(),
            notes: Vec::new(),
        }
    }

    /// True if a gate is missed, or something could not be scored.
    pub fn is_bad(&self) -> bool {
        !self.troubles.is_empty() || self.gates.iter().any(|gate| !gate.held)
    }

    /// The verdict, in a sentence.
    pub fn verdict(&self) -> String {
        let missed: Vec<_> = self.gates.iter().filter(|gate| !gate.held).collect();
        match (&self.gates[..], &missed[..]) {
            ([], _) => format!(
                "{} scored by {}.",
                count(self.cases, "case"),
                count(self.evaluators.len() as u64, "evaluator")
            ),
            ([_], []) => format!("The gate holds on {}.", count(self.cases, "case")),
            (all, []) => format!(
                "All {} gates hold on {}.",
                all.len(),
                count(self.cases, "case")
            ),
            (all, [gate]) if all.len() == 1 => format!("The gate is missed: {}.", gate.sentence()),
            (all, [gate]) => format!("1 of {} gates is missed: {}.", all.len(), gate.sentence()),
            (all, missed) => {
                let sentences: Vec<_> = missed.iter().map(|gate| gate.sentence()).collect();
                format!(
                    "{} of {} gates are missed: {}.",
                    missed.len(),
                    all.len(),
                    sentences.join("; ")
                )
            }
        }
    }

    /// How many cases fell short, in a sentence; nothing where nobody looked.
    pub fn shortfall(&self) -> Option<String> {
        let short = self.fell_short?;
        Some(match short {
            0 => "No case fell short.".to_owned(),
            _ if self.causes.is_empty() => {
                format!("{short} of {} fell short.", count(self.cases, "case"))
            }
            _ => format!(
                "{short} of {} fell short. A case may have several causes; the most frequent are:",
                count(self.cases, "case")
            ),
        })
    }

    /// What follows a list of so many causes: `… and 3 more`; nothing where these are all.
    pub fn other_causes(&self, listed: usize) -> String {
        let more = self.causes.len().saturating_sub(listed) as u64 + self.more_causes.0;
        match (more, self.more_causes.1) {
            (0, false) => String::new(),
            (more, false) => format!("… and {more} more"),
            (more, true) => format!("… and {more} more, and others that were not counted"),
        }
    }

    /// This run behind those before it; nothing where there are none, or where it has no scores of whole cases.
    pub(crate) fn over_runs(&self) -> Vec<PassRate> {
        let Some(together) = self
            .together
            .as_ref()
            .filter(|_| !self.head.earlier.is_empty())
        else {
            return Vec::new();
        };
        let number = self
            .head
            .facts
            .iter()
            .find(|(label, _)| label == "run")
            .map(|(_, number)| number.clone());
        let label = number.unwrap_or_else(|| "this".to_owned());
        let this = PassRate {
            label,
            mean: together.mean,
            pass_rate: together.pass_rate,
        };
        self.head.earlier.iter().cloned().chain([this]).collect()
    }

    /// What stands in the way of trusting the run, slips first.
    pub fn warnings(&self) -> impl Iterator<Item = &String> {
        self.slips.iter().chain(&self.troubles)
    }
}

impl From<&CauseCount> for CauseLine {
    fn from(cause: &CauseCount) -> Self {
        Self {
            why: printable(&cause.cause.to_string()),
            cases: cause.cases,
            first: printable(&cause.first),
        }
    }
}

fn slip(name: &NearName) -> String {
    slip_of(&name.expected, &name.called, name.calls)
}

/// A name that was expected and never called beside a near one that was.
pub(crate) fn slip_of(expected: &str, called: &str, calls: u64) -> String {
    let calls = count(calls, "call");
    printable(&format!(
        "{expected} was expected and never called, but {called} was ({calls}): is one of the names misspelt?"
    ))
}

impl GateLine {
    /// What was missed and by how much.
    pub fn sentence(&self) -> String {
        let statistic = if self.statistic.is_empty() {
            String::new()
        } else {
            format!(" {}", self.statistic)
        };
        printable(&format!("{}{statistic} {}", self.label, self.missed_by))
    }
}

/// The name of a case, with its trial.
pub(crate) fn label_of(case: &CaseRecord) -> String {
    let trial = case
        .trial
        .as_ref()
        .map_or_else(String::new, |trial| format!(" (trial {trial})"));
    printable(&format!("{}{trial}", case.label))
}

/// A number to three places; a dash where there is none.
pub(crate) fn number(number: Option<f64>) -> String {
    number.map_or_else(|| "–".to_owned(), |number| format!("{number:.3}"))
}

/// A share in percent; a dash where there is none.
pub(crate) fn percent(share: Option<f64>) -> String {
    share.map_or_else(|| "–".to_owned(), |share| format!("{:.1} %", share * 100.0))
}
