//! Small cases out of bytes: few names, few values, all settings, so that calls often nearly match.
//!
//! Each byte is one choice, and where there are no more bytes the first choice is taken, the plainest. So a fuzzer that changes a
//! byte changes one thing, and a test that shortens the bytes simplifies the case.

/// The choices that are left.
#[derive(Debug)]
pub struct Choices<'b>(&'b [u8]);

const NAMES: [&str; 9] = [
    r#""a""#,
    r#""b""#,
    r#""A""#,
    r#""a b""#,
    r#""a_b""#,
    r#""""#,
    r#""é""#,
    r#""\ud83d""#,
    r#""0""#,
];
const KEYS: [&str; 8] = [
    r#""a""#,
    r#""b""#,
    r#""c""#,
    r#""__proto__""#,
    r#""0""#,
    r#""content""#,
    r#""\ud83d""#,
    r#""\ue000""#,
];
const VALUES: [&str; 35] = [
    "1",
    "2",
    "1.0",
    "true",
    "null",
    r#""x""#,
    r#""1""#,
    "0",
    "-0.0",
    "false",
    r#""""#,
    "[]",
    "{}",
    "[1]",
    "[1.0]",
    r#"["x"]"#,
    r#"{"0":"x"}"#,
    r#""xy""#,
    r#"["x","y"]"#,
    r#"{"a":1}"#,
    r#"{"a":1,"a":true}"#,
    "9007199254740993",
    "9007199254740992.0",
    "9007199254740992",
    "10000000000000000000000",
    "1e22",
    "1e400",
    r#""\ud83d""#,
    r#""\ud83d\ude42""#,
    r#""abcd""#,
    r#""abxd""#,
    "-1",
    r#"{"a":null}"#,
    "[null]",
    "0.1",
];

impl<'b> Choices<'b> {
    /// The choices that these bytes make.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// A number below another.
    pub fn below(&mut self, limit: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(first) % limit
    }

    /// True once in so many times.
    pub fn rarely(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of several texts.
    pub fn one<'s>(&mut self, of: &[&'s str]) -> &'s str {
        of[self.below(of.len())]
    }

    /// The name of a tool as JSON.
    pub fn name(&mut self) -> &'static str {
        // The first two often, so that calls meet.
        let rare = self.rarely(3);
        self.one(if rare { &NAMES } else { &NAMES[..2] })
    }

    /// A value as JSON.
    pub fn value(&mut self) -> String {
        match self.below(8) {
            7 => self.object(),
            6 => format!("[{}]", self.list(2, Self::value)),
            5 => self.one(&VALUES).to_owned(),
            _ => self.one(&VALUES[..4]).to_owned(),
        }
    }

    /// An object, with repeated keys now and then.
    pub fn object(&mut self) -> String {
        let entries = self.list(3, |choices| {
            let rare = choices.rarely(4);
            let key = choices.one(if rare { &KEYS } else { &KEYS[..2] });
            format!("{key}:{}", choices.value())
        });
        format!("{{{entries}}}")
    }

    /// Up to so many items, parted by commas.
    pub fn list(&mut self, most: usize, mut item: impl FnMut(&mut Self) -> String) -> String {
        let length = self.below(most + 1);
        let items: Vec<String> = (0..length).map(|_| item(self)).collect();
        items.join(",")
    }

    /// Entries that may each be there or not, as an object.
    pub fn entries(&mut self, entries: &[(&str, &[&str])]) -> String {
        let mut given = Vec::new();
        for (key, values) in entries {
            if self.below(2) == 1 {
                given.push(format!("\"{key}\":{}", self.one(values)));
            }
        }
        format!("{{{}}}", given.join(","))
    }
}

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}
