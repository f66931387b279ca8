//! Runs evaluators over files of cases.
//!
//! A [`Plan`] describes what to score and how. [`run`] reads the inputs in blocks and scores the
//! blocks in parallel. It passes the results, in input order again, to the aggregates and the
//! [`Output`]s. The same plan produces the same bytes for any number of threads, and memory use
//! does not depend on the size of the inputs. A [`Suite`] is a plan written by the user, with
//! [`Gate`]s that decide whether the run is good enough.

mod argument;
mod batch;
mod case_key;
mod case_label;
mod case_rule;
mod cells;
mod change_gate;
mod configured;
mod convert;
mod each_case;
mod existing_file;
mod expectations;
mod failed;
mod find;
mod findings;
mod folds;
mod found_case;
mod gate;
mod judge;
mod judged;
mod names;
mod output;
mod output_file;
mod overwriting;
mod path_pattern;
mod plan;
mod printable;
mod problem;
mod records;
mod redaction;
mod results_file;
mod reward;
mod rule_names;
mod run;
mod run_judges;
mod same_keys;
mod select;
mod slips;
mod strength;
mod suite;
mod traces;
mod unfinished;
mod what_is;
mod written_scores;
mod yaml_text;

pub use argument::{ArgumentError, EvaluatorArgument};
pub use batch::{BatchCase, place_in_batch, run_batch};
pub use case_key::{CaseKey, meta_number};
pub use case_rule::{CaseRule, Unmatched};
pub use cells::Cells;
pub use change_gate::ChangeGate;
pub use configured::Configured;
pub use convert::{Conversion, convert};
pub use each_case::{each_case, each_labelled_case};
pub use existing_file::ExistingFile;
pub use expectations::{
    ExpectationChange, ExpectationRecorder, HeldOut, IgnoredArguments, LearnedCase, LearningError,
    LeftOutRecords, OriginalFile, RecordedPart, RecordingTally, Review, RewriteError, RunLocation,
    StoredRuns, Task, TaskGrouping, Tasks, learned_yaml, record, review, rewrite, tasks,
    text_to_review,
};
pub use failed::FailedCases;
pub use find::{Search, find};
pub use findings::{Investigation, is_same_outcome};
pub use folds::{FinishedRun, NamesSeen, NearRules, is_without_values};
pub use found_case::FoundCase;
pub use gate::Gate;
pub use output::{Output, Renderer, Wants};
pub use output_file::{FileError, OutputFile};
pub use overwriting::{BASELINE_FILE, OutputError, OutputFiles, OutputKind};
pub use plan::{Plan, Selection, fresh_hash_key, labels};
pub use printable::{page_text, printable, screen_text};
pub use problem::{ONE_RUN_PER_CASE, Observer, Problem, RunError};
pub use redaction::{BadPattern, Redaction};
pub use results_file::{
    Baseline, RecordedResults, ResultsError, ResultsOptions, baseline_text, is_results,
    read_records, read_results,
};
pub use reward::{
    Completion, ExpectationFault, GameableProperty, Reward, RewardAudit, RewardError, RewardMetric,
    RewardParts, RewardRangeError, RewardRow, RewardWeights, RowExpectation, RowReward,
    ScoredTurns, WeightsError,
};
pub use rule_names::tools_in_settings;
pub use run::{run, run_opened};
pub use run_judges::{RunJudge, RunJudges};
pub use select::{
    ExpectationRule, Filter, Grouping, MAX_CASES, Narrowing, Rank, Recording, rank_of,
};
pub use strength::{SuiteRuns, SuiteStrength};
pub use suite::{
    EvalSet, Suite, SuiteError, SuiteOptions, SuitePlace, SuitePlaces, SuiteReading, SuiteTool,
    expectations_in, files_like, is_glob, live_rules_in, map_schema, rules_in, suite_schema,
    text_hash,
};
pub use traces::{RUN_ID, Traces};
pub use unfinished::{
    Unfinished, before_first_unfinished, remove_abandoned, remove_unfinished, temporary,
};
pub use written_scores::{WrittenScore, written_scores};
pub use yaml_text::{yaml_line, yaml_text};
