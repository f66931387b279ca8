use std::io::Write;
use std::path::Path;
use std::sync::Arc;

use flate2::Compression;
use flate2::write::GzEncoder;
use proptest::prelude::*;

use super::*;
use crate::{Format, Limits, ReadOptions};

/// The result of a record: its line, its offset, its text or the error.
type Seen = (u64, u64, Result<String, String>);

/// All records in these bytes, and the final error.
fn read(bytes: &[u8], limits: Limits, target: usize) -> (Vec<Seen>, Option<String>) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    let mut input = Input::open(
        file.path(),
        limits,
        &ReadOptions {
            format: Format::find("cases").ok(),
            ..ReadOptions::default()
        },
    )
    .unwrap();
    let mut seen = Vec::new();
    loop {
        match input.next_block(target) {
            Ok(Some(block)) => {
                seen.extend(block.records().map(|record| {
                    (
                        record.place.line,
                        record.offset,
                        record
                            .content
                            .and_then(|it| Ok(it.text()?.into_owned()))
                            .map_err(|error| error.to_string()),
                    )
                }));
            }
            Ok(None) => {
                assert_eq!(input.bytes_read(), bytes.len() as u64);
                return (seen, None);
            }
            Err(error) => {
                return (
                    seen,
                    Some(error.to_string().replace(&**input.name(), "FILE")),
                );
            }
        }
    }
}

/// Line and text of all records, read in blocks of several sizes.
#[track_caller]
fn check(bytes: &[u8], records: &[(u64, &str)]) {
    for target in [1, 7, 64, 1 << 20] {
        let (seen, error) = read(bytes, Limits::default(), target);
        let seen: Vec<_> = seen
            .iter()
            .map(|(line, _, text)| (*line, text.as_ref().unwrap().as_str()))
            .collect();
        assert_eq!((seen.as_slice(), error), (records, None), "{target}");
    }
}

/// Reads with small limits; returns the line and the text or error of each record, and the final error.
fn bad(bytes: &[u8]) -> (Vec<(u64, String)>, Option<String>) {
    let limits = Limits {
        max_line: 20,
        max_document: 200,
        ..Limits::default()
    };
    let all: Vec<_> = [1, 7, 64, 1 << 20]
        .map(|target| read(bytes, limits, target))
        .into();
    assert!(all.iter().all(|one| *one == all[0]), "{all:?}");
    let (seen, error) = all.into_iter().next().unwrap();
    (
        seen.into_iter()
            .map(|(line, _, text)| (line, text.unwrap_or_else(|error| error)))
            .collect(),
        error,
    )
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn lines_end_at_line_feeds_only() {
    check(
        b"{\"a\":1}\r\n\n  \t\r\n{\"b\":2}\n{}",
        &[(1, "{\"a\":1}"), (4, "{\"b\":2}"), (5, "{}")],
    );
    check(
        "{\"a\":\"\u{2028}\u{85}\u{c}\"}\n".as_bytes(),
        &[(1, "{\"a\":\"\u{2028}\u{85}\u{c}\"}")],
    );
    check(b"", &[]);
    check(b"\n \n", &[]);
    check(b"\xEF\xBB\xBF{}\n", &[(1, "{}")]);
}

#[test]
fn a_list_is_a_document_of_its_elements() {
    check(
        b"\n[ {\"a\":1},\n{\"b\":\n2} , 3\n]\n",
        &[(2, "{\"a\":1}"), (3, "{\"b\":\n2}"), (4, "3")],
    );
    check(b"[]", &[]);
    check(b"\xEF\xBB\xBF[{}]", &[(1, "{}")]);
}

#[test]
fn an_object_over_several_lines_is_one_case() {
    check(
        b"{\n  \"a\": [\n    {}\n  ]\n}\n",
        &[(1, "{\n  \"a\": [\n    {}\n  ]\n}")],
    );
    check(
        b"{\n\"a\":1}\n{\n\"b\":2}\n",
        &[(1, "{\n\"a\":1}"), (3, "{\n\"b\":2}")],
    );
    let long = format!("{{\n\"a\":\"{}\"\n}}", "é".repeat(100_000));
    check(long.as_bytes(), &[(1, &long)]);
}

#[test]
fn a_first_line_that_is_cut_off_does_not_take_the_others_with_it() {
    for broken in [
        "{\"a\":1,",
        "{\"a\":",
        "{\"a\":[",
        "{\"a\":\"x",
        "{\"a\":tr",
        "{",
    ] {
        let text = format!("{broken}\n{{\"b\":2}}\n{{}}\n");
        check(text.as_bytes(), &[(1, broken), (2, "{\"b\":2}"), (3, "{}")]);
    }
    check(b"{\"a\":1", &[(1, "{\"a\":1")]);
}

#[test]
fn packed_data_are_unpacked() {
    let plain = b"{\"a\":1}\n{\"b\":2}\n";
    let records = [(1, "{\"a\":1}"), (2, "{\"b\":2}")];
    check(&gzip(plain), &records);
    check(&[gzip(&plain[..10]), gzip(&plain[10..])].concat(), &records);
    check(&zstd::encode_all(&plain[..], 1).unwrap(), &records);
    check(&gzip(b"\xEF\xBB\xBF[{\"a\":1}]"), &[(1, "{\"a\":1}")]);
}

#[test]
fn damaged_packed_data_give_what_stands_before_the_damage() {
    let lines: Vec<_> = (0..20_000)
        .map(|line| format!("{{\"a\":{}}}\n", line * line))
        .collect();
    let plain = lines.concat();
    let mut packed = gzip(plain.as_bytes());
    packed.truncate(packed.len() / 2);
    let (seen, error) = read(&packed, Limits::default(), 1000);
    assert!(
        seen.len() > 1000
            && seen
                .iter()
                .all(|(.., text)| text.as_ref().unwrap().ends_with('}')),
        "{}",
        seen.len()
    );
    let error = error.unwrap();
    assert!(
        error.starts_with(&format!(
            "FILE:{}: expected more data, found an error: ",
            seen.len() + 1
        )),
        "{error}"
    );
}

/// It used to be reported as too long, with a length that depended on the block size, and the damage after it.
#[test]
fn a_long_line_that_damage_cuts_off_is_no_record() {
    let mut state = 1_u32;
    let noise = std::iter::repeat_with(|| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        b'a' + (state >> 24) as u8 % 16
    });
    let packed = gzip(
        &b"{}\n"
            .iter()
            .copied()
            .chain(noise.take(300_000))
            .collect::<Vec<u8>>(),
    );
    let (seen, error) = bad(&packed[..packed.len() / 2]);
    assert_eq!(seen, [(1, "{}".to_owned())]);
    assert!(error.unwrap().starts_with("FILE:2: expected more data"));
}

