//! The demands of a case: tools, their arguments, and pairs of consecutive tools.

use rightcall_core::call::Case;
use rightcall_core::value::{Text, Value};

use crate::expected::tools_in_constraints;

/// The demands of a case.
#[derive(Debug, Default)]
pub(super) struct CaseDemand {
    /// The expected calls. A tool that is only named is one call.
    pub(super) calls: Vec<CallDemand>,
    /// Tools of calls that are expected one directly after the other.
    pub(super) pairs: Vec<(String, String)>,
    /// Tools that its rules name, and patterns of names.
    pub(super) ruled: Vec<String>,
}

/// An expected call.
#[derive(Debug)]
pub(super) struct CallDemand {
    pub(super) tool: String,
    pub(super) arguments: Vec<ArgumentDemand>,
}

/// An argument that is demanded.
#[derive(Debug)]
pub(super) struct ArgumentDemand {
    pub(super) name: String,
    /// The accepted values, if they are listed; empty if a matcher describes them.
    pub(super) values: Vec<Value<'static>>,
}

impl CaseDemand {
    /// The demands of a case's expectation, with all its alternatives.
    pub(super) fn of(case: &Case<'_>) -> Self {
        let expected = &case.expected;
        let mut demand = Self::default();
        if let Some(tree) = &expected.tree {
            for leaf in 0..tree.leaf_count() {
                if let Some(name) = tree.leaf_name(leaf) {
                    demand.add(name, tree.leaf_arguments(leaf).as_ref());
                }
            }
            let pairs = tree.consecutive_tools().into_iter();
            demand.pairs = pairs.map(|(one, other)| (text(one), text(other))).collect();
        } else if let Some(calls) = &expected.calls {
            for call in calls {
                demand.add(&call.name, call.arguments.to_value().as_ref());
            }
            demand.add_pairs(calls.iter().map(|call| &call.name));
        }
        let order = expected.order.as_deref().unwrap_or_default();
        demand.add_pairs(order.iter());
        let counted = expected.counts.iter().flatten();
        let outputs = expected.outputs.iter().flatten().map(|it| &it.name);
        let named = counted.map(|it| &it.name).chain(outputs).chain(order);
        named.for_each(|name| demand.add(name, None));
        demand.ruled = expected
            .constraints
            .map(tools_in_constraints)
            .unwrap_or_default();
        demand
    }

    fn add(&mut self, name: &Text<'_>, arguments: Option<&Value<'_>>) {
        self.calls.push(CallDemand {
            tool: text(name),
            arguments: arguments.map(pinned_arguments).unwrap_or_default(),
        });
    }

    fn add_pairs<'n, 'a: 'n>(&mut self, names: impl Iterator<Item = &'n Text<'a>> + Clone) {
        let pairs = names.clone().zip(names.skip(1));
        self.pairs
            .extend(pairs.map(|(one, other)| (text(one), text(other))));
    }
}

fn text(name: &Text<'_>) -> String {
    name.to_display().into_owned()
}

/// The arguments that an expected call pins: to a value, or by a matcher that doesn't accept every value.
fn pinned_arguments(arguments: &Value<'_>) -> Vec<ArgumentDemand> {
    let arguments = match only_member(arguments) {
        Some(("$literal", inner)) => inner,
        _ => arguments,
    };
    let Some(object) = arguments.as_object() else {
        return Vec::new();
    };
    // `$rest`, or a matcher for all arguments at once.
    let is_argument = |name: &str| !name.starts_with('$');
    let members = object.iter().map(|(name, value)| (text(name), value));
    let pinned = members.filter(|(name, value)| is_argument(name) && is_pinned(value));
    pinned
        .map(|(name, value)| ArgumentDemand {
            values: accepted(value),
            name,
        })
        .collect()
}

fn is_pinned(value: &Value<'_>) -> bool {
    match only_member(value) {
        Some(("$any", _)) => false,
        Some(("$optional", inner)) => is_pinned(inner),
        _ => true,
    }
}

