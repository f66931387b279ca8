//! The result of a trace reader: the calls of one agent run, in order, with a report on omissions.
//!
//! The rules shared by all formats are here, one file per rule: [`arguments`] (text or JSON), [`open_calls`] (pairing results with
//! calls), [`conversation`] (calls from messages), [`wrappers`] (calls that contain calls), [`time`], [`choices`] (switches), [`parts`]
//! (dividing a run into cases), [`report`] (omissions), [`unread`] (unread call-like parts).
//! [`case_of_trace`](crate::read_case::case_of_trace) makes a case of a trace, so the code after the readers knows cases only.

pub(crate) mod arguments;
mod call;
mod call_result;
pub(crate) mod choices;
pub(crate) mod conversation;
mod early_results;
mod join;
pub(crate) mod open_calls;
pub(crate) mod parts;
mod record;
mod repeated_records;
pub(crate) mod report;
pub(crate) mod role;
mod scope;
pub(crate) mod skills;
pub(crate) mod time;
pub(crate) mod unread;
pub(crate) mod words;
pub(crate) mod wrappers;

pub use rightcall_core::call::Executor;

pub(crate) use arguments::{TraceArguments, Understood};
pub(crate) use call::NO_ERROR;
pub(crate) use call::TraceCall;
pub use choices::{
    CHOICES, CallOrder, CallSubject, CaseScope, ChoiceError, Choices, Evidence, Keep, OtherActors,
    ReadingChoice, Recordings, ToolId, UnreadCalls,
};
pub(crate) use conversation::{CallResult, Conversation, CountedResult, failed};
pub use join::Join;
pub(crate) use record::{Trace, TraceRecord};
pub(crate) use repeated_records::RepeatedRecords;
pub use report::{LeftOut, Report};
pub(crate) use scope::Scope;
pub(crate) use unread::{
    Doubt, Suspect, count_suspects, each_suspect, in_members, is_demand, is_schema, likely_calls,
    likely_calls_under, look_around, look_over,
};
