//! Lines of server-sent events and of JSON Lines.

/// The value on a line, and true if it is the data of an event. `None` for event-stream lines without a value.
pub(crate) fn payload(line: &str) -> Option<(&str, bool)> {
    let begins = |mark: &str| line.starts_with(mark);
    if begins("event:") || begins("id:") || begins("retry:") || begins(":") {
        return None;
    }
    let data = line.strip_prefix("data:");
    let value = data.unwrap_or(line).trim();
    (value != "[DONE]" && !value.is_empty()).then_some((value, data.is_some()))
}
