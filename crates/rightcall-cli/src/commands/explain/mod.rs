//! `rightcall explain`: one case in full.

mod kept;
mod pick;
mod place;
mod since;
mod why_not;

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use clap::Args;
use rightcall_core::call::{Case, Expectation};
use rightcall_core::{Ask, Edition, PreparedCase};
use rightcall_formats::join::RunIdentity;
use rightcall_formats::{Inspection, ReadOptions};
use rightcall_report::{Explained, ExplainedResult, explain_json, explain_screen, warnings};
use rightcall_results::EvaluationResult;
use rightcall_run::{
    Configured, FoundCase, Plan, Search, Selection, Suite, SuiteOptions, SuiteReading,
    expectations_in, find, is_same_outcome,
};

use super::suite_file::suite_file;
use super::{file_called, read_suite, traces_of};
use crate::arguments::{
    Effort, HistoryArguments, InputArguments, Joining, ListFormat, configured, filter,
    parse_edition, parse_where,
};
use crate::completing;
use crate::exit::Exit;
use crate::history_lookup::is_trial;
use crate::messages::{Trouble, give, note, show, warn};
use crate::nothing_selected::ids;
use crate::scoring::{index, threads};
use pick::pick;
use place::CasePlace;

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// A run of the history (`latest`, a number, a branch, a tag), a suite, a file of cases with evaluators by -e, or `FILE:LINE`
    #[arg(value_name = "RUN|FILE", default_value = "latest", add = completing::runs_or_files())]
    pub(crate) target: String,
    /// The profile of the suite
    #[arg(long, value_name = "NAME", conflicts_with = "evaluators")]
    pub(crate) profile: Option<String>,
    /// Id of the case, or `FILE:LINE` of one without [default: the worst]
    #[arg(long, value_name = "ID", add = completing::cases())]
    pub(crate) case: Option<String>,
    /// The worst case with this cause, or with the only cause that has this text in it, such as "refund: amount"
    #[arg(long, value_name = "TEXT", conflicts_with = "case", add = completing::causes())]
    pub(crate) cause: Option<String>,
    /// Look only at runs of this suite [default: the suite of the last run]
    #[arg(long, value_name = "SUITE")]
    pub(crate) suite: Option<PathBuf>,
    /// Which trial of the case, where there are several [default: the first]
    #[arg(long, value_name = "TRIAL")]
    pub(crate) trial: Option<String>,
    /// An evaluator with its settings, as `score` takes it
    #[arg(short, long = "evaluator", value_name = "EVALUATOR[,KEY=VALUE…]", add = completing::evaluators())]
    pub(crate) evaluators: Vec<String>,
    /// Only cases with this meta value, such as model=gpt-4o; given again for the same key, with any of them
    #[arg(long = "where", value_name = "KEY=VALUE", value_parser = parse_where)]
    pub(crate) meta: Vec<(String, String)>,
    /// Files with the runs, joined to the cases by id
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) traces: Vec<PathBuf>,
    /// A JSON or YAML file with the expectation for runs without their own, as `score` takes it
    #[arg(long, value_name = "FILE", requires = "evaluators")]
    pub(crate) expect: Option<PathBuf>,
    /// Show the smallest change to the run that reaches this score, 1 if none is given, and a small change to the expectation
    #[arg(long, value_name = "SCORE", num_args = 0..=1, default_missing_value = "1", value_parser = why_not::parse_score)]
    pub(crate) why_not: Option<f64>,
    /// Do not shorten anything
    #[arg(long)]
    pub(crate) full: bool,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
    /// Which numbers to use where document and package differ: documented or package
    #[arg(long, value_name = "EDITION", value_parser = parse_edition, add = completing::editions())]
    pub(crate) edition: Option<Edition>,
    #[command(flatten)]
    pub(crate) history: HistoryArguments,
    #[command(flatten)]
    pub(crate) effort: Effort,
    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

