//! Reads cases and traces: bytes to records, records to cases.
//!
//! An [`Input`] returns the records of a file of any size in blocks, with bounded memory. [`RecordContent::case`] reads one record as a
//! case, [`read_case`] one text. [`join`] finds the run of a case in other files. Everything in a case borrows from its record.

pub mod join;
pub mod yaml;

mod binary;
mod case;
mod catalogue;
mod completion;
mod detect;
mod divide;
mod draft;
mod envelopes;
mod error;
mod event_line;
mod format;
mod formats;
mod graph_stream;
mod groups;
mod in_order;
mod input;
mod inspection;
mod json;
mod map;
mod map_files;
mod messages;
mod node;
mod notations;
mod one_run;
mod options;
mod place;
mod plain_values;
mod read_case;
mod readers;
mod respelled;
mod rewriting;
mod shapes;
mod side;
mod spans;
#[cfg(test)]
mod tests;
mod trace;
mod writers;

pub use case::{case_text, criteria_of, is_tool_name, key_meant_by};
pub use catalogue::{CatalogueTool, ToolCatalogue, json_type};
pub use completion::{Completion, MadeCall, ReadCompletion, ScoredTurns};
pub use draft::{DraftError, draft_map};
pub use envelopes::{ENVELOPES, Envelope};
pub use error::{CaseError, Location, OpenError, ReadError};
pub use format::{Format, UnknownFormat};
pub use formats::FORMATS;
pub use in_order::{MAX_THREADS, in_order};
pub use input::{
    Block, Input, Inputs, ObjectStores, Piece, Record, RecordContent, has_ending, is_object,
    objects_like, read_bytes, read_text, use_object_stores,
};
pub use inspection::{Inspection, NotRecorded, has_invalid_arguments};
pub use map::map_schema;
pub use notations::{TextArguments, TextCall, TextCalls, read_notations};
pub use one_run::{only_run, run_of_text};
pub use options::{Limits, ReadOptions};
pub use place::LinePlace;
pub use plain_values::{ValuesError, plain_values};
pub use read_case::{read_call, read_case, refuse_near_keys, refuse_near_sides};
pub use trace::{
    CHOICES, CallOrder, CallSubject, CaseScope, ChoiceError, Choices, Evidence, Executor, Keep,
    LeftOut, OtherActors, ReadingChoice, Recordings, Report, ToolId, UnreadCalls,
};
pub use writers::{CaseFile, Lack, WRITERS, Writer, WrittenCase};

/// The JSON Schema (2020-12) of cases, for a single case and for a file with a list of cases.
pub const CASE_SCHEMA: &str = include_str!("case/schema.json");
