//! The list of evaluators, by system.

use std::fmt::Write as _;

use rightcall::Entry;

use crate::text::{FAINT, HEAD, fit, left, paint, screen_columns, widest, width, wrap};

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
            let line = format!("  {}  ", left(entry.id, columns));
            _ = writeln!(
                out,
                "{line}{}",
                fit(entry.summary, screen_columns().saturating_sub(width(&line)))
            );
            let editions: Vec<_> = entry
                .editions
                .iter()
                .map(|edition| edition.as_str())
                .collect();
            let mut more = format!("editions: {}", editions.join(", "));
            if !entry.aliases.is_empty() {
                more = format!("also {}; {more}", entry.aliases.join(", "));
            }
            _ = writeln!(
                out,
                "  {}  {}",
                left("", columns),
                paint(
                    FAINT,
                    &fit(&more, screen_columns().saturating_sub(width(&line)))
                )
            );
        }
    }
    let more = "rightcall evaluators NAME shows the page of one: formula, settings, an example.";
    out.push('\n');
    for line in wrap(more, screen_columns()) {
        _ = writeln!(out, "{line}");
    }
    out
}

fn system(entry: &Entry) -> &'static str {
    entry.id.split_once('/').map_or("any", |(system, _)| system)
}
