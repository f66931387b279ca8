//! Case files for benchmarks: seeded, and the same bytes on every machine.
//!
//! A line is `{"id":"c1","expected":[{"name":…,"args":{…}},…],"actual":[…]}`. The actual calls are derived from the expected ones. Most are
//! kept, some with their keys in another order. Others get different arguments or another name, are removed, or are followed by an extra
//! call. Finally some neighbours are swapped.

use std::io::{self, Write};

use crate::json::Json;
use crate::random::Random;

/// The contents of a case file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// The kind of calls.
    pub calls_like: CallsLike,
    /// The number of cases.
    pub cases: usize,
    /// The number of expected calls in a case.
    pub calls: usize,
    /// The number of different tools, at most 100.
    pub tools: usize,
}

/// The kind of calls in a workload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CallsLike {
    /// Three small arguments, about 120 bytes a call; the number of calls varies by up to 50 % either way.
    Varied,
    /// Three small arguments.
    Small,
    /// No arguments; the two sides are unrelated.
    Names,
    /// Two texts of 50 to 500 characters, edited in the actual calls.
    Texts,
    /// A document of about 20 kB.
    Documents,
    /// Three small arguments; the actual side is a list of messages.
    Messages,
}

/// Every workload by name, with its default size.
pub const WORKLOADS: [(&str, Workload); 7] = [
    ("w1", Workload::new(CallsLike::Varied, 100_000, 8, 100)),
    ("w2", Workload::new(CallsLike::Small, 2_000, 200, 100)),
    ("w3", Workload::new(CallsLike::Names, 1, 1_000, 20)),
    ("w4", Workload::new(CallsLike::Texts, 10_000, 2, 3)),
    ("w5", Workload::new(CallsLike::Documents, 500, 4, 100)),
    ("w6", Workload::new(CallsLike::Messages, 100_000, 5, 100)),
    ("wl", Workload::new(CallsLike::Small, 1, 1_000, 20)),
];

impl Workload {
    const fn new(calls_like: CallsLike, cases: usize, calls: usize, tools: usize) -> Self {
        Self {
            calls_like,
            cases,
            calls,
            tools,
        }
    }

    /// Finds a workload by name.
    pub fn named(name: &str) -> Option<Self> {
        WORKLOADS
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, workload)| *workload)
    }

    /// Writes all cases.
    ///
    /// # Errors
    /// An error of the writer.
    pub fn write(self, out: &mut dyn Write) -> io::Result<()> {
        let mut maker = Maker {
            workload: self,
            random: Random::new(self.calls_like as u64 + 1),
        };
        for number in 1..=self.cases {
            let (expected, actual) = maker.case();
            writeln!(
                out,
                r#"{{"id":"c{number}","expected":{expected},"actual":{actual}}}"#
            )?;
        }
        Ok(())
    }
}

const VERBS: [&str; 10] = [
    "get", "list", "search", "create", "update", "delete", "send", "fetch", "book", "cancel",
];
const NOUNS: [&str; 10] = [
    "user", "order", "invoice", "flight", "ticket", "report", "document", "calendar", "payment",
    "record",
];
const KEYS: [&str; 9] = [
    "user_id", "limit", "date", "status", "region", "amount", "page", "verbose", "city",
];
const CITIES: [&str; 8] = [
    "Paris",
    "New York",
    "Tokyo",
    "Sao Paulo",
    "Berlin",
    "Zürich",
    "Nairobi",
    "Oslo",
];
const WORDS: [&str; 39] = [
    "the",
    "customer",
    "asked",
    "for",
    "a",
    "refund",
    "because",
    "order",
    "was",
    "delayed",
    "in",
    "transit",
    "and",
    "agent",
    "should",
    "check",
    "shipping",
    "status",
    "before",
    "issuing",
    "credit",
    "note",
    "to",
    "account",
    "owner",
    "then",
    "send",
    "email",
    "with",
    "summary",
    "of",
    "next",
    "steps",
    "including",
    "expected",
    "date",
    "amount",
    "reference",
    "number",
];

/// The size of a document, in bytes.
const DOCUMENT: usize = 20_000;

#[derive(Clone, Debug)]
struct Call {
    tool: usize,
    arguments: Vec<(&'static str, Json)>,
}

struct Maker {
    workload: Workload,
    random: Random,
}

impl Maker {
    /// Both sides of one case as JSON.
    fn case(&mut self) -> (Json, Json) {
        let mean = self.workload.calls;
        let count = match self.workload.calls_like {
            CallsLike::Varied => self.random.between((mean / 2).max(1), mean + mean / 2),
            _ => mean,
        };
        let expected: Vec<Call> = (0..count).map(|_| self.call()).collect();
        let actual = match self.workload.calls_like {
            CallsLike::Names => (0..count).map(|_| self.call()).collect(),
            CallsLike::Texts => expected.iter().map(|call| self.edited(call)).collect(),
            _ => self.derived(&expected),
        };
        let actual = match self.workload.calls_like {
            CallsLike::Messages => messages(actual),
            _ => side(actual),
        };
        (side(expected), actual)
    }

