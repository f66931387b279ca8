//! Every format entry is complete, and its example is recognized and read.

use std::collections::HashSet;
use std::io::Write;

use rightcall_core::value::MAX_DEPTH;

use super::FORMATS;
use crate::detect::recognise;
use crate::format::Recognition;
use crate::node::Node;
use crate::tests::text_of;
use crate::{Format, Input, Limits, ReadOptions};

#[test]
fn every_example_is_recognised_as_its_own_format_and_gives_a_call() {
    for format in FORMATS.iter().copied() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(format.example.as_bytes()).unwrap();
        for named in [None, Some(format)] {
            let options = ReadOptions {
                format: named,
                ..ReadOptions::default()
            };
            let mut input = Input::open(file.path(), Limits::default(), &options).unwrap();
            assert_eq!(input.format().unwrap(), Some(format));
            let block = input.next_block(1 << 20).unwrap().unwrap();
            let mut cases = block.records().map(|it| text_of(&it));
            let holds_it = cases.any(|case| case.contains("find_order"));
            assert!(holds_it, "{} {named:?}", format.name);
        }
    }
}

#[test]
fn no_two_formats_of_one_priority_are_certain_of_one_example() {
    for format in FORMATS.iter().copied() {
        for value in format.example.lines().chain([format.example]) {
            let Ok(node) = Node::parse(value, MAX_DEPTH) else {
                continue;
            };
            let rivals: Vec<_> = FORMATS
                .iter()
                .filter(|it| recognise(it, &node) == Recognition::Certain)
                .filter(|it| it.priority == format.priority)
                .collect();
            assert!(rivals.len() < 2, "{}: {rivals:?}", format.name);
        }
    }
}

#[test]
fn every_entry_is_complete_and_found_by_its_name() {
    let mut names = HashSet::new();
    for format in FORMATS.iter().copied() {
        assert!(names.insert(format.name), "{} stands twice", format.name);
        assert_eq!(Format::find(format.name), Ok(format));
        assert!(
            !format.title.is_empty() && !format.summary.is_empty() && !format.extensions.is_empty(),
            "{}",
            format.name
        );
        assert!(
            format
                .parts_read()
                .iter()
                .any(|(what, _)| what.ends_with("calls")),
            "{}",
            format.name
        );
        assert!(
            format.notes.len() > 20 && format.notes.ends_with('.'),
            "{}: what is peculiar to it",
            format.name
        );
    }
    let error = Format::find("deepevall").unwrap_err();
    assert_eq!(
        error.to_string(),
        "no format is called `deepevall`; did you mean `deepeval`?"
    );
}
