//! The published packages that scores and speed are compared with, in the project's own environment.
//!
//! They live in `.peers` at the versions that `requirements.txt`, `alone.txt`, `more-requirements.txt` and `package-lock.json` of
//! `xtask/crosscheck` pin.

use std::path::{Path, PathBuf};

use crate::install;

/// The packages, installed.
pub(crate) struct Peers {
    /// Where they are run: packages leave caches where they run, and read settings from there.
    pub(crate) home: PathBuf,
    /// The interpreter that has the Python packages.
    pub(crate) python: PathBuf,
    /// The interpreter that has those which stand on other versions of the same packages.
    pub(crate) more_python: PathBuf,
    /// The folder whose `node_modules` holds the npm package.
    pub(crate) modules: PathBuf,
}

impl Peers {
    /// Installs what is not there at the pinned versions yet.
    pub(crate) fn prepare(root: &Path) -> Result<Self, String> {
        let (pins, home) = (root.join("xtask/crosscheck"), root.join(".peers"));
        let python =
            install::python_packages(&pins.join("requirements.txt"), &home.join("python"))?;
        let alone = home.join("installed/alone");
        install::more_python_packages(&pins.join("alone.txt"), &python, &alone, &["--no-deps"])?;
        let more = pins.join("more-requirements.txt");
        let more_python = install::pinned_python_packages(&more, &home.join("more-python"))?;
        let modules = home.join("node");
        install::npm_packages(&pins, &modules, &["--ignore-scripts"])?;
        Ok(Self {
            home,
            python,
            more_python,
            modules,
        })
    }

    /// Installs Spark beside the packages.
    pub(crate) fn add_spark(&self, root: &Path) -> Result<(), String> {
        for group in ["arrow", "spark"] {
            let requirements = root.join(format!("bindings/python/requirements/{group}.txt"));
            install::more_python_packages(
                &requirements,
                &self.python,
                &self.home.join("installed").join(group),
                &[],
            )?;
        }
        Ok(())
    }
}
