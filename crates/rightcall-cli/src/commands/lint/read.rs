//! Reads the input of lint: records of files, suites with their records, and catalogues.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rightcall_formats::{Format, Input, Limits, ReadOptions, RecordContent};
use rightcall_quality::{Linter, RuleInSuite, SuiteDefect, SuiteFacts, ToolInSuite};
use rightcall_run::{
    Configured, EvaluatorArgument, Filter, Suite, SuiteError, SuiteOptions, SuitePlace,
    SuitePlaces, SuiteTool,
};

use crate::arguments::InputArguments;
use crate::commands::read_suite;
use crate::commands::suite_file::{is_suite, suite_file};
use crate::commands::tools_file::{catalogue, found_tools};
use crate::maps;
use crate::messages::{Trouble, error};

/// The parsed input.
pub(super) struct Read {
    pub(super) linter: Linter,
    /// The records, if `--fix` needs them.
    pub(super) records: Vec<ReadRecord>,
    keeps_records: bool,
    /// The gate filters of the current suite that no case has passed yet.
    filters: Vec<SuitePlace<Filter>>,
    /// True if part of the input could not be read.
    pub(super) is_wrong: bool,
}

/// A record, with its place in the file.
#[derive(Debug)]
pub(super) struct ReadRecord {
    pub(super) file: PathBuf,
    pub(super) line: u64,
    /// Its byte offset in the file.
    pub(super) offset: u64,
    pub(super) text: String,
}

/// Reads suites, files of cases, and catalogues.
pub(super) fn read(
    files: &[PathBuf],
    tools: &[PathBuf],
    input: &InputArguments,
    keeps_records: bool,
) -> Result<Read, Trouble> {
    let mut read = Read {
        linter: Linter::default(),
        records: Vec::new(),
        keeps_records,
        filters: Vec::new(),
        is_wrong: false,
    };
    let (limits, options) = (input.limits(), input.reading());
    for path in tools {
        let catalogue = catalogue(path, limits)?;
        read.linter
            .add_tools(&catalogue, &path.display().to_string());
    }
    for path in files {
        read.linter.next_group();
        if is_suite(path, limits) {
            read.suite(&suite_file(Some(path))?, limits, &options)?;
        } else {
            let of_cases = without_trace_format(options, || holds_cases(path, limits, &options));
            let before = read.linter.records();
            read.file(path, limits, &of_cases)?;
            if read.linter.records() == before && !read.is_wrong {
                error(&format!("{}: no case to check", path.display()), None);
                read.is_wrong = true;
            }
        }
    }
    Ok(read)
}

impl Read {
    fn suite(&mut self, path: &Path, limits: Limits, options: &ReadOptions) -> Result<(), Trouble> {
        let of_suite = SuiteOptions {
            limits,
            ..SuiteOptions::default()
        };
        let file: Arc<str> = path.display().to_string().into();
        let errors = Suite::errors(path, &of_suite);
        if let Some(whole) = errors.iter().position(|error| error.line.is_none()) {
            return Err(errors
                .into_iter()
                .nth(whole)
                .expect("it was just found")
                .into());
        }
        let errors: Vec<_> = errors.into_iter().map(defect).collect();
        let suite = match Suite::read(path, &of_suite) {
            Err(error) if error.line.is_some() && !errors.is_empty() => {
                // The error is one of these findings.
                self.linter.add_suite(SuiteFacts {
                    file,
                    can_fail: true,
                    tools: Vec::new(),
                    rules: Vec::new(),
                    constraints: Vec::new(),
                    errors,
                });
                return Ok(());
            }
            _ => read_suite(path, &of_suite)?,
        };
        let places = SuitePlaces::read(path, limits.max_document);
        self.filters = places.filters;
        let mut facts = SuiteFacts {
            file,
            can_fail: suite.can_fail() || can_fail_with_a_profile(path, &of_suite),
            tools: places.tools.into_iter().map(named).collect(),
            rules: places.rules.into_iter().map(rule).collect(),
            constraints: suite.evaluators.iter().filter_map(constraints_of).collect(),
            errors,
        };
        let reading = suite.reading(*options);
        let runs = suite.runs.iter().flat_map(|(_, files)| files);
        let is_joined = !suite.traces.is_empty() || !suite.runs.is_empty();
        let of_cases = without_trace_format(reading, || is_joined);
        for file in &suite.cases {
            self.file(file, limits, &of_cases)?;
        }
        for file in suite.traces.iter().chain(runs) {
            self.file(file, limits, &reading)?;
        }
        // Unreadable cases may have passed the filters.
        if !self.is_wrong {
            facts
                .errors
                .extend(self.filters.drain(..).map(unused_filter));
        }
        self.linter.add_suite(facts);
        Ok(())
    }

