//! The calls that an expectation names with definite values, such as a run needs to be accepted.

use crate::value::{Object, Syntax, Text, Value, decode_with};

use super::pattern::{ValueCondition, ValuePattern};
use super::resolution::BoundVariable;
use super::tree::ProcessTree;

/// A call of an expectation, with the values that it states.
#[derive(Clone, Debug)]
pub struct DefiniteCall {
    /// The tool.
    pub name: Text<'static>,
    /// The arguments; `None` without a demand on them. Arguments with only a condition are left out.
    pub arguments: Option<Value<'static>>,
    /// The output; `None` if none is stated, or only a condition.
    pub output: Option<Value<'static>>,
}

impl ProcessTree {
    /// The calls in written order, each with its stated values and with these values of variables. A matcher, such as a pattern, states no
    /// value.
    pub fn definite_calls(&self, variables: &[BoundVariable]) -> Vec<DefiniteCall> {
        let values: Vec<Option<Value<'static>>> = self
            .variables
            .iter()
            .map(|variable| {
                let bound = variables.iter().find(|bound| bound.name == variable.name)?;
                let value = decode_with(&bound.value, Syntax::PYTHON).ok()?;
                Some(value.into_owned())
            })
            .collect();
        let call = |leaf: &super::node::Leaf| DefiniteCall {
            name: leaf.name.clone(),
            arguments: leaf.arguments.as_ref().map(|pattern| {
                let value = definite(pattern, &values);
                value.unwrap_or_else(|| Value::Object(Object::default()))
            }),
            output: leaf
                .output
                .as_ref()
                .and_then(|output| definite(&output.pattern, &values)),
        };
        self.leaves.iter().map(call).collect()
    }
}

/// The value that a pattern states. Members of an object without one are left out.
fn definite(
    pattern: &ValuePattern,
    variables: &[Option<Value<'static>>],
) -> Option<Value<'static>> {
    match pattern {
        ValuePattern::Exact(value) | ValuePattern::Literal { value, .. } => Some(value.clone()),
        ValuePattern::List(items) => {
            let items = items.iter().map(|item| definite(item, variables));
            items.collect::<Option<_>>().map(Value::List)
        }
        ValuePattern::Object { members, .. } => {
            let member = |(key, pattern): &(Text<'static>, ValuePattern)| {
                Some((key.clone(), definite(pattern, variables)?))
            };
            let members = members.iter().filter_map(member).collect();
            Some(Value::Object(Object::new(members)))
        }
        ValuePattern::Optional { .. } => None,
        ValuePattern::Matcher { conditions, .. } => {
            let stated = |condition: &ValueCondition| match condition {
                ValueCondition::Equal(value) => Some(value.clone()),
                ValueCondition::Variable(number) => variables.get(*number)?.clone(),
                ValueCondition::OneOf(patterns) => {
                    patterns.iter().find_map(|it| definite(it, variables))
                }
                _ => None,
            };
            conditions.iter().find_map(stated)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::value::JsonText;

    #[test]
    fn conditions_state_no_value() {
        let tree = ProcessTree::read(
            r#"[{"name": "a", "args": {"x": 1, "y": {"$gt": 2}, "z": {"$one_of": [3, 4]}, "v": {"$var": "v"}}}, "b"]"#,
        )
        .unwrap();
        let variable = BoundVariable {
            name: "v".into(),
            value: "5".into(),
            pointer: String::new(),
        };
        let calls = tree.definite_calls(&[variable]);
        let arguments = calls[0].arguments.as_ref().map(JsonText::from_value);
        assert_eq!(arguments.unwrap().as_str(), r#"{"x":1,"z":3,"v":5}"#);
        assert!(calls[1].arguments.is_none());
    }
}
