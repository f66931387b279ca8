//! Checks that the examples in the README and the pages of `docs` show real output.
//!
//! A console block holds commands after `$ `, with the output below each. The commands of a page run in one empty folder with the project's
//! `examples` and `docs` in it. A line that ends with a file name, "`cases.jsonl`:", means that the block below it holds that file, which
//! is written before later commands run. Commands that a screen suggests run too. `UPDATE_DOCS=1 cargo test -p rightcall-cli` updates the
//! output in the pages.

use std::fmt::Write as _;
use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use tempfile::TempDir;

use crate::STILL;

const BEGIN: &str = "```console\n";

pub(crate) fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .unwrap()
}

/// The Markdown files in a folder and its subfolders.
pub(crate) fn pages(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            found.extend(pages(&path));
        } else if path.extension().is_some_and(|extension| extension == "md") {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// A place to run commands in. It is not the project's folder, because a run records its failures in the current one.
pub(crate) fn place() -> TempDir {
    let place = tempfile::tempdir().unwrap();
    for folder in ["examples", "docs"] {
        symlink(root().join(folder), place.path().join(folder)).unwrap();
    }
    place
}

/// A fenced block of a page.
pub(crate) struct Block<'a> {
    pub(crate) language: &'a str,
    /// The file name in the line above the block, as in "`cases.jsonl`:".
    pub(crate) file: Option<&'a str>,
    pub(crate) text: &'a str,
}

/// The fenced blocks of a page or a part of one.
pub(crate) fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    let mut rest = page;
    while let Some((before, block)) = rest.split_once("\n```") {
        let (language, body) = block.split_once('\n').unwrap_or((block, ""));
        let (text, after) = body.split_once("```").unwrap_or((body, ""));
        let above = before.trim_end().lines().next_back().unwrap_or_default();
        let named = above
            .strip_suffix("`:")
            .and_then(|it| it.rsplit('`').next());
        blocks.push(Block {
            language,
            file: named.filter(|name| name.contains('.') && !name.contains(' ')),
            text,
        });
        rest = after;
    }
    blocks
}

/// Writes the files from a part of a page.
pub(crate) fn write_files(page: &str, place: &Path) {
    for block in blocks(page) {
        if let Some(name) = block.file {
            let path = place.join(name);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, block.text).unwrap();
        }
    }
}

/// Locked by tests that may write pages.
pub(crate) static PAGES: Mutex<()> = Mutex::new(());

/// Runs a line in a shell with the command in its `PATH`.
pub(crate) fn shell(line: &str, place: &Path) -> Output {
    let command = Path::new(env!("CARGO_BIN_EXE_rightcall"));
    let mut folders = vec![command.parent().unwrap().to_owned()];
    folders.extend(std::env::split_paths(&std::env::var_os("PATH").unwrap()));
    Command::new("sh")
        .args(["-c", line])
        .env("PATH", std::env::join_paths(folders).unwrap())
        .envs(STILL)
        .current_dir(place)
        .output()
        .unwrap()
}

/// The output of a command: results, then messages.
fn printed(command: &str, place: &Path) -> String {
    let output = shell(command, place);
    let mut printed = String::from_utf8(output.stdout).unwrap();
    printed.push_str(&String::from_utf8_lossy(&output.stderr));
    printed.trim_end().to_owned()
}

/// The commands that a screen suggests: a whole line, or text in brackets or backticks. Words in capitals and ellipses are placeholders.
fn suggested(screen: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in screen.lines() {
        if line.starts_with("  rightcall ") {
            found.push(line.trim().to_owned());
        }
        for (open, close) in [("(rightcall ", ')'), ("`rightcall ", '`')] {
            for rest in line.split(open).skip(1) {
                let command = rest.split(close).next().unwrap_or_default();
                found.push(format!("rightcall {command}"));
            }
        }
    }
    let is_whole = |command: &String| {
        let is_open = |word: &str| {
            word.len() > 1 && word.chars().all(|it| it.is_uppercase() || it == '…') || word == "…"
        };
        !command.split(' ').any(is_open)
    };
    found.retain(is_whole);
    found
}

