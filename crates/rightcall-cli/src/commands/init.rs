//! `rightcall init`: writes a starter suite with cases. It never overwrites a file.

mod from;
mod learned;
mod suite_text;

use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args;
use rightcall_run::OutputFile;

use crate::arguments::{
    ChoiceArguments, InputArguments, Joining, RecordingArguments, RedactionArguments,
};
use crate::exit::Exit;
use crate::messages::{Trouble, help_with, state};

#[derive(Debug, Args)]
pub(crate) struct InitArguments {
    /// The folder; it is created if missing
    #[arg(default_value = ".")]
    pub(crate) directory: PathBuf,
    /// Write a suite that expects what these traces did, or their own expectations
    #[arg(long = "from", value_name = "TRACES", num_args = 1..)]
    pub(crate) traces: Vec<PathBuf>,
    #[command(flatten)]
    pub(crate) choice: ChoiceArguments,
    #[command(flatten)]
    pub(crate) recording: RecordingArguments,
    #[command(flatten)]
    pub(crate) redaction: RedactionArguments,
    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

/// New files as pairs of name and text; the suite is the first.
type NewFiles = Vec<(&'static str, String)>;

fn example_files() -> NewFiles {
    vec![
        ("suite.yaml", include_str!("init/suite.yaml").to_owned()),
        ("cases.yaml", include_str!("init/cases.yaml").to_owned()),
    ]
}

pub(crate) fn init(arguments: &InitArguments) -> Result<Exit, Trouble> {
    let directory = &arguments.directory;
    let files = if arguments.traces.is_empty() {
        example_files()
    } else {
        from::files(arguments)?
    };
    let refused = |path: &Path, why: &str| {
        let help = "name another folder: rightcall init FOLDER";
        Err(Trouble::with_help(
            format!("{}: {why}", path.display()),
            help,
        ))
    };
    if let Some((name, _)) = files.iter().find(|(name, _)| directory.join(name).exists()) {
        let why = "already exists, and nothing is overwritten";
        return refused(&directory.join(name), why);
    }
    if directory.exists() && !directory.is_dir() {
        return refused(directory, "is a file, expected a folder");
    }
    let is_new = !directory.exists();
    fs::create_dir_all(directory).map_err(|error| {
        let message = format!(
            "{}: the folder cannot be made: {error}",
            directory.display()
        );
        Trouble::said(message, help_with(error.kind()))
    })?;
    write(&files, directory).inspect_err(|_| {
        if is_new {
            _ = fs::remove_dir(directory);
        }
    })?;
    let mut output_lines = String::new();
    for (name, _) in &files {
        _ = writeln!(output_lines, "wrote {}", directory.join(name).display());
    }
    _ = writeln!(
        output_lines,
        "\nnow run it:\n\n  rightcall run {}{}",
        directory.join(files[0].0).display(),
        format_option(arguments)
    );
    state(&output_lines)?;
    Ok(Exit::Success)
}

/// The `--input-format` option of the suggested command, if it needs one: a suite can name a map,
/// but no other format.
fn format_option(arguments: &InitArguments) -> String {
    let format = arguments.input.input_format;
    let format =
        format.filter(|format| !arguments.traces.is_empty() && format.map_file().is_none());
    format.map_or_else(String::new, |format| {
        format!(" --input-format {}", format.name)
    })
}

/// Writes either all files or none.
fn write(files: &NewFiles, directory: &Path) -> io::Result<()> {
    let mut outputs = Vec::new();
    for (name, text) in files {
        let mut output = OutputFile::create_new(&directory.join(name))?;
        output.write_all(text.as_bytes())?;
        output.flush()?;
        outputs.push(output);
    }
    for (number, mut output) in outputs.into_iter().enumerate() {
        if let Err(error) = output.commit() {
            files[..number]
                .iter()
                .for_each(|(name, _)| _ = fs::remove_file(directory.join(name)));
            return Err(error);
        }
    }
    Ok(())
}
