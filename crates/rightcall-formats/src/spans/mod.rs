//! Calls from spans, whatever carries them: OTLP, flat lists, and what is still to come.
//!
//! A carrier turns its values into [`TraceSpan`]s; the [`dialects`] say what a span tells of calls, chosen span by span; [`evidence`]
//! makes the calls of a trace of what its spans told.

pub(crate) mod dialect;
pub(crate) mod dialects;
mod evidence;
mod kind;
mod parts;
mod question;
mod reader;
mod requests;
mod span;
mod stored;
mod trace_spans;
mod traces;
mod turn;
pub(crate) mod unread;

pub(crate) use reader::SpanReader;
pub(crate) use span::{Attribute, Attributes, Event, TraceSpan};
pub(crate) use traces::{SpanTraces, unkept};

#[cfg(test)]
mod tests;
