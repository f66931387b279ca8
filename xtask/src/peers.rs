//! The published packages that scores and speed are compared with, in separate environments.
//!
//! They are installed in `.peers` at the versions that `requirements.txt`, `alone.txt`, `more-requirements.txt` and `package-lock.json` of
//! `xtask/crosscheck` pin, and `adk.txt` and `ragas.txt` of `xtask/peers_tests`.

use std::path::{Path, PathBuf};

use crate::install::{Venv, npm_packages};

/// A package that we reimplement metrics of.
pub(crate) struct Package {
    /// Its name in the registry.
    pub(crate) name: &'static str,
    /// How to compare it, if `cargo xtask crosscheck` does.
    pub(crate) crosscheck: Option<Crosscheck>,
}

/// How a package is compared.
#[derive(Clone, Copy)]
pub(crate) struct Crosscheck {
    /// The prefix of its evaluators' names.
    pub(crate) system: &'static str,
    /// The file under `xtask/crosscheck` or `xtask/peers_tests` that pins it.
    pub(crate) pins: &'static str,
}

impl Crosscheck {
    /// The path of its pins.
    pub(crate) fn pins_file(&self, root: &Path) -> PathBuf {
        let folder = if APART.contains(&self.pins) {
            "xtask/peers_tests"
        } else {
            "xtask/crosscheck"
        };
        root.join(folder).join(self.pins)
    }
}

/// The pins of npm packages.
pub(crate) const NPM_PINS: &str = "package.json";
/// The pins of Python packages that need other versions of the same dependencies.
pub(crate) const MORE_PINS: &str = "more-requirements.txt";
/// The pins of Python packages that each have an environment of their own, shared with their own tests.
pub(crate) const APART: [&str; 2] = ["adk.txt", "ragas.txt"];

const fn compared(name: &'static str, system: &'static str, pins: &'static str) -> Package {
    let crosscheck = Some(Crosscheck { system, pins });
    Package { name, crosscheck }
}

const fn followed(name: &'static str) -> Package {
    let crosscheck = None;
    Package { name, crosscheck }
}

/// All packages whose releases we follow.
pub(crate) const PACKAGES: [Package; 16] = [
    compared("agentevals", "agentevals", "requirements.txt"),
    compared("deepeval", "deepeval", "requirements.txt"),
    compared("openevals", "openevals", "requirements.txt"),
    compared("uipath", "uipath", "requirements.txt"),
    compared("bfcl-eval", "bfcl", "alone.txt"),
    compared("azure-ai-evaluation", "azure", MORE_PINS),
    compared("mlflow", "mlflow", MORE_PINS),
    compared("strands-agents-evals", "strands", MORE_PINS),
    compared("@mastra/evals", "mastra", NPM_PINS),
    compared("evalite", "evalite", NPM_PINS),
    compared("promptfoo", "promptfoo", NPM_PINS),
    compared("google-adk", "adk", "adk.txt"),
    compared("ragas", "ragas", "ragas.txt"),
    followed("agentevals-cli"),
    followed("arize-phoenix-evals"),
    followed("pydantic-evals"),
];

/// The environment for the pins of a package [apart](APART); it is made if it is missing.
pub(crate) fn apart(root: &Path, pins: &str) -> Result<Venv, String> {
    let home = root
        .join(".peers/tests")
        .join(pins.trim_end_matches(".txt"));
    Venv::with(&home, &root.join("xtask/peers_tests").join(pins), &[])
}

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
