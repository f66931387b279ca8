//! Lines of a map.

use super::kinds::Condition;
use super::outcome::Outcome;
use super::yaml::scalar;

/// Lines of YAML; guessed lines have a comment.
#[derive(Default)]
pub(super) struct Lines(pub(super) String);

impl Lines {
    pub(super) fn line(&mut self, key: &str, value: &str, unsure: Option<&str>) {
        self.0 += key;
        self.0 += ": ";
        self.0 += value;
        if let Some(unsure) = unsure {
            self.0 += "  # check: ";
            self.0 += unsure;
        }
        self.0.push('\n');
    }

    pub(super) fn path(&mut self, key: &str, path: &str, unsure: Option<&str>) {
        self.line(key, &scalar(path), unsure);
    }
}

pub(super) fn condition(condition: &Condition) -> (&'static str, String) {
    let key = if condition.is_of_record {
        "when"
    } else {
        "where"
    };
    let values: Vec<_> = condition.values.iter().map(|value| scalar(value)).collect();
    let value = match &values[..] {
        [] => "any".to_owned(),
        [value] => value.clone(),
        values => format!("[{}]", values.join(", ")),
    };
    (key, format!("{{{}: {value}}}", scalar(&condition.path)))
}

pub(super) fn write_outcome(lines: &mut Lines, outcome: &Outcome) {
    if let Some(output) = &outcome.output {
        lines.path("output", output, outcome.unsure.as_deref());
    }
    if let Some(error) = &outcome.error {
        lines.path("error", error, outcome.error_unsure);
    }
    for (key, state) in [("failed", &outcome.failed), ("not_run", &outcome.not_run)] {
        if let Some(state) = state {
            let condition = format!("{{{}: {}}}", scalar(&state.path), state.values);
            lines.line(key, &condition, state.unsure);
        }
    }
    if let Some(end) = &outcome.end {
        lines.path("end", end, None);
    }
}
