//! Gets the own tests of packages: from the source distribution, or from the repository if the distribution lacks them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::files::{make_folder, remove};
use crate::process::succeed;
use crate::say;

/// The source of the tests.
#[derive(Debug)]
pub(super) enum Source {
    /// The source distribution of a version, downloaded by pip.
    Distribution {
        name: &'static str,
        version: &'static str,
    },
    /// A commit of a repository, and the version that it claims to be.
    Repository {
        url: &'static str,
        commit: &'static str,
        version: &'static str,
    },
}

/// Whether missing repositories may be cloned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Cloning {
    Allowed,
    No,
}

impl Source {
    /// The version of the tests.
    pub(super) fn version(&self) -> String {
        match self {
            Self::Distribution { version, .. } => (*version).to_owned(),
            Self::Repository {
                commit, version, ..
            } => format!("{version} (`{}`)", &commit[..7]),
        }
    }

    /// The folder with the tests of a peer, below one of `roots`. Missing tests are downloaded (from a repository, all of `roots`), or the
    /// error says how to get them.
    pub(super) fn folder(
        &self,
        project: &Path,
        peer: &str,
        roots: &[&str],
        cloning: Cloning,
    ) -> Result<PathBuf, String> {
        let folder = project.join(".peers/checkouts").join(self.name(peer));
        if roots.iter().any(|root| folder.join(root).exists()) {
            return Ok(folder);
        }
        match self {
            Self::Distribution { name, version } => download(name, version, &folder)?,
            Self::Repository { url, commit, .. } => {
                if cloning == Cloning::No {
                    let folder = folder.strip_prefix(project).unwrap_or(&folder);
                    return Err(advice(&clone(url, commit, roots, folder)));
                }
                say(&format!("cloning {url}"));
                _ = fs::remove_dir_all(&folder);
                for mut command in clone(url, commit, roots, &folder) {
                    succeed(&mut command)?;
                }
            }
        }
        Ok(folder)
    }

    fn name(&self, peer: &str) -> String {
        match self {
            Self::Distribution { name, version } => format!("{name}-{version}"),
            Self::Repository { commit, .. } => format!("{peer}-{}", &commit[..7]),
        }
    }
}

/// Downloads a source distribution and extracts it next to `folder`, which is the name of its only folder.
fn download(name: &str, version: &str, folder: &Path) -> Result<(), String> {
    let above = folder.parent().unwrap_or(folder);
    make_folder(above)?;
    say(&format!(
        "downloading the source distribution of {name} {version}"
    ));
    let words =
        "-m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest";
    let mut pip = Command::new("python3");
    pip.args(words.split(' ')).arg(above);
    succeed(pip.arg(format!("{name}=={version}")))?;
    let archive = above.join(format!("{name}-{version}.tar.gz"));
    let mut extract = Command::new("python3");
    extract.args(["-m", "tarfile", "--extract"]).arg(&archive);
    succeed(extract.arg(above))?;
    remove(&archive)
}

/// The commands that clone only these roots of a repository.
fn clone(url: &str, commit: &str, roots: &[&str], folder: &Path) -> [Command; 2] {
    let [mut clone, mut checkout] = ["git"; 2].map(Command::new);
    clone.args([
        "clone",
        "--quiet",
        "--no-checkout",
        "--filter=blob:none",
        url,
    ]);
    clone.arg(folder);
    checkout.arg("-C").arg(folder);
    checkout.args(["checkout", "--quiet", commit, "--"]);
    checkout.args(roots);
    [clone, checkout]
}

/// The same commands for the user, relative to the project's folder.
fn advice(commands: &[Command; 2]) -> String {
    let shown = |command: &Command| {
        let words = command.get_args().map(|word| word.to_string_lossy());
        format!("\n  git {}", words.collect::<Vec<_>>().join(" "))
    };
    let commands: String = commands.iter().map(shown).collect();
    format!("its tests are in its repository alone; `--clone` brings them, or{commands}")
}
