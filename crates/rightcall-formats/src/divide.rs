//! Splits a record into one case per agent, node or turn. The expectations are under `agents`, `nodes` or `turns`, or in a list of items
//! that name their part; so do the items of the run.

mod side;

use rightcall_core::value::{JsonWriter, Text};

use self::side::Side;
use crate::case::tells_of_parts;
use crate::error::CaseError;
use crate::json;
use crate::node::Node;
use crate::options::ReadOptions;
use crate::read_case::read_case;
use crate::trace::parts::id_of_part;

/// The texts of the cases in a record. `None` if the record is a single case: it has only an expectation, or says which agent, node or
/// turn it belongs to.
pub(crate) fn divided(text: &str, options: &ReadOptions) -> Result<Option<Vec<String>>, CaseError> {
    let scope = options.choices.scope;
    let (Some(key), Some(list_key)) = (scope.key(), scope.list_key()) else {
        return Ok(None);
    };
    // Invalid JSON is reported by the reader of the record.
    let Ok(node) = Node::parse(text, options.max_depth) else {
        return Ok(None);
    };
    let listed = node.get(list_key).filter(|list| tells_of_parts(list));
    let is_of_part = node.get(key).is_some() || node.at(&["meta", key]).is_some();
    if listed.is_none() && is_of_part {
        return Ok(None);
    }
    let mut parts = listed.map(expected_parts).unwrap_or_default();
    let actual = Side::of(&node, ACTUAL, &options.choices, &mut parts);
    let expected = if listed.is_some() {
        None
    } else {
        Side::of(&node, EXPECTED, &options.choices, &mut parts).filter(Side::names_all)
    };
    let holds_run = actual.is_some() || holds_run(text, options);
    if listed.is_none() && expected.is_none() && !holds_run {
        return Ok(None);
    }
    let record = CaseRecord {
        key,
        list_key,
        parts,
        expected,
        actual,
        node: &node,
    };
    if holds_run {
        record.check(listed.is_some())?;
    }
    Ok(Some(record.texts()))
}

/// The keys of both sides. Lists under these keys can be split.
const EXPECTED: &[&str] = &["expected", "reference_outputs"];
const ACTUAL: &[&str] = &["actual", "outputs"];

fn holds_run(text: &str, options: &ReadOptions) -> bool {
    read_case(text, options).is_ok_and(|case| case.actual.is_some() || case.native.is_some())
}

