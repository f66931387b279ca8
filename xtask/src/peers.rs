//! The published packages that scores and speed are compared with, in separate environments under `.peers`.
//!
//! The files with pins are in `xtask/crosscheck`: packages that need other versions of the same dependencies have a file each.

use std::path::{Path, PathBuf};

use crate::install::{Venv, npm_packages};

/// A package that we reimplement metrics of.
pub(crate) struct Package {
    /// Its name in the registry.
    pub(crate) name: &'static str,
    /// The prefix of its evaluators' names, and the file that pins it, if `cargo xtask crosscheck` compares it.
    pub(crate) crosscheck: Option<(&'static str, &'static str)>,
}

/// The pins of npm packages.
pub(crate) const NPM_PINS: &str = "package.json";

/// All packages whose releases we follow.
#[rustfmt::skip]
pub(crate) const PACKAGES: [Package; 16] = [
    Package { name: "agentevals", crosscheck: Some(("agentevals", "requirements.txt")) },
    Package { name: "deepeval", crosscheck: Some(("deepeval", "requirements.txt")) },
    Package { name: "openevals", crosscheck: Some(("openevals", "requirements.txt")) },
    Package { name: "uipath", crosscheck: Some(("uipath", "requirements.txt")) },
    Package { name: "bfcl-eval", crosscheck: Some(("bfcl", "alone.txt")) },
    Package { name: "azure-ai-evaluation", crosscheck: Some(("azure", "more-requirements.txt")) },
    Package { name: "mlflow", crosscheck: Some(("mlflow", "more-requirements.txt")) },
    Package { name: "strands-agents-evals", crosscheck: Some(("strands", "more-requirements.txt")) },
    Package { name: "@mastra/evals", crosscheck: Some(("mastra", NPM_PINS)) },
    Package { name: "evalite", crosscheck: Some(("evalite", NPM_PINS)) },
    Package { name: "promptfoo", crosscheck: Some(("promptfoo", NPM_PINS)) },
    Package { name: "google-adk", crosscheck: Some(("adk", "adk.txt")) },
    Package { name: "ragas", crosscheck: Some(("ragas", "ragas.txt")) },
    Package { name: "agentevals-cli", crosscheck: None },
    Package { name: "arize-phoenix-evals", crosscheck: None },
    Package { name: "pydantic-evals", crosscheck: None },
];

/// The folder with the files of pins.
pub(crate) fn pins_folder(root: &Path) -> PathBuf {
    root.join("xtask/crosscheck")
}

/// The environment with the Python packages of a file of pins; it is made if it is missing.
pub(crate) fn python(root: &Path, pins: &str) -> Result<Venv, String> {
    let (folder, home) = (pins_folder(root), root.join(".peers"));
    // Pins that name every dependency are installed without asking for more.
    match pins {
        "requirements.txt" | "alone.txt" => {
            let venv = Venv::with(&home.join("python"), &folder.join("requirements.txt"), &[])?;
            venv.add(&folder.join("alone.txt"), &["--no-deps"])?;
            Ok(venv)
        }
        "more-requirements.txt" => Venv::with(
            &home.join("more-python"),
            &folder.join(pins),
            &["--no-deps"],
        ),
        pins => {
            let home = home.join("tests").join(pins.trim_end_matches(".txt"));
            Venv::with(&home, &folder.join(pins), &[])
        }
    }
}

/// The folder with the `node_modules` of the npm packages; they are installed if they are missing.
pub(crate) fn node(root: &Path) -> Result<PathBuf, String> {
    let modules = root.join(".peers/node");
    npm_packages(&pins_folder(root), &modules, &["--ignore-scripts"])?;
    Ok(modules)
}
