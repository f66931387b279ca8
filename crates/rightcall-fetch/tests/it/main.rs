//! Fetches from local servers that follow the public APIs of the real services.

#![expect(clippy::unwrap_used, reason = "a test ends where anything goes wrong")]

mod engine;
mod hostile;
mod server;
mod services;

use std::cell::RefCell;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

use rightcall_core::call::{ArgumentSource, Call};
use rightcall_fetch::{
    FetchError, FetchQuestion, Fetched, Pause, Service, TimeBound, Variables, fetch,
};
use rightcall_formats::{Input, Limits, ReadOptions};
use tempfile::TempDir;

/// A folder, a service's variables, and a record of the requests and waits.
struct Place {
    folder: TempDir,
    /// The name of the file.
    name: &'static str,
    variables: Vec<(&'static str, String)>,
    pauses: Rc<RefCell<Vec<Pause>>>,
}

impl Place {
    fn new(variables: &[(&'static str, &str)]) -> Self {
        let owned = |(name, value): &(&'static str, &str)| (*name, (*value).to_owned());
        Self {
            folder: tempfile::tempdir().unwrap(),
            name: "traces.jsonl",
            variables: variables.iter().map(owned).collect(),
            pauses: Rc::default(),
        }
    }

    fn output(&self) -> PathBuf {
        self.folder.path().join(self.name)
    }

    /// The names of all files.
    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn lines(&self) -> Vec<String> {
        let text = fs::read_to_string(self.output()).unwrap();
        assert!(text.ends_with('\n'));
        text.lines().map(str::to_owned).collect()
    }

    fn fetch(&self, service: &str, question: &FetchQuestion) -> Result<Fetched, FetchError> {
        self.fetch_anew(service, question, false)
    }

    fn fetch_anew(
        &self,
        service: &str,
        question: &FetchQuestion,
        anew: bool,
    ) -> Result<Fetched, FetchError> {
        let value = |name: &str| {
            let found = self.variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| value.clone())
        };
        let pauses = Rc::clone(&self.pauses);
        fetch(
            Service::find(service)?,
            &Variables(&value),
            question,
            &self.output(),
            anew,
            Box::new(move |pause| pauses.borrow_mut().push(pause.clone())),
            &mut |_| {},
        )
    }

    /// The waits so far, in seconds.
    fn waits(&self) -> Vec<u64> {
        let pauses = self.pauses.borrow();
        pauses.iter().map(|pause| pause.length.as_secs()).collect()
    }
}

/// 21 November 2026, as a user would write it.
fn since() -> TimeBound {
    TimeBound {
        text: "2026-11-21".to_owned(),
        at: 1_795_219_200_000,
    }
}

fn until() -> TimeBound {
    TimeBound {
        text: "2026-11-22".to_owned(),
        at: 1_795_305_600_000,
    }
}

fn filtered(filters: &[(&str, &str)]) -> FetchQuestion {
    let owned = |(key, value): &(&str, &str)| ((*key).to_owned(), (*value).to_owned());
    FetchQuestion {
        filters: filters.iter().map(owned).collect(),
        ..FetchQuestion::default()
    }
}

/// The format that rightcall recognises in a file, and the calls of each trajectory in it: `find_order({"id":7})`.
fn calls(path: &Path) -> (&'static str, Vec<Vec<String>>) {
    let mut input = Input::open(path, Limits::default(), &ReadOptions::default()).unwrap();
    let format = input.format().unwrap().unwrap().name;
    let shown = |call: &Call<'_>| match call.arguments.source() {
        ArgumentSource::Json(json) => format!("{}({})", call.name, json.replace(' ', "")),
        ArgumentSource::Text { text, .. } => format!("{}({text})", call.name),
        other @ ArgumentSource::Absent => panic!("{other:?}"),
    };
    let mut runs = Vec::new();
    while let Some(block) = input.next_block(1 << 20).unwrap() {
        for record in block.records() {
            let case = record.content.unwrap().case(&ReadOptions::default());
            let calls = case.unwrap().actual.unwrap_or_default().calls;
            runs.push(calls.iter().map(shown).collect());
        }
    }
    (format, runs)
}
