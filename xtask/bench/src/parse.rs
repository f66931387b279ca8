//! The bare parse, which every figure is a multiple of: a case file through `serde_json` into typed cases whose arguments
//! are values, and nothing else.

use std::borrow::Cow;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::path::Path;

use serde::Deserialize;
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

/// Reads a case file in blocks of this size.
const BLOCK: usize = 1 << 20;

/// Gives each case of a file to `visit`, and how many there were.
///
/// # Errors
/// What the file system or the parser says.
pub fn each_case(file: &Path, visit: impl FnMut(&ParsedCase<'_>)) -> io::Result<usize> {
    each_case_of(BufReader::with_capacity(BLOCK, File::open(file)?), visit)
}

/// The same of what a reader gives.
///
/// # Errors
/// What the reader or the parser says.
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

/// A request of an exporter of OpenTelemetry, typed as far as a reader of calls needs it.
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

/// Parses the requests of a file, one a line, and tells how many spans there were.
///
/// # Errors
/// What the file system or the parser says.
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
