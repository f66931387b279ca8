//! Parses YAML or JSON into a map.

use std::sync::Arc;

use rightcall_core::{did_you_mean, nearest};

use super::condition::{Conditions, Test};
use super::definition::{FACTS, FIELDS, Field, Map, Rule, RunRule, StepRule};
use super::keys::{CALL, Key, MAP, RESULT, Takes, usual_key};
use super::path::{Path, PathKind};
use crate::error::{CaseError, ReadError};
use crate::yaml::{self, Yaml, YamlNode};

/// The maximum size of a map, in bytes.
pub(crate) const LARGEST: usize = 64 << 10;

impl Map {
    /// Parses a map.
    ///
    /// # Errors
    /// The text is not a map; the error names the line.
    pub(crate) fn parse(file: &str, text: &str) -> Result<Self, ReadError> {
        read(file, text).map_err(|fault| fault.error.at(&Arc::from(file), Some(fault.line)))
    }
}

/// An error in a map, with its line.
struct Fault {
    line: u64,
    error: CaseError,
}

type Result<T, E = Fault> = std::result::Result<T, E>;

impl Fault {
    fn new(line: u64, expected: impl Into<String>, found: impl Into<String>) -> Self {
        Self {
            line,
            error: CaseError::new(expected.into(), found),
        }
    }

    fn help(mut self, help: impl Into<String>) -> Self {
        self.error = self.error.help(help.into());
        self
    }

    /// The error for a value that a key doesn't accept.
    fn value(key: &str, node: &YamlNode, expected: &str) -> Self {
        let expected = format!("{expected} for `{key}`");
        Self::new(node.line, expected, node.describe())
    }
}

fn read(file: &str, text: &str) -> Result<Map> {
    if text.len() > LARGEST {
        let expected = format!("a map of at most {LARGEST} bytes");
        return Err(Fault::new(1, expected, format!("{} bytes", text.len())));
    }
    let (mut documents, error) = yaml::documents(text);
    if let Some(error) = error {
        let fault = Fault::new(error.line, error.expected, error.found);
        return Err(fault.help(error.help));
    }
    let node = documents
        .pop()
        .ok_or_else(|| Fault::new(1, "a map", "an empty file"))?;
    if !documents.is_empty() {
        return Err(Fault::new(
            node.line,
            "one map in a file",
            "several documents",
        ));
    }
    let members = members("a map", &node, MAP)?;
    let mut map = Map {
        name: stem(file).to_owned(),
        file: file.to_owned(),
        text: text.to_owned(),
        is_built_in: false,
        records: None,
        run: RunRule::EachRecord,
        run_line: 1,
        order: None,
        known_by: None,
        facts: Default::default(),
        meta: Vec::new(),
        calls: Vec::new(),
        results: Vec::new(),
        messages: None,
        step: StepRule::EachCall,
        skipped_records: Vec::new(),
        skipped_paths: Vec::new(),
        finished: None,
    };
    for (key, node) in members {
        member(&mut map, key, node)?;
    }
    if map.calls.is_empty() && map.messages.is_none() {
        let fault = Fault::new(node.line, "a map with `call`", "one without");
        return Err(fault.help(
            "`call` says where the calls are; `messages` where messages in a known format are",
        ));
    }
    Ok(map)
}

/// Parses the value of a map's key.
fn member(map: &mut Map, key: &'static str, node: &YamlNode) -> Result<()> {
    let of_value = || path(key, node, PathKind::Value);
    match key {
        "map" => map.name = name(node)?,
        "records" => map.records = Some(path(key, node, PathKind::Inside)?),
        "run" => {
            map.run_line = node.line;
            map.run = if node.text().is_some() {
                RunRule::Id(path(key, node, PathKind::ValueOrFile)?)
            } else {
                RunRule::Begins(conditions(key, node, "a path or conditions")?)
            };
        }
        "order" => map.order = Some(of_value()?),
        "known_by" => map.known_by = Some(conditions(key, node, "conditions")?),
        "meta" => map.meta = named_paths(key, node)?,
        "call" => map.calls = rules(key, node, CALL)?,
        "result" => map.results = rules(key, node, RESULT)?,
        "messages" => map.messages = Some(of_value()?),
        "step" => {
            map.step = if node.text().is_some() {
                StepRule::Path(path(key, node, PathKind::Inside)?)
            } else {
                StepRule::Begins(conditions(key, node, "a path or conditions")?)
            };
        }
        "skip" => skip(key, node, map)?,
        "finished" => map.finished = Some(conditions(key, node, "conditions")?),
        fact => {
            let kind = if fact == "id" {
                PathKind::ValueOrFile
            } else {
                PathKind::Value
            };
            let place = FACTS.iter().position(|name| *name == fact);
            if let Some(place) = place {
                map.facts[place] = Some(path(key, node, kind)?);
            }
        }
    }
    Ok(())
}

