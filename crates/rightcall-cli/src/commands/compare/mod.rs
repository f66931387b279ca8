//! `rightcall compare`: runs and files, case by case.

mod calls;
mod outputs;
mod pairing;
mod sides;

use std::path::{Path, PathBuf};

use clap::Args;
use rightcall_core::Edition;
use rightcall_report::{
    ComparedRun, ComparisonOptions, ComparisonReport, Incomparable, JudgedGate, printable,
    run_json, run_statistics_screen, size,
};
use rightcall_run::{
    BASELINE_FILE, CaseKey, ChangeGate, Grouping, OutputFile, OutputFiles, ResultsOptions,
};
use rightcall_stats::{ComparisonSettings, PairedComparison, RunScores};

use super::file_called;
use crate::arguments::{
    HistoryArguments, InputArguments, filter, parse_confidence, parse_edition, parse_grouping,
    parse_key, parse_pass_mark, parse_where,
};
use crate::completing;
use crate::exit::Exit;
use crate::history_lookup::history_files;
use crate::messages::{Trouble, error, give, note_missing_numbers, show_last, state};
use crate::scoring::write_baseline;
use outputs::{ComparisonFiles, ComparisonOutputs};
pub(super) use outputs::{ComparisonReports, check_formats};
pub(super) use pairing::check_keys;
use pairing::warn_of_tasks;
use sides::{part_of, sides};

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Runs of the history (a number, branch, tag, `latest`, `latest~1`) or files of results; the others are
    /// compared with the first. RUN@KEY=VALUE is the part of a run with this meta value
    #[arg(required = true, value_name = "RUNS", add = completing::runs_or_files())]
    pub(crate) runs: Vec<String>,
    /// Score the files, of cases or traces, with this evaluator first
    #[arg(short, long = "evaluator", value_name = "EVALUATOR[,KEY=VALUE…]", add = completing::evaluators())]
    pub(crate) evaluators: Vec<String>,
    /// Compare the values of meta keys such as model, or of `tag`, within files or runs
    #[arg(long, value_name = "KEY,…", value_parser = parse_grouping, add = completing::groupings())]
    pub(crate) by: Option<Grouping>,
    /// Only cases with this meta value; given again for the same key, with any of them; with --by, sides come in this order
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = parse_where, add = completing::meta_values())]
    pub(crate) meta: Vec<(String, String)>,
    /// Only cases with this tag; given again, with any of them
    #[arg(long = "tag", value_name = "TAG")]
    pub(crate) tags: Vec<String>,
    /// The keys that pair cases: meta keys, or the id without model and trial
    #[arg(long, value_name = "KEY,…", value_parser = parse_key, default_value = "id")]
    pub(crate) key: CaseKey,
    /// Show how well each evaluator predicts this number of the cases, such as reward
    #[arg(long, value_name = "FIELD")]
    pub(crate) against: Option<String>,
    /// A trial passes from this score on, or from this value of the field of --against [default: by its verdicts; a field from 1]
    #[arg(long, value_name = "NUMBER", value_parser = parse_pass_mark)]
    pub(crate) pass_mark: Option<f64>,
    /// A condition on the change, such as `worse = 0` or `EVALUATOR change_low >= -0.02`; if it fails, the exit code is 1
    #[arg(long = "gate", value_name = "CONDITION", value_parser = parse_change_gate)]
    pub(crate) gates: Vec<ChangeGate>,
    /// Write the run to a file as the baseline for later ones
    #[arg(long, value_name = "FILE")]
    pub(crate) accept: Option<PathBuf>,
    /// The confidence of intervals, in percent
    #[arg(long, value_name = "PERCENT", default_value = "95", value_parser = parse_confidence)]
    pub(crate) confidence: f64,
    /// The smallest change that matters; larger ones are shown, ruled out, or need more cases
    #[arg(long, value_name = "CHANGE", default_value = "0.05", value_parser = parse_margin)]
    pub(crate) margin: f64,
    #[command(flatten)]
    pub(crate) outputs: ComparisonOutputs,
    /// Which numbers to use where document and package differ: documented or package
    #[arg(long, value_name = "EDITION", value_parser = parse_edition, add = completing::editions())]
    pub(crate) edition: Option<Edition>,
    /// Look only at runs of this suite [default: the suite of the last run]
    #[arg(long, value_name = "SUITE", help_heading = "History")]
    pub(crate) suite: Option<PathBuf>,
    #[command(flatten)]
    pub(crate) history: HistoryArguments,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

