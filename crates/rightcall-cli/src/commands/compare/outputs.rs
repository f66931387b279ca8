//! Outputs of a comparison: the screen and files.

use std::fmt::Write as _;
use std::io::Write as _;
use std::path::PathBuf;

use clap::Args;
use rightcall_report::{ComparisonReport, JudgedGate, OUTPUTS, OutputFormat, failed_gate};
use rightcall_run::{OutputFile, OutputFiles};

use crate::arguments::{
    ListArguments, ReportRequest, ResultFormat, comparison_format, parse_report,
};
use crate::completing;
use crate::exit::Exit;
use crate::messages::{Trouble, give, show_last};
use crate::reports::{self, SCREEN};

/// How a comparison is printed and written.
#[derive(Debug, Args)]
pub(crate) struct ComparisonOutputs {
    /// What to print [default: by the ending of the output file, else a table]
    #[arg(long, value_name = "FORMAT", value_parser = comparison_format(), help_heading = "Results")]
    format: Option<ResultFormat>,
    /// Write it to a file, which appears when it is complete
    #[arg(short, long, value_name = "FILE", help_heading = "Results")]
    pub(super) output: Option<PathBuf>,
    /// Write another format too; may be given several times [default path: rightcall-report.ENDING]
    #[arg(long = "report", value_name = "FORMAT[=PATH]", value_parser = parse_report, add = completing::outputs(), help_heading = "Results")]
    pub(super) reports: Vec<ReportRequest>,
    #[command(flatten)]
    pub(super) lists: ListArguments,
}

impl ComparisonOutputs {
    /// The format of the results; `None` for the screen.
    pub(super) fn format(&self) -> Option<&'static OutputFormat> {
        match self.format {
            None => OutputFormat::from_path(self.output.as_ref()?),
            Some(ResultFormat::Table) => None,
            Some(ResultFormat::File(format)) => Some(format),
        }
    }
}

/// The output files of a comparison. All are opened before the work starts, so either all or none
/// can be written.
pub(super) struct ComparisonFiles {
    reports: ComparisonReports,
    output: Option<OutputFile>,
}

impl ComparisonFiles {
    pub(super) fn open(
        outputs: &ComparisonOutputs,
        files: &mut OutputFiles,
    ) -> Result<Self, Trouble> {
        let kind = outputs.format().map_or(SCREEN, reports::kind);
        let output = outputs.output.as_deref();
        let reports = ComparisonReports::open(&outputs.reports, files)?;
        let file = output.map(|path| files.create(path, &kind)).transpose()?;
        reports::check_output_ending(output, &["txt"], outputs.format.is_some())?;
        Ok(Self {
            reports,
            output: file,
        })
    }

    /// Prints the comparison and writes its files.
    pub(super) fn write(
        self,
        report: &ComparisonReport<'_>,
        format: Option<&OutputFormat>,
        exit: Exit,
    ) -> Result<(), Trouble> {
        self.reports.write(report)?;
        let screen = || report.screen() + &gate_lines(report.gates(), exit);
        match (format, self.output) {
            (None, None) => show_last(&screen())?,
            (None, Some(file)) => {
                let plain = anstream::adapter::strip_str(&screen()).to_string();
                write(file, &plain)?;
            }
            (Some(format), None) => give(&text(format, report)?)?,
            (Some(format), Some(file)) => {
                write(file, &text(format, report)?)?;
                show_last(&screen())?;
            }
        }
        Ok(())
    }
}

/// The reports of a comparison, each with its open file.
pub(crate) struct ComparisonReports(Vec<(ReportRequest, OutputFile)>);

impl ComparisonReports {
    pub(crate) fn open(
        requests: &[ReportRequest],
        files: &mut OutputFiles,
    ) -> Result<Self, Trouble> {
        let open = |request: &ReportRequest| {
            let file = reports::open(request.format, &reports::target(request), files)?;
            Ok((request.clone(), file))
        };
        requests
            .iter()
            .map(open)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Writes the reports and prints their paths.
    pub(crate) fn write(self, report: &ComparisonReport<'_>) -> Result<(), Trouble> {
        for (request, file) in self.0 {
            write(file, &text(request.format, report)?)?;
            reports::print_paths(&[request]);
        }
        Ok(())
    }
}

/// Checks that all of these formats support comparisons.
pub(crate) fn check_formats<'f>(
    formats: impl IntoIterator<Item = &'f OutputFormat>,
) -> Result<(), Trouble> {
    match formats.into_iter().find(|format| !format.has_comparisons()) {
        None => Ok(()),
        Some(format) => Err(no_comparisons(format)),
    }
}

fn text(format: &OutputFormat, report: &ComparisonReport<'_>) -> Result<String, Trouble> {
    format
        .comparison(report)?
        .ok_or_else(|| no_comparisons(format))
}

fn no_comparisons(format: &OutputFormat) -> Trouble {
    let known = OUTPUTS.iter().filter(|it| it.has_comparisons());
    let known: Vec<_> = known.map(|it| it.name).collect();
    Trouble::with_help(
        format!("there is no {} of a comparison", format.name),
        format!("there are {}", known.join(", ")),
    )
}

fn write(mut file: OutputFile, text: &str) -> Result<(), Trouble> {
    file.write_all(text.as_bytes())?;
    file.commit()?;
    Ok(())
}

fn gate_lines(gates: &[JudgedGate<'_>], exit: Exit) -> String {
    let mut out = String::new();
    for gate in gates {
        let word = if gate.result.held { "ok  " } else { "FAIL" };
        _ = writeln!(out, "  {word}  {}   found {}", gate.gate, gate.found_text());
    }
    if !out.is_empty() {
        out.insert(0, '\n');
    }
    let failed = gates.iter().filter(|gate| !gate.result.held);
    let failed: Vec<_> = failed.map(|it| failed_gate(&it.result)).collect();
    if !failed.is_empty() {
        let failed = failed.join("\n");
        _ = writeln!(out, "\n{failed}   (exit code {})", exit as u8);
    }
    out
}
