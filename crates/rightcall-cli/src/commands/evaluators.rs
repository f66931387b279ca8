//! `rightcall evaluators`: the list of evaluators, and the page of each.

use clap::Args;
use rightcall::value::JsonWriter;
use rightcall::{EVALUATORS, Entry, Setting, SettingKind, find};
use rightcall_report::{evaluator_list, page};

use crate::arguments::ListFormat;
use crate::completing;
use crate::exit::Exit;
use crate::messages::{Trouble, give, show};

#[derive(Debug, Args)]
pub(crate) struct EvaluatorsArguments {
    /// Id or alias of an evaluator
    #[arg(add = completing::evaluator())]
    pub(crate) name: Option<String>,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
}

pub(crate) fn evaluators(arguments: &EvaluatorsArguments) -> Result<Exit, Trouble> {
    let text = match (&arguments.name, arguments.format) {
        (None, ListFormat::Table) => evaluator_list(EVALUATORS),
        (Some(name), ListFormat::Table) => page(find(name)?),
        (None, ListFormat::Json) => json(|writer| {
            writer.begin_list();
            for entry in EVALUATORS {
                write_entry(writer, entry);
            }
            writer.end_list();
        }),
        (Some(name), ListFormat::Json) => {
            let entry = find(name)?;
            json(|writer| write_entry(writer, entry))
        }
    };
    match arguments.format {
        ListFormat::Table => show(&text)?,
        ListFormat::Json => give(&text)?,
    }
    Ok(Exit::Fine)
}

fn json(write: impl FnOnce(&mut JsonWriter)) -> String {
    let mut writer = JsonWriter::new();
    write(&mut writer);
    format!("{}\n", writer.finish())
}

fn write_entry(writer: &mut JsonWriter, entry: &Entry) {
    writer
        .begin_object()
        .key("evaluator")
        .str(entry.id)
        .key("summary")
        .str(entry.summary);
    writer.key("aliases").begin_list();
    for alias in entry.aliases {
        writer.str(alias);
    }
    writer.end_list().key("editions").begin_list();
    for edition in entry.editions {
        writer.str(edition.as_str());
    }
    writer
        .end_list()
        .key("needs")
        .str(entry.needs)
        .key("settings");
    write_settings(writer, entry.settings);
    writer.end_object();
}

fn write_settings(writer: &mut JsonWriter, settings: &[Setting]) {
    writer.begin_list();
    for setting in settings {
        writer
            .begin_object()
            .key("name")
            .str(setting.name)
            .key("kind");
        match setting.kind {
            SettingKind::Choice(choices) => {
                writer.str("choice").key("choices").begin_list();
                for choice in choices {
                    writer.str(choice);
                }
                writer.end_list();
            }
            SettingKind::Object(inner) => {
                writer.str("object").key("settings");
                write_settings(writer, inner);
            }
            kind => _ = writer.str(&kind.describe()),
        }
        writer
            .key("default")
            .raw(setting.default)
            .key("doc")
            .str(setting.doc)
            .end_object();
    }
    writer.end_list();
}
