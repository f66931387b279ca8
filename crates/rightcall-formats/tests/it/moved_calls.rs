//! Moves calls to other places. No call may be lost silently when its container is nested one level deeper, is under another key, becomes
//! JSON text or a list of texts, or is next to an unknown part. For a random sample of changes, or all with `RIGHTCALL_DOORS=1`, each
//! door must agree with the file.

use std::env;
use std::hash::{DefaultHasher, Hash, Hasher};

use rightcall_core::value::pointer::{escaped, unescaped};
use serde_json::{Value, json};

use super::doors::silent_doors;
use super::renamed::{Read, doors_are_read, read, seed, texts, whole};

/// A file as its JSON values: one document, or one value a line.
struct Values {
    lines: Vec<Value>,
}

impl Values {
    fn parse(text: &str) -> Option<Self> {
        if let Ok(value) = serde_json::from_str(text) {
            return Some(Self { lines: vec![value] });
        }
        let lines = text.lines().filter(|line| !line.trim().is_empty());
        let lines: Result<Vec<Value>, _> = lines.map(serde_json::from_str).collect();
        lines.ok().map(|lines| Self { lines })
    }

    fn write(&self) -> String {
        let lines: Vec<_> = self.lines.iter().map(Value::to_string).collect();
        lines.join("\n") + "\n"
    }

    /// The pointers of all members that are an object or a list, each with its line.
    fn places(&self) -> Vec<(usize, String)> {
        let mut places = Vec::new();
        for (line, value) in self.lines.iter().enumerate() {
            collect(value, &mut String::new(), &mut |pointer| {
                places.push((line, pointer.to_owned()));
            });
        }
        places
    }

    /// The file after changing the value at a place; `None` if the change doesn't apply.
    fn changed(&self, (line, pointer): &(usize, String), change: Change) -> Option<String> {
        let mut lines = self.lines.clone();
        let (parent, key) = pointer.rsplit_once('/')?;
        let parent = lines[*line].pointer_mut(parent)?;
        change(parent, &unescaped(key))?;
        Some(Self { lines }.write())
    }
}

fn collect(value: &Value, pointer: &mut String, found: &mut dyn FnMut(&str)) {
    let children: Vec<(String, &Value)> = match value {
        Value::Object(members) => members
            .iter()
            .map(|(key, value)| (escaped(key).into_owned(), value))
            .collect(),
        Value::Array(items) => {
            let numbered = items.iter().enumerate();
            numbered
                .map(|(index, item)| (index.to_string(), item))
                .collect()
        }
        _ => return,
    };
    for (key, child) in children {
        let length = pointer.len();
        pointer.push('/');
        pointer.push_str(&key);
        if child.is_object() || child.is_array() {
            found(pointer);
            collect(child, pointer, found);
        }
        pointer.truncate(length);
    }
}

/// Changes a member or an item of a value.
type Change = fn(&mut Value, &str) -> Option<()>;

fn child<'v>(parent: &'v mut Value, key: &str) -> Option<&'v mut Value> {
    match parent {
        Value::Object(members) => members.get_mut(key),
        Value::Array(items) => items.get_mut(key.parse::<usize>().ok()?),
        _ => None,
    }
}

/// Nests it one level deeper.
fn deeper(parent: &mut Value, key: &str) -> Option<()> {
    let child = child(parent, key)?;
    *child = json!({"inner": child.take()});
    Some(())
}

/// Moves it under another key next to the usual one.
fn beside(parent: &mut Value, key: &str) -> Option<()> {
    let members = parent.as_object_mut()?;
    let value = members.remove(key)?;
    members.insert("more".to_owned(), json!({key: value}));
    Some(())
}

/// Converts it to JSON text.
fn as_text(parent: &mut Value, key: &str) -> Option<()> {
    let child = child(parent, key)?;
    *child = Value::String(child.to_string());
    Some(())
}

/// Converts it to a list of JSON texts.
fn in_texts(parent: &mut Value, key: &str) -> Option<()> {
    let child = child(parent, key)?;
    let texts = match &*child {
        Value::Array(items) => items
            .iter()
            .map(|item| Value::String(item.to_string()))
            .collect(),
        value => vec![Value::String(value.to_string())],
    };
    *child = Value::Array(texts);
    Some(())
}

fn is_less(after: &Read, before: &Read) -> bool {
    // A result without a call counts as one.
    let orphans = before.orphans() as usize;
    after.calls + orphans < before.calls
        || after.calls == before.calls && after.with_arguments < before.with_arguments
        || after.expected < before.expected && after.calls + after.expected == 0
}

/// At most this many places of a file are changed if there is a seed.
const PLACES: usize = 120;

