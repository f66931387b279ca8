//! Calls that contain calls: `parallel` and `multi_tool_use.parallel`, which models write to call several tools at once.

use rightcall_core::value::Text;

use super::arguments::TraceArguments;
use super::call::TraceCall;
use crate::node::Node;

const WRAPPERS: [&str; 2] = ["parallel", "multi_tool_use.parallel"];

/// True for a call that should contain calls.
pub(crate) fn is_wrapper(call: &TraceCall) -> bool {
    WRAPPERS.iter().any(|name| call.name == **name)
}

/// The name of a tool, without the wrapper's namespace.
pub(crate) fn tool_of(recipient: Text<'static>) -> Text<'static> {
    let name = recipient.as_str();
    let name = name.and_then(|name| name.strip_prefix("functions."));
    name.map(|name| Text::from(name.to_owned()))
        .unwrap_or(recipient)
}

/// The calls inside a wrapper; `None` for other calls.
pub(crate) fn expanded(call: &TraceCall, max_depth: usize) -> Option<Vec<TraceCall>> {
    if !is_wrapper(call) {
        return None;
    }
    let text = match &call.arguments {
        TraceArguments::Json(json) => json.as_str(),
        TraceArguments::Text(text) => text.as_str()?,
        TraceArguments::Absent | TraceArguments::Free(_) => return None,
    };
    let node = Node::parse(text, max_depth).ok()?;
    let uses = node.get("tool_uses")?.items();
    uses.iter()
        .map(|inner| {
            let name = tool_of(inner.label_at(&["recipient_name", "name"])?);
            let arguments = TraceArguments::from_call(inner, &["parameters", "arguments"]);
            Some(TraceCall {
                name,
                arguments,
                ..call.clone()
            })
        })
        .collect::<Option<Vec<_>>>()
        .filter(|calls| !calls.is_empty())
}

#[cfg(test)]
mod tests {

    use super::*;

    #[test]
    fn only_a_wrapper_of_calls_is_expanded() {
        let call = |name: &'static str, text: &'static str| TraceCall {
            name: Text::new(name),
            arguments: TraceArguments::Text(Text::new(text)),
            ..TraceCall::default()
        };
        let uses = r#"{"tool_uses":[{"recipient_name":"functions.find","parameters":{"id":7}},{"recipient_name":"look"}]}"#;
        let calls = expanded(&call("multi_tool_use.parallel", uses), 512).unwrap();
        assert_eq!(
            calls
                .iter()
                .map(|call| call.name.to_string())
                .collect::<Vec<_>>(),
            ["find", "look"]
        );
        assert_eq!(
            calls[0].arguments,
            TraceArguments::Json(r#"{"id":7}"#.to_owned())
        );
        assert!(expanded(&call("find", uses), 512).is_none());
        assert!(expanded(&call("parallel", r#"{"tool_uses":[]}"#), 512).is_none());
        assert!(expanded(&call("parallel", r#"{"tool_uses":[7]}"#), 512).is_none());
    }
}
