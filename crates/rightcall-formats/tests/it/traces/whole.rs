//! Complete files.

use std::collections::BTreeMap;
use std::fs;

use rightcall_formats::{Input, Inspection, Limits, ReadOptions, read_case};

use super::{directory, files, pairs};

#[test]
fn every_file_holds_the_calls_that_were_written_into_it() {
    for &(name, trajectories, calls, counts) in files() {
        let found = Inspection::from_file(
            &directory().join(name),
            Limits::default(),
            &ReadOptions::default(),
            &mut |_, _| {},
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
fn the_written_case_of_a_trace_holds_the_same_calls() {
    for (name, ..) in files() {
        let options = ReadOptions::default();
        let mut input = Input::open(&directory().join(name), Limits::default(), &options).unwrap();
        while let Some(block) = input.next_block(1).unwrap() {
            for record in block.records() {
                let content = record.content.unwrap();
                let (text, case) = (content.text().unwrap(), content.case(&options).unwrap());
                assert!(!text.contains('\n'), "{name}");
                let again = read_case(&text, &options).unwrap();
                let on_one_line = pairs(&case).into_iter().map(|(name, id, output)| {
                    let output = output.map(|json| json.replace(['\n', '\r'], " "));
                    (name, id, output)
                });
                assert_eq!(pairs(&again), on_one_line.collect::<Vec<_>>(), "{name}");
            }
        }
    }
}