/// Copies files and folders; links stay links.
fn copy_folder(from: &Path, to: &Path) {
    let status = Command::new("cp")
        .args([Path::new("-a"), &from.join("."), to])
        .status();
    assert!(status.unwrap().success());
}

/// The suggested commands that fail, with their output. Each runs in a copy of the folder, so that it does not affect later commands of the
/// page.
fn broken_suggestions(screen: &str, place: &Path) -> Vec<String> {
    let mut broken = Vec::new();
    for command in suggested(screen) {
        let copy = tempfile::tempdir().unwrap();
        copy_folder(place, copy.path());
        // The viewer runs until it is killed, so do not start it.
        if command.starts_with("rightcall view") {
            continue;
        }
        let output = shell(&command, copy.path());
        if !matches!(output.status.code(), Some(0 | 1)) {
            let message = String::from_utf8_lossy(&output.stderr).into_owned();
            broken.push(format!("{command}\n{message}"));
        }
    }
    broken
}

/// A page after its commands have run.
struct Ran {
    /// The page with the current output.
    page: String,
    commands: usize,
    suggestions: usize,
    broken: Vec<String>,
}

/// Runs the commands of a page.
fn run_page(page: &str) -> Ran {
    let place = place();
    let mut parts = page.split(BEGIN);
    let mut ran = Ran {
        page: parts.next().unwrap_or_default().to_owned(),
        commands: 0,
        suggestions: 0,
        broken: Vec::new(),
    };
    write_files(&ran.page, place.path());
    for part in parts {
        let (block, rest) = part.split_once("\n```").unwrap_or_default();
        ran.page.push_str(BEGIN);
        for run in format!("\n{block}").split("\n$ ").skip(1) {
            let command = run.split('\n').next().unwrap_or_default();
            ran.commands += 1;
            let screen = printed(command, place.path());
            ran.suggestions += suggested(&screen).len();
            ran.broken.extend(broken_suggestions(&screen, place.path()));
            _ = write!(ran.page, "$ {command}\n{screen}\n\n");
        }
        ran.page.truncate(ran.page.trim_end().len());
        _ = write!(ran.page, "\n```{rest}");
        write_files(rest, place.path());
    }
    ran
}

/// The README and all pages of `docs`.
pub(crate) fn shown_pages() -> Vec<PathBuf> {
    let mut all = pages(&root().join("docs"));
    all.push(root().join("README.md"));
    all
}

#[test]
fn commands_in_readme_and_docs_print_the_shown_output() {
    let (mut commands, mut suggestions) = (0, 0);
    for path in shown_pages() {
        let _held = PAGES.lock().unwrap_or_else(PoisonError::into_inner);
        let shown = fs::read_to_string(&path).unwrap();
        let ran = run_page(&shown);
        commands += ran.commands;
        suggestions += ran.suggestions;
        if std::env::var_os("UPDATE_DOCS").is_some() {
            fs::write(&path, &ran.page).unwrap();
        } else {
            assert_eq!(
                shown,
                ran.page,
                "{} is not current: UPDATE_DOCS=1 cargo test -p rightcall-cli",
                path.display()
            );
        }
        assert!(
            ran.broken.is_empty(),
            "{}: a screen suggests a command that fails: {}",
            path.display(),
            ran.broken.join("\n")
        );
    }
    assert!(commands >= 100, "{commands}");
    assert!(suggestions >= 12, "{suggestions}");
}

/// `cargo xtask picture` updates the picture.
#[test]
fn picture_shows_the_output_of_the_command() {
    let place = place();
    let traces = "--traces examples/quickstart/new-model.jsonl";
    shell(
        &format!("rightcall run examples/quickstart/suite.yaml {traces}"),
        place.path(),
    );
    let screen = printed("COLUMNS=100 rightcall explain", place.path());
    let picture = fs::read_to_string(root().join("docs/explain.svg")).unwrap();
    let texts = picture.split('<').filter_map(|part| part.split_once('>'));
    let text: String = texts.map(|(_, text)| text).collect();
    let text = text.replace("&lt;", "<").replace("&gt;", ">");
    let text = text.replace("&quot;", "\"").replace("&amp;", "&");
    assert!(screen.lines().count() > 10, "{screen}");
    for line in screen.lines() {
        assert!(text.contains(line), "docs/explain.svg lacks: {line}");
    }
}
