//! Tests the interpreter against a slow twin, rewritten from the documentation of maps: it copies values and shares no code.

use proptest::prelude::*;
use serde_json::{Map, Value, json};

use super::traces;

/// Choices, taken from bytes one by one; the first option when no bytes are left.
struct Choose<'b>(std::slice::Iter<'b, u8>);

impl Choose<'_> {
    fn of<T: Clone>(&mut self, all: &[T]) -> T {
        let byte = usize::from(self.0.next().copied().unwrap_or_default());
        all[byte % all.len()].clone()
    }

    fn member(&mut self, object: &mut Map<String, Value>, key: &str, values: &[Value]) {
        let value = self.of(values);
        if value != json!("absent") {
            object.insert(key.to_owned(), value);
        }
    }

    fn item(&mut self, depth: usize) -> Value {
        let mut item = Map::new();
        self.member(
            &mut item,
            "i",
            &[
                json!("absent"),
                json!("x"),
                json!("y"),
                json!(1),
                json!(true),
            ],
        );
        self.member(&mut item, "m", &[json!("absent"), json!("b")]);
        self.member(
            &mut item,
            "n",
            &[
                json!("a"),
                json!("b"),
                json!(""),
                json!(null),
                json!(7),
                json!("absent"),
            ],
        );
        self.member(
            &mut item,
            "o",
            &[json!("absent"), json!(1), json!("z"), json!(null)],
        );
        if depth > 0 {
            let q = self.values(depth - 1);
            self.member(&mut item, "q", &[json!("absent"), q]);
        }
        self.member(&mut item, "v", &[json!("absent"), json!(1)]);
        Value::Object(item)
    }

    fn values(&mut self, depth: usize) -> Value {
        match self.of(&[0, 1, 2, 3, 4, 5]) {
            0 => json!([self.item(depth)]),
            1 => json!([self.item(depth), self.item(depth)]),
            2 => json!([]),
            3 => self.item(depth),
            4 => json!({"a": self.item(depth), "b": [self.item(depth)]}),
            _ => json!({}),
        }
    }

    fn record(&mut self) -> Value {
        let Value::Object(mut record) = self.item(0) else {
            unreachable!()
        };
        self.member(&mut record, "b", &[json!("absent"), json!(1)]);
        self.member(
            &mut record,
            "k",
            &[json!("c"), json!("r"), json!("d"), json!("e")],
        );
        let p = self.values(1);
        self.member(&mut record, "p", &[json!("absent"), p]);
        self.member(
            &mut record,
            "s",
            &[json!(1), json!("1"), json!("2"), json!("absent")],
        );
        self.member(
            &mut record,
            "t",
            &[json!("absent"), json!(1), json!("2"), json!(0.5)],
        );
        let w = self.values(0);
        self.member(&mut record, "w", &[json!("absent"), w]);
        self.member(
            &mut record,
            "x",
            &[json!("absent"), json!("absent"), json!("absent"), json!(1)],
        );
        Value::Object(record)
    }

    fn rule(&mut self, whens: &[Value], ats: &[&str], names: &[&str]) -> Value {
        let mut rule = Map::new();
        self.member(&mut rule, "when", whens);
        let at = json!(self.of(ats));
        self.member(&mut rule, "at", &[at]);
        let name = json!(self.of(names));
        self.member(&mut rule, "name", &[name]);
        self.member(&mut rule, "id", &[json!("absent"), json!("i"), json!("^i")]);
        self.member(&mut rule, "output", &[json!("absent"), json!("o")]);
        self.member(
            &mut rule,
            "where",
            &[
                json!("absent"),
                json!({"v": {"not": "none"}}),
                json!({"v": "none"}),
            ],
        );
        Value::Object(rule)
    }

    fn map(&mut self) -> Value {
        let mut map = Map::new();
        self.member(
            &mut map,
            "run",
            &[json!("absent"), json!("s"), json!({"b": 1})],
        );
        self.member(&mut map, "order", &[json!("absent"), json!("t")]);
        let ats = ["absent", "p", "p.q", "p.*", "p.*.q", "p | w"];
        let names = ["n", "n | m", "^n", "$key", "^$key"];
        let whens = [
            json!("absent"),
            json!({"k": "c"}),
            json!([{"k": ["c", "d"]}, {"b": 1}]),
        ];
        let mut calls = vec![self.rule(&whens, &ats, &names)];
        if self.of(&[false, true]) {
            calls.push(self.rule(&whens, &ats, &names));
        }
        for call in &mut calls {
            call["optional"] = json!(true);
        }
        map.insert("call".to_owned(), json!(calls));
        let result = self.rule(
            &[json!("absent"), json!({"k": "r"})],
            &["absent", "w", "p"],
            &["absent", "n"],
        );
        self.member(&mut map, "result", &[json!("absent"), result]);
        self.member(
            &mut map,
            "step",
            &[json!("absent"), json!({"b": 1}), json!("p")],
        );
        self.member(&mut map, "skip", &[json!("absent"), json!({"x": 1})]);
        self.member(&mut map, "finished", &[json!("absent"), json!({"k": "e"})]);
        Value::Object(map)
    }
}

