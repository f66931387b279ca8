//! A run: the verdict, the evaluators, the tools, and the cases, worst first, filtered in the database.

use askama::Template;
use axum::extract::rejection::{PathRejection, QueryRejection};
use axum::extract::{Path, Query as Parameters, State};
use axum::response::IntoResponse;
use rightcall::Outcome;
use rightcall_report::{
    ConfusionTable, FindingsPart, RunReport, Tools, distribution, distribution_told, head,
    printable, tool_rates,
};
use rightcall_results::{EvaluationResult, RunSummary, Totals};
use rightcall_store::{CaseFilter, CaseOrder, CaseRow, History, PageRange, RunRow, StoredVerdict};

use super::runs::{Choice, choices, short};
use super::{Missing, Place, page, percent, score, verdict};
use crate::link::{Paging, Query};

/// Cases of a page, and tools of plot and matrix.
pub(super) const ROWS: u64 = 50;
const TOOLS: usize = 16;

/// Tools and tags that a menu offers.
const OFFERED: usize = 200;

/// Stands for no tool in an address: no tool is called like this.
const NO_TOOL: &str = "\u{2205}";

pub(crate) async fn run(
    State(place): State<Place>,
    number: Result<Path<i64>, PathRejection>,
    parameters: Result<Parameters<Vec<(String, String)>>, QueryRejection>,
) -> Result<impl IntoResponse, Missing> {
    let (number, query) = (number?.0, Query::new(parameters?.0));
    page(place, move |history| RunPage::new(history, number, &query)).await
}

#[derive(Template)]
#[template(path = "run.html")]
struct RunPage {
    run: RunRow,
    findings: String,
    evaluators: Vec<EvaluatorView>,
    together: Option<EvaluatorView>,
    rates: String,
    rates_told: String,
    confusion: ConfusionTable,
    path: String,
    query: Query,
    filters: Filters,
    cases: Vec<CaseView>,
    paging: Paging,
}

struct EvaluatorView {
    label: String,
    id: String,
    mean: String,
    passed: String,
    scored: u64,
    not_applicable: u64,
    errors: u64,
    plot: String,
    described: String,
    /// The reference page, with the settings of this run.
    page: String,
    /// The cases in the order of this evaluator's scores.
    link: String,
}

/// The values that a filter offers.
struct Menu {
    choices: Vec<Choice>,
    /// Values that are left out.
    more: usize,
}

struct Filters {
    tools: Menu,
    tags: Menu,
    evaluators: Vec<Choice>,
    outcomes: Vec<Choice>,
    orders: Vec<Choice>,
    text: String,
    /// What is in force, each with the address without it.
    chips: Vec<(String, String)>,
}

struct CaseView {
    label: String,
    trial: String,
    link: String,
    score: String,
    verdict: (&'static str, &'static str),
    scores: Vec<(String, &'static str)>,
    reason: String,
}

/// The outcomes that can be chosen.
const OUTCOMES: [(&str, &str); 4] = [
    ("failed", "failed"),
    ("passed", "passed"),
    ("error", "ended in an error"),
    ("not-applicable", "not applicable"),
];

/// The orders that can be chosen.
const ORDERS: [(&str, &str); 3] = [
    ("worst", "worst first"),
    ("input", "order of the input"),
    ("label", "by name"),
];

/// What of an address chooses cases.
pub(super) const CASE_KEYS: [&str; 8] = [
    "tool",
    "expected",
    "called",
    "tag",
    "evaluator",
    "outcome",
    "q",
    "sort",
];

/// The cases that an address asks for.
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
    CaseFilter {
        tool: query.owned("tool"),
        pair: query
            .get("expected")
            .zip(query.get("called"))
            .map(|(expected, called)| (tool(expected), tool(called))),
        tag: query.owned("tag"),
        failed: match (outcome, evaluator) {
            (Some("failed"), None) => Some(true),
            // Of a case that passed no evaluator says otherwise.
            (Some("passed"), None) => Some(false),
            _ => None,
        },
        verdict: verdict.map(|verdict| (evaluator, verdict)),
        label: None,
        text: query.owned("q"),
    }
}

