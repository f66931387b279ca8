//! Checks the promises of `CONTRIBUTING.md`.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

use rightcall_core::EVALUATORS;

use crate::readme::root;

/// An existing addition.
struct Addition {
    /// The name. For one of several presets of a package, with its family: `strands/any_order_match`.
    name: &'static str,
    /// Texts that occur in every file that mentions it, in any case.
    texts: &'static [&'static str],
    /// The folder to search for such files.
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

/// Additions by the heading of their section.
const ADDITIONS: [(&str, &[Addition]); 4] = [
    (
        "A preset",
        &[
            addition("tpmjs", &["tpmjs"], ""),
            addition("strands/tool_called", &["tool_called", "tool-called"], ""),
        ],
    ),
    (
        "A format",
        &[
            addition("atif", &["mod atif;", "atif::entry"], FORMATS),
            addition("azure", &["mod azure;", "azure::entry"], FORMATS),
            addition("tpmjs", &["mod tpmjs;", "tpmjs::entry"], FORMATS),
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

/// The code of a file in lower case, without comments and tests. In presets, ids are removed, because their pages mention other presets.
fn code(path: &str) -> String {
    let text = fs::read_to_string(root().join(path)).unwrap();
    let text = text.split("\nmod tests {").next().unwrap_or_default();
    let lines = text.lines().filter(|it| !it.trim_start().starts_with("//"));
    let mut code = lines.collect::<Vec<_>>().join("\n");
    if path.starts_with("crates/rightcall-core/src/presets/") {
        for entry in EVALUATORS {
            code = code.replace(entry.id, "");
        }
    }
    code.to_lowercase()
}

/// The source files below a folder, without test files.
fn sources(folder: &Path, found: &mut Vec<String>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|it| it == "rs") && !path.ends_with("tests.rs") {
            let path = path.strip_prefix(root()).unwrap();
            found.push(path.to_string_lossy().replace('\\', "/"));
        }
    }
}

/// The path for an addition. `None` if the path needs a family and the addition has none.
fn path_for(path: &str, addition: &Addition) -> Option<String> {
    let (family, name) = match addition.name.split_once('/') {
        Some((family, name)) => (Some(family), name),
        None => (None, addition.name),
    };
    let path = path.replace("NAME", name);
    match family {
        Some(family) => Some(path.replace("FAMILY", family)),
        None => (!path.contains("FAMILY")).then_some(path),
    }
}

#[test]
fn additions_touch_the_files_listed_in_contributing() {
    let page = fs::read_to_string(root().join("CONTRIBUTING.md")).unwrap();
    let mut paths = Vec::new();
    for parent in ["crates", "bindings"] {
        for entry in fs::read_dir(root().join(parent)).unwrap() {
            sources(&entry.unwrap().path().join("src"), &mut paths);
        }
    }
    let codes: Vec<_> = paths.iter().map(|path| (path, code(path))).collect();
    for (heading, additions) in ADDITIONS {
        let named = paths_of_section(&page, heading);
        let mut lists = BTreeSet::new();
        for path in &named {
            let paths = additions.iter().filter_map(|it| path_for(path, it));
            let there: Vec<_> = paths.filter(|it| root().join(it).exists()).collect();
            assert!(!there.is_empty(), "{heading}: {path} is not there");
            if path.contains("/src/") && !path.contains("NAME") {
                lists.extend(there);
            }
        }
        let mut touched = BTreeSet::new();
        for addition in additions {
            let own = addition.name.rsplit('/').next().unwrap_or_default();
            let own = format!("/{own}.rs");
            let names = |code: &str| addition.texts.iter().any(|it| code.contains(it));
            let others = codes.iter().filter(|(path, code)| {
                path.starts_with(addition.below) && !path.ends_with(&own) && names(code)
            });
            touched.extend(others.map(|(path, _)| (*path).clone()));
        }
        assert_eq!(lists, touched, "{heading}");
    }
}
