//! The data for broken runs: tools, and calls, values and results of all runs of the suite.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use rightcall_core::call::{Call, Case};
use rightcall_formats::ToolCatalogue;
use serde_json::Value;

use super::act::{act_of_arguments, act_of_call};
use super::arguments::{Member, json_of, members_of};
use crate::tools::{ToolSchema, Toolbox};

/// The data for broken runs. Its size is limited: the first items of each kind in input order are
/// kept.
#[derive(Debug, Default)]
pub struct Material {
    toolbox: Toolbox,
    names: BTreeSet<String>,
    /// The names of the tools, in order.
    tools: Vec<String>,
    defaults: HashMap<String, HashMap<String, Value>>,
    /// The values of arguments, by tool, then by argument.
    values: HashMap<String, HashMap<String, Vec<String>>>,
    calls: Vec<PoolCall>,
    known_calls: HashSet<u128>,
    /// The values in results, by key: the number of the case, and the value as JSON text.
    results: HashMap<String, Vec<(usize, String)>>,
}

/// A call of a run.
#[derive(Clone, Debug)]
pub(crate) struct PoolCall {
    pub(crate) name: String,
    /// A JSON text.
    pub(crate) arguments: String,
    pub(crate) act: u128,
}

/// Maximum number of values kept for an argument, and of results kept for a key.
const VALUES: usize = 64;

/// Maximum number of calls kept.
const CALLS: usize = 256;

/// Maximum number of values read from a result.
const LEAVES: usize = 200;

impl Material {
    /// Adds the definitions of tools in a file. Add them before cases, because calls that differ only in schema defaults are the same.
    pub fn add_tools(&mut self, catalogue: &ToolCatalogue, file: &str) {
        self.toolbox.add(catalogue, &Arc::from(file), 1);
        for tool in &self.toolbox.tools {
            self.names.insert(tool.name.clone());
            let default = |name: &String| Some((name.clone(), tool.default(name)?.clone()));
            let defaults: HashMap<_, _> = tool.parameters().iter().filter_map(default).collect();
            if !defaults.is_empty() {
                self.defaults.insert(tool.name.clone(), defaults);
            }
        }
        self.tools = self.names.iter().cloned().collect();
    }

    /// Adds the expected and the actual calls of the case with this number.
    pub fn add_case(&mut self, case: &Case<'_>, number: usize) {
        let expected = case.expected.calls.iter().flatten();
        let actual = case.actual.iter().flat_map(|run| &run.calls);
        for call in expected.chain(actual.clone()) {
            self.add_values(call);
        }
        for call in actual {
            self.add_call(call);
            let output = call.metadata().recorded_output();
            for (key, json) in output.map(leaves).unwrap_or_default() {
                let results = self.results.entry(key).or_default();
                let is_known = results.iter().any(|(_, known)| *known == json);
                if results.len() < VALUES && !is_known {
                    results.push((number, json));
                }
            }
        }
        if self.tools.len() != self.names.len() {
            self.tools = self.names.iter().cloned().collect();
        }
    }

    fn add_values(&mut self, call: &Call<'_>) {
        let name = call.name.to_display().into_owned();
        let of_tool = self.values.entry(name.clone()).or_default();
        for member in members_of(call).into_iter().flatten() {
            let values = of_tool.entry(member.name()).or_default();
            if values.len() < VALUES && !values.contains(&member.json) {
                values.push(member.json);
            }
        }
        self.names.insert(name);
    }

    fn add_call(&mut self, call: &Call<'_>) {
        if self.calls.len() == CALLS {
            return;
        }
        let Some(members) = members_of(call) else {
            return;
        };
        let name = call.name.to_display().into_owned();
        let act = act_of_call(&name, self.act_of_arguments(&name, Some(&members), call));
        if self.known_calls.insert(act) {
            let arguments = json_of(&members);
            self.calls.push(PoolCall {
                name,
                arguments,
                act,
            });
        }
    }

    /// The names of all tools, in order.
    pub(crate) fn tools(&self) -> &[String] {
        &self.tools
    }

    /// The definition of a tool.
    pub(crate) fn schema(&self, tool: &str) -> Option<&ToolSchema> {
        self.toolbox.get(tool)
    }

    /// The hash of the arguments of a call of a tool.
    pub(crate) fn act_of_arguments(
        &self,
        name: &str,
        members: Option<&[Member]>,
        call: &Call<'_>,
    ) -> u128 {
        act_of_arguments(members, call, self.defaults.get(name))
    }

    /// True if an argument of the tool has a default.
    pub(crate) fn has_defaults(&self, tool: &str) -> bool {
        self.defaults.contains_key(tool)
    }

    /// The values that an argument of a tool has in the suite, as JSON texts.
    pub(crate) fn values(&self, tool: &str, argument: &str) -> &[String] {
        let of_tool = self.values.get(tool);
        of_tool
            .and_then(|it| it.get(argument))
            .map_or(&[], Vec::as_slice)
    }

    /// Different calls of the runs.
    pub(crate) fn calls(&self) -> &[PoolCall] {
        &self.calls
    }

    /// Values that tools returned in other cases under one of these keys, of the same kind as a value but different from it.
    pub(crate) fn results_elsewhere(&self, case: usize, keys: &[String], json: &str) -> Vec<&str> {
        let is_text = |json: &str| json.starts_with('"');
        let results = keys
            .iter()
            .filter_map(|key| self.results.get(key))
            .flatten();
        results
            .filter(|(of, other)| *of != case && other != json && is_text(other) == is_text(json))
            .map(|(_, other)| other.as_str())
            .collect()
    }
}

/// The texts and numbers of a result, each with its nearest key. JSON inside a text is parsed.
pub(crate) fn leaves(output: &str) -> Vec<(String, String)> {
    let mut found = Vec::new();
    if let Ok(value) = serde_json::from_str(output) {
        add_leaves("", &value, &mut found);
    }
    found
}

fn add_leaves(key: &str, value: &Value, found: &mut Vec<(String, String)>) {
    if found.len() >= LEAVES {
        return;
    }
    match value {
        Value::Null | Value::Bool(_) => {}
        Value::Array(items) => items.iter().for_each(|it| add_leaves(key, it, found)),
        Value::Object(members) => {
            members
                .iter()
                .for_each(|(key, it)| add_leaves(key, it, found));
        }
        Value::String(text) if text.starts_with(['{', '[']) => match serde_json::from_str(text) {
            Ok(inner) => add_leaves(key, &inner, found),
            Err(_) => found.push((key.to_owned(), value.to_string())),
        },
        Value::String(_) | Value::Number(_) => found.push((key.to_owned(), value.to_string())),
    }
}