    fn file(&mut self, path: &Path, limits: Limits, options: &ReadOptions) -> Result<(), Trouble> {
        let mut input = Input::open(path, limits, options)?;
        let name = input.name().to_string();
        // A case converted from a BFCL answer has only one of the accepted values, while the
        // original record has all of them.
        let format = match input.format() {
            Ok(format) => format,
            Err(broken) => {
                error(&broken.to_string(), broken.help.as_deref());
                self.is_wrong = true;
                return Ok(());
            }
        };
        let is_bfcl = format.is_some_and(|it| it.name == "bfcl");
        if is_bfcl && options.format.is_none() {
            let as_written = ReadOptions {
                format: maps::find("cases").ok(),
                ..*options
            };
            return self.file(path, limits, &as_written);
        }
        let holds_traces = format.is_some_and(Format::holds_traces);
        self.linter.read_as(if holds_traces {
            options.of_any_format()
        } else {
            *options
        });
        if holds_traces {
            // Cases converted from traces have calls but no tool definitions, so read these from
            // the text.
            if let Some(found) = found_tools(path, limits) {
                self.linter.add_found_tools(&found, &name);
            }
        }
        loop {
            let block = match input.next_block(Input::BLOCK) {
                Ok(Some(block)) => block,
                Ok(None) => return Ok(()),
                Err(broken) => {
                    error(&broken.to_string(), broken.help.as_deref());
                    self.is_wrong = true;
                    return Ok(());
                }
            };
            for record in block.records() {
                if !self.filters.is_empty()
                    && let Ok(content) = &record.content
                    && let Ok(case) = content.case(options)
                {
                    self.filters.retain(|it| !it.part.admits(&case));
                }
                let text = record.content.clone().and_then(RecordContent::text);
                let added = match &text {
                    Ok(text) => self.linter.add_record(&name, record.place.line, text),
                    Err(error) => Err(format!(
                        "expected {}, found {}",
                        error.expected, error.found
                    )),
                };
                if let Err(why) = added {
                    error(&format!("{name}:{}: {why}", record.place.line), None);
                    self.is_wrong = true;
                }
                if let Ok(text) = text
                    && self.keeps_records
                {
                    self.records.push(ReadRecord {
                        file: path.to_owned(),
                        line: record.place.line,
                        offset: record.offset,
                        text: text.into_owned(),
                    });
                }
            }
        }
    }
}

/// The options, without a trace format if the file holds cases.
fn without_trace_format(options: ReadOptions, holds_cases: impl FnOnce() -> bool) -> ReadOptions {
    let is_of_traces = options.format.is_some_and(Format::holds_traces);
    if is_of_traces && holds_cases() {
        options.of_any_format()
    } else {
        options
    }
}

/// True if a file is recognized as cases.
fn holds_cases(path: &Path, limits: Limits, options: &ReadOptions) -> bool {
    let input = Input::open(path, limits, &options.of_any_format());
    let format = input
        .ok()
        .and_then(|mut input| input.format().ok().flatten());
    format.is_some_and(|format| !format.holds_traces())
}

/// True if the suite can fail with one of its profiles.
fn can_fail_with_a_profile(path: &Path, options: &SuiteOptions) -> bool {
    let mut profiles = Suite::profiles(path, options).into_iter();
    profiles.any(|name| {
        let options = SuiteOptions {
            profile: Some(name),
            settings_alone: true,
            ..options.clone()
        };
        Suite::read(path, &options).is_ok_and(|it| it.can_fail())
    })
}

fn rule(rule: SuitePlace<String>) -> RuleInSuite {
    RuleInSuite {
        json: rule.part,
        line: rule.line,
        pointer: rule.pointer,
    }
}

fn named(tool: SuitePlace<SuiteTool>) -> ToolInSuite {
    ToolInSuite {
        name: tool.part.name,
        is_demanded: tool.part.is_demanded,
        file: tool.part.file.display().to_string().into(),
        line: tool.line,
        pointer: tool.pointer,
    }
}

/// The settings of an evaluator `constraints`.
fn constraints_of(configured: &Configured) -> Option<String> {
    let argument = EvaluatorArgument::parse(&configured.argument).ok()?;
    (configured.evaluator.id() == "constraints").then_some(argument.settings)
}

fn unused_filter(filter: SuitePlace<Filter>) -> SuiteDefect {
    SuiteDefect {
        line: filter.line,
        pointer: filter.pointer,
        message: format!("a gate on cases that do not exist: {}", filter.part),
        advice: "correct the tag or the meta value; `rightcall run` ends with 2".to_owned(),
    }
}

fn defect(error: SuiteError) -> SuiteDefect {
    SuiteDefect {
        line: error.line.unwrap_or(1),
        pointer: error.pointer,
        message: error.message,
        advice: error
            .help
            .unwrap_or_else(|| "see `rightcall schema suite`".to_owned()),
    }
}
