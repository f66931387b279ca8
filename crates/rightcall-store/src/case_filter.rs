//! Filters and orders for cases, as conditions of a query.

use rusqlite::types::Value;

use crate::conditions::Where;
use crate::run::limit;
use crate::search::pattern_of;

/// A filter for cases; an empty one accepts all.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CaseFilter {
    /// Cases that expect or call this tool.
    pub tool: Option<String>,
    /// Cases that used this tool in this way, as counted in the table of tools.
    pub tool_use: Option<(String, ToolUseKind)>,
    /// Cases with this cause of a low score, in the wording of pages.
    pub cause: Option<String>,
    /// Cases that called the second tool instead of the first; `None` for no tool. A cell of the confusion matrix.
    pub pair: Option<(Option<String>, Option<String>)>,
    /// Cases with this tag.
    pub tag: Option<String>,
    /// Cases with one of the values under each of the meta keys.
    pub meta: Vec<(String, Vec<String>)>,
    /// Cases with a failed evaluation, or without one.
    pub failed: Option<bool>,
    /// Cases with this verdict from the evaluator at this index; without an index, from any evaluator.
    pub verdict: Option<(Option<usize>, StoredVerdict)>,
    /// Cases with this text in their name, ignoring ASCII case.
    pub label: Option<String>,
    /// Cases with this text anywhere, including calls, ignoring case. Reads all cases.
    pub text: Option<String>,
}

/// How a tool was used in a case.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ToolUseKind {
    /// It was expected.
    Expected,
    /// It was called.
    Called,
    /// It was called as expected, with equal arguments.
    Right,
    /// It was called as expected, but with different arguments.
    OtherArguments,
    /// It was expected, but not called in that place.
    Missed,
    /// It was called, but not expected in that place.
    Extra,
    /// A call of it ended in an error.
    Failed,
}

impl ToolUseKind {
    /// The condition on rows of tools. Each `?` (one or two) is the tool.
    fn condition(self) -> &'static str {
        match self {
            Self::Expected => "expected = ?",
            Self::Called => "called = ?",
            Self::Right => "expected = ? AND called = ? AND times > other_arguments",
            Self::OtherArguments => "expected = ? AND called = ? AND other_arguments > 0",
            Self::Missed => "expected = ? AND called <> ?",
            Self::Extra => "called = ? AND expected <> ? AND NOT unstated",
            Self::Failed => "called = ? AND failed > 0",
        }
    }
}

/// The result of an evaluator on a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum StoredVerdict {
    /// Passed.
    Passed,
    /// Failed, or an error.
    Failed,
    /// A score in this range, excluding the upper end.
    Score(f64, f64),
    /// It does not apply.
    NotApplicable,
    /// It ended in an error.
    Error,
}

/// The order of cases.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CaseOrder {
    /// Errors, missing runs, then scores from low to high; cases that no evaluator applies to come last. Equal ones in input order.
    #[default]
    Worst,
    /// The order of the input.
    Input,
    /// By name.
    Label,
    /// By the score of the evaluator at this index, from low to high; cases without a score come first.
    Evaluator(usize),
}

impl CaseOrder {
    /// The columns to sort by.
    pub(crate) fn columns(self) -> String {
        match self {
            Self::Worst => "worst, number".to_owned(),
            Self::Input => "number".to_owned(),
            Self::Label => "label, trial, number".to_owned(),
            Self::Evaluator(position) => format!(
                "(SELECT score FROM evaluations AS e WHERE e.\"case\" = cases.id AND e.position = {position}), number"
            ),
        }
    }
}

/// The smallest and the largest id of the cases of a run. If several processes record at once, ids of other runs are in between.
pub(crate) type IdRange = (i64, i64);

impl CaseFilter {
    /// True if the filter needs tables other than `cases`.
    pub(crate) fn needs_other_tables(&self) -> bool {
        self.tool.is_some()
            || self.tool_use.is_some()
            || self.cause.is_some()
            || self.pair.is_some()
            || self.tag.is_some()
            || self.verdict.is_some()
            || self.text.is_some()
    }

