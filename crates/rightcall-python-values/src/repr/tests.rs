//! Tests of `repr`.

use super::*;
use crate::Object;

fn python(value: PythonValue<'static>) -> Value<'static> {
    Value::Python(Box::new(value))
}

fn integers(numbers: &[i64]) -> Vec<Value<'static>> {
    numbers
        .iter()
        .map(|&number| Value::Integer(Integer::Small(number)))
        .collect()
}

#[test]
fn floats() {
    let cases = [
        (0.0, "0.0"),
        (-0.0, "-0.0"),
        (1.0, "1.0"),
        (-1.5, "-1.5"),
        (0.1, "0.1"),
        (100.0, "100.0"),
        (1000000000000000.0, "1000000000000000.0"),
        (9999999999999998.0, "9999999999999998.0"),
        (1e+16, "1e+16"),
        (1.5e+16, "1.5e+16"),
        (1e+22, "1e+22"),
        (1e+100, "1e+100"),
        (-1.5e+300, "-1.5e+300"),
        (0.0001, "0.0001"),
        (0.00012, "0.00012"),
        (9.999e-05, "9.999e-05"),
        (1e-05, "1e-05"),
        (5e-324, "5e-324"),
        (1.7976931348623157e+308, "1.7976931348623157e+308"),
        (2.9802322387695312e-08, "2.9802322387695312e-08"),
        (5.684341886080802e-14, "5.684341886080802e-14"),
        (123456.789, "123456.789"),
        (1234567890123456.8, "1234567890123456.8"),
        (0.30000000000000004, "0.30000000000000004"),
        (9007199254740992.0, "9007199254740992.0"),
    ];
    for (float, text) in cases {
        assert_eq!(repr(&Value::Float(float)), text);
    }
    assert_eq!(repr(&Value::Float(f64::INFINITY)), "inf");
    assert_eq!(repr(&Value::Float(f64::NEG_INFINITY)), "-inf");
    assert_eq!(repr(&Value::Float(f64::NAN)), "nan");
    assert_eq!(repr(&Value::Float(-f64::NAN)), "nan");
}

#[test]
fn strings() {
    let cases = [
        ("", "''"),
        ("plain", "'plain'"),
        ("it's", "\"it's\""),
        ("say \"x\"", "'say \"x\"'"),
        ("it's \"x\"", "'it\\'s \"x\"'"),
        ("a\\b", "'a\\\\b'"),
        ("\n\r\t\u{0}\u{1F}\u{7F}", "'\\n\\r\\t\\x00\\x1f\\x7f'"),
        ("\u{80}\u{A0}\u{AD}\u{E9}", "'\\x80\\xa0\\xad\u{E9}'"),
        (
            "\u{200B}\u{2028}\u{3000}\u{E000}",
            "'\\u200b\\u2028\\u3000\\ue000'",
        ),
        ("e\u{301}", "'e\u{301}'"),
        ("\u{1F642}", "'\u{1F642}'"),
        ("\u{1F468}\u{200D}\u{1F469}", "'\u{1F468}\\u200d\u{1F469}'"),
        ("\u{1FAF6} \u{1FAF7}", "'\u{1FAF6} \\U0001faf7'"),
        ("\u{10FFFF}", "'\\U0010ffff'"),
        ("\u{378}", "'\\u0378'"),
        ("\u{E0100}\u{E0001}", "'\u{E0100}\\U000e0001'"),
    ];
    for (text, expected) in cases {
        assert_eq!(repr(&Value::from(text)), expected);
        assert_eq!(str(&Value::from(text)), text);
    }
}

#[test]
fn only_surrogates_are_escaped() {
    let mut builder = TextBuilder::default();
    for point in [0xE9, 0xD83D, 0x1F642, 0xA0, 0x27] {
        builder.push(point);
    }
    let value = Value::String(builder.finish());
    assert_eq!(repr(&value), "\"\u{E9}\\ud83d\u{1F642}\\xa0'\"");
    assert_eq!(str(&value).code_points().nth(1), Some(0xD83D));
}

