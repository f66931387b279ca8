//! Rescored rollouts on a terminal.

use std::fmt::Write as _;

use rightcall_stats::{ComparisonSettings, Interval, SettingSpread};

use super::parted::{PartedCause, PartedRows};
use super::report::RescoringReport;
use crate::comparison::prediction_screen;
use crate::numbers::number;
use crate::text::{
    FAINT, HEAD, and_more, continued, count, cut_end, left, name_cell, or_dash, paint, paragraph,
    printable, right, screen_columns, widest,
};

/// Maximum number of causes listed for each kind of difference of two settings.
const SHOWN: usize = 5;

/// The widest name of a setting.
const NAME: usize = 30;

/// The minimum width of a screen with intervals, in columns.
const INTERVAL_COLUMNS: usize = 90;

impl RescoringReport<'_> {
    /// The screen.
    pub fn screen(&self) -> String {
        let mut out = format!("{}\n\n", self.head());
        self.add_spreads(&mut out);
        if !self.pairs.is_empty() {
            self.add_pairs(&mut out);
        }
        if let Some(field) = self.options.against_text() {
            let rules = ComparisonSettings {
                confidence: self.options.confidence,
                ..ComparisonSettings::default()
            };
            out += &prediction_screen(self.name, &field, &self.predictions, rules);
        }
        self.add_partings(&mut out);
        self.add_gaps(&mut out);
        out
    }

    /// `rollouts.jsonl · 8 rows in 2 groups · 2 settings`.
    pub(super) fn head(&self) -> String {
        let rows = count(self.rows.len() as u64, "row");
        let groups = count(self.groups as u64, "group");
        let settings = count(self.spreads.len() as u64, "setting");
        format!("{} · {rows} in {groups} · {settings}", printable(self.name))
    }

    /// The width of the names of settings next to columns of this width.
    fn names(&self, others: usize) -> usize {
        let names = widest(self.spreads.iter().map(|it| printable(&it.setting)));
        let room = screen_columns().saturating_sub(others).min(NAME);
        names.clamp("setting".len(), room.max("setting".len()))
    }

    fn add_spreads(&self, out: &mut String) {
        let names = self.names(if is_wide() { 75 } else { 36 });
        let (setting, interval) = (left("setting", names), left(&self.interval_name(), 15));
        let head = if is_wide() {
            format!(
                "  {setting}  rows  n/a  errors   mean  {interval}  spread  in groups  all equal"
            )
        } else {
            format!("  {setting}  rows   mean  spread  all equal")
        };
        _ = writeln!(out, "{}", paint(HEAD, &head));
        for (at, spread) in self.spreads.iter().enumerate() {
            _ = writeln!(out, "  {}", self.spread_line(at, spread, names).trim_end());
        }
        let equal = "all equal: groups of two rows or more with one score";
        let spread = "spread: the standard deviation of all rows";
        let note = if is_wide() {
            format!("{spread}, and its mean within groups; {equal}")
        } else {
            let interval = self.interval_name();
            format!(
                "{spread}; {equal}; n/a, errors, {interval}s and the spread in groups need {INTERVAL_COLUMNS} columns"
            )
        };
        *out += &paragraph(&note, 2, FAINT);
    }

    fn spread_line(&self, at: usize, spread: &SettingSpread, names: usize) -> String {
        let (not_applicable, errors) = self.unscored(at);
        let mut cells = vec![
            name_cell(&spread.setting, names, "  "),
            right(&spread.rows.to_string(), 4),
        ];
        if is_wide() {
            cells.push(right(&not_applicable.to_string(), 3));
            cells.push(right(&errors.to_string(), 6));
        }
        cells.push(right(&number(spread.mean.map(|it| it.estimate)), 5));
        if is_wide() {
            cells.push(left(&ends(spread.mean), 15));
        }
        cells.push(right(&number(spread.deviation), 6));
        if is_wide() {
            cells.push(right(&number(spread.within_groups), 9));
        }
        cells.push(right(&equal_groups(spread), 9));
        cells.join("  ")
    }

    fn add_pairs(&self, out: &mut String) {
        let names = self.names(if is_wide() { 64 } else { 28 });
        let interval = left(&self.interval_name(), 17);
        let interval = if is_wide() {
            format!("  {interval}")
        } else {
            String::new()
        };
        let head = format!(
            "  {}  rows   tau-b{interval}   kappa{interval}",
            left("agreement", names + 2)
        );
        _ = writeln!(out, "\n{}", paint(HEAD, head.trim_end()));
        let mut first = None;
        for (pair, _) in &self.pairs {
            if first.replace(pair.first) != Some(pair.first) {
                let name = cut_end(self.setting(pair.first), screen_columns() - 2);
                _ = writeln!(out, "  {name}");
            }
            let mut cells = vec![
                name_cell(self.setting(pair.second), names, "    "),
                right(&pair.rows.to_string(), 4),
            ];
            for found in [pair.tau_b, pair.kappa] {
                cells.push(right(&or_dash(found.map(|it| signed(it.estimate))), 6));
                if is_wide() {
                    cells.push(left(&signed_ends(found), 17));
                }
            }
            _ = writeln!(out, "    {}", cells.join("  ").trim_end());
        }
        let drawn = if is_wide() {
            "; intervals draw groups"
        } else {
            ""
        };
        let note = format!(
            "tau-b compares orders, kappa verdicts: {}{drawn}",
            self.options.mark_text()
        );
        *out += &paragraph(&note, 2, FAINT);
    }

    fn add_partings(&self, out: &mut String) {
        for (pair, parted) in &self.pairs {
            let [first, second] = [pair.first, pair.second].map(|at| printable(self.setting(at)));
            if parted.is_empty() {
                _ = writeln!(out, "\n  {first} and {second} differ nowhere");
                continue;
            }
            let title =
                format!("where {first} and {second} differ, with both scores of an example");
            out.push('\n');
            *out += &paragraph(&title, 2, HEAD);
            for rows in parted {
                let what = rows.title(&first, &second);
                let number = count(rows.rows as u64, "row");
                _ = writeln!(out, "    {what}: {number}");
                self.add_causes(out, rows);
            }
        }
    }

    fn add_causes(&self, out: &mut String, parted: &PartedRows) {
        let listed = self.options.listed.or(SHOWN);
        let causes = &parted.causes[..parted.causes.len().min(listed)];
        let words = |it: &PartedCause| printable(it.cause.as_deref().unwrap_or("no cause known"));
        let columns = widest(causes.iter().map(words));
        let examples = widest(causes.iter().map(|it| printable(&it.example.row)));
        let numbers = widest(causes.iter().map(|it| it.rows.to_string()));
        // On a narrow screen the example is on a separate line, so that nothing is cut.
        let has_room = 6 + numbers + 2 + columns + 2 + 12 + 2 + examples <= screen_columns();
        for it in causes {
            let scores = [it.example.first, it.example.second].map(|it| right(&number(it), 5));
            let rows = right(&it.rows.to_string(), numbers);
            let scores = scores.join("  ");
            let example = printable(&it.example.row);
            if has_room {
                let cause = left(&words(it), columns);
                _ = writeln!(out, "      {rows}  {cause}  {scores}  {example}");
                continue;
            }
            *out += &continued(&format!("      {rows}  "), &words(it), 8 + numbers);
            let indent = " ".repeat(8 + numbers);
            *out += &continued(&format!("{indent}{scores}  "), &example, 8 + numbers);
        }
        and_more(out, (parted.causes.len() - causes.len()) as u64);
    }

    fn add_gaps(&self, out: &mut String) {
        if self.gaps().next().is_none() {
            return;
        }
        _ = writeln!(out, "\n{}", paint(HEAD, "  without a score"));
        for (setting, gap) in self.gaps() {
            let kind = if gap.is_error {
                "error"
            } else {
                "not applicable"
            };
            let line = format!(
                "{} under {}, {kind}: {}; such as {}",
                count(gap.rows as u64, "row"),
                printable(setting),
                printable(&gap.reason),
                printable(&self.rows.name(gap.example))
            );
            *out += &paragraph(&line, 4, anstyle::Style::new());
        }
    }

    /// `95 % interval`.
    pub(super) fn interval_name(&self) -> String {
        format!("{:.0} % interval", 100.0 * self.options.confidence)
    }
}

/// True if there is room for intervals.
fn is_wide() -> bool {
    screen_columns() >= INTERVAL_COLUMNS
}

/// A number that may be negative, with its sign. A number that rounds to 0 is positive.
pub(super) fn signed(number: f64) -> String {
    let number = if number.abs() < 0.000_5 { 0.0 } else { number };
    format!("{number:+.3}")
}

/// `5 of 14`.
pub(super) fn equal_groups(spread: &SettingSpread) -> String {
    format!("{} of {}", spread.equal_groups, spread.groups)
}

/// The ends of an interval of scores.
pub(super) fn ends(interval: Option<Interval>) -> String {
    let known = interval.filter(|it| it.low.is_finite());
    or_dash(known.map(|it| format!("{:.3} … {:.3}", it.low, it.high)))
}

/// The ends of an interval of numbers that may be negative.
pub(super) fn signed_ends(interval: Option<Interval>) -> String {
    let known = interval.filter(|it| it.low.is_finite());
    or_dash(known.map(|it| format!("{} … {}", signed(it.low), signed(it.high))))
}