/// The name of a part, with its entry if it has one.
type Part<'n, 'a> = (Text<'static>, Option<&'n Node<'a>>);

/// The parts with an expectation, by name; in a list by number.
fn expected_parts<'n, 'a>(list: &'n Node<'a>) -> Vec<Part<'n, 'a>> {
    let named = list
        .entries()
        .iter()
        .map(|(name, member)| (name.clone().into_owned(), Some(member)));
    let numbered = (1..)
        .zip(list.items())
        .map(|(number, member)| (Text::from(format!("{number}")), Some(member)));
    named.chain(numbered).collect()
}

/// A record to split.
struct CaseRecord<'n, 'a> {
    key: &'static str,
    list_key: &'static str,
    /// The parts, in order.
    parts: Vec<Part<'n, 'a>>,
    /// The expectation, if its items name their part.
    expected: Option<Side<'n, 'a>>,
    actual: Option<Side<'n, 'a>>,
    node: &'n Node<'a>,
}

impl<'n, 'a> CaseRecord<'n, 'a> {
    /// At least one call must name its part. An expectation of the whole run can't be split.
    fn check(&self, is_listed: bool) -> Result<(), CaseError> {
        let key = self.key;
        let states_parts = is_listed || self.expected.is_some();
        let is_named = |side: &Side<'_, '_>| side.names_any() || states_parts && side.is_empty();
        if !self.actual.as_ref().is_some_and(is_named) {
            let help = format!(
                "calls of a case name their agent under `actor`; `scope=run` judges the run as a whole, and one that is of one {key} alone says so in its meta value `{key}`"
            );
            let expected = format!("the {key} of each call in this case");
            return Err(CaseError::new(expected, "none").help(help));
        }
        if !states_parts && self.node.any(EXPECTED).is_some() {
            let list_key = self.list_key;
            let expected = format!("what is expected of each {key}, under `{list_key}`");
            let help = format!(
                "`\"{list_key}\": {{\"NAME\": {{\"expected\": […]}}}}` says what is expected of each"
            );
            return Err(CaseError::new(expected, "what is expected of the whole run").help(help));
        }
        Ok(())
    }

    /// The sides that are split.
    fn sides(&self) -> impl Iterator<Item = &Side<'n, 'a>> {
        self.expected.iter().chain(&self.actual)
    }

    /// The texts of the cases, in the order of the parts. Items without a known part come first, in a separate case.
    fn texts(&self) -> Vec<String> {
        let is_whole_expected = self.expected.is_none() && self.node.has("expected");
        let has_rest = is_whole_expected || self.sides().any(Side::has_rest);
        let rest = has_rest.then(|| self.text(None));
        let parts = (0..self.parts.len()).map(|part| self.text(Some(part)));
        rest.into_iter().chain(parts).collect()
    }

    fn text(&self, part: Option<usize>) -> String {
        let named = part.map(|part| &self.parts[part]);
        let own = named.and_then(|(_, member)| *member);
        let own_entries = own.map_or(&[][..], Node::entries);
        let is_said = |key: &str| own.is_some_and(|own| own.has(key));
        let id = self.node.label_at(&["id"]);
        let id = id.map(|id| named.map_or(id.clone(), |(name, _)| id_of_part(&id, name)));
        let divided: Vec<_> = self.sides().map(|side| side.key).collect();
        json::object_line(|writer| {
            json::text(writer, "id", id.as_ref());
            for (key, value) in own_entries {
                if *key != *"id" && *key != *"meta" {
                    writer.key_text(key).raw(value.raw());
                }
            }
            for (key, value) in self.node.entries() {
                let name = key.to_display();
                let is_of_all = !["id", "meta", self.list_key].contains(&&*name);
                let is_of_rest = part.is_none() || *name != *"expected";
                if is_of_all && is_of_rest && !divided.contains(&&*name) && !is_said(&name) {
                    writer.key_text(key).raw(value.raw());
                }
            }
            for side in self.sides().filter(|side| !is_said(side.key)) {
                writer.key(side.key);
                side.write(writer, part);
            }
            self.write_meta(writer, named.map(|(name, _)| name), own);
        })
    }

    /// Writes the meta values of the record and of the part, and the name of the part.
    fn write_meta(&self, writer: &mut JsonWriter, name: Option<&Text<'_>>, own: Option<&Node<'_>>) {
        let of_part = own.and_then(|own| own.get("meta"));
        let meta = self.node.get("meta");
        if name.is_none() && meta.is_none() {
            return;
        }
        writer.key("meta").begin_object();
        if let Some(name) = name {
            writer.key(self.key);
            if self.key == "turn" {
                writer.raw(&name.to_display());
            } else {
                writer.text(name);
            }
        }
        let entries = |node: Option<&'n Node<'a>>| node.map_or(&[][..], Node::entries);
        let mut known = vec![Text::new(self.key)];
        if let Some(of_part) = of_part {
            for (key, value) in of_part
                .entries()
                .iter()
                .filter(|(key, _)| *key != *self.key)
            {
                writer.key_text(key).raw(value.raw());
                known.push(key.clone().into_owned());
            }
        }
        for (key, value) in entries(meta).iter().filter(|(key, _)| !known.contains(key)) {
            writer.key_text(key).raw(value.raw());
        }
        writer.end_object();
    }
}

#[cfg(test)]
mod tests;
