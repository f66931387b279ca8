//! The building blocks of the benchmarks in `cargo xtask`: workloads, trees, and the bare parse.

mod json;
mod parse;
mod random;
mod spans;
mod trees;
mod usage;
mod workload;

pub use parse::{ParsedCall, ParsedCase, each_case, each_case_of, parse_messages, parse_requests};
pub use spans::{Exported, write_spans};
pub use trees::{TreeShape, run_of, write_logs, write_trees};
pub use usage::Usage;
pub use workload::{CallsLike, WORKLOADS, Workload};