pub(crate) fn explain(arguments: &ExplainArguments) -> Result<Exit, Trouble> {
    let target = &arguments.target;
    if let Some(path) = file_called(target) {
        let is_folder_of_suite = arguments.evaluators.is_empty() && path.is_dir();
        let suite = is_folder_of_suite.then(|| suite_file(Some(path)));
        let suite = suite.transpose()?;
        return explain_in(suite.as_deref().unwrap_or(path), None, arguments);
    }
    match CasePlace::parse(target) {
        Some(place) if !arguments.evaluators.is_empty() => {
            explain_in(Path::new(place.file), Some(place), arguments)
        }
        Some(place) => kept::explain_place(place, arguments),
        None if is_like_a_file(target) || !arguments.evaluators.is_empty() => {
            explain_in(Path::new(target), None, arguments)
        }
        None => kept::explain(target, arguments),
    }
}

/// True if a name has the extension of a suite or a case file.
fn is_like_a_file(name: &str) -> bool {
    let ending = Path::new(name)
        .extension()
        .and_then(|ending| ending.to_str());
    ending.is_some_and(|ending| matches!(ending, "yaml" | "yml" | "json" | "jsonl" | "ndjson"))
}

/// Explains a case of a suite or file: the named case, the case at a line, or the worst.
fn explain_in(
    file: &Path,
    place: Option<CasePlace<'_>>,
    arguments: &ExplainArguments,
) -> Result<Exit, Trouble> {
    let plan = plan(file, arguments)?;
    let picked = match &arguments.case {
        Some(_) => None,
        None => Some(
            pick(&plan, place, arguments.cause.as_deref())?
                .ok_or_else(|| no_case(file, place, arguments))?,
        ),
    };
    let named = arguments.case.as_ref();
    let case = named.or(picked.as_ref().map(|it| &it.label));
    let case = case.cloned().unwrap_or_default();
    let search = find(&plan, &case)?;
    let is_meant = |found: &&FoundCase| {
        let trial = found.trial.as_deref();
        let is_trial = |wanted: &String| trial.is_some_and(|trial| is_trial(trial, wanted));
        match (&picked, &arguments.trial) {
            (Some(picked), None) => picked.is(found),
            (_, wanted) => {
                place.is_none_or(|place| place.matches(&found.label, found.line))
                    && wanted.as_ref().is_none_or(is_trial)
            }
        }
    };
    let Some(found) = search.found.iter().find(is_meant) else {
        return Err(not_found(file, &case, arguments, (&plan, &search)));
    };
    let same_variant = search.found.iter();
    let same_variant = same_variant.filter(|it| it.variant == found.variant);
    let trials: Vec<_> = same_variant.filter_map(|it| it.trial.clone()).collect();
    note_variants(found, &search);
    print_explanation(&plan, found, &trials, &Record::default(), arguments)
}

fn no_case(file: &Path, place: Option<CasePlace<'_>>, arguments: &ExplainArguments) -> Trouble {
    let message = match place {
        Some(place) => format!("there is no case at {place}"),
        None => format!("{}: there is no case", file.display()),
    };
    match (&arguments.cause, arguments.meta.is_empty()) {
        (Some(cause), _) => {
            let help = format!("no case has a cause with `{cause}` in it");
            Trouble::with_help(message, help)
        }
        (None, false) => {
            Trouble::with_help(message, "no case has the values that --where asks for")
        }
        (None, true) => {
            let file = file.display();
            let help = format!("`rightcall inspect {file}` shows what the file holds");
            Trouble::with_help(message, help)
        }
    }
}

/// Mentions other runs of the case, such as another model's.
fn note_variants(found: &FoundCase, search: &Search) {
    let mut others = Vec::new();
    for other in search.found.iter().filter(|it| it.variant != found.variant) {
        let values = other.variant.iter().flatten();
        let differing = values.filter(|pair| !found.variant.iter().flatten().any(|it| it == *pair));
        let options = differing.map(|(key, value)| format!("--where {key}={value}"));
        let options = options.collect::<Vec<_>>().join(" ");
        if !options.is_empty() && !others.contains(&options) {
            others.push(options);
        }
    }
    print_others(&others);
}

