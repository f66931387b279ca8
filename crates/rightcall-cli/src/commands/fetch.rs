//! `rightcall fetch`: downloads traces from observability services into a file.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::thread;

use clap::Args;
use rightcall_fetch::{
    FetchError, FetchQuestion, Fetched, Pause, SERVICES, Service, TimeBound, Variables,
};
use rightcall_report::count;
use rightcall_run::{ExistingFile, OutputFiles, OutputKind};

use crate::arguments::parse_where;
use crate::clock::{now, parse_since};
use crate::exit::Exit;
use crate::messages::{Trouble, error, note, warning};

#[derive(Debug, Args)]
pub(crate) struct FetchArguments {
    /// langfuse, langsmith, phoenix, mlflow or braintrust
    #[arg(value_name = "SERVICE", value_parser = service_names())]
    pub(crate) service: String,
    /// The file to write, JSON Lines, compressed if it ends in .gz or .zst; it appears when it is complete
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: PathBuf,
    /// The project or experiment [default: what the service's variable says]
    #[arg(long, value_name = "NAME")]
    pub(crate) project: Option<String>,
    /// Traces that began since a day, a time, or 12h, 7d, 2w ago
    #[arg(long, value_name = "WHEN", value_parser = parse_bound)]
    pub(crate) since: Option<TimeBound>,
    /// Traces that began before that
    #[arg(long, value_name = "WHEN", value_parser = parse_bound)]
    pub(crate) until: Option<TimeBound>,
    /// Traces with a name, a tag and the like; may be given several times
    #[arg(long = "filter", value_name = "KEY=VALUE", value_parser = parse_filter)]
    pub(crate) filters: Vec<(String, String)>,
    /// At most this many traces
    #[arg(long, value_name = "N")]
    pub(crate) limit: Option<NonZeroUsize>,
    /// Start again instead of resuming
    #[arg(long)]
    pub(crate) restart: bool,
    /// Print no progress and no summary
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

fn service_names() -> Vec<&'static str> {
    SERVICES.iter().map(|service| service.name).collect()
}

fn parse_bound(text: &str) -> Result<TimeBound, String> {
    let at = parse_since(text)?;
    Ok(TimeBound {
        text: text.to_owned(),
        at,
    })
}

fn parse_filter(text: &str) -> Result<(String, String), String> {
    parse_where(text).map_err(|_| "expected KEY=VALUE, such as name=support".to_owned())
}

pub(crate) fn fetch(arguments: FetchArguments) -> Result<Exit, Trouble> {
    let service = Service::find(&arguments.service)?;
    let is_earlier = |existing: &ExistingFile| existing.is_of(service.format);
    let kind = OutputKind {
        name: format!("{} file", service.format).into(),
        is_earlier: &is_earlier,
    };
    OutputFiles::default().check(&arguments.output, &kind)?;
    // Traces that start during the fetch would shift the pages, so leave them to the next fetch.
    let until = arguments.until.unwrap_or_else(|| TimeBound {
        text: String::new(),
        at: now(),
    });
    let question = FetchQuestion {
        project: arguments.project,
        since: arguments.since,
        until: Some(until),
        limit: arguments.limit,
        filters: arguments.filters,
    };
    let quiet = arguments.quiet;
    let fetched = rightcall_fetch::fetch(
        service,
        &Variables(&|name| std::env::var(name).ok()),
        &question,
        &arguments.output,
        arguments.restart,
        Box::new(move |pause| wait(pause, quiet)),
        &mut |fetched| {
            if !quiet {
                note(&progress_text(&fetched));
            }
        },
    )?;
    Ok(report_fetched(&fetched, service, &arguments.output, quiet))
}

/// Waits while a service is busy, and reports the wait.
fn wait(pause: &Pause, quiet: bool) {
    if !quiet {
        let seconds = pause.length.as_secs_f64().ceil();
        note(&format!("waiting for {seconds} s: {}", pause.why));
    }
    thread::sleep(pause.length);
}

/// The progress of a fetch, as text.
fn progress_text(fetched: &Fetched) -> String {
    let pages = count(fetched.pages, "page");
    format!("{pages}, {}", count(fetched.traces as u64, "trace"))
}

fn report_fetched(fetched: &Fetched, service: &Service, output: &Path, quiet: bool) -> Exit {
    if fetched.records == 0 {
        let help = "widen --since, or look at --project and --filter";
        error("no trace matches (exit code 2)", Some(help));
        return Exit::NotJudged;
    }
    if fetched.without_records > 0 {
        let listed = count(fetched.without_records, "trace");
        let help = format!("{} lists them, and has no more of them", service.title);
        warning(&format!("{listed} left out"), Some(&help));
    }
    if !quiet {
        let before = match fetched.before {
            0 => String::new(),
            before => format!(", {before} of them by an earlier fetch"),
        };
        let traces = count(fetched.traces as u64, "trace");
        let file = output.display();
        note(&format!(
            "wrote {file}: {traces}{before}; format {}",
            service.format
        ));
    }
    Exit::Success
}

impl From<FetchError> for Trouble {
    fn from(error: FetchError) -> Self {
        Self::said(&error, error.help())
    }
}
