//! Results as table rows: one for each case and evaluator, and, if the run has combined results, one for each case without an evaluator.
//! All tables have these columns, in this order.

use std::borrow::Cow;

use rightcall_core::value::JsonText;

use crate::{CaseResult, EvaluationResult, EvaluatorHead, RunHead};

/// A row of results.
#[derive(Clone, Copy, Debug)]
pub struct ResultRow<'r> {
    /// The name of the case.
    pub label: &'r str,
    /// Its trial as JSON text.
    pub trial: Option<&'r str>,
    /// The id of the evaluator; `None` for the case as a whole.
    pub evaluator: Option<&'r str>,
    /// The user's name for it.
    pub name: Option<&'r str>,
    /// The result.
    pub result: &'r EvaluationResult,
    /// The labels of the case.
    pub tags: &'r [String],
    /// File and line (from 1) of the case; empty and 0 for a case in memory.
    pub place: (&'r str, u64),
}

/// A cell of a row.
#[derive(Clone, Debug, PartialEq)]
pub enum Cell<'r> {
    /// A text.
    Text(Option<Cow<'r, str>>),
    /// A number.
    Number(Option<f64>),
    /// A truth value.
    Flag(Option<bool>),
    /// A whole number.
    Count(u64),
    /// Several texts.
    Texts(&'r [String]),
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ColumnType {
    /// Texts.
    Text {
        /// True if cells may be missing.
        nullable: bool,
    },
    /// Numbers, which may be missing.
    Number,
    /// Truth values, which may be missing.
    Flag,
    /// Whole numbers.
    Count,
    /// Lists of texts.
    Texts,
}

/// A column of results.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// Its name.
    pub name: &'static str,
    /// Its type.
    pub kind: ColumnType,
    /// The cell of a row.
    pub cell: for<'r> fn(&ResultRow<'r>) -> Cell<'r>,
}

const TEXT: ColumnType = ColumnType::Text { nullable: false };
const NULLABLE: ColumnType = ColumnType::Text { nullable: true };

const fn column(
    name: &'static str,
    kind: ColumnType,
    cell: for<'r> fn(&ResultRow<'r>) -> Cell<'r>,
) -> Column {
    Column { name, kind, cell }
}

fn text(text: &str) -> Cell<'_> {
    Cell::Text(Some(Cow::Borrowed(text)))
}

fn optional(text: Option<&str>) -> Cell<'_> {
    Cell::Text(text.map(Cow::Borrowed))
}

/// The columns of all tables of results.
pub static COLUMNS: [Column; 13] = [
    column("case", TEXT, |row| text(row.label)),
    column("trial", NULLABLE, |row| optional(row.trial)),
    column("evaluator", NULLABLE, |row| optional(row.evaluator)),
    column("name", NULLABLE, |row| optional(row.name)),
    column("outcome", TEXT, |row| text(row.result.outcome.name())),
    column("score", ColumnType::Number, |row| {
        Cell::Number(row.result.score())
    }),
    column("passed", ColumnType::Flag, |row| {
        Cell::Flag(row.result.passed)
    }),
    column("reason", NULLABLE, |row| {
        Cell::Text(row.result.outcome.reason().map(Cow::Owned))
    }),
    column("tags", ColumnType::Texts, |row| Cell::Texts(row.tags)),
    column("file", TEXT, |row| text(row.place.0)),
    column("line", ColumnType::Count, |row| Cell::Count(row.place.1)),
    column("details", NULLABLE, |row| {
        optional(row.result.details.as_ref().map(JsonText::as_str))
    }),
    column("alignment", NULLABLE, |row| {
        Cell::Text(row.result.alignment().map(Cow::Owned))
    }),
];

/// All columns except these, in the order of [`COLUMNS`].
pub fn columns_without(names: &[&str]) -> Vec<&'static Column> {
    let is_kept = |column: &&Column| !names.contains(&column.name);
    COLUMNS.iter().filter(is_kept).collect()
}

impl RunHead {
    /// The rows of a case: one for each evaluation, then the case as a whole.
    pub fn rows<'r>(&'r self, case: &'r CaseResult) -> impl Iterator<Item = ResultRow<'r>> {
        let row = move |evaluator: Option<&'r EvaluatorHead>, result| ResultRow {
            label: &case.label,
            trial: case.trial.as_deref(),
            evaluator: evaluator.map(|it| it.id.as_str()),
            name: evaluator.and_then(|it| it.name.as_deref()),
            result,
            tags: &case.tags,
            place: (&case.file, case.line),
        };
        let evaluations = self.evaluators.iter().zip(&case.evaluations);
        let whole = self.has_whole_cases.then(|| row(None, &case.whole));
        evaluations
            .map(move |(evaluator, result)| row(Some(evaluator), result))
            .chain(whole)
    }
}

impl Cell<'_> {
    /// The cell as text; empty if the value is missing.
    pub fn to_text(&self) -> Cow<'_, str> {
        match self {
            Self::Text(text) => Cow::Borrowed(text.as_deref().unwrap_or_default()),
            Self::Number(number) => number.map(score_text).unwrap_or_default().into(),
            Self::Flag(flag) => match flag {
                Some(true) => "true".into(),
                Some(false) => "false".into(),
                None => "".into(),
            },
            Self::Count(count) => count.to_string().into(),
            Self::Texts(texts) => texts.join(" ").into(),
        }
    }
}

/// A score in the fewest digits that parse back to the same number.
pub fn score_text(score: f64) -> String {
    zmij::Buffer::new().format_finite(score).to_owned()
}
