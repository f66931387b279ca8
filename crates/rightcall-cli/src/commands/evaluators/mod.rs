//! `rightcall evaluators`: lists evaluators, shows the page of each, and recommends one.

mod choose;
mod questions;

use clap::Args;
use rightcall_core::value::JsonWriter;
use rightcall_core::{EVALUATORS, Entry, Setting, SettingKind, find, of_system};
use rightcall_report::{evaluator_list, page};

use crate::arguments::ListFormat;
use crate::completing;
use crate::exit::Exit;
use crate::messages::{Trouble, give, show};

#[derive(Debug, Args)]
pub(crate) struct EvaluatorsArguments {
    /// Id or alias of an evaluator, or the first part of ids: `deepeval` lists those of DeepEval
    #[arg(add = completing::evaluator())]
    pub(crate) name: Option<String>,
    /// Answer five questions and get one recommendation; without a terminal, write the answers: `--choose=order=yes,…`
    #[arg(long, value_name = "ANSWERS", num_args = 0..=1, require_equals = true, default_missing_value = "", conflicts_with = "name")]
    pub(crate) choose: Option<String>,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
}

pub(crate) fn evaluators(arguments: &EvaluatorsArguments) -> Result<Exit, Trouble> {
    if let Some(answers) = &arguments.choose {
        choose::choose(answers, arguments.format)?;
        return Ok(Exit::Success);
    }
    let listed = match &arguments.name {
        None => EVALUATORS.to_vec(),
        Some(name) => of_system(name),
    };
    let page_of = arguments
        .name
        .as_deref()
        .filter(|_| listed.is_empty())
        .map(find)
        .transpose()?;
    match arguments.format {
        ListFormat::Table => show(&page_of.map_or_else(|| evaluator_list(&listed), page))?,
        ListFormat::Json => give(&json(|writer| {
            if let Some(entry) = page_of {
                return write_entry(writer, entry);
            }
            writer.list(&listed, |writer, entry| write_entry(writer, entry));
        }))?,
    }
    Ok(Exit::Success)
}

fn json(write: impl FnOnce(&mut JsonWriter)) -> String {
    let mut writer = JsonWriter::new();
    write(&mut writer);
    format!("{}\n", writer.finish())
}

fn write_entry(writer: &mut JsonWriter, entry: &Entry) {
    writer.begin_object().key("evaluator").str(entry.id);
    writer.key("summary").str(entry.summary);
    writer.key("aliases").strs(entry.aliases);
    let editions = entry.editions.iter().map(|edition| edition.as_str());
    writer.key("editions").strs(editions);
    writer.key("needs").str(entry.needs).key("settings");
    write_settings(writer, entry.settings);
    writer.end_object();
}

fn write_settings(writer: &mut JsonWriter, settings: &[Setting]) {
    writer.list(settings, |writer, setting| {
        writer.begin_object().key("name").str(setting.name);
        writer.key("kind");
        match setting.kind {
            SettingKind::Choice(choices) => {
                writer.str("choice").key("choices").strs(choices);
            }
            SettingKind::Object(inner) => {
                writer.str("object").key("settings");
                write_settings(writer, inner);
            }
            kind => _ = writer.str(&kind.describe()),
        }
        writer.key("default").raw(setting.default);
        writer.key("doc").str(setting.doc).end_object();
    });
}
