//! The tools of a run: the calls of each tool, and the tools called instead of others.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use rightcall_results::{ToolTotals, sum_of};

use crate::text::{count, printable};

/// The number of calls of each tool instead of each expected tool, or without one.
#[derive(Clone, Debug, Default)]
pub struct Tools {
    pairs: BTreeMap<(Option<String>, Option<String>), u64>,
    counts: Vec<ToolCounts>,
    /// A note on the numbers; empty if they cover all cases.
    pub note: String,
}

/// The numbers of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCounts {
    /// The tool.
    pub name: String,
    /// The number of expected calls.
    pub expected: u64,
    /// The number of calls.
    pub called: u64,
    /// Calls with the expected name and arguments; `None` if arguments were not recorded.
    pub right: Option<u64>,
    /// Calls with the expected name and different arguments; `None` if arguments were not recorded.
    pub other_arguments: Option<u64>,
    /// Expected calls without a call of the tool.
    pub missed: u64,
    /// Calls without an expected call of the tool. Cases without expected calls have no extra
    /// calls.
    pub extra: u64,
    /// Calls that ended in an error; `None` if no call has a status.
    pub failed: Option<u64>,
    /// True if no case of the run has expected calls. Then no call is expected, right or extra.
    pub is_unstated: bool,
}

impl ToolCounts {
    /// The number of errors.
    fn errors(&self) -> u64 {
        let known = [self.other_arguments, self.failed].into_iter().flatten();
        self.missed + self.extra + known.sum::<u64>()
    }

    /// The numbers in the order of the table columns, each with the CSS class of its cell.
    pub fn cells(&self) -> [(String, &'static str); 7] {
        let known =
            |number: Option<u64>| number.map_or_else(|| "–".to_owned(), |it| it.to_string());
        let bad = |number: Option<u64>| if number.unwrap_or(0) > 0 { "bad" } else { "" };
        if self.is_unstated {
            let none = || (known(None), "");
            let called = (self.called.to_string(), "");
            let failed = (known(self.failed), bad(self.failed));
            return [none(), called, none(), none(), none(), none(), failed];
        }
        [
            (self.expected.to_string(), ""),
            (self.called.to_string(), ""),
            (known(self.right), ""),
            (known(self.other_arguments), bad(self.other_arguments)),
            (self.missed.to_string(), bad(Some(self.missed))),
            (self.extra.to_string(), bad(Some(self.extra))),
            (known(self.failed), bad(self.failed)),
        ]
    }

    /// The full name for pages, since filters and commands use it.
    pub fn shown_name(&self) -> String {
        printable(&self.name)
    }
}

/// The column heads of [`ToolCounts::cells`], each with its name in addresses.
pub const TOOL_COLUMNS: [(&str, &str); 7] = [
    ("expected", "expected"),
    ("called", "called"),
    ("right", "right"),
    ("other arguments", "arguments"),
    ("missed", "missed"),
    ("extra", "extra"),
    ("failed", "failed"),
];

/// Explains the columns.
pub const TOOLS_TOLD: &str = "Right: the expected name and arguments, whatever evaluators compare. Extra calls are counted in cases that state their calls.";

/// Expected tools against called tools; those with the most calls come first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Confusion {
    /// The row names: expected tools, then `None` for extra calls.
    pub expected: Vec<Option<String>>,
    /// The column names: called tools, then `None` for missed calls.
    pub called: Vec<Option<String>>,
    /// Calls by row and column.
    pub calls: Vec<Vec<u64>>,
    /// The number of omitted tools.
    pub more: usize,
}

impl Tools {
    /// The tools of a run.
    pub fn new(totals: &ToolTotals) -> Self {
        let mut counts: BTreeMap<&str, ToolCounts> = BTreeMap::new();
        let mut pairs: BTreeMap<_, u64> = BTreeMap::new();
        for it in &totals.uses {
            let add_to =
                |counts: &mut BTreeMap<_, ToolCounts>, name, add: &dyn Fn(&mut ToolCounts)| {
                    add(counts.entry(name).or_insert_with(|| ToolCounts {
                        name: String::from(name),
                        right: Some(0),
                        other_arguments: Some(0),
                        ..ToolCounts::default()
                    }));
                };
            let is_same = it.expected == it.called;
            if let Some(name) = &it.expected {
                add_to(&mut counts, name, &|tool| {
                    tool.expected += it.times;
                    tool.missed += if is_same { 0 } else { it.times };
                });
            }
            if let Some(name) = &it.called {
                add_to(&mut counts, name, &|tool| {
                    tool.called += it.times;
                    tool.extra += if is_same || it.unstated { 0 } else { it.times };
                    if is_same {
                        let other = it.other_arguments;
                        tool.other_arguments =
                            tool.other_arguments.zip(other).map(|(all, it)| all + it);
                        tool.right = tool
                            .right
                            .zip(other)
                            .map(|(all, other)| all + it.times - other);
                    }
                    tool.failed = sum_of(tool.failed, it.failed);
                });
            }
            if !it.unstated {
                *pairs
                    .entry((it.expected.clone(), it.called.clone()))
                    .or_default() += it.times;
            }
        }
        let is_unstated = totals.uses.iter().all(|it| it.unstated);
        let mut counts: Vec<_> = counts.into_values().collect();
        counts
            .iter_mut()
            .for_each(|it| it.is_unstated = is_unstated);
        counts.sort_by(|one, other| {
            let key = |it: &ToolCounts| Reverse((it.errors(), it.expected + it.called));
            key(one).cmp(&key(other)).then(one.name.cmp(&other.name))
        });
        let note = if is_unstated && !counts.is_empty() {
            "No case states its calls: there are only rules."
        } else if totals.uncounted {
            "The run has more tools than are counted."
        } else {
            ""
        };
        Self {
            pairs,
            counts,
            note: note.to_owned(),
        }
    }

