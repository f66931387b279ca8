//! `cargo xtask generate`: files that come from the registry and the keys of suites. They are committed, and checked to be current.

use std::collections::BTreeMap;
use std::path::Path;

use rightcall::{EVALUATORS, Entry};
use rightcall_formats::{CASE_SCHEMA, FORMATS, Format, Inspection, Limits, ReadOptions};
use rightcall_report::{example_file, format_markdown, inspection, page_markdown};
use rightcall_results::RESULTS_SCHEMA;
use rightcall_run::suite_schema;

use crate::files::{make_folder, read, write};
use crate::format_pages::{NOT_READ, NOT_UNDERSTOOD, wrappers};
use crate::process::project_root;
use crate::{peers_tests, say, typescript};

/// Writes the generated files, or with `check` tells whether they are current.
pub(crate) fn run(check: bool) -> Result<bool, String> {
    let root = project_root()?;
    let mut current = true;
    let declarations = [(
        "bindings/node/ts/evaluators.ts".to_owned(),
        typescript::evaluators(),
    )];
    let peers = [("docs/peers-tests.md".to_owned(), peers_tests::page())];
    for (file, text) in evaluator_pages()
        .into_iter()
        .chain(peers)
        .chain(format_pages()?)
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

/// The page of every evaluator, and a list of them all.
fn evaluator_pages() -> BTreeMap<String, String> {
    let path = |file: &str| format!("docs/evaluators/{file}");
    let mut pages: BTreeMap<String, String> = EVALUATORS
        .iter()
        .map(|entry| (path(&file_name(entry)), page_markdown(entry)))
        .collect();
    let row = |entry: &&Entry| {
        format!(
            "| [`{}`]({}) | {} |\n",
            entry.id,
            file_name(entry),
            entry.summary
        )
    };
    let rows: String = EVALUATORS.iter().map(row).collect();
    let list = format!("# Evaluators\n\n| evaluator | what it measures |\n| --- | --- |\n{rows}");
    pages.insert(path("README.md"), list);
    pages
}

/// The page of every format, and a list of them all.
fn format_pages() -> Result<BTreeMap<String, String>, String> {
    let path = |file: &str| format!("docs/formats/{file}");
    let mut pages = BTreeMap::new();
    let folder = tempfile::tempdir().map_err(|error| format!("a temporary folder: {error}"))?;
    for format in FORMATS {
        let inspected = inspected(format, folder.path())?;
        pages.insert(
            path(&format!("{}.md", format.name)),
            format_markdown(format, &inspected),
        );
    }
    let rows = |holds_traces: bool| -> String {
        let those = FORMATS
            .iter()
            .filter(|format| format.holds_traces() == holds_traces);
        let rows = those.map(|format| {
            format!(
                "| [`{0}`]({0}.md) | {1} | {2} |\n",
                format.name, format.title, format.summary
            )
        });
        rows.collect::<Vec<_>>().concat()
    };
    let head = "| format | its name | files hold |\n| --- | --- | --- |\n";
    let list = format!(
        "# Formats\n\nWhat [`rightcall formats`](../commands/formats.md) lists. \
         [Traces of agent frameworks](../frameworks.md) says which of them a framework writes.\n\n\
         ## Traces: what was done\n\n{head}{}\n## Cases: what was expected, and mostly what was done\n\n{head}{}{NOT_UNDERSTOOD}{NOT_READ}",
        rows(true),
        rows(false)
    );
    pages.insert(path("README.md"), list);
    pages.insert(path("wrappers.md"), wrappers());
    Ok(pages)
}

/// What `rightcall inspect` says of the example of a format.
fn inspected(format: &Format, folder: &Path) -> Result<String, String> {
    let file = example_file(format);
    let path = folder.join(&file);
    write(&path, format!("{}\n", format.example.trim_end()))?;
    let found = Inspection::from_file(
        &path,
        Limits::default(),
        &ReadOptions::default(),
        usize::MAX,
    );
    let text = inspection(&found.map_err(|error| error.to_string())?);
    Ok(anstream::adapter::strip_str(&text)
        .to_string()
        .replacen(&*path.to_string_lossy(), &file, 1))
}

/// What `rightcall schema` prints.
fn schemas() -> [(String, String); 3] {
    let schema = |name: &str, text: String| (format!("schemas/{name}.schema.json"), text);
    [
        schema("suite", suite_schema()),
        schema("case", CASE_SCHEMA.to_owned()),
        schema("results", RESULTS_SCHEMA.to_owned()),
    ]
}

fn file_name(entry: &Entry) -> String {
    format!("{}.md", entry.id.replace('/', "-"))
}
