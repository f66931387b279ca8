//! An argument has a value of another type.

use serde_json::{Value, json};

use super::{MutationOperator, OperatorGroup};
use crate::strength::choice::around;
use crate::strength::mutant::Mutant;

pub(super) const OPERATOR: MutationOperator = MutationOperator {
    code: "argument-type",
    summary: "an argument has another type",
    group: OperatorGroup::SingleCalls,
    weight: 3,
    needs: "no call has arguments",
    make: |run, random| {
        around(&run.arguments, random, |place, _| {
            let after = retyped(&run.argument(place)?.json)?;
            Mutant::with_value(run, place, "has another type", after)
        })
    },
};

/// The value with a wrong type, as models often write it: any value as text, and a number instead of its text.
fn retyped(json: &str) -> Option<String> {
    let value: Value = serde_json::from_str(json).ok()?;
    let Value::String(text) = value else {
        return Some(json!(json).to_string());
    };
    let number = serde_json::from_str::<Value>(&text)
        .ok()
        .filter(Value::is_number);
    Some(number.unwrap_or_else(|| json!([text])).to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_texts_and_texts_numbers_or_lists() {
        for (json, expected) in [
            ("7", r#""7""#),
            ("true", r#""true""#),
            ("null", r#""null""#),
            (r#""7""#, "7"),
            (r#""M""#, r#"["M"]"#),
            ("[1]", r#""[1]""#),
        ] {
            assert_eq!(retyped(json).unwrap(), expected);
        }
    }
}
