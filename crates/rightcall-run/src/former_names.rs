//! Names of 0.1.0, kept for one version: renamed items, and items that moved to the results crate.

#![expect(missing_docs, reason = "each says what it is called now")]

pub use rightcall_results::{
    Bound, Cause, CauseCount, ChangeStatistic, Decides, EditionsDiffer, Ending, EvaluatorSummary,
    Failure, Findings, GateResult, GroupSummary, NearKeys, NearName, STEPS, Scores, Statistic,
    ToolUse, causes, tools_of,
};

#[deprecated = "use `ExpectationChange`"]
pub type Change = crate::ExpectationChange;

#[deprecated = "use `rightcall_results::BoundRelation`"]
pub type Comparison = rightcall_results::BoundRelation;

#[deprecated = "use `ExpectationRule`"]
pub type Expected = crate::ExpectationRule;

#[deprecated = "use `IgnoredArguments`"]
pub type Ignored = crate::IgnoredArguments;

#[deprecated = "use `RecordedPart`"]
pub type Keep = crate::RecordedPart;

#[deprecated = "use `OriginalFile`"]
pub type Originals = crate::OriginalFile;

#[deprecated = "use `ExpectationRecorder`"]
pub type Recorder = crate::ExpectationRecorder;

#[deprecated = "use `rightcall_results::GateSubject`"]
pub type Subject = rightcall_results::GateSubject;

#[deprecated = "use `rightcall_results::RunSummary`"]
pub type Summary = rightcall_results::RunSummary;

#[deprecated = "use `rightcall_results::TrialRule`"]
pub type Trials = rightcall_results::TrialRule;
