//! Writes the rule for calls.

use std::fmt::Write as _;

use super::calls::DraftedCalls;
use super::lines::{Lines, write_outcome};
use super::links::repeated;
use super::outcome::last_key;
use super::results::{self, DraftedResults};
use super::runs::DraftedRuns;
use super::said::own_outcome;
use super::survey::{Survey, key_text};
use super::tuples;
use super::words::{self, STARTS, SURE_IDS};
use super::yaml::scalar;
use crate::node::Node;

/// The rule for calls, as YAML. `link` is the path to the id that results have too.
pub(super) fn call(
    survey: &Survey<'_, '_>,
    rule: &DraftedCalls,
    runs: &DraftedRuns,
    link: Option<&str>,
    results: &[DraftedResults],
) -> Lines {
    let mut lines = Lines::of_rule(&rule.path);
    let (when, filter) = match &rule.condition {
        Some(it) if it.is_of_record || rule.path.is_empty() => (Some(it), None),
        other => (None, other.as_ref()),
    };
    let unsure = |key: &str| {
        let found = rule.unsure.iter().find(|(unsure, _)| *unsure == key);
        found.map(|(_, why)| why.as_str())
    };
    if let Some(it) = when {
        lines.condition(it, true, unsure("when"));
    }
    if !rule.path.is_empty() {
        lines.path("at", tuples::split(&rule.path).0, None);
    }
    if let Some(it) = filter {
        lines.condition(it, false, unsure("when"));
    }
    lines.inner_path("name", &rule.name, unsure("name"));
    if let Some(other) = other_column(survey, rule) {
        _ = writeln!(
            lines.text,
            "# check: `{other}` is not read: a map reads one call of an item, so write the calls of a record as a list"
        );
    }
    let from_output = arguments_like_outputs(survey, rule, results);
    if let Some(rest) = &rule.rest {
        let without: Vec<_> = rest.iter().map(|key| scalar(key)).collect();
        let value = format!("{{without: [{}]}}", without.join(", "));
        lines.line("rest", &value, Some("all other keys are the arguments"));
    } else if let Some(path) = &from_output {
        lines.inner_path("args", path, Some("are these the arguments?"));
    } else if rule.args.is_empty() {
        lines.text += "# check: nothing looks like arguments; `args` is the path to them\n";
    } else {
        let positional = positional(survey, rule);
        let unsure = unsure("args").or(positional.as_deref());
        lines.inner_path("args", &rule.args.join(" | "), unsure);
    }
    let mut used = vec![rule.name.clone()];
    used.extend(rule.args.iter().cloned());
    used.extend(from_output);
    used.extend(
        runs.run
            .iter()
            .flat_map(|run| [run.clone(), format!("^{run}")]),
    );
    // A state with several values may say that calls failed.
    let condition = rule.condition.iter().filter(|it| it.values.len() < 2);
    used.extend(condition.map(|it| it.path.clone()));
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
        lines.inner_path("id", id, unsure.as_deref());
        used.push(id.clone());
    }
    write_end(&mut lines, survey, rule, &used, results);
    lines
}

/// A doubt if a list next to the arguments holds positional ones.
fn positional(survey: &Survey<'_, '_>, rule: &DraftedCalls) -> Option<String> {
    let spots = rule.items.iter().map(|&it| &survey.spots[it]);
    let mut fields = spots.flat_map(|spot| survey.fields(spot));
    let (path, _) = fields.find(|(path, value)| {
        let has_items = !survey.memory.unfold(value).items().is_empty();
        has_items && words::is_positional(last_key(path))
    })?;
    Some(format!("are the arguments in `{path}` positional ones?"))
}

/// Another key of the items that differs from the name's key only in its number, such as `tool_2` next to `tool_1`.
fn other_column(survey: &Survey<'_, '_>, rule: &DraftedCalls) -> Option<String> {
    let stem = |key: &str| {
        let stem = key.trim_end_matches(|it: char| it.is_ascii_digit());
        (stem.len() < key.len()).then(|| stem.to_owned())
    };
    let own = stem(&rule.name)?;
    let members = rule.items.iter().flat_map(|&it| survey.spots[it].members());
    let mut keys = members.map(|(key, _)| key_text(key));
    keys.find(|key| *key != rule.name && stem(key).as_ref() == Some(&own))
}

