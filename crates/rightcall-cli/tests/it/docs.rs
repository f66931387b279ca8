//! Checks the README and the pages in `docs`: suites are valid, links resolve, and every option is documented.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::PoisonError;

use rightcall_core::EVALUATORS;
use rightcall_formats::FORMATS;
use rightcall_formats::yaml::YamlNode;
use rightcall_report::OUTPUTS;
use rightcall_run::{Configured, EvaluatorArgument, Suite, SuiteOptions};
use serde_json::Value;

use crate::Place;
use crate::readme::{PAGES, blocks, pages, place, root, shell, shown_pages, write_files};

/// The table of formats lists every output with its ending, and no other.
#[test]
fn every_output_is_in_the_table() {
    let page = fs::read_to_string(root().join("docs/commands/report.md")).unwrap();
    let row = |line: &str| {
        let mut cells = line.strip_prefix("| `")?.split("` | `.");
        let (name, rest) = (cells.next()?.to_owned(), cells.next()?);
        Some((name, rest.split_once('`')?.0.to_owned()))
    };
    let rows: Vec<_> = page.lines().filter_map(row).collect();
    let outputs = OUTPUTS
        .iter()
        .map(|it| (it.name.to_owned(), it.ending.to_owned()));
    assert_eq!(rows, outputs.collect::<Vec<_>>());
}

/// The page of exit codes lists every evaluator that judges by itself, and no other.
#[test]
fn evaluators_with_their_own_verdict_are_listed() {
    let page = fs::read_to_string(root().join("docs/exit-codes.md")).unwrap();
    let rest = page.split("These judge by themselves: ").nth(1).unwrap();
    let listed = rest.split('.').next().unwrap().split('`');
    let listed: BTreeSet<_> = listed.skip(1).step_by(2).collect();
    let decides = |id: &&str| {
        let argument = EvaluatorArgument::parse(id).unwrap();
        Configured::new(argument, None).unwrap().is_decisive()
    };
    let found: BTreeSet<_> = EVALUATORS.iter().map(|it| it.id).filter(decides).collect();
    assert_eq!(listed, found);
}

/// Every YAML block with evaluators is a valid suite; its files need not exist.
#[test]
fn suites_in_the_pages_are_valid() {
    rightcall_quality::use_tool_definitions();
    let mut suites = 0;
    for path in pages(&root().join("docs"))
        .into_iter()
        .chain([root().join("README.md")])
    {
        let page = fs::read_to_string(&path).unwrap();
        let blocks = page
            .split("```yaml\n")
            .skip(1)
            .filter_map(|rest| rest.split("```").next());
        for block in
            blocks.filter(|block| block.lines().any(|line| line.starts_with("evaluators:")))
        {
            let place = place();
            write_files(&page, place.path());
            for folder in ["cases", "runs"] {
                some_file(&place.path().join(folder));
            }
            let suite = place.path().join("suite.yaml");
            fs::write(&suite, block).unwrap();
            if let Err(error) = Suite::read(&suite, &SuiteOptions::default()) {
                panic!("{}: {error}\n{block}", path.display());
            }
            suites += 1;
        }
    }
    assert!(suites >= 15, "{suites}");
}

/// Readers paste blocks: each has a language, a file block holds only the file's text, and shell commands run.
#[test]
fn code_blocks_in_the_pages_can_be_pasted() {
    let mut files = 0;
    for path in shown_pages() {
        let page = fs::read_to_string(&path).unwrap();
        let place = place();
        write_files(&page, place.path());
        for block in blocks(&page) {
            let told = format!("{}: {}\n{}", path.display(), block.language, block.text);
            files += usize::from(block.file.is_some());
            match block.language {
                "json" | "jsonl" => {
                    let whole = serde_json::from_str::<Value>(block.text).is_ok();
                    let is_json = |line: &str| serde_json::from_str::<Value>(line).is_ok();
                    assert!(whole || block.text.lines().all(is_json), "{told}");
                }
                "yaml" => {
                    let read = YamlNode::parse(block.text);
                    assert!(read.is_ok(), "{told}");
                }
                "sh" => {
                    let lines = block.text.lines();
                    for line in lines.filter(|line| line.starts_with("rightcall ")) {
                        let ended = shell(line, place.path()).status;
                        assert!(ended.success(), "{told}");
                    }
                }
                // Console blocks have their own test. Python, TypeScript and Rust blocks are tested by their packages.
                "console" | "csv" | "text" | "toml" | "python" | "ts" | "js" | "rust" => {}
                other => panic!("{}: a block of `{other}`", path.display()),
            }
        }
    }
    assert!(files >= 30, "{files}");
}

/// A file that matches a glob.
fn some_file(folder: &Path) {
    fs::create_dir_all(folder).unwrap();
    fs::write(folder.join("some.jsonl"), "").unwrap();
}

