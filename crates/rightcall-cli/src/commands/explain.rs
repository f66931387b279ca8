//! `rightcall explain`: one case in full.

use std::borrow::Cow;
use std::path::PathBuf;

use clap::Args;
use rightcall::call::{Case, Expectation};
use rightcall::value::{Value, decode};
use rightcall::{Ask, Edition, PreparedCase};
use rightcall_formats::ReadOptions;
use rightcall_formats::join::TraceIndex;
use rightcall_report::{Explained, ExplainedResult, explain_json, explain_screen};
use rightcall_run::{
    Configured, EvaluatorArgument, FoundCase, Plan, Redaction, Search, Suite, SuiteOptions, Traces,
    find,
};

use super::read_suite;
use crate::arguments::{Effort, InputArguments, Joining, ListFormat, parse_edition};
use crate::exit::Exit;
use crate::messages::{Trouble, give, show, warn_of_near_keys};
use crate::scoring::threads;

#[derive(Debug, Args)]
pub(crate) struct ExplainArguments {
    /// A file of cases, with evaluators by -e, or a suite
    #[arg(value_name = "FILE")]
    pub(crate) file: PathBuf,
    /// The profile of the suite
    #[arg(long, value_name = "NAME", conflicts_with = "evaluators")]
    pub(crate) profile: Option<String>,
    /// Id of the case, or `FILE:LINE` of one without
    #[arg(long, value_name = "ID")]
    pub(crate) case: String,
    /// Which trial of the case, where there are several [default: the first]
    #[arg(long, value_name = "TRIAL")]
    pub(crate) trial: Option<String>,
    /// An evaluator with its settings, as `score` takes it
    #[arg(short, long = "evaluator", value_name = "EVALUATOR[,KEY=VALUE…]")]
    pub(crate) evaluators: Vec<String>,
    /// Files with the runs, joined to the cases by id
    #[arg(long, value_name = "FILES", num_args = 1..)]
    pub(crate) traces: Vec<PathBuf>,
    /// Cut nothing
    #[arg(long)]
    pub(crate) full: bool,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
    /// What evaluators follow where document and package differ: documented or package
    #[arg(long, value_name = "EDITION", value_parser = parse_edition)]
    pub(crate) edition: Option<Edition>,
    #[command(flatten)]
    pub(crate) effort: Effort,
    #[command(flatten)]
    pub(crate) joining: Joining,
    #[command(flatten)]
    pub(crate) input: InputArguments,
}

pub(crate) fn explain(arguments: &ExplainArguments) -> Result<Exit, Trouble> {
    let plan = plan(arguments)?;
    let search = find(&plan, &arguments.case)?;
    let found = match &arguments.trial {
        None => search.found.first(),
        Some(trial) => search
            .found
            .iter()
            .find(|found| found.trial.as_deref().is_some_and(|it| is_trial(it, trial))),
    };
    let Some(found) = found else {
        return Err(not_found(arguments, &search));
    };
    let trials: Vec<_> = search
        .found
        .iter()
        .filter_map(|found| found.trial.clone())
        .collect();
    let text = draw(&plan, found, &trials, arguments);
    let text = text.ok_or_else(|| {
        Trouble::new(format!(
            "{}:{}: the case changed while it was read",
            found.file, found.line
        ))
    })?;
    match arguments.format {
        ListFormat::Table => show(&text)?,
        ListFormat::Json => give(&text)?,
    }
    Ok(Exit::Fine)
}