#[test]
fn a_line_that_is_too_long_is_an_error_of_its_own() {
    let long = format!("{{}}\n{}\n{{\"b\":2}}", "x".repeat(200_000));
    let (seen, error) = bad(long.as_bytes());
    let message = "expected a line of at most 20 bytes, found one of 200000";
    assert_eq!(
        (seen, error),
        (
            vec![
                (1, "{}".into()),
                (2, message.into()),
                (3, "{\"b\":2}".into())
            ],
            None
        )
    );
}

#[test]
fn a_line_that_is_not_utf8_is_an_error_of_its_own() {
    let (seen, error) = bad(b"{}\n{\"a\":\"\xFF\"}\n\xC3\xA9\n");
    let message = "expected UTF-8 text, found the byte 0xFF at byte 7 of the line";
    assert_eq!(
        (seen, error),
        (
            vec![(1, "{}".into()), (2, message.into()), (3, "é".into())],
            None
        )
    );
}

#[test]
fn what_is_wrong_in_a_document_is_told_after_what_stands_before_it() {
    let check = |text: &str, records: usize, message: &str| {
        let (seen, error) = bad(text.as_bytes());
        assert_eq!(
            (seen.len(), error.as_deref()),
            (records, Some(message)),
            "{text}"
        );
    };
    check(
        "[{},\n {]",
        1,
        "FILE:2: expected a string as key, found `]` at column 3",
    );
    check(
        "[{}\n{}]",
        1,
        "FILE:2: expected `,` or `]` after a case, found `{` at column 1",
    );
    check(
        "[{},",
        1,
        "FILE:1: expected a JSON value, found the end of the file at column 5",
    );
    check(
        "[{}] {}",
        1,
        "FILE:1: expected the end of the file after the list, found `{` at column 6",
    );
    check(
        "{\n\"a\":1,\n}",
        0,
        "FILE:3: expected a string as key, found `}` at column 1",
    );
    let (seen, error) = bad(format!("[{}]", " ".repeat(300)).as_bytes());
    assert_eq!(
        (seen.len(), error.as_deref()),
        (
            0,
            Some("FILE: expected a document of at most 200 bytes, found a larger one")
        )
    );
    let (_, error) = bad(b"[\n\"\xFF\"]");
    assert_eq!(
        error.as_deref(),
        Some("FILE:2: expected UTF-8 text, found the byte 0xFF at byte 4 of the file")
    );
}