/// The name of a file without folder, extension and compression suffix.
pub(crate) fn stem(file: &str) -> &str {
    let name = file.rsplit(['/', '\\']).next().unwrap_or(file);
    let without = |name, endings: &[&str]| match str::rsplit_once(name, '.') {
        Some((stem, ending))
            if !stem.is_empty() && (endings.is_empty() || endings.contains(&ending)) =>
        {
            stem
        }
        _ => name,
    };
    without(without(name, &["gz", "zst", "zstd"]), &[])
}

fn name(node: &YamlNode) -> Result<String> {
    let name = node.text().filter(|name| !name.trim().is_empty());
    let name = name.ok_or_else(|| Fault::value("map", node, "a name"))?;
    Ok(name.to_owned())
}

/// The members of an object; unknown keys are errors.
fn members<'n>(
    what: &str,
    node: &'n YamlNode,
    keys: &'static [Key],
) -> Result<Vec<(&'static str, &'n YamlNode)>> {
    if !matches!(node.value, Yaml::Map(_)) {
        return Err(Fault::new(
            node.line,
            format!("{what}, an object with keys"),
            node.describe(),
        ));
    }
    let known = |(key, value): &'n (yaml::Key, YamlNode)| {
        let found = keys.iter().find(|known| known.name == key.name);
        found.map(|known| (known.name, value)).ok_or_else(|| {
            let names = || keys.iter().map(|key| key.name);
            let usual = usual_key(&key.name).filter(|usual| names().any(|name| name == *usual));
            let near = match &usual.map_or_else(|| nearest(&key.name, names()), |it| vec![it])[..] {
                [] => format!("the keys are {}", names().collect::<Vec<_>>().join(", ")),
                near => did_you_mean(near).trim_start_matches("; ").to_owned(),
            };
            Fault::new(
                key.line,
                format!("a key of {what}"),
                format!("`{}`", key.name),
            )
            .help(near)
        })
    };
    node.members().iter().map(known).collect()
}

fn path(key: &str, node: &YamlNode, kind: PathKind) -> Result<Path> {
    let text = node.text().ok_or_else(|| {
        let fault = Fault::value(key, node, "a path");
        match node.value {
            Yaml::List(_) => fault.help("a path that begins with `[` is written in single quotes"),
            _ => fault,
        }
    })?;
    parse_path(text, node.line, key, kind)
}

fn parse_path(text: &str, line: u64, key: &str, kind: PathKind) -> Result<Path> {
    let parsed = Path::parse(text, kind).map(|path| path.on_line(line));
    parsed.map_err(|why| {
        Fault::new(line, format!("a path for `{key}`"), format!("`{text}`")).help(format!(
            "{why}; keys are joined by dots: `event.payload.tool`"
        ))
    })
}

fn named_paths(key: &str, node: &YamlNode) -> Result<Vec<(String, Path)>> {
    if node.members().is_empty() {
        return Err(Fault::value(key, node, "names with a path each"));
    }
    let named = |(name, node): &(yaml::Key, YamlNode)| {
        let path = path(&name.name, node, PathKind::Value)?;
        Ok((name.name.clone(), path))
    };
    node.members().iter().map(named).collect()
}

fn conditions(key: &str, node: &YamlNode, expected: &str) -> Result<Conditions> {
    let groups = match &node.value {
        Yaml::List(groups) if !groups.is_empty() => groups.as_slice(),
        _ => std::slice::from_ref(node),
    };
    let group = |node: &YamlNode| {
        if node.members().is_empty() {
            let fault = Fault::value(key, node, expected);
            return Err(fault.help("conditions are paths with what must be found there, such as `{event.kind: tool}`; all must hold, or those of one object in a list"));
        }
        let condition = |(path, node): &(yaml::Key, YamlNode)| {
            let test = test(&path.name, node)?;
            Ok((
                parse_path(&path.name, path.line, key, PathKind::Value)?,
                test,
            ))
        };
        node.members().iter().map(condition).collect()
    };
    groups
        .iter()
        .map(group)
        .collect::<Result<_>>()
        .map(Conditions)
}

fn test(path: &str, node: &YamlNode) -> Result<Test> {
    Ok(match &node.value {
        Yaml::Text(word) if word == "any" => Test::Any,
        Yaml::Text(word) if word == "none" => Test::None,
        Yaml::Text(glob) => Test::Glob(glob.clone()),
        Yaml::Bool(it) => Test::Json(it.to_string()),
        Yaml::Number(json) => Test::Json(json.clone()),
        Yaml::List(tests) if !tests.is_empty() && !tests.iter().any(is_list) => {
            let tests = tests.iter().map(|node| test(path, node));
            Test::Either(tests.collect::<Result<_>>()?)
        }
        Yaml::Map(members) if members.len() == 1 && members[0].0.name == "not" => {
            Test::Not(Box::new(test(path, &members[0].1)?))
        }
        _ => {
            let fault = Fault::value(path, node, "a text, a number, a boolean or a list of these");
            return Err(fault.help(
                "`any` is anything but null, `none` is null or absent, and `{not: …}` the opposite",
            ));
        }
    })
}

