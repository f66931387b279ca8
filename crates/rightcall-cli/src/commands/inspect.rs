//! `rightcall inspect`: what files of traces hold, what was left out, what was not recorded.

use rightcall_formats::Inspection;
use rightcall_report::{inspection, inspection_json};

use crate::arguments::{InspectArguments, ListFormat};
use crate::exit::Exit;
use crate::messages::{Trouble, error, show};

/// Trajectories that are shown call by call.
const SHOWN: usize = 5;

pub(crate) fn inspect(arguments: &InspectArguments) -> Result<Exit, Trouble> {
    let (limits, options) = (arguments.input.limits(), arguments.input.reading());
    let shown = match (arguments.format, arguments.all) {
        (ListFormat::Json, _) => 0,
        (ListFormat::Table, true) => usize::MAX,
        (ListFormat::Table, false) => SHOWN,
    };
    let mut exit = Exit::Fine;
    for (number, path) in arguments.files.iter().enumerate() {
        let found = Inspection::of_file(path, limits, &options, shown)?;
        for problem in &found.errors {
            exit = Exit::Wrong;
            error(&problem.to_string(), problem.help.as_deref());
        }
        match arguments.format {
            ListFormat::Json => show(&format!("{}\n", inspection_json(&found)))?,
            ListFormat::Table => {
                let gap = if number == 0 { "" } else { "\n" };
                show(&format!("{gap}{}", inspection(&found)))?;
            }
        }
    }
    Ok(exit)
}
