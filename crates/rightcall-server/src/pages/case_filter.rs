//! The case filter in an address, and the choices that the page offers.

use rightcall_report::{TOOL_COLUMNS, cut_end};
use rightcall_results::{RunSummary, STEPS};
use rightcall_store::{CaseFilter, CaseOrder, History, StoredVerdict, ToolUseKind};

use super::Missing;
use super::choice::{Choice, choices, short};
use crate::link::Query;

/// Number of steps in a histogram.
const BINS: u64 = STEPS as u64;

/// Maximum number of tools and tags in a menu.
const MAX_CHOICES: usize = 200;

/// The value for "no tool" in an address; no tool has this name.
pub(super) const NO_TOOL: &str = "\u{2205}";

/// The choices of a filter.
pub(super) struct Menu {
    pub(super) choices: Vec<Choice>,
    /// Number of omitted values.
    pub(super) more: usize,
}

pub(super) struct Filters {
    pub(super) tools: Menu,
    pub(super) tags: Menu,
    pub(super) evaluators: Vec<Choice>,
    pub(super) outcomes: Vec<Choice>,
    pub(super) orders: Vec<Choice>,
    pub(super) text: String,
    /// The active filters, each with the address without it.
    pub(super) chips: Vec<(String, String)>,
}

/// The outcomes to choose from.
const OUTCOMES: [(&str, &str); 4] = [
    ("failed", "failed"),
    ("passed", "passed"),
    ("error", "ended in an error"),
    ("not-applicable", "not applicable"),
];

/// The orders to choose from.
const ORDERS: [(&str, &str); 3] = [
    ("worst", "worst first"),
    ("input", "order of the input"),
    ("label", "by name"),
];

/// The query parameters that select cases.
pub(super) const CASE_KEYS: [&str; 12] = [
    "cause",
    "tool",
    "use",
    "meta",
    "bin",
    "expected",
    "called",
    "tag",
    "evaluator",
    "outcome",
    "q",
    "sort",
];

/// The filter in an address.
pub(super) fn filter_of(query: &Query) -> CaseFilter {
    let evaluator = query.number("evaluator").map(|position| position as usize);
    let outcome = query.get("outcome");
    let verdict = match outcome {
        Some("failed") => evaluator.map(|_| StoredVerdict::Failed),
        Some("passed") => Some(StoredVerdict::Passed),
        Some("error") => Some(StoredVerdict::Error),
        Some("not-applicable") => Some(StoredVerdict::NotApplicable),
        _ => None,
    };
    let tool = |name: &str| Some(name.to_owned()).filter(|name| name != NO_TOOL);
    let verdict = verdict.map(|verdict| (evaluator, verdict));
    let tool_use = query.owned("tool").zip(use_of(query));
    let meta = query.get("meta").and_then(|meta| meta.split_once('='));
    CaseFilter {
        meta: meta
            .map(|(key, value)| (key.to_owned(), vec![value.to_owned()]))
            .into_iter()
            .collect(),
        tool: query.owned("tool").filter(|_| tool_use.is_none()),
        cause: query.owned("cause"),
        tool_use,
        pair: query
            .get("expected")
            .zip(query.get("called"))
            .map(|(expected, called)| (tool(expected), tool(called))),
        tag: query.owned("tag"),
        failed: match (outcome, evaluator) {
            (Some("failed"), None) => Some(true),
            // If the case passed, no evaluator failed.
            (Some("passed"), None) => Some(false),
            _ => None,
        },
        verdict: bin_of(query)
            .map(|(from, to)| (evaluator, StoredVerdict::Score(from, to)))
            .or(verdict),
        label: None,
        text: query.owned("q"),
    }
}

/// Further parameters of the page of a run.
const PAGE_KEYS: [&str; 4] = ["page", "tab", "at", "by"];

/// The parameters that select nothing, since the key or the value is unknown: `outcome=slow`.
pub(super) fn ignored(query: &Query, evaluators: usize) -> Vec<String> {
    let is_evaluator = |value: &str| value.parse().is_ok_and(|it: usize| it < evaluators);
    let is_of = |value: &str, choices: &[(&str, &str)]| choices.iter().any(|it| it.0 == value);
    let is_known = |key: &str, value: &str| match key {
        "outcome" => is_of(value, &OUTCOMES),
        "use" => use_of(query).is_some() && query.get("tool").is_some(),
        "bin" => bin_of(query).is_some(),
        "evaluator" => is_evaluator(value),
        "sort" => is_of(value, &ORDERS) || is_evaluator(value),
        "meta" => value.contains('='),
        "expected" => query.get("called").is_some(),
        "called" => query.get("expected").is_some(),
        _ => CASE_KEYS.contains(&key) || PAGE_KEYS.contains(&key),
    };
    let pairs = query.pairs().filter(|(key, value)| !is_known(key, value));
    pairs
        .map(|(key, value)| short(&format!("{key}={value}")))
        .collect()
}

