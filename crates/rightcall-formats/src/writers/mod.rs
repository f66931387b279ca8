//! Cases out: one file a format, and the one list of them.
//!
//! A writer makes a text of each case, and its format says what stands around cases: nothing where each is a line, else what opens
//! and closes the document ([`CaseFile`]). What a format has no place for is named as [`Lack`]s, so that a conversion can say what
//! was lost; what is no lack must come back when the file is read again, which a property holds every writer to.

mod adk_eval_sets;
mod anthropic;
mod atif;
mod bfcl;
mod case_file;
mod cases;
mod deepeval;
mod inspect;
mod lacks;
mod openai_chat;
mod otlp;
mod parts;
mod promptfoo;
mod ragas;
mod tau2;
mod writer;

use crate::format::UnknownFormat;
pub use case_file::CaseFile;
pub use lacks::Lack;
pub use writer::{Writer, WrittenCase};

/// All writers; the first is the default.
pub static WRITERS: &[&Writer] = &[
    &cases::WRITER,
    &openai_chat::WRITER,
    &anthropic::WRITER,
    &otlp::WRITER,
    &atif::WRITER,
    &inspect::WRITER,
    &tau2::WRITER,
    &bfcl::WRITER,
    &adk_eval_sets::WRITER,
    &promptfoo::WRITER,
    &deepeval::WRITER,
    &ragas::WRITER,
];

impl Writer {
    /// The writer of this name.
    ///
    /// # Errors
    /// There is none; the error names the nearest.
    pub fn find(name: &str) -> Result<&'static Self, UnknownFormat> {
        UnknownFormat::or_named(WRITERS, |writer| writer.name, name, " that is written")
    }
}

#[cfg(test)]
mod tests;
