//! README, docs, help and messages are in plain words: they contain none of the phrases in `words.tsv`, and comments contain few.

use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};

use proc_macro2::{Delimiter, TokenStream, TokenTree};

use crate::Place;
use crate::docs::{commands, prose};
use crate::readme::{root, shown_pages};

/// Each phrase with its replacement.
fn phrases() -> Vec<(&'static str, &'static str)> {
    let rows = include_str!("words.tsv").lines();
    let rows: Vec<_> = rows
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split_once('\t').unwrap())
        .collect();
    assert!(rows.len() >= 12, "{}", rows.len());
    rows
}

/// The words of a text in lower case, separated by single spaces.
fn words(text: &str) -> String {
    let is_part = |it: char| it.is_alphanumeric() || matches!(it, '-' | '_' | '\'');
    let words = text
        .split(|it: char| !is_part(it))
        .filter(|it| !it.is_empty());
    words.fold(" ".to_owned(), |all, word| all + &word.to_lowercase() + " ")
}

/// Adds the forbidden phrases in a text to `found`.
fn faults(place: &str, text: &str, found: &mut Vec<String>) {
    // A phrase does not continue across paragraphs.
    for paragraph in text.split("\n\n") {
        let words = words(paragraph);
        for (phrase, instead) in phrases() {
            if words.contains(&format!(" {phrase} ")) {
                let start = paragraph.trim().chars().take(100).collect::<String>();
                found.push(format!(
                    "{place}: \"{phrase}\": write {instead}\n    {start}"
                ));
            }
        }
    }
}

#[track_caller]
fn assert_plain(found: &[String]) {
    assert!(
        found.is_empty(),
        "{} phrases:\n{}",
        found.len(),
        found.join("\n")
    );
}

#[test]
fn readme_and_docs_are_in_plain_words() {
    let mut found = Vec::new();
    for path in shown_pages()
        .into_iter()
        .chain([root().join("CHANGELOG.md")])
    {
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        faults(&name, &fs::read_to_string(&path).unwrap(), &mut found);
    }
    assert_plain(&found);
}

#[test]
fn help_is_in_plain_words() {
    let place = Place::new();
    let mut found = Vec::new();
    for name in commands(&place).iter().map(|(name, _)| &**name).chain([""]) {
        let help = place.run(&format!("{name} --help"), &[]).stdout;
        faults(&format!("rightcall {name} --help"), &help, &mut found);
    }
    assert_plain(&found);
}

#[test]
fn messages_are_in_plain_words() {
    let mut found = Vec::new();
    let mut texts = 0;
    for parent in ["crates", "bindings"] {
        for entry in fs::read_dir(root().join(parent)).unwrap() {
            let crate_folder = entry.unwrap().path();
            // This crate is used only in tests.
            if crate_folder.ends_with("rightcall-reference") {
                continue;
            }
            for file in sources(&crate_folder.join("src")) {
                let name = file.strip_prefix(root()).unwrap().display().to_string();
                let text = fs::read_to_string(&file).unwrap();
                if file.extension().is_some_and(|it| it == "rs") {
                    let stream: TokenStream = text.parse().unwrap();
                    for literal in literals(stream) {
                        texts += 1;
                        faults(&name, &literal, &mut found);
                    }
                } else {
                    faults(&name, &text, &mut found);
                }
            }
        }
    }
    assert_plain(&found);
    assert!(texts > 10_000, "{texts}");
}

/// A few are allowed, because some phrases have another meaning in a comment.
#[test]
fn comments_are_in_plain_words() {
    const FEW: usize = 20;
    let mut found = Vec::new();
    let mut lines = 0;
    for parent in ["crates", "bindings", "xtask"] {
        for file in sources(&root().join(parent)) {
            if file.extension().is_none_or(|it| it != "rs") {
                continue;
            }
            let name = file.strip_prefix(root()).unwrap().display().to_string();
            let text = fs::read_to_string(&file).unwrap();
            let is_comment = |line: &&str| line.trim_start().starts_with("//");
            lines += text.lines().filter(is_comment).count();
            let comments = text.lines().map(|line| Some(line).filter(is_comment));
            let comments: Vec<_> = comments.map(Option::unwrap_or_default).collect();
            faults(&name, &comments.join("\n"), &mut found);
        }
    }
    assert!(
        found.len() < FEW,
        "{} phrases:\n{}",
        found.len(),
        found.join("\n")
    );
    assert!(lines > 10_000, "{lines}");
}

/// The source files of a crate, and the text files next to them that become messages, pages or files.
fn sources(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let Ok(entries) = fs::read_dir(folder) else {
        return found;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        let is_one_of = |endings: &[&str]| {
            path.extension()
                .is_some_and(|it| endings.iter().any(|ending| it == *ending))
        };
        if path.is_dir() {
            found.extend(sources(&path));
        } else if !path.ends_with("tests.rs") && is_one_of(&["rs", "json", "txt", "yaml", "html"]) {
            found.push(path);
        }
    }
    found
}

/// The string literals in a source file, without comments and test code.
fn literals(stream: TokenStream) -> Vec<String> {
    let mut found = Vec::new();
    let mut is_after_hash = false;
    let mut is_of_tests = false;
    for tree in stream {
        match &tree {
            TokenTree::Literal(literal) => {
                let text = literal.to_string();
                if text.contains('"') {
                    found.push(text.replace("\\n", "\n").replace("\\\n", " "));
                }
            }
            // An attribute: a doc comment, or a marker of test code.
            TokenTree::Group(group) if is_after_hash && group.delimiter() == Delimiter::Bracket => {
                let text = group.stream().to_string();
                if !text.starts_with("doc ") {
                    is_of_tests |= text.contains("test");
                    found.extend(literals(group.stream()));
                }
            }
            TokenTree::Group(group) => {
                if is_of_tests && group.delimiter() == Delimiter::Brace {
                    is_of_tests = false;
                } else {
                    found.extend(literals(group.stream()));
                }
            }
            TokenTree::Punct(punct) if punct.as_char() == ';' => is_of_tests = false,
            _ => {}
        }
        is_after_hash = matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '#')
            || is_after_hash && matches!(&tree, TokenTree::Punct(punct) if punct.as_char() == '!');
    }
    found
}

/// Lists long sentences in the docs. It never fails, because some are fine.
#[test]
fn long_sentences_are_listed() {
    const LONG: usize = 40;
    let mut long = Vec::new();
    for path in shown_pages() {
        let page = fs::read_to_string(&path).unwrap();
        let name = path.strip_prefix(root()).unwrap().display().to_string();
        let text: Vec<_> = prose(&page)
            .filter(|line| !line.starts_with(['|', '#']))
            .collect();
        for paragraph in text
            .join("\n")
            .split("\n\n")
            .flat_map(|it| it.split("\n- "))
        {
            let paragraph = paragraph.replace('\n', " ");
            for sentence in paragraph.split(". ") {
                let number = sentence.split_whitespace().count();
                if number > LONG {
                    long.push(format!("{name}: {number} words: {}", sentence.trim()));
                }
            }
        }
    }
    // Not with `println!`, because cargo hides its output for a passing test.
    let number = long.len();
    let some = long[..number.min(20)].join("\n");
    _ = writeln!(
        std::io::stdout(),
        "warning: {number} sentences of more than {LONG} words, such as\n{some}"
    );
}