#[test]
fn an_input_that_cannot_be_opened_says_why() {
    let folder = tempfile::tempdir().unwrap();
    let open = |path: &Path| {
        let error = Input::open(path, Limits::default(), &ReadOptions::default()).unwrap_err();
        (
            error.reason.into_owned(),
            error
                .help
                .map(std::borrow::Cow::into_owned)
                .unwrap_or_default(),
        )
    };
    let (reason, help) = open(folder.path());
    assert_eq!(reason, "is a directory");
    assert!(
        help.starts_with("name its files, for example ") && help.ends_with("*.jsonl"),
        "{help}"
    );
    let (reason, help) = open(&folder.path().join("none.jsonl"));
    assert_eq!(
        (reason.as_str(), help.as_str()),
        (
            "no such file",
            "paths are taken from the current directory; `-` is standard input"
        )
    );
}

#[test]
fn offsets_lead_back_to_the_text() {
    for text in [
        "\u{FEFF}{\"a\":1}\r\n\n{\"b\":2}\n",
        "[ {\"a\":1},\n{}]",
        "\u{FEFF}{\n\"a\":1}",
    ] {
        for target in [1, 1 << 20] {
            for (_, offset, record) in read(text.as_bytes(), Limits::default(), target).0 {
                assert!(
                    text[offset as usize..].starts_with(&record.unwrap()),
                    "{text}"
                );
            }
        }
    }
}

/// Line and text of the cases in a file with this name, and the errors of reading them as cases.
fn read_yaml(name: &str, bytes: &[u8]) -> (Vec<(u64, String)>, Vec<String>) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, bytes).unwrap();
    let options = ReadOptions {
        format: Format::find("cases").ok(),
        ..ReadOptions::default()
    };
    let mut input = Input::open(&path, Limits::default(), &options).unwrap();
    let name: Arc<str> = "FILE".into();
    let (mut records, mut errors) = (Vec::new(), Vec::new());
    loop {
        match input.next_block(1) {
            Ok(Some(block)) => {
                for record in block.records() {
                    let text = crate::tests::text_of(&record);
                    records.push((record.place.line, text.clone()));
                    if let Err(error) = crate::read_case(&text, &crate::ReadOptions::default()) {
                        errors.push(error.in_record(&name, &record).to_string());
                    }
                }
            }
            Ok(None) => return (records, errors),
            Err(error) => {
                errors.push(error.to_string().replace(&**input.name(), "FILE"));
                return (records, errors);
            }
        }
    }
}

const YAML_LIST: &str = "\
# two cases
- id: 007-a
  expected: [find]

- id: 1.10
  expected:
    - name: find
      # the order
      args: {id: 12345678901234567890123, at: 1.0}
";

#[test]
fn yaml_is_a_list_documents_or_one_case() {
    let (records, errors) = read_yaml("cases.yaml", YAML_LIST.as_bytes());
    let second = "{\"id\":1.10,\n\"expected\":\n[{\"name\":\"find\",\n\n\"args\":{\"id\":12345678901234567890123,\"at\":1.0}}]}";
    assert_eq!(
        records,
        [
            (2, "{\"id\":\"007-a\",\n\"expected\":[\"find\"]}".to_owned()),
            (5, second.to_owned())
        ]
    );
    assert_eq!(errors, [""; 0]);
    let (documents, _) = read_yaml("cases.yml", b"id: a\n---\n# none\n---\n- id: b\n- id: c\n");
    let ids: Vec<_> = documents
        .iter()
        .map(|(line, text)| (*line, text.as_str()))
        .collect();
    assert_eq!(
        ids,
        [
            (1, "{\"id\":\"a\"}"),
            (5, "{\"id\":\"b\"}"),
            (6, "{\"id\":\"c\"}")
        ]
    );
    assert_eq!(
        read_yaml("cases.YAML.gz", &gzip(YAML_LIST.as_bytes())).0,
        records
    );
    assert_eq!(read_yaml("cases.yaml", b"").0, []);
}

