//! Literals that models write instead of JSON, such as `{'city': "L'Aquila", 'metric': True,}`.
//!
//! Strings in Python quotes, `True` or `true`, lists, tuples, objects with string keys, JSON numbers with an optional `+`, trailing
//! commas. Names, arithmetic and calls aren't literals.

use std::ops::Range;

use memchr::memchr3;
use rightcall_core::value::python::parse_literal;
use rightcall_core::value::{JsonWriter, Text, Value};

/// Literal words and their JSON.
const WORDS: [(&str, &str); 6] = [
    ("true", "true"),
    ("false", "false"),
    ("null", "null"),
    ("True", "true"),
    ("False", "false"),
    ("None", "null"),
];

/// A literal in a text.
#[derive(Clone, Debug)]
pub(super) struct WrittenLiteral<'t> {
    pub(super) written: &'t str,
    pub(super) content: LiteralContent<'t>,
}

#[derive(Clone, Debug)]
pub(super) enum LiteralContent<'t> {
    /// A number or a word, as JSON.
    Plain(&'t str),
    Text(Text<'t>),
    List(Vec<WrittenLiteral<'t>>),
    Object(Vec<(Text<'t>, WrittenLiteral<'t>)>),
}

impl WrittenLiteral<'_> {
    pub(super) fn write(&self, writer: &mut JsonWriter) {
        match &self.content {
            LiteralContent::Plain(json) => _ = writer.raw(json),
            LiteralContent::Text(text) => _ = writer.text(text),
            LiteralContent::List(items) => {
                writer.begin_list();
                items.iter().for_each(|item| item.write(writer));
                writer.end_list();
            }
            LiteralContent::Object(members) => {
                writer.begin_object();
                for (key, value) in members {
                    writer.key_text(key);
                    value.write(writer);
                }
                writer.end_object();
            }
        }
    }
}

/// The offset where a literal is broken; the length of the text if the text ends inside it.
type Broken = usize;

/// The literal at this offset, with a nesting limit, and its end.
///
/// # Errors
/// The offset where it is broken.
pub(super) fn literal_at(
    text: &str,
    at: usize,
    depth: usize,
) -> Result<(WrittenLiteral<'_>, usize), Broken> {
    let mut parser = Parser { text, at, depth };
    let literal = parser.value()?;
    Ok((literal, parser.at))
}

/// The quoted string at this offset, and its end.
///
/// # Errors
/// The offset where it is broken.
pub(super) fn quoted_at(text: &str, at: usize) -> Result<(Text<'_>, usize), Broken> {
    let end = quotes_end(text, at, false)?;
    let token = &text[at..end];
    let width = quote_width(token);
    let inside = &token[width..token.len() - width];
    if memchr3(b'\\', b'\r', 0, inside.as_bytes()).is_none() {
        return Ok((Text::new(inside), end));
    }
    match parse_literal(&Text::new(token)) {
        Ok(Value::String(decoded)) => Ok((decoded, end)),
        _ => Err(at),
    }
}

/// The number of quotes on each side of a quoted string.
fn quote_width(token: &str) -> usize {
    let triple = ["\"\"\"", "'''"].iter().any(|it| token.starts_with(it));
    if triple { 3 } else { 1 }
}

/// The end of the quoted string at this offset.
fn quotes_end(text: &str, at: usize, line_breaks: bool) -> Result<usize, Broken> {
    let bytes = text.as_bytes();
    let Some(quote @ (b'"' | b'\'')) = bytes.get(at).copied() else {
        return Err(at);
    };
    let width = quote_width(&text[at..]);
    let stop = if width == 1 && !line_breaks {
        b'\n'
    } else {
        quote
    };
    let mut from = at + width;
    loop {
        let rest = bytes.get(from..).unwrap_or_default();
        let found = memchr3(quote, b'\\', stop, rest).ok_or(text.len())?;
        let found = from + found;
        match bytes[found] {
            b'\\' => from = found + 2,
            b'\n' => return Err(found),
            _ if width == 1 => return Ok(found + 1),
            _ if bytes[found..].starts_with(&[quote; 3]) => return Ok(found + 3),
            _ => from = found + 1,
        }
    }
}

/// Finds the ends of quoted strings that may contain line breaks. The last end per kind of quote is cached: quotes inside the string are
/// all escaped, so a search from any of them ends at the same offset. That way, searches from many offsets scan the text only once.
#[derive(Debug, Default)]
pub(super) struct LooseQuotes {
    known: Vec<KnownEnd>,
    /// The number of bytes scanned.
    pub(super) work: usize,
}

#[derive(Debug)]
struct KnownEnd {
    quote: u8,
    width: usize,
    at: usize,
    /// Start offsets whose searches all end at the same place.
    inside: Range<usize>,
    end: Option<usize>,
}

impl LooseQuotes {
    /// Shorter strings are not cached.
    const SHORT: usize = 8;

    /// The end of the quoted string at this offset; `None` if it is unclosed.
    pub(super) fn end(&mut self, text: &str, at: usize) -> Option<usize> {
        let quote = *text.as_bytes().get(at)?;
        let width = quote_width(&text[at..]);
        let known = self
            .known
            .iter()
            .position(|it| it.quote == quote && it.width == width);
        let known = known.and_then(|known| self.known.get_mut(known));
        let is_it = |it: &&&mut KnownEnd| it.at == at || it.inside.contains(&at);
        if let Some(known) = known.as_ref().filter(is_it) {
            return known.end;
        }
        let end = quotes_end(text, at, true).ok();
        let length = end.unwrap_or(text.len()) - at;
        self.work += length;
        // A quote directly before the end is part of the delimiter.
        let found = KnownEnd {
            quote,
            width,
            at,
            inside: at + width..end.map_or(text.len(), |end| end + 1 - 2 * width),
            end,
        };
        match known {
            _ if length <= Self::SHORT => {}
            Some(known) => *known = found,
            None => self.known.push(found),
        }
        end
    }
}

struct Parser<'t> {
    text: &'t str,
    at: usize,
    /// The remaining nesting levels.
    depth: usize,
}

