//! `rightcall schema`: prints the JSON Schema of suites, cases, results or maps.

use clap::{Args, ValueEnum};
use rightcall_formats::CASE_SCHEMA;
use rightcall_results::RESULTS_SCHEMA;
use rightcall_run::{map_schema, suite_schema};

use crate::exit::Exit;
use crate::messages::{Trouble, give};

#[derive(Debug, Args)]
pub(crate) struct SchemaArguments {
    /// What is described
    #[arg(default_value = "suite")]
    pub(crate) of: Described,
}

/// What has a published schema.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Described {
    /// A suite, in YAML or JSON
    Suite,
    /// A case, or a file with a list of them
    Case,
    /// A document of results, or a line of them
    Results,
    /// A map, in YAML or JSON
    Map,
}

pub(crate) fn schema(arguments: &SchemaArguments) -> Result<Exit, Trouble> {
    match arguments.of {
        Described::Suite => give(&suite_schema())?,
        Described::Case => give(CASE_SCHEMA)?,
        Described::Results => give(RESULTS_SCHEMA)?,
        Described::Map => give(&map_schema())?,
    }
    Ok(Exit::Success)
}
