//! `rightcall history`: lists and manages recorded runs.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};

use clap::{Args, Subcommand};
use rightcall_core::value::JsonWriter;
use rightcall_report::{count, run_list, unfinished_list};
use rightcall_run::{ExistingFile, OutputFiles, OutputKind};
use rightcall_store::{
    History, Imported, PageRange, Prune, Reference, RunFilter, RunRow, StoreError,
};

use crate::arguments::ListFormat;
use crate::clock;
use crate::completing;
use crate::exit::Exit;
use crate::history_lookup::{history_file, history_files, suite_key};
use crate::messages::{Trouble, give, show, state};

#[derive(Debug, Args)]
pub(crate) struct HistoryCommandArguments {
    #[command(subcommand)]
    pub(crate) action: Option<HistoryAction>,
    /// Only runs of this suite
    #[arg(long, value_name = "SUITE")]
    pub(crate) suite: Option<String>,
    /// Only runs of this branch
    #[arg(long, value_name = "NAME", add = completing::branches())]
    pub(crate) branch: Option<String>,
    /// Only runs with this tag
    #[arg(long, value_name = "TAG", add = completing::run_tags())]
    pub(crate) tag: Option<String>,
    /// Only runs since a day such as 2026-11-21, a time such as 2026-11-21T16:00Z, or the last 12h, 7d
    #[arg(long, value_name = "TIME", value_parser = clock::parse_since)]
    pub(crate) since: Option<i64>,
    /// Only runs with a case that has this text in one of its causes
    #[arg(long, value_name = "TEXT", add = completing::causes())]
    pub(crate) cause: Option<String>,
    /// Runs at most
    #[arg(short = 'n', long, value_name = "N", default_value = "20")]
    pub(crate) limit: u64,
    /// For people or for machines
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    pub(crate) format: ListFormat,
    /// The history file [default: .rightcall/history.db, here or in a folder above]
    #[arg(long = "history", value_name = "FILE", global = true)]
    pub(crate) path: Option<PathBuf>,
}

/// A run is named by its number, a branch, a tag, `latest` or `latest~1`.
#[derive(Debug, Subcommand)]
pub(crate) enum HistoryAction {
    /// Give a run a tag; a tagged run is not pruned
    Tag {
        /// Number, branch, tag, `latest` or `latest~1`
        #[arg(add = completing::runs())]
        run: String,
        /// The tag
        tag: String,
    },
    /// Remove a tag from a run
    Untag {
        /// Number, branch, tag, `latest` or `latest~1`
        #[arg(add = completing::runs())]
        run: String,
        /// The tag
        tag: String,
    },
    /// Write a run to a file of its own
    Export {
        /// Number, branch, tag, `latest` or `latest~1`
        #[arg(add = completing::runs())]
        run: String,
        /// The file
        file: PathBuf,
    },
    /// Import the runs of another history, such as an exported run
    Import {
        /// The file
        file: PathBuf,
    },
    /// Delete a run
    Delete {
        /// Number, branch, tag, `latest` or `latest~1`
        #[arg(add = completing::runs())]
        run: String,
    },
    /// Delete runs that have no tag, by number or age
    Prune {
        /// All but the last N
        #[arg(long, value_name = "N", required_unless_present = "before")]
        keep: Option<u64>,
        /// Those before a day or a time, or older than 90d
        #[arg(long, value_name = "TIME", value_parser = clock::parse_since)]
        before: Option<i64>,
    },
}

pub(crate) fn history(arguments: &HistoryCommandArguments) -> Result<Exit, Trouble> {
    let path = history_file(arguments.path.as_deref());
    let said = match &arguments.action {
        None => list(arguments, &path)?,
        Some(HistoryAction::Import { file }) => import(file, &path)?,
        // Exporting writes only the target file.
        Some(HistoryAction::Export { run, file }) => {
            let history = History::open_to_read(&path)?;
            let run = history.find(&Reference::parse(run), &RunFilter::default())?;
            let is_same = |existing: &ExistingFile| holds_only(&existing.path, &run.about.key);
            let kind = OutputKind {
                name: format!("export of run {}", run.number).into(),
                is_earlier: &is_same,
            };
            OutputFiles::new(history_files(&path)).check(file, &kind)?;
            history.export(run.number, file)?;
            format!("run {} is in {}\n", run.number, file.display())
        }
        Some(action) => change(action, History::open_existing(&path)?)?,
    };
    match arguments.format {
        ListFormat::Json if arguments.action.is_none() => give(&said)?,
        _ if arguments.action.is_none() => show(&said)?,
        _ => state(&said)?,
    }
    Ok(Exit::Success)
}

/// True if a file is a history with only the run of this key.
fn holds_only(file: &Path, key: &str) -> bool {
    let runs = History::open_to_read(file)
        .and_then(|history| history.runs(&RunFilter::default(), PageRange::ALL));
    runs.is_ok_and(|runs| runs.iter().all(|run| run.about.key == key))
}

