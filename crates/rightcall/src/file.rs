//! The cases of a file.

use std::collections::VecDeque;
use std::path::Path;
use std::sync::Arc;

use rightcall_formats::{Input, Limits, ReadOptions, RecordContent};

use crate::case::CaseText;
use crate::error::Error;

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
        let Some(block) = self.input.next_block(Input::BLOCK)? else {
            self.has_ended = true;
            return Ok(());
        };
        let file = Arc::clone(self.input.name());
        for record in block.records() {
            self.read
                .push_back(match record.content.and_then(RecordContent::text) {
                    Ok(text) => Ok(CaseText::unread(
                        &text,
                        Some((Arc::clone(&file), record.place)),
                    )),
                    Err(error) => Err(error.at(&file, Some(record.place.line)).into()),
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

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<Result<Option<String>, String>> {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("cases.jsonl");
        std::fs::write(&file, text).unwrap();
        let place = format!("{}/", folder.path().display());
        let shown = |error: Error| error.to_string().replace(&place, "");
        let read = cases(&file).unwrap();
        read.map(|case| case.and_then(|it| it.name()).map_err(shown))
            .map(|name| name.map(|name| name.map(|it| it.replace(&place, ""))))
            .collect()
    }

    #[test]
    fn an_unreadable_record_is_an_error_in_its_place() {
        let text = "{\"id\":\"a\",\"expected\":[],\"actual\":[]}\n{\"expected\":[],\"actual\":[{\"nam\":1}]}\n{\"expected\":[],\"actual\":[]}\n";
        assert_eq!(
            names(text),
            [
                Ok(Some("a".to_owned())),
                Err(
                    "cases.jsonl:2 /actual/0: expected a key of a call, found the key `nam`"
                        .to_owned()
                ),
                Ok(Some("cases.jsonl:3".to_owned())),
            ]
        );
    }

    #[test]
    fn a_file_is_read_to_its_end_over_several_blocks() {
        let line = "{\"expected\":[\"a\"],\"actual\":[\"a\"]}\n";
        let text = line.repeat(3 * Input::BLOCK / line.len());
        let count = text.lines().count();
        assert_eq!(names(&text).iter().flatten().count(), count);
    }
}
