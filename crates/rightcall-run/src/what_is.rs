//! Describes the kind of a file for messages.

use crate::existing_file::ExistingFile;
use crate::results_file::{is_baseline, is_results};
use crate::{Suite, SuiteOptions};

/// The first bytes of binary files, with a name for each kind.
const MARKS: [(&[u8], &str); 8] = [
    (b"PAR1", "a Parquet file"),
    (b"ARROW1", "an Arrow file"),
    (&[0x1F, 0x8B], "a file packed with gzip"),
    (&[0x28, 0xB5, 0x2F, 0xFD], "a file packed with zstd"),
    (b"PK\x03\x04", "an archive"),
    (b"<!doctype html", "an HTML page"),
    (b"<html", "an HTML page"),
    (b"<?xml", "an XML file"),
];

/// The header of a SQLite database, and the range of its application id.
const DATABASE: &[u8] = b"SQLite format 3\0";
const APPLICATION: std::ops::Range<usize> = 68..72;

/// The headers of SQLite log files.
const LOGS: [&[u8]; 3] = [
    &[0x37, 0x7F, 0x06, 0x82],
    &[0x37, 0x7F, 0x06, 0x83],
    &[0xD9, 0xD5, 0x05, 0xF9],
];

/// True if a file with this head is a SQLite database or one of its logs.
pub(crate) fn is_database(head: &[u8]) -> bool {
    head.starts_with(DATABASE) || LOGS.iter().any(|mark| head.starts_with(mark))
}

/// The kind of a file, with an article.
pub(crate) fn what_is(file: &ExistingFile) -> String {
    let head = &file.head[..];
    if is_database(head) {
        let is_ours = head.get(APPLICATION).is_some_and(|it| it == b"rcal");
        return if is_ours { "a history" } else { "a database" }.to_owned();
    }
    let begins = |mark: &[u8]| {
        head.get(..mark.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(mark))
    };
    if let Some((_, what)) = MARKS.iter().find(|(mark, _)| begins(mark)) {
        return (*what).to_owned();
    }
    if is_baseline(head) {
        return "a baseline".to_owned();
    }
    if is_results(head) {
        return "a file of results".to_owned();
    }
    if Suite::read(&file.path, &SuiteOptions::default()).is_ok() {
        return "a suite".to_owned();
    }
    match file.format() {
        Some(format) => format!("a file of {}", format.title),
        None if head.contains(&0) => "a file of another kind".to_owned(),
        None => "a text file".to_owned(),
    }
}
