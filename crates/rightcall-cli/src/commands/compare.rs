//! `rightcall compare`: runs and files, case by case.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use rightcall::value::JsonWriter;
use rightcall::{Edition, Explanation};
use rightcall_formats::{ReadOptions, read_case};
use rightcall_report::{
    EVERY_VERDICT, comparison_screen, overview_screen, prediction_screen, size, test_name,
    trials_screen, verdict_name,
};
use rightcall_run::{
    CaseKey, CaseRecord, Cause, ChangeGate, Configured, EvaluatorArgument, Plan, Problem,
    RecordedOutcome, Recording, ResultsError, ResultsOptions, ScoredBlock, Sink, Summary, causes,
    meta_number, printable, read_results, write_repeated,
};
use rightcall_stats::{
    ComparisonSettings, EvaluatorChange, Interval, MeanChange, Measurement, MovedCase,
    PairedComparison, Prediction, RunScores, ScoreColumn, TrialScores, TrialStatistics,
    mean_interval,
};
use rightcall_store::{HISTORY, History, Reference, RunFilter};

use super::{exported_run, file_called};
use crate::arguments::{InputArguments, ListFormat, parse_edition};
use crate::exit::Exit;
use crate::messages::{Trouble, error, give, show_last, state, warning};
use crate::scoring::write_baseline;

#[derive(Debug, Args)]
pub(crate) struct CompareArguments {
    /// Runs of the history (a number, branch, tag, `latest`, `latest~1`) or files of results; the first is what the others are
    /// compared with
    #[arg(required = true, value_name = "RUNS")]
    pub(crate) runs: Vec<String>,
    /// Score the files, of cases or traces, with this evaluator first
    #[arg(short, long = "evaluator", value_name = "EVALUATOR[,KEY=VALUE…]")]
    pub(crate) evaluators: Vec<String>,
    /// What cases pair by: meta keys, or the id without model and trial
    #[arg(long, value_name = "KEY,…", value_parser = parse_key, default_value = "id")]
    pub(crate) key: CaseKey,
    /// Show how well each evaluator predicts this number of the cases, such as reward
    #[arg(long, value_name = "FIELD")]
    pub(crate) against: Option<String>,
    /// A trial passes from this score on, or from this value of the field of --against [default: by its verdicts; a field from 1]
    #[arg(long, value_name = "NUMBER", value_parser = parse_pass_mark)]
    pub(crate) pass_mark: Option<f64>,
    /// A condition on the change, such as `worse = 0` or `EVALUATOR change_low >= -0.02`; missed, the exit code is 1
    #[arg(long = "gate", value_name = "CONDITION", value_parser = parse_change_gate)]
    pub(crate) gates: Vec<ChangeGate>,
    /// Write the run to a file as the baseline for later ones
    #[arg(long, value_name = "FILE")]
    pub(crate) accept: Option<PathBuf>,
    /// The confidence of intervals, in percent
    #[arg(long, value_name = "PERCENT", default_value = "95", value_parser = parse_confidence)]
    pub(crate) confidence: f64,
    /// The change that would matter: without one shown, smaller ones are ruled out or there are not enough cases to tell
    #[arg(long, value_name = "CHANGE", default_value = "0.05", value_parser = parse_margin)]
    pub(crate) margin: f64,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
    /// What evaluators follow where document and package differ: documented or package
    #[arg(long, value_name = "EDITION", value_parser = parse_edition)]
    pub(crate) edition: Option<Edition>,
    /// The file with the runs so far
    #[arg(long, value_name = "FILE", default_value = HISTORY)]
    pub(crate) history: PathBuf,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

fn parse_key(text: &str) -> Result<CaseKey, String> {
    CaseKey::parse(text)
        .ok_or_else(|| "write id, or meta keys with commas between, such as domain,task".to_owned())
}

fn parse_change_gate(text: &str) -> Result<ChangeGate, String> {
    let help = "write [EVALUATOR] change, change_low, change_high, worse or better, an operator and a number: `worse = 0`";
    ChangeGate::parse(text).ok_or_else(|| help.to_owned())
}

fn parse_confidence(text: &str) -> Result<f64, String> {
    let percent = text
        .trim_end_matches('%')
        .parse()
        .ok()
        .filter(|percent| (50.0..=99.9).contains(percent));
    percent.ok_or_else(|| "expected a number from 50 to 99.9".to_owned())
}

fn parse_pass_mark(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|mark: &f64| mark.is_finite())
        .ok_or_else(|| "expected a number".to_owned())
}

