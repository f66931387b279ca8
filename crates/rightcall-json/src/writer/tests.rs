//! Tests of `writer`.

use proptest::prelude::*;

use super::*;

#[test]
fn commas_separate_members() {
    let mut writer = JsonWriter::new();
    writer
        .begin_object()
        .key("a")
        .begin_list()
        .count(1)
        .float(0.75)
        .end_list();
    writer
        .key("b:{")
        .str("x[")
        .key("c")
        .begin_object()
        .end_object()
        .key("d")
        .null()
        .end_object();
    assert_eq!(
        writer.finish().as_str(),
        r#"{"a":[1,0.75],"b:{":"x[","c":{},"d":null}"#
    );
}

#[test]
fn consecutive_values_are_found_at_their_positions() {
    let mut writer = JsonWriter::with_capacity(8);
    let places: Vec<_> = [1, 23, 456]
        .map(|count| (writer.next_start(), writer.count(count).len()))
        .to_vec();
    let text = writer.finish().into_string();
    assert_eq!(
        places
            .into_iter()
            .map(|(start, end)| &text[start..end])
            .collect::<Vec<_>>(),
        ["1", "23", "456"]
    );
}

#[test]
fn values_round_trip() {
    let text =
        r#"{"a":[1,1.0,12345678901234567890123,-0.0,1e300,"\ud83d\u0001\"\\é"],"b":{"":null}}"#;
    let mut writer = JsonWriter::new();
    writer.value(&decode(text).unwrap());
    assert_eq!(
        format!("{:?}", writer.finish().to_value()),
        format!("{:?}", decode(text).unwrap())
    );
}

#[test]
fn only_surrogates_are_escaped() {
    let text = r#""\ud7ff\ud800a\udfff\ue000\ud83d""#;
    let mut writer = JsonWriter::new();
    writer.value(&decode(text).unwrap());
    assert_eq!(
        writer.finish().as_str(),
        "\"\u{d7ff}\\ud800a\\udfff\u{e000}\\ud83d\""
    );
}

#[test]
fn counts_and_integers_are_decimal() {
    let mut writer = JsonWriter::new();
    writer
        .begin_list()
        .count(0)
        .count(10)
        .count(usize::MAX)
        .integer(-7)
        .integer(i64::MIN)
        .end_list();
    assert_eq!(
        writer.finish().as_str(),
        format!("[0,10,{},-7,{}]", usize::MAX, i64::MIN)
    );
}

#[test]
fn special_bytes_are_escaped_at_every_position() {
    for length in 0..26 {
        for place in 0..length {
            for special in (0..=0x20)
                .chain(*b"!\"#[\\]~\x7f")
                .map(char::from)
                .chain(['\u{80}', 'é', '\u{d7ff}', '\u{e000}'])
            {
                let mut text = "a".repeat(length);
                text.replace_range(place..=place, &special.to_string());
                let mut writers = [JsonWriter::new(), JsonWriter::new()];
                writers[0].str(&text);
                writers[1].text(&Text::new(&text));
                let [fast, plain] = writers.map(JsonWriter::finish);
                assert_eq!(fast.as_str(), plain.as_str());
            }
        }
    }
}

proptest! {
    #[test]
    fn strings_round_trip(text in any::<String>()) {
        let mut writer = JsonWriter::new();
        writer.str(&text);
        prop_assert_eq!(serde_json::from_str::<String>(writer.finish().as_str()).unwrap(), text);
    }

    #[test]
    fn floats_round_trip(float in any::<f64>().prop_filter("finite", |float| float.is_finite())) {
        let mut writer = JsonWriter::new();
        writer.float(float);
        prop_assert_eq!(writer.finish().as_str().parse::<f64>().unwrap().to_bits(), float.to_bits());
    }
}
