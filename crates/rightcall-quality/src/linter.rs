//! Collects records and suites, and returns findings.

use std::cell::OnceCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use rightcall_formats::{ReadOptions, ToolCatalogue, read_case};
use serde_json::Value;
use serde_json::value::RawValue;

use crate::check::{Check, LintInput};
use crate::expected::{ExpectationForm, Expected, called, kind};
use crate::found::Found;
use crate::rules::{RULES, is_pattern};
use crate::subject::Subject;
use crate::tools::Toolbox;
use crate::{Finding, SuiteFacts};

/// Collects records, suites and tools, then compares them.
#[derive(Debug, Default)]
pub struct Linter {
    /// The tools that the user named.
    given: Toolbox,
    has_given: bool,
    subjects: Vec<Subject>,
    /// The tools of records without an expectation, by id, since questions and answers may be in
    /// separate files.
    by_id: HashMap<String, Rc<Toolbox>>,
    /// A cache of parsed catalogues by text, since records often share one.
    known: HashMap<String, Rc<Toolbox>>,
    /// The catalogues of `known`, in order of appearance.
    toolboxes: Vec<Rc<Toolbox>>,
    /// Suites, each with the number of its group.
    suites: Vec<(usize, SuiteFacts)>,
    group: usize,
    reading: ReadOptions,
}

/// Keys under which records hold definitions of tools.
const TOOLS: [&str; 7] = [
    "tools",
    "functions",
    "function",
    "available_tools",
    "tool_definitions",
    "gen_ai.tool.definitions",
    "catalogue",
];

impl Linter {
    /// Adds tools from the user. Expectations must not use any other tool.
    pub fn add_tools(&mut self, catalogue: &ToolCatalogue, file: &str) {
        self.given.is_complete = true;
        self.has_given = true;
        self.given.add(catalogue, &Arc::from(file), 1);
    }

    /// Adds tools from elsewhere, such as traces. This list may be incomplete.
    pub fn add_found_tools(&mut self, catalogue: &ToolCatalogue, file: &str) {
        self.has_given = true;
        self.given.add(catalogue, &Arc::from(file), 1);
    }

    /// Adds a record of a file; `line` is its first line.
    ///
    /// # Errors
    /// The text is not a JSON object.
    pub fn add_record(&mut self, file: &str, line: u64, text: &str) -> Result<(), String> {
        let read = serde_json::from_str::<Value>(text);
        let record = read.map_err(|error| format!("expected a JSON object, found {error}"))?;
        if !record.is_object() {
            return Err(format!("expected a JSON object, found {}", kind(&record)));
        }
        let file: Arc<str> = Arc::from(file);
        let id = ["id", "case", "name"]
            .iter()
            .find_map(|key| match &record[*key] {
                Value::String(id) => Some(id.clone()),
                Value::Number(id) => Some(id.to_string()),
                _ => None,
            });
        let mut expected = Expected::of_record(&record);
        let (refused, near_keys) = match read_case(text, &self.reading) {
            Ok(case) => {
                let near = case.near_keys.iter();
                let near = near.map(|(key, meant)| (key.to_display().into_owned(), *meant));
                (None, near.collect())
            }
            // A record that is no case at all is from another data set, with its expectation
            // elsewhere.
            Err(error) if error.pointer.is_empty() && expected.pointer != "/expected" => {
                (None, Vec::new())
            }
            Err(error) => (Some(error), Vec::new()),
        };
        // No other rule checks an invalid record.
        if refused.is_some() {
            expected = expected.unread();
        }
        let tools = self.tools_of(text, &file, line);
        if let (ExpectationForm::None, Some(id), Some(tools)) = (expected.shape, &id, &tools) {
            self.by_id.insert(id.clone(), Rc::clone(tools));
        }
        self.subjects.push(Subject {
            group: self.group,
            ignored: ignored(&record),
            is_source_text: is_source_text(&record, id.as_deref()),
            forbidden: OnceCell::new(),
            file,
            line,
            text: text.to_owned(),
            record,
            id,
            expected,
            refused,
            near_keys,
            tools,
        });
        Ok(())
    }

    /// Sets the options for reading further records.
    pub fn read_as(&mut self, reading: ReadOptions) {
        self.reading = reading;
    }

    /// Starts another file or suite. Ids are unique only within one group.
    pub fn next_group(&mut self) {
        self.group += 1;
    }

    /// Adds a suite with the records of the current group.
    pub fn add_suite(&mut self, suite: SuiteFacts) {
        self.suites.push((self.group, suite));
    }

    /// The names of all tools in expectations, runs and definitions.
    fn tool_names(&self) -> Vec<String> {
        let expected = self
            .subjects
            .iter()
            .flat_map(|it| &it.expected.calls)
            .map(|it| it.tool.as_str());
        let called = self.subjects.iter().flat_map(|it| called(&it.record));
        let named = self.subjects.iter().flat_map(|it| &it.expected.named);
        let demanded = named.filter(|it| it.is_demanded && !is_pattern(&it.name));
        let demanded = demanded.map(|it| it.name.as_str());
        let expected = expected.chain(called).chain(demanded);
        let boxes = self.toolboxes.iter().map(|it| &**it).chain([&self.given]);
        let mut names: Vec<_> = expected
            .chain(boxes.flat_map(Toolbox::names))
            .map(str::to_owned)
            .collect();
        names.sort_unstable();
        names.dedup();
        names
    }

