//! A score, or the reason for its absence.

/// A score, or the reason for its absence.
#[derive(Clone, Debug, PartialEq)]
pub enum Outcome {
    /// A score.
    Scored(Score),
    /// The case or its recorded run lacks the data that the evaluator needs.
    NotApplicable(NotApplicable),
    /// The evaluation failed, as it would in the original.
    Failed(EvaluationError),
}

impl Outcome {
    /// The name in files: `scored`, `not_applicable` or `error`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Scored(_) => "scored",
            Self::NotApplicable(_) => "not_applicable",
            Self::Failed(_) => "error",
        }
    }

    /// The score, if there is one.
    pub fn score(&self) -> Option<f64> {
        match self {
            Self::Scored(score) => Some(score.get()),
            _ => None,
        }
    }

    /// Why there is no score.
    pub fn reason(&self) -> Option<String> {
        match self {
            Self::Scored(_) => None,
            Self::NotApplicable(why) => Some(why.to_string()),
            Self::Failed(why) => Some(why.to_string()),
        }
    }

    /// The outcome with this name in files; `None` if the name is unknown, or a score is missing or not finite.
    pub fn from_parts(name: &str, score: Option<f64>, reason: String) -> Option<Self> {
        Some(match name {
            "scored" => Self::Scored(Score::new(score?)?),
            "not_applicable" => Self::NotApplicable(NotApplicable::Reason(reason)),
            "error" => Self::Failed(EvaluationError::Raised(reason)),
            _ => return None,
        })
    }

    /// Whether the case passed, given its verdict: an error counts as not passed.
    pub fn verdict(&self, passed: Option<bool>) -> Option<bool> {
        match self {
            Self::Failed(_) => Some(false),
            _ => passed,
        }
    }
}

/// A finite score. Most evaluators return 0 to 1; some originals exceed that range.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub struct Score(f64);

impl Score {
    /// A score; `None` if the number is not finite.
    pub fn new(score: f64) -> Option<Self> {
        score.is_finite().then_some(Self(score))
    }

    /// The number.
    pub fn get(self) -> f64 {
        self.0
    }
}

/// Why an evaluator does not apply to a case.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NotApplicable {
    /// No run was given.
    #[error("no run: the case has no actual calls, not even an empty list")]
    NoRun,
    /// The source does not record the agent's calls.
    #[error("the run was not recorded: {why}")]
    RunNotRecorded {
        /// The content of the source instead of a run.
        why: String,
    },
    /// The run may lack calls, and the evaluator needs all of them.
    #[error("the run is incomplete, and this evaluator needs all of its calls: {why}")]
    RunIncomplete {
        /// The parts that could not be read.
        why: String,
    },
    /// The case belongs to an eval set that requests other evaluators.
    #[error("the eval set does not ask for this evaluator in the case")]
    NotAsked,
    /// The case has no expectation for this evaluator.
    #[error("{}", not_expected(what))]
    NotExpected {
        /// The missing part, in the plural.
        what: &'static str,
    },
    /// The expectation was derived from an empty list of calls, which is an error in this preset.
    #[error("no calls are expected, and an empty {what} cannot be scored")]
    NothingExpected {
        /// The part that is derived from the calls.
        what: &'static str,
    },
    /// An expected call does not specify a field that the evaluator compares.
    #[error("expected call {} (`{name}`) has no `{field}`, and this evaluator compares it", index + 1)]
    ExpectedOpen {
        /// The call's index, from 0.
        index: usize,
        /// Its name.
        name: String,
        /// The field.
        field: &'static str,
    },
    /// The trace lacks a field that the evaluator compares.
    #[error("call {} (`{name}`) was recorded without `{field}`", index + 1)]
    NotRecorded {
        /// The call's index, from 0.
        index: usize,
        /// Its name.
        name: String,
        /// The field.
        field: &'static str,
    },
    /// The schemas of all called tools are unknown.
    #[error("no called tool is among those of `schema`; the first is `{name}`")]
    NoSchema {
        /// The first called tool.
        name: String,
    },
    /// Arguments are compared at some paths, but no call on either side has an argument at any of them.
    #[error(
        "`match.keys` names no argument on either side: {paths}; the arguments are {arguments}"
    )]
    NothingNamed {
        /// The paths.
        paths: String,
        /// The argument names of the calls.
        arguments: String,
    },
    /// A reason as text, from stored results.
    #[error("{0}")]
    Reason(String),
}

/// The message for a missing part of the expectation. An empty list of calls is an expectation too,
/// so missing calls have their own message.
fn not_expected(what: &str) -> String {
    match what {
        "calls" => "no expectation: the case has no expected calls".to_owned(),
        _ => format!("the case expects no {what}"),
    }
}

impl NotApplicable {
    /// Details of a missing or incomplete run.
    pub fn detail(&self) -> Option<&str> {
        match self {
            Self::RunNotRecorded { why } | Self::RunIncomplete { why } => Some(why),
            _ => None,
        }
    }

    /// The reason without details of the case, so that equal reasons can be counted.
    pub fn kind(&self) -> String {
        match self {
            Self::ExpectedOpen { field, .. } => {
                format!("an expected call has no `{field}`, and this evaluator compares it")
            }
            Self::NotRecorded { field, .. } => format!("a call was recorded without `{field}`"),
            Self::NoSchema { .. } => "no called tool is among those of `schema`".to_owned(),
            Self::RunNotRecorded { .. } => "the run was not recorded".to_owned(),
            Self::NothingNamed { paths, .. } => {
                format!("`match.keys` names no argument on either side: {paths}")
            }
            Self::RunIncomplete { .. } => {
                "the run is incomplete, and this evaluator needs all of its calls".to_owned()
            }
            other => other.to_string(),
        }
    }
}

/// Why an evaluation failed.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EvaluationError {
    /// The input doesn't have the original's shape.
    #[error("{side}{pointer}: expected {expected}, found {found}")]
    Shape {
        /// `expected` or `actual`.
        side: &'static str,
        /// JSON pointer into that side.
        pointer: String,
        /// What is expected there.
        expected: &'static str,
        /// What was found there.
        found: String,
    },
    /// The original returns this message as an error result.
    #[error("{0}")]
    ErrorResult(String),
    /// The original raises an error.
    #[error("{0}")]
    Raised(String),
    /// The score is not finite.
    #[error("the score is not a number: check the weights")]
    NotFinite,
    /// More calls than the alignment supports.
    #[error("{calls} calls on one side, and {alignment} takes at most {limit}")]
    TooManyCalls {
        /// Number of calls.
        calls: usize,
        /// The alignment.
        alignment: &'static str,
        /// Its limit.
        limit: usize,
    },
    /// More pairs of arguments to compare than [`Case::max_comparisons`](crate::call::Case::max_comparisons) allows.
    #[error(
        "more than {limit} pairs of calls would have to be compared; --max-comparisons allows more"
    )]
    TooManyComparisons {
        /// The limit.
        limit: u64,
    },
}

impl From<NotApplicable> for Outcome {
    fn from(reason: NotApplicable) -> Self {
        Self::NotApplicable(reason)
    }
}

impl From<EvaluationError> for Outcome {
    fn from(error: EvaluationError) -> Self {
        Self::Failed(error)
    }
}
