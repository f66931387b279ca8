//! The page of formats: a list of all formats, and of the wrappers that are removed around them. `rightcall formats NAME` prints the page
//! of one.

use rightcall_formats::{ENVELOPES, FORMATS, Format};

/// The page, in Markdown.
pub(crate) fn format_page() -> String {
    let formats = |holds_traces: bool| -> String {
        let formats = FORMATS
            .iter()
            .filter(|it| it.holds_traces() == holds_traces);
        let row = |it: &&Format| format!("| `{}` | {} | {} |\n", it.name, it.title, it.summary);
        formats.map(row).collect()
    };
    let envelopes = |holds_exchange: bool| -> String {
        // Envelopes with the same title share a row.
        let mut rows: Vec<(&str, Vec<&str>)> = Vec::new();
        let envelopes = ENVELOPES
            .iter()
            .filter(|it| it.holds_exchange() == holds_exchange);
        for it in envelopes {
            match rows.iter_mut().find(|(title, _)| *title == it.title) {
                Some((_, looks)) => looks.push(it.looks),
                None => rows.push((it.title, vec![it.looks])),
            }
        }
        let row =
            |(title, looks): &(&str, Vec<&str>)| format!("| {title} | {} |\n", looks.join(", "));
        rows.iter().map(row).collect()
    };
    include_str!("formats.md")
        .replace("{number}", &FORMATS.len().to_string())
        .replace("{traces}\n", &formats(true))
        .replace("{cases}\n", &formats(false))
        .replace("{exchanges}\n", &envelopes(true))
        .replace("{pages}\n", &envelopes(false))
}
