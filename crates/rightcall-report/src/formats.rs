//! Input formats: the list, and a page for each.

use std::fmt::Write as _;

use anstyle::Style;
use rightcall_formats::{Format, ReadingChoice, Writer};

use crate::page::wrapped;
use crate::text::{
    FAINT, HEAD, cut_end, left, list_entry, paint, paragraph, screen_columns, widest,
};

/// All formats with their summaries, and the options for reading.
pub fn format_list(formats: &[&Format], choices: &[ReadingChoice]) -> String {
    let mut out = String::new();
    let columns = widest(formats.iter().map(|format| format.name));
    let groups = [
        ("traces, what was done", true),
        ("cases, what was expected and done", false),
    ];
    for (title, holds_traces) in groups {
        _ = writeln!(
            out,
            "{}{}",
            if out.is_empty() { "" } else { "\n" },
            paint(HEAD, title)
        );
        for format in formats
            .iter()
            .filter(|format| format.holds_traces() == holds_traces)
        {
            out += &list_entry(format.name, columns, format.title, format.summary);
        }
    }
    let title = "choices, --read KEY=VALUE (the first value is the default)";
    _ = writeln!(out, "\n{}", paint(HEAD, title));
    for choice in choices {
        let doc = paint(FAINT, &cut_end(choice.doc, screen_columns() - 6));
        let values = choice.values.join("|");
        _ = writeln!(out, "  {}={values}  \n      {doc}", choice.key);
    }
    let more =
        "rightcall formats NAME shows the page of one: what is read from which fields, an example.";
    out + "\n" + &paragraph(more, 0, Style::new())
}

/// The map of a built-in format as a file to copy and change; comments at the top describe the format.
pub fn map_page(format: &Format, map: &str) -> String {
    let mut out = String::new();
    let about = format!("{}: {}", format.title, format.summary);
    for paragraph in std::iter::once(about).chain(paragraphs(format.notes)) {
        for line in wrapped(&plain_links(&paragraph), 0).lines() {
            _ = writeln!(out, "# {line}");
        }
    }
    _ = writeln!(out, "map: {}", format.name);
    out += map;
    out += "# An example:\n";
    for line in format.example.lines() {
        _ = writeln!(out, "# {line}");
    }
    out
}

/// The page of a format: its fields, its limits for reading and writing, and an example.
pub fn format_page(format: &Format) -> String {
    let mut out = format!(
        "{}  {}\n\n  {}\n",
        paint(HEAD, format.name),
        format.title,
        format.summary
    );
    _ = writeln!(out, "\n{}", paint(HEAD, "read"));
    let reads = format.parts_read();
    let columns = widest(reads.iter().map(|(what, _)| *what));
    for (what, fields) in &reads {
        _ = writeln!(out, "  {}  {}", left(what, columns), fields);
    }
    if !format.lacks.is_empty() {
        _ = writeln!(out, "\n{}", paint(HEAD, "not recorded"));
        format
            .lacks
            .iter()
            .for_each(|what| _ = writeln!(out, "  {what}"));
    }
    _ = writeln!(
        out,
        "\n{}\n{}",
        paint(HEAD, "files"),
        wrapped(&format!("*.{}", format.extensions.join(", *.")), 2)
    );
    for paragraph in paragraphs(format.notes) {
        _ = writeln!(out, "\n{}", wrapped(&plain_links(&paragraph), 2));
    }
    if let Ok(writer) = Writer::find(format.name) {
        out.push_str(&writing(writer));
    }
    _ = writeln!(out, "\n{}\n{}", paint(HEAD, "example"), format.example);
    out
}

/// The data lost in cases written in the format.
fn writing(writer: &Writer) -> String {
    let mut out = format!("\n{}\n", paint(HEAD, "written"));
    let what = format!(
        "rightcall convert FILES --to {} writes {}. A case needs {}.",
        writer.name, writer.summary, writer.needs
    );
    _ = writeln!(out, "{}", wrapped(&what, 2));
    if !writer.lacks.is_empty() {
        out.push_str("  The format cannot represent\n");
    }
    for lack in writer.lacks {
        _ = writeln!(out, "{}", wrapped(&format!("- {}", lack.what), 4));
    }
    out
}

/// The paragraphs of a text, each on one line.
fn paragraphs(text: &str) -> impl Iterator<Item = String> + '_ {
    text.trim()
        .split("\n\n")
        .map(|paragraph| paragraph.split_whitespace().collect::<Vec<_>>().join(" "))
}

/// A text with links replaced by their words.
fn plain_links(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some((before, after)) = rest.split_once("](") {
        let (start, words) = before.rsplit_once('[').unwrap_or((before, ""));
        out.push_str(start);
        out.push_str(words);
        rest = after.split_once(')').map_or("", |(_, rest)| rest);
    }
    out + rest
}
