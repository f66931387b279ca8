//! Expectations from runs: recorded from good ones, reviewed beside today's.

mod recorder;
mod review;

pub use recorder::{Ignored, Keep, Recorder};
pub use review::{Change, Originals, Review, RewriteError, review, rewrite};
