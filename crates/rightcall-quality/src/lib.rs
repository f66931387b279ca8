//! Checks expectations: against each other, and against the schemas of the tools that they call. Also finds the change of a run or of its
//! expectation that reaches a score.
//!
//! [`why_not`] finds the smallest change of a run that reaches a score.
//!
//! [`Linter`] takes records and suites and returns [`Finding`]s. Each rule is one file and one line in a list; [`rules`] returns
//! them. The caller passes texts and catalogues: this crate reads no files, except the catalogue in a setting of `constraints`, for which
//! [`use_tool_definitions`] registers a reader. [`CoverageCounter`] counts which of an agent's tools the cases test.
//!
//! ```
//! use rightcall_quality::Linter;
//!
//! let mut linter = Linter::default();
//! linter.add_record("cases.jsonl", 1, r#"{"id": "a",
//!     "tools": [{"name": "find", "parameters": {"type": "object", "properties": {"id": {"type": "integer"}}}}],
//!     "expected": [{"name": "find", "args": {"id": "7"}}]}"#).unwrap();
//! let findings = linter.findings();
//!
//! assert_eq!(findings[0].rule.code, "type-differs-from-schema");
//! assert_eq!(findings[0].place.pointer, "/expected/0/args/id");
//! ```

mod check;
mod conditions;
mod coverage;
mod expected;
mod finding;
mod fix;
mod found;
mod json;
mod linter;
mod place;
mod rule;
mod rule_calls;
mod rules;
mod sarif;
mod severity;
pub mod strength;
mod subject;
mod suite;
mod tools;
mod values;
mod why_not;
mod written_rules;

pub use coverage::{
    ArgumentCoverage, Coverage, CoverageCounter, ToolCoverage, UncoveredPair, ValueCoverage,
};
pub use finding::{Finding, Fix};
pub use fix::fixed;
pub use json::findings_json;
pub use linter::Linter;
pub use place::Place;
pub use rule::LintRule;
pub use rules::rules;
pub use sarif::sarif;
pub use severity::Severity;
pub use suite::{RuleInSuite, SuiteDefect, SuiteFacts, ToolInSuite};
pub use tools::use_tool_definitions;
pub use why_not::{
    AddedCall, MOST_EVALUATIONS, RunChange, RunEdit, Tried, WhyNot, WhyNotAnswer, edits_told,
    why_not,
};
