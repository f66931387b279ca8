//! The result: covered and uncovered tools, arguments and pairs.

/// The coverage of an agent's tools by the cases of a suite.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Coverage {
    /// Cases with an expectation. Trials of a case count once, and so do the rules of a suite.
    pub cases: u64,
    /// Runs with recorded calls.
    pub runs: u64,
    /// Runs among them that may lack calls.
    pub incomplete_runs: u64,
    /// Runs without recorded calls, which are not counted elsewhere.
    pub unrecorded_runs: u64,
    /// True if a catalogue lists the tools.
    pub has_catalogue: bool,
    /// The tools: first the catalogue's, in its order, then others by name.
    pub tools: Vec<ToolCoverage>,
    /// Pairs of consecutive tools that runs have and no case expects, the most frequent first.
    pub pairs: Vec<UncoveredPair>,
}

/// A tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ToolCoverage {
    /// Its name.
    pub name: String,
    /// True if the catalogue has it.
    pub is_in_catalogue: bool,
    /// Cases that expect it, or suites with a rule about it.
    pub cases: u64,
    /// Runs that call it.
    pub runs: u64,
    /// Runs in which a call of it failed; `None` if no call has a status.
    pub failed_runs: Option<u64>,
    /// Its arguments: first the schema's, in order, then others by name.
    pub arguments: Vec<ArgumentCoverage>,
}

/// An argument of a tool.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ArgumentCoverage {
    /// Its name.
    pub name: String,
    /// Cases that expect a value or a matcher for it.
    pub pinned: u64,
    /// Runs that call the tool with it.
    pub seen: u64,
    /// The values in its schema's `enum`, in order; for a list, in the `enum` of its items.
    pub values: Vec<ValueCoverage>,
}

/// A value of an enum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ValueCoverage {
    /// Its JSON text.
    pub json: String,
    /// True if a case expects it.
    pub is_pinned: bool,
    /// True if a run has it.
    pub is_seen: bool,
}

/// Two tools that runs call in direct succession, and that no case expects in this order.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct UncoveredPair {
    /// The tool that is called first.
    pub before: String,
    /// The tool that is called next.
    pub after: String,
    /// Runs with this pair.
    pub runs: u64,
    /// The id of the first of these runs; empty if it has none.
    pub first: String,
}

impl ToolCoverage {
    /// Describes the missing coverage; empty if there is none. `coverage` contains the tool.
    pub fn remark(&self, coverage: &Coverage) -> &'static str {
        match (self.cases, coverage.has_catalogue && !self.is_in_catalogue) {
            (0, false) => "no case",
            (0, true) => "no case; not in the catalogue",
            (_, true) => "not in the catalogue",
            (_, false) => "",
        }
    }
}

impl ArgumentCoverage {
    /// Describes untested parts, with values as the schema writes them; empty if there are none, or
    /// if its tool has no case.
    pub fn remark(&self, tool: &ToolCoverage) -> String {
        if tool.cases == 0 {
            return String::new();
        }
        let missing = self.values.iter().filter(|it| !it.is_pinned);
        let missing: Vec<_> = missing
            .map(|it| format!("{}{}", it.json, if it.is_seen { " (in runs)" } else { "" }))
            .collect();
        match (self.pinned, missing.is_empty()) {
            (0, true) => "no case".to_owned(),
            (_, true) => String::new(),
            (_, false) => format!("no case with {}", missing.join(", ")),
        }
    }
}

impl Coverage {
    /// The tools that should have a case: the catalogue's, or without a catalogue the tools that runs call.
    pub fn demanded(&self) -> impl Iterator<Item = &ToolCoverage> {
        let is_demanded = |tool: &&ToolCoverage| {
            if self.has_catalogue {
                tool.is_in_catalogue
            } else {
                tool.runs > 0
            }
        };
        self.tools.iter().filter(is_demanded)
    }

    /// The [`demanded`](Self::demanded) tools that no case expects.
    pub fn without_case(&self) -> impl Iterator<Item = &ToolCoverage> {
        self.demanded().filter(|tool| tool.cases == 0)
    }

    /// The number of [`demanded`](Self::demanded) tools with a case, and of all demanded tools.
    pub fn covered(&self) -> (u64, u64) {
        let (all, without) = (self.demanded().count(), self.without_case().count());
        ((all - without) as u64, all as u64)
    }

    /// The percentage of [`demanded`](Self::demanded) tools with a case, 0 to 100; `None` without such tools.
    pub fn percent(&self) -> Option<f64> {
        let (covered, all) = self.covered();
        (all > 0).then(|| 100.0 * covered as f64 / all as f64)
    }
}
