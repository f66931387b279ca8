//! The same constraints while a run goes on, before the next call is made.
//!
//! A [`Monitor`] gives each constraint one of four verdicts after each event, says whether a next call may be made, and what must still
//! happen. A [`Guard`] decides with it: it refuses calls, lets them pass with a warning, or only observes. Neither reads a clock or a file.

mod answer;
mod budget;
mod error;
mod expected;
mod guard;
mod recorded;
mod snapshot;
mod state;
mod watch;

pub use crate::rule::RuleVerdict;
pub use answer::{Admission, OpenConstraint, Refusal};
pub use error::MonitorError;
pub use guard::{Guard, GuardDecision, GuardMode, GuardOptions};
pub use recorded::ResultOfCall;
pub use state::Monitor;