impl<'t> Parser<'t> {
    fn rest(&self) -> &'t str {
        self.text.get(self.at..).unwrap_or_default()
    }

    /// The next byte after white space; an error at the end of the text.
    fn peek(&mut self) -> Result<u8, Broken> {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
        self.rest().bytes().next().ok_or(self.text.len())
    }

    fn takes(&mut self, byte: u8) -> Result<bool, Broken> {
        let found = self.peek()? == byte;
        self.at += usize::from(found);
        Ok(found)
    }

    fn value(&mut self) -> Result<WrittenLiteral<'t>, Broken> {
        let first = self.peek()?;
        let from = self.at;
        let content = match first {
            b'{' => self.nested(Self::object)?,
            b'[' => self.nested(Self::list)?,
            b'(' => self.nested(Self::tuple)?,
            b'"' | b'\'' => LiteralContent::Text(self.quoted()?),
            b'+' | b'-' | b'0'..=b'9' => LiteralContent::Plain(self.number()?),
            _ => LiteralContent::Plain(self.word()?),
        };
        Ok(WrittenLiteral {
            written: &self.text[from..self.at],
            content,
        })
    }

    /// Reads a bracket and its contents.
    fn nested(
        &mut self,
        read: fn(&mut Self) -> Result<LiteralContent<'t>, Broken>,
    ) -> Result<LiteralContent<'t>, Broken> {
        self.depth = self.depth.checked_sub(1).ok_or(self.at)?;
        self.at += 1;
        let content = read(self);
        self.depth += 1;
        content
    }

    fn quoted(&mut self) -> Result<Text<'t>, Broken> {
        let (text, end) = quoted_at(self.text, self.at)?;
        self.at = end;
        Ok(text)
    }

    /// Items up to a bracket, and true if an item is followed by a comma.
    fn items(&mut self, close: u8) -> Result<(Vec<WrittenLiteral<'t>>, bool), Broken> {
        let (mut items, mut comma) = (Vec::new(), false);
        while !self.takes(close)? {
            if !items.is_empty() && !comma {
                return Err(self.at);
            }
            items.push(self.value()?);
            comma = self.takes(b',')?;
        }
        Ok((items, comma))
    }

    fn list(&mut self) -> Result<LiteralContent<'t>, Broken> {
        self.items(b']')
            .map(|(items, _)| LiteralContent::List(items))
    }

    /// A tuple, or a value in parentheses.
    fn tuple(&mut self) -> Result<LiteralContent<'t>, Broken> {
        let (mut items, comma) = self.items(b')')?;
        match items.pop() {
            Some(only) if items.is_empty() && !comma => Ok(only.content),
            last => {
                items.extend(last);
                Ok(LiteralContent::List(items))
            }
        }
    }

    fn object(&mut self) -> Result<LiteralContent<'t>, Broken> {
        let (mut members, mut comma) = (Vec::new(), true);
        while !self.takes(b'}')? {
            if !comma {
                return Err(self.at);
            }
            let key = self.quoted()?;
            if !self.takes(b':')? {
                return Err(self.at);
            }
            members.push((key, self.value()?));
            comma = self.takes(b',')?;
        }
        Ok(LiteralContent::Object(members))
    }

    /// A JSON number, without a leading `+`.
    fn number(&mut self) -> Result<&'t str, Broken> {
        let rest = self.rest();
        let number = rest.strip_prefix('+').unwrap_or(rest);
        let is_part =
            |letter: char| letter.is_alphanumeric() || matches!(letter, '_' | '.' | '+' | '-');
        let length = number
            .find(|letter| !is_part(letter))
            .unwrap_or(number.len());
        let (number, after) = number.split_at(length);
        if is_number(number) && !(number.starts_with('-') && rest.starts_with('+')) {
            self.at = self.text.len() - after.len();
            return Ok(number);
        }
        Err(if after.is_empty() {
            self.text.len()
        } else {
            self.at
        })
    }

    fn word(&mut self) -> Result<&'static str, Broken> {
        let rest = self.rest();
        let length = rest.find(|letter: char| !letter.is_alphanumeric() && letter != '_');
        let word = &rest[..length.unwrap_or(rest.len())];
        if let Some((_, json)) = WORDS.iter().find(|(known, _)| *known == word) {
            self.at += word.len();
            return Ok(json);
        }
        let is_cut = length.is_none() && WORDS.iter().any(|(known, _)| known.starts_with(word));
        Err(if is_cut { self.text.len() } else { self.at })
    }
}

