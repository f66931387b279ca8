//! Writes a drafted map as YAML.

use std::fmt::Write as _;

use super::calls::{DraftedCalls, OtherPlace};
use super::kinds::{Condition, kinds};
use super::lines::{Lines, write_outcome};
use super::links::repeated;
use super::messages::MessagesFound;
use super::outcome::last_key;
use super::results::{self, DraftedResults};
use super::runs::{self, DraftedRuns};
use super::survey::{Survey, is_inside, key_text};
use super::tuples;
use super::words::{self, MODELS, QUESTIONS, RUNS};
use super::write_call::call;
use super::yaml::scalar;

/// True if a path from the record leads into a call. Fields next to the call's name count unless
/// they are certainly no arguments.
fn may_be_argument(
    survey: &Survey<'_, '_>,
    rule: &DraftedCalls,
    record: usize,
    (path, key): (&String, &str),
) -> bool {
    if !rule.path.is_empty() {
        return is_inside(path, &rule.path);
    }
    let is_beside = *path == key_text(key);
    let is_candidate = match &rule.rest {
        Some(others) => others.iter().any(|it| it == key),
        None => !rule.args.is_empty() || words::rank(key, QUESTIONS).is_none_or(|rank| rank == 0),
    };
    rule.items.contains(&survey.records[record].start) && !(is_beside && is_candidate)
}

/// The map of a log with these calls.
pub(super) fn calls_map(
    survey: &Survey<'_, '_>,
    name: &str,
    records: Option<&str>,
    calls: &[DraftedCalls],
    others: &[OtherPlace],
) -> String {
    let runs = runs::find(survey, calls);
    let (results, links) = results::find(survey, calls, others, &runs);
    let mut lines = Lines::default();
    lines.line("map", &scalar(name), None);
    if let Some(records) = records {
        let unsure = Some("each item is a run").filter(|_| runs.run.is_empty());
        lines.path("records", records, unsure);
    }
    write_runs(&mut lines, survey, &runs);
    let number: usize = calls.iter().map(|rule| rule.items.len()).sum();
    if is_one_run(survey, &runs) && number > 1 {
        _ = writeln!(
            lines.text,
            "# check: all {number} calls are one run; `records` is the path to a list whose items are runs or have the id of their run"
        );
    }
    if runs.run.is_empty() && runs.id.is_none() && records.is_some_and(|it| it.ends_with('*')) {
        lines.path("id", "$key", Some("is each key the id of a run?"));
    }
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
                &results,
            )
        })
        .collect();
    write_rules(&mut lines, "call", &written);
    let written: Vec<_> = results.iter().map(result_rule).collect();
    write_rules(&mut lines, "result", &written);
    write_skipped(&mut lines, survey, calls, others);
    write_finished(&mut lines, survey, calls, &results);
    for OtherPlace { path, number, .. } in others.iter().filter(|it| !it.is_ignored) {
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
            lines.text,
            "# not read: {what} in {place} with a name and arguments; another `call` rule reads them, `skip` ignores them"
        );
    }
    lines.text
}

/// The map of a log with messages in a known format, at this path of each record.
pub(super) fn messages_map(
    survey: &Survey<'_, '_>,
    name: &str,
    records: Option<&str>,
    (path, found): &(String, MessagesFound),
) -> String {
    let runs = runs::of_records(survey, &found.records, true, &[]);
    let mut lines = Lines::default();
    lines.line("map", &scalar(name), None);
    if let Some(records) = records {
        lines.path("records", records, Some("each item is a run"));
    }
    write_runs(&mut lines, survey, &runs);
    write_facts(&mut lines, survey, &[], &runs);
    let unsure = repeated(survey, &runs, &found.ids);
    lines.path("messages", path, unsure.as_deref());
    lines.text
}

fn write_runs(lines: &mut Lines, survey: &Survey<'_, '_>, runs: &DraftedRuns) {
    let unsure = runs.unsure.as_deref();
    if !runs.run.is_empty() {
        lines.path("run", &runs.run.join(" | "), unsure);
    } else if let Some((path, value)) = &runs.begins {
        let value = format!("{{{}: {}}}", scalar(path), scalar(value));
        lines.line("run", &value, Some("does such a record begin a run?"));
    } else if runs.of_file {
        lines.path("run", "$file", unsure);
    } else if runs.id.is_none() && survey.records.len() > 1 {
        lines.text += "# check: each record is a run; `run` is the path to an id that the records of a run share\n";
    }
    if let Some(id) = &runs.id {
        lines.path("id", id, unsure.filter(|_| runs.run.is_empty()));
    }
    if let Some(order) = &runs.order {
        lines.path(
            "order",
            order,
            Some("the records of a run are not in this order"),
        );
    }
}

/// True if the sample is one document without an id of a run. A name doesn't count as an id.
fn is_one_run(survey: &Survey<'_, '_>, runs: &DraftedRuns) -> bool {
    let mut ids = runs.run.iter().chain(&runs.id);
    survey.records.len() == 1
        && !runs.of_file
        && !ids.any(|path| words::rank(last_key(path), RUNS) <= words::rank("id", RUNS))
}

/// Writes the paths of question and model, from the first record with a field that looks like one.
fn write_facts(
    lines: &mut Lines,
    survey: &Survey<'_, '_>,
    calls: &[DraftedCalls],
    runs: &DraftedRuns,
) {
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
                        && !calls
                            .iter()
                            .any(|rule| may_be_argument(survey, rule, record, (path, key)));
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
fn write_rules(lines: &mut Lines, key: &str, rules: &[Lines]) {
    if rules.is_empty() {
        return;
    }
    lines.text += key;
    lines.text += ":\n";
    for rule in rules {
        for (number, line) in rule.text.lines().enumerate() {
            let indent = match (rules.len(), number) {
                (1, _) => "  ",
                (_, 0) => "  - ",
                _ => "    ",
            };
            lines.text += indent;
            lines.text += line;
            lines.text.push('\n');
        }
    }
}

/// The lines of a rule for results.
fn result_rule(rule: &DraftedResults) -> Lines {
    let mut lines = Lines::of_rule(&rule.path);
    let is_of_record = |it: &&Condition| it.is_of_record || rule.path.is_empty();
    if let Some(it) = rule.condition.as_ref().filter(is_of_record) {
        lines.condition(it, true, None);
    }
    if !rule.path.is_empty() {
        lines.path("at", tuples::split(&rule.path).0, None);
    }
    if let Some(it) = rule.condition.as_ref().filter(|it| !is_of_record(it)) {
        lines.condition(it, false, None);
    }
    if let Some(id) = &rule.id {
        lines.inner_path("id", id, None);
    }
    if let Some(name) = &rule.name {
        lines.inner_path(
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
    if !outcome.says_end() {
        lines.text += "# check: nothing looks like an output; `output` is the path to it\n";
    }
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
        let flags = survey.not_final_fields(record);
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
    let ignored = others.iter().filter(|it| it.is_ignored);
    skipped.extend(ignored.map(|it| scalar(&it.path)));
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
