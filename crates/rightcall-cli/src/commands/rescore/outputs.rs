//! Writes rescored rollouts to the screen and a file.

use std::io::Write as _;
use std::path::Path;

use clap::ValueEnum;
use rightcall_run::{ExistingFile, OutputFile, OutputFiles, OutputKind};

use super::RescoreArguments;
use crate::messages::{Trouble, give, show_last};
use crate::reports::{SCREEN, check_ending};

/// How rescored rollouts are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum RescoreFormat {
    /// A screen for people
    Table,
    /// A JSON document
    Json,
    /// A page that needs nothing else
    Html,
}

impl RescoreFormat {
    /// The format for a file name.
    fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()? {
            "json" => Some(Self::Json),
            "html" | "htm" => Some(Self::Html),
            _ => None,
        }
    }

    fn kind(self) -> OutputKind<'static> {
        match self {
            Self::Table => SCREEN,
            Self::Json => OutputKind {
                name: "json report".into(),
                is_earlier: &is_earlier_json,
            },
            Self::Html => OutputKind {
                name: "html report".into(),
                is_earlier: &|existing| existing.head_has(" · rightcall</title>"),
            },
        }
    }
}

/// True if a file is an earlier document of rescored rollouts, or a proof.
fn is_earlier_json(existing: &ExistingFile) -> bool {
    [&b"{\"rollouts\":"[..], b"{\"setting\":"]
        .iter()
        .any(|begin| existing.head.starts_with(begin))
}

/// The format and, if named, the file, which is opened before the work.
pub(super) struct RescoringFile {
    format: RescoreFormat,
    file: Option<OutputFile>,
}

impl RescoringFile {
    pub(super) fn open(
        arguments: &RescoreArguments,
        files: &mut OutputFiles,
    ) -> Result<Self, Trouble> {
        let output = arguments.output.as_deref();
        let of_file = || RescoreFormat::from_path(output?);
        let format = arguments.format.or_else(of_file);
        let format = format.unwrap_or(RescoreFormat::Table);
        if format == RescoreFormat::Html && arguments.prove.is_some() {
            return Err(Trouble::with_help(
                "there is no page of a proof",
                "--format json prints it for programs",
            ));
        }
        let file = output.map(|path| files.create(path, &format.kind()));
        let file = file.transpose()?;
        if let (Some(path), None) = (output, arguments.format) {
            let more = "; `--format` chooses the format for any other";
            check_ending(path, &["json", "html", "htm", "txt"], more)?;
        }
        Ok(Self { format, file })
    }

    /// Writes the text of the format. With a file, the screen is shown too.
    pub(super) fn write(
        self,
        text: impl Fn(RescoreFormat) -> Result<String, Trouble>,
    ) -> Result<(), Trouble> {
        let own = text(self.format)?;
        match (self.format, self.file) {
            (RescoreFormat::Table, None) => show_last(&own)?,
            (_, None) => give(&own)?,
            (RescoreFormat::Table, Some(file)) => {
                commit(file, &anstream::adapter::strip_str(&own).to_string())?;
            }
            (_, Some(file)) => {
                commit(file, &own)?;
                show_last(&text(RescoreFormat::Table)?)?;
            }
        }
        Ok(())
    }
}

fn commit(mut file: OutputFile, text: &str) -> Result<(), Trouble> {
    file.write_all(text.as_bytes())?;
    file.commit()?;
    Ok(())
}
