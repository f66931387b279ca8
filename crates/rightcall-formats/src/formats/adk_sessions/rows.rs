//! Events of sessions as rows of a database.

use rightcall_core::value::Text;

use super::{Session, is_event, without_internal};
use crate::format::FoundTraces;
use crate::groups::{RecordGroup, RecordGroups};
use crate::messages::content::json_text;
use crate::node::Node;
use crate::trace::Scope;

/// True for a row of the table of events.
pub(super) fn is_row(value: &Node<'_>) -> bool {
    event_of(value).is_some()
}

/// The session of a row, and the JSON text of its event. Newer versions store the event in one column, earlier ones only its content.
fn event_of(row: &Node<'_>) -> Option<(Text<'static>, String)> {
    let session = row.label_at(&["session_id"])?;
    row.get("invocation_id")?;
    if let Some(data) = row.get("event_data") {
        let text = data.str().unwrap_or(data.raw());
        return Some((session, text.to_owned()));
    }
    let content = row.str_at("content").filter(|it| it.starts_with('{'))?;
    let columns = ["author", "invocation_id", "timestamp", "error_code"];
    let columns = columns.into_iter().filter(|_| is_event(row));
    let member = |key| Some(format!("\"{key}\":{},", row.raw_at(key)?));
    let members: String = columns.filter_map(member).collect();
    Some((session, format!("{{{members}\"content\":{content}}}")))
}

/// Holds a row until all rows are read, because sessions may overlap. Returns false for other values.
pub(super) fn hold_row(row: &Node<'_>, line: u64, rows: &mut RecordGroups) -> bool {
    let Some((session, event)) = event_of(row) else {
        return false;
    };
    let record = format!("[{},{event}]", json_text(&session));
    rows.hold(session.as_bytes(), line, |out| {
        out.extend_from_slice(record.as_bytes());
    });
    rows.take_held();
    true
}

/// Reads the next session. Returns false if there is none.
pub(super) fn next_session(rows: &mut RecordGroups, scope: Scope, found: &mut FoundTraces) -> bool {
    let Some(group) = found.next_group(rows) else {
        return false;
    };
    let session = session(&group, scope);
    let trace = without_internal(session.conversation.finish(), scope);
    found.trace(group.line, trace);
    true
}

fn session(group: &RecordGroup, scope: Scope) -> Session {
    let mut session = Session::new(scope);
    for record in group.records() {
        let text = str::from_utf8(record).unwrap_or_default();
        match Node::parse(text, scope.max_depth) {
            Ok(row) => {
                session.conversation.trace().id = row.items()[0].label();
                session.event(&row.items()[1]);
            }
            Err(_) => session.conversation.left_over("an event that is no JSON"),
        }
    }
    session
}
