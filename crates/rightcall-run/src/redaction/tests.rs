use super::*;

fn applied(patterns: &[&str], case: &str) -> String {
    let redaction = Redaction::new(patterns.iter().copied()).unwrap();
    redaction.apply(&read_case(case, &ReadOptions::default()).unwrap())
}

#[test]
fn matching_values_are_numbered_and_others_stay() {
    let case = r#"{"id":"a","expected":[{"name":"pay","args":{"card":{"number":"4111","cvc":1},"amount":3}}],"actual":[{"name":"pay","args":{"card":{"number":"4222","cvc":1.0},"amount":3},"output":"{\"card\":{\"number\":\"4222\"}}"},{"name":"log","args":"{\"card\": {\"number\": \"4111\"}}"}]}"#;
    let shown = applied(&["/card/*"], case);
    for part in [
        r#"{"card":{"number":"[redacted 1]","cvc":"[redacted 2]"},"amount":3}"#,
        r#"{"card":{"number":"[redacted 3]","cvc":"[redacted 2]"},"amount":3}"#,
        r#""output":"{\"card\":{\"number\":\"[redacted 3]\"}}""#,
        r#"{"name":"log","args":{"card":{"number":"[redacted 1]"}}}"#,
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert!(
        !shown.contains("4111") && !shown.contains("4222"),
        "{shown}"
    );
    let of_tool = applied(&["log:number"], case);
    assert!(
        of_tool.contains(r#""number":"4111","cvc":1"#)
            && of_tool.contains(r#"{"card":{"number":"[redacted 1]"}}"#),
        "{of_tool}"
    );
}

#[test]
fn json_in_texts_is_redacted_at_any_depth() {
    let quoted = |json: &str| JsonText::from_value(&Value::from(json)).into_string();
    let secret = r#"{"card":{"number":"4111"},"note":"kept"}"#;
    let mut nested = secret.to_owned();
    for _ in 0..4 {
        let text = quoted(&format!("\n {nested}\n"));
        let case = format!(
            r#"{{"id":"a","input":{text},"expected":[{{"name":"pay","args":{{"body":{text}}}}}],"actual":[{{"name":"pay","args":{{"body":[{text}]}},"output":{text},"error":{{"content":[{{"type":"text","text":{text}}}]}}}}],"meta":{{"request":{{"body":{text}}}}}}}"#
        );
        for pattern in ["number", "/**/number", "/**/card"] {
            let shown = applied(&[pattern, "$/**/number"], &case);
            assert!(!shown.contains("4111"), "{pattern}: {shown}");
            assert!(shown.contains("kept"), "{shown}");
        }
        assert!(applied(&["other"], &case).contains("4111"));
        let by_pointer = applied(&["/body/card/number", "/body/0/card/number"], &case);
        assert_eq!(
            by_pointer.matches("4111").count(),
            4,
            "not the arguments: {by_pointer}"
        );
        nested = quoted(&nested);
    }
    for around in [
        "\u{feff}SECRET",
        "data: SECRET\n\ndata: SECRET\n",
        "```json\nSECRET\n```",
        "result: SECRET.",
        "SECRET\r\n{\nSECRET",
    ] {
        let text = around.replace("SECRET", secret);
        let case = format!(
            r#"{{"expected":[],"actual":[{{"name":"f","output":{}}}]}}"#,
            quoted(&text)
        );
        let shown = applied(&["number"], &case);
        assert!(!shown.contains("4111") && shown.contains("kept"), "{shown}");
    }
    // Equal values have the same number, in texts too.
    let case = format!(
        r#"{{"expected":[{{"name":"pay","args":{{"card":"4111"}}}}],"actual":[{{"name":"pay","args":{{"body":{}}}}}]}}"#,
        quoted(r#"{"card":"4111"}"#)
    );
    let shown = applied(&["card"], &case);
    assert_eq!(shown.matches("[redacted 1]").count(), 2, "{shown}");
    // Text that is not JSON, and deeply nested values.
    let prose =
        r#"{"expected":[],"actual":[{"name":"f","args":{"note":"{card: 7","list":"[1, 2]"}}]}"#;
    assert!(applied(&["card"], prose).contains(r#""note":"{card: 7","list":"[1, 2]""#));
    let deep = "[".repeat(400) + &quoted(&("[".repeat(400) + &"]".repeat(400))) + &"]".repeat(400);
    let case = format!(
        r#"{{"expected":[],"actual":[{{"name":"f","args":{{"a":{}}}}}]}}"#,
        quoted(&deep)
    );
    assert!(applied(&["card"], &case).contains("[redacted 1]"));
}

#[test]
fn names_match_at_any_depth_and_globs_within_a_name() {
    let case = r#"{"expected":[],"actual":[{"name":"f","args":{"a":[{"api_token":"x"},{"b":{"password":[1]}}],"token":"y"}},{"name":"f","args":"secret text"}]}"#;
    let shown = applied(&["password", "/**/*_token"], case);
    assert!(
        shown.contains(
            r#"{"a":[{"api_token":"[redacted 1]"},{"b":{"password":"[redacted 2]"}}],"token":"y"}"#
        ),
        "{shown}"
    );
    assert!(
        !shown.contains("secret"),
        "text that is no object is redacted as a whole: {shown}"
    );
    assert!(applied(&["/nothing"], case).contains(r#""password":[1]"#));
}

#[test]
fn fields_next_to_the_calls_are_redacted() {
    let case = r#"{"id":"a","input":"card 4111","output":{"text":"paid","card":"4111"},"description":"of jo@example.com","expected":[{"name":"pay","args":{"card":"4111","email":"x"}}],"actual":[],"tags":["vip","eu"],"email":"jo@example.com","user":{"email":"jo@example.com","age":7}}"#;
    let shown = applied(
        &["email", "$/input", "$/output/card", "$/tags/0", "$/desc*"],
        case,
    );
    for part in [
        r#""input":"[redacted 2]""#,
        r#""output":{"text":"paid","card":"[redacted 3]"}"#,
        r#""description":"[redacted 4]""#,
        r#""tags":["[redacted 5]","eu"]"#,
        r#""args":{"card":"4111","email":"[redacted 1]"}"#,
        r#""email":"[redacted 6]""#,
        r#"{"email":"[redacted 6]","age":7}"#,
    ] {
        assert!(shown.contains(part), "{part}\n{shown}");
    }
    assert!(!shown.contains("jo@example"), "{shown}");
    let of_calls = applied(&["/email", "pay:email"], case);
    assert!(
        of_calls.contains("jo@example") && of_calls.contains(r#""email":"[redacted 1]""#),
        "{of_calls}"
    );
    let whole = applied(&["$/meta", "$/tags", "$/**/text"], case);
    assert!(
        whole.contains(r#""meta":{"meta":"[redacted "#) && whole.contains(r#""tags":["[redacted "#),
        "{whole}"
    );
    assert!(
        !whole.contains(r#""email":"jo@"#) && !whole.contains("vip") && !whole.contains("paid"),
        "{whole}"
    );
}

#[test]
fn groups_are_named_without_numbers() {
    for (name, without) in [
        ("a, [redacted 12]", "a, [redacted]"),
        ("[redacted 1], [redacted 2]b", "[redacted], [redacted]b"),
        ("[redacted x]", "[redacted x]"),
    ] {
        assert_eq!(without_number(name.to_owned()), without);
    }
}

#[test]
fn meaningless_patterns_are_errors() {
    for wrong in [
        "",
        "/",
        "a/b",
        "tool:",
        "[",
        "/a/[x",
        "$/",
        "$/id",
        "$/actual/0",
        "$/meta/[x",
    ] {
        assert!(Redaction::new([wrong]).is_err(), "{wrong}");
    }
    assert!(
        Redaction::new([
            "a",
            "/a/0/*",
            "t*:/b",
            "/a~1b",
            "$/meta",
            "$/**/a",
            "$/input/*/text"
        ])
        .is_ok()
    );
}
