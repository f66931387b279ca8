//! `--expect`: a file with messages or spans is an expectation, as the same value under `expected` in a case.

use std::fs;
use std::path::Path;

use rightcall_formats::{ReadOptions, read_case};
use rightcall_run::expectations_in;

#[test]
fn a_file_is_expected_as_the_same_value_in_a_case() {
    let folder =
        Path::new(env!("CARGO_MANIFEST_DIR")).join("../rightcall-formats/tests/found/siblings");
    let (mut accepted, mut differ) = (0, Vec::new());
    for entry in fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("a file").path();
        let text = fs::read_to_string(&path).expect("a text");
        let is_document = serde_json::from_str::<serde::de::IgnoredAny>(&text).is_ok();
        if !is_document {
            continue;
        }
        let case = format!(r#"{{"expected":{text}}}"#);
        let in_case = read_case(&case, &ReadOptions::default()).is_ok();
        let in_file = expectations_in(&path, 1 << 20);
        accepted += usize::from(in_file.is_ok());
        if in_case != in_file.is_ok() {
            differ.push(format!(
                "{}: in a case {in_case}, in a file {in_file:?}",
                path.display()
            ));
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
    assert!(accepted > 20, "{accepted}");
}