/// The tool use in an address, named as in the table of tools.
fn use_of(query: &Query) -> Option<ToolUseKind> {
    Some(match query.get("use")? {
        "expected" => ToolUseKind::Expected,
        "called" => ToolUseKind::Called,
        "right" => ToolUseKind::Right,
        "arguments" => ToolUseKind::OtherArguments,
        "missed" => ToolUseKind::Missed,
        "extra" => ToolUseKind::Extra,
        "failed" => ToolUseKind::Failed,
        _ => return None,
    })
}

/// The range of scores of a histogram step in an address. The outermost steps include all scores beyond 0 and 1.
fn bin_of(query: &Query) -> Option<(f64, f64)> {
    let bin = query.number("bin").filter(|bin| *bin < BINS)?;
    let edge = |bin: u64| bin as f64 / BINS as f64;
    let from = if bin == 0 { f64::MIN } else { edge(bin) };
    let to = if bin + 1 == BINS {
        f64::MAX
    } else {
        edge(bin + 1)
    };
    Some((from, to))
}

/// The order in an address.
pub(super) fn order_of(query: &Query) -> CaseOrder {
    match query.get("sort") {
        Some("input") => CaseOrder::Input,
        Some("label") => CaseOrder::Label,
        Some(other) => other.parse().map_or(CaseOrder::Worst, CaseOrder::Evaluator),
        None => CaseOrder::Worst,
    }
}

/// The range of scores of a histogram step, as text.
pub(super) fn bin_text(bin: u64) -> String {
    format!(
        "{:.1} to {:.1}",
        bin as f64 / BINS as f64,
        (bin + 1) as f64 / BINS as f64
    )
}

impl Filters {
    pub(super) fn new(
        history: &History,
        run: i64,
        query: &Query,
        path: &str,
        summary: &RunSummary,
        tools: Vec<(String, u64)>,
    ) -> Result<Self, Missing> {
        let fixed = |choices: &[(&str, &str)], key: &str| -> Vec<Choice> {
            let choice = |(value, text): &(&str, &str)| Choice::new(*value, *text, query.get(key));
            choices.iter().map(choice).collect()
        };
        let labels: Vec<_> = summary
            .evaluators
            .iter()
            .map(|it| short(&it.label))
            .collect();
        let evaluator = |(position, label): (usize, &String)| {
            Choice::new(position.to_string(), label, query.get("evaluator"))
        };
        let order = |(position, label): (usize, &String)| {
            let text = format!("by {label}");
            Choice::new(position.to_string(), text, query.get("sort"))
        };
        let mut orders = fixed(&ORDERS, "sort");
        orders.extend(labels.iter().enumerate().map(order));
        let tags = history.case_tags(run)?;
        Ok(Self {
            tools: menu_of(tools, query.get("tool")),
            tags: menu_of(tags, query.get("tag")),
            evaluators: labels.iter().enumerate().map(evaluator).collect(),
            outcomes: fixed(&OUTCOMES, "outcome"),
            orders,
            text: query.owned("q").unwrap_or_default(),
            chips: chips(query, path, &labels),
        })
    }
}

/// The first values of a menu, the active value, and the number of omitted values.
fn menu_of(mut values: Vec<(String, u64)>, chosen: Option<&str>) -> Menu {
    let more = values.len().saturating_sub(MAX_CHOICES);
    let in_use = values
        .iter()
        .skip(MAX_CHOICES)
        .find(|(value, _)| Some(value.as_str()) == chosen)
        .cloned();
    values.truncate(MAX_CHOICES);
    let more = more - usize::from(in_use.is_some());
    values.extend(in_use);
    Menu {
        choices: choices(values, chosen),
        more,
    }
}

