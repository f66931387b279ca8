//! Reads any bytes as a file: records must come in order, must not depend on the block size, and must respect their limits.
#![no_main]

use std::io::Write as _;

use libfuzzer_sys::fuzz_target;
use rightcall_formats::{Input, Limits, ReadOptions};

const LIMITS: Limits = Limits {
    max_line: 4096,
    max_depth: 64,
    max_document: 1 << 16,
};

fuzz_target!(|bytes: &[u8]| {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes)
        .and_then(|()| file.flush())
        .expect("room for a temporary file");
    let readings = [1, 100, 1 << 20].map(|target| records(file.path(), target));
    let (first, failure) = &readings[0];
    for (other, other_failure) in &readings[1..] {
        assert_eq!(
            failure.is_some(),
            other_failure.is_some(),
            "{failure:?}, {other_failure:?}"
        );
        // The amount of data that can be decompressed from a damaged file depends on the read size.
        let common = if failure.is_some() {
            first.len().min(other.len())
        } else {
            first.len().max(other.len())
        };
        assert_eq!(
            first.get(..common),
            other.get(..common),
            "the block size changes what is read"
        );
    }
});

/// Each record or its error, and the error that ended the reading, if any.
fn records(path: &std::path::Path, target: usize) -> (Vec<String>, Option<String>) {
    let mut input = match Input::open(path, LIMITS, &ReadOptions::default()) {
        Ok(input) => input,
        Err(error) => return (Vec::new(), Some(error.to_string())),
    };
    let mut found = Vec::new();
    loop {
        match input.next_block(target) {
            Ok(Some(block)) => {
                found.extend(block.records().map(|record| format!("{record:?}")));
            }
            Ok(None) => return (found, None),
            Err(error) => return (found, Some(error.to_string())),
        }
    }
}
