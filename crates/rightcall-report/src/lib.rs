//! Draws the results of a run, for people and for programs.
//!
//! Screens for a terminal are returned as text with colours. Lines are at most 100 columns wide, numbers are aligned, and important
//! results come last. Colour never adds information to the text; callers strip it where it is unwanted. [`OUTPUTS`] are file formats.
//! Pages consist of the same parts: [`Lanes`], [`distribution`], [`Tools`].

mod case_change;
mod case_column;
mod case_page;
mod comparison;
mod confusion;
mod difference;
mod expectation_tree;
mod explain;
mod explain_command;
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
mod strength;
mod text;
mod tools;
mod variable;
pub mod warnings;

pub use case_change::{CaseChange, ComparedEvaluator};
pub use case_page::{
    CasePage, FullCall, RecordedData, draw_case, kept_case, question_of, score_of, verdict,
};
pub use comparison::{
    CallComparison, CaseChanges, CauseChange, CauseTrials, CauseTurn, ChangeNumbers, ChangeRow,
    CollectedCases, ComparedCause, ComparedRun, ComparisonOptions, ComparisonReport, FileCalls,
    Incomparable, JudgedGate, OtherTasks, RunMeans, Scatter, ScorePlace, StoredScores,
    change_numbers, changes_listed, changes_told, counted_noun, left_out_told, moved_told,
    needed_told, run_json, run_statistics_screen, size,
};
pub use explain::{
    ChangeView, Explained, ExplainedResult, WhyNotView, change_screen, explain_json, explain_screen,
};
pub use explain_command::{ExplainCommand, push_case};
pub use formats::{format_list, format_page, map_page};
pub use gate_words::failed_gate;
pub use gates::{run_screen, verdict_screen};
pub use inspection::{inspected_run, inspection, inspection_json, read_report};
pub use lanes::{Lanes, ThreeLanes};
pub use list::evaluator_list;
pub use list_length::ListLength;
pub use markup::{STYLE, cell, code, isolated};
pub use numbers::{WHOLE_CASES, number, percent, signed};
#[cfg(feature = "columns")]
pub use outputs::ResultTable;
pub use outputs::{
    CauseRow, ConfusionCell, ConfusionTable, EvaluatorRow, FindingsPart, Github, KEPT_CASES,
    OUTPUTS, OutputFormat, OutputSettings, RunReport, Table, annotation, earlier_run, earlier_runs,
    head, is_screen, notes,
};
pub use page::{departures_markdown, page, page_markdown};
pub use plot::{distribution, distribution_told, over_runs, told};
pub use rescoring::{DifferingRow, Proof, RescoredRows, RescoringOptions, RescoringReport};
pub use run_facts::{facts, run_label, run_name, run_told};
pub use runs::{minute, run_list, time, unfinished_list};
pub use score::{Screen, score_screen, undecided};
pub use shell::{command_line, push_option};
pub use strength::{
    GATES_DECIDE, NO_SETTING, SettingText, SurvivorText, judge_told, silenced_told,
    strength_summary, survivors, weakest_runs,
};
pub use text::{
    capitalized, count, cut_end, left, page_text, printable, push_wrapped, right, screen_columns,
    set_columns, width, wrap,
};
pub use tools::{Confusion, TOOL_COLUMNS, TOOLS_TOLD, ToolCounts, Tools};

#[cfg(test)]
mod tests;
