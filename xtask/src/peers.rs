//! The published packages that scores and speed are compared with, in the project's own environment.
//!
//! They live in `.peers` at the versions that `requirements.txt`, `alone.txt`, `more-requirements.txt` and `package-lock.json` of
//! `xtask/crosscheck` pin.

use std::path::{Path, PathBuf};

use crate::install::{Venv, npm_packages};

/// The packages, installed.
pub(crate) struct Peers {
    /// Where they are run: packages leave caches where they run, and read settings from there.
    pub(crate) home: PathBuf,
    /// The Python packages.
    pub(crate) python: Venv,
    /// Those which stand on other versions of the same packages.
    pub(crate) more_python: Venv,
    /// The folder whose `node_modules` holds the npm package.
    pub(crate) modules: PathBuf,
}

impl Peers {
    /// Installs what is not there at the pinned versions yet.
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

    /// Installs Spark beside the packages.
    pub(crate) fn add_spark(&self, root: &Path) -> Result<(), String> {
        let requirements = root.join("bindings/python/requirements");
        ["arrow.txt", "spark.txt"]
            .iter()
            .try_for_each(|group| self.python.add(&requirements.join(group), &[]))
    }
}
