//! The counts of the trace files, as `tests/count` determines them without rightcall.

mod data;
mod frameworks;
mod messages;
mod sessions;
mod spans;

/// The number of calls of each tool.
pub(super) type Names = &'static [(&'static str, u64)];

/// A file in `tests/traces`: trajectories, calls by name, then results, invalid arguments, orphans, calls not run.
type Counts = (&'static str, u64, Names, [u64; 4]);

/// The files in `tests/traces`.
pub(super) fn files() -> impl Iterator<Item = &'static Counts> {
    let all = [
        data::FILES,
        frameworks::FILES,
        messages::FILES,
        sessions::FILES,
        spans::FILES,
    ];
    all.into_iter().flatten()
}