fn parse_margin(text: &str) -> Result<f64, String> {
    text.parse()
        .ok()
        .filter(|margin| *margin > 0.0 && *margin < 1.0)
        .ok_or_else(|| "expected a number between 0 and 1".to_owned())
}

/// A run or a file, and what is known of its cases.
struct Loaded {
    results: RunScores,
    known: Known,
}

/// Where the alignments of cases are.
enum Known {
    /// In the history, by the number of the case.
    Stored {
        history: History,
        run: i64,
        numbers: Vec<u64>,
    },
    /// Here.
    Scored(Vec<Arc<CaseRecord>>),
    /// Nowhere.
    Nothing,
}

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Exit, Trouble> {
    if let (Some(mark), None) = (
        arguments
            .pass_mark
            .filter(|mark| !(0.0..=1.0).contains(mark)),
        &arguments.against,
    ) {
        let help = "--against FIELD compares the mark with a number of the cases, which may be any";
        return Err(Trouble::with_help(
            format!("--pass-mark {mark}: a score is a number from 0 to 1"),
            help,
        ));
    }
    let (key, field, limits) = (
        arguments.key.clone(),
        arguments.against.clone(),
        arguments.input.limits(),
    );
    let options = ResultsOptions { key, field, limits };
    let mut loaded: Vec<Loaded> = arguments
        .runs
        .iter()
        .map(|name| load(name, arguments, &options))
        .collect::<Result<_, _>>()?;
    shorten_names(&mut loaded);
    let rules = ComparisonSettings {
        confidence: arguments.confidence / 100.0,
        margin: arguments.margin,
    };
    if let Some(field) = &arguments.against
        && !loaded
            .iter()
            .any(|it| it.results.cases.iter().any(|case| case.field.is_some()))
    {
        let help = "name a meta value that is a number, such as reward; result files hold meta values if written with --explain";
        return Err(Trouble::with_help(
            format!("no case has a number `{field}`"),
            help,
        ));
    }
    if let Some(path) = &arguments.accept {
        return accept(&loaded, path);
    }
    match &loaded[..] {
        [one] => alone(&one.results, arguments, rules),
        [before, after] => two(before, after, arguments, rules),
        _ => several(loaded, arguments, rules),
    }
}

/// Files go by their names alone where these tell them apart.
fn shorten_names(loaded: &mut [Loaded]) {
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
    let short: BTreeSet<String> = loaded.iter().map(|it| last(&it.results.name)).collect();
    if short.len() == loaded.len() {
        loaded
            .iter_mut()
            .for_each(|it| it.results.name = last(&it.results.name));
    }
}

fn accept(loaded: &[Loaded], path: &Path) -> Result<Exit, Trouble> {
    let [one] = loaded else {
        return Err(Trouble::with_help(
            "--accept takes one run",
            "write `rightcall compare latest --accept baseline.jsonl`",
        ));
    };
    write_baseline(&one.results, path)?;
    state(&format!(
        "{} ({}) is the baseline in {}\n",
        one.results.name,
        size(&one.results),
        path.display()
    ))?;
    Ok(Exit::Fine)
}

fn load(
    name: &str,
    arguments: &CompareArguments,
    options: &ResultsOptions,
) -> Result<Loaded, Trouble> {
    if let Some(path) = file_called(name) {
        return load_file(path, arguments, options);
    }
    let history = History::open_to_read(&arguments.history)?;
    let run = history.find(&Reference::parse(name), &RunFilter::default())?;
    stored(history, run.number, options)
}