fn is_list(node: &YamlNode) -> bool {
    matches!(node.value, Yaml::List(_))
}

fn skip(key: &str, node: &YamlNode, map: &mut Map) -> Result<()> {
    let expected = "a path, conditions or a list of these";
    if matches!(&node.value, Yaml::List(items) if items.is_empty()) {
        return Err(Fault::value(key, node, expected));
    }
    for node in node.items() {
        if node.text().is_some() {
            map.skipped_paths.push(path(key, node, PathKind::Inside)?);
        } else {
            map.skipped_records.push(conditions(key, node, expected)?);
        }
    }
    Ok(())
}

fn rules(key: &str, node: &YamlNode, keys: &'static [Key]) -> Result<Vec<Rule>> {
    if matches!(&node.value, Yaml::List(items) if items.is_empty()) {
        return Err(Fault::value(key, node, "a rule, or a list of rules,"));
    }
    node.items()
        .iter()
        .map(|node| rule(key, node, keys))
        .collect()
}

fn rule(of: &str, node: &YamlNode, keys: &'static [Key]) -> Result<Rule> {
    let members = members(&format!("`{of}`"), node, keys)?;
    let mut rule = Rule {
        line: node.line,
        ..Rule::default()
    };
    for (key, node) in &members {
        let kind = keys
            .iter()
            .find(|known| known.name == *key)
            .map(|known| known.takes);
        match (*key, kind) {
            ("when", _) => rule.when = Some(conditions(key, node, "conditions")?),
            ("at", _) => rule.at = Some(path(key, node, PathKind::Inside)?),
            ("where", _) => rule.filter = Some(conditions(key, node, "conditions")?),
            ("failed", _) => rule.failed = Some(conditions(key, node, "conditions")?),
            ("by_provider", _) => rule.by_provider = Some(conditions(key, node, "conditions")?),
            ("not_run", _) => rule.not_run = Some(conditions(key, node, "conditions")?),
            (_, Some(Takes::Rest)) => rule.rest = Some(rest(key, node)?),
            (_, Some(Takes::Bool)) => rule.is_optional = boolean(key, node)?,
            _ => {
                let place = FIELDS.iter().position(|name| name == key);
                if let Some(place) = place {
                    rule.fields[place] = Some(path(key, node, PathKind::Value)?);
                }
            }
        }
    }
    if of == "call" && rule.field(Field::Name).is_none() {
        let fault = Fault::new(node.line, "`name` in `call`", "none");
        return Err(fault.help("`name` is the path to the name of the tool"));
    }
    let rest = members.iter().find(|(key, _)| *key == "rest");
    if let (Some((_, rest)), Some(_)) = (rest, rule.field(Field::Args)) {
        let fault = Fault::new(rest.line, "either `args` or `rest`", "both");
        return Err(fault.help("`args` is the path to the arguments; with `rest` all other keys of the item are the arguments"));
    }
    Ok(rule)
}

fn boolean(key: &str, node: &YamlNode) -> Result<bool> {
    match node.value {
        Yaml::Bool(it) => Ok(it),
        _ => Err(Fault::value(key, node, "`true` or `false`")),
    }
}

