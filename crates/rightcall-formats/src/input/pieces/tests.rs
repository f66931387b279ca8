use std::io::Write as _;
use std::path::Path;

use super::*;
use crate::input::table_maps::TableMaps;

const LISTS: Lists = &[&[&["a", "A"], &["b"]], &[&["x"]]];

/// The pieces of a text read `chunk` bytes at a time, each with its line, and the error that ends it.
fn pieces(text: &[u8], lists: Lists, chunk: usize) -> (Vec<(u64, String)>, Option<String>) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text).unwrap();
    let (mut source, head) = Source::open(
        Path::new(file.path()),
        crate::Limits::default(),
        TableMaps::default(),
    )
    .unwrap();
    let mut pieces = Pieces {
        chunk,
        ..Pieces::new(head, lists, 1000)
    };
    let mut found = Vec::new();
    loop {
        match pieces.next(&mut source, 1000, None) {
            Ok(Some(block)) => {
                found.extend(
                    block
                        .records()
                        .map(|record| (record.place.line, crate::tests::text_of(&record))),
                );
            }
            Ok(None) => return (found, None),
            Err((line, error)) => {
                return (
                    found,
                    Some(format!(
                        "{line}: expected {}, found {}",
                        error.expected, error.found
                    )),
                );
            }
        }
    }
}

fn texts(pieces: &[(u64, String)]) -> Vec<String> {
    pieces
        .iter()
        .map(|(line, text)| format!("{line} {text}"))
        .collect()
}

/// Collects the items it reads.
struct Taker(Vec<(u64, String)>);

impl ItemReader for Taker {
    fn item(&mut self, list: usize, reader: &mut Reader<'_>, line: u64) -> Result<(), SyntaxError> {
        let text = reader.raw()?;
        self.0.push((line, format!("{list}: {text}")));
        Ok(())
    }
}

/// The items read in place, the pieces taken out, and the final error.
fn in_place(
    text: &[u8],
    chunk: usize,
    max_depth: usize,
) -> (Vec<String>, Vec<String>, Option<String>) {
    let mut file = tempfile::NamedTempFile::new().unwrap();
    file.write_all(text).unwrap();
    let (mut source, head) = Source::open(
        Path::new(file.path()),
        crate::Limits::default(),
        TableMaps::default(),
    )
    .unwrap();
    let mut pieces = Pieces {
        chunk,
        ..Pieces::new(head, LISTS, 1000)
    };
    let (mut taker, mut found) = (Taker(Vec::new()), Vec::new());
    let error = loop {
        match pieces.next(
            &mut source,
            10,
            Some(InPlace {
                items: &mut taker,
                max_depth,
            }),
        ) {
            Ok(Some(block)) => {
                found.extend(
                    block
                        .records()
                        .map(|record| (record.place.line, crate::tests::text_of(&record))),
                );
            }
            Ok(None) => break None,
            Err((line, error)) => {
                break Some(format!(
                    "{line}: expected {}, found {}",
                    error.expected, error.found
                ));
            }
        }
    };
    (texts(&taker.0), texts(&found), error)
}

