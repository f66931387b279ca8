//! Installs packages into the project's own folders, at pinned versions.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::{copy, make_folder, name, read};
use crate::process::{printed, succeed};
use crate::say;

/// npm flags: no output, audit or funding message.
pub(crate) const QUIET: [&str; 3] = ["--silent", "--no-audit", "--no-fund"];

/// A Python virtual environment.
#[derive(Debug)]
pub(crate) struct Venv {
    folder: PathBuf,
    pub(crate) python: PathBuf,
    /// The folder of its packages' programs.
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

    /// Opens the environment in a folder; creates it if it is missing.
    pub(crate) fn open(folder: &Path) -> Result<Self, String> {
        if Self::at(folder).python.exists() {
            Ok(Self::at(folder))
        } else {
            Self::empty(folder)
        }
    }

    /// Creates an empty environment, replacing an existing one.
    pub(crate) fn empty(folder: &Path) -> Result<Self, String> {
        let python = if cfg!(windows) { "python" } else { "python3" };
        let mut venv = Command::new(python);
        succeed(venv.args(["-m", "venv", "--clear"]).arg(folder))?;
        Ok(Self::at(folder))
    }

    /// An environment with exactly these packages. It is recreated if the requirements changed.
    /// `flags` are for `pip install`.
    pub(crate) fn with(folder: &Path, requirements: &Path, flags: &[&str]) -> Result<Self, String> {
        install_once(requirements, folder, || {
            Self::empty(folder)?.pip(requirements, flags)
        })?;
        Ok(Self::at(folder))
    }

    /// Installs more packages unless they are already installed.
    pub(crate) fn add(&self, requirements: &Path, flags: &[&str]) -> Result<(), String> {
        let group = requirements.with_extension("");
        let marks = self.folder.join("installed").join(name(&group));
        make_folder(&marks)?;
        install_once(requirements, &marks, || self.pip(requirements, flags))
    }

    fn pip(&self, requirements: &Path, flags: &[&str]) -> Result<(), String> {
        say(&format!("installing {}", requirements.display()));
        let install = "-m pip install --quiet --disable-pip-version-check --requirement";
        let mut command = Command::new(&self.python);
        command.args(install.split(' ')).arg(requirements);
        succeed(command.args(flags))
    }
}

/// Installs npm packages into a folder unless they are already installed, at the versions of the lock file next to `package.json`.
pub(crate) fn npm_packages(pins: &Path, folder: &Path, flags: &[&str]) -> Result<(), String> {
    install_once(&pins.join("package-lock.json"), folder, || {
        let place = folder.display();
        say(&format!("installing npm packages into {place}"));
        make_folder(folder)?;
        for file in ["package.json", "package-lock.json"] {
            // A package may be installed in the folder of its pins.
            if pins != folder {
                copy(&pins.join(file), &folder.join(file))?;
            }
        }
        let mut npm = Command::new("npm");
        npm.args(["ci", "--silent", "--no-audit", "--no-fund"]);
        succeed(npm.args(flags).current_dir(folder))
    })
}

/// Builds the addon, and a second one that panics on demand. Returns the package's tarball, as users install it.
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

/// Installs the packed package into a project.
pub(crate) fn install_tarball(project: &Path, tarball: &Path) -> Result<(), String> {
    let install = "install --no-save --no-package-lock --prefer-offline";
    let mut arguments: Vec<_> = install.split(' ').collect();
    let tarball = tarball.to_string_lossy();
    arguments.push(&tarball);
    npm(project, &arguments)
}

/// Installs unless the saved copy of the pins is equal. The copy is written last, so an interrupted installation is repeated.
fn install_once(
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

/// Adds the standard library of a target to the toolchain with rustup, unless it is installed.
pub(crate) fn rust_target(target: &str) -> Result<(), String> {
    let is_there = || {
        let arguments = ["--print", "target-libdir", "--target", target];
        printed(Command::new("rustc").args(arguments))
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
