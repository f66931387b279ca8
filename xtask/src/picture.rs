//! `cargo xtask picture`: draws the README's picture of a terminal from the command's output.

use std::process::Command;

use anstyle_svg::Term;

use crate::files::{copy_folder, write};
use crate::process::{built, output, printed, project_root};
use crate::say;

/// The files of the README's quick start.
const EXAMPLES: &str = "examples/quickstart";

/// Runs the quick start, and draws the screen of its last command.
pub(crate) fn draw() -> Result<bool, String> {
    let root = project_root()?;
    let command = built(&root)?;
    let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
    copy_folder(&root.join(EXAMPLES), &folder.path().join(EXAMPLES))?;
    let rightcall = |words: &str| {
        let mut run = Command::new(&command);
        run.args(words.split(' '))
            .current_dir(folder.path())
            .env("SOURCE_DATE_EPOCH", "1767323045")
            .env("COLUMNS", "100");
        run
    };
    // The gate fails, so the exit code is 1.
    output(&mut rightcall(
        "run examples/quickstart/suite.yaml --traces examples/quickstart/new-model.jsonl",
    ))?;
    let screen = printed(&mut rightcall("explain --color always"))?;
    let screen = format!("\u{1b}[1m$ rightcall explain\u{1b}[0m\n{screen}");
    let picture = Term::new().render_svg(screen.trim_end());
    write(
        &root.join("docs/explain.svg"),
        picture.trim_end().to_owned() + "\n",
    )?;
    say("docs/explain.svg is drawn");
    Ok(true)
}
