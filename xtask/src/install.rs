//! Packages that are installed into the project's own folders, at pinned versions.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::succeed;
use crate::say;

/// Installs Python packages into an environment unless they are there; gives its interpreter.
pub(crate) fn python_packages(requirements: &Path, environment: &Path) -> Result<PathBuf, String> {
    environment_of(requirements, environment, &[])
}

/// The same of a list that is whole, so that nothing comes with it which is not named.
pub(crate) fn pinned_python_packages(
    requirements: &Path,
    environment: &Path,
) -> Result<PathBuf, String> {
    environment_of(requirements, environment, &["--no-deps"])
}

fn environment_of(
    requirements: &Path,
    environment: &Path,
    flags: &[&str],
) -> Result<PathBuf, String> {
    let python = environment.join("bin/python");
    once(requirements, environment, || {
        say(&format!(
            "installing Python packages into {}",
            environment.display()
        ));
        succeed(
            Command::new("python3")
                .args(["-m", "venv", "--clear"])
                .arg(environment),
        )?;
        pip_install(&python, requirements, flags)
    })?;
    Ok(python)
}

/// Installs Python packages beside those of an environment unless they are there, which `marks` remembers; `flags` are those of
/// `pip install`.
pub(crate) fn more_python_packages(
    requirements: &Path,
    python: &Path,
    marks: &Path,
    flags: &[&str],
) -> Result<(), String> {
    make_folder(marks)?;
    once(requirements, marks, || {
        say(&format!("installing {}", requirements.display()));
        pip_install(python, requirements, flags)
    })
}

fn pip_install(python: &Path, requirements: &Path, flags: &[&str]) -> Result<(), String> {
    let install = [
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--requirement",
    ];
    let mut command = Command::new(python);
    command.args(install).arg(requirements).args(flags);
    succeed(&mut command)
}

/// Installs npm packages into a folder unless they are there, as the lock file beside `package.json` says.
pub(crate) fn npm_packages(pins: &Path, folder: &Path, flags: &[&str]) -> Result<(), String> {
    once(&pins.join("package-lock.json"), folder, || {
        say(&format!(
            "installing npm packages into {}",
            folder.display()
        ));
        make_folder(folder)?;
        for file in ["package.json", "package-lock.json"] {
            // A package may be installed where its pins are.
            if pins != folder {
                copy(&pins.join(file), &folder.join(file))?;
            }
        }
        let install = ["ci", "--silent", "--no-audit", "--no-fund"];
        succeed(
            Command::new("npm")
                .args(install)
                .args(flags)
                .current_dir(folder),
        )
    })
}

/// Installs unless the copy of the pins beside what they installed is the same; the copy comes last.
pub(crate) fn once(
    pins: &Path,
    target: &Path,
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let installed = target.join("installed-pins");
    let wanted = fs::read(pins).map_err(|error| format!("{}: {error}", pins.display()))?;
    if fs::read(&installed).is_ok_and(|pins| pins == wanted) {
        return Ok(());
    }
    install()?;
    copy(pins, &installed)
}

/// Makes a folder and those above it.
pub(crate) fn make_folder(folder: &Path) -> Result<(), String> {
    fs::create_dir_all(folder).map_err(|error| format!("{}: {error}", folder.display()))
}

/// Copies a file.
pub(crate) fn copy(from: &Path, to: &Path) -> Result<(), String> {
    fs::copy(from, to)
        .map(drop)
        .map_err(|error| format!("{}: {error}", to.display()))
}
