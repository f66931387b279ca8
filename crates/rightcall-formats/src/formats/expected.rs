//! Expectations of data sets, as the text of canonical calls.

use rightcall_core::value::Text;

use crate::json;

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