/// A sample of the places of a file, chosen by the seed; all of them if there is none.
fn sampled(mut places: Vec<(usize, String)>) -> Vec<(usize, String)> {
    if env::var_os("RIGHTCALL_SEED").is_some() {
        places.sort_by_cached_key(|(line, pointer)| {
            let mut hasher = DefaultHasher::new();
            (seed(), line, pointer).hash(&mut hasher);
            hasher.finish()
        });
        places.truncate(PLACES);
    }
    places
}

/// The changes that silently lose calls.
fn silent(change: Change) -> Vec<String> {
    let mut silent = Vec::new();
    for (name, text) in texts() {
        let Some(values) = Values::parse(&text) else {
            continue;
        };
        let before = whole(&name, &text);
        for place in sampled(values.places()) {
            let Some(changed) = values.changed(&place, change) else {
                continue;
            };
            if doors_are_read() {
                silent.extend(silent_doors(&name, &changed, before.calls));
            }
            let after = read(&name, changed.into_bytes());
            if is_less(&after, &before) && !after.says_more_than(&before) {
                let (line, pointer) = place;
                silent.push(format!(
                    "{name}:{} {pointer}: {} calls of {}",
                    line + 1,
                    after.calls,
                    before.calls
                ));
            }
        }
    }
    silent
}

#[track_caller]
fn check(change: Change) {
    let silent = silent(change);
    assert!(
        silent.is_empty(),
        "{} places:\n{}",
        silent.len(),
        silent.join("\n")
    );
}

#[test]
fn no_call_is_lost_in_silence_one_level_deeper() {
    check(deeper);
}

#[test]
fn no_call_is_lost_in_silence_under_a_key_beside_its_own() {
    check(beside);
}

#[test]
fn no_call_is_lost_in_silence_as_json_text() {
    check(as_text);
}

#[test]
fn no_call_is_lost_in_silence_in_a_list_of_texts() {
    check(in_texts);
}

/// An unknown part of a message that contains a call.
#[test]
fn an_unknown_part_with_a_call_is_not_passed_over() {
    let part = json!({"type": "zzz_part", "payload": {"name": "pay", "arguments": {"id": 9}}});
    let mut silent = Vec::new();
    for (name, text) in texts() {
        let Some(values) = Values::parse(&text) else {
            continue;
        };
        // LangGraph states and events repeat earlier messages.
        if name.starts_with("langgraph") {
            continue;
        }
        let before = whole(&name, &text);
        for (line, pointer) in values.places() {
            let mut lines = values.lines.clone();
            let list = lines[line]
                .pointer_mut(&pointer)
                .and_then(Value::as_array_mut);
            let is_content = |list: &&mut Vec<Value>| {
                let holds_call = |item: &Value| {
                    item.get("type")
                        .and_then(Value::as_str)
                        .is_some_and(|kind| {
                            matches!(
                                kind,
                                "tool_use"
                                    | "tool_call"
                                    | "tool-call"
                                    | "function_call"
                                    | "toolCall"
                            )
                        })
                };
                list.iter().any(holds_call)
            };
            let Some(list) = list.filter(is_content) else {
                continue;
            };
            list.push(part.clone());
            let changed = Values { lines }.write();
            if doors_are_read() {
                silent.extend(silent_doors(&name, &changed, before.calls));
            }
            let after = read(&name, changed.into_bytes());
            if after.calls <= before.calls && !after.says_more_than(&before) {
                silent.push(format!("{name}:{} {pointer}", line + 1));
            }
        }
    }
    assert!(
        silent.is_empty(),
        "{} places:\n{}",
        silent.len(),
        silent.join("\n")
    );
}

/// Appends records of another format to a file.
#[test]
fn records_of_another_format_are_not_passed_over() {
    let others = [
        r#"{"id":"c","expected":[{"name":"a","args":{}}],"actual":[{"name":"pay","args":{"id":9}}]}"#,
        r#"{"messages":[{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"pay","input":{"id":9}}]}]}"#,
        r#"{"messages":[{"role":"assistant","tool_calls":[{"id":"c9","type":"function","function":{"name":"pay","arguments":"{\"id\":9}"}}]}]}"#,
    ];
    let mut silent = Vec::new();
    for (name, text) in texts() {
        let Some(values) = Values::parse(&text) else {
            continue;
        };
        let before = whole(&name, &text);
        for other in others {
            let changed = format!("{}{other}\n", values.write());
            if doors_are_read() {
                silent.extend(silent_doors(&name, &changed, before.calls));
            }
            let after = read(&name, changed.into_bytes());
            if after.calls <= before.calls && !after.says_more_than(&before) {
                silent.push(format!("{name}: {other}"));
            }
        }
    }
    assert!(
        silent.is_empty(),
        "{} files:\n{}",
        silent.len(),
        silent.join("\n")
    );
}
