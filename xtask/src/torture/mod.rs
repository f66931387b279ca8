//! Robustness tests: kills, concurrent writers, Ctrl-C, full disks, hostile input.
//!
//! A part gets the path of the command and an empty folder. It reports each test with its result.

mod bombs;
mod disks;
mod interrupts;
mod kills;
mod work;
mod writers;

use std::path::Path;

use crate::count::Count;
use crate::process::{built, project_root};
use crate::say;

/// Runs tests in a folder, only a few of each kind if `short` is set.
type Part = fn(&Path, &Path, bool, Note<'_>);

/// Receives the name of a test and its result.
type Note<'n> = &'n mut dyn FnMut(&str, Result<String, String>);

const PARTS: [(&str, Part); 5] = [
    ("kills", kills::run),
    ("writers", writers::run),
    ("interrupts", interrupts::run),
    ("disks", disks::run),
    ("bombs", bombs::run),
];

/// Runs everything; true if all tests pass. The last line is `N passed, N failed`.
pub(crate) fn run(short: bool) -> Result<bool, String> {
    let mut count = Count::default();
    check(short, &mut count)?;
    Ok(count.close())
}

/// Runs everything and counts the results.
pub(crate) fn check(short: bool, count: &mut Count) -> Result<(), String> {
    let command = built(&project_root()?)?;
    let place = tempfile::tempdir().map_err(|error| format!("a folder to work in: {error}"))?;
    for (name, part) in PARTS {
        let folder = place.path().join(name);
        crate::files::make_folder(&folder)?;
        part(&command, &folder, short, &mut |tried, held| {
            count.note(held.is_ok());
            match held {
                Ok(found) => say(&format!("ok    {tried}: {found}")),
                Err(why) => say(&format!("FAIL  {tried}: {why}")),
            }
        });
    }
    Ok(())
}