/// The keys that are not arguments.
fn rest(key: &str, node: &YamlNode) -> Result<Vec<String>> {
    let wrong = || Fault::value(key, node, "`true`, or `{without: [keys]}`");
    match &node.value {
        Yaml::Bool(true) => Ok(Vec::new()),
        Yaml::Map(members) if members.len() == 1 && members[0].0.name == "without" => {
            let Yaml::List(keys) = &members[0].1.value else {
                return Err(wrong());
            };
            let keys = keys.iter().map(|key| key.text().map(ToOwned::to_owned));
            keys.collect::<Option<_>>().ok_or_else(wrong)
        }
        Yaml::Map(members) if !members.is_empty() => {
            let other = members.iter().find(|(key, _)| key.name != "without");
            let other = other.map_or(&members[0].0, |(key, _)| key);
            let found = format!("`{}`", other.name);
            let fault = Fault::new(other.line, "the key `without` alone in `rest`", found);
            Err(fault.help("did you mean `without`?"))
        }
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn error(text: &str) -> String {
        let error = Map::parse("shop.yaml", text).unwrap_err();
        let help = error.help.as_deref().map(|help| format!(" ({help})"));
        format!("{error}{}", help.unwrap_or_default())
    }

    #[test]
    fn a_map_is_yaml_or_json_and_is_named_as_its_file_unless_it_says_a_name() {
        for (text, name) in [
            ("call: {name: tool}", "shop"),
            (
                "map: log\ncall:\n- name: tool\n- {name: $key, at: a.*, rest: true}\n",
                "log",
            ),
            (
                r#"{"map": "log", "run": {"k": ["a", 1, "none", {"not": true}]}, "call": {"name": "n", "rest": {"without": ["x"]}}}"#,
                "log",
            ),
            ("messages: log.body\nmeta: {reward: result.reward}", "shop"),
        ] {
            assert_eq!(
                Map::parse("maps/shop.yaml", text).unwrap().name,
                name,
                "{text}"
            );
        }
        assert_eq!(
            [stem("a/b.jsonl.gz"), stem("b"), stem(".b"), stem("a.b.csv")],
            ["b", "b", ".b", "a.b"]
        );
    }

    #[test]
    fn errors_name_the_line_and_the_nearest_key() {
        for (text, expected) in [
            (
                "map: x\ncalls: {name: n}",
                "shop.yaml:2: expected a key of a map, found `calls` (did you mean `call`?)",
            ),
            (
                "call:\n  nam: n",
                "shop.yaml:2: expected a key of `call`, found `nam` (did you mean `name`?)",
            ),
            (
                "run: s",
                "shop.yaml:1: expected a map with `call`, found one without (`call` says where the calls are; `messages` where messages in a known format are)",
            ),
            (
                "call:\n  id: n",
                "shop.yaml:2: expected `name` in `call`, found none (`name` is the path to the name of the tool)",
            ),
            (
                "call:\n  name: n\n  args: a\n  rest: true",
                "shop.yaml:4: expected either `args` or `rest`, found both (`args` is the path to the arguments; with `rest` all other keys of the item are the arguments)",
            ),
            (
                "call:\n  name: a..b",
                "shop.yaml:2: expected a path for `name`, found `a..b` (a key is missing; keys are joined by dots: `event.payload.tool`)",
            ),
            (
                "call:\n  name: n\n  result: out",
                "shop.yaml:3: expected a key of `call`, found `result` (did you mean `output`?)",
            ),
            (
                "call:\n  name: n\n  rest: {witout: [a]}",
                "shop.yaml:3: expected the key `without` alone in `rest`, found `witout` (did you mean `without`?)",
            ),
            (
                "call:\n  name: tool name",
                "shop.yaml:2: expected a path for `name`, found `tool name` (a key with a space is written in double quotes, in YAML as '\"tool name\"'; keys are joined by dots: `event.payload.tool`)",
            ),
            (
                "call:\n  name: [0]",
                "shop.yaml:2: expected a path for `name`, found a list (a path that begins with `[` is written in single quotes)",
            ),
        ] {
            assert_eq!(error(text), expected);
        }
    }

    #[test]
    fn what_a_key_does_not_take_is_an_error() {
        for text in [
            "",
            "7",
            "[]",
            "call: []",
            "call: n",
            "call: {name: 7}",
            "map: 7\ncall: {name: n}",
            "map: ''\ncall: {name: n}",
            "call: {name: n, when: k}",
            "call: {name: n, when: {}}",
            "call: {name: n, when: []}",
            "call: {name: n, when: {k: []}}",
            "call: {name: n, when: {k: [a, [b]]}}",
            "call: {name: n, when: {k: null}}",
            "call: {name: n, when: {k: {nor: 1}}}",
            "call: {name: n, when: {k: {}}}",
            "call: {name: n, when: {k.: 1}}",
            "call: {name: n, rest: false}",
            "call: {name: n, rest: {without: x}}",
            "call: {name: n, optional: 1}",
            "call: {name: n}\nknown_by: k",
            "call: {name: n}\nskip: []",
            "call: {name: n}\nskip: [7]",
            "call: {name: n}\nrun: 7",
            "call: {name: n}\nrun:",
            "call: {name: n}\nstep: {}",
            "call: {name: n}\nresult: []",
            "call: {name: n}\nresult: {rest: true}",
            "call: {name: n}\nresult: {start: a}",
            "call: {name: n, at: ^a}",
            "call: {name: $file}",
            "call: {name: n}\nmeta: {}",
            "call: {name: n}\n---\ncall: {name: n}",
            "call: {name: n}\norder: a.*",
        ] {
            assert!(Map::parse("shop.yaml", text).is_err(), "{text}");
        }
        let long = format!("call: {{name: n}}\n# {}", "x".repeat(LARGEST));
        assert!(
            error(&long).starts_with("shop.yaml:1: expected a map of at most 65536 bytes, found ")
        );
    }
}
