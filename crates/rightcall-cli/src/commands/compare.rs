//! `rightcall compare`: runs and files, case by case.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::Args;
use rightcall::Edition;
use rightcall_report::{
    ComparedRun, ComparisonOptions, JudgedGate, alignment_changes, comparison_screen,
    overview_json, overview_screen, own_screen, pair_json, printable, run_json, size,
};
use rightcall_run::{CaseKey, ChangeGate, Plan, ResultsError, ResultsOptions, read_results};
use rightcall_stats::{ComparisonSettings, MovedCase, PairedComparison, RunScores};
use rightcall_store::{HISTORY, History, Reference, RunFilter};

use super::{exported_run, file_called};
use crate::arguments::{InputArguments, ListFormat, configured, parse_edition, parse_number};
use crate::exit::Exit;
use crate::messages::{ProblemCounter, Trouble, give, show_last, state, warning};
use crate::scoring::{threads, write_baseline};

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
    parse_number(text.trim_end_matches('%'), &(50.0..=99.9))
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

pub(crate) fn compare(arguments: &CompareArguments) -> Result<Exit, Trouble> {
    let outside = |mark: &f64| !(0.0..=1.0).contains(mark);
    if let (Some(mark), None) = (arguments.pass_mark.filter(outside), &arguments.against) {
        let help = "--against FIELD compares the mark with a number of the cases, which may be any";
        return Err(Trouble::with_help(
            format!("--pass-mark {mark}: a score is a number from 0 to 1"),
            help,
        ));
    }
    let results_options = ResultsOptions {
        key: arguments.key.clone(),
        field: arguments.against.clone(),
        limits: arguments.input.limits(),
    };
    let options = ComparisonOptions {
        settings: ComparisonSettings {
            confidence: arguments.confidence / 100.0,
            margin: arguments.margin,
        },
        from: arguments.pass_mark,
        against: arguments.against.clone(),
    };
    let mut runs: Vec<ComparedRun> = arguments
        .runs
        .iter()
        .map(|name| load(name, arguments, &results_options))
        .collect::<Result<_, _>>()?;
    shorten_names(&mut runs);
    let has_field = |run: &ComparedRun| run.scores.cases.iter().any(|case| case.field.is_some());
    if let Some(field) = &arguments.against
        && !runs.iter().any(has_field)
    {
        let help = "name a meta value that is a number, such as reward; result files hold meta values if written with --explain";
        return Err(Trouble::with_help(
            format!("no case has a number `{field}`"),
            help,
        ));
    }
    if let Some(path) = &arguments.accept {
        return accept(&runs, path);
    }
    if let [before, after] = &runs[..] {
        return two(before, after, &arguments.gates, &options, arguments.format);
    }
    if !arguments.gates.is_empty() {
        return Err(Trouble::with_help(
            "a gate on changes needs two runs",
            "write `rightcall compare BEFORE AFTER --gate …`",
        ));
    }
    if let [one] = &runs[..] {
        return alone(&one.scores, &options, arguments.format);
    }
    let runs = runs.into_iter().map(|run| run.scores).collect();
    several(runs, &options, arguments.format)
}

/// Files go by their names alone where these tell them apart.
fn shorten_names(runs: &mut [ComparedRun]) {
    let last = |name: &str| name.rsplit('/').next().unwrap_or(name).to_owned();
    let short: BTreeSet<String> = runs.iter().map(|run| last(&run.scores.name)).collect();
    if short.len() == runs.len() {
        runs.iter_mut()
            .for_each(|run| run.scores.name = last(&run.scores.name));
    }
}

fn accept(runs: &[ComparedRun], path: &Path) -> Result<Exit, Trouble> {
    let [ComparedRun { scores, .. }] = runs else {
        return Err(Trouble::with_help(
            "--accept takes one run",
            "write `rightcall compare latest --accept baseline.jsonl`",
        ));
    };
    write_baseline(scores, path)?;
    state(&format!(
        "{} ({}) is the baseline in {}\n",
        scores.name,
        size(scores),
        path.display()
    ))?;
    Ok(Exit::Fine)
}

fn load(
    name: &str,
    arguments: &CompareArguments,
    options: &ResultsOptions,
) -> Result<ComparedRun, Trouble> {
    let Some(path) = file_called(name) else {
        let history = History::open_to_read(&arguments.history)?;
        let run = history.find(&Reference::parse(name), &RunFilter::default())?;
        return stored(history, run.number, options);
    };
    if !arguments.evaluators.is_empty() {
        return score(path, arguments, options);
    }
    if let Some((history, run)) = exported_run(path)? {
        let mut loaded = stored(history, run.number, options)?;
        loaded.scores.name = path.display().to_string();
        return Ok(loaded);
    }
    let scores = read_results(path, options).map_err(|error| {
        let message = format!("{}: {error}", path.display());
        let help = "write results with `-o results.jsonl`; to compare files of cases or traces, name evaluators with -e";
        match error {
            ResultsError::Other { .. } => Trouble::with_help(message, help),
            ResultsError::Io(_) => Trouble::new(message),
        }
    })?;
    Ok(ComparedRun::from_scores(scores))
}

fn stored(history: History, run: i64, options: &ResultsOptions) -> Result<ComparedRun, Trouble> {
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
    Ok(ComparedRun::from_history(history, run, options)?)
}

