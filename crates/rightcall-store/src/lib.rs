//! The history of runs, in one SQLite file.
//!
//! [`RunSink`] records a run while it goes on; [`History`] lists, filters and reads what was recorded. Everything that may be
//! long is paged and filtered in the database: a reader never has to load a run to show a part of it.
//!
//! ```no_run
//! # fn main() -> Result<(), rightcall_store::StoreError> {
//! use rightcall_store::{CaseFilter, CaseOrder, History, HISTORY, PageRange, RunFilter};
//!
//! let history = History::open_to_read(HISTORY.as_ref())?;
//! let runs = history.runs(&RunFilter { branch: Some("main".into()), ..RunFilter::default() }, PageRange::first(20))?;
//! if let Some(run) = runs.first() {
//!     let failed = CaseFilter { tool: Some("refund".into()), failed: Some(true), ..CaseFilter::default() };
//!     let page = history.cases(run.number, &failed, CaseOrder::Worst, PageRange { offset: 100, limit: 50 })?;
//!     println!("{} of {} cases", page.cases.len(), page.total);
//! }
//! # Ok(()) }
//! ```
//!
//! **Concurrency.** The file is in WAL mode: any number of processes read while one writes, and writers wait for each other. A
//! run becomes visible in the transaction that completes it; what a killed process left behind is never among the runs and is
//! deleted by the next that records one.
//!
//! **Reading.** Who only reads changes nothing, and needs no right to write: [`History::open_to_read`] reads what stands in a
//! read-only folder, belongs to another user or lies on a full disk. [`History::open_existing`] is for the others.
//!
//! **Versions.** `user_version` counts the migrations that a file has been through. An older file is brought forward when it is
//! opened to be written, a newer one is refused.

mod case;
mod case_filter;
mod conditions;
mod connection;
mod counts;
mod deletion;
mod error;
mod exchange;
mod history;
mod progress;
mod record;
mod reference;
mod results;
mod run;
mod schema;
mod search;
mod settings;
mod unfinished;
mod unwritable;

pub use case::{CaseList, CaseRow};
pub use case_filter::{CaseFilter, CaseOrder, StoredVerdict, ToolUseKind};
pub use connection::PATIENCE;
pub use counts::ToolPair;
pub use deletion::Prune;
pub use error::StoreError;
pub use exchange::Imported;
pub use history::{HISTORY, History, PageRange, make_folder};
pub use record::{RunOutcome, RunSink};
pub use reference::{Reference, part_values};
pub use run::{AlikeRuns, NewRun, RunFilter, RunRow};
pub use settings::{RunSettings, WeightedEvaluator};
pub use unfinished::UnfinishedRun;
