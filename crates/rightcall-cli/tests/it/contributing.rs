//! What `CONTRIBUTING.md` and `docs/upgrading.md` promise.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use crate::readme::root;

/// An addition that is there already.
struct Addition {
    name: &'static str,
    /// What a file has that names it.
    texts: &'static [&'static str],
    /// Where such files are looked for.
    below: &'static str,
}

const fn addition(
    name: &'static str,
    texts: &'static [&'static str],
    below: &'static str,
) -> Addition {
    Addition { name, texts, below }
}

const FORMATS: &str = "crates/rightcall-formats/";

/// Additions by the heading of their kind.
const ADDITIONS: [(&str, &[Addition]); 4] = [
    (
        "A preset",
        &[addition("tpmjs", &["mod tpmjs;", "tpmjs::ENTRY"], "")],
    ),
    (
        "A format",
        &[
            addition("atif", &["mod atif;", "atif::ENTRY"], FORMATS),
            addition("azure", &["mod azure;", "azure::ENTRY"], FORMATS),
            addition("tpmjs", &["mod tpmjs;", "tpmjs::ENTRY"], FORMATS),
        ],
    ),
    ("An output", &[addition("junit", &["junit"], "")]),
    ("An option", &[addition("csv-safe", &["csv_safe"], "")]),
];

/// The paths that a section of a page names.
fn paths_of_section(page: &str, heading: &str) -> BTreeSet<String> {
    let section = page
        .split(&format!("\n### {heading}\n"))
        .nth(1)
        .and_then(|rest| rest.split("\n#").next())
        .unwrap_or_else(|| panic!("CONTRIBUTING.md has no section `{heading}`"));
    let quoted = section.split('`').skip(1).step_by(2);
    quoted
        .filter(|text| text.contains('/') && !text.contains(' '))
        .map(str::to_owned)
        .collect()
}

/// The source files below a folder that have one of these texts.
fn files_with(folder: &Path, texts: &[&str], found: &mut BTreeSet<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_with(&path, texts, found);
        } else if path.extension().is_some_and(|it| it == "rs") {
            let text = fs::read_to_string(&path).unwrap();
            if texts.iter().any(|it| text.contains(it)) {
                let path = path.strip_prefix(root()).unwrap();
                found.insert(path.to_string_lossy().replace('\\', "/"));
            }
        }
    }
}

#[test]
fn an_addition_touches_the_files_that_contributing_names() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let mut folders = Vec::new();
    for parent in ["crates", "bindings"] {
        for entry in fs::read_dir(root().join(parent)).unwrap() {
            folders.push(entry.unwrap().path().join("src"));
        }
    }
    for (heading, additions) in ADDITIONS {
        let named = paths_of_section(&page, heading);
        for path in &named {
            let is_there = |addition: &Addition| {
                let path = path.replace("NAME", addition.name);
                root().join(path).exists()
            };
            assert!(
                additions.iter().any(is_there),
                "{heading}: {path} is not there"
            );
        }
        let mut touched = BTreeSet::new();
        for addition in additions {
            let mut files = BTreeSet::new();
            for folder in &folders {
                files_with(folder, addition.texts, &mut files);
            }
            let own = format!("/{}.rs", addition.name);
            files.retain(|path| path.starts_with(addition.below) && !path.ends_with(&own));
            touched.extend(files);
        }
        let lists = named
            .into_iter()
            .filter(|path| path.contains("/src/") && !path.contains("NAME"));
        assert_eq!(lists.collect::<BTreeSet<_>>(), touched, "{heading}");
    }
}

/// The items of lists, each on one line and without marks of emphasis.
fn items(page: &str) -> Vec<String> {
    let plain = page.replace("**", "");
    let items = plain.split("\n- ").skip(1);
    items
        .map(|item| item.split_whitespace().collect::<Vec<_>>().join(" "))
        .collect()
}

#[test]
fn upgrading_says_what_to_do_about_everything_that_breaks() {
    let changelog = fs::read_to_string(root().join("CHANGELOG.md")).unwrap();
    let upgrading = items(&fs::read_to_string(root().join("docs/upgrading.md")).unwrap());
    let breaking = changelog
        .split("\n### Breaking\n")
        .skip(1)
        .filter_map(|rest| rest.split("\n#").next())
        .flat_map(items);
    let mut seen = 0;
    for item in breaking {
        let begin: Vec<&str> = item.split(' ').take(4).collect();
        let begin = begin.join(" ");
        assert!(
            upgrading.iter().any(|it| it.starts_with(&begin)),
            "docs/upgrading.md says nothing of: {item}"
        );
        seen += 1;
    }
    assert!(seen > 10, "{seen}");
}
