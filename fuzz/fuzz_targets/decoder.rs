//! Compares the decoder with a second, naive one: the same texts must decode to the same values, and equal values must have equal hashes.
#![no_main]

use libfuzzer_sys::fuzz_target;
use rightcall_core::value::{
    Digest, HashKey, JsonWriter, MAX_DEPTH, Reader, Syntax, Value, ValueEquality, decode_with,
};
use rightcall_reference::decoder::{Plain, decode, same};

const SYNTAXES: [Syntax; 4] = [
    Syntax::JSON,
    Syntax::PYTHON,
    Syntax {
        control_characters: true,
        ..Syntax::PYTHON
    },
    Syntax {
        non_finite: true,
        control_characters: true,
        max_depth: 3,
    },
];

const EQUALITIES: [ValueEquality; 5] = [
    ValueEquality::Python,
    ValueEquality::JavaScript,
    ValueEquality::JavaScriptListsAsObjects,
    ValueEquality::StableJson,
    ValueEquality::Json,
];

fuzz_target!(|text: &str| {
    // A NUL, which JSON does not use, separates two texts. Their values are compared with each other.
    let texts: Vec<&str> = text.splitn(2, '\0').collect();
    for text in &texts {
        SYNTAXES
            .iter()
            .for_each(|syntax| decodes_alike(text, *syntax));
    }
    let values: Option<Vec<Value<'_>>> = texts
        .iter()
        .map(|text| decode_with(text, Syntax::PYTHON).ok())
        .collect();
    let Some(values) = values else { return };
    for equality in EQUALITIES {
        let key = HashKey(1, 2);
        let digests: Vec<Digest> = values
            .iter()
            .map(|value| Digest::from_value(value, equality, key))
            .collect();
        for (text, digest) in texts.iter().zip(&digests) {
            let of_text = Digest::from_text(text, equality, key).expect("it has been decoded");
            assert_eq!(of_text, *digest, "{equality:?}");
        }
        for (left, left_digest) in values.iter().zip(&digests) {
            for (right, right_digest) in values.iter().zip(&digests) {
                assert_eq!(
                    equality.equal(left, right),
                    left_digest.equals(*right_digest),
                    "{equality:?}: {left:?}, {right:?}"
                );
                assert_eq!(
                    equality.equal(left, right),
                    equality.equal(right, left),
                    "{equality:?}: {left:?}, {right:?}"
                );
            }
        }
    }
});

fn decodes_alike(text: &str, syntax: Syntax) {
    let plain = decode(text, syntax);
    let value = decode_with(text, syntax);
    match (&plain, &value) {
        (Some(plain), Ok(value)) => {
            assert!(same(plain, value), "{plain:?} is not {value:?}");
            writes_back(plain, value);
        }
        (None, Err(error)) => assert!(
            error.offset <= text.len() && text.is_char_boundary(error.offset),
            "{error:?}"
        ),
        _ => panic!("{syntax:?}: {plain:?} but {value:?}"),
    }
    let mut reader = Reader::new(text, syntax);
    let skipped = reader.raw().and_then(|raw| reader.end().map(|()| raw));
    assert_eq!(
        skipped.is_ok(),
        value.is_ok(),
        "{syntax:?}: skipping and decoding differ"
    );
    if let Ok(raw) = skipped {
        assert_eq!(raw, text.trim_matches([' ', '\t', '\r', '\n']));
    }
}

/// Written values decode to the same values, if JSON can represent them.
fn writes_back(plain: &Plain, value: &Value<'_>) {
    let mut writer = JsonWriter::new();
    writer.value(value);
    let text = writer.finish();
    let syntax = Syntax {
        max_depth: MAX_DEPTH,
        ..Syntax::JSON
    };
    let again = decode(text.as_str(), syntax).expect("the writer writes JSON");
    if plain.is_finite() {
        assert!(same(&again, value), "{again:?} is not {value:?}");
    }
}
