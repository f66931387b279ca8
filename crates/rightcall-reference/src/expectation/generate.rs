//! Generates small expectations from bytes, and runs that they nearly accept.

use crate::choices::Choices;

/// An expectation and a run, both as JSON.
#[derive(Clone, Debug)]
pub struct ExpectationCase {
    /// A list of elements.
    pub expected: String,
    /// A list of calls.
    pub actual: String,
}

const NAMES: &str = r#""a"|"b"|"c""#;
const VALUES: &str = r#"1|2|1.0|"x"|true|null|[1]|{"k":1}|2.5|9007199254740993"#;
const MATCHERS: &str = r#"{"$any":true};{"$gt":1};{"$gte":1,"$lt":2};{"$type":"integer"};{"$type":"string"};{"$not":1};{"$one_of":[1,"x",{"$gt":2}]};{"$var":"v"};{"$var":"w"};{"$optional":{"$gte":2}};{"$optional":{"$var":"v"}};{"$contains":1};{"$contains":"x"};{"$literal":{"$gt":1}};{"$ne":"x"};{"k":{"$var":"w"}};{"k":{"$any":true},"$rest":"any"};[{"$any":true}];[{"$var":"v"}];{"$eq":{"k":1}};{"$lte":9007199254740992}"#;

/// The case generated from these bytes.
pub fn generate(bytes: &[u8]) -> ExpectationCase {
    let choices = &mut Choices::new(bytes);
    let with_arguments = choices.below(2) == 1;
    let expected = format!(
        "[{}]",
        list(choices, 3, |it| element(it, 3, with_arguments))
    );
    let actual = format!("[{}]", list(choices, 5, |it| call(it, with_arguments)));
    ExpectationCase { expected, actual }
}

fn list(
    choices: &mut Choices<'_>,
    most: usize,
    item: impl FnMut(&mut Choices<'_>) -> String,
) -> String {
    choices.list(most, item)
}

/// An element of a sequence; in a branch this is a list.
fn element(choices: &mut Choices<'_>, depth: usize, with_arguments: bool) -> String {
    let kind = if depth == 0 { 0 } else { choices.below(10) };
    let elements = |choices: &mut Choices<'_>, most| {
        list(choices, most, |it| element(it, depth - 1, with_arguments))
    };
    let branches =
        |choices: &mut Choices<'_>| list(choices, 2, |it| branch(it, depth - 1, with_arguments));
    match kind {
        4 => format!(r#"{{"sequence":[{}]}}"#, elements(choices, 3)),
        5 | 6 => {
            let last = element(choices, depth - 1, with_arguments);
            let others = branches(choices);
            let comma = if others.is_empty() { "" } else { "," };
            format!(r#"{{"any_order":[{others}{comma}{last}]}}"#)
        }
        7 => {
            let first = branch(choices, depth - 1, with_arguments);
            let others = branches(choices);
            let comma = if others.is_empty() { "" } else { "," };
            format!(r#"{{"one_of":[{first}{comma}{others}]}}"#)
        }
        8 => format!(r#"{{"optional":[{}]}}"#, elements(choices, 2)),
        9 => {
            let rounds = choices.one(&[
                "",
                r#","min":0"#,
                r#","min":2"#,
                r#","min":0,"max":2"#,
                r#","max":1"#,
            ]);
            format!(r#"{{"repeat":[{}]{rounds}}}"#, elements(choices, 2))
        }
        _ => leaf(choices, with_arguments),
    }
}

fn branch(choices: &mut Choices<'_>, depth: usize, with_arguments: bool) -> String {
    if choices.below(2) == 0 {
        return element(choices, depth, with_arguments);
    }
    let elements = list(choices, 2, |it| element(it, depth, with_arguments));
    format!("[{elements}]")
}

fn leaf(choices: &mut Choices<'_>, with_arguments: bool) -> String {
    let name = choices.of(NAMES);
    if !with_arguments || choices.below(3) == 0 {
        return name.to_owned();
    }
    let matchers: Vec<&str> = MATCHERS.split(';').collect();
    let mut members: Vec<String> = ["p", "q"]
        .iter()
        .filter_map(|key| match choices.below(4) {
            0 => None,
            1 => Some(format!(r#""{key}":{}"#, choices.of(VALUES))),
            _ => Some(format!(r#""{key}":{}"#, choices.one(&matchers))),
        })
        .collect();
    if choices.below(4) == 0 {
        members.push(r#""$rest":"any""#.to_owned());
    }
    let output = choices.one(&[
        "",
        "",
        r#","output":{"$var":"v"}"#,
        r#","output":{"id":{"$var":"w"},"$rest":"any"}"#,
        r#","output":"x""#,
    ]);
    format!(
        r#"{{"name":{name},"args":{{{}}}{output}}}"#,
        members.join(",")
    )
}

fn call(choices: &mut Choices<'_>, with_arguments: bool) -> String {
    let name = choices.of(NAMES);
    if !with_arguments {
        return format!(r#"{{"name":{name},"args":{{}}}}"#);
    }
    let members: Vec<String> = ["p", "q", "r"]
        .iter()
        .filter_map(|key| match choices.below(5) {
            0 => None,
            _ if *key == "r" && !choices.rarely(6) => None,
            1 => Some(format!(r#""{key}":{{"$gt":1}}"#)),
            _ => Some(format!(r#""{key}":{}"#, choices.of(VALUES))),
        })
        .collect();
    let arguments = if choices.rarely(8) {
        String::new()
    } else {
        format!(r#","args":{{{}}}"#, members.join(","))
    };
    let output = choices.one(&[
        "",
        "",
        r#","output":1"#,
        r#","output":"x""#,
        r#","output":"{\"id\": 1, \"n\": 2}""#,
        r#","output":null"#,
    ]);
    format!(r#"{{"name":{name}{arguments}{output}}}"#)
}
