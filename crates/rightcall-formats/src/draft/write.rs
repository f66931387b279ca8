//! Writes a drafted map as YAML.

use std::fmt::Write as _;

use super::calls::{DraftedCalls, OtherPlace};
use super::kinds::{Condition, kinds};
use super::links::repeated;
use super::outcome::{self, Outcome};
use super::results::{self, DraftedResults};
use super::runs::{self, DraftedRuns};
use super::survey::Survey;
use super::words::{self, IDS, MODELS, QUESTIONS, STARTS};
use super::yaml::scalar;

/// Lines of YAML; guessed lines have a comment.
#[derive(Default)]
struct Lines(String);

impl Lines {
    fn line(&mut self, key: &str, value: &str, unsure: Option<&str>) {
        self.0 += key;
        self.0 += ": ";
        self.0 += value;
        if let Some(unsure) = unsure {
            self.0 += "  # check: ";
            self.0 += unsure;
        }
        self.0.push('\n');
    }

    fn path(&mut self, key: &str, path: &str, unsure: Option<&str>) {
        self.line(key, &scalar(path), unsure);
    }
}

/// True if a path leads into the value at `outer`, unless that is the record.
fn is_inside(path: &str, outer: &str) -> bool {
    let rest = path.strip_prefix(outer).filter(|_| !outer.is_empty());
    rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

fn condition(condition: &Condition) -> (&'static str, String) {
    let key = if condition.is_of_record {
        "when"
    } else {
        "where"
    };
    let values: Vec<_> = condition.values.iter().map(|value| scalar(value)).collect();
    let value = match &values[..] {
        [] => "any".to_owned(),
        [value] => value.clone(),
        values => format!("[{}]", values.join(", ")),
    };
    (key, format!("{{{}: {value}}}", scalar(&condition.path)))
}

pub(super) fn map(
    survey: &Survey<'_, '_>,
    name: &str,
    records: Option<&str>,
    calls: &[DraftedCalls],
    others: &[OtherPlace],
) -> String {
    let runs = runs::find(survey, calls);
    let (results, links) = results::find(survey, calls, &runs);
    let mut lines = Lines::default();
    lines.line("map", &scalar(name), None);
    if let Some(records) = records {
        lines.path("records", records, Some("each item is a run"));
    }
    write_runs(&mut lines, &runs);
    write_facts(&mut lines, survey, calls, &runs);
    write_expected(&mut lines, survey);
    let written: Vec<_> = calls
        .iter()
        .enumerate()
        .map(|(number, rule)| {
            call(
                survey,
                rule,
                &runs,
                links.get(&number).map(String::as_str),
                !results.is_empty(),
            )
        })
        .collect();
    rules(&mut lines, "call", &written);
    let written: Vec<_> = results.iter().map(result).collect();
    rules(&mut lines, "result", &written);
    write_skipped(&mut lines, survey, calls, others);
    write_finished(&mut lines, survey, calls, &results);
    for OtherPlace { path, number, .. } in others.iter().filter(|it| !it.is_told_again) {
        let what = if *number == 1 {
            "1 object".to_owned()
        } else {
            format!("{number} objects")
        };
        let place = if path.is_empty() {
            "the record".to_owned()
        } else {
            format!("`{path}`")
        };
        _ = writeln!(
            lines.0,
            "# not read: {what} in {place} with a name and arguments; another `call` rule reads them, `skip` ignores them"
        );
    }
    lines.0
}

/// The map of a log with records that hold messages in a known format at this path. `ids` are those of the calls, each with its record.
pub(super) fn map_of_messages(
    survey: &Survey<'_, '_>,
    name: &str,
    path: &str,
    ids: &[(usize, String)],
) -> String {
    let records = (0..survey.records.len()).collect();
    let runs = runs::of_records(survey, &records, true);
    let mut lines = Lines::default();
    lines.line("map", &scalar(name), None);
    write_runs(&mut lines, &runs);
    write_facts(&mut lines, survey, &[], &runs);
    let unsure = repeated(survey, &runs, ids);
    lines.path("messages", path, unsure.as_deref());
    lines.0
}

fn write_runs(lines: &mut Lines, runs: &DraftedRuns) {
    let unsure = runs.unsure.as_deref();
    if !runs.run.is_empty() {
        lines.path("run", &runs.run.join(" | "), unsure);
    } else if let Some((path, value)) = &runs.begins {
        let value = format!("{{{}: {}}}", scalar(path), scalar(value));
        lines.line("run", &value, Some("does such a record begin a run?"));
    } else if runs.of_file {
        lines.path("run", "$file", unsure);
    }
    if let Some(id) = &runs.id {
        lines.path("id", id, None);
    }
    if let Some(order) = &runs.order {
        lines.path(
            "order",
            order,
            Some("the records of a run are not in this order"),
        );
    }
}

/// Writes the facts, taken from the first record that has something like a question or a model.
fn write_facts(
    lines: &mut Lines,
    survey: &Survey<'_, '_>,
    calls: &[DraftedCalls],
    runs: &DraftedRuns,
) {
    let of_calls: Vec<&str> = calls.iter().map(|rule| rule.path.as_str()).collect();
    for (fact, words) in [("question", QUESTIONS), ("model", MODELS)] {
        let found = (0..survey.records.len()).find_map(|record| {
            let ranked = survey
                .near_fields(record)
                .iter()
                .filter_map(|(path, key, value)| {
                    let rank = words::rank(key, words)?;
                    let is_fact = value
                        .str()
                        .is_some_and(|text| fact == "model" || text.contains(' '))
                        && !runs.run.contains(path)
                        && !of_calls.iter().any(|at| is_inside(path, at));
                    is_fact.then_some((rank, path))
                });
            ranked.min()
        });
        if let Some((_, path)) = found {
            lines.path(fact, path, None);
        }
    }
}

/// Writes the key of the expectation, if a record has one.
fn write_expected(lines: &mut Lines, survey: &Survey<'_, '_>) {
    let found = (0..survey.records.len()).find_map(|record| {
        let fields = survey.near_fields(record).iter();
        let ranked = fields.filter_map(|(path, key, value)| {
            let value = survey.memory.unfold(value);
            let is_side = value.is_list() || value.is_object();
            Some((words::rank(key, words::EXPECTED).filter(|_| is_side)?, path))
        });
        ranked.min()
    });
    if let Some((_, path)) = found {
        lines.path("expected", path, Some("are these the expected calls?"));
    }
}

/// Writes rules under one key: a single rule, or a list.
fn rules(lines: &mut Lines, key: &str, rules: &[Lines]) {
    if rules.is_empty() {
        return;
    }
    lines.0 += key;
    lines.0 += ":\n";
    for rule in rules {
        for (number, line) in rule.0.lines().enumerate() {
            let indent = match (rules.len(), number) {
                (1, _) => "  ",
                (_, 0) => "  - ",
                _ => "    ",
            };
            lines.0 += indent;
            lines.0 += line;
            lines.0.push('\n');
        }
    }
}

fn call(
    survey: &Survey<'_, '_>,
    rule: &DraftedCalls,
    runs: &DraftedRuns,
    link: Option<&str>,
    has_results: bool,
) -> Lines {
    let mut lines = Lines::default();
    let (when, filter) = match &rule.condition {
        Some(it) if it.is_of_record || rule.path.is_empty() => (Some(it), None),
        other => (None, other.as_ref()),
    };
    let unsure = |key: &str| {
        let found = rule.unsure.iter().find(|(unsure, _)| *unsure == key);
        found.map(|(_, why)| why.as_str())
    };
    if let Some(it) = when {
        lines.line("when", &condition(it).1, unsure("when"));
    }
    if !rule.path.is_empty() {
        lines.path("at", &rule.path, None);
    }
    if let Some(it) = filter {
        lines.line("where", &condition(it).1, unsure("when"));
    }
    lines.path("name", &rule.name, unsure("name"));
    if let Some(rest) = &rule.rest {
        let without: Vec<_> = rest.iter().map(|key| scalar(key)).collect();
        let value = format!("{{without: [{}]}}", without.join(", "));
        lines.line("rest", &value, Some("all other keys are the arguments"));
    } else if rule.args.is_empty() {
        lines.0 += "# check: nothing looks like arguments; `args` is the path to them\n";
    } else {
        lines.path("args", &rule.args.join(" | "), unsure("args"));
    }
    let mut used = vec![rule.name.clone()];
    used.extend(rule.args.iter().cloned());
    used.extend(
        runs.run
            .iter()
            .flat_map(|run| [run.clone(), format!("^{run}")]),
    );
    used.extend(rule.condition.iter().map(|it| it.path.clone()));
    let id = link
        .map(ToOwned::to_owned)
        .or_else(|| own_id(survey, rule, &used));
    if let Some(id) = &id {
        let value = |spot| {
            let mut fields = survey.fields(spot).into_iter();
            let (_, value) = fields.find(|(path, _)| path == id)?;
            Some(value.label()?.to_display().into_owned())
        };
        let ids = rule.items.iter().filter_map(|&it| {
            let spot = &survey.spots[it];
            Some((spot.record, value(spot)?))
        });
        let unsure = repeated(survey, runs, &ids.collect::<Vec<_>>());
        lines.path("id", id, unsure.as_deref());
        used.push(id.clone());
    }
    let mut found = outcome::outcome(&survey.all_fields(&rule.items), &used);
    if rule.rest.is_some() {
        found.end = None;
    }
    if has_results && link.is_some() {
        found.unsure = found.unsure.or_else(|| {
            found
                .output
                .is_some()
                .then(|| "results hold an output too".to_owned())
        });
    }
    let start = rule.items.iter().find_map(|&it| {
        let fields = survey.fields(&survey.spots[it]).into_iter();
        let times = fields.filter(|(_, value)| crate::trace::time::of_log(value).is_some());
        let mut times =
            times.filter(|(path, _)| words::is_one(path.trim_start_matches('^'), STARTS));
        times.next().map(|(path, _)| path)
    });
    write_outcome(&mut lines, &found);
    if let Some(start) = start.filter(|_| rule.rest.is_none()) {
        lines.path("start", &start, None);
    }
    lines
}

/// The id of a call, if no result refers to it.
fn own_id(survey: &Survey<'_, '_>, rule: &DraftedCalls, used: &[String]) -> Option<String> {
    let telling = &IDS[..9];
    let ranked = rule.items.iter().flat_map(|&it| survey.spots[it].members());
    let ranked = ranked.filter_map(|(key, value)| {
        let path = super::survey::key_text(key);
        let is_id = value.label().is_some() && !used.contains(&path);
        is_id.then_some((words::rank(key, telling)?, path))
    });
    ranked.min().map(|(_, path)| path)
}

fn write_outcome(lines: &mut Lines, outcome: &Outcome) {
    if let Some(output) = &outcome.output {
        lines.path("output", output, outcome.unsure.as_deref());
    }
    if let Some(error) = &outcome.error {
        lines.path("error", error, None);
    }
    for (key, state) in [("failed", &outcome.failed), ("not_run", &outcome.not_run)] {
        if let Some(state) = state {
            let condition = format!("{{{}: {}}}", scalar(&state.path), state.values);
            lines.line(key, &condition, state.unsure);
        }
    }
    if let Some(end) = &outcome.end {
        lines.path("end", end, None);
    }
}

fn result(rule: &DraftedResults) -> Lines {
    let mut lines = Lines::default();
    let is_of_record = |it: &&Condition| it.is_of_record || rule.path.is_empty();
    if let Some(it) = rule.condition.as_ref().filter(is_of_record) {
        lines.line("when", &condition(it).1, None);
    }
    if !rule.path.is_empty() {
        lines.path("at", &rule.path, None);
    }
    if let Some(it) = rule.condition.as_ref().filter(|it| !is_of_record(it)) {
        lines.line("where", &condition(it).1, None);
    }
    if let Some(id) = &rule.id {
        lines.path("id", id, None);
    }
    if let Some(name) = &rule.name {
        lines.path(
            "name",
            name,
            Some("a result answers the oldest open call with its name"),
        );
    }
    let mut outcome = rule.outcome.clone();
    if rule.by_order {
        outcome.unsure = outcome
            .unsure
            .or_else(|| Some("a result answers the oldest open call".to_owned()));
    }
    write_outcome(&mut lines, &outcome);
    lines
}

/// Writes conditions to skip records that only look like calls.
fn write_skipped(
    lines: &mut Lines,
    survey: &Survey<'_, '_>,
    calls: &[DraftedCalls],
    others: &[OtherPlace],
) {
    let mut skipped = std::collections::BTreeSet::new();
    for record in 0..survey.records.len() {
        let fields = survey.near_fields(record).iter();
        let flags = fields.filter(|(_, key, value)| words::is_not_final(key, value.raw()));
        skipped.extend(flags.map(|(path, _, value)| (path, value.str().unwrap_or("true"))));
    }
    let mut skipped: Vec<_> = skipped
        .iter()
        .filter(|(path, _)| !calls.iter().any(|rule| is_inside(path, &rule.path)))
        .map(|(path, value)| format!("{{{}: {value}}}", scalar(path)))
        .collect();
    for rule in calls {
        let path = rule.condition.as_ref().map_or("", |it| &it.path);
        let of_rule = |value: &String| format!("{{{}: {}}}", scalar(path), scalar(value));
        skipped.extend(rule.left_out.iter().map(of_rule));
    }
    let told_again = others.iter().filter(|it| it.is_told_again);
    skipped.extend(told_again.map(|it| scalar(&it.path)));
    if !skipped.is_empty() {
        let list = format!("[{}]", skipped.join(", "));
        lines.line("skip", &list, Some("this is ignored"));
    }
}

/// Writes the kind of record that ends a run, if neither calls nor results are of that kind.
fn write_finished(
    lines: &mut Lines,
    survey: &Survey<'_, '_>,
    calls: &[DraftedCalls],
    results: &[DraftedResults],
) {
    let conditions = calls.iter().filter_map(|it| it.condition.as_ref());
    let taken: Vec<&Condition> = conditions
        .chain(results.iter().filter_map(|it| it.condition.as_ref()))
        .collect();
    let ending = survey.records.iter().find_map(|spots| {
        let mut kinds = kinds(survey, spots.start).into_iter();
        kinds.find(|kind| {
            let is_taken = taken
                .iter()
                .any(|it| it.path == kind.path && it.values.contains(&kind.value));
            words::is_ending_kind(&kind.value) && !is_taken
        })
    });
    if let Some(kind) = ending {
        let value = format!("{{{}: {}}}", scalar(&kind.path), scalar(&kind.value));
        lines.line("finished", &value, Some("does such a record end a run?"));
    }
}