    /// Each tool; the one with the most errors comes first.
    pub fn counts(&self) -> &[ToolCounts] {
        &self.counts
    }

    /// The end of a list with this many tools: `… and 3 more tools`; empty if the list is complete.
    pub fn more_than(&self, listed: usize) -> String {
        match self.counts.len().saturating_sub(listed) {
            0 => String::new(),
            more => format!("… and {}", count(more as u64, "more tool")),
        }
    }

    /// The matrix of the tools with the most calls, for at most `most` tools.
    pub fn confusion(&self, most: usize) -> Confusion {
        let mut tools: Vec<_> = self.counts.iter().collect();
        tools.sort_by_key(|it| (Reverse(it.expected + it.called), &it.name));
        let shown = &tools[..tools.len().min(most)];
        let of_side = |is_used: &dyn Fn(&ToolCounts) -> bool| {
            let names = shown.iter().filter(|it| is_used(it));
            names.map(|it| Some(it.name.clone())).collect::<Vec<_>>()
        };
        // A tool without a pair has no column: it was only called in cases without expected calls.
        let in_pairs = |name: &str| {
            self.pairs
                .keys()
                .any(|(_, called)| called.as_deref() == Some(name))
        };
        let mut expected = of_side(&|it| it.expected > 0);
        let mut called = of_side(&|it| in_pairs(&it.name));
        let is_shown = |name: &Option<String>| {
            name.as_ref()
                .is_none_or(|name| shown.iter().any(|it| it.name == *name))
        };
        let all = self.pairs.keys();
        let all = all.filter(|(expected, called)| is_shown(expected) && is_shown(called));
        let some_extra = all.clone().any(|(expected, _)| expected.is_none());
        let some_missed = all.clone().any(|(_, called)| called.is_none());
        expected.extend(some_extra.then_some(None));
        called.extend(some_missed.then_some(None));
        let times = |row: &Option<String>, column: &Option<String>| {
            let pair = (row.clone(), column.clone());
            self.pairs.get(&pair).copied().unwrap_or(0)
        };
        let calls = expected
            .iter()
            .map(|row| called.iter().map(|column| times(row, column)).collect())
            .collect();
        Confusion {
            expected,
            called,
            calls,
            more: tools.len().saturating_sub(most),
        }
    }
}

#[cfg(test)]
mod tests {
    use rightcall_results::ToolUse;

    use super::*;

    fn tools() -> Tools {
        let of =
            |(expected, called, times, other, failed): (Option<&str>, Option<&str>, u64, _, _)| {
                ToolUse {
                    expected: expected.map(ToOwned::to_owned),
                    called: called.map(ToOwned::to_owned),
                    unstated: false,
                    times,
                    other_arguments: other,
                    failed,
                }
            };
        let mut uses: Vec<_> = [
            (Some("find"), Some("find"), 5, Some(1), Some(2)),
            (Some("refund"), Some("find"), 2, None, None),
            (Some("mail"), None, 1, None, None),
            (None, Some("look"), 3, None, None),
        ]
        .map(of)
        .to_vec();
        uses.push(ToolUse {
            unstated: true,
            ..of((None, Some("peek"), 4, None, None))
        });
        Tools::new(&ToolTotals {
            uses,
            ..ToolTotals::default()
        })
    }

    #[test]
    fn tool_with_the_most_errors_comes_first() {
        let tools = tools();
        let shown = tools.counts().iter().map(|it| {
            let cells = it.cells().map(|(number, _)| number);
            format!("{} {}", it.name, cells.join(" "))
        });
        let shown: Vec<_> = shown.collect();
        assert_eq!(
            shown,
            [
                // expected, called, right, other arguments, missed, extra, failed
                "find 5 7 4 1 0 2 2",
                "look 0 3 0 0 0 3 –",
                "refund 2 0 0 0 2 0 –",
                "mail 1 0 0 0 1 0 –",
                "peek 0 4 0 0 0 0 –",
            ]
        );
        assert_eq!(tools.more_than(4), "… and 1 more tool");
    }

    #[test]
    fn with_only_rules_no_call_counts_as_expected_or_right() {
        let peek = ToolUse {
            called: Some("peek".to_owned()),
            unstated: true,
            times: 4,
            ..ToolUse::default()
        };
        let tools = Tools::new(&ToolTotals {
            uses: vec![peek],
            ..ToolTotals::default()
        });
        let cells = tools.counts()[0].cells().map(|(number, _)| number);
        assert_eq!(cells.join(" "), "– 4 – – – – –");
        assert!(tools.note.contains("only rules"));
    }

    #[test]
    fn matrix_shows_called_instead_of_expected_tools() {
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
        assert_eq!(tools().confusion(1).more, 4);
    }
}