fn parse_change_gate(text: &str) -> Result<ChangeGate, String> {
    let help = "write [EVALUATOR] change, change_low, change_high, worse or better, an operator and a number: `worse = 0`";
    ChangeGate::parse(text).ok_or_else(|| help.to_owned())
}

fn parse_margin(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|margin| *margin > 0.0 && *margin < 1.0)
        .ok_or_else(|| "expected a number between 0 and 1".to_owned())
}

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Exit, Trouble> {
    let outside = |mark: &f64| !(0.0..=1.0).contains(mark);
    if let (Some(mark), None) = (arguments.pass_mark.filter(outside), &arguments.against) {
        let help = "--against FIELD compares the mark with a number of the cases, which may be any";
        return Err(Trouble::with_help(
            format!("--pass-mark {mark}: a score is a number from 0 to 1"),
            help,
        ));
    }
    let requests = arguments.outputs.reports.iter();
    check_formats(
        requests
            .map(|it| it.format)
            .chain(arguments.outputs.format()),
    )?;
    if let Some(exit) = calls::compare(arguments)? {
        return Ok(exit);
    }
    let options = ComparisonOptions {
        settings: ComparisonSettings {
            confidence: arguments.confidence / 100.0,
            margin: arguments.margin,
        },
        from: arguments.pass_mark,
        against: arguments.against.clone(),
        listed: arguments.outputs.lists.length(),
    };
    let mut output_files = OutputFiles::new(input_files(arguments));
    let files = ComparisonFiles::open(&arguments.outputs, &mut output_files)?;
    let baseline = arguments.accept.as_ref();
    let baseline = baseline.map(|path| output_files.create(path, &BASELINE_FILE));
    let baseline = baseline.transpose()?;
    let runs = sides(arguments, &results_options(arguments))?;
    if let Some(run) = runs.iter().find(|run| run.scores.cases.is_empty()) {
        let message = format!("{}: no case is selected", run.scores.name);
        let help = "it holds none, or none has the values of --where, --tag or RUN@KEY=VALUE; `rightcall inspect` shows what a file holds";
        return Err(Trouble::with_help(message, help));
    }
    let has_field = |run: &ComparedRun| run.scores.cases.iter().any(|case| case.field.is_some());
    if let Some(field) = &arguments.against
        && !runs.iter().any(has_field)
    {
        let help = "name a numeric meta value, such as reward; result files have nested values, such as info/reward, only with --explain";
        return Err(Trouble::with_help(
            format!("no case has a number `{field}`"),
            help,
        ));
    }
    if let Some(field) = &arguments.against {
        for run in &runs {
            let (name, missing) = (&run.scores.name, run.scores.without_field());
            note_missing_numbers(&format!("{name}: "), field, missing, run.scores.cases.len());
        }
    }
    if let (Some(path), Some(file)) = (&arguments.accept, baseline) {
        return accept(&runs, path, file);
    }
    if let [one] = &runs[..] {
        return alone(&one.scores, arguments, &options);
    }
    let report = ComparisonReport::new(&runs, &options);
    let report = report.map_err(|why| incomparable(why, &runs))?;
    warn_of_tasks(&report);
    let gates = judged_gates(&report, arguments)?;
    let report = report.with_gates(gates);
    let exit = exit(&report);
    files.write(&report, arguments.outputs.format(), exit)?;
    for (before, after) in report.unjudged() {
        let help =
            "the results say why evaluators did not apply: `rightcall score … --format jsonl`";
        error(
            &format!("no case was judged both in {before} and in {after} (exit code 2)"),
            Some(help),
        );
    }
    Ok(exit)
}

/// A comparison that judged no case cannot have passed.
fn exit(report: &ComparisonReport<'_>) -> Exit {
    let is_unjudged = report
        .gates()
        .iter()
        .any(|gate| gate.result.found.is_none());
    if is_unjudged || !report.unjudged().is_empty() {
        Exit::NotJudged
    } else if report.holds() {
        Exit::Success
    } else {
        Exit::Failed
    }
}

fn results_options(arguments: &CompareArguments) -> ResultsOptions {
    ResultsOptions {
        key: arguments.key.clone(),
        field: arguments.against.clone(),
        // Without `--by`, the sides are the models, to find those that count as trials.
        by: arguments.by.clone().or_else(|| Grouping::parse("model")),
        only: filter(&arguments.tags, &arguments.meta),
        limits: arguments.input.limits(),
    }
}

