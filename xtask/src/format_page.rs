//! The page of formats: a list of all formats, and of the wrappers that are removed around them. `rightcall formats NAME` prints the page
//! of one.

use rightcall_formats::{ENVELOPES, Envelope, FORMATS, Format};

/// The page, in Markdown.
pub(crate) fn format_page() -> String {
    let formats = |holds_traces: bool| -> String {
        let those = FORMATS
            .iter()
            .filter(|it| it.holds_traces() == holds_traces);
        let row = |it: &&Format| format!("| `{}` | {} | {} |\n", it.name, it.title, it.summary);
        those.map(row).collect()
    };
    let envelopes = |holds_exchange: bool| -> String {
        let those = ENVELOPES
            .iter()
            .filter(|it| it.holds_exchange() == holds_exchange);
        let row = |it: &Envelope| format!("| {} | {} |\n", it.title, it.looks);
        those.map(row).collect()
    };
    include_str!("formats.md")
        .replace("{number}", &FORMATS.len().to_string())
        .replace("{traces}\n", &formats(true))
        .replace("{cases}\n", &formats(false))
        .replace("{exchanges}\n", &envelopes(true))
        .replace("{pages}\n", &envelopes(false))
}