/// A level on the path to a value: the value, the last key, and the indices of members and items from the record.
#[derive(Clone, Debug)]
struct Level {
    value: Value,
    key: String,
    way: Vec<(usize, bool)>,
}

/// The levels from the record to an item.
type Chain = Vec<Level>;

fn get(chain: &[Level], path: &str) -> Option<Value> {
    path.split(" | ").find_map(|path| {
        let rest = path.trim_start_matches('^');
        let level = chain.iter().rev().nth(path.len() - rest.len())?;
        let found = match rest {
            "$key" => (!level.key.is_empty()).then(|| json!(level.key)),
            "$item" => Some(level.value.clone()),
            _ => rest
                .split('.')
                .try_fold(level.value.clone(), |value, key| value.get(key).cloned()),
        };
        found.filter(|value| !value.is_null())
    })
}

fn holds(conditions: &Value, chain: &[Level]) -> bool {
    let groups = match conditions {
        Value::Null => return true,
        Value::Array(groups) => groups.clone(),
        group => vec![group.clone()],
    };
    let group = |group: &Value| {
        group
            .as_object()
            .unwrap()
            .iter()
            .all(|(path, test)| passes(test, get(chain, path)))
    };
    groups.iter().any(group)
}

fn passes(test: &Value, found: Option<Value>) -> bool {
    match test {
        Value::Array(tests) => tests.iter().any(|test| passes(test, found.clone())),
        Value::Object(test) => !passes(&test["not"], found),
        Value::String(word) if word == "none" => found.is_none(),
        value => found.as_ref() == Some(value),
    }
}

/// The items at `at`, and the numbers of non-empty and empty lists at its end.
fn items(record: &Level, at: &str) -> (Vec<Chain>, usize, usize) {
    for path in at.split(" | ") {
        let steps: Vec<_> = path.split('.').collect();
        let (mut found, mut full, mut empty) = (Vec::new(), 0, 0);
        let start = (record.clone(), true);
        let any = walk(&[], &start, &steps, &mut found, &mut full, &mut empty);
        if any {
            return (found, full, empty);
        }
    }
    (Vec::new(), 0, 0)
}

/// A value, and true if it is a level.
type Here = (Level, bool);

fn inner(here: &Here, value: &Value, key: Option<&str>, index: usize) -> Level {
    let mut way = here.0.way.clone();
    way.push((index, key.is_none()));
    Level {
        value: value.clone(),
        key: key.unwrap_or(&here.0.key).to_owned(),
        way,
    }
}