/// The lines of a page outside its code blocks.
pub(crate) fn prose(page: &str) -> impl Iterator<Item = &str> {
    page.lines().scan(false, |inside, line| {
        let is_fence = line.trim_start().starts_with("```");
        *inside ^= is_fence;
        Some(if *inside || is_fence { "" } else { line })
    })
}

/// The targets of a page's links, without those to other sites.
fn links(page: &str) -> Vec<String> {
    // A link may wrap over two lines.
    let text = prose(page).collect::<Vec<_>>().join("\n");
    let targets = text
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split(')').next());
    targets
        .filter(|target| !target.contains("://"))
        .map(str::to_owned)
        .collect()
}

/// The anchors of a page's headings, as GitHub generates them.
fn anchors(page: &str) -> Vec<String> {
    let headings = prose(page)
        .filter(|line| line.starts_with('#'))
        .map(|line| line.trim_start_matches('#').trim().to_lowercase());
    let kept =
        |character: &char| character.is_alphanumeric() || matches!(character, ' ' | '-' | '_');
    headings
        .map(|heading| {
            heading
                .chars()
                .filter(kept)
                .collect::<String>()
                .replace(' ', "-")
        })
        .collect()
}

#[test]
fn links_in_the_pages_resolve() {
    let beside = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ]
    .map(|page| root().join(page));
    let mut number = 0;
    for path in pages(&root().join("docs")).into_iter().chain(beside) {
        let page = fs::read_to_string(&path).unwrap();
        for link in links(&page) {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let target = if file.is_empty() {
                path.clone()
            } else {
                path.parent().unwrap().join(file)
            };
            assert!(target.exists(), "{}: {link} leads nowhere", path.display());
            let is_there = || {
                anchors(&fs::read_to_string(&target).unwrap())
                    .iter()
                    .any(|known| known == anchor)
            };
            assert!(
                anchor.is_empty() || is_there(),
                "{}: {link}: there is no such heading",
                path.display()
            );
            number += 1;
        }
    }
    assert!(number >= 50, "{number}");
}

#[test]
fn index_links_to_every_page() {
    let docs = root().join("docs");
    let index = fs::read_to_string(docs.join("README.md")).unwrap();
    let linked: Vec<_> = links(&index)
        .iter()
        .map(|link| docs.join(link.split('#').next().unwrap_or_default()))
        .collect();
    // The list of evaluators links to the generated pages.
    let is_found_by_list = |path: &Path| {
        let list = path.with_file_name("README.md");
        let is_generated = path.parent() == Some(&docs.join("evaluators"));
        let is_in_list = || {
            links(&fs::read_to_string(&list).unwrap())
                .iter()
                .any(|link| list.with_file_name(link) == *path)
        };
        is_generated && *path != list && is_in_list()
    };
    for path in pages(&docs)
        .iter()
        .filter(|path| **path != docs.join("README.md") && !is_found_by_list(path))
    {
        assert!(
            linked.contains(path),
            "docs/README.md does not lead to {}",
            path.display()
        );
    }
}

/// Options that every command has.
const EVERYWHERE: [&str; 3] = ["--color", "--help", "--version"];

/// The options on the page of shared options.
fn shared_options() -> BTreeSet<String> {
    let page = fs::read_to_string(root().join("docs/commands/README.md")).unwrap();
    page.lines().flat_map(options_of_row).collect()
}

/// Each command with its line in the overview.
pub(crate) fn commands(place: &Place) -> Vec<(String, String)> {
    let help = place.run("--help", &[]).stdout;
    let commands = help.split("\nOptions:\n").next().unwrap();
    let lines = commands
        .lines()
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "));
    let named = lines.filter_map(|line| line.trim_start().split_once(' '));
    let commands: Vec<_> = named
        .map(|(name, about)| (name.to_owned(), about.trim().to_owned()))
        .collect();
    assert!(commands.len() >= 16, "{commands:?}");
    commands
}

#[test]
fn help_of_a_command_begins_like_the_overview() {
    let place = Place::new();
    for (name, about) in commands(&place) {
        let help = place.run(&format!("{name} --help"), &[]).stdout;
        let first = help.lines().next().unwrap();
        // The overview truncates long descriptions, and adds aliases of the command.
        assert!(
            first.starts_with(&about) || !first.is_empty() && about.starts_with(first),
            "{name}: {first}, {about}"
        );
    }
}

