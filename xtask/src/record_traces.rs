//! `cargo xtask record-traces`: real agent frameworks run once more, and their traces are written again.
//!
//! A recorder is a folder under `examples/recorders` with a `record.py` or `record.mjs` and the pins of what it needs, which is
//! installed into `target/recorders`. No test runs a recorder: tests read the files that are committed.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::{copy, entries, name};
use crate::install;
use crate::process::{project_root, succeed};
use crate::say;

/// Records all traces or those of some recorders.
pub(crate) fn run(arguments: &[String]) -> Result<bool, String> {
    let root = project_root()?;
    let folder = root.join("examples/recorders");
    let all = recorders(&folder)?;
    if let Some(unknown) = arguments.iter().find(|name| !all.contains(name)) {
        return Err(format!(
            "no recorder is called `{unknown}`; there are {}",
            all.join(", ")
        ));
    }
    for name in all
        .iter()
        .filter(|name| arguments.is_empty() || arguments.contains(name))
    {
        let (pins, home) = (folder.join(name), root.join("target/recorders").join(name));
        if pins.join("record.py").is_file() {
            let venv = install::Venv::with(&home, &pins.join("requirements.txt"), &[])?;
            say(&format!("recording {name}"));
            let script = pins.join("record.py");
            let mut python = Command::new(venv.python);
            python.arg("-B").arg(script).env("PYTHONPATH", &folder);
            succeed(python.current_dir(&home))?;
        } else {
            install::npm_packages(&pins, &home, &["--ignore-scripts"])?;
            say(&format!("recording {name}"));
            // Modules are looked for beside the script.
            let script = home.join("record.mjs");
            copy(&pins.join("record.mjs"), &script)?;
            let mut node = Command::new("node");
            node.arg(&script).args([&pins, &home]);
            succeed(node.current_dir(&home))?;
        }
    }
    Ok(true)
}

/// The names of the folders with a script.
fn recorders(folder: &Path) -> Result<Vec<String>, String> {
    let has_script = |path: &&PathBuf| {
        let scripts = ["record.py", "record.mjs"];
        scripts.iter().any(|script| path.join(script).is_file())
    };
    let folders = entries(folder)?;
    Ok(folders
        .iter()
        .filter(has_script)
        .map(|path| name(path))
        .collect())
}
