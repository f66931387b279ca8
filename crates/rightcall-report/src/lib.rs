//! Draws what a run came to, for people and for other programs.
//!
//! What is drawn for a terminal is returned as text, colours included. Lines are at most 100 columns wide, numbers line up, and what needs attention comes last. Colour adds meaning to nothing
//! that the text does not say; whoever prints strips it where it is not wanted. [`OUTPUTS`] are files; pages are drawn from the
//! same parts: [`Lanes`], [`distribution`], [`Tools`].

mod case_change;
mod case_column;
mod case_page;
mod comparison;
mod difference;
mod expectation_tree;
mod explain;
mod findings;
mod formats;
mod gate_words;
mod gates;
mod inspection;
mod lanes;
mod list;
mod list_length;
mod markup;
mod numbers;
mod outputs;
mod page;
mod plot;
mod rescoring;
mod run_facts;
mod runs;
mod score;
mod shell;
mod text;
mod tools;
mod variable;
pub mod warnings;

pub use case_change::{CaseChange, ComparedEvaluator};
pub use case_page::{CasePage, FullCall, draw_case, kept_case, question_of, score_of, verdict};
pub use comparison::{
    CallComparison, CaseChanges, CauseChange, CauseTrials, CauseTurn, ChangeNumbers, ChangeRow,
    CollectedCases, ComparedCause, ComparedRun, ComparisonOptions, ComparisonReport, FileCalls,
    Incomparable, JudgedGate, RunMeans, Scatter, ScorePlace, StoredScores, change_numbers,
    changes_listed, changes_told, moved_told, needed_told, own_screen, run_json, size,
};
pub use explain::{
    ChangeView, Explained, ExplainedResult, change_screen, explain_json, explain_screen,
};
pub use formats::{format_list, format_page, map_page};
pub use gates::run_screen;
pub use inspection::{inspection, inspection_json, read_report};
pub use lanes::{Lanes, ThreeLanes};
pub use list::evaluator_list;
pub use list_length::ListLength;
pub use markup::STYLE;
pub use numbers::{WHOLE_CASES, number, percent};
#[cfg(feature = "columns")]
pub use outputs::ResultTable;
pub use outputs::{
    CauseRow, ConfusionCell, ConfusionTable, EvaluatorRow, FindingsPart, Github, KEPT_CASES,
    OUTPUTS, OutputFormat, OutputSettings, RunReport, Table, annotation, earlier_run, earlier_runs,
    head, is_screen, notes,
};
pub use page::{page, page_markdown};
pub use plot::{distribution, distribution_told, over_runs, told};
pub use rescoring::{DifferingRow, Proof, RescoredRows, RescoringOptions, RescoringReport};
pub use run_facts::{facts, run_told};
pub use runs::{minute, run_list, time, unfinished_list};
pub use score::{Screen, score_screen, undecided};
pub use shell::{command_line, push_option};
pub use text::{count, fit, page_text, printable, screen_columns, set_columns, wrap};
pub use tools::{Confusion, TOOL_COLUMNS, TOOLS_TOLD, ToolCounts, Tools};

#[cfg(test)]
mod tests;
