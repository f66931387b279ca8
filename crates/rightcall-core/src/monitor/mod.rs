//! Checks constraints during a run, before the next call is made.
//!
//! After each event, a [`Monitor`] has one of four verdicts for each constraint. It says whether a call may be made next, and what must
//! still happen. A [`Guard`] uses it to decide: it refuses calls, allows them with a warning, or only observes. Neither reads a clock or a
//! file.

mod answer;
mod budget;
mod error;
mod expected;
mod guard;
mod recorded;
mod schema_counts;
mod snapshot;
mod state;
mod watch;

pub use crate::rule::RuleVerdict;
pub use answer::{Admission, OpenConstraint, Refusal};
pub use error::MonitorError;
pub use guard::{Guard, GuardDecision, GuardMode, GuardOptions};
pub use recorded::ResultOfCall;
pub use state::Monitor;
