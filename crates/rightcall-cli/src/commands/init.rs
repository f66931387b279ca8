//! `rightcall init`: a suite and cases to start from. Nothing is ever overwritten.

use std::fmt::Write as _;
use std::fs::{self, OpenOptions};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;

use crate::exit::Exit;
use crate::messages::{Trouble, state};

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The folder, which is made if it is not there
    #[arg(default_value = ".")]
    pub(crate) directory: PathBuf,
}

const FILES: [(&str, &str); 2] =
    [("suite.yaml", include_str!("init/suite.yaml")), ("cases.yaml", include_str!("init/cases.yaml"))];

pub(crate) fn init(arguments: &InitArguments) -> Result<Exit, Trouble> {
    let directory = &arguments.directory;
    let trouble = |path: &Path, error: &io::Error| Trouble::new(format!("{}: {error}", path.display()));
    if let Some((name, _)) = FILES.iter().find(|(name, _)| directory.join(name).exists()) {
        let message = format!("{}: is there already, and nothing is overwritten", directory.join(name).display());
        return Err(Trouble::with_help(message, "name another folder: rightcall init FOLDER"));
    }
    if directory.exists() && !directory.is_dir() {
        let message = format!("{}: is a file, and a folder is wanted", directory.display());
        return Err(Trouble::with_help(message, "name another folder: rightcall init FOLDER"));
    }
    fs::create_dir_all(directory).map_err(|error| trouble(directory, &error))?;
    let mut said = String::new();
    for (name, text) in FILES {
        let path = directory.join(name);
        let file = OpenOptions::new().write(true).create_new(true).open(&path);
        file.and_then(|mut file| file.write_all(text.as_bytes())).map_err(|error| trouble(&path, &error))?;
        _ = writeln!(said, "wrote {}", path.display());
    }
    _ = writeln!(said, "\nnow run it:\n\n  rightcall run {}", directory.join(FILES[0].0).display());
    state(&said)?;
    Ok(Exit::Fine)
}
