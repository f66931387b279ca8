//! The tabs of the page of a run, each with its own address.

use rightcall_results::RunSummary;

use crate::link::Query;

/// A tab of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tab {
    Cases,
    Causes,
    Tools,
    Coverage,
    Strength,
    Evaluators,
    Trials,
    Groups,
}

/// The tabs in order, each with its name in addresses and on the page.
const TABS: [(Tab, &str, &str); 8] = [
    (Tab::Cases, "cases", "Cases"),
    (Tab::Causes, "causes", "Causes"),
    (Tab::Tools, "tools", "Tools"),
    (Tab::Coverage, "coverage", "Coverage"),
    (Tab::Strength, "strength", "Strength"),
    (Tab::Evaluators, "evaluators", "Evaluators"),
    (Tab::Trials, "trials", "Trials"),
    (Tab::Groups, "groups", "Groups"),
];

impl Tab {
    /// The tab in an address; the default is the list of cases.
    pub(super) fn of(query: &Query) -> Self {
        let requested = query.get("tab");
        let known = TABS.iter().find(|(_, name, _)| Some(*name) == requested);
        known.map_or(Self::Cases, |(tab, ..)| *tab)
    }

    /// True if a run has content for this tab.
    fn has_content(self, summary: &RunSummary) -> bool {
        match self {
            Self::Cases | Self::Evaluators => true,
            Self::Causes => summary.findings.iter().any(|it| !it.causes.is_empty()),
            Self::Tools | Self::Coverage | Self::Strength => {
                summary.tools.iter().any(|it| !it.uses.is_empty())
            }
            Self::Trials => summary.trials.is_some(),
            Self::Groups => !summary.groups.is_empty(),
        }
    }
}

/// The tabs with content: address, name, and whether it is active.
pub(super) fn links(path: &str, current: Tab, summary: &RunSummary) -> Vec<TabLink> {
    let tabs = TABS.iter().filter(|(tab, ..)| tab.has_content(summary));
    tabs.map(|(tab, name, label)| TabLink {
        link: address(path, *tab, name),
        label,
        is_current: *tab == current,
    })
    .collect()
}

fn address(path: &str, tab: Tab, name: &str) -> String {
    let name = (tab != Tab::Cases).then_some(name);
    Query::default().with("tab", name).of(path)
}

/// A tab, formatted for the template.
pub(super) struct TabLink {
    pub(super) link: String,
    pub(super) label: &'static str,
    pub(super) is_current: bool,
}
