//! Cases out: one file a format, and the one list of them.
//!
//! A writer makes one line of each case. What its format has no place for it names as [`Lack`]s, so that a conversion can say
//! what was lost; what is no lack must come back when the line is read again, which a property holds every writer to.

mod anthropic;
mod cases;
mod openai_chat;
mod otlp;
mod writer;

use rightcall::{did_you_mean, nearest};

use crate::format::UnknownFormat;
pub use writer::{Lack, Writer};

/// All writers; the first is the default.
pub static WRITERS: &[&Writer] = &[
    &cases::WRITER,
    &openai_chat::WRITER,
    &anthropic::WRITER,
    &otlp::WRITER,
];

impl Writer {
    /// The writer of this name.
    ///
    /// # Errors
    /// There is none; the error names the nearest.
    pub fn find(name: &str) -> Result<&'static Self, UnknownFormat> {
        let names = || WRITERS.iter().map(|writer| writer.name);
        WRITERS
            .iter()
            .copied()
            .find(|writer| writer.name == name)
            .ok_or_else(|| UnknownFormat {
                name: name.to_owned(),
                suggestion: match &nearest(name, names())[..] {
                    [] => format!(
                        " that is written; there are {}",
                        names().collect::<Vec<_>>().join(", ")
                    ),
                    near => did_you_mean(near),
                },
            })
    }
}

#[cfg(test)]
mod tests;
