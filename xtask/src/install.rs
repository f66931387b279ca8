//! Packages that are installed into the project's own folders, at pinned versions.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::{copy, make_folder, name, read};
use crate::process::{printed, succeed};
use crate::say;

/// Quiet, and without a question asked of anybody.
pub(crate) const QUIET: [&str; 3] = ["--silent", "--no-audit", "--no-fund"];

/// An environment of Python's own.
#[derive(Debug)]
pub(crate) struct Venv {
    folder: PathBuf,
    pub(crate) python: PathBuf,
    /// Where the programs of its packages are.
    pub(crate) bin: PathBuf,
}

impl Venv {
    fn at(folder: &Path) -> Self {
        let bin = folder.join(if cfg!(windows) { "Scripts" } else { "bin" });
        Self {
            folder: folder.to_owned(),
            python: bin.join(format!("python{}", std::env::consts::EXE_SUFFIX)),
            bin,
        }
    }

    /// The environment in a folder, made if it is not there.
    pub(crate) fn open(folder: &Path) -> Result<Self, String> {
        if Self::at(folder).python.exists() {
            Ok(Self::at(folder))
        } else {
            Self::empty(folder)
        }
    }

    /// One without packages, in place of what is there.
    pub(crate) fn empty(folder: &Path) -> Result<Self, String> {
        let python = if cfg!(windows) { "python" } else { "python3" };
        let mut venv = Command::new(python);
        succeed(venv.args(["-m", "venv", "--clear"]).arg(folder))?;
        Ok(Self::at(folder))
    }

    /// One with these packages, made anew if it has others; `flags` are those of `pip install`.
    pub(crate) fn with(folder: &Path, requirements: &Path, flags: &[&str]) -> Result<Self, String> {
        once(requirements, folder, || {
            Self::empty(folder)?.pip(requirements, flags)
        })?;
        Ok(Self::at(folder))
    }

    /// Installs packages beside those which it has, unless they are there.
    pub(crate) fn add(&self, requirements: &Path, flags: &[&str]) -> Result<(), String> {
        let group = requirements.with_extension("");
        let marks = self.folder.join("installed").join(name(&group));
        make_folder(&marks)?;
        once(requirements, &marks, || self.pip(requirements, flags))
    }

    fn pip(&self, requirements: &Path, flags: &[&str]) -> Result<(), String> {
        say(&format!("installing {}", requirements.display()));
        let install = "-m pip install --quiet --disable-pip-version-check --requirement";
        let mut command = Command::new(&self.python);
        command.args(install.split(' ')).arg(requirements);
        succeed(command.args(flags))
    }
}

/// Installs npm packages into a folder unless they are there, as the lock file beside `package.json` says.
pub(crate) fn npm_packages(pins: &Path, folder: &Path, flags: &[&str]) -> Result<(), String> {
    once(&pins.join("package-lock.json"), folder, || {
        let place = folder.display();
        say(&format!("installing npm packages into {place}"));
        make_folder(folder)?;
        for file in ["package.json", "package-lock.json"] {
            // A package may be installed where its pins are.
            if pins != folder {
                copy(&pins.join(file), &folder.join(file))?;
            }
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--silent", "--no-audit", "--no-fund"]);
        succeed(npm.args(flags).current_dir(folder))
    })
}

/// Builds the addon, and another that panics on demand; gives the package as users install it.
pub(crate) fn pack(package: &Path, home: &Path) -> Result<PathBuf, String> {
    npm_packages(package, package, &["--ignore-scripts"])?;
    npm(package, &["run", "build:debug"])?;
    let panicking =
        "build.mjs --features panics-on-demand,workspace-hack --output ../../target/node/panics";
    let mut build = Command::new("node");
    succeed(build.args(panicking.split(' ')).current_dir(package))?;
    let destination = home.to_string_lossy();
    npm(package, &["pack", "--pack-destination", &destination])?;
    Ok(home.join(concat!("rightcall-", env!("CARGO_PKG_VERSION"), ".tgz")))
}

/// Runs npm in a folder.
pub(crate) fn npm(folder: &Path, arguments: &[&str]) -> Result<(), String> {
    let mut npm = Command::new("npm");
    succeed(npm.args(arguments).args(QUIET).current_dir(folder))
}

/// Installs the package as it is packed into a project.
pub(crate) fn install_tarball(project: &Path, tarball: &Path) -> Result<(), String> {
    let install = "install --no-save --no-package-lock --prefer-offline";
    let mut arguments: Vec<_> = install.split(' ').collect();
    let tarball = tarball.to_string_lossy();
    arguments.push(&tarball);
    npm(project, &arguments)
}

/// Installs unless the copy of the pins beside what they installed is the same; the copy comes last.
fn once(
    pins: &Path,
    target: &Path,
    install: impl FnOnce() -> Result<(), String>,
) -> Result<(), String> {
    let installed = target.join("installed-pins");
    let wanted = read(pins)?;
    if read(&installed).is_ok_and(|pins| pins == wanted) {
        return Ok(());
    }
    install()?;
    copy(pins, &installed)
}

/// Adds what Rust compiles for a target to the toolchain, for which rustup is asked, unless it is there.
pub(crate) fn rust_target(target: &str) -> Result<(), String> {
    let is_there = || {
        let asked = ["--print", "target-libdir", "--target", target];
        printed(Command::new("rustc").args(asked))
            .is_ok_and(|folder| Path::new(folder.trim()).is_dir())
    };
    if is_there() {
        return Ok(());
    }
    succeed(Command::new("rustup").args(["target", "add", target]))
        .map_err(|error| format!("{target}: {error}"))?;
    if is_there() {
        Ok(())
    } else {
        Err(format!("the toolchain has no {target}"))
    }
}