/// Writes how calls end, and when they began.
fn write_end(
    lines: &mut Lines,
    survey: &Survey<'_, '_>,
    rule: &DraftedCalls,
    used: &[String],
    results: &[DraftedResults],
) {
    let mut found = own_outcome(survey, rule, used);
    if rule.rest.is_some() {
        found.end = None;
        let part = found
            .output
            .as_ref()
            .and_then(|it| part_of(survey, rule, it));
        let unsure = part.map(|part| format!("is `{part}` an output too?"));
        found.unsure = found.unsure.or(unsure);
    }
    if results.is_empty() && found.output.is_none() && rule.rest.is_none() {
        found.output = other_place(survey, rule)
            .or_else(|| results::only_other_key(survey, &rule.items, used, &found));
        let unsure = found
            .output
            .as_ref()
            .map(|_| "is it the output?".to_owned());
        found.unsure = found.unsure.or(unsure);
    }
    if !results.is_empty() {
        found.unsure = found.unsure.or_else(|| {
            found
                .output
                .is_some()
                .then(|| "results hold an output too".to_owned())
        });
    }
    let start = rule.items.iter().find_map(|&it| {
        let fields = survey.fields(&survey.spots[it]).into_iter();
        let times = fields.filter(|(_, value)| crate::trace::time::from_log(value).is_some());
        let mut times =
            times.filter(|(path, _)| words::is_one(path.trim_start_matches('^'), STARTS));
        times.next().map(|(path, _)| path)
    });
    write_outcome(lines, &found);
    let lacks_output = |it: &DraftedResults| it.outcome.output.is_none() && it.outcome.says_end();
    if found.output.is_none() && results.iter().all(lacks_output) {
        lines.text += "# check: nothing looks like an output; `output` is the path to it, `result` says where results are\n";
    }
    if let Some(start) = start.filter(|_| rule.rest.is_none()) {
        lines.inner_path("start", &start, None);
    }
}

/// A key of the items that begins like the key of the output, such as `out_id` next to `out`.
fn part_of(survey: &Survey<'_, '_>, rule: &DraftedCalls, output: &str) -> Option<String> {
    let members = rule.items.iter().flat_map(|&it| survey.spots[it].members());
    let mut keys = members.map(|(key, _)| key);
    let is_part = |key: &&str| {
        let rest = key.strip_prefix(output);
        rest.is_some_and(|rest| rest.starts_with(['_', '.', '-']))
    };
    keys.find(is_part).map(key_text)
}

/// The path to the other item in lists of a call and one more value.
fn other_place(survey: &Survey<'_, '_>, rule: &DraftedCalls) -> Option<String> {
    tuples::split(&rule.path).1?;
    let fields = survey.fields(&survey.spots[*rule.items.first()?]);
    let is_other = |path: &String, value: &Node<'_>| {
        path.starts_with("^[") && crate::trace::time::from_log(value).is_none()
    };
    let mut others = fields.iter().filter(|(path, value)| is_other(path, value));
    let (path, _) = others.next()?;
    others.next().is_none().then(|| path.clone())
}

/// The path to arguments under the key that holds the output of results.
fn arguments_like_outputs(
    survey: &Survey<'_, '_>,
    rule: &DraftedCalls,
    results: &[DraftedResults],
) -> Option<String> {
    let outputs = results.iter().filter_map(|it| it.outcome.output.as_ref());
    let mut outputs = outputs.filter(|_| rule.args.is_empty() && rule.rest.is_none());
    let is_object = |path: &String, it: usize| {
        let fields = survey.spots[it].fields();
        let mut of_path = fields.iter().filter(|(known, _)| known == path);
        of_path.any(|(_, value)| survey.memory.unfold(value).is_object())
    };
    let found = outputs.find(|path| rule.items.iter().all(|&it| is_object(path, it)));
    found.cloned()
}

/// The id of a call, if no result refers to it.
fn own_id(survey: &Survey<'_, '_>, rule: &DraftedCalls, used: &[String]) -> Option<String> {
    let ranked = rule.items.iter().flat_map(|&it| survey.spots[it].members());
    let ranked = ranked.filter_map(|(key, value)| {
        let path = key_text(key);
        let is_id = value.label().is_some() && !used.contains(&path);
        is_id.then_some((words::rank(key, SURE_IDS)?, path))
    });
    ranked.min().map(|(_, path)| path)
}
