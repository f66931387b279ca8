//! Lines of a map.

use super::kinds::Condition;
use super::outcome::Outcome;
use super::tuples;
use super::yaml::scalar;

/// Lines of YAML; guessed lines have a comment.
#[derive(Default)]
pub(super) struct Lines {
    pub(super) text: String,
    /// In a rule whose items are lists: the place in them where the paths of calls and results begin.
    place: Option<String>,
}

impl Lines {
    /// The lines of a rule whose calls or results are at this path from the record.
    pub(super) fn of_rule(path: &str) -> Self {
        Self {
            text: String::new(),
            place: tuples::split(path).1.map(ToOwned::to_owned),
        }
    }

    pub(super) fn line(&mut self, key: &str, value: &str, unsure: Option<&str>) {
        self.text += key;
        self.text += ": ";
        self.text += value;
        if let Some(unsure) = unsure {
            self.text += "  # check: ";
            self.text += unsure;
        }
        self.text.push('\n');
    }

    pub(super) fn path(&mut self, key: &str, path: &str, unsure: Option<&str>) {
        self.line(key, &scalar(path), unsure);
    }

    /// Writes a path that begins at the call or the result.
    pub(super) fn inner_path(&mut self, key: &str, path: &str, unsure: Option<&str>) {
        self.path(key, &self.path_in_item(path), unsure);
    }

    /// A path from the call or the result, as a path from the item of the rule. Paths are joined by ` | `.
    pub(super) fn path_in_item(&self, path: &str) -> String {
        let Some(place) = &self.place else {
            return path.to_owned();
        };
        let each = path.split(" | ").map(|path| match path.strip_prefix('^') {
            Some(path) => path.to_owned(),
            None => format!("{place}.{path}"),
        });
        each.collect::<Vec<_>>().join(" | ")
    }

    /// Writes `when` or `where`.
    pub(super) fn condition(&mut self, condition: &Condition, is_when: bool, unsure: Option<&str>) {
        let values: Vec<_> = condition.values.iter().map(|value| scalar(value)).collect();
        let value = match &values[..] {
            [] => "any".to_owned(),
            [value] => value.clone(),
            values => format!("[{}]", values.join(", ")),
        };
        let path = if is_when {
            condition.path.clone()
        } else {
            self.path_in_item(&condition.path)
        };
        let key = if is_when { "when" } else { "where" };
        self.line(key, &format!("{{{}: {value}}}", scalar(&path)), unsure);
    }
}

pub(super) fn write_outcome(lines: &mut Lines, outcome: &Outcome) {
    if let Some(output) = &outcome.output {
        lines.inner_path("output", output, outcome.unsure.as_deref());
    }
    if let Some(error) = &outcome.error {
        lines.inner_path("error", error, outcome.error_unsure);
    }
    for (key, state) in [("failed", &outcome.failed), ("not_run", &outcome.not_run)] {
        if let Some(state) = state {
            let condition = format!(
                "{{{}: {}}}",
                scalar(&lines.path_in_item(&state.path)),
                state.values
            );
            lines.line(key, &condition, state.unsure);
        }
    }
    if let Some(end) = &outcome.end {
        lines.inner_path("end", end, None);
    }
}
