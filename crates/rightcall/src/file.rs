//! The cases of a file.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use rightcall_formats::{Input, Limits, ReadOptions};

use crate::case::CaseText;
use crate::error::Error;

/// Bytes of a block, the unit that is read at once.
const BLOCK: usize = 1 << 20;

/// The cases of a file in any known format, read in blocks. A trace is a case without an expectation.
#[derive(Debug)]
pub struct FileCases {
    input: Input,
    read: VecDeque<Result<CaseText, Error>>,
    has_ended: bool,
}

/// Opens a file of cases or traces: JSON, JSON Lines, YAML, CSV or Parquet, compressed or not.
///
/// # Errors
/// The file cannot be opened.
pub fn cases(path: impl AsRef<Path>) -> Result<FileCases, Error> {
    let input = Input::open(path.as_ref(), Limits::default(), &ReadOptions::default())?;
    Ok(FileCases {
        input,
        read: VecDeque::new(),
        has_ended: false,
    })
}

impl FileCases {
    fn read_block(&mut self) -> Result<(), Error> {
        let Some(block) = self.input.next_block(BLOCK)? else {
            self.has_ended = true;
            return Ok(());
        };
        let file = Arc::clone(self.input.name());
        for record in block.records() {
            self.read.push_back(match record.text {
                Ok(text) => Ok(CaseText::of_file(text, &file, record.line)),
                Err(error) => Err(error.at(&file, Some(record.line)).into()),
            });
        }
        Ok(())
    }
}

impl Iterator for FileCases {
    type Item = Result<CaseText, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.read.is_empty() && !self.has_ended {
            if let Err(error) = self.read_block() {
                self.has_ended = true;
                return Some(Err(error));
            }
        }
        self.read.pop_front()
    }
}
