//! Creates the files.

use std::io::{self, Write};

use flate2::Compression;
use flate2::write::GzEncoder;
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

/// Repeats bytes up to a size.
pub(super) fn fill(to: &mut dyn Write, bytes: &[u8], size: u64) -> io::Result<()> {
    let block = bytes.repeat((1 << 16) / bytes.len());
    let mut left = size;
    while left > 0 {
        let length = usize::try_from(left).unwrap_or(usize::MAX).min(block.len());
        to.write_all(&block[..length])?;
        left -= length as u64;
    }
    Ok(())
}

/// A beginning, a repeated part, and an end.
pub(super) fn wrapped(
    to: &mut dyn Write,
    begin: &str,
    part: &str,
    end: &str,
    size: u64,
) -> io::Result<()> {
    to.write_all(begin.as_bytes())?;
    let length = part.len() as u64;
    fill(to, part.as_bytes(), size / length * length)?;
    to.write_all(end.as_bytes())
}

/// An object over several lines with one long list.
pub(super) fn document(to: &mut dyn Write, part: &str, size: u64) -> io::Result<()> {
    wrapped(to, "{\n\"a\": [", part, "0]}", size)
}

pub(super) fn list(to: &mut dyn Write, part: &str, size: u64) -> io::Result<()> {
    wrapped(to, "[\n", part, "{}]", size)
}

/// A list with one conversation, which has one very long message.
pub(super) fn one_item(to: &mut dyn Write, size: u64) -> io::Result<()> {
    wrapped(
        to,
        "[\n{\"messages\":[{\"role\":\"user\",\"content\":\"",
        "x",
        "\"}]}]",
        size,
    )
}

pub(super) fn gzip(
    to: &mut dyn Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = GzEncoder::new(to, Compression::fast());
    content(&mut encoder)?;
    encoder.finish().map(drop)
}

pub(super) fn zstandard(
    to: &mut dyn Write,
    content: impl FnOnce(&mut dyn Write) -> io::Result<()>,
) -> io::Result<()> {
    let mut encoder = zstd::stream::write::Encoder::new(to, 1)?;
    content(&mut encoder)?;
    encoder.finish().map(drop)
}

/// The magic bytes of a format, followed by zeros.
pub(super) fn begun(to: &mut dyn Write, mark: &[u8], size: u64) -> io::Result<()> {
    to.write_all(mark)?;
    fill(to, &[0], size)
}

pub(super) fn archive_of_nothing(to: &mut dyn Write, size: u64) -> io::Result<()> {
    begun(to, b"PK\x03\x04", size)
}