fn walk(
    before: &[Level],
    here: &Here,
    steps: &[&str],
    found: &mut Vec<Chain>,
    full: &mut usize,
    empty: &mut usize,
) -> bool {
    let (level, is_level) = here;
    let mut outer = before.to_vec();
    if *is_level {
        outer.push(level.clone());
    }
    if level.value.is_null() {
        return false;
    }
    if let Value::Array(list) = &level.value {
        let full_list = list.iter().enumerate().filter(|(_, item)| !item.is_null());
        let inner: Vec<Here> = full_list
            .map(|(index, item)| (inner(here, item, None, index), true))
            .collect();
        if steps.is_empty() {
            *(if list.is_empty() { empty } else { full }) += 1;
            found.extend(
                inner
                    .into_iter()
                    .map(|(item, _)| [outer.clone(), vec![item]].concat()),
            );
            return true;
        }
        let all: Vec<bool> = inner
            .iter()
            .map(|item| walk(&outer, item, steps, found, full, empty))
            .collect();
        return all.contains(&true);
    }
    let Some((step, rest)) = steps.split_first() else {
        if level.value.is_object() || *is_level {
            found.push([before.to_vec(), vec![level.clone()]].concat());
        }
        return true;
    };
    let Value::Object(object) = &level.value else {
        return false;
    };
    if *step == "*" {
        if object.is_empty() && rest.is_empty() {
            *empty += 1;
            return true;
        }
        let values: Vec<Here> = object
            .iter()
            .enumerate()
            .map(|(index, (key, value))| (inner(here, value, Some(key), index), !value.is_array()))
            .collect();
        let all: Vec<bool> = values
            .iter()
            .map(|value| walk(&outer, value, rest, found, full, empty))
            .collect();
        return all.contains(&true);
    }
    let member = object.iter().enumerate().find(|(_, (key, _))| key == step);
    member.is_some_and(|(index, (key, value))| {
        walk(
            &outer,
            &(inner(here, value, Some(key), index), false),
            rest,
            found,
            full,
            empty,
        )
    })
}

#[derive(Debug)]
struct TwinCall {
    record: usize,
    way: Vec<(usize, bool)>,
    name: String,
    id: Option<String>,
    output: Option<Value>,
    step: Option<String>,
    is_answered: bool,
}

struct TwinResult {
    record: usize,
    way: Vec<(usize, bool)>,
    id: Option<String>,
    name: Option<String>,
    output: Option<Value>,
}

fn label(value: Option<Value>) -> Option<String> {
    match value? {
        Value::String(text) => Some(text),
        Value::Number(number) => Some(number.to_string()),
        _ => None,
    }
}

fn looked_at(rule: &Value, record: &Level) -> (Vec<Chain>, usize, usize) {
    if !holds(&rule["when"], std::slice::from_ref(record)) {
        return (Vec::new(), 0, 0);
    }
    let (all, full, empty) = match rule["at"].as_str() {
        Some(at) => items(record, at),
        None => (vec![vec![record.clone()]], 0, 0),
    };
    (
        all.into_iter()
            .filter(|chain| holds(&rule["where"], chain))
            .collect(),
        full,
        empty,
    )
}

fn field(rule: &Value, field: &str, chain: &[Level]) -> Option<Value> {
    get(chain, rule[field].as_str()?)
}

/// The contents of a run's records.
#[derive(Default)]
struct TwinRun {
    calls: Vec<TwinCall>,
    results: Vec<TwinResult>,
    step: Option<String>,
    /// True if some record could not have held calls.
    has_other: bool,
    is_finished: bool,
}

/// The run of these records, as text.
fn run(map: &Value, id: Option<&str>, mut records: Vec<Value>) -> String {
    if let Some(order) = map["order"].as_str() {
        records = in_order(order, records);
    }
    let mut run = TwinRun::default();
    for (place, record) in records.iter().enumerate() {
        let record = Level {
            value: record.clone(),
            key: String::new(),
            way: Vec::new(),
        };
        let (steps, mut may_hold) = steps(map, place, &record, &mut run);
        may_hold |= read_calls(map, place, &record, &steps, &mut run);
        read_results(&map["result"], place, &record, &mut run);
        run.is_finished |=
            !map["finished"].is_null() && holds(&map["finished"], std::slice::from_ref(&record));
        run.has_other |= !may_hold;
    }
    let orphans = pair(&mut run);
    let is_run = !run.calls.is_empty() || orphans == 0 && (run.is_finished || !run.has_other);
    let mut lines = vec![format!("{id:?} {orphans} orphans, recorded: {is_run}")];
    let mut last: Option<&TwinCall> = None;
    for call in &run.calls {
        let is_together = call.step.is_some() && last.is_some_and(|last| last.step == call.step);
        let output = call.output.as_ref().map(ToString::to_string);
        lines.push(line(
            &call.name,
            call.id.as_deref(),
            output.as_deref(),
            is_together,
        ));
        last = Some(call);
    }
    lines.join("\n")
}

