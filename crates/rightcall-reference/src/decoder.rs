//! A second JSON decoder, to check the first one: recursive, by characters, without a fast path.

use rightcall_core::value::{Integer, MAX_DEPTH, Syntax, Value};

/// A decoded value in the simplest form.
#[derive(Clone, Debug)]
pub enum Plain {
    /// `null`.
    Null,
    /// `true`, `false`.
    Bool(bool),
    /// The digits of a number without decimal point and exponent, `-0` as `0`.
    Integer(String),
    /// Any other number.
    Float(f64),
    /// Code points, lone surrogates included.
    String(Vec<u32>),
    /// A list.
    List(Vec<Plain>),
    /// The entries in order of first appearance.
    Object(Vec<(Vec<u32>, Plain)>),
}

impl Plain {
    /// True if it contains neither an infinite number nor `NaN`.
    pub fn is_finite(&self) -> bool {
        match self {
            Self::Float(float) => float.is_finite(),
            Self::List(items) => items.iter().all(Self::is_finite),
            Self::Object(entries) => entries.iter().all(|(_, value)| value.is_finite()),
            _ => true,
        }
    }
}

/// Decodes a text; `None` if it is invalid.
pub fn decode(text: &str, syntax: Syntax) -> Option<Plain> {
    let mut decoder = Decoder {
        characters: text.chars().collect(),
        at: 0,
        syntax,
    };
    let value = decoder.value(0)?;
    decoder.white_space();
    (decoder.at == decoder.characters.len()).then_some(value)
}

/// True if both decoders return the same, with floats equal to the bit and entries in order.
pub fn same(plain: &Plain, value: &Value<'_>) -> bool {
    match (plain, value) {
        (Plain::Null, Value::Null) => true,
        (Plain::Bool(plain), Value::Bool(value)) => plain == value,
        (Plain::Integer(plain), Value::Integer(value)) => {
            let fits = plain.parse::<i64>().is_ok();
            *plain == value.to_string() && fits == matches!(value, Integer::Small(_))
        }
        (Plain::Float(plain), Value::Float(value)) => {
            plain.to_bits() == value.to_bits() || plain.is_nan() && value.is_nan()
        }
        (Plain::String(plain), Value::String(value)) => {
            value.code_points().eq(plain.iter().copied())
        }
        (Plain::List(plain), Value::List(value)) => {
            plain.len() == value.len()
                && plain
                    .iter()
                    .zip(value)
                    .all(|(plain, value)| same(plain, value))
        }
        (Plain::Object(plain), Value::Object(value)) => {
            plain.len() == value.len()
                && plain
                    .iter()
                    .zip(value)
                    .all(|((plain_key, plain), (key, value))| {
                        key.code_points().eq(plain_key.iter().copied()) && same(plain, value)
                    })
        }
        _ => false,
    }
}

struct Decoder {
    characters: Vec<char>,
    at: usize,
    syntax: Syntax,
}

impl Decoder {
    fn peek(&self) -> Option<char> {
        self.characters.get(self.at).copied()
    }

    fn take(&mut self, wanted: char) -> Option<()> {
        (self.peek() == Some(wanted)).then(|| self.at += 1)
    }

    fn word(&mut self, word: &str) -> Option<()> {
        word.chars()
            .try_for_each(|character| self.take(character).ok_or(()))
            .ok()
    }

    fn white_space(&mut self) {
        while matches!(self.peek(), Some(' ' | '\t' | '\n' | '\r')) {
            self.at += 1;
        }
    }

    fn value(&mut self, depth: usize) -> Option<Plain> {
        self.white_space();
        match self.peek()? {
            'n' => self.word("null").map(|()| Plain::Null),
            't' => self.word("true").map(|()| Plain::Bool(true)),
            'f' => self.word("false").map(|()| Plain::Bool(false)),
            'N' if self.syntax.non_finite => self.word("NaN").map(|()| Plain::Float(f64::NAN)),
            'I' if self.syntax.non_finite => {
                self.word("Infinity").map(|()| Plain::Float(f64::INFINITY))
            }
            '"' => self.string().map(Plain::String),
            '[' => self.list(depth + 1),
            '{' => self.object(depth + 1),
            _ => self.number(),
        }
    }

