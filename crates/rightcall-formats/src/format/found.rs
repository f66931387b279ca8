//! The results of a reader.

use super::Format;
use super::paging::{OTHER_PAGES, says_more};
use crate::catalogue::ToolCatalogue;
use crate::error::CaseError;
use crate::groups::{RecordGroup, RecordGroups};
use crate::node::Node;
use crate::place::LinePlace;
use crate::trace::parts::divided;
use crate::trace::skills::add_skills;
use crate::trace::unread::{checked, first_sign, line_of_tool};
use crate::trace::{Choices, Keep, Report, Trace, TraceRecord, UnreadCalls};

/// The error for a record that is not in the format of its file.
pub(crate) type Foreign = fn(&Node<'_>, &'static Format) -> Option<CaseError>;

/// The place of a record, before its line.
pub(crate) const ON_LINE: &str = "on line ";

/// The results of a reader: traces, and errors, each with its line.
#[derive(Debug, Default)]
pub(crate) struct FoundTraces {
    pub(crate) records: Vec<TraceRecord>,
    /// The report on records outside traces.
    pub(crate) report: Report,
    choices: Choices,
    /// The place of the record before.
    place: LinePlace,
    /// The place of the value that is read.
    value: LinePlace,
    format: Option<&'static Format>,
    /// Refuses records of other formats.
    foreign: Option<Foreign>,
    /// True if the last page says that others follow.
    pub(crate) goes_on: bool,
}

impl FoundTraces {
    pub(crate) fn new(choices: &Choices, format: &'static Format) -> Self {
        Self {
            choices: *choices,
            format: Some(format),
            ..Self::default()
        }
    }

    /// Refuses records of other formats.
    pub(crate) fn refusing(self, foreign: Foreign) -> Self {
        Self {
            foreign: Some(foreign),
            ..self
        }
    }

    /// Notes whether other pages follow this value, if it is a page.
    pub(crate) fn turn_page(&mut self, value: &Node<'_>) {
        let page = value.items().last().unwrap_or(value);
        self.goes_on = says_more(page).unwrap_or(self.goes_on);
    }

    /// Adds an error if a record is in another format; true if it is.
    pub(crate) fn refuses(&mut self, line: u64, record: &Node<'_>) -> bool {
        self.turn_page(record);
        let error = self
            .foreign
            .zip(self.format)
            .and_then(|(foreign, format)| foreign(record, format));
        error.map(|error| self.error(line, error)).is_some()
    }

    pub(crate) fn trace(&mut self, line: u64, mut trace: Trace) {
        trace.line = line;
        self.tell_pages(&mut trace);
        if self.choices.unread == UnreadCalls::Note || !trace.calls.is_empty() {
            trace.report.at_line(line);
        }
        let trace = checked(trace, self.choices.unread);
        self.add(line, trace);
    }

    /// Adds a trace from a reader that knows it is a run. Unread parts make it incomplete and aren't errors.
    pub(crate) fn settled(&mut self, line: u64, mut trace: Trace) {
        trace.line = line;
        self.tell_pages(&mut trace);
        trace.report.at_line(line);
        if self.goes_on && !trace.lacks_run {
            trace.incomplete = trace.incomplete.or_else(|| trace.report.gaps());
            trace.lacks_run = trace.calls.is_empty();
        }
        self.add(line, Ok(trace));
    }

    fn tell_pages(&self, trace: &mut Trace) {
        if self.goes_on {
            let place = "after the last page";
            trace.report.left_over(OTHER_PAGES.to_owned(), place);
        }
    }

    fn add(&mut self, line: u64, mut trace: Result<Trace, CaseError>) {
        if let Ok(trace) = &mut trace {
            trace.settle_expectation();
            if self.choices.skills == Keep::Keep {
                add_skills(trace, self.format.map_or("", |it| it.name));
            }
        }
        if !self.choices.has_parts() {
            return self.push(line, trace);
        }
        match trace.and_then(|trace| divided(trace, &self.choices)) {
            Ok(runs) => runs.into_iter().for_each(|run| self.push(line, Ok(run))),
            Err(error) => self.error(line, error),
        }
    }

    fn push(&mut self, line: u64, trace: Result<Trace, CaseError>) {
        let at = if line == self.value.line {
            self.value
        } else {
            LinePlace::on_line(line)
        };
        let place = self.place.move_into(at);
        self.records.push((place, trace));
    }

    /// The next traces come from the value at this place.
    pub(crate) fn begin_value(&mut self, place: LinePlace) {
        self.value = place;
    }

    /// Drops answers of traces after the first ones that only look like calls, by the tools in the text of their value.
    pub(crate) fn drop_answers(&mut self, first: usize, text: &str) {
        let traces = self.records.iter_mut().skip(first);
        let traces = traces.filter_map(|(_, trace)| trace.as_mut().ok());
        let is_unmarked = |trace: &&mut Trace| trace.calls.iter().any(|call| call.is_unmarked);
        let mut traces = traces.filter(is_unmarked).peekable();
        if traces.peek().is_some() {
            let tools = ToolCatalogue::from_json(text).unwrap_or_default();
            traces.for_each(|trace| trace.drop_answers(&tools));
        }
    }

    /// Counts a record that the format does not know, by its type or its first keys.
    #[cold]
    pub(crate) fn unknown(&mut self, line: u64, record: &Node<'_>) {
        let keys = record.entries().iter().take(2);
        let keys: Vec<_> = keys
            .map(|(key, _)| format!("`{}`", key.to_display()))
            .collect();
        let kind = match record.str_at("type") {
            Some(kind) => format!("a record of the type `{kind}`"),
            None if keys.is_empty() => "a record that is empty or no object".to_owned(),
            None => format!("a record with {}", keys.join(" and ")),
        };
        let of_tool = || line_of_tool(record).map(|sign| sign.looks);
        let is_result = record.has_only(&["name", "content"]) && record.has("content");
        let sign = first_sign(record).or_else(of_tool).or_else(|| {
            let command = record.str_at("command").map(|_| "a `command`");
            command
                .or(is_result.then_some("a `name` with `content`"))
                .map(str::to_owned)
        });
        if let Some(sign) = sign {
            let name = self.format.map_or("", |it| it.name);
            let expected = format!("a record of the format {name}, as others in the file");
            let found = format!("{kind}, and {sign} in it");
            return self.error(line, CaseError::new(expected, found));
        }
        self.report.left_over(kind, &format!("{ON_LINE}{line}"));
    }

    /// Adds the report to the first trace, if there is one.
    pub(crate) fn tell_report(&mut self) {
        let mut traces = self.records.iter_mut();
        let first = traces.find_map(|(_, trace)| trace.as_mut().ok());
        if let Some(first) = first.filter(|_| self.report != Report::default()) {
            first.report.add(&std::mem::take(&mut self.report));
        }
    }

    /// The next group of records; `None` after the last one, and after an error, which is added.
    pub(crate) fn next_group(&mut self, groups: &mut RecordGroups) -> Option<RecordGroup> {
        groups.next_group().unwrap_or_else(|error| {
            let found = format!("an error: {error}");
            let error = CaseError::new("room for a temporary file", found);
            self.error(
                0,
                error.help(
                    "spans wait on disk until their traces are whole; TMPDIR names another folder",
                ),
            );
            None
        })
    }

    #[cold]
    pub(crate) fn error(&mut self, line: u64, error: CaseError) {
        self.push(line, Err(error));
    }
}