/// True for a JSON number.
pub(super) fn is_number(text: &str) -> bool {
    let digits = |text: &str| {
        text.len()
            - text
                .trim_start_matches(|it: char| it.is_ascii_digit())
                .len()
    };
    let text = text.strip_prefix('-').unwrap_or(text);
    let whole = digits(text);
    if whole == 0 || whole > 1 && text.starts_with('0') {
        return false;
    }
    let mut rest = &text[whole..];
    if let Some(fraction) = rest.strip_prefix('.') {
        let length = digits(fraction);
        if length == 0 {
            return false;
        }
        rest = &fraction[length..];
    }
    if let Some(exponent) = rest.strip_prefix(['e', 'E']) {
        let exponent = exponent.strip_prefix(['+', '-']).unwrap_or(exponent);
        return !exponent.is_empty() && digits(exponent) == exponent.len();
    }
    rest.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn json(text: &str) -> Option<String> {
        let (literal, end) = literal_at(text, 0, 100).ok()?;
        let mut writer = JsonWriter::new();
        literal.write(&mut writer);
        (end == text.len()).then(|| writer.finish().into_string())
    }

    #[test]
    fn literals_of_python_are_json() {
        for (text, expected) in [
            (
                r#"{'a': "L'Aquila", "b": True, 'c': None,}"#,
                r#"{"a":"L'Aquila","b":true,"c":null}"#,
            ),
            (
                "[1, +2, -3.5e2, false, (4, 5), (), (6,), (7)]",
                "[1,2,-3.5e2,false,[4,5],[],[6],7]",
            ),
            (r"'it\'s \d \x41 \n'", r#""it's \\d A \n""#),
            ("'''a\n'b' \"c\"'''", r#""a\n'b' \"c\"""#),
            (r#""""a""""#, r#""a""#),
            ("''", r#""""#),
            ("[ ]", "[]"),
        ] {
            assert_eq!(json(text).as_deref(), Some(expected), "{text}");
        }
    }

    #[test]
    fn other_expressions_are_no_literals() {
        for text in [
            "", "home", "1/6", "f()", "{1: 2}", "{'a'}", "[,]", "[1 2]", "'a' 'b'", "r'a'",
            "'a\nb'", "NaN", "01", ".5", "1_000", "0x10", "+-1", "1.", "(,)", "-", "{'a': 1",
            "\u{e9}",
        ] {
            assert_eq!(json(text), None, "{text}");
        }
        assert_eq!(json(&"[".repeat(100_000)), None);
    }

    #[test]
    fn a_cut_literal_breaks_at_the_end_of_the_text() {
        for text in [
            "{'a': 'b",
            "[1, ",
            "{'a'",
            "[tru",
            "[-",
            "'''a'",
            "{'a': \"b\\",
        ] {
            assert_eq!(literal_at(text, 0, 9).err(), Some(text.len()), "{text}");
        }
        assert_eq!(literal_at("[1, x]", 0, 9).err(), Some(4));
        assert_eq!(literal_at("['a\nb", 0, 9).err(), Some(3));
    }

    #[test]
    fn loose_quotes_hold_line_breaks() {
        let end = |text: &str| LooseQuotes::default().end(text, 0);
        assert_eq!(end("'a\nb\\'c' d"), Some(8));
        assert_eq!(end("'''a'b''' d"), Some(9));
        assert_eq!(end("\"a"), None);
        assert_eq!(end("\"a\\\""), None);
    }

    proptest::proptest! {
        #[test]
        fn kept_ends_are_those_of_a_plain_search(parts in proptest::collection::vec(0..6_usize, 0..30)) {
            let text: String = parts.iter().map(|&it| ["'", "\"", "\\", "a", "'''", "\\'"][it]).collect();
            let mut quotes = LooseQuotes::default();
            for (at, _) in text.char_indices().filter(|(_, it)| matches!(it, '"' | '\'')) {
                let plain = quotes_end(&text, at, true).ok();
                proptest::prop_assert_eq!(quotes.end(&text, at), plain, "{} {}", &text, at);
            }
        }
    }
}
