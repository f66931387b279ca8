use proptest::prelude::*;

use super::*;

fn raw(text: &str, syntax: Syntax) -> Result<&str> {
    let mut reader = Reader::new(text, syntax);
    let raw = reader.raw()?;
    reader.end().map(|()| raw)
}

#[test]
fn skipping_returns_the_text_of_the_value() {
    assert_eq!(
        raw(" {\"a\" : [1, -2.5e+3, \"\\u00e9\", null]} ", Syntax::JSON),
        Ok("{\"a\" : [1, -2.5e+3, \"\\u00e9\", null]}")
    );
    assert_eq!(raw("[[],{},[{}]]", Syntax::JSON), Ok("[[],{},[{}]]"));
    for text in [
        "{\"a\": 1,\n  \"b\":\t[2],\r\n\"c\":true}",
        "{ \"a\":\"x\" ,\t\"b\" : null,  \"c\":0.5\n}",
    ] {
        assert_eq!(raw(text, Syntax::JSON), Ok(text));
    }
}

#[test]
fn errors_have_an_offset_an_expectation_and_a_finding() {
    let error = raw("{\"a\": 01}", Syntax::JSON).unwrap_err();
    assert_eq!(
        (error.offset, error.to_string().as_str()),
        (6, "expected a number, found one with a leading zero")
    );
    let error = raw("[1, 2", Syntax::JSON).unwrap_err();
    assert_eq!(
        (error.offset, error.to_string().as_str()),
        (5, "expected `,` or `]`, found the end of the text")
    );
}

#[test]
fn only_python_syntax_has_non_finite_numbers() {
    for text in ["NaN", "[Infinity]", "{\"a\":-Infinity}"] {
        assert!(raw(text, Syntax::JSON).is_err(), "{text}");
        assert!(raw(text, Syntax::PYTHON).is_ok(), "{text}");
    }
}

#[test]
fn nesting_is_limited_and_skipping_needs_no_stack() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(raw(&nested(MAX_DEPTH), Syntax::JSON).is_ok());
    let error = raw(&nested(MAX_DEPTH + 1), Syntax::JSON).unwrap_err();
    assert_eq!(
        error.to_string(),
        "expected less nesting, found more than 512 levels"
    );
    assert!(raw(&"{\"a\":".repeat(100_000), Syntax::JSON).is_err());
}

#[test]
fn fast_paths_read_a_whole_token_or_do_not_move() {
    for (text, plain) in [
        (r#"{"a":"x","b": "y"}"#, [true; 4]),
        (r#"{"a" :"x" ,"b":"\n"}"#, [false, true, false, false]),
    ] {
        let mut reader = Reader::new(text, Syntax::JSON);
        let mut first = reader.enter_object().unwrap();
        let mut seen = [false; 4];
        for (key, seen) in ["a", "b"].into_iter().zip(seen.as_chunks_mut::<2>().0) {
            assert!(!reader.next_key_is("c", &mut first));
            seen[0] = reader.next_key_is(key, &mut first);
            assert!(seen[0] || reader.next_key(&mut first).unwrap().unwrap() == *key);
            seen[1] = reader.plain_text().is_some();
            assert!(seen[1] || reader.string().is_ok());
        }
        assert_eq!(seen, plain);
        assert_eq!(reader.next_key(&mut first), Ok(None));
        assert_eq!(reader.end(), Ok(()));
    }
}

#[test]
fn surrogate_pairs_are_joined_and_lone_surrogates_kept() {
    let points = |text: &str| {
        Reader::new(text, Syntax::JSON)
            .string()
            .unwrap()
            .code_points()
            .collect::<Vec<_>>()
    };
    assert_eq!(points(r#""\ud83d\ude42""#), [0x1F642]);
    assert_eq!(points(r#""\ud83d\ud83d\ude42x""#), [0xD83D, 0x1F642, 0x78]);
    assert_eq!(points(r#""\ude42\ud83d""#), [0xDE42, 0xD83D]);
}

/// [`Reader::leave_list_unread`], byte by byte: the offset after the list's end, if it has one.
fn left_unread(bytes: &[u8], mut at: usize) -> Option<usize> {
    let mut level = 0_usize;
    loop {
        match bytes.get(at)? {
            b'"' => {
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'[' => level += 1,
            b']' if level == 0 => return Some(at + 1),
            b']' => level -= 1,
            _ => {}
        }
        at += 1;
    }
}

proptest! {
    #[test]
    fn accepts_what_serde_json_accepts(text in r#"[\[\]{}",:0-9eE.+\- tfnu\\a\n]{0,24}"#) {
        let reference = serde_json::from_str::<&serde_json::value::RawValue>(&text).is_ok();
        prop_assert_eq!(raw(&text, Syntax::JSON).is_ok(), reference, "{:?}", text);
    }

    #[test]
    fn strings_decode_as_in_serde_json(text in any::<String>()) {
        let json = serde_json::to_string(&text).unwrap();
        prop_assert_eq!(Reader::new(&json, Syntax::JSON).string().unwrap().to_string(), text);
    }

    #[test]
    fn leaving_a_list_stops_at_its_end(text in r#"\[("[a-z\[\]{}]{0,70}"|1|\[\]|\{"\\"\]":\[2\]\}|"\\\\")(, ?("[a-z\[\]{}]{0,9}"|1|\[[0-9]\]|\{"\\"\]":\[2\]\}|"\\\\")){0,9} ?\]"#) {
        let padded = format!("{text}, 7]");
        let mut reader = Reader::new(&padded, Syntax::JSON);
        reader.enter_list().unwrap();
        reader.leave_list_unread().unwrap();
        prop_assert_eq!((reader.offset(), reader.depth), (text.len(), 0));
    }

    #[test]
    fn leaving_a_list_equals_a_bytewise_scan(text in r#"\[{0,80}([a-zé ]{0,70}["\\\[\]{}]{0,9}|"([a-z\]]{0,90}\\["\\]){0,30}"|\{"[a-z\\]{0,3}":\{"[\\\[\]{}]{1,40}"\}\}|\[\]| ){0,40}["\]}]{0,90}"#, from in 0..70_usize) {
        let from = (from.min(text.len())..=text.len()).find(|&from| text.is_char_boundary(from)).unwrap();
        let mut reader = Reader::new(&text, Syntax::JSON);
        (reader.at, reader.depth) = (from, 1);
        match (reader.leave_list_unread(), left_unread(text.as_bytes(), from)) {
            (Ok(()), end) => prop_assert_eq!((Some(reader.at), reader.depth), (end, 0)),
            (Err(error), end) => prop_assert_eq!((error.offset, end), (text.len(), None)),
        }
    }

    #[test]
    fn special_bytes_are_found_as_by_a_scan(text in r#"[a-zé"\\\n ]{0,9}[a-zé ]{0,150}["\\\n]?[a-z]{0,70}["\\\n]?[a-z]{0,9}"#, steps in prop::collection::vec(0..99_usize, 1..9)) {
        let mut reader = Reader::new(&text, Syntax::JSON);
        for step in steps {
            let at = step.min(text.len());
            let slow = text.as_bytes()[at..].iter().take_while(|&&byte| byte >= 0x20 && byte != b'"' && byte != b'\\').count();
            prop_assert_eq!(reader.special(at), at + slow);
        }
    }
}
