//! What the command has to survive: kills, writers side by side, Ctrl-C, disks that fill up, hostile input.
//!
//! A part gets the built command and an empty folder, and notes a line for each thing that was tried: what held, or what did not.

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

/// Tries things in a folder, a few of each if it is to be short.
type Part = fn(&Path, &Path, bool, Note<'_>);

/// Told what was tried, and what came of it.
type Note<'n> = &'n mut dyn FnMut(&str, Result<String, String>);

const PARTS: [(&str, Part); 5] = [
    ("kills", kills::run),
    ("writers", writers::run),
    ("interrupts", interrupts::run),
    ("disks", disks::run),
    ("bombs", bombs::run),
];

/// Tries everything; true if all of it held. The last line is `N passed, N failed`.
pub(crate) fn run(short: bool) -> Result<bool, String> {
    let mut count = Count::default();
    check(short, &mut count)?;
    Ok(count.close())
}

/// Tries everything, and counts what held.
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