fn stored(history: History, run: i64, options: &ResultsOptions) -> Result<Loaded, Trouble> {
    let row = history.run(run)?;
    if row.kept < row.cases {
        warning(
            &format!(
                "run {run}: of {} cases the sample that was kept is compared",
                row.cases
            ),
            None,
        );
    }
    let (results, numbers) = history.results(run, options)?;
    Ok(Loaded {
        results,
        known: Known::Stored {
            history,
            run,
            numbers,
        },
    })
}

fn load_file(
    path: &Path,
    arguments: &CompareArguments,
    options: &ResultsOptions,
) -> Result<Loaded, Trouble> {
    if !arguments.evaluators.is_empty() {
        return score(path, arguments, options);
    }
    if let Some((history, run)) = exported_run(path)? {
        let loaded = stored(history, run.number, options)?;
        return Ok(Loaded {
            results: RunScores {
                name: path.display().to_string(),
                ..loaded.results
            },
            ..loaded
        });
    }
    let results = read_results(path, options).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        let help = "write results with `-o results.jsonl`; to compare files of cases or traces, name evaluators with -e";
        match error {
            ResultsError::Other { .. } => Trouble::with_help(message, help),
            ResultsError::Io(_) => Trouble::new(message),
        }
    })?;
    Ok(Loaded {
        results,
        known: Known::Nothing,
    })
}

/// Scores a file of cases or traces.
fn score(
    path: &Path,
    arguments: &CompareArguments,
    options: &ResultsOptions,
) -> Result<Loaded, Trouble> {
    let configured = |text: &String| -> Result<Configured, Trouble> {
        Ok(Configured::new(
            EvaluatorArgument::parse(text)?,
            arguments.edition,
        )?)
    };
    let evaluators: Vec<_> = arguments
        .evaluators
        .iter()
        .map(configured)
        .collect::<Result<_, _>>()?;
    let measures = evaluators.iter().map(|it| it.label().to_owned()).collect();
    let plan = Plan {
        evaluators,
        recording: Some(Arc::new(Recording::new(usize::MAX))),
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        ..Plan::new(
            vec![path.to_owned()],
            arguments.input.reading(),
            arguments.input.limits(),
        )
    };
    let mut records = Vec::new();
    let mut observer = Problems(0);
    rightcall_run::run(
        &plan,
        &mut [Box::new(Collecting(&mut records)) as Box<dyn Sink + '_>],
        &mut observer,
    )?;
    if observer.0 > 0 {
        return Err(Trouble::new(format!(
            "{}: not all of it could be read",
            path.display()
        )));
    }
    let judged = |result: &rightcall_run::ResultRecord| match result.outcome {
        RecordedOutcome::Scored(score) => Measurement {
            score: Some(score),
            passed: result.passed,
        },
        RecordedOutcome::NotApplicable(_) => Measurement {
            score: None,
            passed: result.passed,
        },
        RecordedOutcome::Error(_) => Measurement {
            score: None,
            passed: Some(false),
        },
    };
    let case = |record: &Arc<CaseRecord>| {
        let (trial, meta) = (record.trial.as_deref(), record.meta.as_deref());
        TrialScores {
            key: options
                .key
                .of(&record.label, trial, meta)
                .unwrap_or_else(|| record.label.clone()),
            label: record.label.clone(),
            trial: record.trial.clone(),
            values: record.evaluations.iter().map(judged).collect(),
            overall: judged(&record.result),
            field: options
                .field
                .as_ref()
                .and_then(|field| meta_number(meta?, field)),
        }
    };
    let cases = records.iter().map(case).collect();
    let results = RunScores {
        name: path.display().to_string(),
        measures,
        cases,
    };
    Ok(Loaded {
        results,
        known: Known::Scored(records),
    })
}

/// Keeps all records.
struct Collecting<'r>(&'r mut Vec<Arc<CaseRecord>>);

impl Sink for Collecting<'_> {
    fn block(&mut self, scored: &ScoredBlock) -> io::Result<()> {
        self.0.extend(scored.records().flatten().map(Arc::clone));
        Ok(())
    }

    fn finish(&mut self, _: &Summary) -> io::Result<()> {
        Ok(())
    }
}

