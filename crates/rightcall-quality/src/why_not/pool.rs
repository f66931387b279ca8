//! The calls that an expectation names. Changes of the run add them, or turn calls into them.

use rightcall_core::call::{Call, Case};
use rightcall_core::tools_in_rules;
use rightcall_core::value::{JsonText, Text, Value, decode};

use super::change::AddedCall;

/// The calls that a case names.
pub(super) struct Pool {
    /// The expected calls, in order if the case states one.
    pub(super) goal: Vec<AddedCall>,
    /// All named calls, without repeats.
    pub(super) calls: Vec<AddedCall>,
}

impl Pool {
    pub(super) fn new(case: &Case<'_>) -> Self {
        let run = case.actual.iter().flat_map(|run| &run.calls);
        let has_arguments =
            run.clone().count() == 0 || run.clone().any(|call| !call.arguments.is_absent());
        let goal = goal(case);
        let named = goal.iter().cloned().chain(calls_outside_list(case));
        let mut pool = Self {
            goal: Vec::new(),
            calls: Vec::new(),
        };
        for call in named.map(|call| recorded(call, has_arguments)) {
            if !pool.calls.contains(&call) {
                pool.calls.push(call);
            }
        }
        pool.goal = goal
            .into_iter()
            .map(|call| recorded(call, has_arguments))
            .collect();
        pool
    }
}

/// The call as runs record it, with arguments if other calls have them.
fn recorded(mut call: AddedCall, has_arguments: bool) -> AddedCall {
    if !has_arguments {
        call.arguments = None;
    } else if call.arguments.is_none() {
        call.arguments = Some("{}".to_owned());
    }
    call
}

/// A call with only a name.
fn from_name(name: Text<'static>) -> AddedCall {
    AddedCall {
        name,
        arguments: None,
        output: None,
        tool_id: None,
        turn: None,
    }
}

fn from_call(call: &Call<'_>) -> AddedCall {
    let metadata = call.metadata();
    let value = call.arguments.to_value();
    AddedCall {
        arguments: value.map(|value| JsonText::from_value(&value).into_string()),
        output: metadata.output.as_deref().map(str::to_owned),
        tool_id: metadata.tool_id.clone().map(Text::into_owned),
        turn: metadata.turn,
        ..from_name(call.name.clone().into_owned())
    }
}

/// The calls of the nearest accepted run, the calls of a list, or the names of an order.
fn goal(case: &Case<'_>) -> Vec<AddedCall> {
    let stated = &case.expected;
    if let (Some(_), Some(Ok(resolution))) = (&stated.tree, stated.resolution) {
        let leaves = of_tree(case);
        let leaf = |leaf: &u32| leaves.get(*leaf as usize).cloned();
        return resolution.run.iter().filter_map(leaf).collect();
    }
    if let Some(calls) = &stated.calls {
        return calls.iter().map(from_call).collect();
    }
    let order = stated.order.iter().flatten();
    order
        .map(|name| from_name(name.clone().into_owned()))
        .collect()
}

/// All calls of an expectation in blocks, with their stated values.
fn of_tree(case: &Case<'_>) -> Vec<AddedCall> {
    let (Some(tree), Some(Ok(resolution))) = (&case.expected.tree, case.expected.resolution) else {
        return Vec::new();
    };
    let text = |value: &Value<'_>| JsonText::from_value(value).into_string();
    let calls = tree.definite_calls(&resolution.variables).into_iter();
    let added = calls.map(|call| AddedCall {
        arguments: call.arguments.as_ref().map(text),
        output: call.output.as_ref().map(text),
        ..from_name(call.name)
    });
    added.collect()
}

/// The calls named outside the list of calls.
fn calls_outside_list(case: &Case<'_>) -> Vec<AddedCall> {
    let stated = &case.expected;
    let mut others = of_tree(case);
    let mut names: Vec<Text<'static>> = Vec::new();
    names.extend(
        stated
            .order
            .iter()
            .flatten()
            .map(|it| it.clone().into_owned()),
    );
    let counts = stated.counts.iter().flatten();
    names.extend(counts.map(|it| it.name.clone().into_owned()));
    others.extend(stated.outputs.iter().flatten().map(|it| AddedCall {
        output: Some(JsonText::from_type(&it.output).into_string()),
        tool_id: it.tool_id.clone().map(Text::into_owned),
        ..from_name(it.name.clone().into_owned())
    }));
    if let Some(Ok(constraints)) = stated.constraints.map(decode) {
        names.extend(in_constraints(&constraints));
    }
    others.extend(names.into_iter().map(from_name));
    others
}

/// The tools that constraints name, without patterns of names.
pub(super) fn in_constraints(constraints: &Value<'_>) -> Vec<Text<'static>> {
    let Some(object) = constraints.as_object() else {
        return Vec::new();
    };
    let mut names = Vec::new();
    for (key, value) in object {
        match (&*key.to_display(), value) {
            ("counts", Value::Object(counts)) => {
                names.extend(counts.iter().map(|(name, _)| name.clone().into_owned()));
            }
            ("required", Value::String(name)) => names.push(name.clone().into_owned()),
            ("required", Value::List(required)) => {
                names.extend(
                    required
                        .iter()
                        .filter_map(Value::as_text)
                        .map(|it| it.clone().into_owned()),
                );
            }
            ("rules", rules) => names.extend(tools_in_rules(rules).into_iter().map(Text::from)),
            _ => {}
        }
    }
    names.retain(|name| !name.to_display().contains(['*', '?']));
    names
}
