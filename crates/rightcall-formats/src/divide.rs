//! A record as one case for each agent, node or turn: what is expected of each under `agents`, `nodes` or `turns`, and which calls
//! each made.

use rightcall::value::{JsonWriter, Text, on_one_line};

use crate::case::tells_of_parts;
use crate::error::CaseError;
use crate::node::Node;
use crate::options::ReadOptions;
use crate::read_case::read_case;
use crate::trace::CaseScope;
use crate::trace::parts::id_of_part;

/// The texts of the cases that a record stands for; `None` where it is a case of its own: it tells what is expected alone, or
/// which agent, node or turn it is of.
pub(crate) fn divided(text: &str, options: &ReadOptions) -> Result<Option<Vec<String>>, CaseError> {
    let scope = options.choices.scope;
    let (Some(key), Some(list_key)) = (scope.key(), scope.list_key()) else {
        return Ok(None);
    };
    // What is no JSON is told where the record is read.
    let Ok(record) = Node::parse(text, options.max_depth) else {
        return Ok(None);
    };
    let listed = record.get(list_key).filter(|list| tells_of_parts(list));
    let actual = record.get("actual").filter(|actual| actual.is_list());
    let is_of_part = record.get(key).is_some() || record.at(&["meta", key]).is_some();
    if listed.is_none() && (is_of_part || !holds_run(text, options)) {
        return Ok(None);
    }
    let mut record = CaseRecord {
        key,
        list_key,
        parts: listed.map(expected_parts).unwrap_or_default(),
        calls: actual.map_or(&[][..], Node::items),
        node: &record,
    };
    let callers = record.callers(scope);
    if listed.is_none() || actual.is_some_and(|_| !callers.is_empty()) {
        record.check_callers(&callers)?;
    }
    Ok(Some(record.texts(&callers)))
}

fn holds_run(text: &str, options: &ReadOptions) -> bool {
    read_case(text, options).is_ok_and(|case| case.actual.is_some() || case.native.is_some())
}

/// The parts of which something is expected, by their names; in a list by their numbers.
fn expected_parts<'n, 'a>(list: &'n Node<'a>) -> Vec<(Text<'static>, Option<&'n Node<'a>>)> {
    let named = list
        .entries()
        .iter()
        .map(|(name, member)| (name.clone().into_owned(), Some(member)));
    let numbered = (1..)
        .zip(list.items())
        .map(|(number, member)| (Text::from(format!("{number}")), Some(member)));
    named.chain(numbered).collect()
}

/// A record that is to be divided.
struct CaseRecord<'n, 'a> {
    key: &'static str,
    list_key: &'static str,
    /// The parts in order, each with what is said of it.
    parts: Vec<(Text<'static>, Option<&'n Node<'a>>)>,
    calls: &'n [Node<'a>],
    node: &'n Node<'a>,
}

impl<'n, 'a> CaseRecord<'n, 'a> {
    /// The part of each call, which for agents says who called; parts that only calls name are added.
    fn callers(&mut self, scope: CaseScope) -> Vec<Option<usize>> {
        let mut callers = Vec::with_capacity(self.calls.len());
        for call in self.calls {
            let caller = call
                .label_at(&["actor", "requestor"])
                .filter(|_| scope == CaseScope::Agent);
            callers.push(caller.map(|caller| {
                let known = self.parts.iter().position(|(name, _)| *name == caller);
                known.unwrap_or_else(|| {
                    self.parts.push((caller, None));
                    self.parts.len() - 1
                })
            }));
        }
        callers
    }

    /// Some call at least must say which part it is of; then what is expected of the whole cannot be divided.
    fn check_callers(&self, callers: &[Option<usize>]) -> Result<(), CaseError> {
        let key = self.key;
        if callers.iter().all(Option::is_none) {
            let help = format!(
                "calls of a case name their agent under `actor`; `scope=run` judges the run as a whole, and one that is of one {key} alone says so in its meta value `{key}`"
            );
            let expected = format!("the {key} of each call in this case");
            return Err(CaseError::new(expected, "none").help(help));
        }
        if self.node.get("expected").is_some() && self.node.get(self.list_key).is_none() {
            let list_key = self.list_key;
            let expected = format!("what is expected of each {key}, under `{list_key}`");
            let help = format!(
                "`\"{list_key}\": {{\"NAME\": {{\"expected\": […]}}}}` says what is expected of each"
            );
            return Err(CaseError::new(expected, "what is expected of the whole run").help(help));
        }
        Ok(())
    }

    /// The cases, in the order of the parts, after one for what is of no known part.
    fn texts(&self, callers: &[Option<usize>]) -> Vec<String> {
        let has_rest = self.node.get("expected").is_some() || callers.contains(&None);
        let rest = has_rest.then(|| self.text(None, callers));
        let parts = (0..self.parts.len()).map(|part| self.text(Some(part), callers));
        rest.into_iter().chain(parts).collect()
    }

    fn text(&self, part: Option<usize>, callers: &[Option<usize>]) -> String {
        let named = part.map(|part| &self.parts[part]);
        let own = named.and_then(|(_, member)| *member);
        let own_entries = own.map_or(&[][..], Node::entries);
        let mut writer = JsonWriter::new();
        writer.begin_object();
        let id = self.node.label_at(&["id"]);
        let id = id.map(|id| named.map_or(id.clone(), |(name, _)| id_of_part(&id, name)));
        if let Some(id) = id {
            writer.key("id").text(&id);
        }
        for (key, value) in own_entries {
            if *key != *"id" && *key != *"meta" {
                writer.key_text(key).raw(value.raw());
            }
        }
        for (key, value) in self.node.entries() {
            let is_of_all = !["id", "meta", "actual", self.list_key]
                .iter()
                .any(|known| *key == **known);
            let is_of_rest = part.is_none() || *key != *"expected";
            let is_said = own.is_some_and(|own| own.has(&key.to_display()));
            if is_of_all && is_of_rest && !is_said {
                writer.key_text(key).raw(value.raw());
            }
        }
        if self.node.get("actual").is_some() && own.is_none_or(|own| !own.has("actual")) {
            writer.key("actual");
            self.write_calls(&mut writer, part, callers);
        }
        self.write_meta(&mut writer, named.map(|(name, _)| name), own);
        writer.end_object();
        on_one_line(writer.finish())
    }

    /// The calls of a part: the agent itself is no other actor, and a call around one of them has another place.
    fn write_calls(&self, writer: &mut JsonWriter, part: Option<usize>, callers: &[Option<usize>]) {
        let place_of = |call: usize| {
            let before = callers
                .get(..call)?
                .iter()
                .filter(|it| **it == part)
                .count();
            (*callers.get(call)? == part).then_some(before)
        };
        writer.begin_list();
        for (call, _) in self
            .calls
            .iter()
            .zip(callers)
            .filter(|(_, caller)| **caller == part)
        {
            if !call.is_object() {
                writer.raw(call.raw());
                continue;
            }
            writer.begin_object();
            for (key, value) in call.entries() {
                match key.as_str() {
                    Some("actor" | "requestor") if part.is_some() => {}
                    Some("parent") => {
                        let outer = value.whole().and_then(|outer| usize::try_from(outer).ok());
                        if let Some(place) = outer.and_then(place_of) {
                            writer.key("parent").count(place);
                        }
                    }
                    _ => _ = writer.key_text(key).raw(value.raw()),
                }
            }
            writer.end_object();
        }
        writer.end_list();
    }

    /// The meta values of the record and of the part, with the part's name.
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