/// Prints the options that choose other runs of a case.
fn print_others(others: &[String]) {
    if !others.is_empty() {
        let (shown, all) = (others.len().min(OTHERS), others.len());
        let more = if all > shown { ", …" } else { "" };
        let others = others[..shown].join(", ");
        note(&format!("the case has other runs too: {others}{more}"));
    }
}

/// The maximum number of other runs to mention.
const OTHERS: usize = 5;

/// The recorded results of a case; empty if the case is judged now.
#[derive(Default)]
struct Record {
    /// A summary of its run.
    head: String,
    /// The recorded results, one for each evaluator.
    evaluations: Vec<EvaluationResult>,
}

/// Prints a case.
fn print_explanation(
    plan: &Plan,
    found: &FoundCase,
    trials: &[String],
    record: &Record,
    arguments: &ExplainArguments,
) -> Result<Exit, Trouble> {
    let text = draw(plan, found, trials, &record.evaluations, arguments);
    let text = text.ok_or_else(|| {
        Trouble::new(format!(
            "{}:{}: the case changed while it was read",
            found.file, found.line
        ))
    })?;
    match arguments.format {
        ListFormat::Table => show(&format!("{}{text}", record.head))?,
        ListFormat::Json => give(&text)?,
    }
    Ok(Exit::Success)
}

/// The plan for a file: what to read, and the evaluators to apply.
fn plan(file: &Path, arguments: &ExplainArguments) -> Result<Plan, Trouble> {
    let is_suite = arguments.evaluators.is_empty();
    let limits = arguments.input.limits();
    let mut suite = if is_suite {
        suite(file, arguments)?
    } else {
        let expect = arguments.expect.as_ref();
        let expected = expect.map(|file| expectations_in(file, limits.max_document));
        Suite {
            cases: vec![file.to_owned()],
            evaluators: configured(&arguments.evaluators, arguments.edition)?,
            expected: expected.transpose()?.unwrap_or_default(),
            ..Suite::default()
        }
    };
    let join = arguments.joining.join.or(suite.join);
    let of_suite = SuiteReading {
        join,
        ..SuiteReading::of(&suite)
    };
    let traces = traces_of(&mut suite, file, &arguments.traces)?;
    let (reading, of_traces) = arguments
        .input
        .readings_with(&of_suite, join, !traces.is_empty());
    let reading = ReadOptions {
        max_comparisons: arguments.effort.max_comparisons,
        ..reading
    };
    // Keys of `--where` distinguish runs, like the keys that `score` groups by.
    let where_keys = arguments.meta.iter().map(|(key, _)| key);
    let identity: Vec<_> = suite.identity.iter().chain(where_keys).cloned().collect();
    Ok(Plan {
        traces: index(
            traces,
            of_traces,
            limits,
            threads(None),
            &RunIdentity::new(identity.clone()),
            None,
        )?,
        identity,
        expected: suite.expected,
        evaluators: suite.evaluators,
        gates: suite.gates,
        selection: Selection {
            only: filter(&[], &arguments.meta),
            ..Selection::default()
        },
        case_rule: is_suite.then_some(suite.case_rule),
        redaction: suite.redaction,
        ..Plan::new(suite.cases, reading, limits)
    })
}

fn suite(file: &Path, arguments: &ExplainArguments) -> Result<Suite, Trouble> {
    let ending = file
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    if !matches!(ending, "yaml" | "yml" | "json") {
        let help = "name one with -e, such as `-e trajectory`; `rightcall evaluators` lists them";
        return Err(Trouble::with_help(
            format!("{}: which evaluator should judge the case?", file.display()),
            help,
        ));
    }
    let options = SuiteOptions {
        edition: arguments.edition,
        profile: arguments.profile.clone(),
        limits: arguments.input.limits(),
        ..SuiteOptions::default()
    };
    read_suite(file, &options)
        .map_err(|error| error_without_evaluator(file, arguments).unwrap_or(error))
}

