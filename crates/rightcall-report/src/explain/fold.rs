//! Folds long stretches of equal calls.

use super::rows::Row;

/// Why rows are folded together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FoldReason {
    /// Both calls are the same.
    Same,
    /// Both calls are the same, but follow a missed call, so they do not count.
    NotReached,
}

/// A part of the rows.
#[derive(Debug)]
pub(super) enum Stretch<'r, 'e> {
    /// A row to draw.
    Row(&'r Row<'e>),
    /// Rows that are summarised in one line.
    Folded(&'r [Row<'e>], FoldReason),
}

/// Splits the rows; at least `fold` consecutive equal rows become one stretch.
pub(super) fn stretches<'r, 'e>(
    rows: &'r [Row<'e>],
    fold: usize,
    alike: impl Fn(&Row<'e>) -> Option<FoldReason>,
) -> Vec<Stretch<'r, 'e>> {
    let mut parts = Vec::new();
    for rows in rows.chunk_by(|one, other| alike(one).is_some() && alike(one) == alike(other)) {
        match alike(&rows[0]) {
            Some(kind) if rows.len() >= fold => parts.push(Stretch::Folded(rows, kind)),
            _ => parts.extend(rows.iter().map(Stretch::Row)),
        }
    }
    parts
}

/// The summary of folded rows: `136 calls alike, 1 to 136`.
pub(super) fn folded(rows: &[Row<'_>], alike: FoldReason) -> String {
    let range = |numbers: &[usize]| match numbers {
        [first, .., last] => format!("{} to {}", first + 1, last + 1),
        _ => String::new(),
    };
    let expected: Vec<_> = rows.iter().filter_map(Row::expected).collect();
    let actual: Vec<_> = rows.iter().filter_map(Row::actual).collect();
    let called = if expected == actual {
        String::new()
    } else {
        format!(", called as {}", range(&actual))
    };
    let remark = match alike {
        FoldReason::Same => "",
        FoldReason::NotReached => "; they follow a missed call, so they do not count",
    };
    let (number, expected) = (rows.len(), range(&expected));
    format!("… {number} calls alike, {expected}{called}{remark} (--full shows them)")
}
