//! Expectations from runs: recorded from good runs, and reviewed against new ones.

mod ignored;
mod learned_yaml;
mod learning;
mod places;
mod record;
mod recorder;
mod redacted;
mod review;
mod rewrite;
mod stored_runs;
mod tasks;
mod written;

pub use ignored::IgnoredArguments;
pub use learned_yaml::learned_yaml;
pub use learning::{HeldOut, LearnedCase};
pub use record::{RecordingTally, record};
pub use recorder::{ExpectationRecorder, RecordedPart};
pub use review::{Review, review, text_to_review};
pub use rewrite::{OriginalFile, RewriteError, rewrite};
pub use stored_runs::{LearningError, StoredRuns};
pub use tasks::{LeftOutRecords, RunLocation, Task, TaskGrouping, Tasks, tasks};
pub use written::ExpectationChange;
