//! Shell completions: evaluators, formats and choices, and values from the history (runs, cases, meta keys).
//!
//! The shell runs the command itself with the variable [`VARIABLE`], so completions reflect the
//! current state.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};

use clap::Command;
use clap_complete::engine::{
    ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter,
};
use clap_complete::env::{CompleteEnv, EnvCompleter, Shells};
use rightcall_core::value::{Value, decode};
use rightcall_core::{EVALUATORS, Edition, find};
use rightcall_formats::{CHOICES, FORMATS, WRITERS};
use rightcall_report::OUTPUTS;
use rightcall_store::{CaseFilter, CaseOrder, History, PageRange, RunFilter, RunRow};

use crate::history_lookup::history_file;
use crate::maps;

/// The variable that a shell sets to request completions.
const VARIABLE: &str = "RIGHTCALL_COMPLETE";

/// The shells, by name.
pub(crate) fn shells() -> impl Iterator<Item = &'static dyn EnvCompleter> {
    const SHELLS: Shells<'static> = Shells::builtins();
    SHELLS.0.iter().copied()
}

/// The completion script of a shell.
pub(crate) fn script(shell: &dyn EnvCompleter) -> std::io::Result<String> {
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, "rightcall", "rightcall", "rightcall", &mut script)?;
    Ok(String::from_utf8_lossy(&script).into_owned())
}

/// Answers a shell's request; returns false if there was none.
pub(crate) fn answer(words: &[OsString], command: fn() -> Command) -> clap::error::Result<bool> {
    let here = std::env::current_dir().ok();
    let completion = CompleteEnv::with_factory(command).var(VARIABLE);
    completion.try_complete(words, here.as_deref())
}

/// Completed values, each with a description.
type Completions = Vec<(String, String)>;

/// Offers the values of a list, and files if `with_files` is set.
struct ListCompleter {
    list: fn(&str) -> Completions,
    with_files: bool,
}

impl ValueCompleter for ListCompleter {
    fn complete(&self, current: &OsStr) -> Vec<CompletionCandidate> {
        let typed = current.to_string_lossy();
        let offered = (self.list)(&typed).into_iter();
        let offered = offered.filter(|(value, _)| value.starts_with(&*typed));
        let mut candidates: Vec<_> = offered
            .map(|(value, about)| {
                let about = (!about.is_empty()).then(|| about.into());
                CompletionCandidate::new(value).help(about)
            })
            .collect();
        if self.with_files {
            candidates.extend(PathCompleter::any().complete(current));
        }
        candidates
    }
}

fn offer(list: fn(&str) -> Completions) -> ArgValueCompleter {
    ArgValueCompleter::new(ListCompleter {
        list,
        with_files: false,
    })
}

/// Evaluator names; after a comma, the settings of that evaluator.
pub(crate) fn evaluators() -> ArgValueCompleter {
    offer(|typed| match typed.rsplit_once(',') {
        None => evaluator_names(typed),
        Some((before, _)) => {
            let name = before.split(',').next().unwrap_or_default();
            let settings = find(name).map_or(&[][..], |entry| entry.settings);
            let setting = |it: &rightcall_core::Setting| {
                (format!("{before},{}=", it.name), it.doc.to_owned())
            };
            settings.iter().map(setting).collect()
        }
    })
}

/// Evaluator names only.
pub(crate) fn evaluator() -> ArgValueCompleter {
    offer(evaluator_names)
}

fn evaluator_names(_: &str) -> Completions {
    described(EVALUATORS, |entry| (entry.id, entry.summary))
}

/// Maps each item to a value and its description.
fn described<'l, T>(
    list: impl IntoIterator<Item = T>,
    describe: impl Fn(T) -> (&'l str, &'l str),
) -> Completions {
    let described = list.into_iter().map(describe);
    let owned = |(value, about): (&str, &str)| (value.to_owned(), about.to_owned());
    described.map(owned).collect()
}

/// Input formats.
pub(crate) fn formats() -> ArgValueCompleter {
    offer(|_| {
        described(FORMATS.iter().chain(maps::known_quietly()), |it| {
            (it.name, it.title)
        })
    })
}

/// Output formats.
pub(crate) fn outputs() -> ArgValueCompleter {
    offer(|_| described(OUTPUTS, |it| (it.name, it.about)))
}

/// Formats that `convert` writes.
pub(crate) fn writers() -> ArgValueCompleter {
    offer(|_| described(WRITERS, |it| (it.name, "")))
}

/// Keys and values of `--read`.
pub(crate) fn choices() -> ArgValueCompleter {
    offer(|_| {
        let each = CHOICES.iter().flat_map(|choice| {
            let values = choice.values.iter();
            values.map(|value| (format!("{}={value}", choice.key), choice.doc.to_owned()))
        });
        each.collect()
    })
}

/// Evaluator editions.
pub(crate) fn editions() -> ArgValueCompleter {
    const EDITIONS: [Edition; 2] = [Edition::Documented, Edition::Package];
    offer(|_| described(EDITIONS, |it| (it.as_str(), "")))
}

