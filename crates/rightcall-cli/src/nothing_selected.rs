//! Explains why options such as `--tag` select no case: the option that matches none, and the
//! values that cases have.

use std::collections::BTreeSet;

use rightcall_core::nearest;
use rightcall_run::{Filter, Plan, each_labelled_case};

use crate::problems::SilentObserver;

/// Maximum number of named values, and of compared values.
const NAMED: usize = 5;
const COMPARED: usize = 1000;

/// The names, tags, and meta values under some keys, of all cases of a plan.
#[derive(Default)]
struct CaseValues {
    names: BTreeSet<String>,
    tags: BTreeSet<String>,
    meta: BTreeSet<(String, String)>,
}

impl CaseValues {
    fn of(plan: &Plan, keys: &[(String, Vec<String>)]) -> Self {
        let mut values = Self::default();
        let all = Plan::new(plan.inputs.clone(), plan.reading, plan.limits);
        // Errors were reported on the first read of the cases.
        _ = each_labelled_case(&all, &mut SilentObserver, &mut |case, label| {
            add(&mut values.names, label.to_owned());
            for tag in &case.tags {
                add(&mut values.tags, tag.to_string());
            }
            for (key, json) in &case.meta {
                if keys.iter().any(|(wanted, _)| *key == **wanted) {
                    let value = json.trim_matches('"').to_owned();
                    add(&mut values.meta, (key.to_string(), value));
                }
            }
        });
        values
    }
}

fn add<T: Ord>(values: &mut BTreeSet<T>, value: T) {
    if values.len() < COMPARED {
        values.insert(value);
    }
}

/// A text on the options that select no case.
pub(crate) fn nothing_selected(plan: &Plan) -> String {
    let selection = &plan.selection;
    let Filter { tags, meta, .. } = &selection.only;
    let known = CaseValues::of(plan, meta);
    let mut reasons = Vec::new();
    if let Some(text) = &selection.text {
        let folded = text.to_lowercase();
        if !known
            .names
            .iter()
            .any(|name| name.to_lowercase().contains(&folded))
        {
            let names = listed(text, known.names.iter().map(String::as_str), "ids");
            reasons.push(format!("no id of a case contains `{text}`{names}"));
        }
    }
    if !tags.is_empty() && !tags.iter().any(|tag| known.tags.contains(tag)) {
        let values = listed(&tags[0], known.tags.iter().map(String::as_str), "tags");
        reasons.push(format!(
            "no case has the tag `{}`{values}",
            tags.join("` or `")
        ));
    }
    for (key, wanted) in meta {
        let values = known.meta.iter().filter(|(known, _)| known == key);
        let values: Vec<_> = values.map(|(_, value)| value.as_str()).collect();
        if !wanted
            .iter()
            .any(|wanted| values.contains(&wanted.as_str()))
        {
            let values = listed(&wanted[0], values, "its values");
            let wanted = wanted.join("` or `");
            reasons.push(format!("no case has `{wanted}` as its `{key}`{values}"));
        }
    }
    if reasons.is_empty() {
        return "no case fits all of -k, --tag, --where, --cause and --failed".to_owned();
    }
    reasons.join("; ")
}

/// The ids of the cases of a plan, to choose from.
pub(crate) fn ids(plan: &Plan, wanted: &str) -> String {
    let known = CaseValues::of(plan, &[]);
    let ids = listed(wanted, known.names.iter().map(String::as_str), "ids");
    ids.trim_start_matches("; ").to_owned()
}

/// `; tags: a, b, …`, with the nearest first; empty if there are none.
fn listed<'v>(wanted: &str, values: impl IntoIterator<Item = &'v str>, what: &str) -> String {
    let values: Vec<_> = values.into_iter().collect();
    let mut first = nearest(wanted, values.iter().copied());
    for value in &values {
        if first.len() < NAMED && !first.contains(value) {
            first.push(value);
        }
    }
    if first.is_empty() {
        return String::new();
    }
    let more = if values.len() > first.len() {
        ", …"
    } else {
        ""
    };
    format!("; {what}: {}{more}", first.join(", "))
}
