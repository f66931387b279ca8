//! `cargo xtask generate`: writes files derived from the registry and the keys of suites. They are committed, and a check keeps them
//! current.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use rightcall_core::{EVALUATORS, Entry, GENERAL_DEPARTURES};
use rightcall_formats::CASE_SCHEMA;
use rightcall_quality::rules;
use rightcall_report::{departures_markdown, page_markdown};
use rightcall_results::RESULTS_SCHEMA;
use rightcall_run::{map_schema, suite_schema};

use crate::files::{make_folder, read, write};
use crate::format_page::format_page;
use crate::process::project_root;
use crate::{peers_tests, python_types, say, typescript};

/// Writes the generated files, or with `check` only reports whether they are current.
pub(crate) fn run(check: bool) -> Result<bool, String> {
    let root = project_root()?;
    let mut current = true;
    let python = "bindings/python/python/rightcall";
    let stub = format!("{python}/_native.pyi");
    let overloads = python_types::with_overloads(&read(&root.join(&stub))?)?;
    let declarations = [
        (
            "bindings/node/ts/evaluators.ts".to_owned(),
            typescript::evaluators(),
        ),
        (format!("{python}/_settings.pyi"), python_types::settings()),
        (stub, overloads),
    ];
    let metrics = "docs/metrics.md";
    let editions = "docs/editions.md";
    let pages = [
        (
            editions.to_owned(),
            with_departures(&read(&root.join(editions))?)?,
        ),
        (
            metrics.to_owned(),
            peers_tests::page(&read(&root.join(metrics))?)?,
        ),
        ("docs/formats.md".to_owned(), format_page()),
        ("docs/lint.md".to_owned(), rule_page()),
    ];
    for (file, text) in evaluator_pages()
        .into_iter()
        .chain(pages)
        .chain(schemas())
        .chain(declarations)
    {
        let path = root.join(&file);
        if read(&path).is_ok_and(|found| found == text) {
            continue;
        }
        current = false;
        if check {
            say(&format!(
                "{file} is not current: run `cargo xtask generate`"
            ));
        } else {
            path.parent().map_or(Ok(()), make_folder)?;
            write(&path, text)?;
        }
    }
    Ok(current || !check)
}

/// The link from the pages of evaluators to the departures that most packages share.
const GENERAL: &str = "../editions.md#where-no-edition-follows-the-package";

/// The page of editions with the departures that most packages share: the page's only table with this head.
fn with_departures(page: &str) -> Result<String, String> {
    let table = departures_markdown(&GENERAL_DEPARTURES.iter().collect::<Vec<_>>());
    let head = table.lines().next().unwrap_or_default();
    let (before, rest) = page
        .split_once(head)
        .ok_or_else(|| format!("docs/editions.md: expected a table that begins with `{head}`"))?;
    let after = rest.find("\n\n").map_or("\n", |end| &rest[end..]);
    Ok(format!("{before}{table}{after}"))
}

/// The page of each evaluator, and a list of all of them.
fn evaluator_pages() -> BTreeMap<String, String> {
    let path = |file: &str| format!("docs/evaluators/{file}");
    let mut pages: BTreeMap<String, String> = EVALUATORS
        .iter()
        .map(|entry| (path(&file_name(entry)), page_markdown(entry, Some(GENERAL))))
        .collect();
    let row = |entry: &&Entry| {
        format!(
            "| [`{}`]({}) | {} |\n",
            entry.id,
            file_name(entry),
            entry.summary
        )
    };
    let (published, own): (Vec<_>, Vec<_>) =
        EVALUATORS.iter().partition(|it| it.system().is_some());
    let rows: String = own.iter().chain(&published).map(row).collect();
    let list = format!(
        "# Evaluators\n\nThe first three are rightcall's own, the others are published metrics. [Which metric?](../choosing.md) helps to \
         choose.\n\n| evaluator | what it measures |\n| --- | --- |\n{rows}"
    );
    pages.insert(path("README.md"), list);
    pages
}

/// The page with the rules of `rightcall lint`.
fn rule_page() -> String {
    let mut page = "# Rules of lint\n\n[`rightcall lint`](commands/lint.md) checks these. `rightcall lint --rule CODE` prints one.\n\n\
        | rule | severity | reports |\n| --- | --- | --- |\n"
        .to_owned();
    for rule in rules() {
        let (code, severity, summary) = (rule.code, rule.severity, rule.summary);
        _ = writeln!(page, "| [{code}](#{code}) | {severity} | {summary} |");
    }
    for rule in rules() {
        page.push('\n');
        page.push_str(&rule.page());
    }
    page
}

/// The output of `rightcall schema`.
fn schemas() -> [(String, String); 4] {
    let schema = |name: &str, text: String| (format!("schemas/{name}.schema.json"), text);
    [
        schema("suite", suite_schema()),
        schema("case", CASE_SCHEMA.to_owned()),
        schema("results", RESULTS_SCHEMA.to_owned()),
        schema("map", map_schema()),
    ]
}

fn file_name(entry: &Entry) -> String {
    format!("{}.md", entry.id.replace('/', "-"))
}