    /// The number of records.
    pub fn records(&self) -> usize {
        self.subjects.len()
    }

    /// The number of records with an expectation.
    pub fn cases(&self) -> usize {
        let has_one = |it: &&Subject| it.expected.shape != ExpectationForm::None;
        self.subjects.iter().filter(has_one).count()
    }

    /// All findings, by file and place.
    pub fn findings(mut self) -> Vec<Finding> {
        let names = self.tool_names();
        let given = Rc::new(std::mem::take(&mut self.given));
        for subject in &mut self.subjects {
            let by_id = || self.by_id.get(subject.id.as_ref()?).cloned();
            let found = subject.tools.take().or_else(by_id);
            subject.tools = found.or_else(|| self.has_given.then(|| Rc::clone(&given)));
        }
        let boxes = self.toolboxes.iter().chain([&given]);
        let tools: Vec<_> = boxes.flat_map(|it| &it.tools).collect();
        let input = LintInput {
            subjects: &self.subjects,
            suites: &self.suites,
            names: &names,
            given: &given,
            tools,
        };
        let mut findings = Vec::new();
        for checked in RULES {
            let mut found = Found::new(&checked.rule);
            match checked.check {
                Check::Record(check) => self.subjects.iter().for_each(|it| check(it, &mut found)),
                Check::Records(check) => check(&self.subjects, &mut found),
                Check::Tool(check) => {
                    input.tools.iter().for_each(|it| check(it, &mut found));
                    found.findings = merged(found.findings);
                }
                Check::Suite(check) => {
                    self.suites.iter().for_each(|(_, it)| check(it, &mut found));
                }
                Check::All(check) => check(&input, &mut found),
            }
            findings.append(&mut found.findings);
        }
        findings.sort_by(|a, b| {
            (&a.place, b.severity, a.rule.code, &a.message).cmp(&(
                &b.place,
                a.severity,
                b.rule.code,
                &b.message,
            ))
        });
        findings.dedup();
        findings
    }

    /// The tools that a record defines. Parses the record's text, because the order of parameters matters.
    fn tools_of(&mut self, text: &str, file: &Arc<str>, line: u64) -> Option<Rc<Toolbox>> {
        let members = members(text)?;
        let meta = || {
            Some((
                "meta",
                members.iter().find(|(key, _)| key == "meta")?.1.get(),
            ))
        };
        let definitions = definitions(&members).map(|it| ("", it));
        let (wrapper, text) = definitions.or_else(|| {
            let (wrapper, text) = meta()?;
            Some((wrapper, definitions_in(text)?))
        })?;
        let text = match wrapper {
            "" => text,
            wrapper => format!("{{\"{wrapper}\":{text}}}"),
        };
        if let Some(known) = self.known.get(&text) {
            return Some(Rc::clone(known));
        }
        let catalogue = ToolCatalogue::from_json(&text)
            .ok()
            .filter(|it| !it.is_empty())?;
        let read = Rc::new(Toolbox::new(&catalogue, file, line, true));
        self.known.insert(text, Rc::clone(&read));
        self.toolboxes.push(Rc::clone(&read));
        Some(read)
    }
}

/// The members of an object, each with its raw text.
fn members(text: &str) -> Option<Vec<(String, Box<RawValue>)>> {
    let members: HashMap<String, Box<RawValue>> = serde_json::from_str(text).ok()?;
    Some(members.into_iter().collect())
}

/// An object with only the first member that holds tool definitions.
fn definitions(members: &[(String, Box<RawValue>)]) -> Option<String> {
    TOOLS.iter().find_map(|key| {
        let (_, text) = members.iter().find(|(name, _)| name == key)?;
        Some(format!("{{\"{key}\":{}}}", text.get()))
    })
}

fn definitions_in(text: &str) -> Option<String> {
    definitions(&members(text)?)
}

/// Merges findings with the same message, which names the tool and the place in its schema. Counts
/// the definitions.
fn merged(findings: Vec<Finding>) -> Vec<Finding> {
    let mut first: HashMap<String, usize> = HashMap::new();
    let mut kept: Vec<Finding> = Vec::new();
    for finding in findings {
        if let Some(at) = first.get(&finding.message) {
            kept[*at].times += 1;
        } else {
            first.insert(finding.message.clone(), kept.len());
            kept.push(finding);
        }
    }
    kept
}

/// The codes under `lint: {ignore: […]}` of a record.
fn ignored(record: &Value) -> Vec<String> {
    match &record["lint"]["ignore"] {
        Value::String(code) => vec![code.clone()],
        Value::Array(codes) => codes
            .iter()
            .filter_map(|it| it.as_str().map(str::to_owned))
            .collect(),
        _ => Vec::new(),
    }
}

/// True for a BFCL record with Java or JavaScript values, judged by its `language` or its id.
fn is_source_text(record: &Value, id: Option<&str>) -> bool {
    let is_one = |word: &str| matches!(word, "java" | "javascript");
    let by_id = || id.is_some_and(|id| id.split('_').any(is_one));
    record["language"].as_str().map_or_else(by_id, is_one)
}