/// Describes the active filters.
fn chips(query: &Query, path: &str, labels: &[String]) -> Vec<(String, String)> {
    let name = |name: &str| {
        if name == NO_TOOL {
            "no tool".to_owned()
        } else {
            short(name)
        }
    };
    let mut chips = Vec::new();
    let mut add = |text: String, keys: &[&str]| {
        let link = query.without(keys).without(&["page"]).of(path);
        chips.push((text, format!("{link}#cases")));
    };
    if let Some((expected, called)) = query.get("expected").zip(query.get("called")) {
        add(
            format!("expected {}, called {}", name(expected), name(called)),
            &["expected", "called"],
        );
    }
    if let Some(tool) = query.get("tool") {
        let kind = query.get("use").filter(|_| use_of(query).is_some());
        let kind = TOOL_COLUMNS.iter().find(|(_, name)| Some(*name) == kind);
        let kind = kind.map_or_else(String::new, |(head, _)| format!(", {head}"));
        add(format!("tool: {}{kind}", short(tool)), &["tool", "use"]);
    }
    if let Some(cause) = query.get("cause") {
        add(cut_end(cause, 120), &["cause"]);
    }
    for (key, label) in [("tag", "tag"), ("outcome", "outcome"), ("q", "text")] {
        if let Some(value) = query.get(key) {
            add(format!("{label}: {}", short(value)), &[key]);
        }
    }
    if let Some(meta) = query.get("meta") {
        add(short(meta), &["meta"]);
    }
    if let Some(bin) = query.number("bin") {
        add(format!("score {}", bin_text(bin)), &["bin"]);
    }
    if let Some(label) = query
        .number("evaluator")
        .and_then(|position| labels.get(position as usize))
    {
        add(format!("of {label}"), &["evaluator"]);
    }
    chips
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn empty_evaluator_filter_means_any_evaluator() {
        let filter = |outcome: &str, evaluator: &str| {
            let pairs = [("outcome", outcome), ("evaluator", evaluator)];
            let filter = filter_of(&Query::new(
                pairs
                    .map(|(key, value)| (key.to_owned(), value.to_owned()))
                    .to_vec(),
            ));
            (filter.failed, filter.verdict)
        };
        assert_eq!(
            filter("not-applicable", ""),
            (None, Some((None, StoredVerdict::NotApplicable)))
        );
        assert_eq!(
            filter("not-applicable", "2"),
            (None, Some((Some(2), StoredVerdict::NotApplicable)))
        );
        assert_eq!(
            filter("error", ""),
            (None, Some((None, StoredVerdict::Error)))
        );
        assert_eq!(filter("failed", ""), (Some(true), None));
        assert_eq!(
            filter("failed", "1"),
            (None, Some((Some(1), StoredVerdict::Failed)))
        );
        assert_eq!(
            filter("passed", ""),
            (Some(false), Some((None, StoredVerdict::Passed)))
        );
        assert_eq!(filter("", "1"), (None, None));
    }

    #[test]
    fn unknown_query_parameters_are_reported() {
        let of = |pairs: &[(&str, &str)]| {
            let pairs = pairs.iter();
            let pairs = pairs.map(|(key, value)| ((*key).to_owned(), (*value).to_owned()));
            ignored(&Query::new(pairs.collect()), 2)
        };
        let known = [
            ("outcome", "failed"),
            ("sort", "1"),
            ("tool", "x"),
            ("use", "missed"),
            ("page", "2"),
        ];
        assert_eq!(of(&known), Vec::<String>::new());
        for (key, value) in [
            ("outcome", "slow"),
            ("sort", "2"),
            ("use", "missed"),
            ("model", "a"),
            ("bin", "99"),
            ("called", "x"),
        ] {
            assert_eq!(of(&[(key, value)]), [format!("{key}={value}")]);
        }
    }

    #[test]
    fn menu_keeps_the_selection_and_counts_omitted_items() {
        let values: Vec<_> = (0..MAX_CHOICES as u64 + 7)
            .map(|number| (format!("tool-{number}"), number))
            .collect();
        let menu = menu_of(values.clone(), None);
        assert_eq!((menu.choices.len(), menu.more), (MAX_CHOICES, 7));
        let last = format!("tool-{}", MAX_CHOICES + 6);
        let menu = menu_of(values, Some(&last));
        assert_eq!(
            (
                menu.choices.len(),
                menu.more,
                menu.choices[MAX_CHOICES].is_chosen
            ),
            (MAX_CHOICES + 1, 6, true)
        );
    }
}
