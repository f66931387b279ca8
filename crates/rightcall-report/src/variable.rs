//! Shows variables of an expectation by name: `$total`.

use std::borrow::Cow;

use rightcall_core::expectation::Resolution;

/// The JSON text around the name of a variable.
const PREFIX: &str = r#"{"$var":""#;
const SUFFIX: &str = r#""}"#;

/// The expected value as JSON text, with variables replaced by their names.
pub(crate) fn named(json: &str) -> Cow<'_, str> {
    let (mut out, mut rest) = (String::new(), json);
    // Inside a JSON string the quotes would be escaped, so this matches only objects.
    while let Some((before, after)) = rest.split_once(PREFIX) {
        let Some((name, behind)) = after.split_once(SUFFIX) else {
            break;
        };
        if name.contains(['"', '\\']) {
            break;
        }
        out.push_str(before);
        out.push('$');
        out.push_str(name);
        rest = behind;
    }
    if out.is_empty() {
        return Cow::Borrowed(json);
    }
    Cow::Owned(out + rest)
}

/// The same, followed by the value of the variable if the text is only a variable.
pub(crate) fn with_value(json: &str, resolution: &Resolution) -> String {
    let named = named(json);
    let is_it = |name: &str| named.strip_prefix('$') == Some(name);
    let bound = resolution.variables.iter();
    let bound = bound
        .filter(|_| named != json)
        .find(|it| is_it(&it.name.to_display()));
    match bound {
        Some(variable) => format!("{named}, which is {}", variable.value),
        None => named.into_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_go_by_their_names() {
        for (json, plain) in [
            (r#"{"$var":"total"}"#, "$total"),
            (r#"[{"$var":"a"},{"b":{"$var":"c"}}]"#, r#"[$a,{"b":$c}]"#),
            (r#""{\"$var\":\"a\"}""#, r#""{\"$var\":\"a\"}""#),
            (r#"{"$var":"a","x":1}"#, r#"{"$var":"a","x":1}"#),
            (r#"{"$lte":50}"#, r#"{"$lte":50}"#),
        ] {
            assert_eq!(named(json), plain);
        }
    }
}
