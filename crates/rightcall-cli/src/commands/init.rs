//! `rightcall init`: a suite and cases to start from. Nothing is ever overwritten.

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use rightcall_run::OutputFile;

use crate::exit::Exit;
use crate::messages::{Trouble, state};

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The folder, which is made if it is not there
    #[arg(default_value = ".")]
    pub(crate) directory: PathBuf,
}

const FILES: [(&str, &str); 2] = [
    ("suite.yaml", include_str!("init/suite.yaml")),
    ("cases.yaml", include_str!("init/cases.yaml")),
];

pub(crate) fn init(arguments: &InitArguments) -> Result<Exit, Trouble> {
    let directory = &arguments.directory;
    if let Some((name, _)) = FILES.iter().find(|(name, _)| directory.join(name).exists()) {
        let message = format!(
            "{}: is there already, and nothing is overwritten",
            directory.join(name).display()
        );
        return Err(Trouble::with_help(
            message,
            "name another folder: rightcall init FOLDER",
        ));
    }
    if directory.exists() && !directory.is_dir() {
        let message = format!("{}: is a file, and a folder is wanted", directory.display());
        return Err(Trouble::with_help(
            message,
            "name another folder: rightcall init FOLDER",
        ));
    }
    let is_new = !directory.exists();
    fs::create_dir_all(directory)
        .map_err(|error| Trouble::new(format!("{}: {error}", directory.display())))?;
    write(directory).inspect_err(|_| {
        if is_new {
            _ = fs::remove_dir(directory);
        }
    })?;
    let mut said = String::new();
    for (name, _) in FILES {
        _ = writeln!(said, "wrote {}", directory.join(name).display());
    }
    _ = writeln!(
        said,
        "\nnow run it:\n\n  rightcall run {}",
        directory.join(FILES[0].0).display()
    );
    state(&said)?;
    Ok(Exit::Fine)
}

/// Writes all files or none.
fn write(directory: &Path) -> io::Result<()> {
    let mut outputs = Vec::new();
    for (name, text) in FILES {
        let mut output = OutputFile::create_new(&directory.join(name))?;
        output.write_all(text.as_bytes())?;
        output.flush()?;
        outputs.push(output);
    }
    for (number, mut output) in outputs.into_iter().enumerate() {
        if let Err(error) = output.commit() {
            FILES[..number]
                .iter()
                .for_each(|(name, _)| _ = fs::remove_file(directory.join(name)));
            return Err(error);
        }
    }
    Ok(())
}