#[test]
fn objects_are_read_where_they_stand_wherever_the_file_is_cut() {
    let document = r#"{"a": [{"b": [{"n": 1}, {"t": "}\""},
{"é": []}, 4]}], "x": [{"y": {}}]}"#;
    for chunk in 1..document.len() {
        let (read, taken, error) = in_place(document.as_bytes(), chunk, 512);
        assert_eq!(
            read,
            [
                r#"1 0: {"n": 1}"#,
                r#"1 0: {"t": "}\""}"#,
                r#"2 0: {"é": []}"#,
                r#"2 1: {"y": {}}"#
            ],
            "{chunk}"
        );
        assert_eq!(
            (taken, error),
            (vec![r#"2 {"a":[{"b":[4]}]}"#.to_owned()], None),
            "{chunk}"
        );
    }
}

#[test]
fn an_object_with_something_wrong_is_taken_out_or_ends_the_document() {
    // Nested too deep: the reader of the piece reports it.
    let (read, taken, error) = in_place(br#"{"x": [{"n": 1}, {"y": [[]]}, {"n": 2}]}"#, 7, 4);
    assert_eq!((read.len(), taken.len(), error), (2, 1, None));
    let (read, taken, error) = in_place(br#"{"x": [{"n": 1}, {"y": 01}, {"n": 2}]}"#, 7, 512);
    assert_eq!(
        (read, taken),
        (vec![r#"1 1: {"n": 1}"#.to_owned()], Vec::<String>::new())
    );
    assert_eq!(
        error.as_deref(),
        Some("1: expected a number, found one with a leading zero")
    );
}

const DOCUMENT: &str = r#" {"k": {"a": [{"b": ["no"]}]}, "a": [
 {"b": [1, {"c": "é\u00e9 ]"}], "n": 0},
 7, {"m": null, "b": [],
 "b": ["q"]} ], "x": [
 [2], "y" ]}
{"A": [{"b": [3]}]} "#;

#[test]
fn items_come_in_the_objects_and_lists_around_them() {
    let expected = [
        "2 {\"a\":[{\"b\":[1,{\"c\": \"é\\u00e9 ]\"}]}]}",
        "4 {\"a\":[{\"b\":[\"q\"]}]}",
        "5 {\"x\":[[2],\"y\"]}",
        "6 {\"A\":[{\"b\":[3]}]}",
    ];
    for chunk in [1, 2, 3, 7, 64, 1000] {
        let (found, error) = pieces(DOCUMENT.as_bytes(), LISTS, chunk);
        assert_eq!(
            (texts(&found), error),
            (expected.map(str::to_owned).to_vec(), None),
            "{chunk}"
        );
    }
}

#[test]
fn a_list_comes_item_by_item() {
    for chunk in [1, 5, 100] {
        let (found, error) = pieces(
            b"[1,\n {\"a\": [{\"b\": [2]}]},\n[3], -1.5e3]\n",
            &[],
            chunk,
        );
        assert_eq!(
            texts(&found),
            ["1 1", "2 {\"a\": [{\"b\": [2]}]}", "3 [3]", "3 -1.5e3"]
        );
        assert_eq!(error, None);
    }
}

#[test]
fn a_document_that_is_cut_off_gives_fewer_pieces_and_an_error() {
    let (all, _) = pieces(DOCUMENT.as_bytes(), LISTS, 1000);
    let items = |pieces: &[(u64, String)]| {
        pieces
            .iter()
            .flat_map(|(_, text)| text.bytes())
            .filter(u8::is_ascii_digit)
            .count()
    };
    let end = DOCUMENT.find("\n{").unwrap();
    for length in 2..DOCUMENT.trim_end().len() {
        let (found, error) = pieces(&DOCUMENT.as_bytes()[..length], LISTS, 16);
        assert!(items(&found) <= items(&all), "{length}");
        // A text may end between two values.
        assert_eq!(
            error.is_none(),
            length == end || length == end + 1,
            "{length}: {error:?}"
        );
    }
}

#[test]
fn what_is_wrong_is_told_with_its_line() {
    let error = |text: &[u8]| pieces(text, LISTS, 4).1.unwrap();
    assert_eq!(
        error(b"{\"a\":\n[{\"b\": [1 2]}]}"),
        "2: expected `,` or `]`, found `2`"
    );
    assert_eq!(
        error(b"{\"a\": [1,\n]}"),
        "2: expected a value after `,`, found `]`"
    );
    assert_eq!(error(b"{\"a\"\n 1}"), "2: expected `:`, found `1`");
    assert_eq!(
        error(b"{\"a\": [\"\xFF\"]}"),
        "1: expected UTF-8 text, found the byte 0xFF"
    );
    assert_eq!(
        error(b"{\"a\": ["),
        "1: expected a JSON value, found the end of the file"
    );
    let long = format!("{{\"a\": [\"{}\"]}}", "x".repeat(2000));
    assert_eq!(
        error(long.as_bytes()),
        "1: expected items of at most 1000 bytes, found a larger one"
    );
}
