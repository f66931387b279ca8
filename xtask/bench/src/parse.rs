//! The bare parse, which all figures are multiples of: `serde_json` parses a case file into typed cases with `Value` arguments, and does
//! nothing else.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

/// A case with its arguments as values.
#[derive(Debug, Deserialize)]
pub struct ParsedCase<'a> {
    /// The id.
    #[serde(borrow)]
    pub id: Cow<'a, str>,
    /// The expected calls.
    #[serde(borrow)]
    pub expected: Vec<ParsedCall<'a>>,
    /// The actual calls.
    #[serde(borrow)]
    pub actual: Vec<ParsedCall<'a>>,
}

/// A call of a [`ParsedCase`].
#[derive(Debug, Deserialize)]
pub struct ParsedCall<'a> {
    /// The tool.
    #[serde(borrow)]
    pub name: Cow<'a, str>,
    /// The arguments.
    pub args: Value,
}

/// A case with a list of messages, with the fields that a reader of calls needs.
#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "what is parsed is not looked at")]
struct ParsedMessages<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    expected: Vec<ParsedCall<'a>>,
    #[serde(borrow)]
    actual: Vec<ParsedMessage<'a>>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "what is parsed is not looked at")]
struct ParsedMessage<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow)]
    content: Option<Cow<'a, str>>,
    #[serde(borrow)]
    tool_call_id: Option<Cow<'a, str>>,
    #[serde(borrow, default)]
    tool_calls: Vec<ParsedToolCall<'a>>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "what is parsed is not looked at")]
struct ParsedToolCall<'a> {
    #[serde(borrow)]
    id: Cow<'a, str>,
    #[serde(borrow)]
    function: ParsedFunction<'a>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "what is parsed is not looked at")]
struct ParsedFunction<'a> {
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(deserialize_with = "in_text")]
    arguments: Value,
}

/// A JSON text in a string.
fn in_text<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Value, D::Error> {
    let text = Cow::<'de, str>::deserialize(deserializer)?;
    serde_json::from_str(&text).map_err(D::Error::custom)
}

/// The block size for reading a case file.
const BLOCK: usize = 1 << 20;

/// Passes each case of a file to `visit`, and returns their number.
///
/// # Errors
/// An I/O error or a parse error.
pub fn each_case(file: &Path, visit: impl FnMut(&ParsedCase<'_>)) -> io::Result<usize> {
    each_case_of(BufReader::with_capacity(BLOCK, File::open(file)?), visit)
}

/// Parses a case file with a list of messages in each case, and returns the numbers of cases and of messages.
///
/// # Errors
/// An I/O error or a parse error.
pub fn parse_messages(file: &Path) -> io::Result<(usize, usize)> {
    let mut reader = BufReader::with_capacity(BLOCK, File::open(file)?);
    let (mut line, mut cases, mut messages) = (Vec::new(), 0, 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        let case: ParsedMessages<'_> = serde_json::from_slice(&line)?;
        messages += std::hint::black_box(&case).actual.len();
        cases += 1;
        line.clear();
    }
    Ok((cases, messages))
}

/// Like [`each_case`], for a reader.
///
/// # Errors
/// An error of the reader or a parse error.
pub fn each_case_of(
    mut reader: impl BufRead,
    mut visit: impl FnMut(&ParsedCase<'_>),
) -> io::Result<usize> {
    let (mut line, mut cases) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        visit(&serde_json::from_slice(&line)?);
        cases += 1;
        line.clear();
    }
    Ok(cases)
}

/// An OpenTelemetry export request, with the fields that a reader of calls needs.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ParsedRequest<'a> {
    #[serde(borrow)]
    resource_spans: Vec<ParsedResource<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
struct ParsedResource<'a> {
    #[serde(borrow)]
    scope_spans: Vec<ParsedScope<'a>>,
}

#[derive(Debug, Deserialize)]
struct ParsedScope<'a> {
    #[serde(borrow)]
    spans: Vec<ParsedSpan<'a>>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "what is parsed is not looked at")]
struct ParsedSpan<'a> {
    #[serde(borrow)]
    trace_id: Cow<'a, str>,
    #[serde(borrow)]
    span_id: Cow<'a, str>,
    #[serde(borrow)]
    parent_span_id: Option<Cow<'a, str>>,
    #[serde(borrow)]
    name: Cow<'a, str>,
    #[serde(borrow)]
    start_time_unix_nano: Cow<'a, str>,
    #[serde(borrow)]
    end_time_unix_nano: Cow<'a, str>,
    #[serde(borrow)]
    attributes: Vec<ParsedAttribute<'a>>,
}

#[derive(Debug, Deserialize)]
#[expect(dead_code, reason = "what is parsed is not looked at")]
struct ParsedAttribute<'a> {
    #[serde(borrow)]
    key: Cow<'a, str>,
    #[serde(borrow)]
    value: ParsedValue<'a>,
}

#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
#[expect(dead_code, reason = "what is parsed is not looked at")]
struct ParsedValue<'a> {
    #[serde(borrow)]
    string_value: Option<Cow<'a, str>>,
    #[serde(borrow)]
    int_value: Option<Cow<'a, str>>,
}

/// Parses a file with one request a line, and returns the number of spans.
///
/// # Errors
/// An I/O error or a parse error.
pub fn parse_requests(file: &Path) -> io::Result<usize> {
    let mut reader = BufReader::with_capacity(BLOCK, File::open(file)?);
    let (mut line, mut spans) = (Vec::new(), 0);
    while reader.read_until(b'\n', &mut line)? > 0 {
        let request: ParsedRequest<'_> = serde_json::from_slice(&line)?;
        spans += std::hint::black_box(&request)
            .resource_spans
            .iter()
            .flat_map(|resource| &resource.scope_spans)
            .map(|scope| scope.spans.len())
            .sum::<usize>();
        line.clear();
    }
    Ok(spans)
}