/// Tells what could not be read.
struct Problems(usize);

impl rightcall_run::Observer for Problems {
    fn problem(&mut self, problem: &Problem) {
        self.0 += 1;
        error(&problem.to_string(), problem.help());
    }
}

impl Loaded {
    /// The causes that the alignments of a case show, of the trial with the lowest or highest score.
    fn causes(&self, key: &str, lowest: bool) -> BTreeSet<Cause> {
        let of_key = self
            .results
            .cases
            .iter()
            .enumerate()
            .filter(|(_, case)| case.key == key);
        let score =
            |(_, case): &(usize, &TrialScores)| case.overall.score.unwrap_or(f64::NEG_INFINITY);
        let by_score = |one: &(usize, &TrialScores), other: &(usize, &TrialScores)| {
            score(one).total_cmp(&score(other))
        };
        let Some((position, _)) = (if lowest {
            of_key.min_by(by_score)
        } else {
            of_key.max_by(by_score)
        }) else {
            return BTreeSet::new();
        };
        let (json, alignments) = match &self.known {
            Known::Stored {
                history,
                run,
                numbers,
            } => match history.case(*run, numbers[position]) {
                Ok(Some(case)) => (
                    case.json,
                    case.evaluations
                        .into_iter()
                        .filter_map(|it| it.alignment)
                        .collect::<Vec<_>>(),
                ),
                _ => return BTreeSet::new(),
            },
            Known::Scored(records) => {
                let record = &records[position];
                (
                    record.case.clone(),
                    record
                        .evaluations
                        .iter()
                        .filter_map(|it| it.alignment.clone())
                        .collect(),
                )
            }
            Known::Nothing => return BTreeSet::new(),
        };
        let Ok(case) = read_case(&json, &ReadOptions::default()) else {
            return BTreeSet::new();
        };
        let explanations = alignments
            .iter()
            .filter_map(|text| Explanation::from_json(text).ok());
        explanations
            .flat_map(|explanation| causes(&case, &explanation))
            .collect()
    }
}

/// What changed in the alignment of a case that moved.
fn changes(before: &Loaded, after: &Loaded, moved: &MovedCase) -> Vec<String> {
    let (worse, key) = (moved.is_worse(), &moved.key);
    let (was, is) = (before.causes(key, !worse), after.causes(key, worse));
    let new = is.difference(&was).map(|cause| format!("now {cause}"));
    let gone = was
        .difference(&is)
        .map(|cause| format!("no longer: {cause}"));
    if worse {
        new.chain(gone).collect()
    } else {
        gone.chain(new).collect()
    }
}

fn repeated(
    results: &RunScores,
    arguments: &CompareArguments,
) -> Option<(String, TrialStatistics)> {
    if results.most_trials() < 2 {
        return None;
    }
    let trials = match (arguments.pass_mark, arguments.against.is_some()) {
        (Some(mark), false) => results.trials_from(mark, |case| case.overall.score),
        (Some(mark), true) => results.trials_from(mark, |case| case.field),
        (None, true) => results.trials_from(1.0, |case| case.field),
        (None, false) => results.trials(ScoreColumn::Overall),
    };
    Some((results.name.clone(), TrialStatistics::from_cases(&trials)?))
}

fn pass_mark(arguments: &CompareArguments) -> String {
    match (&arguments.against, arguments.pass_mark) {
        (Some(field), mark) => format!("{field} >= {}", mark.unwrap_or(1.0)),
        (None, Some(mark)) => format!("weighted score >= {mark}"),
        (None, None) => EVERY_VERDICT.to_owned(),
    }
}

/// Trials and predictions, which each run has for itself.
fn of_each(runs: &[&RunScores], arguments: &CompareArguments, rules: ComparisonSettings) -> String {
    let trials: Vec<_> = runs
        .iter()
        .filter_map(|run| repeated(run, arguments))
        .collect();
    let mut out = if trials.is_empty() {
        String::new()
    } else {
        trials_screen(&trials, &pass_mark(arguments))
    };
    if let Some(field) = &arguments.against {
        for run in runs {
            out += &prediction_screen(&run.name, field, &run.predictions(rules.confidence), rules);
        }
    }
    out
}