#[test]
fn containers() {
    let object = Value::Object(Object::new(vec![
        (Text::new("k"), Value::Null),
        (Text::new("it's"), Value::List(vec![])),
    ]));
    assert_eq!(repr(&object), "{'k': None, \"it's\": []}");
    assert_eq!(
        str(&Value::List(vec![Value::Bool(true), "a".into(), object])),
        "[True, 'a', {'k': None, \"it's\": []}]"
    );
    assert_eq!(repr(&Value::Object(Object::default())), "{}");
    for (numbers, text) in [(&[][..], "()"), (&[1], "(1,)"), (&[1, 2], "(1, 2)")] {
        assert_eq!(repr(&python(PythonValue::Tuple(integers(numbers)))), text);
    }
    let dict = PythonValue::Dict(vec![
        (Value::Null, Value::Bool(false)),
        (Value::Float(1.0), "x".into()),
    ]);
    assert_eq!(repr(&python(dict)), "{None: False, 1.0: 'x'}");
    assert_eq!(repr(&python(PythonValue::Ellipsis)), "Ellipsis");
}

#[test]
fn sets() {
    let set = |members| repr(&python(PythonValue::Set(members)));
    assert_eq!(set(vec![]), "set()");
    assert_eq!(set(vec!["b".into(), "a".into()]), "{'b', 'a'}");
    assert_eq!(
        set(vec![
            Value::Float(2.0),
            Value::Bool(false),
            Value::Integer(Integer::Small(1))
        ]),
        "{False, 1, 2.0}"
    );
    let numbers = |numbers: &[i64]| set(integers(numbers));
    assert_eq!(numbers(&[3, 1, 2]), "{1, 2, 3}");
    assert_eq!(numbers(&[8, 1]), "{8, 1}");
    assert_eq!(numbers(&[-1, -2, 0]), "{0, -1, -2}");
    assert_eq!(numbers(&[5, 4, 3, 2, 1, 0]), "{0, 1, 2, 3, 4, 5}");
    assert_eq!(
        numbers(&[100, 7, 64, 9, 33, 1, 0, 12]),
        "{64, 33, 1, 0, 100, 7, 9, 12}"
    );
    assert_eq!(numbers(&[16, 8, 0, 24]), "{16, 8, 0, 24}");
    assert_eq!(
        numbers(&[
            2305843009213693951,
            5,
            2305843009213693952,
            -9223372036854775808
        ]),
        "{2305843009213693951, 2305843009213693952, -9223372036854775808, 5}"
    );
}

#[test]
fn bytes() {
    let cases: [(&[u8], &str); 6] = [
        (b"", "b''"),
        (b"x", "b'x'"),
        (b"it's", "b\"it's\""),
        (b"say \"x\"", "b'say \"x\"'"),
        (b"it's \"x\"", "b'it\\'s \"x\"'"),
        (
            b"\x00\x09\x0a\x0d\x1f\x7f\x80\xff\\~",
            "b'\\x00\\t\\n\\r\\x1f\\x7f\\x80\\xff\\\\~'",
        ),
    ];
    for (bytes, text) in cases {
        assert_eq!(repr(&python(PythonValue::Bytes(bytes.to_vec()))), text);
    }
}

#[test]
fn complex_numbers() {
    let (nan, inf) = (f64::NAN, f64::INFINITY);
    let cases = [
        (0.0, 1.0, "1j"),
        (0.0, -1.0, "-1j"),
        (-0.0, 1.0, "(-0+1j)"),
        (1.0, 2.0, "(1+2j)"),
        (1.5, -2.5, "(1.5-2.5j)"),
        (0.0, 0.0, "0j"),
        (-0.0, -0.0, "(-0-0j)"),
        (1e+16, 1e-05, "(1e+16+1e-05j)"),
        (nan, 1.0, "(nan+1j)"),
        (1.0, nan, "(1+nanj)"),
        (inf, -inf, "(inf-infj)"),
        (0.0, inf, "infj"),
        (1000000.0, 0.0, "(1000000+0j)"),
        (0.0, -0.0, "-0j"),
    ];
    for (real, imaginary, text) in cases {
        assert_eq!(
            repr(&python(PythonValue::Complex { real, imaginary })),
            text
        );
    }
}
