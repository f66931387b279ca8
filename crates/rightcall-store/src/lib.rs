//! The history of runs, in one SQLite file.
//!
//! [`RunSink`] records a run while it is in progress; [`History`] lists, filters and reads recorded runs. Long lists are paged and
//! filtered in the database: showing a part of a run never loads all of it.
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
//! **Concurrency.** The file is in WAL mode: any number of processes can read while one writes, and writers wait for each other. A
//! run becomes visible in the transaction that completes it. Data of a killed process is never visible, and the next process that
//! records a run deletes it.
//!
//! **Reading.** Reading changes nothing and needs no write permission: [`History::open_to_read`] works in a read-only folder, for files
//! of another user and on a full disk. Use [`History::open_existing`] to change a history.
//!
//! **Versions.** `user_version` counts the migrations applied to a file. Opening an older file for writing migrates it; a newer one is
//! rejected.

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
pub use settings::{GateFilter, GateFilterValues, RunSettings, WeightedEvaluator};
pub use unfinished::UnfinishedRun;
