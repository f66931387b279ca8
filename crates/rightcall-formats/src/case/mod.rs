//! Canonical cases: read in one pass over their text without copying, and written.
//!
//! A side that isn't a list of canonical calls is kept as text and handed to `shapes`, which knows the shapes of other tools.

mod blocks;
mod call;
mod draft;
mod expectation;
mod fault;
mod fields;
mod notation;
mod parts;
mod record;
mod spelling;
mod write;

pub use call::is_tool_name;
pub(crate) use call::{any_arguments, check_name, is_type_of_call};
pub use draft::key_meant_by;
pub(crate) use draft::{CaseSide, Draft, may_hold_expectation, run, settle_near_keys, tags};
pub use expectation::criteria_of;
pub(crate) use expectation::{CRITERIA_KEY, Wording, expectation, is_member, unknown_member};
pub(crate) use fault::{Fault, Result, Within, described, object_with, shortened};
pub(crate) use fields::{items, label, recorded, string_of};
pub(crate) use parts::tells_of_parts;
pub(crate) use record::parsed_record;
pub(crate) use spelling::{CallField, CallKeys, is_condition_of_call, letters, near};
pub(crate) use write::calls_text;
pub use write::case_text;
