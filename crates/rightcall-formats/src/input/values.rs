//! The values of an input, however they lie in it.

use std::io;
use std::sync::Arc;

use super::block::Block;
use super::document::Document;
use super::lines::Lines;
use super::pieces::{InPlace, Pieces};
use super::source::Source;
use super::yaml::YamlCases;
use crate::error::{CaseError, ReadError};
use crate::format::TraceReader;

/// The values of an input, in order.
#[derive(Debug)]
pub(super) enum Values {
    Lines(Lines),
    Document(Document),
    Pieces(Pieces),
    Yaml(YamlCases),
}

impl Values {
    /// [`Values::next`] for a reader, which reads of a large document what it can where it stands.
    pub(super) fn next_for(
        &mut self,
        reader: &mut dyn TraceReader,
        max_depth: usize,
        source: &mut Source,
        name: &Arc<str>,
        target: usize,
    ) -> Result<Option<Block>, ReadError> {
        match self {
            Self::Pieces(pieces) => {
                let in_place = reader.items().map(|items| InPlace { items, max_depth });
                pieces
                    .next(source, target, in_place)
                    .map_err(|(line, error)| error.at(name, Some(line)))
            }
            _ => self.next(source, name, target),
        }
    }

    /// The next values, of about this size together; `None` at the end.
    pub(super) fn next(
        &mut self,
        source: &mut Source,
        name: &Arc<str>,
        target: usize,
    ) -> Result<Option<Block>, ReadError> {
        match self {
            Self::Lines(lines) => {
                let next = lines.next(source, target);
                next.map_err(|error| unreadable(name, &error, Some(lines.line)))
            }
            Self::Document(document) => document
                .next(target)
                .map_err(|(line, error)| error.at(name, Some(line))),
            Self::Pieces(pieces) => pieces
                .next(source, target, None)
                .map_err(|(line, error)| error.at(name, Some(line))),
            Self::Yaml(cases) => cases
                .next(target)
                .map_err(|(line, error)| error.at(name, Some(line))),
        }
    }
}

#[cold]
pub(super) fn unreadable(name: &Arc<str>, error: &io::Error, line: Option<u64>) -> ReadError {
    let error =
        CaseError::new("more data", format!("an error: {error}")).help("is the file complete?");
    error.at(name, line)
}