    fn call(&mut self) -> Call {
        let tool = self.random.between(0, self.workload.tools - 1);
        let arguments = match self.workload.calls_like {
            CallsLike::Names => Vec::new(),
            CallsLike::Varied | CallsLike::Small | CallsLike::Messages => self.small_arguments(),
            CallsLike::Texts => vec![
                ("subject", self.text(50, 500)),
                ("body", self.text(50, 500)),
            ],
            CallsLike::Documents => self.document(),
        };
        Call { tool, arguments }
    }

    fn small_arguments(&mut self) -> Vec<(&'static str, Json)> {
        let mut keys = KEYS;
        self.random.shuffle(&mut keys);
        ["query", keys[0], keys[1]]
            .map(|key| (key, self.small_value(key)))
            .into()
    }

    fn small_value(&mut self, key: &str) -> Json {
        match key {
            "limit" | "page" => Json::Integer(self.random.between(1, 499) as u64),
            "amount" => Json::Decimal(self.random.between(100, 500_000) as u64),
            "verbose" => Json::Bool(self.random.percent(50)),
            "date" => Json::Text(format!(
                "2026-{:02}-{:02}",
                self.random.between(1, 12),
                self.random.between(1, 28)
            )),
            "user_id" => Json::Text(format!("usr_{:08x}", self.random.bits() >> 32)),
            "city" => Json::Text(self.random.choose(&CITIES).to_owned()),
            _ => {
                let words: Vec<&str> = (0..self.random.between(3, 6))
                    .map(|_| self.random.choose(&WORDS))
                    .collect();
                Json::Text(words.join(" "))
            }
        }
    }

    /// A text with a random length in this range, in characters.
    fn text(&mut self, low: usize, high: usize) -> Json {
        let length = self.random.between(low, high);
        let mut text = String::new();
        while text.len() <= length {
            text += if self.random.percent(2) {
                self.random.choose(&CITIES)
            } else {
                self.random.choose(&WORDS)
            };
            text.push(' ');
        }
        Json::Text(text.chars().take(length).collect())
    }

    fn document(&mut self) -> Vec<(&'static str, Json)> {
        let (mut rows, mut size) = (Vec::new(), 0);
        while size < DOCUMENT {
            let price = vec![
                (
                    "amount",
                    Json::Decimal(self.random.between(100, 99_900) as u64),
                ),
                ("currency", Json::Text("EUR".to_owned())),
                ("tax", Json::Integer(self.random.between(0, 24) as u64)),
            ];
            let row = Json::Object(vec![
                (
                    "id",
                    Json::Text(format!("rec_{:08x}", self.random.bits() >> 32)),
                ),
                ("title", self.text(20, 60)),
                (
                    "tags",
                    Json::List(
                        (0..3)
                            .map(|_| Json::Text(self.random.choose(&WORDS).to_owned()))
                            .collect(),
                    ),
                ),
                ("price", Json::Object(price)),
                ("active", Json::Bool(self.random.percent(50))),
                (
                    "note",
                    if self.random.percent(30) {
                        Json::Null
                    } else {
                        self.text(30, 90)
                    },
                ),
            ]);
            size += row.to_string().len();
            rows.push(row);
        }
        let total = rows.len() as u64;
        vec![
            ("kind", Json::Text("batch".to_owned())),
            ("rows", Json::List(rows)),
            ("total", Json::Integer(total)),
        ]
    }

    fn derived(&mut self, expected: &[Call]) -> Vec<Call> {
        let mut actual = Vec::with_capacity(expected.len());
        for call in expected {
            if self.random.percent(70) {
                let mut call = call.clone();
                if self.random.between(1, 3) == 1 {
                    self.shuffle_keys(&mut call.arguments);
                }
                actual.push(call);
                continue;
            }
            match self.random.between(1, 10) {
                1..=6 => actual.push(self.mutated(call)),
                7..=8 => {}
                _ => actual.extend([call.clone(), self.call()]),
            }
        }
        for second in 1..actual.len() {
            if self.random.percent(10) {
                actual.swap(second - 1, second);
            }
        }
        actual
    }