    /// The conditions on cases. Without a range of ids, other tables are queried case by case, which is best for few cases; with a range
    /// they are scanned once.
    pub(crate) fn conditions(&self, run: i64, ids: Option<IdRange>) -> Where {
        let mut conditions = Where::default();
        conditions.and("run = ?", [run.into()]);
        if let Some(tool) = &self.tool {
            let tool = || Value::from(tool.clone());
            let holds = has_row("tools", "(expected = ? OR called = ?)", ids);
            conditions.and(&holds, [tool(), tool()]);
        }
        if let Some((tool, kind)) = &self.tool_use {
            let condition = kind.condition();
            conditions.and(&has_row("tools", condition, ids), []);
            let names = condition.matches('?').map(|_| Value::from(tool.clone()));
            conditions.values.extend(names);
        }
        if let Some(cause) = &self.cause {
            let holds = has_row("case_causes", "cause = ? AND counts", ids);
            conditions.and(&holds, [cause.clone().into()]);
        }
        if let Some((expected, called)) = &self.pair {
            let name = |name: &Option<String>| Value::from(name.clone().unwrap_or_default());
            let holds = has_row("tools", "expected = ? AND called = ? AND NOT unstated", ids);
            conditions.and(&holds, [name(expected), name(called)]);
        }
        if let Some(tag) = &self.tag {
            conditions.and(&has_row("case_tags", "tag = ?", ids), [tag.clone().into()]);
        }
        for (key, values) in &self.meta {
            let places = vec!["?"; values.len()].join(", ");
            let holds = format!("EXISTS (SELECT 1 FROM json_each(meta) AS it WHERE it.key = ?
                         AND CASE WHEN it.type IN ('true', 'false') THEN it.type ELSE CAST(it.value AS TEXT) END IN ({places}))");
            conditions.and(&holds, [key.clone().into()]);
            let values = values.iter().map(|value| Value::from(value.clone()));
            conditions.values.extend(values);
        }
        if let Some(failed) = self.failed {
            let failed = Value::from(i64::from(failed));
            if ids.is_some() {
                let holds = "+id IN (SELECT id FROM cases WHERE run = ? AND failed = ?)";
                conditions.and(holds, [run.into(), failed]);
            } else {
                conditions.and("failed = ?", [failed]);
            }
        }
        if let Some((position, verdict)) = self.verdict {
            let (condition, values) = match verdict {
                StoredVerdict::Passed => ("passed = 1", None),
                StoredVerdict::Failed => ("(passed = 0 OR outcome = 'error')", None),
                StoredVerdict::NotApplicable => ("outcome = 'not_applicable'", None),
                StoredVerdict::Error => ("outcome = 'error'", None),
                StoredVerdict::Score(from, to) => {
                    ("score >= ? AND score < ?", Some([from.into(), to.into()]))
                }
            };
            let of_position = if position.is_some() {
                "position = ? AND "
            } else {
                ""
            };
            let condition = format!("{of_position}{condition}");
            conditions.and(&has_row("evaluations", &condition, ids), []);
            conditions
                .values
                .extend(position.map(|position| limit(position as u64)));
            conditions.values.extend(values.into_iter().flatten());
        }
        if let Some(label) = &self.label {
            conditions.and("instr(lower(label), lower(?)) > 0", [label.clone().into()]);
        }
        if let Some(text) = &self.text {
            let pattern = || Value::from(pattern_of(text));
            let holds = has_row("texts", "finds(?, json)", ids);
            // Read names from their index: checking them case by case would load each row.
            let of_name = "+id IN (SELECT id FROM cases WHERE run = ? AND finds(?, label))";
            let of_cause = has_row("case_causes", "counts AND finds(?, cause)", ids);
            let values = [run.into(), pattern(), pattern(), pattern(), pattern()];
            let any = format!("({of_name} OR {of_cause} OR finds(?, why) OR {holds})");
            conditions.and(&any, values);
        }
        conditions
    }
}

/// The condition that a case has a matching row in another table.
fn has_row(table: &str, condition: &str, ids: Option<IdRange>) -> String {
    match ids {
        None => format!("EXISTS (SELECT 1 FROM {table} WHERE \"case\" = id AND {condition})"),
        // The `+` keeps the order of the cases, so that SQLite does not look them up one by one.
        Some((first, last)) => format!(
            "+id IN (SELECT \"case\" FROM {table} WHERE \"case\" BETWEEN {first} AND {last} AND {condition})"
        ),
    }
}
