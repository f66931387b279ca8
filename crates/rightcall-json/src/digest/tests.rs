//! Tests of `digest`.

use proptest::prelude::*;

use super::*;
use crate::decode_with;

pub(crate) const ALL: [ValueEquality; 6] = [
    ValueEquality::Python,
    ValueEquality::JavaScript,
    ValueEquality::JavaScriptListsAsObjects,
    ValueEquality::StableJson,
    ValueEquality::Json,
    ValueEquality::Strict,
];

/// A small set of values, so that equal ones are drawn often.
pub(crate) fn json() -> impl Strategy<Value = String> {
    let scalar = prop::sample::select(vec![
        "0",
        "1",
        "1.0",
        "true",
        "false",
        "null",
        "-0.0",
        "-0",
        "0.5",
        "5e-1",
        "1e400",
        "NaN",
        "Infinity",
        "\"\"",
        "\"1\"",
        "\"xy\"",
        "\"\\ud83d\"",
        "\"\\ud83d\\ude42\"",
        "9007199254740993",
        "9007199254740992",
        "9007199254740992.0",
        "18446744073709551616",
        "18446744073709551616.0",
        "1e22",
        "10000000000000000000000",
        "-9223372036854775808",
        "-9223372036854775808.0",
    ])
    .prop_map(str::to_owned);
    let key = prop::sample::select(vec!["0", "1", "a", "b", "__proto__", "\\u0061"]);
    scalar.prop_recursive(4, 24, 4, move |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4)
                .prop_map(|items| format!("[{}]", items.join(","))),
            prop::collection::vec((key.clone(), inner), 0..4).prop_map(|entries| {
                let entries: Vec<_> = entries
                    .iter()
                    .map(|(key, value)| format!("\"{key}\": {value}"))
                    .collect();
                format!("{{{}}}", entries.join(", "))
            }),
        ]
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn digests_are_equal_exactly_if_values_are(left in json(), right in json()) {
        let decode = |text: &str| decode_with(text, Syntax::PYTHON).unwrap().into_owned();
        let (left_value, right_value) = (decode(&left), decode(&right));
        for equality in ALL {
            let digest = |text: &str| Digest::from_text(text, equality, HashKey(1, 2)).unwrap();
            prop_assert_eq!(digest(&left).equals(digest(&right)), equality.equal(&left_value, &right_value), "{:?} {} {}", equality, left, right);
            prop_assert_eq!(digest(&left).equals(digest(&left)), equality.equal(&left_value, &left_value), "{:?} {}", equality, left);
            prop_assert_eq!(digest(&left), Digest::from_value(&left_value, equality, HashKey(1, 2)), "{:?} {}", equality, left);
        }
    }
}

#[test]
fn key_order_and_repeated_keys_in_large_objects() {
    let object = |keys: &mut dyn Iterator<Item = usize>, value: &str| {
        let entries: Vec<_> = keys.map(|key| format!("\"k{key}\":{key}")).collect();
        format!("{{{},\"k3\":{value}}}", entries.join(","))
    };
    let forwards = object(&mut (0..40), "7");
    let backwards = object(&mut (0..40).rev(), "7");
    let other = object(&mut (0..40), "8");
    let digest =
        |text: &str| Digest::from_text(text, ValueEquality::Json, HashKey::default()).unwrap();
    assert!(digest(&forwards).equals(digest(&backwards)));
    assert!(!digest(&forwards).equals(digest(&other)));
}

#[test]
fn the_key_changes_the_hash() {
    let digest = |key| Digest::from_text("[1]", ValueEquality::Json, key).unwrap();
    assert_ne!(digest(HashKey(1, 2)), digest(HashKey(1, 3)));
}