fn alone(
    results: &RunScores,
    arguments: &CompareArguments,
    rules: ComparisonSettings,
) -> Result<Exit, Trouble> {
    if !arguments.gates.is_empty() {
        return Err(Trouble::with_help(
            "a gate on changes needs two runs",
            "write `rightcall compare BEFORE AFTER --gate …`",
        ));
    }
    if let ListFormat::Json = arguments.format {
        let mut writer = JsonWriter::new();
        writer.begin_object().key("runs").begin_list();
        write_run(&mut writer, results, arguments, rules);
        writer.end_list().end_object();
        give(&format!("{}\n", writer.finish()))?;
        return Ok(Exit::Fine);
    }
    let more = of_each(&[results], arguments, rules);
    if more.is_empty() {
        let help =
            "name two runs; or a run with several trials of its cases; or a field with --against";
        return Err(Trouble::with_help(
            format!("{}: there is nothing to compare it with", results.name),
            help,
        ));
    }
    show_last(&format!(
        "{} ({})\n{more}",
        printable(&results.name),
        size(results)
    ))?;
    Ok(Exit::Fine)
}

fn nothing_shared(before: &RunScores, after: &RunScores) -> Trouble {
    let example = |results: &RunScores| {
        results
            .cases
            .first()
            .map_or_else(String::new, |case| format!("`{}`", case.key))
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

fn two(
    before: &Loaded,
    after: &Loaded,
    arguments: &CompareArguments,
    rules: ComparisonSettings,
) -> Result<Exit, Trouble> {
    let comparison = PairedComparison::between(&before.results, &after.results, rules);
    if comparison.shared == 0 {
        return Err(nothing_shared(&before.results, &after.results));
    }
    if comparison.measures.is_empty() {
        let list = |results: &RunScores| results.measures.join(", ");
        let help = format!(
            "the first has {}; the second {}",
            list(&before.results),
            list(&after.results)
        );
        return Err(Trouble::with_help("no evaluator has judged both", help));
    }
    let mut judged = Vec::new();
    for gate in &arguments.gates {
        let (found, held) = gate.judge(&comparison).map_err(|names| {
            Trouble::with_help(
                format!("--gate: no evaluator goes by `{}`", gate.subject),
                format!("there is {}", names.join(", ")),
            )
        })?;
        judged.push((gate, found, held));
    }
    let missed = judged.iter().any(|(.., held)| !held);
    let exit = if missed { Exit::Missed } else { Exit::Fine };
    if let ListFormat::Json = arguments.format {
        let mut writer = JsonWriter::new();
        writer.begin_object().key("runs").begin_list();
        write_run(&mut writer, &before.results, arguments, rules);
        write_run(&mut writer, &after.results, arguments, rules);
        writer.end_list();
        write_comparison(&mut writer, &comparison);
        writer.key("moved").begin_list();
        for moved in &comparison.moved {
            writer
                .begin_object()
                .key("case")
                .str(&moved.key)
                .key("before")
                .float(moved.before)
                .key("after")
                .float(moved.after);
            writer.key("changes").begin_list();
            changes(before, after, moved)
                .iter()
                .for_each(|change| _ = writer.str(change));
            writer.end_list().end_object();
        }
        writer.end_list().key("gates").begin_list();
        for (gate, found, held) in &judged {
            writer
                .begin_object()
                .key("gate")
                .str(&gate.to_string())
                .key("found")
                .float(found.unwrap_or(f64::NAN));
            writer.key("held").bool(*held).end_object();
        }
        writer.end_list().end_object();
        give(&format!("{}\n", writer.finish()))?;
        return Ok(exit);
    }
    let about = |moved: &MovedCase| changes(before, after, moved);
    let mut screen = comparison_screen(
        (&before.results, &after.results),
        &comparison,
        rules,
        &about,
    );
    let own = of_each(&[&before.results, &after.results], arguments, rules);
    if !own.is_empty() && comparison.only != (Vec::new(), Vec::new()) {
        screen += "\n  what follows is of all cases of a run, of those in one run alone too\n";
    }
    screen += &own;
    screen += &gate_lines(&judged, exit);
    show_last(&screen)?;
    Ok(exit)
}

fn gate_lines(judged: &[(&ChangeGate, Option<f64>, bool)], exit: Exit) -> String {
    let mut out = if judged.is_empty() {
        String::new()
    } else {
        "\n".to_owned()
    };
    for (gate, found, held) in judged {
        let found = found.map_or_else(|| "nothing to judge".to_owned(), |found| gate.shown(found));
        _ = writeln!(
            out,
            "  {}  {gate}   found {found}",
            if *held { "ok  " } else { "FAIL" }
        );
    }
    if exit == Exit::Missed {
        _ = writeln!(out, "\ngate failed   (exit code {})", exit as u8);
    }
    out
}

fn several(
    loaded: Vec<Loaded>,
    arguments: &CompareArguments,
    rules: ComparisonSettings,
) -> Result<Exit, Trouble> {
    if !arguments.gates.is_empty() {
        return Err(Trouble::with_help(
            "a gate on changes needs two runs",
            "write `rightcall compare BEFORE AFTER --gate …`",
        ));
    }
    let mut runs: Vec<RunScores> = loaded.into_iter().map(|it| it.results).collect();
    let shared = |runs: &[RunScores]| -> BTreeSet<String> {
        let keys = |run: &RunScores| {
            run.keys()
                .into_iter()
                .map(ToOwned::to_owned)
                .collect::<BTreeSet<_>>()
        };
        runs.iter().skip(1).fold(keys(&runs[0]), |shared, run| {
            shared.intersection(&keys(run)).cloned().collect()
        })
    };
    let common = shared(&runs);
    if common.is_empty() {
        return Err(nothing_shared(&runs[0], &runs[1]));
    }
    // The evaluators that all have, in the order of the first.
    let measures: Vec<String> = runs[0]
        .measures
        .iter()
        .filter(|name| runs.iter().all(|run| run.measure(name).is_some()))
        .cloned()
        .collect();
    if measures.is_empty() {
        return Err(Trouble::new("no evaluator has judged all of them"));
    }
    for run in &mut runs {
        run.retain(&common);
        let positions: Vec<usize> = measures
            .iter()
            .filter_map(|name| run.measure(name))
            .collect();
        for case in &mut run.cases {
            case.values = positions
                .iter()
                .map(|at| case.values.get(*at).copied().unwrap_or_default())
                .collect();
        }
        run.measures.clone_from(&measures);
    }
    let comparisons = PairedComparison::with_first(&runs, rules);
    let means: Vec<Vec<Option<Interval>>> = runs.iter().map(|run| means(run, rules)).collect();
    if let ListFormat::Json = arguments.format {
        let mut writer = JsonWriter::new();
        writer.begin_object().key("runs").begin_list();
        runs.iter()
            .for_each(|run| write_run(&mut writer, run, arguments, rules));
        writer.end_list().key("comparisons").begin_list();
        for (comparison, run) in comparisons.iter().zip(&runs[1..]) {
            writer
                .begin_object()
                .key("before")
                .str(&runs[0].name)
                .key("after")
                .str(&run.name);
            write_comparison(&mut writer, comparison);
            writer.end_object();
        }
        writer.end_list().end_object();
        give(&format!("{}\n", writer.finish()))?;
        return Ok(Exit::Fine);
    }
    let mut screen = overview_screen(&runs, &comparisons, &means, rules);
    screen += &of_each(&runs.iter().collect::<Vec<_>>(), arguments, rules);
    show_last(&screen)?;
    Ok(Exit::Fine)
}

/// The mean of each evaluator over the cases.
fn means(run: &RunScores, rules: ComparisonSettings) -> Vec<Option<Interval>> {
    let mean_of = |position: usize| {
        let mut scores: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
        for case in &run.cases {
            if let Some(score) = case.values.get(position).and_then(|it| it.score) {
                scores.entry(&case.key).or_default().push(score);
            }
        }
        let of_cases: Vec<f64> = scores
            .values()
            .filter_map(|scores| rightcall_stats::mean(scores))
            .collect();
        mean_interval(&of_cases, rules.confidence)
    };
    (0..run.measures.len()).map(mean_of).collect()
}

fn write_run(
    writer: &mut JsonWriter,
    run: &RunScores,
    arguments: &CompareArguments,
    rules: ComparisonSettings,
) {
    writer
        .begin_object()
        .key("name")
        .str(&run.name)
        .key("cases")
        .count(run.keys().len())
        .key("trials")
        .count(run.cases.len());
    writer.key("evaluators").begin_list();
    for (name, mean) in run.measures.iter().zip(means(run, rules)) {
        writer.begin_object().key("evaluator").str(name);
        write_interval(writer, "mean", mean);
        writer.end_object();
    }
    writer.end_list();
    if let Some((_, repeated)) = repeated(run, arguments) {
        writer
            .key("repeated")
            .begin_object()
            .key("passed")
            .str(&pass_mark(arguments));
        write_repeated(writer, &repeated);
        writer.end_object();
    }
    if let Some(field) = &arguments.against {
        writer
            .key("against")
            .str(field)
            .key("predictions")
            .begin_list();
        for Prediction {
            label,
            cases,
            trials,
            auc,
            spearman,
            pearson,
            ..
        } in run.predictions(rules.confidence)
        {
            writer
                .begin_object()
                .key("evaluator")
                .str(&label)
                .key("cases")
                .count(cases)
                .key("trials")
                .count(trials);
            write_interval(writer, "auc", auc);
            write_interval(writer, "spearman", spearman);
            write_interval(writer, "pearson", pearson);
            writer.end_object();
        }
        writer.end_list();
    }
    writer.end_object();
}

fn write_interval(writer: &mut JsonWriter, key: &str, interval: Option<Interval>) {
    writer.key(key);
    let Some(Interval {
        estimate,
        low,
        high,
    }) = interval
    else {
        writer.null();
        return;
    };
    writer
        .begin_object()
        .key("estimate")
        .float(estimate)
        .key("low")
        .float(low)
        .key("high")
        .float(high)
        .end_object();
}

fn write_comparison(writer: &mut JsonWriter, comparison: &PairedComparison) {
    writer.key("shared").count(comparison.shared);
    for (key, only) in [
        ("only_before", &comparison.only.0),
        ("only_after", &comparison.only.1),
    ] {
        writer.key(key).begin_list();
        only.iter().for_each(|case| _ = writer.str(case));
        writer.end_list();
    }
    writer.key("evaluators").begin_list();
    for measure in comparison.measures.iter().chain([&comparison.overall]) {
        let EvaluatorChange {
            label,
            score,
            passed,
        } = measure;
        writer.begin_object().key("evaluator").str(label);
        for (key, change) in [("score", score), ("passed", passed)] {
            writer.key(key);
            match change {
                Some(change) => write_change(writer, change),
                None => _ = writer.null(),
            }
        }
        writer.end_object();
    }
    writer.end_list();
}

fn write_change(writer: &mut JsonWriter, change: &MeanChange) {
    writer
        .begin_object()
        .key("cases")
        .count(change.cases)
        .key("before")
        .float(change.before)
        .key("after")
        .float(change.after);
    write_interval(writer, "change", Some(change.change));
    writer
        .key("test")
        .str(test_name(change.test))
        .key("p")
        .float(change.p)
        .key("p_corrected")
        .float(change.corrected);
    writer
        .key("effect")
        .float(change.effect.unwrap_or(f64::NAN))
        .key("better")
        .count(change.better)
        .key("worse")
        .count(change.worse);
    writer
        .key("verdict")
        .str(verdict_name(change.verdict))
        .end_object();
}