/// The values that a pattern accepts, if it lists them.
fn accepted(value: &Value<'_>) -> Vec<Value<'static>> {
    match only_member(value) {
        Some(("$eq" | "$literal", inner)) => vec![inner.clone().into_owned()],
        Some(("$optional", inner)) => accepted(inner),
        Some(("$one_of", inner)) => {
            let values = inner.as_list().unwrap_or_default();
            values.iter().flat_map(accepted).collect()
        }
        Some((key, _)) if key.starts_with('$') => Vec::new(),
        _ => vec![value.clone().into_owned()],
    }
}

/// The only member of an object.
fn only_member<'v, 'a>(value: &'v Value<'a>) -> Option<(&'v str, &'v Value<'a>)> {
    let mut members = value.as_object()?.iter();
    match (members.next(), members.next()) {
        (Some((key, value)), None) => Some((key.as_str()?, value)),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use rightcall_core::value::JsonText;
    use rightcall_formats::{ReadOptions, read_case};

    use super::*;

    /// `tool(argument=value|value)` for each call, then the pairs.
    #[track_caller]
    fn check(expected: &str, wanted: &str) {
        let text = format!(r#"{{"id":"a","expected":{expected}}}"#);
        let case = read_case(&text, &ReadOptions::default()).unwrap();
        let demand = CaseDemand::of(&case);
        let argument = |it: &ArgumentDemand| {
            let values = it.values.iter();
            let values = values.map(|it| JsonText::from_value(it).into_string());
            format!("{}={}", it.name, values.collect::<Vec<_>>().join("|"))
        };
        let call = |it: &CallDemand| {
            let arguments: Vec<_> = it.arguments.iter().map(argument).collect();
            format!("{}({})", it.tool, arguments.join(","))
        };
        let calls: Vec<_> = demand.calls.iter().map(call).collect();
        let pairs = demand
            .pairs
            .iter()
            .map(|(one, other)| format!("{one}>{other}"));
        let pairs: Vec<_> = pairs.collect();
        assert_eq!(format!("{} / {}", calls.join(" "), pairs.join(" ")), wanted);
    }

    #[test]
    fn lists_and_names_are_parsed() {
        check(r#"["a",{"name":"b","args":{"x":1}}]"#, "a() b(x=1) / a>b");
        check(r#"[{"name":"b","args":"{\"x\": [1]}"}]"#, "b(x=[1]) / ");
        check(r#"{"order":["a","b"]}"#, "a() b() / a>b");
        check(
            r#"{"counts":{"a":2,"b":0,"c":">= 1","d":"< 3","e":"!= 0"}}"#,
            "a() b() c() d() e() / ",
        );
        check(r#"{"outputs":[{"name":"a","output":"done"}]}"#, "a() / ");
        check("[]", " / ");
    }

    #[test]
    fn calls_in_blocks_are_expected() {
        check(
            r#"["a",{"any_order":["b","c"]},{"optional":"d"},{"one_of":["e",["f"]]}]"#,
            "a() b() c() d() e() f() / a>b a>c b>c b>d b>e b>f c>b c>d c>e c>f d>e d>f",
        );
        check(r#"[{"repeat":"a","min":1,"max":3}]"#, "a() / a>a");
    }

    #[test]
    fn matchers_pin_an_argument_unless_they_accept_everything() {
        check(
            r#"[{"name":"a","args":{"x":{"$gt":1},"y":{"$any":true},"z":{"$optional":{"$one_of":["s",{"$eq":"t"}]}},"$rest":"any"}}]"#,
            r#"a(x=,z="s"|"t") / "#,
        );
        check(r#"[{"name":"a","args":{"$any":true}}]"#, "a() / ");
        check(
            r#"[{"name":"a","args":{"x":{"$literal":{"$gt":1}}}}]"#,
            r#"a(x={"$gt":1}) / "#,
        );
    }
}