/// The order that an address asks for.
pub(super) fn order_of(query: &Query) -> CaseOrder {
    match query.get("sort") {
        Some("input") => CaseOrder::Input,
        Some("label") => CaseOrder::Label,
        Some(other) => other.parse().map_or(CaseOrder::Worst, CaseOrder::Evaluator),
        None => CaseOrder::Worst,
    }
}

impl RunPage {
    fn new(history: &History, number: i64, query: &Query) -> Result<Self, Missing> {
        let run = history.run(number)?;
        let path = format!("/runs/{number}");
        let summary = history.summary(&run)?;
        let mut head = head(history, &run, &summary)?;
        head.facts.insert(0, ("run".to_owned(), number.to_string()));
        let notes = rightcall_report::notes(&run);
        let report = RunReport {
            head: &head,
            summary: &summary,
            notes: &notes,
        };
        let mut tools = Tools::default();
        for pair in history.tools(number)? {
            tools.add(pair.expected.as_deref(), pair.called.as_deref(), pair.times);
        }
        let rates = tools.rates();
        let shown = &rates[..rates.len().min(TOOLS)];
        let told = shown.iter().map(|it| {
            format!(
                "{}: precision {}, recall {}",
                printable(&it.name),
                percent(it.precision()),
                percent(it.recall())
            )
        });
        let filter = filter_of(query);
        let offset = (Paging::page(query) - 1) * ROWS;
        let found = history.cases(
            number,
            &filter,
            order_of(query),
            PageRange {
                offset,
                limit: ROWS,
            },
        )?;
        let names = rates
            .iter()
            .map(|it| (it.name.clone(), it.expected + it.called))
            .collect();
        let evaluators = summary.evaluators.iter().enumerate();
        let evaluators: Vec<_> = evaluators
            .map(|(position, it)| {
                let link = query
                    .without(&["page"])
                    .with("sort", Some(&position.to_string()))
                    .of(&path);
                let page = format!("/evaluators/{}?run={number}", it.id);
                let link = format!("{link}#cases");
                EvaluatorView {
                    page,
                    ..EvaluatorView::new(&it.label, &it.id, &it.totals, link)
                }
            })
            .collect();
        let together = summary
            .whole_cases
            .as_ref()
            .filter(|_| evaluators.len() > 1);
        let confusion = tools.confusion(TOOLS);
        let tags: Vec<_> = run.tags.iter().map(|tag| printable(tag)).collect();
        Ok(Self {
            findings: FindingsPart::new(report, &tags)
                .render()
                .map_err(|error| Missing::Broken(error.to_string()))?,
            together: together
                .map(|totals| EvaluatorView::new("each case, weighted", "", totals, String::new())),
            rates: if shown.is_empty() {
                String::new()
            } else {
                tool_rates(shown)
            },
            rates_told: told.collect::<Vec<_>>().join("; "),
            confusion: ConfusionTable::new(&confusion),
            filters: Filters::new(history, number, query, &path, &summary, names)?,
            cases: found
                .cases
                .iter()
                .enumerate()
                .map(|(index, row)| CaseView::new(&path, query, offset + index as u64, row))
                .collect(),
            paging: Paging::new(query, &path, ROWS, found.total),
            query: query.clone(),
            evaluators,
            path,
            run,
        })
    }

    /// The address of the cases in a cell of the matrix.
    fn cell(&self, expected: Option<&String>, called: Option<&String>) -> String {
        let name = |name: Option<&String>| name.cloned().unwrap_or_else(|| NO_TOOL.to_owned());
        let query = self.query.without(&["page", "tool"]);
        let query = query
            .with("expected", Some(&name(expected)))
            .with("called", Some(&name(called)));
        format!("{}#cases", query.of(&self.path))
    }
}

impl EvaluatorView {
    fn new(label: &str, id: &str, totals: &Totals, link: String) -> Self {
        Self {
            id: if id == label {
                String::new()
            } else {
                id.to_owned()
            },
            label: printable(label),
            mean: score(totals.mean),
            passed: percent(totals.pass_rate),
            scored: totals.scored,
            not_applicable: totals.not_applicable,
            errors: totals.errors,
            plot: distribution(&totals.histogram),
            described: distribution_told(&totals.histogram),
            page: String::new(),
            link,
        }
    }
}

