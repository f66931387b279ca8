//! Generates small cases from bytes: few names, few values, all settings, so that calls often nearly match.
//!
//! Each byte is one choice. When the bytes run out, the first and simplest option is chosen. So a fuzzer that changes a byte changes one
//! thing, and a test that shortens the bytes simplifies the case.

/// The remaining choices.
#[derive(Debug)]
pub struct Choices<'b>(&'b [u8]);

const PLAIN_NAMES: &str = r#""a"|"b""#;
const NAMES: &str = r#""a"|"b"|"A"|"a b"|"a_b"|""|"é"|"\ud83d"|"0""#;
const PLAIN_KEYS: &str = r#""a"|"b""#;
const KEYS: &str = r#""a"|"b"|"c"|"__proto__"|"0"|"content"|"\ud83d"|"\ue000""#;
const PLAIN_VALUES: &str = "1|2|1.0|true";
const VALUES: &str = r#"1|2|1.0|true|null|"x"|"1"|0|-0.0|false|""|[]|{}|[1]|[1.0]|["x"]|{"0":"x"}|"xy"|["x","y"]|{"a":1}|{"a":1,"a":true}
|9007199254740993|9007199254740992.0|9007199254740992|10000000000000000000000|1e22|1e400
|"\ud83d"|"\ud83d\ude42"|"abcd"|"abxd"|-1|{"a":null}|[null]|0.1"#;

impl<'b> Choices<'b> {
    /// The choices encoded in these bytes.
    pub fn new(bytes: &'b [u8]) -> Self {
        Self(bytes)
    }

    /// A number below `limit`.
    pub fn below(&mut self, limit: usize) -> usize {
        let Some((&first, rest)) = self.0.split_first() else {
            return 0;
        };
        self.0 = rest;
        usize::from(first) % limit
    }

    /// True once in `times` times.
    pub fn rarely(&mut self, times: usize) -> bool {
        self.below(times) == times - 1
    }

    /// One of several values.
    pub fn one<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len())]
    }

    /// One of several texts separated by `|`.
    pub fn of<'s>(&mut self, alternatives: &'s str) -> &'s str {
        let alternatives: Vec<&str> = alternatives.split('|').map(str::trim).collect();
        self.one(&alternatives)
    }

    /// Once in `times` times any value, else the result of `draw`.
    pub fn odd_or(&mut self, times: usize, draw: fn(&mut Self) -> String) -> String {
        if self.rarely(times) {
            self.value()
        } else {
            draw(self)
        }
    }

    /// The name of a tool as JSON.
    pub fn name(&mut self) -> &'static str {
        // Mostly the first two, so that calls match.
        let rare = self.rarely(3);
        self.of(if rare { NAMES } else { PLAIN_NAMES })
    }

    /// A value as JSON.
    pub fn value(&mut self) -> String {
        match self.below(8) {
            7 => self.object(),
            6 => format!("[{}]", self.list(2, Self::value)),
            5 => self.of(VALUES).to_owned(),
            _ => self.of(PLAIN_VALUES).to_owned(),
        }
    }

    /// An object, sometimes with repeated keys.
    pub fn object(&mut self) -> String {
        let entries = self.list(3, |choices| {
            let rare = choices.rarely(4);
            let key = choices.of(if rare { KEYS } else { PLAIN_KEYS });
            format!("{key}:{}", choices.value())
        });
        format!("{{{entries}}}")
    }

    /// Up to `most` items, separated by commas.
    pub fn list(&mut self, most: usize, mut item: impl FnMut(&mut Self) -> String) -> String {
        let length = self.below(most + 1);
        let items: Vec<String> = (0..length).map(|_| item(self)).collect();
        items.join(",")
    }

    /// Optional entries, as an object.
    pub fn entries(&mut self, entries: &[(&str, &str)]) -> String {
        let mut given = Vec::new();
        for (key, values) in entries {
            if self.below(2) == 1 {
                given.push(format!("\"{key}\":{}", self.of(values)));
            }
        }
        format!("{{{}}}", given.join(","))
    }
}

/// A text as a JSON string.
pub fn quoted(text: &str) -> String {
    format!("\"{}\"", text.replace('\\', "\\\\").replace('"', "\\\""))
}

/// A case as JSON text: the constructor's settings, the expected and the actual side.
pub(crate) type Parts = (String, String, String);

pub(crate) const FLAGS: &str = "true|false";

/// A list for JavaScript, where values may have any type.
pub(crate) fn items<'b>(
    choices: &mut Choices<'b>,
    name: &str,
    arguments: &str,
    odd_name: fn(&mut Choices<'b>) -> String,
) -> String {
    if choices.rarely(24) {
        return choices.of("null|[]|[null]").to_owned();
    }
    let calls = choices.list(5, |choices| {
        if choices.rarely(24) {
            return choices.value();
        }
        let mut fields = Vec::new();
        if !choices.rarely(16) {
            let odd = choices.rarely(16);
            fields.push(format!(
                "\"{name}\":{}",
                if odd {
                    odd_name(choices)
                } else {
                    choices.name().to_owned()
                }
            ));
        }
        if !choices.rarely(10) {
            let value = choices.odd_or(6, Choices::object);
            fields.push(format!("\"{arguments}\":{value}"));
        }
        format!("{{{}}}", fields.join(","))
    });
    format!("[{calls}]")
}
