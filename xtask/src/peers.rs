//! The published packages that scores and speed are compared with, in separate environments.
//!
//! They are installed in `.peers` at the versions that `requirements.txt`, `alone.txt`, `more-requirements.txt` and `package-lock.json` of
//! `xtask/crosscheck` pin.

use std::path::{Path, PathBuf};

use crate::install::{Venv, npm_packages};

/// The installed packages.
pub(crate) struct Peers {
    /// Their working folder: packages leave caches there and read settings from it.
    pub(crate) home: PathBuf,
    /// The Python packages.
    pub(crate) python: Venv,
    /// Python packages that need other versions of the same dependencies.
    pub(crate) more_python: Venv,
    /// The folder with the npm packages' `node_modules`.
    pub(crate) modules: PathBuf,
}

impl Peers {
    /// Installs the packages that are missing or have another version than the pinned one.
    pub(crate) fn prepare(root: &Path) -> Result<Self, String> {
        let (pins, home) = (root.join("xtask/crosscheck"), root.join(".peers"));
        let requirements = pins.join("requirements.txt");
        let python = Venv::with(&home.join("python"), &requirements, &[])?;
        python.add(&pins.join("alone.txt"), &["--no-deps"])?;
        let requirements = pins.join("more-requirements.txt");
        let more_python = Venv::with(&home.join("more-python"), &requirements, &["--no-deps"])?;
        let modules = home.join("node");
        npm_packages(&pins, &modules, &["--ignore-scripts"])?;
        Ok(Self {
            home,
            python,
            more_python,
            modules,
        })
    }

    /// Adds Spark to the environment of the packages.
    pub(crate) fn add_spark(&self, root: &Path) -> Result<(), String> {
        let requirements = root.join("bindings/python/requirements");
        ["arrow.txt", "spark.txt"]
            .iter()
            .try_for_each(|group| self.python.add(&requirements.join(group), &[]))
    }
}