    fn list(&mut self, depth: usize) -> Option<Plain> {
        self.allowed(depth)?;
        self.take('[')?;
        self.white_space();
        let mut items = Vec::new();
        if self.take(']').is_some() {
            return Some(Plain::List(items));
        }
        loop {
            items.push(self.value(depth)?);
            self.white_space();
            if self.take(']').is_some() {
                return Some(Plain::List(items));
            }
            self.take(',')?;
        }
    }

    fn object(&mut self, depth: usize) -> Option<Plain> {
        self.allowed(depth)?;
        self.take('{')?;
        self.white_space();
        let mut entries: Vec<(Vec<u32>, Plain)> = Vec::new();
        if self.take('}').is_some() {
            return Some(Plain::Object(entries));
        }
        loop {
            self.white_space();
            let key = self.string()?;
            self.white_space();
            self.take(':')?;
            let value = self.value(depth)?;
            match entries.iter_mut().find(|(known, _)| *known == key) {
                Some(entry) => entry.1 = value,
                None => entries.push((key, value)),
            }
            self.white_space();
            if self.take('}').is_some() {
                return Some(Plain::Object(entries));
            }
            self.take(',')?;
        }
    }

    fn allowed(&self, depth: usize) -> Option<()> {
        (depth <= self.syntax.max_depth.min(MAX_DEPTH)).then_some(())
    }

    fn string(&mut self) -> Option<Vec<u32>> {
        self.take('"')?;
        let mut units = Vec::new();
        loop {
            let character = self.peek()?;
            self.at += 1;
            match character {
                '"' => return Some(units),
                '\\' => {
                    let unit = self.escape()?;
                    let pair = (units.last().copied(), unit);
                    match pair {
                        // Surrogates only come from escapes, so the last unit is the previous escape.
                        (Some(high @ 0xD800..=0xDBFF), 0xDC00..=0xDFFF) => {
                            units.pop();
                            units.push(0x1_0000 + (high - 0xD800) * 0x400 + (unit - 0xDC00));
                        }
                        _ => units.push(unit),
                    }
                }
                '\0'..='\u{1F}' if !self.syntax.control_characters => return None,
                _ => units.push(u32::from(character)),
            }
        }
    }

    fn escape(&mut self) -> Option<u32> {
        let character = self.peek()?;
        self.at += 1;
        Some(match character {
            '"' | '\\' | '/' => u32::from(character),
            'b' => 8,
            'f' => 12,
            'n' => 10,
            'r' => 13,
            't' => 9,
            'u' => {
                let digits: String = self.characters.get(self.at..self.at + 4)?.iter().collect();
                if !digits.chars().all(|digit| digit.is_ascii_hexdigit()) {
                    return None;
                }
                self.at += 4;
                u32::from_str_radix(&digits, 16).ok()?
            }
            _ => return None,
        })
    }

    fn number(&mut self) -> Option<Plain> {
        let from = self.at;
        let negative = self.take('-').is_some();
        if negative && self.syntax.non_finite && self.peek() == Some('I') {
            return self
                .word("Infinity")
                .map(|()| Plain::Float(f64::NEG_INFINITY));
        }
        let whole = self.digits();
        if whole.is_empty() || whole.len() > 1 && whole.starts_with('0') {
            return None;
        }
        let mut is_integer = true;
        if self.take('.').is_some() {
            is_integer = false;
            (!self.digits().is_empty()).then_some(())?;
        }
        if matches!(self.peek(), Some('e' | 'E')) {
            is_integer = false;
            self.at += 1;
            if matches!(self.peek(), Some('+' | '-')) {
                self.at += 1;
            }
            (!self.digits().is_empty()).then_some(())?;
        }
        if !is_integer {
            let text: String = self.characters[from..self.at].iter().collect();
            return text.parse().ok().map(Plain::Float);
        }
        if whole.len() > 4300 {
            return None;
        }
        let sign = if negative && whole != "0" { "-" } else { "" };
        Some(Plain::Integer(format!("{sign}{whole}")))
    }

    fn digits(&mut self) -> String {
        let mut digits = String::new();
        while let Some(digit @ '0'..='9') = self.peek() {
            digits.push(digit);
            self.at += 1;
        }
        digits
    }
}
