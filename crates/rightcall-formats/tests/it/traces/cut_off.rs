//! Streams in all saved forms, and files that end too early.

use std::fs;
use std::io::Write;

use rightcall_formats::{FORMATS, Format, Input, Limits, ReadOptions, case_text};

use super::{Pair, directory, files, pairs};
use crate::with_whole_input;

/// The format of a file, and the pairs before any error.
fn read(bytes: &[u8], format: Option<&'static Format>) -> (Option<&'static Format>, Vec<Pair>) {
    let mut file = tempfile::NamedTempFile::new().expect("a temporary file");
    file.write_all(bytes).expect("room for a temporary file");
    let options = ReadOptions {
        format,
        ..ReadOptions::default()
    };
    // An archive's directory is at its end, so a truncated one cannot be opened.
    let Ok(mut input) = Input::open(file.path(), Limits::default(), &options) else {
        return (None, Vec::new());
    };
    let found_format = input.format().unwrap_or_default();
    let found = with_whole_input(input, &options, |input| {
        let mut found = Vec::new();
        for case in input.cases.into_iter().filter_map(Result::ok) {
            found.extend(pairs(&case));
            // Data sets have only expectations, and a part of one may expect nothing.
            let expects = case.expected.calls.as_ref().is_none_or(|it| !it.is_empty());
            if case.actual.is_none() && !case.expected.is_empty() && expects {
                found.push(("expected".to_owned(), None, Some(case_text(&case))));
            }
        }
        found
    });
    (found_format, found)
}

/// Files with one stream as a list.
const STREAMS: [&str; 7] = [
    "anthropic.events.json",
    "bedrock.events.json",
    "cohere.events.json",
    "gemini.stream.json",
    "openai-chat.chunks.json",
    "openai-responses.events.json",
    "vercel.ui-stream.json",
];

#[test]
fn a_stream_is_read_the_same_however_it_was_saved() {
    for name in STREAMS {
        let list = fs::read_to_string(directory().join(name)).unwrap();
        let (format, whole) = read(list.as_bytes(), None);
        assert!(format.is_some() && whole.len() > 1, "{name}");
        let events: Vec<serde_json::Value> = serde_json::from_str(&list).unwrap();
        let events: Vec<_> = events.iter().map(ToString::to_string).collect();
        let sent = format!("data: {}\n\n", events.join("\n\ndata: "));
        for saved in [
            events.join("\n"),
            events.concat(),
            sent.clone(),
            format!("{{\"events\":{list}}}"),
            format!("{{\"id\":\"x\",\"chunks\":{list}}}"),
        ] {
            assert_eq!(
                read(saved.as_bytes(), None),
                (format, whole.clone()),
                "{saved}"
            );
        }
        let twice = read(format!("[{list},{list}]").as_bytes(), None);
        assert_eq!(twice, (format, [&whole[..], &whole[..]].concat()), "{name}");
        for reply in [list, serde_json::Value::from(sent).to_string()] {
            let recorded = format!(
                "{{\"request\":{{}},\"response\":{}}}",
                reply.replace('\n', " ")
            );
            assert_eq!(
                read(recorded.as_bytes(), None),
                (Format::find("recordings").ok(), whole.clone()),
                "{recorded}"
            );
        }
    }
}

#[test]
fn a_file_cut_off_anywhere_gives_an_error_or_less_and_never_another_pair() {
    let files = files().map(|(name, ..)| fs::read(directory().join(name)).unwrap());
    let examples = FORMATS
        .iter()
        .filter(|format| format.holds_traces())
        .map(|format| format.example.as_bytes().to_vec());
    for bytes in files.chain(examples) {
        let (format, whole) = read(&bytes, None);
        assert!(!whole.is_empty());
        for length in (0..bytes.len()).step_by(7) {
            for forced in [None, format] {
                let (_, found) = read(&bytes[..length], forced);
                assert!(
                    found.len() <= whole.len(),
                    "{length} bytes of {}",
                    String::from_utf8_lossy(&bytes)
                );
                for (name, id, output) in found {
                    let is_known = |(n, i, o): &Pair| {
                        (*n == name || name.is_empty())
                            && (*i == id || id.is_none())
                            && (*o == output || output.is_none())
                    };
                    assert!(
                        whole.iter().any(is_known),
                        "{name} {id:?} {output:?} at {length}"
                    );
                }
            }
        }
    }
}
