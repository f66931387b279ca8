//! The bare parse, the unit of our figures: `serde_json` parses a file line by line into borrowed
//! structs with the fields that a reader of calls needs, and does nothing else.

use std::borrow::Cow;
use std::fs::File;
use std::hint::black_box;
use std::io::{self, BufRead as _, BufReader};
use std::path::Path;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

type Text<'a> = Cow<'a, str>;

/// Structs whose fields are parsed and never read.
macro_rules! parsed {
    ($($(#[$attribute:meta])* $name:ident { $($(#[$of_field:meta])* $field:ident: $kind:ty,)* })*) => {$(
        #[derive(Deserialize)]
        #[expect(dead_code, reason = "what is parsed is not read")]
        $(#[$attribute])*
        struct $name<'a> { $(#[serde(borrow)] $(#[$of_field])* $field: $kind,)* }
    )*};
}

/// A call with its arguments as values.
#[derive(Deserialize)]
#[expect(dead_code, reason = "what is parsed is not read")]
struct Call<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    args: Value,
}

#[derive(Deserialize)]
#[expect(dead_code, reason = "what is parsed is not read")]
struct Function<'a> {
    #[serde(borrow)]
    name: Text<'a>,
    #[serde(deserialize_with = "in_text")]
    arguments: Value,
}

parsed! {
    Case { id: Text<'a>, expected: Vec<Call<'a>>, actual: Vec<Call<'a>>, }
    Chat { id: Text<'a>, expected: Vec<Call<'a>>, actual: Vec<Message<'a>>, }
    Message {
        role: Text<'a>,
        content: Option<Text<'a>>,
        tool_call_id: Option<Text<'a>>,
        #[serde(default)] tool_calls: Vec<ToolCall<'a>>,
    }
    ToolCall { id: Text<'a>, function: Function<'a>, }
    #[serde(rename_all = "camelCase")] Request { resource_spans: Vec<Resource<'a>>, }
    #[serde(rename_all = "camelCase")] Resource { scope_spans: Vec<Scope<'a>>, }
    Scope { spans: Vec<OtlpSpan<'a>>, }
    #[serde(rename_all = "camelCase")] OtlpSpan {
        trace_id: Text<'a>,
        span_id: Text<'a>,
        parent_span_id: Option<Text<'a>>,
        name: Text<'a>,
        start_time_unix_nano: Text<'a>,
        end_time_unix_nano: Text<'a>,
        attributes: Vec<Attribute<'a>>,
    }
    Attribute { key: Text<'a>, value: AnyValue<'a>, }
    #[serde(rename_all = "camelCase")] AnyValue { string_value: Option<Text<'a>>, int_value: Option<Text<'a>>, }
}

/// A JSON text in a string.
fn in_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let text = Text::<'de>::deserialize(deserializer)?;
    serde_json::from_str(&text).map_err(D::Error::custom)
}

/// Parses a case file; returns the number of cases.
pub(crate) fn cases(file: &Path) -> io::Result<usize> {
    lines(file, |line| {
        serde_json::from_slice::<Case<'_>>(line).map(|it| drop(black_box(it)))
    })
}

/// Parses a case file with a list of messages in each case.
pub(crate) fn messages(file: &Path) -> io::Result<usize> {
    lines(file, |line| {
        serde_json::from_slice::<Chat<'_>>(line).map(|it| drop(black_box(it)))
    })
}

/// Parses a file with one export request of OpenTelemetry per line.
pub(crate) fn spans(file: &Path) -> io::Result<usize> {
    lines(file, |line| {
        serde_json::from_slice::<Request<'_>>(line).map(|it| drop(black_box(it)))
    })
}

fn lines(file: &Path, parse: impl Fn(&[u8]) -> serde_json::Result<()>) -> io::Result<usize> {
    let mut reader = BufReader::with_capacity(1 << 20, File::open(file)?);
    let (mut line, mut count) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        parse(&line)?;
        count += 1;
        line.clear();
    }
    Ok(count)
}