/// The error for a file of cases or traces without an evaluator, with advice.
fn error_without_evaluator(file: &Path, arguments: &ExplainArguments) -> Option<Trouble> {
    let limits = arguments.input.limits();
    let found =
        Inspection::from_file(file, limits, &ReadOptions::default(), &mut |_, _| {}).ok()?;
    let title = found.format.filter(|_| found.trajectories > 0)?.title;
    Some(Trouble::with_help(
        format!("{}: which evaluator should judge the case?", file.display()),
        format!("these are {title}: name an evaluator with -e, such as `-e trajectory`"),
    ))
}

fn not_found(
    file: &Path,
    case: &str,
    arguments: &ExplainArguments,
    (plan, search): (&Plan, &Search),
) -> Trouble {
    let file = file.display();
    match (&arguments.trial, &search.found[..]) {
        (Some(trial), [_, ..]) => {
            let trials: Vec<_> = search
                .found
                .iter()
                .filter_map(|found| found.trial.as_deref())
                .collect();
            let help = if trials.is_empty() {
                "the case has no trials: leave --trial out".to_owned()
            } else {
                format!("the trials are {}", trials.join(", "))
            };
            Trouble::with_help(format!("{file}: case `{case}` has no trial {trial}"), help)
        }
        _ if search.near.is_empty() => Trouble::with_help(
            format!("{file}: there is no case `{case}`"),
            ids(plan, case),
        ),
        _ => {
            let near: Vec<_> = search.near.iter().map(|name| format!("`{name}`")).collect();
            Trouble::with_help(
                format!("{file}: there is no case `{case}`"),
                format!("did you mean {}?", near.join(" or ")),
            )
        }
    }
}

/// The case as text; `None` if the case changed since it was found.
fn draw(
    plan: &Plan,
    found: &FoundCase,
    trials: &[String],
    recorded: &[EvaluationResult],
    arguments: &ExplainArguments,
) -> Option<String> {
    let place = format!("{}:{}", found.file, found.line);
    plan.look_again(found, |real, case| {
        let near = real.near_keys.iter();
        let near = near.map(|(key, meant)| (key.to_display().into_owned(), (*meant, 1)));
        warn(warnings::near_keys(&near.collect()));
        let results: Vec<_> = plan
            .evaluators
            .iter()
            .enumerate()
            .map(|(at, configured)| {
                let recorded = recorded.get(at);
                let mut result = result(plan, configured, (real, case), recorded);
                result.why_not = arguments.why_not.map(|target| {
                    why_not::view(plan, configured, real, &result.evaluation, target)
                });
                result
            })
            .collect();
        let explained = Explained {
            case,
            label: &found.label,
            place: &place,
            trials,
            results: &results,
            full: arguments.full,
        };
        match arguments.format {
            ListFormat::Table => explain_screen(&explained),
            ListFormat::Json => format!("{}\n", explain_json(&explained)),
        }
    })
}

fn result<'c>(
    plan: &Plan,
    configured: &Configured,
    (case, shown): (&Case<'_>, &'c Case<'c>),
    recorded: Option<&EvaluationResult>,
) -> ExplainedResult<'c> {
    let ask = Ask {
        explanation: true,
        details: true,
        ..Ask::OUTCOME
    };
    let mut evaluation = plan.evaluate(configured, &PreparedCase::new(case), shown, ask);
    let mut other = configured.in_other_edition().and_then(|other| {
        let view = configured.view(case).ok()?;
        Some((other.edition(), other.evaluate(&view, Ask::OUTCOME).outcome))
    });
    // A redacted case may score differently when judged again, so the recorded result is shown.
    let is_other = |it: &&EvaluationResult| !is_same_outcome(&it.outcome, &evaluation.outcome);
    if let Some(recorded) = recorded.filter(is_other) {
        evaluation.outcome.clone_from(&recorded.outcome);
        evaluation.passed = recorded.passed;
        evaluation.explanation.clone_from(&recorded.explanation);
        other = None;
    }
    // An evaluator that cannot use this kind of expectation shows the case without one.
    let without = || {
        Cow::Owned(Case {
            expected: Expectation::default(),
            ..shown.clone()
        })
    };
    ExplainedResult::new(
        configured,
        configured.view(shown).unwrap_or_else(|_| without()),
        evaluation,
        other,
    )
}
