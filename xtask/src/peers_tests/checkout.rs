//! Gets the tests of other packages: from the source distribution, or from the repository if the
//! distribution lacks them.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::Peer;
use crate::files::make_folder;
use crate::process::succeed;
use crate::say;

impl Peer {
    /// The version of the tests.
    pub(super) fn version_of_tests(&self) -> String {
        match self.commit.get(..7) {
            Some(commit) => format!("{} (`{commit}`)", self.version),
            None => self.version.clone(),
        }
    }

    /// The folder with the tests, below one of the roots. Missing tests are downloaded; from a repository only the roots.
    pub(super) fn checkout(&self, root: &Path) -> Result<PathBuf, String> {
        let above = root.join(".peers/checkouts");
        let folder = match &self.distribution {
            Some(name) => above.join(format!("{name}-{}", self.version)),
            None => above.join(format!(
                "{}-{}",
                self.name,
                self.commit.get(..7).unwrap_or("")
            )),
        };
        if self.roots.iter().any(|root| folder.join(root).exists()) {
            return Ok(folder);
        }
        make_folder(&above)?;
        say(&format!("downloading the tests of {}", self.name));
        match &self.distribution {
            Some(name) => download(name, &self.version, &above)?,
            None => self.clone_into(&folder)?,
        }
        Ok(folder)
    }

    fn clone_into(&self, folder: &Path) -> Result<(), String> {
        _ = fs::remove_dir_all(folder);
        let words = "clone --quiet --no-checkout --filter=blob:none";
        let mut clone = Command::new("git");
        succeed(clone.args(words.split(' ')).arg(&self.url).arg(folder))?;
        let mut checkout = Command::new("git");
        checkout.arg("-C").arg(folder).args(["checkout", "--quiet"]);
        succeed(checkout.args([&self.commit, "--"]).args(&self.roots))
    }
}

/// Downloads a source distribution and extracts it.
fn download(name: &str, version: &str, above: &Path) -> Result<(), String> {
    let words =
        "-m pip download --quiet --disable-pip-version-check --no-deps --no-binary :all: --dest";
    let mut pip = Command::new("python3");
    pip.args(words.split(' ')).arg(above);
    succeed(pip.arg(format!("{name}=={version}")))?;
    let archive = above.join(format!("{name}-{version}.tar.gz"));
    let mut extract = Command::new("python3");
    extract.args(["-m", "tarfile", "--extract"]).arg(&archive);
    succeed(extract.arg(above))?;
    fs::remove_file(&archive).map_err(|error| format!("{}: {error}", archive.display()))
}