    /// Shuffles the keys of an object and of nested objects; the object stays equal.
    fn shuffle_keys(&mut self, entries: &mut [(&'static str, Json)]) {
        self.random.shuffle(entries);
        entries
            .iter_mut()
            .for_each(|(_, value)| self.shuffle_keys_of(value));
    }

    fn shuffle_keys_of(&mut self, value: &mut Json) {
        match value {
            Json::Object(entries) => self.shuffle_keys(entries),
            Json::List(items) => items.iter_mut().for_each(|item| self.shuffle_keys_of(item)),
            _ => {}
        }
    }

    /// A call with a different argument or a different name.
    fn mutated(&mut self, call: &Call) -> Call {
        if self.random.percent(30) {
            return self.call();
        }
        let mut call = call.clone();
        if self.workload.calls_like == CallsLike::Documents {
            self.raise_a_price(&mut call.arguments);
        } else {
            let changed = self.random.between(0, call.arguments.len() - 1);
            let key = call.arguments[changed].0;
            call.arguments[changed].1 = self.small_value(key);
        }
        call
    }

    fn raise_a_price(&mut self, document: &mut [(&'static str, Json)]) {
        let Some(Json::List(rows)) = document
            .iter_mut()
            .find(|(key, _)| *key == "rows")
            .map(|(_, rows)| rows)
        else {
            return;
        };
        let row = self.random.between(0, rows.len() - 1);
        let amount = member(&mut rows[row], "price").and_then(|price| member(price, "amount"));
        if let Some(Json::Decimal(hundredths)) = amount {
            *hundredths += 100;
        }
    }

    /// The same call with some words of its texts dropped, replaced or added. The number of edits varies from text to text.
    fn edited(&mut self, call: &Call) -> Call {
        let mut call = call.clone();
        for (_, value) in &mut call.arguments {
            let Json::Text(text) = value else { continue };
            let rate = [0, 5, 20, 60][self.random.between(0, 3)];
            let words: Vec<String> = text
                .split(' ')
                .map(|word| self.edited_word(word, rate))
                .collect();
            *text = words.join(" ");
        }
        call
    }

    fn edited_word(&mut self, word: &str, rate: usize) -> String {
        if !self.random.percent(rate) {
            return word.to_owned();
        }
        match self.random.between(1, 10) {
            1..=4 => self.random.choose(&WORDS).to_owned(),
            5..=7 => String::new(),
            _ => format!("{word} {}", self.random.choose(&WORDS)),
        }
    }
}

fn member<'j>(object: &'j mut Json, key: &str) -> Option<&'j mut Json> {
    let Json::Object(entries) = object else {
        return None;
    };
    entries
        .iter_mut()
        .find(|(known, _)| *known == key)
        .map(|(_, value)| value)
}

impl Call {
    fn name(&self) -> Json {
        let (verb, noun) = (self.tool % VERBS.len(), self.tool / VERBS.len());
        Json::Text(format!("{}_{}", VERBS[verb], NOUNS[noun]))
    }
}

fn side(calls: Vec<Call>) -> Json {
    let call = |call: Call| {
        Json::Object(vec![
            ("name", call.name()),
            ("args", Json::Object(call.arguments)),
        ])
    };
    Json::List(calls.into_iter().map(call).collect())
}

/// The calls as messages of the chat API: a question, and for each call a message of the assistant and one of the tool.
fn messages(calls: Vec<Call>) -> Json {
    let text = |text: &str| Json::Text(text.to_owned());
    let question = Json::Object(vec![
        ("role", text("user")),
        ("content", text("please check my order")),
    ]);
    let mut messages = vec![question];
    for (number, call) in calls.into_iter().enumerate() {
        let id = || Json::Text(format!("call_{number}"));
        let function = Json::Object(vec![
            ("name", call.name()),
            (
                "arguments",
                Json::Text(Json::Object(call.arguments).to_string()),
            ),
        ]);
        let call = Json::Object(vec![
            ("id", id()),
            ("type", text("function")),
            ("function", function),
        ]);
        messages.push(Json::Object(vec![
            ("role", text("assistant")),
            ("content", Json::Null),
            ("tool_calls", Json::List(vec![call])),
        ]));
        messages.push(Json::Object(vec![
            ("role", text("tool")),
            ("tool_call_id", id()),
            ("content", text("done")),
        ]));
    }
    Json::List(messages)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(name: &str, cases: usize, calls: usize) -> String {
        let workload = Workload {
            cases,
            calls,
            ..Workload::named(name).unwrap()
        };
        let mut out = Vec::new();
        workload.write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    /// Figures are comparable only if the workload is the same byte for byte.
    #[test]
    fn every_workload_keeps_its_bytes() {
        let digest = |name, cases, calls| {
            format!(
                "{name} {:08x}",
                crc32fast::hash(text(name, cases, calls).as_bytes())
            )
        };
        let found = [
            digest("w1", 50, 8),
            digest("w2", 2, 200),
            digest("w3", 1, 1_000),
            digest("w4", 20, 2),
            digest("w5", 2, 4),
            digest("w6", 10, 5),
            digest("wl", 2, 250),
        ];
        let known = "w1 b81c6605, w2 a87d6eb3, w3 341ad729, w4 94162858, w5 aba820f3, w6 b2aa29d0, wl f802411b";
        assert_eq!(found.join(", "), known);
    }

    #[test]
    fn a_longer_file_begins_with_the_shorter_one() {
        assert!(text("w1", 20, 8).starts_with(&text("w1", 10, 8)));
    }

    #[test]
    fn every_line_is_a_case_of_calls() {
        for (name, workload) in WORKLOADS {
            for line in text(name, 3, workload.calls.min(20)).lines() {
                let case: serde_json::Value = serde_json::from_str(line).unwrap();
                assert!(case["expected"][0]["args"].is_object(), "{name}: {line}");
                assert!(case["actual"].is_array(), "{name}: {line}");
            }
        }
    }
}
