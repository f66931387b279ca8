//! Writes cases: one file per format, and the only list of them.
//!
//! A writer converts each case to text. Its format defines the text around the cases: none for JSON Lines, else the opening and closing
//! of the document ([`CaseFile`]). Parts that a format cannot hold are listed as [`Lack`]s, so that a conversion can report what was
//! lost. Anything else must be the same after reading the file again; a property test checks this for every writer.

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
    /// The writer with this name.
    ///
    /// # Errors
    /// No writer has this name; the error suggests the nearest.
    pub fn find(name: &str) -> Result<&'static Self, UnknownFormat> {
        UnknownFormat::or_named(WRITERS, |writer| writer.name, name, " that is written")
    }
}

#[cfg(test)]
mod tests;