/// What to look through, and what to ask.
fn plan(arguments: &ExplainArguments) -> Result<Plan, Trouble> {
    let configured = |text: &String| -> Result<Configured, Trouble> {
        Ok(Configured::new(
            EvaluatorArgument::parse(text)?,
            arguments.edition,
        )?)
    };
    let (mut choices, mut join) = (Vec::new(), None);
    let (inputs, traces, evaluators, expected, redaction) = if arguments.evaluators.is_empty() {
        let suite = suite(arguments)?;
        (choices, join) = (suite.read, suite.join);
        let traces = [&suite.traces[..], &arguments.traces].concat();
        (
            suite.cases,
            traces,
            suite.evaluators,
            suite.expected,
            suite.redaction,
        )
    } else {
        let evaluators = arguments
            .evaluators
            .iter()
            .map(configured)
            .collect::<Result<_, _>>()?;
        (
            vec![arguments.file.clone()],
            arguments.traces.clone(),
            evaluators,
            Vec::new(),
            Redaction::default(),
        )
    };
    let (reading, of_traces) = arguments.input.readings_with(
        &choices,
        arguments.joining.join.or(join),
        !traces.is_empty(),
    );
    let reading = ReadOptions {
        max_comparisons: arguments.effort.max_comparisons,
        ..reading
    };
    let limits = arguments.input.limits();
    let traces = if traces.is_empty() {
        None
    } else {
        let index = TraceIndex::build(&traces, limits, &of_traces, threads(None), |_| {})?;
        Some(Traces {
            index,
            files: traces,
            reading: of_traces,
            left_out: 0,
        })
    };
    Ok(Plan {
        traces,
        expected,
        evaluators,
        redaction,
        ..Plan::new(inputs, reading, limits)
    })
}

fn suite(arguments: &ExplainArguments) -> Result<Suite, Trouble> {
    let file = &arguments.file;
    let ending = file
        .extension()
        .and_then(|ending| ending.to_str())
        .unwrap_or_default();
    if !matches!(ending, "yaml" | "yml" | "json") {
        let help = "name one with -e, such as `-e trajectory`; `rightcall evaluators` lists them";
        return Err(Trouble::with_help(
            format!("{}: which evaluator is to judge the case?", file.display()),
            help,
        ));
    }
    let options = SuiteOptions {
        edition: arguments.edition,
        profile: arguments.profile.clone(),
        limits: arguments.input.limits(),
    };
    read_suite(file, &options)
}

/// Whether a trial, as JSON text, is the one that the user wrote.
fn is_trial(trial: &str, written: &str) -> bool {
    trial == written
        || matches!(decode(trial), Ok(Value::String(text)) if *text.to_display() == *written)
}

fn not_found(arguments: &ExplainArguments, search: &Search) -> Trouble {
    let (file, case) = (arguments.file.display(), &arguments.case);
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
                format!("there are the trials {}", trials.join(", "))
            };
            Trouble::with_help(format!("{file}: case `{case}` has no trial {trial}"), help)
        }
        _ if search.near.is_empty() => Trouble::new(format!("{file}: there is no case `{case}`")),
        _ => {
            let near: Vec<_> = search.near.iter().map(|name| format!("`{name}`")).collect();
            Trouble::with_help(
                format!("{file}: there is no case `{case}`"),
                format!("did you mean {}?", near.join(" or ")),
            )
        }
    }
}

/// The case as text; `None` if it cannot be read again.
fn draw(
    plan: &Plan,
    found: &FoundCase,
    trials: &[String],
    arguments: &ExplainArguments,
) -> Option<String> {
    let place = format!("{}:{}", found.file, found.line);
    plan.look_again(
        (&found.text, found.number),
        found.trial.as_deref(),
        |real, case| {
            real.near_keys
                .iter()
                .for_each(|(key, meant)| warn_of_near_keys([(&*key.to_display(), *meant, 1)]));
            let results: Vec<_> = plan
                .evaluators
                .iter()
                .map(|configured| result(plan, configured, (real, case)))
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
        },
    )
}

fn result<'c>(
    plan: &Plan,
    configured: &Configured,
    (case, shown): (&Case<'_>, &'c Case<'c>),
) -> ExplainedResult<'c> {
    let ask = Ask {
        explanation: true,
        ..Ask::OUTCOME
    };
    let evaluation = plan.evaluate(configured, &PreparedCase::new(case), shown, ask);
    let other = configured.in_other_edition().and_then(|other| {
        let view = configured.view(case).ok()?;
        Some((other.edition(), other.evaluate(&view, Ask::OUTCOME).outcome))
    });
    // What other evaluators are to judge is no expectation of this one.
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
