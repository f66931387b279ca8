//! The list of evaluators, by system.

use std::fmt::Write as _;

use anstyle::Style;
use rightcall_core::Entry;

use crate::text::{HEAD, list_entry, paint, paragraph, widest};

/// All evaluators with their summaries, aliases and editions, grouped by system.
pub fn evaluator_list(entries: &[&Entry]) -> String {
    let mut out = String::new();
    let columns = widest(entries.iter().map(|entry| entry.id));
    for group in entries.chunk_by(|one, other| system(one) == system(other)) {
        _ = writeln!(
            out,
            "{}{}",
            if out.is_empty() { "" } else { "\n" },
            paint(HEAD, system(group[0]))
        );
        for entry in group {
            let editions: Vec<_> = entry
                .editions
                .iter()
                .map(|edition| edition.as_str())
                .collect();
            let mut more = format!("editions: {}", editions.join(", "));
            if !entry.aliases.is_empty() {
                more = format!("also {}; {more}", entry.aliases.join(", "));
            }
            out += &list_entry(entry.id, columns, entry.summary, &more);
        }
    }
    let more = "rightcall evaluators NAME shows the page of one: formula, settings, an example.";
    out + "\n" + &paragraph(more, 0, Style::new())
}

fn system(entry: &Entry) -> &'static str {
    entry.id.split_once('/').map_or("any", |(system, _)| system)
}
