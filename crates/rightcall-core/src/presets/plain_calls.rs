//! Calls as `{name, args, output}`, for originals with types that contain such calls.

use crate::matching::ItemOutput;
use crate::presets::prelude::*;

/// Two lists of calls.
pub(super) fn sides_of_calls<'c>(expected: &'c str, actual: &'c str) -> Reading<'c> {
    sides_of_items(expected, actual, call)
}

/// A call. It may be a string, which is its name; `args` and `output` may be missing or null.
pub(super) fn call<'s>(at: At<'_>, value: &Value<'s>) -> Result<Item<'s>, EvaluationError> {
    if let Value::String(name) = value {
        return Ok(Item::from_name(name.clone()));
    }
    let object = at.object(value)?;
    let stated = |key: &str| object.get_str(key).filter(|value| !value.is_null());
    let name = ItemName::Text(at.text(object, "name")?.clone());
    let arguments = stated("args").map_or(ItemArguments::Absent, |arguments| {
        ItemArguments::Tree(arguments.clone())
    });
    let output = stated("output").map(|output| ItemOutput::Tree(output.clone()));
    Ok(Item::new(name, arguments).with_output(output))
}
