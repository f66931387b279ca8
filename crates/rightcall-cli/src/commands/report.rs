//! `rightcall report`: writes a recorded run, or results in a file, as a report for people or programs.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;
use rightcall_report::{
    ExplainCommand, OUTPUTS, OutputFormat, OutputSettings, head, kept_case, notes, printable,
};
use rightcall_results::{CaseResult, LineContents, RunHead};
use rightcall_run::{Output, OutputFiles, Renderer, ResultsError, read_records};
use rightcall_store::{History, RunRow};

use super::{exported_run, file_called};
use crate::arguments::{HistoryArguments, cells, parse_output_format};
use crate::completing;
use crate::exit::Exit;
use crate::history_lookup::{find_cause, find_run, history_files};
use crate::messages::{Trouble, warning};
use crate::reports;

#[derive(Debug, Args)]
pub(crate) struct ReportArguments {
    /// A run of the history (`latest`, `latest~1`, a number, a branch, a tag), or a file: an exported run, or result lines
    #[arg(default_value = "latest", add = completing::runs_or_files())]
    pub(crate) run: String,
    /// What to write [default: by the ending of the output file, else html]
    #[arg(long, value_name = "FORMAT", value_parser = parse_output_format, add = completing::outputs())]
    pub(crate) format: Option<&'static OutputFormat>,
    /// The file to write [default: standard output]
    #[arg(short, long, value_name = "FILE")]
    pub(crate) output: Option<PathBuf>,
    /// List only the cases with this cause, or with the only cause that has this text in it
    #[arg(long, value_name = "TEXT", add = completing::causes())]
    pub(crate) cause: Option<String>,
    /// In CSV, write ' before cells that a spreadsheet would take for formulas
    #[arg(long)]
    pub(crate) csv_safe: bool,
    #[command(flatten)]
    pub(crate) history: HistoryArguments,
}

impl ReportArguments {
    /// `--format`, else the format for the ending of the output file, else HTML.
    pub(crate) fn format(&self) -> &'static OutputFormat {
        let of_file = || OutputFormat::from_path(self.output.as_ref()?);
        self.format.or_else(of_file).unwrap_or(&OUTPUTS[0])
    }
}

pub(crate) fn report(arguments: &ReportArguments) -> Result<Exit, Trouble> {
    let Some(file) = file_called(&arguments.run) else {
        let history = History::open_to_read(&arguments.history.file())?;
        let run = find_run(&history, &arguments.run, None)?;
        return report_run(&history, &run, arguments, &arguments.history);
    };
    match exported_run(file)? {
        Some((history, run)) => {
            let path = Some(file.to_owned());
            report_run(&history, &run, arguments, &HistoryArguments { path })
        }
        None => report_results(file, arguments),
    }
}

fn report_run(
    history: &History,
    run: &RunRow,
    arguments: &ReportArguments,
    file: &HistoryArguments,
) -> Result<Exit, Trouble> {
    let summary = history.summary(run)?;
    let mut head = head(history, run, &summary)?;
    let cause = arguments.cause.as_deref();
    let cause = cause.map(|text| find_cause(history, run.number, text));
    let cause = cause.transpose()?;
    if let Some(cause) = &cause {
        head.facts.push(("cases with".to_owned(), printable(cause)));
    }
    if run.kept < run.cases {
        let (cases, kept) = (run.cases, run.kept);
        let message = format!("of {cases} cases {kept} are kept: the report lists these");
        warning(&message, Some("its totals are those of all cases"));
    }
    let explain = ExplainCommand::of_run(&run.number.to_string(), file.words());
    let mut report = KeptReport::begin(head, notes(run), Some(explain), arguments)?;
    history.each_case::<Trouble>(run.number, |case| {
        let has = |wanted: &String| case.counted_causes().any(|it| it.to_string() == *wanted);
        if cause.as_ref().is_none_or(has) {
            report.case(case)?;
        }
        Ok(())
    })?;
    report.output.finish(&summary)?;
    Ok(Exit::Success)
}

fn report_results(file: &Path, arguments: &ReportArguments) -> Result<Exit, Trouble> {
    let results = read_records(file).map_err(|error| {
        let message = error.in_file(file);
        let help = "name a run of the history, a file that `rightcall history export` wrote, or result lines written with `-o results.jsonl`";
        match error {
            ResultsError::Other { .. } => Trouble::with_help(message, help),
            ResultsError::Io(_) => Trouble::new(message),
        }
    })?;
    if arguments.cause.is_some() {
        let help = "name a run of the history, or an exported run";
        return Err(Trouble::with_help(
            "--cause: result lines hold no causes",
            help,
        ));
    }
    let note = "These results were read from a file of result lines, which holds no calls: what was called is not drawn.";
    let mut head = results.head;
    head.title = file.display().to_string();
    let mut report = KeptReport::begin(head, vec![note.to_owned()], None, arguments)?;
    for case in results.cases {
        report.case(&Arc::new(case))?;
    }
    report.output.finish(&results.summary)?;
    Ok(Exit::Success)
}

/// Feeds recorded cases into an output.
struct KeptReport {
    output: Box<dyn Output>,
    renderer: Option<Renderer>,
    drawn: Vec<u8>,
}

impl KeptReport {
    fn begin(
        head: RunHead,
        notes: Vec<String>,
        explain: Option<ExplainCommand>,
        arguments: &ReportArguments,
    ) -> Result<Self, Trouble> {
        let settings = OutputSettings {
            head,
            notes,
            explain,
            cells: cells(arguments.csv_safe),
            contents: LineContents {
                details: true,
                explained: true,
            },
            failures_only: false,
        };
        let format = arguments.format();
        let path = arguments.output.as_deref().unwrap_or(Path::new("-"));
        let mut reads = history_files(&arguments.history.file());
        reads.extend(file_called(&arguments.run).map(Path::to_owned));
        let file = reports::open(format, path, &mut OutputFiles::new(reads))?;
        reports::check_output_ending(Some(path), &[], arguments.format.is_some())?;
        let output = format.begin(file, &settings)?;
        Ok(Self {
            renderer: output.renderer(),
            output,
            drawn: Vec::new(),
        })
    }

    fn case(&mut self, case: &Arc<CaseResult>) -> Result<(), Trouble> {
        self.drawn.clear();
        if let Some(render) = &self.renderer {
            let read = kept_case(case).unwrap_or_default();
            read.with_resolved(|read| render(read, case, &mut self.drawn));
        }
        Ok(self.output.case(case, &self.drawn)?)
    }
}
