//! The reference page of an evaluator, for terminals and as Markdown, with the same sections in the same order.

use std::fmt::Write as _;

use rightcall_core::{Departure, Entry, GENERAL_DEPARTURES, Setting, SettingKind};

use crate::text::{FAINT, HEAD, left, paint, screen_columns, widest, width};

/// A section's body.
enum Body {
    /// Markdown.
    Text(String),
    Settings(Vec<SettingRow>),
    Departures(&'static [Departure]),
    /// JSON texts with titles.
    Example(Vec<(&'static str, &'static str)>),
}

const MEASURES: &str = "What it measures";
const FORMULA: &str = "Formula";
const DEPARTURES: &str = "Where this differs from the package";

struct SettingRow {
    name: String,
    kind: String,
    default: &'static str,
    doc: &'static str,
}

fn sections(entry: &Entry) -> Vec<(&'static str, Body)> {
    let page = &entry.page;
    let text = |text: &str| Body::Text(text.trim().to_owned());
    let example = &page.example;
    let mut rows = Vec::new();
    setting_rows(&mut rows, "", entry.settings);
    let editions: Vec<_> = entry
        .editions
        .iter()
        .map(|edition| format!("`{edition}`"))
        .collect();
    let editions = format!(
        "{}; the first is the default.\n\n{}",
        editions.join(" and "),
        page.editions.trim()
    );
    let related: Vec<_> = page.related.iter().map(|id| format!("`{id}`")).collect();
    let sections = [
        (MEASURES, text(page.measures)),
        (FORMULA, text(page.formula)),
        ("Settings", Body::Settings(rows)),
        (
            "Example",
            Body::Example(vec![
                ("settings", example.settings),
                ("expected", example.expected),
                ("actual", example.actual),
                ("result", example.result),
            ]),
        ),
        ("Use it when", text(page.use_when)),
        ("Do not use it when", text(page.not_when)),
        ("When it does not apply", text(page.not_applicable)),
        ("Limits", text(page.limits)),
        (
            "Editions",
            text(if entry.editions.len() > 1 {
                &editions
            } else {
                ""
            }),
        ),
        (DEPARTURES, Body::Departures(page.departures)),
        ("Source", text(page.source)),
        ("Related", text(&related.join(", "))),
    ];
    let is_empty = |body: &Body| match body {
        Body::Text(text) => text.is_empty(),
        Body::Departures(departures) => departures.is_empty(),
        Body::Settings(_) | Body::Example(_) => false,
    };
    sections
        .into_iter()
        .filter(|(_, body)| !is_empty(body))
        .collect()
}

fn setting_rows(rows: &mut Vec<SettingRow>, prefix: &str, settings: &'static [Setting]) {
    for setting in settings {
        let name = format!("{prefix}{}", setting.name);
        rows.push(SettingRow {
            name: name.clone(),
            kind: match setting.kind {
                SettingKind::Object(_) => "object".to_owned(),
                kind => kind.describe(),
            },
            default: setting.default,
            doc: setting.doc,
        });
        if let SettingKind::Object(inner) = setting.kind {
            setting_rows(rows, &format!("{name}."), inner);
        }
    }
}

/// The page for a terminal.
pub fn page(entry: &Entry) -> String {
    let mut out = format!("{}\n{}\n", paint(HEAD, entry.id), wrapped(entry.summary, 0));
    if !entry.aliases.is_empty() {
        let also = format!("also {}", entry.aliases.join(", "));
        _ = writeln!(out, "{}", paint(FAINT, &also));
    }
    for (title, body) in sections(entry) {
        _ = writeln!(out, "\n{}", paint(HEAD, title));
        match body {
            Body::Text(text) => text_for_terminal(&mut out, &text),
            Body::Settings(rows) => settings_for_terminal(&mut out, &rows),
            Body::Departures(departures) => {
                for it in departures {
                    _ = writeln!(out, "{}", wrapped(it.point, 2));
                    for (head, text) in [
                        ("package", it.package),
                        ("here", it.here),
                        ("why", it.reason),
                    ] {
                        let (head, text) = (left(head, 9), wrapped(text, 13));
                        _ = writeln!(out, "    {head}{}", text.trim_start());
                    }
                }
            }
            Body::Example(parts) => {
                for (name, json) in parts {
                    let (name, json) = (left(name, 10), wrapped(json, 12));
                    _ = writeln!(out, "  {name}{}", json.trim_start());
                }
            }
        }
    }
    out
}

/// Markdown, with tables as aligned columns.
fn text_for_terminal(out: &mut String, text: &str) {
    let is_row = |line: &&str| line.starts_with('|');
    let lines: Vec<_> = text.lines().collect();
    for part in lines.chunk_by(|one, other| is_row(one) == is_row(other)) {
        if is_row(&part[0]) {
            table_for_terminal(out, part);
        } else {
            _ = writeln!(out, "{}", wrapped(&part.join("\n"), 2));
        }
    }
}

/// A Markdown table as aligned columns; the last column is wrapped.
fn table_for_terminal(out: &mut String, lines: &[&str]) {
    let cells = |line: &&str| -> Vec<String> {
        let line = line.trim().trim_matches('|').replace("\\|", "\u{0}");
        let cells = line
            .split('|')
            .map(|cell| cell.trim().replace('\u{0}', "|"));
        cells.collect()
    };
    let is_rule = |row: &Vec<String>| {
        row.iter()
            .all(|cell| cell.trim_matches([':', '-']).is_empty())
    };
    let rows: Vec<_> = lines
        .iter()
        .map(cells)
        .filter(|row| !is_rule(row))
        .collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width_of = |column: usize| widest(rows.iter().filter_map(|row| row.get(column)));
    let widths: Vec<_> = (0..columns).map(width_of).collect();
    let before_last: usize = widths.iter().rev().skip(1).map(|it| it + 2).sum();
    if before_last > screen_columns() / 2 {
        return blocks_for_terminal(out, &rows);
    }
    for (number, row) in rows.iter().enumerate() {
        let mut line = String::from(" ");
        for (cell, width) in row.iter().zip(&widths).take(columns.saturating_sub(1)) {
            _ = write!(line, " {} ", left(cell, *width));
        }
        let indent = width(&line) + 1;
        let last = row
            .get(columns.saturating_sub(1))
            .map_or("", String::as_str);
        let last = wrapped(last, indent);
        let line = format!("{line} {}", last.trim_start());
        let line = line.trim_end();
        _ = match number {
            0 => writeln!(out, "{}", paint(FAINT, line)),
            _ => writeln!(out, "{line}"),
        };
    }
}

/// A wide table as a block for each row, with a line for each column.
fn blocks_for_terminal(out: &mut String, rows: &[Vec<String>]) {
    let Some((heads, rows)) = rows.split_first() else {
        return;
    };
    let head_width = widest(heads);
    for row in rows {
        let mut cells = row.iter();
        _ = writeln!(
            out,
            "{}",
            wrapped(cells.next().map_or("", String::as_str), 2)
        );
        for (head, cell) in heads.iter().skip(1).zip(cells) {
            let cell = wrapped(cell, head_width + 6);
            _ = writeln!(out, "    {}  {}", left(head, head_width), cell.trim_start());
        }
    }
}

fn settings_for_terminal(out: &mut String, rows: &[SettingRow]) {
    if rows.is_empty() {
        _ = writeln!(out, "  none of its own");
    }
    let widest = widest(rows.iter().map(|row| &row.name));
    for row in rows {
        let kind = row.kind.replace("\\|", "|");
        let kind = wrapped(&format!("{kind}, default {}", row.default), widest + 4);
        _ = writeln!(out, "  {}  {}", left(&row.name, widest), kind.trim_start());
        _ = writeln!(out, "{}", wrapped(row.doc, widest + 4));
    }
}

/// The page as Markdown: what it measures and short sections first, then sections with tables. With
/// `general`, a link to that page replaces the [`GENERAL_DEPARTURES`].
pub fn page_markdown(entry: &Entry, general: Option<&str>) -> String {
    let mut facts = String::new();
    let mut tables = String::new();
    let mut fact = |title, text: &str| _ = writeln!(facts, "- **{title}**: {text}");
    let mut table = |title, text: &str| _ = writeln!(tables, "\n## {title}\n\n{text}");
    for (title, body) in sections(entry) {
        match body {
            Body::Text(_) if title == MEASURES => {}
            Body::Text(text) if text.contains('\n') || title == FORMULA => table(title, &text),
            Body::Text(text) => fact(title, &text),
            Body::Settings(rows) if rows.is_empty() => {}
            Body::Settings(rows) => table(title, &settings_markdown(&rows)),
            Body::Departures(all) => {
                let own = own_departures(all, general);
                let link = general.map(|link| format!("[points that most packages share]({link})"));
                match link {
                    Some(link) if own.is_empty() => fact(title, &format!("only in {link}.")),
                    Some(link) => {
                        let more = format!("\n\nAlso {link}.");
                        table(title, &(departures_markdown(&own) + &more));
                    }
                    None => table(title, &departures_markdown(&own)),
                }
            }
            Body::Example(parts) => {
                let lines = parts
                    .iter()
                    .map(|(name, json)| left(name, 10) + json + "\n");
                table(title, &format!("```text\n{}```", lines.collect::<String>()));
            }
        }
    }
    if entry.settings.is_empty() {
        fact("Settings", "none of its own.");
    }
    let also: Vec<_> = entry.aliases.iter().map(|it| format!("`{it}`")).collect();
    let also = if also.is_empty() {
        String::new()
    } else {
        format!("\nAlso: {}.\n", also.join(", "))
    };
    let measures = entry.page.measures.trim();
    format!(
        "# {}\n\n{}\n{also}\n{measures}\n\n{facts}{tables}",
        entry.id, entry.summary
    )
}

/// The departures that a page lists itself.
fn own_departures(all: &'static [Departure], general: Option<&str>) -> Vec<&'static Departure> {
    let is_general = |it: &Departure| GENERAL_DEPARTURES.iter().any(|one| one.point == it.point);
    all.iter()
        .filter(|it| general.is_none() || !is_general(it))
        .collect()
}

fn settings_markdown(rows: &[SettingRow]) -> String {
    let mut table =
        "| setting | takes | default | what it does |\n| --- | --- | --- | --- |".to_owned();
    for row in rows {
        let doc = row.doc.replace('\n', " ");
        _ = write!(
            table,
            "\n| `{}` | {} | `{}` | {doc} |",
            row.name, row.kind, row.default
        );
    }
    table
}

/// A table of departures.
pub fn departures_markdown(departures: &[&Departure]) -> String {
    let mut table = "| point | the package | here | why |\n| --- | --- | --- | --- |".to_owned();
    for it in departures {
        _ = write!(
            table,
            "\n| {} | {} | {} | {} |",
            it.point, it.package, it.here, it.reason
        );
    }
    table
}

/// Indents the lines of the text, and wraps long ones at spaces.
pub(crate) fn wrapped(text: &str, indent: usize) -> String {
    let mut out = String::new();
    for (number, line) in text.lines().enumerate() {
        if number > 0 {
            out.push('\n');
        }
        if indent + width(line) <= screen_columns() {
            if !line.is_empty() {
                out.push_str(&" ".repeat(indent));
            }
            out.push_str(line);
            continue;
        }
        let own = line.len() - line.trim_start().len();
        let margin = " ".repeat(indent + own);
        let mut column = 0;
        for word in line.split_whitespace() {
            if column == 0 {
                out.push_str(&margin);
                column = margin.len();
            } else if column + 1 + width(word) > screen_columns() {
                out.push('\n');
                out.push_str(&margin);
                column = margin.len();
            } else {
                out.push(' ');
                column += 1;
            }
            out.push_str(word);
            column += width(word);
        }
    }
    out
}