/// The files that this command reads: the compared files, the history and the suite.
fn input_files(arguments: &CompareArguments) -> Vec<PathBuf> {
    let mut input_files = history_files(&arguments.history.file());
    let files = arguments.runs.iter();
    input_files.extend(files.filter_map(|name| file_called(part_of(name).0).map(Path::to_owned)));
    input_files.extend(arguments.suite.clone());
    input_files
}

fn accept(runs: &[ComparedRun], path: &Path, file: OutputFile) -> Result<Exit, Trouble> {
    let [ComparedRun { scores, .. }] = runs else {
        return Err(Trouble::with_help(
            "--accept takes one run",
            "write `rightcall compare latest --accept baseline.jsonl`",
        ));
    };
    write_baseline(scores, file)?;
    state(&format!(
        "{} ({}) is the baseline in {}\n",
        scores.name,
        size(scores),
        path.display()
    ))?;
    Ok(Exit::Success)
}

fn alone(
    scores: &RunScores,
    arguments: &CompareArguments,
    options: &ComparisonOptions,
) -> Result<Exit, Trouble> {
    if !arguments.gates.is_empty() {
        return Err(Trouble::with_help(
            "a gate on changes needs two runs",
            "write `rightcall compare BEFORE AFTER --gate …`",
        ));
    }
    if let Some(by) = &arguments.by {
        let message = format!("all cases are of one {by}, {}", scores.name);
        return Err(Trouble::with_help(message, "name another file too"));
    }
    match arguments.outputs.format() {
        Some(format) if format.name == "json" => {
            give(&format!("{}\n", run_json(scores, options)))?;
            return Ok(Exit::Success);
        }
        None if arguments.outputs.reports.is_empty() => {}
        _ => return Err(Trouble::new("a report of a comparison needs two runs")),
    }
    let own = run_statistics_screen(&[scores], options);
    if own.is_empty() {
        let help = "name two runs; a key that distinguishes the sides, such as `--by model`; a run with several trials of its cases and a \
threshold (`-e trajectory,threshold=1`); or a field with --against";
        return Err(Trouble::with_help(
            format!("{}: there is nothing to compare it with", scores.name),
            help,
        ));
    }
    let name = printable(&scores.name);
    show_last(&format!("{name} ({})\n{own}", size(scores)))?;
    Ok(Exit::Success)
}

fn incomparable(why: Incomparable, runs: &[ComparedRun]) -> Trouble {
    let (before, after) = (&runs[0].scores, &runs[1].scores);
    match why {
        Incomparable::NoEvaluator if runs.len() > 2 => {
            Trouble::new("no evaluator has judged all of them")
        }
        Incomparable::NoEvaluator => {
            let [first, second] = [before, after].map(|scores| scores.measures.join(", "));
            let help = format!("the first has {first}; the second {second}");
            Trouble::with_help("no evaluator has judged both", help)
        }
        Incomparable::NoCase => {
            let example = |scores: &RunScores| {
                let first = scores.cases.first();
                first.map_or_else(String::new, |case| format!("`{}`", case.key))
            };
            let help = format!(
                "cases pair by id without model and trial; the first are {} and {}. --key names meta values to pair by",
                example(before),
                example(after)
            );
            Trouble::with_help(
                format!("{} and {} have no case in common", before.name, after.name),
                help,
            )
        }
    }
}

fn judged_gates<'a>(
    report: &ComparisonReport<'_>,
    arguments: &'a CompareArguments,
) -> Result<Vec<JudgedGate<'a>>, Trouble> {
    if !arguments.gates.is_empty() && report.is_of_several() {
        return Err(Trouble::with_help(
            "a gate on changes needs two runs",
            "write `rightcall compare BEFORE AFTER --gate …`",
        ));
    }
    let gates = arguments.gates.iter();
    gates.map(|gate| judge(gate, report.first())).collect()
}

fn judge<'g>(
    gate: &'g ChangeGate,
    comparison: &PairedComparison,
) -> Result<JudgedGate<'g>, Trouble> {
    let result = gate.judge(comparison).map_err(|names| {
        Trouble::with_help(
            format!("--gate: no evaluator is named `{}`", gate.subject),
            format!("the results have {}", names.join(", ")),
        )
    })?;
    Ok(JudgedGate { gate, result })
}
