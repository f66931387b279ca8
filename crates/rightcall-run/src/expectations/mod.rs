//! Expectations from runs: recorded from good ones, reviewed beside today's.

mod ignored;
mod places;
mod recorder;
mod review;
mod rewrite;
mod written;

pub use ignored::Ignored;
pub use recorder::{Keep, Recorder};
pub use review::{Review, review};
pub use rewrite::{Originals, RewriteError, rewrite};
pub use written::ExpectationChange;