/// Scores a file of cases or traces.
fn score(
    path: &Path,
    arguments: &CompareArguments,
    options: &ResultsOptions,
) -> Result<ComparedRun, Trouble> {
    let plan = Plan {
        evaluators: configured(&arguments.evaluators, arguments.edition)?,
        threads: threads(None),
        ..Plan::new(
            vec![path.to_owned()],
            arguments.input.reading(),
            arguments.input.limits(),
        )
    };
    let mut problems = ProblemCounter::default();
    let name = path.display().to_string();
    let run = ComparedRun::from_plan(name, &plan, options, &mut problems)?;
    if problems.0 > 0 {
        let message = format!("{}: not all of it could be read", path.display());
        return Err(Trouble::new(message));
    }
    Ok(run)
}

fn alone(
    scores: &RunScores,
    options: &ComparisonOptions,
    format: ListFormat,
) -> Result<Exit, Trouble> {
    if let ListFormat::Json = format {
        give(&format!("{}\n", run_json(scores, options)))?;
        return Ok(Exit::Fine);
    }
    let own = own_screen(&[scores], options);
    if own.is_empty() {
        let help =
            "name two runs; or a run with several trials of its cases; or a field with --against";
        return Err(Trouble::with_help(
            format!("{}: there is nothing to compare it with", scores.name),
            help,
        ));
    }
    let name = printable(&scores.name);
    show_last(&format!("{name} ({})\n{own}", size(scores)))?;
    Ok(Exit::Fine)
}

fn nothing_shared(before: &RunScores, after: &RunScores) -> Trouble {
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

fn two(
    before: &ComparedRun,
    after: &ComparedRun,
    gates: &[ChangeGate],
    options: &ComparisonOptions,
    format: ListFormat,
) -> Result<Exit, Trouble> {
    let runs = [&before.scores, &after.scores];
    let comparison = PairedComparison::between(runs[0], runs[1], options.settings);
    if comparison.shared == 0 {
        return Err(nothing_shared(runs[0], runs[1]));
    }
    if comparison.measures.is_empty() {
        let [first, second] = runs.map(|scores| scores.measures.join(", "));
        let help = format!("the first has {first}; the second {second}");
        return Err(Trouble::with_help("no evaluator has judged both", help));
    }
    let gates: Vec<_> = gates
        .iter()
        .map(|gate| judge(gate, &comparison))
        .collect::<Result<_, _>>()?;
    let exit = if gates.iter().all(|judged| judged.held) {
        Exit::Fine
    } else {
        Exit::Missed
    };
    let about = |moved: &MovedCase| alignment_changes(before, after, moved);
    if let ListFormat::Json = format {
        let document = pair_json(runs, options, &comparison, &about, &gates);
        give(&format!("{document}\n"))?;
        return Ok(exit);
    }
    let sides = (runs[0], runs[1]);
    let mut screen = comparison_screen(sides, &comparison, options.settings, &about);
    let own = own_screen(&runs, options);
    if !own.is_empty() && comparison.only != (Vec::new(), Vec::new()) {
        screen += "\n  what follows is of all cases of a run, of those in one run alone too\n";
    }
    screen += &own;
    screen += &gate_lines(&gates, exit);
    show_last(&screen)?;
    Ok(exit)
}

fn judge<'g>(
    gate: &'g ChangeGate,
    comparison: &PairedComparison,
) -> Result<JudgedGate<'g>, Trouble> {
    let (found, held) = gate.judge(comparison).map_err(|names| {
        Trouble::with_help(
            format!("--gate: no evaluator goes by `{}`", gate.subject),
            format!("there is {}", names.join(", ")),
        )
    })?;
    Ok(JudgedGate { gate, found, held })
}

fn gate_lines(gates: &[JudgedGate<'_>], exit: Exit) -> String {
    let mut out = String::new();
    for JudgedGate { gate, found, held } in gates {
        let found = found.map_or_else(|| "nothing to judge".to_owned(), |found| gate.shown(found));
        let word = if *held { "ok  " } else { "FAIL" };
        _ = writeln!(out, "  {word}  {gate}   found {found}");
    }
    if !out.is_empty() {
        out.insert(0, '\n');
    }
    if exit == Exit::Missed {
        _ = writeln!(out, "\ngate failed   (exit code {})", exit as u8);
    }
    out
}

fn several(
    mut runs: Vec<RunScores>,
    options: &ComparisonOptions,
    format: ListFormat,
) -> Result<Exit, Trouble> {
    if !RunScores::keep_common(&mut runs) {
        return Err(nothing_shared(&runs[0], &runs[1]));
    }
    if runs[0].measures.is_empty() {
        return Err(Trouble::new("no evaluator has judged all of them"));
    }
    let comparisons = PairedComparison::with_first(&runs, options.settings);
    if let ListFormat::Json = format {
        let document = overview_json(&runs, options, &comparisons);
        give(&format!("{document}\n"))?;
        return Ok(Exit::Fine);
    }
    let mut screen = overview_screen(&runs, &comparisons, options.settings.confidence);
    screen += &own_screen(&runs.iter().collect::<Vec<_>>(), options);
    show_last(&screen)?;
    Ok(Exit::Fine)
}
