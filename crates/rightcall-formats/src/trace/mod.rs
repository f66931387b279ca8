//! What a reader of traces fills: the calls of one run of an agent, in order, with what was left out and why.
//!
//! The rules that all formats share live here, one file a rule: [`arguments`] (text or JSON), [`open_calls`] (which result
//! answers which call), [`conversation`] (calls from messages), [`wrappers`] (calls that hold calls), [`time`], [`choices`] (what
//! is a matter of opinion), [`parts`] (what is one case), [`report`] (what was left out), [`unread`] (what looks like a call and was not read). A trace leaves
//! as the text of a canonical case ([`canonical`]), so that everything behind the readers knows one format only.

pub(crate) mod arguments;
mod call;
mod call_result;
pub(crate) mod canonical;
pub(crate) mod choices;
pub(crate) mod conversation;
mod early_results;
mod join;
pub(crate) mod open_calls;
pub(crate) mod parts;
mod record;
pub(crate) mod report;
pub(crate) mod role;
mod scope;
pub(crate) mod skills;
pub(crate) mod time;
pub(crate) mod unread;
pub(crate) mod wrappers;

pub use rightcall::call::Executor;

pub use arguments::{TraceArguments, Understood};
pub use call::TraceCall;
pub(crate) use canonical::calls_text;
pub use choices::{
    CHOICES, CallOrder, CallSubject, CaseScope, ChoiceError, Choices, Evidence, Keep, OtherActors,
    ReadingChoice, Recordings, ToolId, UnreadCalls,
};
pub(crate) use conversation::{CallResult, Conversation, failed};
pub use join::Join;
pub use record::{Stated, Trace, TraceRecord};
pub use report::{LeftOut, Report};
pub(crate) use scope::Scope;
pub(crate) use unread::{
    Doubt, Suspect, count_suspects, each_suspect, in_members, likely_calls, likely_calls_under,
    look_over,
};