/// With `UPDATE_DOCS=1`, adds rows for new options from the help, and removes rows of options that no longer exist.
#[test]
fn page_of_a_command_lists_exactly_its_options() {
    let place = Place::new();
    let shared = shared_options();
    let mut used: BTreeMap<String, usize> = BTreeMap::new();
    let _held = PAGES.lock().unwrap_or_else(PoisonError::into_inner);
    for (name, _) in commands(&place) {
        let path = root().join(format!("docs/commands/{name}.md"));
        let page = fs::read_to_string(&path).unwrap();
        let help = place.run(&format!("{name} --help"), &[]).stdout;
        let mut rows = rows_of_help(&help);
        for option in rows.iter().flat_map(|(head, _)| long_options(head)) {
            *used.entry(option).or_default() += 1;
        }
        rows.retain(|(head, _)| !long_options(head).iter().all(|it| shared.contains(it)));
        let options: BTreeSet<_> = rows
            .iter()
            .flat_map(|(head, _)| long_options(head))
            .collect();
        let page = if std::env::var_os("UPDATE_DOCS").is_some() {
            let updated = with_rows(&page, &rows, &options);
            fs::write(&path, &updated).unwrap();
            updated
        } else {
            page
        };
        // The first column of the table of options.
        let named: BTreeSet<_> = page.lines().flat_map(options_of_row).collect();
        assert_eq!(
            named, options,
            "docs/commands/{name}.md, beside `rightcall {name} --help`; UPDATE_DOCS=1 writes what is missing"
        );
    }
    let rare: Vec<_> = shared
        .iter()
        .filter(|option| used.get(*option).is_none_or(|commands| *commands < 2))
        .collect();
    assert!(
        rare.is_empty(),
        "docs/commands/README.md: fewer than two commands have {rare:?}"
    );
}

/// In the README, the change log and the pages for users; those in `docs/dev` are about their own day.
#[test]
fn numbers_of_formats_and_metrics_match_the_lists() {
    let published = EVALUATORS.iter().filter(|it| it.system().is_some()).count();
    let mut claims = 0;
    let is_current = |path: &PathBuf| !path.starts_with(root().join("docs/dev"));
    for path in shown_pages()
        .into_iter()
        .filter(is_current)
        .chain([root().join("CHANGELOG.md")])
    {
        let page = fs::read_to_string(&path).unwrap();
        let words = page.split_ascii_whitespace();
        let bare = words.map(|word| word.trim_matches(|it: char| !it.is_alphanumeric()));
        for pair in bare.collect::<Vec<_>>().windows(2) {
            let right = match (pair[0].parse::<usize>(), pair[1]) {
                (Ok(number), noun) if noun.starts_with("formats") => number == FORMATS.len(),
                (Ok(number), "published") => number == published,
                _ => continue,
            };
            assert!(right, "{}: {} {}", path.display(), pair[0], pair[1]);
            claims += 1;
        }
    }
    assert!(claims >= 6, "found {claims}");
}

/// Each option of a command, with its description.
fn rows_of_help(help: &str) -> Vec<(String, String)> {
    let mut lines = help.lines().map(str::trim).peekable();
    let mut rows = Vec::new();
    while let Some(line) = lines.next() {
        let is_option = line.starts_with('-') && !long_options(line).is_empty();
        let is_everywhere = |option: &String| EVERYWHERE.contains(&option.as_str());
        if is_option && !long_options(line).iter().any(is_everywhere) {
            let head = line.replace(" <", " ").replace(['<', '>'], "");
            rows.push((head, lines.peek().copied().unwrap_or_default().to_owned()));
        }
    }
    rows
}

/// The page with a row for each of these options, after the row of the option before it. Rows of other options are removed.
fn with_rows(page: &str, rows: &[(String, String)], options: &BTreeSet<String>) -> String {
    let is_gone = |line: &&str| {
        let named = options_of_row(line);
        !named.is_empty() && named.iter().all(|option| !options.contains(option))
    };
    let mut lines: Vec<String> = page
        .lines()
        .filter(|line| !is_gone(line))
        .map(str::to_owned)
        .collect();
    let row_of = |lines: &[String], option: &str| {
        let is_row = |line: &String| options_of_row(line).iter().any(|named| named == option);
        lines.iter().position(is_row)
    };
    let mut before = lines.iter().position(|line| line.starts_with("| `-"));
    for (head, doc) in rows {
        let option = &long_options(head)[0];
        if let Some(row) = row_of(&lines, option) {
            before = Some(row);
        } else if let Some(row) = &mut before {
            *row += 1;
            lines.insert(*row, format!("| `{head}` | {} |", lower_first(doc)));
        }
    }
    lines.join("\n") + "\n"
}

fn lower_first(text: &str) -> String {
    let mut letters = text.chars();
    let first = letters.next().into_iter().flat_map(char::to_lowercase);
    first.chain(letters).collect()
}

/// The options in a row of the table of options.
fn options_of_row(line: &str) -> Vec<String> {
    let is_row = line.starts_with("| `-");
    let head = line.split(" | ").next().filter(|_| is_row);
    head.map_or_else(Vec::new, long_options)
}

/// The long options in a line.
fn long_options(line: &str) -> Vec<String> {
    let words = line.split(|character: char| !(character.is_alphanumeric() || character == '-'));
    words
        .filter(|word| word.starts_with("--") && word.len() > 2)
        .map(str::to_owned)
        .collect()
}
