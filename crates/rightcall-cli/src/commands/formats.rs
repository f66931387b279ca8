//! `rightcall formats`: lists the input formats, with what each can and cannot record.

use clap::Args;
use rightcall_core::value::JsonWriter;
use rightcall_formats::{CHOICES, FORMATS, Format};
use rightcall_report::{format_list, format_page, map_page};

use crate::arguments::ListFormat;
use crate::completing;
use crate::exit::Exit;
use crate::maps;
use crate::messages::{Trouble, give, show};

#[derive(Debug, Args)]
pub(crate) struct FormatsArguments {
    /// Name of a format
    #[arg(add = completing::formats())]
    pub(crate) name: Option<String>,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
}

pub(crate) fn formats(arguments: &FormatsArguments) -> Result<Exit, Trouble> {
    let named = arguments
        .name
        .as_deref()
        .map(maps::find)
        .transpose()
        .map_err(Trouble::new)?;
    let all: Vec<_> = FORMATS.iter().chain(maps::known()).copied().collect();
    // Users copy maps, so a map is printed verbatim.
    if let Some((format, map)) = named.and_then(|format| Some((format, format.map()?)))
        && arguments.format == ListFormat::Table
    {
        match format.map_file() {
            Some(_) => give(map)?,
            None => give(&map_page(format, map))?,
        }
        return Ok(Exit::Success);
    }
    let text = match (named, arguments.format) {
        (None, ListFormat::Table) => format_list(&all, CHOICES),
        (Some(format), ListFormat::Table) => format_page(format),
        (named, ListFormat::Json) => {
            let mut writer = JsonWriter::new();
            if let Some(format) = named {
                write(&mut writer, format);
            } else {
                writer.list(&all, |writer, format| write(writer, format));
            }
            format!("{}\n", writer.finish())
        }
    };
    match arguments.format {
        ListFormat::Table => show(&text)?,
        ListFormat::Json => give(&text)?,
    }
    Ok(Exit::Success)
}

fn write(writer: &mut JsonWriter, format: &Format) {
    writer.begin_object().key("format").str(format.name);
    writer.key("title").str(format.title);
    writer.key("summary").str(format.summary);
    writer.key("reads").begin_object();
    for (what, fields) in &format.parts_read() {
        writer.key(what).str(fields);
    }
    writer.end_object();
    writer.key("lacks").strs(format.lacks);
    writer.key("extensions").strs(format.extensions);
    writer.key("example").str(format.example).end_object();
}
