//! Complete files.

use std::collections::BTreeMap;
use std::fs;

use rightcall_formats::{Input, Inspection, Limits, ReadOptions, Trace, read_case};

use super::{directory, files, pairs};

#[test]
fn every_file_holds_the_calls_that_were_written_into_it() {
    for &(name, trajectories, calls, counts) in files() {
        let found = Inspection::from_file(
            &directory().join(name),
            Limits::default(),
            &ReadOptions::default(),
            usize::MAX,
        )
        .unwrap();
        assert!(found.errors.is_empty(), "{name}: {:?}", found.errors);
        assert!(
            name.starts_with(found.format.unwrap().name),
            "{name} is not {:?}",
            found.format
        );
        let calls: BTreeMap<_, _> = calls
            .iter()
            .map(|&(name, count)| (name.to_owned(), count))
            .collect();
        assert_eq!(
            (found.trajectories, &found.names),
            (trajectories, &calls),
            "{name}"
        );
        let found = [
            found.with_result,
            found.invalid_arguments,
            found.report.orphans,
            found.not_run,
        ];
        assert_eq!(found, counts, "{name}");
    }
    let listed = fs::read_dir(directory()).unwrap().count();
    assert_eq!(
        listed,
        files().count(),
        "a file under tests/traces is not listed"
    );
}

#[test]
fn a_trace_read_as_a_case_holds_the_same_calls() {
    for (name, ..) in files() {
        let options = ReadOptions::default();
        let open = || Input::open(&directory().join(name), Limits::default(), &options).unwrap();
        let mut traces = Vec::new();
        let mut input = open();
        while let Some(records) = input.next_traces().unwrap() {
            traces.extend(records.into_iter().map(|(_, trace)| trace.unwrap()));
        }
        let mut input = open();
        let mut cases = Vec::new();
        while let Some(block) = input.next_block(1).unwrap() {
            for record in block.records() {
                let case = read_case(record.text.as_ref().unwrap(), &options).unwrap();
                cases.push(pairs(&Trace::from_case(&case, record.line)));
            }
        }
        assert_eq!(
            cases,
            traces.iter().map(pairs).collect::<Vec<_>>(),
            "{name}"
        );
    }
}
