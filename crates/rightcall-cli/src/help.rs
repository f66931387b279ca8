//! The text below the options in `--help`: examples and exit codes.

const EXIT_CODES: &str = "\
Exit codes:
  0  success, or no gate or threshold is set
  1  a gate failed; without gates: a case is below a threshold that you set, an evaluator that
     judges by itself failed a case, or in `run` a case has no run
  2  wrong usage, unreadable input, an evaluation error, nothing to score, no run that matches
     a case, a gate or threshold that judged no case, or a run that another process kept out
     of the history";

/// The text below the options of a command: examples, and exit codes if the command has more than two.
pub(crate) fn after_help(name: &str) -> String {
    let examples = examples(name).join("\n");
    if matches!(name, "score" | "run") {
        format!("Examples:\n{examples}\n\n{EXIT_CODES}")
    } else {
        format!("Examples:\n{examples}")
    }
}

/// The text below the list of commands.
pub(crate) fn after_all() -> &'static str {
    EXIT_CODES
}

/// The examples of a command: a description and a command line each. Empty if there is no such command.
pub(crate) fn examples(name: &str) -> Vec<&'static str> {
    let lines = include_str!("help/examples.txt").lines();
    let behind = lines.skip_while(|line| *line != name).skip(1);
    behind.take_while(|line| !line.is_empty()).collect()
}