fn line(name: &str, id: Option<&str>, output: Option<&str>, is_together: bool) -> String {
    let together = if is_together { " with the last" } else { "" };
    format!("{name} {id:?} {output:?}{together}")
}

/// A record without a number stays behind its predecessor.
fn in_order(order: &str, records: Vec<Value>) -> Vec<Value> {
    let mut last = f64::NEG_INFINITY;
    let mut keyed: Vec<(f64, Value)> = Vec::new();
    for record in records {
        let number = match record.get(order) {
            Some(Value::String(text)) => text.parse().ok(),
            Some(value) => value.as_f64(),
            None => None,
        };
        last = number.unwrap_or(last);
        keyed.push((last, record));
    }
    keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
    keyed.into_iter().map(|(_, record)| record).collect()
}

type Ways = Vec<Vec<(usize, bool)>>;

/// The positions of the steps in a record, and true if it begins or contains one.
fn steps(map: &Value, place: usize, record: &Level, run: &mut TwinRun) -> (Ways, bool) {
    match &map["step"] {
        Value::String(path) => {
            let chains = items(record, path).0;
            let ways: Ways = chains
                .iter()
                .map(|chain| chain.last().unwrap().way.clone())
                .collect();
            let leads = !ways.is_empty();
            (ways, leads)
        }
        Value::Null => (Vec::new(), false),
        conditions => {
            let begins = holds(conditions, std::slice::from_ref(record));
            if begins {
                run.step = Some(format!("from {place}"));
            }
            (Vec::new(), begins)
        }
    }
}

/// Reads the calls of a record; true if it has an empty list of calls.
fn read_calls(map: &Value, place: usize, record: &Level, steps: &Ways, run: &mut TwinRun) -> bool {
    let mut has_empty_list = false;
    let mut own: Vec<TwinCall> = Vec::new();
    for rule in map["call"].as_array().unwrap() {
        let (all, full, empty) = looked_at(rule, record);
        has_empty_list |= empty > 0 && full == 0;
        for chain in all {
            let way = chain.last().unwrap().way.clone();
            let name = field(rule, "name", &chain).and_then(|it| it.as_str().map(str::to_owned));
            let Some(name) = name.filter(|name| !name.is_empty()) else {
                continue;
            };
            if own.iter().any(|call| call.way == way) {
                continue;
            }
            let item = steps.iter().find(|step| way.starts_with(step));
            own.push(TwinCall {
                record: place,
                name,
                id: label(field(rule, "id", &chain)),
                output: field(rule, "output", &chain),
                step: item
                    .map(|item| format!("{place} {item:?}"))
                    .or_else(|| run.step.clone()),
                is_answered: false,
                way,
            });
        }
    }
    own.sort_by(|one, other| one.way.cmp(&other.way));
    run.calls.extend(own);
    has_empty_list
}

fn read_results(rule: &Value, place: usize, record: &Level, run: &mut TwinRun) {
    if rule.is_null() {
        return;
    }
    for chain in looked_at(rule, record).0 {
        let output = field(rule, "output", &chain);
        if output.is_some() || !rule["when"].is_null() || !rule["where"].is_null() {
            run.results.push(TwinResult {
                record: place,
                way: chain.last().unwrap().way.clone(),
                id: label(field(rule, "id", &chain)),
                name: field(rule, "name", &chain).and_then(|it| it.as_str().map(str::to_owned)),
                output,
            });
        }
    }
}