/// An Inspect log with samples of white space.
pub(super) fn archive(to: &mut dyn Write, samples: u64, size: u64) -> io::Result<()> {
    let mut writer = ZipWriter::new(io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    writer
        .start_file("header.json", options)
        .map_err(io::Error::other)?;
    writer.write_all(br#"{"version":2,"status":"success","eval":{"task":"t"}}"#)?;
    for number in 0..samples {
        writer
            .start_file(format!("samples/{number}.json"), options.large_file(true))
            .map_err(io::Error::other)?;
        fill(&mut writer, b" ", size)?;
    }
    to.write_all(&writer.finish().map_err(io::Error::other)?.into_inner())
}

/// Lists of nine aliases of lists of nine aliases, and so on.
pub(super) fn laughs(to: &mut dyn Write, levels: u64) -> io::Result<()> {
    writeln!(to, "a0: &a0 [x,x,x,x,x,x,x,x,x]")?;
    for level in 1..levels {
        let below = format!("*a{}", level - 1);
        writeln!(to, "a{level}: &a{level} [{}]", [&*below; 9].join(","))?;
    }
    Ok(())
}

/// One long text with many aliases.
pub(super) fn long_laughs(to: &mut dyn Write, size: u64) -> io::Result<()> {
    wrapped(to, "a: &x '", "x", "'\nb: [", size)?;
    wrapped(to, "", "*x,", "*x]\n", 600_000)
}

/// Nested lists, each with an anchor.
pub(super) fn anchors(to: &mut dyn Write, size: u64) -> io::Result<()> {
    const LEVELS: usize = 400;
    let open: Vec<_> = (0..LEVELS).map(|level| format!("&a{level} [")).collect();
    wrapped(
        to,
        &open.concat(),
        "x,",
        &format!("x{}", "]".repeat(LEVELS)),
        size,
    )
}

fn varint(mut number: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while number > 0x7F {
        bytes.push(number as u8 & 0x7F | 0x80);
        number >>= 7;
    }
    bytes.push(number as u8);
    bytes
}

/// The head of a length-delimited field.
fn field(tag: u8, length: u64) -> Vec<u8> {
    [vec![tag << 3 | 2], varint(length)].concat()
}

/// A request with one resource and one scope that holds this span repeatedly.
pub(super) fn resource(to: &mut dyn Write, span: &[u8], size: u64) -> io::Result<()> {
    let length = size / span.len() as u64 * span.len() as u64;
    let scope = field(2, length);
    to.write_all(&field(1, length + scope.len() as u64))?;
    to.write_all(&scope)?;
    fill(to, span, length)
}

/// One span with empty attributes.
pub(super) fn attributes(to: &mut dyn Write, size: u64) -> io::Result<()> {
    let size = size / 2 * 2;
    let span = field(2, size);
    let scope = field(2, size + span.len() as u64);
    to.write_all(&field(1, size + (span.len() + scope.len()) as u64))?;
    to.write_all(&scope)?;
    to.write_all(&span)?;
    fill(to, &[0x4A, 0x00], size)
}

/// A length beyond the end of the file.
pub(super) fn claimed(to: &mut dyn Write, size: u64) -> io::Result<()> {
    to.write_all(&field(1, 1 << 62))?;
    fill(to, &[0], size)
}

/// Cases with arguments at the depth limit, and deeper.
pub(super) fn deep_cases(to: &mut dyn Write, size: u64) -> io::Result<()> {
    let mut left = size;
    for depth in (400..).step_by(7).map(|depth| depth % 600 + 1) {
        let arguments = format!("{}1{}", "{\"a\":".repeat(depth), "}".repeat(depth));
        let calls = format!("[{{\"name\":\"f\",\"args\":{arguments}}}]");
        let case = format!("{{\"expected\":{calls},\"actual\":{calls}}}\n");
        to.write_all(case.as_bytes())?;
        match left.checked_sub(case.len() as u64) {
            Some(rest) => left = rest,
            None => break,
        }
    }
    Ok(())
}

/// One case with very short calls.
pub(super) fn calls(to: &mut dyn Write, size: u64) -> io::Result<()> {
    wrapped(
        to,
        r#"{"id":"a","expected":["#,
        r#"{"name":"f"},"#,
        r#"{"name":"f"}],"#,
        size / 2,
    )?;
    wrapped(
        to,
        r#""actual":["#,
        r#"{"name":"f","args":{}},"#,
        "{\"name\":\"f\",\"args\":{}}]}\n",
        size / 2,
    )
}

/// One case with this many calls on each side, all of one tool and all different.
pub(super) fn pairs(to: &mut dyn Write, calls: u64) -> io::Result<()> {
    let mut list = |begin: &str, from: u64| -> io::Result<()> {
        to.write_all(begin.as_bytes())?;
        for number in from..from + calls {
            let comma = if number > from { "," } else { "" };
            write!(
                to,
                r#"{comma}{{"name":"f","args":{{"id":{number},"limit":10}},"output":"order {number}"}}"#
            )?;
        }
        to.write_all(b"]")
    };
    list(r#"{"id":"a","expected":["#, 0)?;
    list(r#","actual":["#, calls)?;
    to.write_all(b"}\n")
}

/// A comma-separated list.
fn separated(
    to: &mut dyn Write,
    count: u64,
    mut item: impl FnMut(&mut dyn Write, u64) -> io::Result<()>,
) -> io::Result<()> {
    for number in 0..count {
        if number > 0 {
            to.write_all(b",")?;
        }
        item(to, number)?;
    }
    Ok(())
}

/// Three cases of calls in any order, with a run in another order: calls of different tools, of one tool with different arguments, and of
/// one tool that match each other in many ways.
pub(super) fn any_order(to: &mut dyn Write, calls: u64) -> io::Result<()> {
    // The factor is coprime to the number of calls, so this is a permutation.
    let shuffled = |number: u64| number * 7_919 % calls;
    for (id, expected, actual) in [
        ("names", r#""tN""#, r#"{"name":"tN","args":{}}"#),
        (
            "arguments",
            r#"{"name":"t","args":{"id":N}}"#,
            r#"{"name":"t","args":{"id":N}}"#,
        ),
        (
            "bounds",
            r#"{"name":"t","args":{"id":{"$gte":N}}}"#,
            r#"{"name":"t","args":{"id":N}}"#,
        ),
    ] {
        let item = |to: &mut dyn Write, form: &str, number: u64| {
            to.write_all(form.replace('N', &number.to_string()).as_bytes())
        };
        write!(to, r#"{{"id":"{id}","expected":[{{"any_order":["#)?;
        separated(to, calls, |to, number| item(to, expected, number))?;
        to.write_all(br#"]}],"actual":["#)?;
        separated(to, calls, |to, number| item(to, actual, shuffled(number)))?;
        to.write_all(b"]}\n")?;
    }
    Ok(())
}

/// One case of regular expressions, each of the maximum size.
pub(super) fn patterns(to: &mut dyn Write, count: u64) -> io::Result<()> {
    to.write_all(br#"{"id":"a","expected":["#)?;
    separated(to, count, |to, number| {
        let pattern = format!(r"^\\w{{1,150}}-{number}$");
        write!(
            to,
            r#"{{"name":"t","args":{{"id":{{"$pattern":"{pattern}"}}}}}}"#
        )
    })?;
    to.write_all(br#"],"actual":["#)?;
    separated(to, count, |to, number| {
        write!(to, r#"{{"name":"t","args":{{"id":"order-{number}"}}}}"#)
    })?;
    to.write_all(b"]}\n")
}