impl Filters {
    fn new(
        history: &History,
        run: i64,
        query: &Query,
        path: &str,
        summary: &RunSummary,
        tools: Vec<(String, u64)>,
    ) -> Result<Self, Missing> {
        let fixed = |choices: &[(&str, &str)], key: &str| -> Vec<Choice> {
            let choice = |(value, text): &(&str, &str)| Choice {
                is_chosen: query.get(key) == Some(value),
                value: (*value).to_owned(),
                text: (*text).to_owned(),
            };
            choices.iter().map(choice).collect()
        };
        let labels: Vec<_> = summary
            .evaluators
            .iter()
            .map(|it| short(&it.label))
            .collect();
        let evaluator = |(position, label): (usize, &String)| Choice {
            value: position.to_string(),
            text: label.clone(),
            is_chosen: query.get("evaluator") == Some(&position.to_string()),
        };
        let mut orders = fixed(&ORDERS, "sort");
        orders.extend(labels.iter().enumerate().map(|(position, label)| Choice {
            value: position.to_string(),
            text: format!("by {label}"),
            is_chosen: query.get("sort") == Some(&position.to_string()),
        }));
        let tags = history.case_tags(run)?;
        Ok(Self {
            tools: offered(tools, query.get("tool")),
            tags: offered(tags, query.get("tag")),
            evaluators: labels.iter().enumerate().map(evaluator).collect(),
            outcomes: fixed(&OUTCOMES, "outcome"),
            orders,
            text: query.owned("q").unwrap_or_default(),
            chips: chips(query, path, &labels),
        })
    }
}

/// The first values of a menu, the one in use, and how many are left out.
fn offered(mut values: Vec<(String, u64)>, chosen: Option<&str>) -> Menu {
    let more = values.len().saturating_sub(OFFERED);
    let in_use = values
        .iter()
        .skip(OFFERED)
        .find(|(value, _)| Some(value.as_str()) == chosen)
        .cloned();
    values.truncate(OFFERED);
    let more = more - usize::from(in_use.is_some());
    values.extend(in_use);
    Menu {
        choices: choices(values, chosen),
        more,
    }
}

/// The filters in force, in words.
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
    for (key, label) in [
        ("tool", "tool"),
        ("tag", "tag"),
        ("outcome", "outcome"),
        ("q", "text"),
    ] {
        if let Some(value) = query.get(key) {
            add(format!("{label}: {}", short(value)), &[key]);
        }
    }
    if let Some(label) = query
        .number("evaluator")
        .and_then(|position| labels.get(position as usize))
    {
        add(format!("of {label}"), &["evaluator"]);
    }
    chips
}

impl CaseView {
    fn new(path: &str, query: &Query, at: u64, row: &CaseRow) -> Self {
        let query = query.without(&["page"]).with("at", Some(&at.to_string()));
        let result = &row.result;
        Self {
            label: printable(&result.label),
            trial: result.trial.as_deref().map(printable).unwrap_or_default(),
            link: query.of(&format!("{path}/cases/{}", row.number)),
            score: score(result.whole.score()),
            verdict: verdict(if result.failed() {
                Some(false)
            } else {
                result.whole.passed
            }),
            scores: result.evaluations.iter().map(score_of).collect(),
            reason: printable(&result.whole.outcome.reason().unwrap_or_default()),
        }
    }
}

/// The score of an evaluator, or what stands in its place, and its class.
pub(super) fn score_of(it: &EvaluationResult) -> (String, &'static str) {
    match it.outcome {
        Outcome::Scored(number) => (score(Some(number.get())), verdict(it.passed).0),
        Outcome::Failed(_) => ("error".to_owned(), "bad"),
        Outcome::NotApplicable(_) => ("n/a".to_owned(), "muted"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_evaluator_means_each_of_them() {
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
    fn a_menu_keeps_what_is_chosen_and_counts_what_it_leaves_out() {
        let values: Vec<_> = (0..OFFERED as u64 + 7)
            .map(|number| (format!("tool-{number}"), number))
            .collect();
        let menu = offered(values.clone(), None);
        assert_eq!((menu.choices.len(), menu.more), (OFFERED, 7));
        let last = format!("tool-{}", OFFERED + 6);
        let menu = offered(values, Some(&last));
        assert_eq!(
            (
                menu.choices.len(),
                menu.more,
                menu.choices[OFFERED].is_chosen
            ),
            (OFFERED + 1, 6, true)
        );
    }
}
