//! The values of an input, however they lie in it.

use std::io;
use std::sync::Arc;

use super::block::Block;
use super::document::Document;
use super::lines::Lines;
use super::pieces::{InPlace, Pieces};
use super::source::{Source, incomplete};
use super::yaml::YamlCases;
use crate::error::ReadError;
use crate::format::TraceReader;
use crate::trace::Report;

/// The values of an input, in order.
#[derive(Debug)]
pub(super) enum Values {
    Lines(Lines),
    Document(Document),
    Pieces(Pieces),
    Yaml(YamlCases),
}

impl Values {
    /// What is to be said of the input as a whole; `None` if that is nothing.
    pub(super) fn report(&self) -> Option<Report> {
        match self {
            Self::Yaml(cases) => Some(cases.report()).filter(|it| *it != Report::default()),
            _ => None,
        }
    }

    /// Refuses tags of YAML that say nothing to JSON.
    pub(super) fn refuse_tags(&mut self) {
        if let Self::Yaml(cases) = self {
            cases.refuse_tags();
        }
    }

    /// The next values, of about this size together; `None` at the end. A reader reads of a large document what it can where it
    /// stands, which is nested no deeper than the number beside it.
    pub(super) fn next(
        &mut self,
        reader: Option<(&mut dyn TraceReader, usize)>,
        source: &mut Source,
        name: &Arc<str>,
        target: usize,
    ) -> Result<Option<Block>, ReadError> {
        let next = match self {
            Self::Lines(lines) => {
                let next = lines.next(source, target);
                return next.map_err(|error| unreadable(name, &error, Some(lines.line)));
            }
            Self::Document(document) => document.next(target),
            Self::Pieces(pieces) => {
                let in_place = reader.and_then(|(reader, max_depth)| {
                    let items = reader.items()?;
                    Some(InPlace { items, max_depth })
                });
                pieces.next(source, target, in_place)
            }
            Self::Yaml(cases) => cases.next(target),
        };
        next.map_err(|(line, error)| error.at(name, Some(line)))
    }
}

#[cold]
pub(super) fn unreadable(name: &Arc<str>, error: &io::Error, line: Option<u64>) -> ReadError {
    incomplete(error).at(name, line)
}