#[test]
fn an_error_in_yaml_names_the_line_of_the_value() {
    for (text, message) in [
        (
            YAML_LIST.replace("{id: 12345678901234567890123, at: 1.0}", "7"),
            "FILE:9 /expected/0/args: expected an object or its JSON text, found the number 7",
        ),
        (
            YAML_LIST.replace("name: find", "nome: find"),
            "FILE:7 /expected/0: expected a key of a call, found the key `nome`",
        ),
        (
            "- 7\n".to_owned(),
            "FILE:1: expected a case, which is an object, found the number 7",
        ),
        (
            "- id: a\n-\n".to_owned(),
            "FILE:2: expected a case, which is an object, found null",
        ),
        (
            "- id: a\n  id: b\n".to_owned(),
            "FILE:2: expected each key once, found `id`, which is on line 1 already",
        ),
        (
            "- id: a\n- id: !!python/tuple [b]\n".to_owned(),
            "FILE:2: expected no tag, or one of `!!str`, `!!int`, `!!float`, `!!bool`, `!!null`, `!!binary`, `!!seq`, `!!map`, found the tag `!!python/tuple`",
        ),
        (
            "- id: !!int x\n".to_owned(),
            "FILE:1: expected a whole number after `!!int`, found `!!int x`",
        ),
        (
            "- id: 007\n".to_owned(),
            "FILE:1: expected a number without leading zeros, or a text in quotes, found 007",
        ),
    ] {
        assert_eq!(
            read_yaml("cases.yaml", text.as_bytes()).1,
            [message],
            "{text}"
        );
    }
    // The cases before the tag are read.
    let (before, _) = read_yaml("cases.yaml", b"- id: a\n- !x\n  id: b\n- id: c\n");
    assert_eq!(before.len(), 1);
    let (before, errors) = read_yaml("cases.yaml", b"id: a\n---\nb: [\n");
    assert_eq!(before.len(), 1);
    assert!(
        errors[0].starts_with("FILE:3: expected YAML, found an error: "),
        "{errors:?}"
    );
}

/// A cassette with headers that only the program that wrote it can read.
const CASSETTE: &str = "\
interactions:
- request:
    body: '{\"messages\": [{\"role\": \"user\", \"content\": [{\"text\": \"q\"}]}]}'
    headers: HEADERS
    method: POST
    uri: https://bedrock.example.com/model/x/converse
  response:
    body:
      string: BODY
    headers: {}
    status: {code: 200, message: OK}
version: 1
";

const REPLY: &str = r#"{"output":{"message":{"role":"assistant","content":[{"toolUse":{"toolUseId":"t1","name":"lookup","input":{"key":"a"}}}]}},"stopReason":"tool_use"}"#;

/// The number of calls in a cassette, and the report on its tags.
fn cassette(headers: &str, body: &str) -> (u64, Option<String>) {
    let text = CASSETTE.replace("HEADERS", headers).replace("BODY", body);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("cassette.yaml");
    std::fs::write(&path, text).unwrap();
    let found = crate::Inspection::from_file(
        &path,
        Limits::default(),
        &ReadOptions::default(),
        &mut |_, _| {},
    )
    .unwrap();
    assert!(found.errors.is_empty(), "{:?}", found.errors);
    // The cases built from it report the same.
    let mut input = Input::open(&path, Limits::default(), &ReadOptions::default()).unwrap();
    let mut report = crate::Report::default();
    while let Some(block) = input.next_block(1).unwrap() {
        report.add(block.report().unwrap());
    }
    assert_eq!(report.ignored_tags(), found.report.ignored_tags());
    (found.calls, found.report.ignored_tags())
}

#[test]
fn a_foreign_file_is_read_without_the_tags_of_its_program_and_they_are_counted() {
    let plain = format!("'{REPLY}'");
    let said = |text: &str| (1, Some(text.to_owned()));
    let headers = "{Content-Type: [!!binary YXBwbGljYXRpb24vanNvbg==]}";
    assert_eq!(cassette(headers, &plain), (1, None));
    assert_eq!(
        cassette("{a: !!python/tuple [b]}", &plain),
        said("1 value with the YAML tag `!!python/tuple` read without it")
    );
    assert_eq!(
        cassette(
            "!!python/object:multidict.CIMultiDict {a: !!python/tuple [b], c: !!python/tuple [d], e: !!set {f: null}, g: !x h}",
            &plain
        ),
        said(
            "5 values with YAML tags read without them: `!!python/object:multidict.CIMultiDict` 1, `!!python/tuple` 2, `!!set` 1, 1 more"
        )
    );
    // The body itself may be bytes.
    let engine = base64::engine::general_purpose::STANDARD;
    let body = base64::Engine::encode(&engine, REPLY);
    assert_eq!(cassette("{}", &format!("!!binary {body}")), (1, None));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn records_do_not_depend_on_blocks_nor_packing(
        cases in prop::collection::vec("\\{\"[a-zé]{0,30}\":[0-9]\\}", 0..20),
        target in 1_usize..200,
    ) {
        let lines = cases.join("\n");
        let texts = |bytes: &[u8], target: usize| {
            let (seen, error) = read(bytes, Limits::default(), target);
            assert_eq!(error, None);
            seen.into_iter().map(|(.., text)| text.unwrap()).collect::<Vec<_>>()
        };
        prop_assert_eq!(&texts(lines.as_bytes(), target), &cases);
        prop_assert_eq!(&texts(&gzip(lines.as_bytes()), target), &cases);
        prop_assert_eq!(&texts(&zstd::encode_all(lines.as_bytes(), 1).unwrap(), target), &cases);
        prop_assert_eq!(&texts(format!("[{}]", cases.join(" ,\n")).as_bytes(), target), &cases);
    }

    #[test]
    fn any_bytes_are_read_to_their_end(bytes in prop::collection::vec(prop_oneof![any::<u8>(), prop::sample::select(&b"{}[]\",:\n 1"[..])], 0..60)) {
        let (seen, error) = read(&bytes, Limits::default(), 1 << 20);
        let (again, error_again) = read(&bytes, Limits::default(), 5);
        prop_assert_eq!((seen, error), (again, error_again));
    }
}

