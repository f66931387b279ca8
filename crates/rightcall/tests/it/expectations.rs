//! Expectations in blocks: the goldens, through the core alone.

use std::fs;
use std::path::Path;

use rightcall::value::{JsonWriter, Reader, Syntax, Value, ValueEquality, decode};

use rightcall::expectation::{ActualCall, ProcessTree, Resolution};

/// Calls as cases have them.
fn calls(json: &str) -> Vec<ActualCall<'_>> {
    let mut calls = Vec::new();
    let reader = &mut Reader::new(json, Syntax::PYTHON);
    let mut first = reader.enter_list().unwrap();
    while reader.next_item(&mut first).unwrap() {
        let (mut name, mut arguments, mut output) = (None, None, None);
        let mut first = reader.enter_object().unwrap();
        while let Some(key) = reader.next_key(&mut first).unwrap() {
            match &*key.to_display() {
                "name" => name = Some(reader.string().unwrap()),
                "args" => arguments = Some(reader.value().unwrap()),
                "output" => output = Some(reader.raw().unwrap()),
                other => panic!("{other}"),
            }
        }
        calls.push(ActualCall::new(name.unwrap(), arguments, output));
    }
    calls
}

fn member<'j>(line: &'j str, name: &str) -> &'j str {
    let reader = &mut Reader::new(line, Syntax::PYTHON);
    let mut first = reader.enter_object().unwrap();
    while let Some(key) = reader.next_key(&mut first).unwrap() {
        let raw = reader.raw().unwrap();
        if key == *name {
            return raw;
        }
    }
    panic!("no {name}")
}

/// The result in the words of the goldens.
fn result(resolution: &Resolution) -> String {
    let mut writer = JsonWriter::new();
    writer.begin_object();
    writer.key("cost").integer(resolution.cost as i64);
    writer.key("full").count(resolution.full);
    writer.key("run").begin_list();
    for leaf in &resolution.run {
        writer.count(*leaf as usize);
    }
    writer.end_list().key("pairs").begin_list();
    for pair in &resolution.pairs {
        writer.begin_list();
        writer.count(pair.expected).count(pair.actual).bool(pair.is_full);
        writer.end_list();
    }
    writer.end_list().key("calls").begin_list();
    resolution.calls.iter().for_each(|call| call.write(&mut writer));
    writer.end_list().key("variables").begin_object();
    for variable in &resolution.variables {
        writer.key_text(&variable.name).raw(&variable.value);
    }
    writer.end_object().end_object();
    writer.finish().into_string()
}

#[test]
fn the_goldens_hold() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../conformance/expectations.jsonl");
    let text = fs::read_to_string(file).unwrap();
    let mut failed = Vec::new();
    for line in text.lines() {
        let tree = ProcessTree::read(member(line, "expected"));
        let found = tree
            .and_then(|tree| tree.resolve(&calls(member(line, "actual"))))
            .map(|resolution| result(&resolution));
        let wanted = decode(member(line, "result")).unwrap();
        let is_same = found.as_ref().is_ok_and(|found| {
            let found: Value<'_> = decode(found).unwrap();
            ValueEquality::Json.equal(&found, &wanted)
        });
        if !is_same {
            failed.push(format!("{line}\n  {found:?}"));
        }
    }
    assert!(failed.is_empty(), "{}\n{} lines", failed[..failed.len().min(8)].join("\n"), failed.len());
}
