//! The top-level command. Its help shows the commands in groups.

use std::fmt::Write as _;

use clap::{Command, CommandFactory};
use rightcall_report::{screen_columns, wrap};

use crate::commands::CommandLine;

/// The commands in groups, ordered by when users need them.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Judge", &["score", "run", "compare", "explain", "rescore"]),
    ("Guard a running agent", &["guard", "watch"]),
    ("Look back", &["history", "report", "view"]),
    ("Write expectations", &["init", "record", "learn", "review"]),
    ("Test the expectations", &["lint", "strength", "coverage"]),
    (
        "Read traces",
        &["inspect", "convert", "formats", "map", "fetch"],
    ),
    ("Look up", &["evaluators", "schema", "completions"]),
];

/// The width of the name column, and the maximum width of a line.
const NAME: usize = 13;
const LINE: usize = 100;

/// The command line.
pub(crate) fn command_line() -> Command {
    let command = CommandLine::command();
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}{{options}}{{after-help}}",
        groups(&command)
    );
    command.help_template(template)
}

/// The commands, each group under its heading, and the heading of the options.
fn groups(command: &Command) -> String {
    let style = command.get_styles().get_header();
    let room = screen_columns().min(LINE) - NAME - 2;
    let mut out = String::new();
    for (heading, names) in GROUPS {
        _ = writeln!(out, "{style}{heading}:{style:#}");
        let known = names
            .iter()
            .filter_map(|name| command.find_subcommand(name));
        for command in known {
            let about = command
                .get_about()
                .map(ToString::to_string)
                .unwrap_or_default();
            let mut name = command.get_name();
            for line in wrap(&about, room) {
                _ = writeln!(out, "  {name:<NAME$}{line}");
                name = "";
            }
        }
        out.push('\n');
    }
    _ = writeln!(out, "{style}Options:{style:#}");
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::help::examples;

    /// The words of a line, with quotes removed.
    fn words(line: &str) -> Vec<String> {
        let parts = line.split('\'').enumerate();
        let words = parts.flat_map(|(at, part)| {
            if at % 2 == 1 {
                vec![part.to_owned()]
            } else {
                part.split_whitespace().map(str::to_owned).collect()
            }
        });
        words.collect()
    }

    #[test]
    fn every_command_has_a_group_and_valid_examples() {
        let command = command_line();
        let mut named: Vec<_> = GROUPS
            .iter()
            .flat_map(|(_, names)| *names)
            .copied()
            .collect();
        let mut known: Vec<_> = command.get_subcommands().map(Command::get_name).collect();
        named.sort_unstable();
        known.sort_unstable();
        assert_eq!(named, known);
        for name in known {
            assert!(!examples(name).is_empty(), "{name}");
            for pair in examples(name).chunks(2) {
                assert!(pair[0].starts_with("  # "), "{}", pair[0]);
                let line = pair[1].trim_start();
                let line = line.trim_start_matches("source <(").trim_end_matches(')');
                assert_eq!(words(line)[1], name);
                let read = command_line().try_get_matches_from(words(line));
                assert!(read.is_ok(), "{line}\n{}", read.unwrap_err());
                assert!(line.len() <= 98, "{line}");
            }
        }
    }
}
