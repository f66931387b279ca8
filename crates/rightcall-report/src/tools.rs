//! Which tools were expected and which were called in their place.

use std::collections::BTreeMap;

use rightcall_results::ToolUse;

/// How often each tool was called where each was expected.
#[derive(Clone, Debug, Default)]
pub struct Tools(BTreeMap<(Option<String>, Option<String>), u64>);

/// How well a tool was called.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolRates {
    /// The tool.
    pub name: String,
    /// How often it was expected.
    pub expected: u64,
    /// How often it was called.
    pub called: u64,
    /// How often it was called where it was expected.
    pub both: u64,
}

impl ToolRates {
    /// The share of its calls that were expected; `None` without calls.
    pub fn precision(&self) -> Option<f64> {
        (self.called > 0).then(|| self.both as f64 / self.called as f64)
    }

    /// The share of its expected calls that were made; `None` where none were expected.
    pub fn recall(&self) -> Option<f64> {
        (self.expected > 0).then(|| self.both as f64 / self.expected as f64)
    }
}

/// Expected tool against called tool, those of the most calls first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Confusion {
    /// The names of rows: expected tools, then `None` for calls that nobody expected.
    pub expected: Vec<Option<String>>,
    /// The names of columns: called tools, then `None` for calls that nobody made.
    pub called: Vec<Option<String>>,
    /// Calls by row and column.
    pub calls: Vec<Vec<u64>>,
    /// Tools beyond those that are shown.
    pub more: usize,
}

impl Tools {
    /// Notes that one tool was called, or none, where one was expected, or none.
    pub fn add(&mut self, expected: Option<&str>, called: Option<&str>, times: u64) {
        *self
            .0
            .entry((
                expected.map(ToOwned::to_owned),
                called.map(ToOwned::to_owned),
            ))
            .or_default() += times;
    }

    /// Adds the tools of a case.
    pub fn add_uses(&mut self, uses: &[ToolUse]) {
        uses.iter()
            .for_each(|it| self.add(it.expected.as_deref(), it.called.as_deref(), it.times));
    }

    /// True if no tool was expected or called.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Each tool, the one of the most calls first.
    pub fn rates(&self) -> Vec<ToolRates> {
        let mut rates: BTreeMap<&str, ToolRates> = BTreeMap::new();
        for ((expected, called), &times) in &self.0 {
            for (name, is_expected) in [(expected, true), (called, false)] {
                let Some(name) = name else { continue };
                let empty = || ToolRates {
                    name: name.clone(),
                    expected: 0,
                    called: 0,
                    both: 0,
                };
                let rates = rates.entry(name).or_insert_with(empty);
                if is_expected {
                    rates.expected += times;
                    rates.both += if expected == called { times } else { 0 };
                } else {
                    rates.called += times;
                }
            }
        }
        let mut rates: Vec<_> = rates.into_values().collect();
        rates.sort_by(|one, other| {
            (other.expected + other.called)
                .cmp(&(one.expected + one.called))
                .then(one.name.cmp(&other.name))
        });
        rates
    }

    /// The matrix of at most so many tools.
    pub fn confusion(&self, most: usize) -> Confusion {
        let rates = self.rates();
        let shown: Vec<&String> = rates.iter().take(most).map(|rates| &rates.name).collect();
        let of_side = |is_used: fn(&ToolRates) -> bool| {
            let names = rates
                .iter()
                .take(most)
                .filter(|rates| is_used(rates))
                .map(|rates| Some(rates.name.clone()));
            names.collect::<Vec<_>>()
        };
        let (mut expected, mut called) =
            (of_side(|it| it.expected > 0), of_side(|it| it.called > 0));
        let is_shown =
            |name: &Option<String>| name.as_ref().is_none_or(|name| shown.contains(&name));
        let all = self
            .0
            .iter()
            .filter(|((expected, called), _)| is_shown(expected) && is_shown(called));
        let some_alone = all.clone().any(|((expected, _), _)| expected.is_none());
        let some_missed = all.clone().any(|((_, called), _)| called.is_none());
        expected.extend(some_alone.then_some(None));
        called.extend(some_missed.then_some(None));
        let times = |row: &Option<String>, column: &Option<String>| {
            self.0
                .get(&(row.clone(), column.clone()))
                .copied()
                .unwrap_or(0)
        };
        let calls = expected
            .iter()
            .map(|row| called.iter().map(|column| times(row, column)).collect())
            .collect();
        Confusion {
            expected,
            called,
            calls,
            more: rates.len().saturating_sub(most),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tools() -> Tools {
        let mut tools = Tools::default();
        for (expected, called, times) in [
            (Some("find"), Some("find"), 5),
            (Some("refund"), Some("find"), 2),
            (Some("mail"), None, 1),
            (None, Some("look"), 3),
        ] {
            tools.add(expected, called, times);
        }
        tools
    }

    #[test]
    fn precision_is_of_calls_and_recall_of_expectations() {
        let rates = tools().rates();
        let shown: Vec<_> = rates
            .iter()
            .map(|it| (it.name.as_str(), it.precision(), it.recall()))
            .collect();
        let five_sevenths = Some(5.0 / 7.0);
        assert_eq!(
            shown,
            [
                ("find", five_sevenths, Some(1.0)),
                ("look", Some(0.0), None),
                ("refund", None, Some(0.0)),
                ("mail", None, Some(0.0))
            ]
        );
    }

    #[test]
    fn the_matrix_shows_what_was_called_where_what_was_expected() {
        let confusion = tools().confusion(9);
        let names = |names: &[Option<String>]| {
            names
                .iter()
                .map(|it| it.clone().unwrap_or_default())
                .collect::<Vec<_>>()
        };
        assert_eq!(names(&confusion.expected), ["find", "refund", "mail", ""]);
        assert_eq!(names(&confusion.called), ["find", "look", ""]);
        assert_eq!(
            confusion.calls,
            [[5, 0, 0], [2, 0, 0], [0, 0, 1], [0, 3, 0]]
        );
        assert_eq!(tools().confusion(1).more, 3);
    }
}