/// Runs of the history.
pub(crate) fn runs() -> ArgValueCompleter {
    offer(run_names)
}

/// Runs of the history, and files.
pub(crate) fn runs_or_files() -> ArgValueCompleter {
    ArgValueCompleter::new(ListCompleter {
        list: run_names,
        with_files: true,
    })
}

/// Tags of runs.
pub(crate) fn run_tags() -> ArgValueCompleter {
    offer(|_| plain(last_runs().into_iter().flat_map(|run| run.tags)))
}

/// Branches of runs.
pub(crate) fn branches() -> ArgValueCompleter {
    offer(|_| {
        plain(
            last_runs()
                .into_iter()
                .filter_map(|run| run.about.git_branch),
        )
    })
}

/// Names of cases of the last run.
pub(crate) fn cases() -> ArgValueCompleter {
    offer(|typed| {
        let filter = CaseFilter {
            label: Some(typed.to_owned()),
            ..CaseFilter::default()
        };
        let labels = || {
            let (history, run) = last_run()?;
            let list = history
                .cases(run, &filter, CaseOrder::Label, PageRange::first(CASES))
                .ok()?;
            Some(plain(list.cases.into_iter().map(|case| case.result.label)))
        };
        labels().unwrap_or_default()
    })
}

/// Causes in the last run.
pub(crate) fn causes() -> ArgValueCompleter {
    offer(|_| {
        let causes = || {
            let (history, run) = last_run()?;
            let causes = history.cause_counts(run).ok()?;
            Some(plain(causes.into_iter().map(|(cause, _)| cause)))
        };
        causes().unwrap_or_default()
    })
}

/// Meta keys of the last run's cases, and `tag`; after a comma, another one.
pub(crate) fn groupings() -> ArgValueCompleter {
    offer(|typed| {
        let before = typed.rfind(',').map_or("", |at| &typed[..=at]);
        let keys = meta_keys().into_iter().chain(["tag".to_owned()]);
        plain(keys.map(|key| format!("{before}{key}")))
    })
}

/// Meta keys of the last run's cases, each followed by `=`.
pub(crate) fn meta_values() -> ArgValueCompleter {
    offer(|_| plain(meta_keys().into_iter().map(|key| format!("{key}="))))
}

/// The maximum number of runs to offer, and of cases of a run.
const RUNS: u64 = 100;
const CASES: u64 = 200;

/// The number of cases to search for meta keys.
const SEARCHED: u64 = 20;

/// Values without a description, deduplicated.
fn plain(values: impl IntoIterator<Item = String>) -> Completions {
    let values: BTreeSet<String> = values.into_iter().collect();
    values.into_iter().map(|it| (it, String::new())).collect()
}

/// Names of runs: `latest`, numbers, branches and tags.
fn run_names(_: &str) -> Completions {
    let runs = last_runs();
    if runs.is_empty() {
        return Vec::new();
    }
    let named = |run: &RunRow| {
        let words = [
            Some(run.about.suite.as_str()),
            run.about.git_branch.as_deref(),
        ];
        let about: Vec<_> = words.into_iter().flatten().collect();
        (run.number.to_string(), about.join(" on "))
    };
    let words = runs
        .iter()
        .flat_map(|run| run.about.git_branch.iter().chain(&run.tags));
    let mut offered = plain(
        words
            .cloned()
            .chain(["latest".to_owned(), "latest~1".to_owned()]),
    );
    offered.extend(runs.iter().map(named));
    offered
}

/// The last runs, latest first; empty without a readable history.
fn last_runs() -> Vec<RunRow> {
    let history = History::open_to_read(&history_file(None));
    let runs = history.and_then(|it| it.runs(&RunFilter::default(), PageRange::first(RUNS)));
    runs.unwrap_or_default()
}

/// The history and the number of its last run; `None` without a readable history.
fn last_run() -> Option<(History, i64)> {
    let history = History::open_to_read(&history_file(None)).ok()?;
    let last = history.runs(&RunFilter::default(), PageRange::first(1));
    let run = last.ok()?.first()?.number;
    Some((history, run))
}

/// The meta keys of the first cases in the last run.
fn meta_keys() -> BTreeSet<String> {
    let keys = || {
        let (history, run) = last_run()?;
        let first = PageRange::first(SEARCHED);
        let list = history
            .cases(run, &CaseFilter::default(), CaseOrder::Input, first)
            .ok()?;
        let mut keys = BTreeSet::new();
        for row in list.cases {
            let case = history.case(run, row.number).ok()??;
            let meta = case.case.as_ref().and_then(|kept| kept.meta.as_deref());
            if let Some(Ok(Value::Object(members))) = meta.map(decode) {
                keys.extend(members.iter().map(|(key, _)| key.to_display().into_owned()));
            }
        }
        Some(keys)
    };
    keys().unwrap_or_default()
}