#[test]
fn bytes_in_memory_are_read_as_a_file_of_that_name() {
    let json = b"{\"expected\":[\"a\"]}\n{\"expected\":[\"b\"]}\n".as_slice();
    for (name, bytes) in [
        ("cases.jsonl", json.to_vec()),
        ("packed", gzip(json)),
        ("cases.yaml", b"- expected: [a]\n- expected: [b]\n".to_vec()),
    ] {
        let mut input =
            Input::from_bytes(name, bytes, Limits::default(), &ReadOptions::default()).unwrap();
        let block = input.next_block(1 << 20).unwrap().unwrap();
        let records: Vec<_> = block
            .records()
            .map(|record| {
                (
                    record.place.line,
                    crate::tests::text_of(&record).replace(' ', ""),
                )
            })
            .collect();
        assert_eq!(
            records,
            [
                (1, r#"{"expected":["a"]}"#.to_owned()),
                (2, r#"{"expected":["b"]}"#.to_owned())
            ],
            "{name}"
        );
        assert_eq!(&**input.name(), name);
    }
}

#[test]
fn what_claims_or_holds_too_much_is_refused() {
    let open = |bytes: &[u8], limits: Limits| {
        Input::from_bytes("x", bytes.to_vec(), limits, &ReadOptions::default())
    };
    let small = Limits {
        max_line: 1 << 10,
        ..Limits::default()
    };
    let error = open(&[0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 1, 0, 0, 0], small).unwrap_err();
    assert!(
        error
            .reason
            .contains("damaged Arrow: a schema of 65536 bytes"),
        "{error}"
    );
    // Compressed much better than normal files.
    let mut document = b"{\n\"a\": \"".to_vec();
    document.resize(65 << 20, b'x');
    document.extend(b"\"}");
    let mut input = open(&gzip(&document), Limits::default()).unwrap();
    let error = input.next_block(1 << 20).unwrap_err();
    assert_eq!(error.expected, "a document of at most 67108864 bytes");
    // A longer file with a normal ratio is read: its text doesn't repeat.
    let mut state = 1_u64;
    let mut word = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1);
        format!("{state:016x}")
    };
    let text: String = (0..(5 << 20)).map(|_| word()).collect();
    let document = format!("{{\n\"id\": \"{text}\", \"expected\": [\"a\"]}}");
    assert!(document.len() > 65 << 20);
    let mut input = open(
        &zstd::encode_all(document.as_bytes(), 1).unwrap(),
        Limits::default(),
    )
    .unwrap();
    assert_eq!(
        input
            .next_block(1 << 20)
            .unwrap()
            .unwrap()
            .records()
            .count(),
        1
    );
}

#[test]
fn a_tar_archive_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let mut header = [0_u8; 512];
    header[..10].copy_from_slice(b"cases.json");
    header[257..262].copy_from_slice(b"ustar");
    let archive = [&header[..], b"{\"id\":\"a\"}\n"].concat();
    for (name, bytes) in [("a.tar", archive.clone()), ("a.tar.gz", gzip(&archive))] {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        let error = Input::open(&path, Limits::default(), &ReadOptions::default()).unwrap_err();
        assert!(
            error.to_string().contains("a tar archive: unpack it"),
            "{error}"
        );
    }
}
