//! What the benchmarks of `cargo xtask` run: workloads, the bare parse, and textbook loops to compare with.

mod json;
mod parse;
mod random;
mod spans;
mod table;
mod workload;

pub use parse::{ParsedCall, ParsedCase, each_case, each_case_of, parse_requests};
pub use spans::{Exported, write_spans};
pub use table::longest_common_subsequence;
pub use workload::{CallsLike, WORKLOADS, Workload};
