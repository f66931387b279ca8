//! Every format entry is complete, and its example is recognized and read.

use std::collections::HashSet;
use std::io::Write;

use rightcall_core::value::MAX_DEPTH;

use super::FORMATS;
use crate::detect::recognise;
use crate::format::Recognition;
use crate::node::Node;
use crate::{Format, Input, Limits, ReadOptions, Trace};

#[test]
fn every_example_is_recognised_as_its_own_format_and_gives_a_call() {
    for format in FORMATS.iter().copied() {
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(format.example.as_bytes()).unwrap();
        let holds_it = |trace: &Trace| {
            trace.calls.iter().any(|call| call.name == *"find_order")
                || trace.lacks_run
                    && trace
                        .expected
                        .as_ref()
                        .is_some_and(|expected| expected.contains("find_order"))
        };
        for named in [None, Some(format)] {
            let options = ReadOptions {
                format: named,
                ..ReadOptions::default()
            };
            let mut input = Input::open(file.path(), Limits::default(), &options).unwrap();
            assert_eq!(input.format().unwrap(), Some(format));
            let mut traces = input.next_traces().unwrap().unwrap().into_iter();
            assert!(
                traces.any(|(_, trace)| holds_it(&trace.unwrap())),
                "{} {named:?}",
                format.name
            );
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
