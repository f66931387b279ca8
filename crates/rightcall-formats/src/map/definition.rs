//! The definition of a map in the form used by the interpreter.

use super::condition::Conditions;
use super::path::Path;

/// The places of calls in a log.
#[derive(Debug)]
pub(crate) struct Map {
    /// Its name.
    pub(crate) name: String,
    /// The name of its file, as given.
    pub(crate) file: String,
    /// Its source text.
    pub(crate) text: String,
    /// True for the map of a built-in format. Its files may lack any part that the map names.
    pub(super) is_built_in: bool,
    pub(super) records: Option<Path>,
    pub(super) run: RunRule,
    /// The line of `run`.
    pub(super) run_line: u64,
    pub(super) order: Option<Path>,
    pub(super) known_by: Option<Conditions>,
    /// The paths of [`FACTS`], in the same order.
    pub(super) facts: [Option<Path>; FACTS.len()],
    pub(super) meta: Vec<(String, Path)>,
    pub(super) calls: Vec<Rule>,
    pub(super) results: Vec<Rule>,
    pub(super) messages: Option<Path>,
    pub(super) step: StepRule,
    pub(super) skipped_records: Vec<Conditions>,
    pub(super) skipped_paths: Vec<Path>,
    pub(super) finished: Option<Conditions>,
}

/// The parts of a case other than its calls.
pub(super) const FACTS: [&str; 8] = [
    "id", "trial", "model", "question", "agent", "expected", "output", "tags",
];

/// Index of a fact in [`FACTS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fact {
    Id,
    Trial,
    Model,
    Question,
    Agent,
    Expected,
    Output,
    Tags,
}

/// How records are grouped into runs.
#[derive(Debug)]
pub(super) enum RunRule {
    EachRecord,
    Id(Path),
    Begins(Conditions),
}

/// How steps begin.
#[derive(Debug)]
pub(super) enum StepRule {
    EachCall,
    Begins(Conditions),
    Path(Path),
}

/// The place and the contents of calls or results.
#[derive(Debug, Default)]
pub(super) struct Rule {
    /// The line of the map it begins on.
    pub(super) line: u64,
    pub(super) when: Option<Conditions>,
    pub(super) at: Option<Path>,
    pub(super) filter: Option<Conditions>,
    /// The paths of [`FIELDS`], in the same order.
    pub(super) fields: [Option<Path>; FIELDS.len()],
    /// If set, all keys except these are arguments.
    pub(super) rest: Option<Vec<String>>,
    pub(super) failed: Option<Conditions>,
    pub(super) by_provider: Option<Conditions>,
    pub(super) not_run: Option<Conditions>,
    pub(super) is_optional: bool,
}

/// The fields that a rule reads by path.
pub(super) const FIELDS: [&str; 7] = ["name", "args", "id", "output", "error", "start", "end"];

/// Index of a path in [`FIELDS`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Name,
    Args,
    Id,
    Output,
    Error,
    Start,
    End,
}

/// A part of a map outside of its rules that may find nothing.
pub(super) struct Part {
    /// The address of its path or its conditions.
    pub(super) address: usize,
    pub(super) text: String,
    pub(super) line: u64,
    /// The message for a part that finds nothing.
    pub(super) fails: &'static str,
}

impl Part {
    fn of_path(key: &str, path: &Path) -> Self {
        Self {
            address: std::ptr::from_ref(path).addr(),
            text: format!("`{key}: {path}`"),
            line: path.line,
            fails: "finds nothing",
        }
    }

    fn of_conditions(key: &str, conditions: &Conditions) -> Self {
        Self {
            address: std::ptr::from_ref(conditions).addr(),
            text: format!("`{key}`"),
            line: conditions.paths().next().map_or(1, |path| path.line),
            fails: "holds for no record",
        }
    }
}

impl Rule {
    /// The conditions that say something about a call.
    pub(super) fn conditions(&self) -> [(&'static str, Option<&Conditions>); 3] {
        [
            ("failed", self.failed.as_ref()),
            ("by_provider", self.by_provider.as_ref()),
            ("not_run", self.not_run.as_ref()),
        ]
    }

    pub(super) fn field(&self, field: Field) -> Option<&Path> {
        self.fields[field as usize].as_ref()
    }

    /// Describes the place of its items.
    pub(super) fn place(&self) -> String {
        self.at
            .as_ref()
            .map_or_else(|| "the record".to_owned(), ToString::to_string)
    }

    /// All paths relative to an item.
    pub(super) fn paths_of_item(&self) -> impl Iterator<Item = &Path> {
        // Without `at`, the record is the item.
        let when = self.when.as_ref().filter(|_| self.at.is_none());
        let conditions = [&self.filter, &self.failed, &self.by_provider, &self.not_run];
        let conditions = conditions.into_iter().flatten().chain(when);
        let fields = self.fields.iter().flatten();
        fields.chain(conditions.flat_map(Conditions::paths))
    }
}

impl Map {
    /// Describes the map, with a line in it.
    pub(super) fn at(&self, line: u64) -> String {
        format!("the map {} ({}:{line})", self.name, self.file)
    }