/// Pairs results with calls; returns the number of unpaired results.
fn pair(run: &mut TwinRun) -> usize {
    let mut orphans = 0;
    for result in std::mem::take(&mut run.results) {
        let answers = |call: &TwinCall| match (&result.id, &result.name) {
            (Some(id), _) => !call.is_answered && call.id.as_ref() == Some(id),
            (None, name) => {
                let is_open = !call.is_answered && call.output.is_none();
                let is_named = name.as_ref().is_none_or(|name| *name == call.name);
                is_open && is_before(call, &result) && is_named
            }
        };
        if let Some(call) = run.calls.iter_mut().find(|call| answers(call)) {
            call.is_answered = true;
            call.output = result.output.or(call.output.take());
        } else {
            orphans += 1;
        }
    }
    orphans
}

fn is_before(call: &TwinCall, result: &TwinResult) -> bool {
    if call.record != result.record {
        return call.record < result.record;
    }
    let parting = call
        .way
        .iter()
        .zip(&result.way)
        .find(|(one, other)| one != other);
    parting.is_none_or(|(one, other)| !one.1 || one.0 < other.0)
}

/// The twin's result.
fn by_twin(map: &Value, records: &[Value]) -> Result<Vec<String>, ()> {
    let mut runs: Vec<(Option<String>, Vec<Value>)> = Vec::new();
    let mut is_run_found = false;
    for record in records {
        let level = Level {
            value: record.clone(),
            key: String::new(),
            way: Vec::new(),
        };
        if !map["skip"].is_null() && holds(&map["skip"], std::slice::from_ref(&level)) {
            continue;
        }
        let place = match &map["run"] {
            Value::Null => {
                runs.push((None, Vec::new()));
                Some(runs.len() - 1)
            }
            Value::String(path) => label(get(std::slice::from_ref(&level), path)).map(|id| {
                let known = runs
                    .iter()
                    .position(|(known, _)| known.as_ref() == Some(&id));
                known.unwrap_or_else(|| {
                    runs.push((Some(id), Vec::new()));
                    runs.len() - 1
                })
            }),
            begins => {
                if holds(begins, std::slice::from_ref(&level)) {
                    runs.push((None, Vec::new()));
                }
                runs.len().checked_sub(1)
            }
        };
        if let Some(place) = place {
            is_run_found = true;
            runs[place].1.push(record.clone());
            continue;
        }
        let alone = run(map, None, vec![record.clone()]);
        if alone.contains('\n') || !alone.starts_with("None 0") {
            return Err(());
        }
    }
    if !map["run"].is_null() && !is_run_found {
        return Err(());
    }
    Ok(runs
        .into_iter()
        .map(|(id, records)| run(map, id.as_deref(), records))
        .collect())
}

/// The interpreter's result.
fn by_interpreter(map: &Value, records: &[Value]) -> Result<Vec<String>, ()> {
    let lines: Vec<_> = records.iter().map(ToString::to_string).collect();
    let mut runs = Vec::new();
    for (_, trace) in traces(&map.to_string(), "log.jsonl", &lines.join("\n")) {
        let trace = trace.map_err(|_| ())?;
        let id = trace.id.as_ref().map(ToString::to_string);
        let (orphans, is_run) = (trace.report.orphans, !trace.lacks_run);
        let mut lines = vec![format!("{id:?} {orphans} orphans, recorded: {is_run}")];
        let mut group = None;
        for call in &trace.calls {
            let id = call.id.as_ref().map(ToString::to_string);
            let is_together = call.group.is_some() && call.group == group;
            let name = call.name.to_string();
            lines.push(line(
                &name,
                id.as_deref(),
                call.output.as_deref(),
                is_together,
            ));
            group.clone_from(&call.group);
        }
        runs.push(lines.join("\n"));
    }
    Ok(runs)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn the_interpreter_reads_what_its_slow_twin_reads(bytes in prop::collection::vec(any::<u8>(), 30..160)) {
        let mut choose = Choose(bytes.iter());
        let map = choose.map();
        let count = choose.of(&[1, 2, 3, 4, 6]);
        let records: Vec<_> = (0..count).map(|_| choose.record()).collect();
        prop_assert_eq!(by_interpreter(&map, &records), by_twin(&map, &records), "{} {:#?}", map, records);
    }
}
