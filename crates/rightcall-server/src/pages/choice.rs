//! Choices in the menu of a filter.

use rightcall_report::cut_end;

/// A choice in a menu.
pub(super) struct Choice {
    pub(super) value: String,
    pub(super) text: String,
    pub(super) is_chosen: bool,
}

impl Choice {
    /// A choice; it is selected if it equals the current value.
    pub(super) fn new(
        value: impl Into<String>,
        text: impl Into<String>,
        chosen: Option<&str>,
    ) -> Self {
        let (value, text) = (value.into(), text.into());
        let is_chosen = chosen == Some(value.as_str());
        Self {
            value,
            text,
            is_chosen,
        }
    }
}

/// The values of a filter with their counts. Includes the current value even if no run or case has it any more.
pub(super) fn choices(values: Vec<(String, u64)>, chosen: Option<&str>) -> Vec<Choice> {
    let gone = chosen
        .filter(|chosen| values.iter().all(|(value, _)| value != chosen))
        .map(|chosen| (chosen.to_owned(), 0));
    let choice = |(value, number): (String, u64)| {
        let text = format!("{} ({number})", short(&value));
        Choice::new(value, text, chosen)
    };
    values.into_iter().chain(gone).map(choice).collect()
}

/// A name shortened for a menu.
pub(super) fn short(name: &str) -> String {
    cut_end(name, 60)
}
