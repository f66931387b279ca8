//! The pages of formats: one for each, a list of them with what is not understood and not read, and what is taken off around them.

use std::collections::BTreeMap;
use std::path::Path;

use rightcall_formats::{ENVELOPES, Envelope, FORMATS, Format, Inspection, Limits, ReadOptions};
use rightcall_report::{example_file, format_markdown, inspection};

use crate::files::write;

/// The page of every format, a list of them all, and a page with a row for each envelope.
pub(crate) fn format_pages() -> Result<BTreeMap<String, String>, String> {
    let path = |file: &str| format!("docs/formats/{file}");
    let mut pages = BTreeMap::new();
    let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
    for format in FORMATS {
        let inspected = inspected(format, folder.path())?;
        pages.insert(
            path(&format!("{}.md", format.name)),
            format_markdown(format, &inspected),
        );
    }
    let formats = |holds_traces: bool| -> String {
        let those = FORMATS
            .iter()
            .filter(|it| it.holds_traces() == holds_traces);
        let row = |it: &&Format| {
            let (name, title, summary) = (it.name, it.title, it.summary);
            format!("| [`{name}`]({name}.md) | {title} | {summary} |\n")
        };
        those.map(row).collect()
    };
    let list = include_str!("format_pages/README.md")
        .replace("{traces}\n", &formats(true))
        .replace("{cases}\n", &formats(false));
    pages.insert(path("README.md"), list);
    let envelopes = |holds_exchange: bool| -> String {
        let those = ENVELOPES
            .iter()
            .filter(|it| it.holds_exchange() == holds_exchange);
        let row = |it: &Envelope| format!("| {} | {} |\n", it.title, it.looks);
        those.map(row).collect()
    };
    let wrappers = include_str!("format_pages/wrappers.md")
        .replace("{exchanges}\n", &envelopes(true))
        .replace("{pages}\n", &envelopes(false));
    pages.insert(path("wrappers.md"), wrappers);
    Ok(pages)
}

/// What `rightcall inspect` says of the example of a format.
fn inspected(format: &Format, folder: &Path) -> Result<String, String> {
    let file = example_file(format);
    let path = folder.join(&file);
    write(&path, format!("{}\n", format.example.trim_end()))?;
    let found = Inspection::from_file(
        &path,
        Limits::default(),
        &ReadOptions::default(),
        usize::MAX,
    );
    let text = inspection(&found.map_err(|error| error.to_string())?);
    Ok(anstream::adapter::strip_str(&text)
        .to_string()
        .replacen(&*path.to_string_lossy(), &file, 1))
}
