//! `cargo xtask record-traces`: runs real agent frameworks again and rewrites their traces.
//!
//! A recorder is a folder under `examples/recorders` with a `record.py` or `record.mjs` and pinned requirements, which are installed into
//! `target/recorders`. No test runs a recorder: tests read the committed files.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::{copy, entries, name};
use crate::install;
use crate::process::{project_root, succeed};
use crate::say;

/// Records the traces of all recorders or of the named ones.
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
            // Node resolves modules relative to the script, so copy it next to `node_modules`.
            let script = home.join("record.mjs");
            copy(&pins.join("record.mjs"), &script)?;
            let mut node = Command::new("node");
            node.arg(&script).args([&pins, &home]);
            succeed(node.current_dir(&home))?;
        }
    }
    Ok(true)
}

/// The folders with a recording script.
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