    /// The parts outside of rules and facts that may find nothing.
    pub(super) fn other_parts(&self) -> Vec<Part> {
        let mut parts = Vec::new();
        for (key, path) in [("order", &self.order), ("messages", &self.messages)] {
            parts.extend(path.iter().map(|path| Part::of_path(key, path)));
        }
        let meta = self.meta.iter();
        parts.extend(meta.map(|(name, path)| Part::of_path(&format!("meta.{name}"), path)));
        match &self.step {
            StepRule::EachCall => {}
            StepRule::Begins(conditions) => parts.push(Part::of_conditions("step", conditions)),
            StepRule::Path(path) => parts.push(Part::of_path("step", path)),
        }
        for (key, conditions) in [
            ("skip", &self.skipped_records[..]),
            ("finished", self.finished.as_slice()),
        ] {
            parts.extend(conditions.iter().map(|it| Part::of_conditions(key, it)));
        }
        let skipped = self.skipped_paths.iter();
        parts.extend(skipped.map(|path| Part::of_path("skip", path)));
        parts
    }

    /// Describes the place of `order`.
    pub(super) fn place_of_order(&self) -> String {
        let line = self.order.as_ref().map_or(1, |path| path.line);
        format!("`order` is in {}", self.at(line))
    }

    /// Marks it as the map of a built-in format.
    pub(super) fn of_built_in_format(mut self) -> Self {
        self.is_built_in = true;
        self.calls
            .iter_mut()
            .for_each(|rule| rule.is_optional = true);
        self
    }

    /// The parts that are read, each with its paths.
    pub(super) fn reads(&self) -> Vec<(&'static str, String)> {
        let of = |rules: &[Rule], field: Field| {
            let paths = rules.iter().filter_map(|rule| {
                let path = rule.field(field)?;
                Some(match &rule.at {
                    Some(at) => format!("`{at}`: `{path}`"),
                    None => format!("`{path}`"),
                })
            });
            paths.collect::<Vec<_>>()
        };
        let fact = |fact: Fact| {
            self.facts[fact as usize]
                .iter()
                .map(|path| format!("`{path}`"))
                .collect()
        };
        let messages = self
            .messages
            .iter()
            .map(|path| format!("messages in `{path}`"));
        let calls: Vec<_> = of(&self.calls, Field::Name)
            .into_iter()
            .chain(messages)
            .collect();
        let mut ids = of(&self.calls, Field::Id);
        ids.extend(of(&self.results, Field::Id));
        let mut outputs = of(&self.calls, Field::Output);
        outputs.extend(of(&self.results, Field::Output));
        let mut errors = of(&self.calls, Field::Error);
        errors.extend(of(&self.results, Field::Error));
        let mut times = of(&self.calls, Field::Start);
        times.extend(of(&self.results, Field::End));
        let all = [
            ("calls", calls),
            ("arguments", of(&self.calls, Field::Args)),
            ("results", outputs),
            ("errors", errors),
            ("times", times),
            ("ids", ids),
            ("question", fact(Fact::Question)),
            ("expected calls", fact(Fact::Expected)),
        ];
        let read = all.into_iter().filter(|(_, paths)| !paths.is_empty());
        read.map(|(what, paths)| (what, paths.join(", "))).collect()
    }

    /// All paths relative to a record that aren't in a rule.
    pub(super) fn paths_of_record(&self) -> impl Iterator<Item = &Path> {
        let (run, begins_run) = match &self.run {
            RunRule::EachRecord => (None, None),
            RunRule::Id(path) => (Some(path), None),
            RunRule::Begins(conditions) => (None, Some(conditions)),
        };
        let (step, begins_step) = match &self.step {
            StepRule::EachCall => (None, None),
            StepRule::Path(path) => (Some(path), None),
            StepRule::Begins(conditions) => (None, Some(conditions)),
        };
        let paths = [run, step, self.order.as_ref(), self.messages.as_ref()];
        let facts = self.facts.iter().flatten();
        let conditions = [
            begins_run,
            begins_step,
            self.known_by.as_ref(),
            self.finished.as_ref(),
        ];
        let conditions = conditions
            .into_iter()
            .flatten()
            .chain(&self.skipped_records);
        paths
            .into_iter()
            .flatten()
            .chain(facts)
            .chain(self.meta.iter().map(|(_, path)| path))
            .chain(&self.skipped_paths)
            .chain(conditions.flat_map(Conditions::paths))
    }
}
