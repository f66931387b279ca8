//! `rightcall lint`: checks expectations against themselves and against the schemas of tools.

mod config;
mod fix;
mod read;
mod screen;

use std::path::PathBuf;

use clap::{Args, ValueEnum};
use rightcall_quality::{Finding, LintRule, Severity, findings_json, rules, sarif};

use crate::arguments::InputArguments;
use crate::exit::Exit;
use crate::messages::{Trouble, give, show};

#[derive(Debug, Args)]
pub(crate) struct LintArguments {
    /// A suite, or files of cases
    #[arg(required_unless_present = "rule", value_name = "FILES")]
    files: Vec<PathBuf>,
    /// Files with the definitions of tools; a tool that is not in them is an error
    #[arg(long, value_name = "FILES", num_args = 1..)]
    tools: Vec<PathBuf>,
    /// What to print
    #[arg(long, value_name = "FORMAT", default_value = "table")]
    format: LintFormat,
    /// Show notes too
    #[arg(long)]
    notes: bool,
    /// Leave out the findings of a rule
    #[arg(long, value_name = "CODE", value_parser = parse_rule)]
    ignore: Vec<&'static LintRule>,
    /// Remove accepted values that are there twice; the file is replaced as a whole
    #[arg(long)]
    fix: bool,
    /// Print the page of a rule, or a list of all rules
    #[arg(long, value_name = "CODE", num_args = 0..=1, default_missing_value = "all", conflicts_with = "files")]
    rule: Option<String>,
    #[command(flatten)]
    input: InputArguments,
}

/// How findings are printed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum LintFormat {
    /// For people
    Table,
    /// A JSON document
    Json,
    /// SARIF 2.1.0, for code hosts
    Sarif,
    /// Annotations of GitHub Actions
    Github,
}

fn parse_rule(code: &str) -> Result<&'static LintRule, String> {
    rules().find(|it| it.code == code).ok_or_else(|| {
        let near = rightcall_core::nearest(code, rules().map(|it| it.code));
        format!(
            "no such rule{}; `rightcall lint --rule` lists all",
            rightcall_core::did_you_mean(&near)
        )
    })
}

pub(crate) fn lint(arguments: &LintArguments) -> Result<Exit, Trouble> {
    if let Some(code) = &arguments.rule {
        return show_rule(code);
    }
    let config = config::read()?;
    let read = read::read(
        &arguments.files,
        &arguments.tools,
        &arguments.input,
        arguments.fix,
    )?;
    let is_wrong = read.is_wrong;
    let cases = read.linter.cases();
    let mut findings = read.linter.findings();
    findings.retain(|it| !arguments.ignore.contains(&it.rule) && !config.contains(&it.rule));
    if arguments.fix {
        fix::fix(&read.records, &mut findings)?;
    }
    let hidden = findings.len();
    if !arguments.notes {
        findings.retain(|it| it.severity > Severity::Note);
    }
    let hidden = hidden - findings.len();
    match arguments.format {
        LintFormat::Table => show(&screen::screen(&findings, cases, hidden))?,
        LintFormat::Json => give(&findings_json(&findings, cases))?,
        LintFormat::Sarif => give(&sarif(&findings, env!("CARGO_PKG_VERSION")))?,
        LintFormat::Github => give(&screen::annotations(&findings))?,
    }
    let has_error = findings
        .iter()
        .any(|it: &Finding| it.severity == Severity::Error);
    Ok(match (is_wrong, has_error) {
        (true, _) => Exit::NotJudged,
        (false, true) => Exit::Failed,
        (false, false) => Exit::Success,
    })
}

fn show_rule(code: &str) -> Result<Exit, Trouble> {
    if code == "all" {
        let width = rules().map(|it| it.code.len()).max().unwrap_or_default();
        let lines = rules().map(|rule| {
            let (code, severity) = (rule.code, rule.severity.name());
            format!("{code:width$}  {severity:7}  {}\n", rule.summary)
        });
        show(&lines.collect::<String>())?;
        return Ok(Exit::Success);
    }
    let rule = parse_rule(code).map_err(|error| Trouble::new(format!("{code}: {error}")))?;
    show(&rule.page())?;
    Ok(Exit::Success)
}
