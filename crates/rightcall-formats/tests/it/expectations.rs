//! Expectations that were once made up or lost, each with the cases that its file holds.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use rightcall_formats::{Input, Limits, ReadOptions, case_text};

use super::doors::files_under;
use super::with_whole_input;

/// The cases of a file, a line each.
fn cases(name: &str, bytes: Vec<u8>) -> String {
    let options = ReadOptions::default();
    let input = match Input::from_bytes(name, bytes, Limits::default(), &options) {
        Ok(input) => input,
        Err(error) => return format!("  error: {error}\n"),
    };
    with_whole_input(input, &options, |whole| {
        let mut lines = String::new();
        for case in &whole.cases {
            _ = match case {
                Ok(case) => writeln!(lines, "  {}", case_text(case).trim_end()),
                Err(error) => writeln!(lines, "  error: {error}"),
            };
        }
        if let Some(error) = whole.error {
            _ = writeln!(lines, "  error: {error}");
        }
        lines
    })
}

/// `tests/found/expectations.txt` was compared with the files by hand.
#[test]
fn expectations_are_read_exactly_or_refused() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found");
    let mut files = Vec::new();
    files_under(&folder.join("expectations"), &mut files);
    files.sort();
    let mut found = String::new();
    for path in files {
        let name = path.file_name().unwrap().to_str().unwrap();
        _ = write!(found, "{name}\n{}", cases(name, fs::read(&path).unwrap()));
    }
    let page = folder.join("expectations.txt");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&page, &found).unwrap();
    }
    assert_eq!(found, fs::read_to_string(&page).unwrap_or_default());
}
