//! Conditions of a query.

use rusqlite::types::Value;

/// Conditions on rows, with their parameter values.
#[derive(Debug, Default)]
pub(crate) struct Where {
    conditions: Vec<String>,
    pub(crate) values: Vec<Value>,
}

impl Where {
    /// Adds a condition; each `?` in it is one of the values.
    pub(crate) fn and<const N: usize>(&mut self, condition: &str, values: [Value; N]) {
        self.conditions.push(condition.to_owned());
        self.values.extend(values);
    }

    pub(crate) fn text(&self) -> String {
        if self.conditions.is_empty() {
            "1".to_owned()
        } else {
            self.conditions.join(" AND ")
        }
    }
}
