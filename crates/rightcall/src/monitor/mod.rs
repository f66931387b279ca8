//! The same constraints while a run goes on, before the next call is made.
//!
//! A [`Monitor`] gives each constraint one of four verdicts after each event, says whether a next call may be made, and what must still
//! happen. It reads no clock and no file.

mod budget;
mod error;
mod recorded;
mod snapshot;
mod state;
mod watch;

pub use crate::rule::RuleVerdict;
pub use error::MonitorError;
pub use recorded::ResultOfCall;
pub use state::{Admission, Monitor, OpenConstraint, Refusal};
