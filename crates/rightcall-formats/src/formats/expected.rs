//! Expectations of data sets, as the text of canonical calls.

use rightcall_core::value::Text;

use crate::case::is_condition_of_call;
use crate::json;
use crate::node::Node;

/// True for objects with a name each, and without a member that makes a call optional, repeated or forbidden.
pub(super) fn are_plain_calls(list: &Node<'_>) -> bool {
    let is_plain = |call: &Node<'_>| {
        let mut members = call.entries().iter();
        call.str_at("name")
            .is_some_and(|name| !name.trim().is_empty())
            && !members.any(|(key, value)| is_condition_of_call(&key.to_display(), value.raw()))
    };
    list.is_list() && list.items().iter().all(is_plain)
}

/// Calls with these names, each with the text of its arguments if stated.
pub(super) fn expected_calls<'t>(
    calls: impl IntoIterator<Item = (Text<'t>, Option<&'t str>)>,
) -> String {
    json::list(|writer| {
        for (name, arguments) in calls {
            writer.begin_object().key("name").text(&name);
            json::raw(writer, "args", arguments);
            writer.end_object();
        }
    })
}