/// Imports the runs of a file. Runs that already exist are skipped.
fn import(file: &Path, into: &Path) -> Result<String, Trouble> {
    let exported = History::open_to_read(file).map_err(|error| match error {
        StoreError::NotAHistory { .. } => {
            Trouble::with_help(error, "name a file that `rightcall history export` wrote")
        }
        error => error.into(),
    })?;
    if exported.count_runs(&RunFilter::default())? == 0 {
        return Err(Trouble::new(format!(
            "{}: there is no run in it",
            file.display()
        )));
    }
    let imported = History::open(into)?.import(file, clock::now())?;
    let numbers = |of: fn(&Imported) -> bool| {
        imported
            .iter()
            .filter(|it| of(it))
            .map(|it| it.number().to_string())
            .collect::<Vec<_>>()
            .join(", ")
    };
    let mut said = String::new();
    for (head, numbers) in [
        ("imported as", numbers(|it| matches!(it, Imported::New(_)))),
        (
            "here already as",
            numbers(|it| matches!(it, Imported::Known(_))),
        ),
    ] {
        if !numbers.is_empty() {
            _ = writeln!(said, "{head} run {numbers}");
        }
    }
    Ok(said)
}

fn change(action: &HistoryAction, mut history: History) -> Result<String, Trouble> {
    let run = |history: &History, text: &str| {
        history.find(&Reference::parse(text), &RunFilter::default())
    };
    Ok(match action {
        HistoryAction::Tag { run: text, tag } => {
            if tag.is_empty()
                || tag.contains('~')
                || tag == "latest"
                || tag.bytes().all(|byte| byte.is_ascii_digit())
            {
                let help = "a tag is neither a number nor `latest`, and has no `~`";
                return Err(Trouble::with_help(
                    format!("`{tag}` cannot be a tag: it would name another run"),
                    help,
                ));
            }
            let run = run(&history, text)?;
            history.tag(run.number, tag)?;
            format!("run {} has the tag {tag}\n", run.number)
        }
        HistoryAction::Untag { run: text, tag } => {
            let run = run(&history, text)?;
            if !history.untag(run.number, tag)? {
                return Err(Trouble::new(format!(
                    "run {} has no tag `{tag}`",
                    run.number
                )));
            }
            format!("run {} no longer has the tag {tag}\n", run.number)
        }
        HistoryAction::Delete { run: text } => {
            let run = run(&history, text)?;
            history.delete(run.number)?;
            format!("run {} is deleted\n", run.number)
        }
        HistoryAction::Prune { keep, before } => {
            let deleted = history.prune(Prune {
                keep: *keep,
                before: *before,
            })?;
            format!("{} deleted\n", count(deleted, "run"))
        }
        HistoryAction::Import { .. } | HistoryAction::Export { .. } => String::new(),
    })
}

fn list(arguments: &HistoryCommandArguments, path: &Path) -> Result<String, Trouble> {
    let suite = arguments.suite.as_ref();
    let filter = RunFilter {
        suite: suite.map(|suite| suite_key(Path::new(suite), path)),
        branch: arguments.branch.clone(),
        tag: arguments.tag.clone(),
        since: arguments.since,
        cause: arguments.cause.clone(),
    };
    let history = History::open_to_read(path)?;
    let runs = history.runs(&filter, PageRange::first(arguments.limit))?;
    Ok(match arguments.format {
        ListFormat::Table => {
            run_list(&runs, history.count_runs(&filter)?) + &unfinished_list(&history.unfinished()?)
        }
        ListFormat::Json => json(&history, &runs)?,
    })
}

/// A JSON list of runs, latest first.
fn json(history: &History, runs: &[RunRow]) -> Result<String, Trouble> {
    let mut writer = JsonWriter::new();
    writer.begin_list();
    for run in runs {
        writer.begin_object().key("run").integer(run.number);
        writer.key("key").str(&run.about.key);
        for (key, time) in [("started", run.about.started), ("finished", run.finished)] {
            writer.key(key).str(&rightcall_report::time(time));
        }
        writer.key("suite").str(&run.about.suite);
        writer.key("suite_hash").str(&run.about.suite_hash);
        for (key, text) in [
            ("profile", &run.about.profile),
            ("selection", &run.about.selection),
            ("commit", &run.about.git_commit),
            ("branch", &run.about.git_branch),
        ] {
            writer.optional(key, text.as_ref());
        }
        writer.key("dirty").bool(run.about.git_dirty);
        writer.key("version").str(&run.about.version);
        writer.key("tags").strs(&run.tags);
        writer.key("cases").raw(&run.cases.to_string());
        writer.key("failed").raw(&run.failed.to_string());
        writer.key("kept").raw(&run.kept.to_string());
        writer.key("evaluators").begin_list();
        for evaluator in history.evaluators(run.number)? {
            let totals = &evaluator.totals;
            let [mean, pass_rate] =
                [totals.mean, totals.pass_rate].map(|number| number.unwrap_or(f64::NAN));
            writer.begin_object().key("evaluator").str(&evaluator.id);
            writer.key("label").str(&evaluator.label);
            writer.key("mean").float(mean);
            writer.key("pass_rate").float(pass_rate).end_object();
        }
        writer.end_list().key("settings").raw(&run.about.settings);
        writer.end_object();
    }
    writer.end_list();
    Ok(format!("{}\n", writer.finish()))
}
