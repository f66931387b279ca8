#![doc = include_str!("../../../docs/rust.md")]

mod case;
mod error;
mod file;
mod guard;
mod run;

pub use case::{CaseText, evaluate, evaluator};
pub use error::Error;
pub use file::{FileCases, cases};
pub use guard::{call, guard};
pub use run::{AgentRun, RunCall, UnreadPart, run};

pub use rightcall_core::monitor::{Guard, GuardDecision, GuardMode, GuardOptions, Refusal};
pub use rightcall_core::{
    ConfigError, EVALUATORS, Edition, Entry, EvaluationError, Evaluator, NotApplicable, Outcome,
    Score,
};
pub use rightcall_formats::{CaseError, OpenError, ReadError};
pub use rightcall_results::EvaluationResult;

/// Which calls were paired, how they differ, and how the score was calculated.
pub mod explanation {
    pub use rightcall_core::{
        CallAlignment, Costs, Difference, ExpectedList, ExplainedCheck, ExplainedPair, Explanation,
        Grade, Side, Tally, Term,
    };
}

/// The engine under this page: cases that borrow from their text, evaluators that share what they compute. Its interface may change.
#[doc(no_inline)]
pub use rightcall_core as engine;
/// The reader under this page: formats, maps, inputs of any size. Its interface may change.
#[doc(no_inline)]
pub use rightcall_formats as reader;

/// The examples of the README, run as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../README.md")]
struct Readme;
