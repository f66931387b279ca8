//! Types under their names of 0.1.0, kept for one version.

#![expect(missing_docs, reason = "each says what it is called now")]

#[deprecated = "use `TrialScores`"]
pub type CaseResult = crate::TrialScores;

#[deprecated = "use `MeanChange`"]
pub type Change = crate::MeanChange;

#[deprecated = "use `PairedComparison`"]
pub type Comparison = crate::PairedComparison;

#[deprecated = "use `Measurement`"]
pub type Judged = crate::Measurement;

#[deprecated = "use `EvaluatorChange`"]
pub type MeasureChange = crate::EvaluatorChange;

#[deprecated = "use `MovedCase`"]
pub type Moved = crate::MovedCase;

#[deprecated = "use `PassAtK`"]
pub type PassOf = crate::PassAtK;

#[deprecated = "use `TrialStatistics`"]
pub type Repeated = crate::TrialStatistics;

#[deprecated = "use `RunScores`"]
pub type Results = crate::RunScores;

#[deprecated = "use `ComparisonSettings`"]
pub type Rules = crate::ComparisonSettings;

#[deprecated = "use `ScoreColumn`"]
pub type Subject = crate::ScoreColumn;

#[deprecated = "use `SignificanceTest`"]
pub type Test = crate::SignificanceTest;

#[deprecated = "use `TrialCounts`"]
pub type Trials = crate::TrialCounts;

#[deprecated = "use `ChangeVerdict`"]
pub type Verdict = crate::ChangeVerdict;
