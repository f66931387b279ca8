//! Compares the engine's decoder with the naive one.

use proptest::prelude::*;
use rightcall_core::value::{Digest, HashKey, Syntax, Value, ValueEquality, decode_with};
use rightcall_reference::decoder::{decode, same};
use rightcall_reference::equality::{
    javascript_deep_equal, json_equal, keyed_equal_at_top, python_equal, stable_json_equal,
    strictly_equal,
};

const EQUALITIES: [ValueEquality; 6] = [
    ValueEquality::Python,
    ValueEquality::JavaScript,
    ValueEquality::JavaScriptListsAsObjects,
    ValueEquality::StableJson,
    ValueEquality::Json,
    ValueEquality::Strict,
];

const LAX: Syntax = Syntax {
    control_characters: true,
    ..Syntax::PYTHON
};

fn json_pieces() -> impl Strategy<Value = String> {
    let piece = prop::sample::select(vec![
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        "\"a\"",
        "\"",
        "\\",
        "\\u0061",
        "\\ud83d",
        "\\ude42",
        "\\n",
        "1",
        "0",
        "-",
        ".",
        "e",
        "E+",
        "400",
        "9007199254740993",
        "true",
        "false",
        "null",
        "NaN",
        "Infinity",
        " ",
        "\n",
        "\t",
        "\u{1F}",
        "é",
        "🙂",
        "\u{A0}",
    ]);
    prop::collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// Well-formed values, so that equality has values to compare.
fn json_value() -> impl Strategy<Value = String> {
    let scalar = prop::sample::select(vec![
        "null",
        "true",
        "false",
        "0",
        "-0.0",
        "1",
        "1.0",
        "2",
        "1e400",
        "9007199254740992",
        "9007199254740993",
        "9007199254740992.0",
        "10000000000000000000000",
        "1e22",
        "\"\"",
        "\"x\"",
        "\"xy\"",
        "\"0\"",
        "\"\\ud83d\"",
        "\"\\ud83d\\ude42\"",
        "\"🙂\"",
    ])
    .prop_map(str::to_owned);
    scalar.prop_recursive(3, 12, 3, |inner| {
        let key = prop::sample::select(vec!["a", "b", "0", "1", "__proto__", "\\u0061"]);
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((key, inner), 0..4).prop_map(|entries| {
                let entries: Vec<String> = entries
                    .into_iter()
                    .map(|(key, value)| format!("\"{key}\":{value}"))
                    .collect();
                format!("{{{}}}", entries.join(","))
            }),
        ]
    })
}

fn equality_by_loops(equality: ValueEquality, left: &Value<'_>, right: &Value<'_>) -> bool {
    match equality {
        ValueEquality::Python => python_equal(left, right),
        ValueEquality::JavaScript => javascript_deep_equal(left, right),
        ValueEquality::StableJson => stable_json_equal(left, right),
        ValueEquality::Json => json_equal(left, right),
        ValueEquality::Strict => strictly_equal(left, right),
        ValueEquality::JavaScriptListsAsObjects => {
            keyed_equal_at_top(left, right).unwrap_or(left.is_null() && right.is_null())
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn both_decoders_accept_the_same_texts(text in prop_oneof![json_pieces(), json_value()]) {
        for syntax in [Syntax::JSON, Syntax::PYTHON, LAX, Syntax { max_depth: 2, ..LAX }] {
            match (decode(&text, syntax), decode_with(&text, syntax)) {
                (Some(plain), Ok(value)) => prop_assert!(same(&plain, &value), "{plain:?}, {value:?}"),
                (None, Err(_)) => {}
                (plain, value) => prop_assert!(false, "{text:?}: {plain:?}, {value:?}"),
            }
        }
    }

    #[test]
    fn hashes_and_equalities_agree_with_loops(left in json_value(), right in json_value()) {
        let values = [&left, &right].map(|text| decode_with(text, Syntax::PYTHON).unwrap());

        for equality in EQUALITIES {
            let by_loops = equality_by_loops(equality, &values[0], &values[1]);
            prop_assert_eq!(equality.equal(&values[0], &values[1]), by_loops, "{:?}: {}, {}", equality, left, right);
            let digests = [&left, &right].map(|text| Digest::from_text(text, equality, HashKey(3, 4)).unwrap());
            let of_trees = [&values[0], &values[1]].map(|value| Digest::from_value(value, equality, HashKey(3, 4)));
            prop_assert_eq!(digests, of_trees);
            prop_assert_eq!(digests[0].equals(digests[1]), by_loops, "{:?}: {}, {}", equality, left, right);
        }
    }
}
