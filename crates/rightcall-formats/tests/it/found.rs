//! Inputs that were once read incorrectly, each with the correct result.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

use super::doors::{Outcome, as_file, found_files};

fn show(outcome: &Outcome) -> String {
    match outcome {
        Outcome::Read(calls, None) if calls.is_empty() => "no calls".to_owned(),
        Outcome::Read(calls, None) => calls.join("; "),
        Outcome::Read(calls, Some(why)) => format!("{}; incomplete: {why}", calls.join("; ")),
        Outcome::NotRecorded(why) => format!("not recorded: {why}"),
        Outcome::NoRun => "no run".to_owned(),
        Outcome::Several(runs) => {
            let runs: Vec<_> = runs.iter().map(show).collect();
            runs.join(" | ")
        }
        Outcome::Refused(why) => format!("error: {why}"),
    }
}

/// `tests/found/outcomes.txt` has a line for each file, compared with the file by hand.
#[test]
fn each_file_is_read_as_it_was_found_to_be_right() {
    let mut found = String::new();
    for (name, path) in found_files() {
        let file = path.file_name().unwrap().to_str().unwrap();
        let outcome = as_file(file, fs::read(&path).unwrap());
        _ = writeln!(found, "{name}: {}", show(&outcome));
    }
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/found/outcomes.txt");
    if env::var_os("UPDATE_DOCS").is_some() {
        fs::write(&page, &found).unwrap();
    }
    let right = fs::read_to_string(&page).unwrap_or_default();
    for (found, right) in found.lines().zip(right.lines()) {
        assert_eq!(found, right);
    }
    assert_eq!(found, right);
}
